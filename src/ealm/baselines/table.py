"""The baselines, by the names that users give them to `ealm evaluate --systems`.

A new baseline is a module of this package and a row of `BASELINES` (CONTRIBUTING.md).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Protocol, runtime_checkable


class AnySummarizer(Protocol):
    """What evaluation needs of a system."""

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:
        """One summary for each text; with `words` none is longer."""
        ...


@dataclass(slots=True)
class Overrun:
    """How often a system that does not keep to a limit by itself was over it; such a summary is cut."""

    answers: int = 0
    over: int = 0

    def __str__(self) -> str:
        return f"{self.over:,} of {self.answers:,} answers were over the limit and were cut there"


@runtime_checkable
class HasOverrun(Protocol):
    """A system that may be over the limit."""

    @property
    def overrun(self) -> Overrun:
        """Since it was loaded."""
        ...


@dataclass(frozen=True, slots=True)
class Baseline:
    """A row of the table."""

    usage: str
    """What users write: NAME; NAME-N, where N stands for a number; NAME=DIR, where DIR is the folder of a model;
    NAME=WHERE, where WHERE is a text that names one."""
    maker: str
    """What makes the summarizer, as `module:name` inside this package; called with N, DIR or WHERE, if it has one."""
    about: str
    """What it does, or how to train it."""

    @property
    def name(self) -> str:
        """What users write before the folder."""
        return self.usage.partition("=")[0]

    @property
    def needs_folder(self) -> bool:
        """Whether it is a trained model."""
        return "=" in self.usage

    def match(self, name: str) -> re.Match[str] | None:
        """Whether this baseline is meant; the number, if it has one, is group 1."""
        return re.fullmatch(re.escape(self.name).replace("N", r"(\d+)"), name)

    def load(self, name: str, where: str | None = None) -> AnySummarizer:
        """The summarizer; its module is imported now, not with the table."""
        found = self.match(name)
        assert found is not None
        arguments: list[Any] = list(map(int, found.groups()))
        if where is not None:
            arguments.append(Path(where) if self.usage.endswith("=DIR") else where)
        make: Any = resolve_name(f"ealm.baselines.{self.maker}")
        made: AnySummarizer = make(*arguments)
        return made


_SUMY = "whole sentences of a longer text, chosen by sumy's"
_TRAIN = "train it with: ealm train-baseline"

BASELINES = (
    Baseline("lead-N", "trivial:LeadWords", "the first N words"),
    Baseline("lead-Nb", "trivial:LeadBytes", "the first words, as many as fit into N bytes"),
    Baseline("stopwords", "trivial:StopWordDeletion", "the source without its stop words"),
    Baseline("lead-sentences", "trivial:LeadSentences", "the first whole sentences that fit"),
    Baseline("sumy:lexrank", "sentence_ranking:lexrank", f"{_SUMY} LexRank"),
    Baseline("sumy:lsa", "sentence_ranking:lsa", f"{_SUMY} LSA"),
    Baseline("sumy:textrank", "sentence_ranking:textrank", f"{_SUMY} TextRank"),
    Baseline(
        "llm=WHERE",
        "chat.summarizer:ChatSummarizer.load",
        "a chat model: http://HOST:PORT/v1#MODEL, a folder of transformers, or a .gguf file; also llm:WHERE, "
        "llm:NAME=WHERE",
    ),
    Baseline("seq3=DIR", "seq3.summarizer:Seq3Summarizer.load", f"{_TRAIN} seq3 CORPUS --out DIR"),
    Baseline(
        "seq3+=DIR", "seq3.summarizer:Seq3Summarizer.load_best", f"{_TRAIN} seq3 CORPUS --validation DATA --out DIR"
    ),
    Baseline(
        "cmatch=DIR", "cmatch.summarizer:CMatchSummarizer.load", f"{_TRAIN} cmatch CORPUS --headlines FILE --out DIR"
    ),
)
"""The table."""


def find_baseline(name: str) -> Baseline | None:
    """The baseline that a user names."""
    return next((row for row in BASELINES if row.match(name)), None)


def baseline_list(*, about: bool) -> str:
    """All baselines as users write them, with what they do if `about`."""
    return ", ".join(f"{row.usage} ({row.about})" if about else row.usage for row in BASELINES)
