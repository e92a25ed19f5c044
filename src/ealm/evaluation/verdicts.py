"""Verdicts of readers, counted: by system, by kind of text, and how far two readers agree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ealm.evaluation.reading import VERDICTS, Row
from ealm.evaluation.tables import terminal_table

HEADINGS = ("system", "kind", "read", *VERDICTS)
ALL_KINDS = "all"
NO_KIND = "–"


@dataclass(frozen=True, slots=True)
class Count:
    """Verdicts on the summaries of a system, of one kind or of all; those of several readers are added up."""

    system: str
    kind: str
    verdicts: Mapping[str, int]

    @property
    def read(self) -> int:
        """Summaries that were judged, once for each reader."""
        return sum(self.verdicts.values())

    def share(self, verdict: str) -> float:
        """Of all summaries that were judged."""
        return self.verdicts[verdict] / self.read


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two readers of the same rows agree."""

    one: str
    other: str
    share: float
    """Of the rows with the same verdict."""
    kappa: float | None
    """Cohen's: 0 is what chance gives, 1 is perfect; None if both readers gave one and the same verdict throughout."""


def count(rows: Sequence[Row], sheets: Sequence[Sequence[str]]) -> list[Count]:
    """For each system, over everything and then by kind, if there are several."""
    systems = {name: None for row in rows for name in row.systems}
    kinds = sorted({row.kind for row in rows})
    wanted = [None, *kinds] if len(kinds) > 1 else [None]
    return [_count_one(rows, sheets, system=system, kind=kind) for kind in wanted for system in sorted(systems)]


def _count_one(rows: Sequence[Row], sheets: Sequence[Sequence[str]], *, system: str, kind: str | None) -> Count:
    found = Counter(
        verdict
        for sheet in sheets
        for row, verdict in zip(rows, sheet, strict=True)
        if system in row.systems and kind in (None, row.kind)
    )
    return Count(system, ALL_KINDS if kind is None else kind or NO_KIND, {name: found[name] for name in VERDICTS})


def agreements(sheets: Mapping[str, Sequence[str]]) -> list[Agreement]:
    """Of every two readers."""
    return [
        Agreement(one, other, _same(sheets[one], sheets[other]), cohen_kappa(sheets[one], sheets[other]))
        for one, other in combinations(sheets, 2)
    ]


def _same(one: Sequence[str], other: Sequence[str]) -> float:
    return sum(first == second for first, second in zip(one, other, strict=True)) / len(one)


def cohen_kappa(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Agreement beyond what the two readers' habits would give by chance (Cohen 1960)."""
    first, second = Counter(one), Counter(other)
    by_chance = sum(first[verdict] * second[verdict] for verdict in first) / len(one) ** 2
    return None if by_chance == 1 else (_same(one, other) - by_chance) / (1 - by_chance)


def count_table(counts: Sequence[Count]) -> str:
    """Number and share of each verdict, a row for each system and kind."""
    rows = [
        [each.system, each.kind, str(each.read), *(_cell(each, verdict) for verdict in VERDICTS)]
        for each in counts
        if each.read
    ]
    return terminal_table(HEADINGS, rows)


def _cell(each: Count, verdict: str) -> str:
    return f"{each.verdicts[verdict]} ({each.share(verdict):.1%})"


def agreement_table(found: Sequence[Agreement]) -> str:
    """A row for every two readers."""
    rows = [
        [each.one, each.other, f"{each.share:.1%}", "–" if each.kappa is None else f"{each.kappa:.2f}"]
        for each in found
    ]
    return terminal_table(("reader", "reader", "agreement", "Cohen's kappa"), rows)
