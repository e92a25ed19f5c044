"""What ROUGE does not see: copying, position, sensible new words, fluency, similarity, dangling and lost words.

Every quality is defined in docs/evaluation.md.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

import torch

from ealm.evaluation.words import copied_share, dangling_words, lost, plain_words, relative_positions
from ealm.lm.batching import rows_by_length
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.assessment import Similarity, fluencies

_TOKEN_BUDGET = 4_096
_FLUENCY_PASSES = 4
SENSIBLE_RANK = 10
"""A new word is sensible if it is among so many best candidates for its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualities:
    """Means over the summaries of a system; None where there was nothing to count."""

    copied: float
    position: float | None
    new_words_sensible: float | None
    fluency: float | None = None
    similarity: float | None = None
    dangling: float
    lost_negations: float | None
    lost_numbers: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def qualities(
    summaries: Sequence[str],
    sources: Sequence[str],
    *,
    pretokenized: bool,
    lm: MaskedLM | None = None,
    similarity: Similarity | None = None,
) -> Qualities:
    """Qualities of a system's summaries; those that need a model are None without it."""
    pairs = [
        (plain_words(summary, pretokenized=pretokenized), plain_words(source, pretokenized=pretokenized))
        for summary, source in zip(summaries, sources, strict=True)
    ]
    positions = [place for pair in pairs for place in relative_positions(*pair)]
    known = [lm.word_ids(summary) for summary, _ in pairs] if lm is not None else []
    return Qualities(
        copied=fmean(copied_share(*pair) for pair in pairs),
        position=fmean(positions) if positions else None,
        new_words_sensible=sensible_new_words(lm, pairs) if lm is not None else None,
        fluency=fmean(fluencies(lm, known, passes=_FLUENCY_PASSES)) if lm is not None else None,
        similarity=fmean(similarity(sources, summaries)) if similarity is not None else None,
        dangling=fmean(len(dangling_words(summary)) for summary, _ in pairs),
        lost_negations=_share_lost("negation", pairs),
        lost_numbers=_share_lost("numbers", pairs),
    )


def _share_lost(kind: str, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> float | None:
    counts = [lost(kind, summary, source) for summary, source in pairs]
    total = sum(of_source for _, of_source in counts)
    return sum(gone for gone, _ in counts) / total if total else None


def sensible_new_words(lm: MaskedLM, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> float | None:
    """Share of new words that are among the best candidates for their place in the summary."""
    questions: list[tuple[Masked[int], int]] = []
    for summary, source in pairs:
        known = set(source)
        ids = lm.word_ids(summary)
        for place, word in enumerate(summary):
            if word not in known and ids[place] != lm.unknown_id:
                template = tuple(None if at == place else other for at, other in enumerate(ids))
                questions.append((Masked((), template), ids[place]))
    if not questions:
        return None
    sensible = 0
    for rows in rows_by_length([len(question) for question, _ in questions], _TOKEN_BUDGET):
        scores = lm.predict([questions[row][0] for row in rows])
        own = scores.gather(1, torch.tensor([questions[row][1] for row in rows], device=scores.device)[:, None])
        sensible += int(((scores > own).sum(dim=1) < SENSIBLE_RANK).sum())
    return sensible / len(questions)
