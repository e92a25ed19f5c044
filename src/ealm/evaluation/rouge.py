"""ROUGE under the three protocols of the field, with the tokens and stems of ROUGE-1.5.5 (section 5).

The protocols differ by many points: a score means nothing without the name of its protocol.
All scores are shares between 0 and 1.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any, Literal

from ealm.common.errors import EalmError
from ealm.common.extras import needs_extra, require_extra
from ealm.text.words import split_words

CAP = 75
"""Bytes or characters that the capped protocols look at."""

Cap = Literal["bytes", "chars"]
References = Sequence[str] | Sequence[Sequence[str]]
"""For each summary its reference, or a sequence of several."""

_TOKEN = re.compile(rb"[a-z0-9]+")
_DIGIT = re.compile("[0-9]")


class RougeError(EalmError, ValueError):
    """Summaries and what they are compared with do not fit together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """What is compared with what, and which number counts."""

    name: str
    measure: Literal["fmeasure", "recall"]
    summary_cap: Cap | None = None
    reference_cap: Cap | None = None
    all_references: bool = False
    """Whether to average over all references of a sentence, or to take the first."""


PAPER = Protocol(name="paper", measure="fmeasure", summary_cap="bytes", reference_cap="bytes")
LENGTH = Protocol(name="length", measure="fmeasure")
DUC = Protocol(name="duc", measure="recall", summary_cap="chars", all_references=True)
PROTOCOLS = {protocol.name: protocol for protocol in (PAPER, LENGTH, DUC)}


@dataclass(frozen=True, slots=True)
class RougeScores:
    """R-1, R-2 and R-L of one sentence, or their means over many."""

    rouge_1: float
    rouge_2: float
    rouge_l: float


def rouge_tokens(text: str) -> list[str]:
    """Stemmed words; all but ASCII letters and digits separates them and vanishes."""
    from ealm.evaluation.stemming import stem

    # bytes.lower() knows ASCII only, like the script; str.lower() would turn the Kelvin sign into a k.
    return [stem(token.decode("ascii")) for token in _TOKEN.findall(text.encode().lower())]


def capped(text: str, cap: Cap | None) -> str:
    """The beginning of a text; a word that is cut stays as far as it goes."""
    if cap == "bytes":
        return text.encode()[:CAP].decode(errors="ignore")
    return text if cap is None else text[:CAP]


def gigaword_style(text: str) -> str:
    """Lower case and # for each digit, as `paper` wants the references (not the summaries) of DUC."""
    return _DIGIT.sub("#", text.lower())


def score(summaries: Sequence[str], references: References, *, protocol: Protocol) -> list[RougeScores]:
    """Scores of each summary."""
    _check_counts(summaries, references, "references")
    return [
        _score_one(summary, [given] if isinstance(given, str) else given, line=line, protocol=protocol)
        for line, (summary, given) in enumerate(zip(summaries, references, strict=True), start=1)
    ]


def mean_scores(scores: Iterable[RougeScores]) -> RougeScores:
    """Corpus scores: plain means over the sentences."""
    scores = list(scores)
    return RougeScores(
        _mean(each.rouge_1 for each in scores),
        _mean(each.rouge_2 for each in scores),
        _mean(each.rouge_l for each in scores),
    )


def mean_rouge(summaries: Sequence[str], references: References) -> float:
    """One number to compare systems by: the mean of R-1, R-2 and R-L under the protocol `length`."""
    mean = mean_scores(score(summaries, references, protocol=LENGTH))
    return (mean.rouge_1 + mean.rouge_2 + mean.rouge_l) / 3


def mean_length(summaries: Iterable[str]) -> float:
    """Words per summary, uncapped (LEN, section 5)."""
    return _mean(len(split_words(summary)) for summary in summaries)


def novel_words(summary: str, source: str) -> int:
    """Words that an uncapped summary has and its source has not, each as often as it occurs; case does not matter."""
    known = set(_TOKEN.findall(source.encode().lower()))
    return sum(token not in known for token in _TOKEN.findall(summary.encode().lower()))


def mean_novel_words(summaries: Sequence[str], sources: Sequence[str]) -> float:
    """Novel words per summary (NW, section 5)."""
    _check_counts(summaries, sources, "sources")
    return _mean(novel_words(summary, source) for summary, source in zip(summaries, sources, strict=True))


class _Tokenizer:
    """What the rouge-score library wants to be given."""

    def tokenize(self, text: str) -> list[str]:
        return rouge_tokens(text)


def require_rouge() -> None:
    """Refuse early, before systems work for minutes, where the packages behind ROUGE are not installed."""
    require_extra("evaluate", "ROUGE", "rouge_score", "nltk")


@cache
def _scorer() -> Any:
    with needs_extra("evaluate", "ROUGE"):  # here, because not all that this module has needs it
        from rouge_score.rouge_scorer import RougeScorer
    return RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=_Tokenizer())


def _score_one(summary: str, references: Sequence[str], *, line: int, protocol: Protocol) -> RougeScores:
    if not references:
        raise RougeError(f"Summary {line} has no reference. Give at least one, or leave the summary out.")
    used = references if protocol.all_references else references[:1]
    summary = capped(summary, protocol.summary_cap)
    return mean_scores(_compare(summary, capped(reference, protocol.reference_cap), protocol) for reference in used)


def _compare(summary: str, reference: str, protocol: Protocol) -> RougeScores:
    found = _scorer().score(reference, summary)
    return RougeScores(*(float(getattr(found[name], protocol.measure)) for name in ("rouge1", "rouge2", "rougeL")))


def _check_counts(summaries: Sequence[str], others: Sequence[object], name: str) -> None:
    for given, what in ((summaries, "summaries"), (others, name)):
        if isinstance(given, str):
            raise RougeError(f"{what} must be a list of texts, got one text. Put it into a list: [text]")
    if len(summaries) != len(others):
        raise RougeError(
            f"There must be as many {name} as summaries, got {len(others)} {name} and {len(summaries)} summaries. "
            "Check that both files have one sentence per line, in the same order."
        )


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    if not values:
        raise RougeError("There is nothing to average: no summaries were given. Check that the file is not empty.")
    return fmean(values)
