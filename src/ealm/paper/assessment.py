"""How good a summary is: similarity to its source and fluency (appendix A.3)."""

import math
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor

from ealm.common.errors import LanguageModelError
from ealm.common.extras import needs_extra
from ealm.common.storage import read_json
from ealm.lm import bundled as embedded
from ealm.lm.batching import BUSY_TOKENS, rows_by_length
from ealm.lm.cloze import Masked
from ealm.lm.loading import quiet_transformers
from ealm.lm.masked_lm import MaskedLM
from ealm.lm.sentence_encoder import SentenceEncoder

_TOKEN_BUDGET = 512


class Similarity(Protocol):
    """Semantic similarity of a summary to its source (sim), between 0 and 1."""

    def __call__(self, sources: Sequence[str], summaries: Sequence[str]) -> list[float]:
        """One value for each pair; an empty summary has similarity 0."""
        ...


class SentenceSimilarity:
    """Cosine of sentence embeddings, clipped to [0, 1]."""

    def __init__(self, embed: Callable[[Sequence[str]], Tensor]) -> None:
        """`embed` gives a unit vector for each text: (texts, width)."""
        self._embed = embed

    @classmethod
    def load(
        cls, name_or_folder: str | os.PathLike[str] = embedded.NAME, *, device: str = "cpu", engine: str = "torch"
    ) -> "SentenceSimilarity":
        """The bundled sentence encoder, or any sentence-transformers model by hub name or folder.

        `engine` is what runs the bundled one.
        """
        wanted = str(name_or_folder)
        if wanted == embedded.NAME:
            return cls(SentenceEncoder.load(device=device, engine=engine))
        return cls(_sentence_transformer(wanted, device=device))

    def __call__(self, sources: Sequence[str], summaries: Sequence[str]) -> list[float]:
        row = {text: number for number, text in enumerate(dict.fromkeys([*sources, *summaries]))}
        vectors = self._embed(list(row))
        of_sources, of_summaries = (vectors[[row[text] for text in texts]] for texts in (sources, summaries))
        cosines = (of_sources * of_summaries).sum(dim=1).clamp(0, 1).tolist()
        return [cosine if summary else 0.0 for cosine, summary in zip(cosines, summaries, strict=True)]


def _sentence_transformer(wanted: str, *, device: str) -> Callable[[Sequence[str]], Tensor]:
    with needs_extra("transformers", "A similarity model other than the embedded one"):
        from sentence_transformers import SentenceTransformer
    try:
        _check_modules(Path(wanted) / "modules.json")
        with quiet_transformers():
            model = SentenceTransformer(
                wanted,
                device=device,
                local_files_only=Path(wanted).is_dir(),
                model_kwargs={"use_safetensors": True},
            )
    except Exception as error:  # the library raises many kinds here
        raise LanguageModelError(
            f"No sentence-similarity model can be loaded from {wanted}. Give similarity= a folder or hub name of "
            f"the sentence-transformers library, or leave it out. ({' '.join(str(error).split())[:300]})"
        ) from error
    return partial(model.encode, convert_to_tensor=True, normalize_embeddings=True, show_progress_bar=False)


def _check_modules(path: Path) -> None:
    """Refuse modules that are not the library's: before version 6 it runs the code that a local folder brings."""
    if path.exists() and not all(
        str(module["type"]).startswith("sentence_transformers.") for module in read_json(path)
    ):
        raise ValueError(f"{path} names code that is not part of sentence-transformers.")


def fluencies(lm: MaskedLM, summaries: Sequence[Sequence[int]], *, passes: int | None = None) -> list[float]:
    """exp(mean log P(y_i | y without i)) of each summary, between 0 and 1 (appendix A.3).

    Words unknown to the language model have no probability and are left out of the mean; a summary without a known
    word has fluency 0.
    """
    rows = log_probabilities(lm, summaries, passes=passes)
    return [math.exp(sum(row.values()) / len(row)) if row else 0.0 for row in rows]


def log_probabilities(
    lm: MaskedLM, summaries: Sequence[Sequence[int]], *, passes: int | None = None
) -> list[dict[int, float]]:
    """log P(y_i | y without i) of each known word of each summary, by place.

    With `passes` each summary takes that many forward passes only, every n-th word hidden in one, so that a word is
    judged without some of its company.
    """
    questions = [
        (number, Masked((), tuple(None if place in hidden else word for place, word in enumerate(summary))))
        for number, summary in enumerate(summaries)
        for hidden in _words_hidden(summary, lm.unknown_id, passes)
    ]
    found: list[dict[int, float]] = [{} for _ in summaries]
    for rows in rows_by_length([len(question) for _, question in questions], _TOKEN_BUDGET, enough=BUSY_TOKENS):
        batch = [questions[row] for row in rows]
        judged = [(number, hole) for number, question in batch for hole in question.holes]
        scores = lm.predict([question for _, question in batch])
        own = torch.tensor([summaries[number][hole] for number, hole in judged], device=scores.device)
        values = scores.gather(1, own[:, None])[:, 0] - scores.logsumexp(dim=-1)
        for (number, hole), value in zip(judged, values.tolist(), strict=True):
            found[number][hole] = value
    return found


def _words_hidden(summary: Sequence[int], unknown_id: int, passes: int | None) -> list[frozenset[int]]:
    """Places hidden together, pass by pass; unknown words are never hidden."""
    known = [place for place, word in enumerate(summary) if word != unknown_id]
    count = min(passes or len(known), len(known))
    return [frozenset(known[start::count]) for start in range(count)]
