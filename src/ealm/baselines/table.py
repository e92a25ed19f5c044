"""The baselines, by the names that users give them to `ealm evaluate --systems`.

A new baseline is a module of this package and a row of `BASELINES` (CONTRIBUTING.md).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Protocol


class AnySummarizer(Protocol):
    """What evaluation needs of a system."""

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:
        """One summary for each text; with `words` none is longer."""
        ...


@dataclass(frozen=True, slots=True)
class Baseline:
    """A row of the table."""

    usage: str
    """What users write: NAME; NAME-N, where N stands for a number; NAME=DIR, where DIR is the folder of a model."""
    maker: str
    """What makes the summarizer, as `module:name` inside this package. It is called with N or DIR, if there is one."""
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

    def load(self, name: str, folder: Path | None = None) -> AnySummarizer:
        """The summarizer; its module is imported now, not with the table."""
        found = self.match(name)
        assert found is not None
        arguments = [*map(int, found.groups()), *([] if folder is None else [folder])]
        make: Any = resolve_name(f"ealm.baselines.{self.maker}")
        made: AnySummarizer = make(*arguments)
        return made


_TRAIN = "train it with: ealm train-baseline"

BASELINES = (
    Baseline("lead-N", "trivial:LeadWords", "the first N words"),
    Baseline("lead-Nb", "trivial:LeadBytes", "the first words, as many as fit into N bytes"),
    Baseline("stopwords", "trivial:StopWordDeletion", "the source without its stop words"),
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
