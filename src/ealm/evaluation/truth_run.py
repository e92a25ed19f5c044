"""Systems against a suite of truths: every case at every length, and what was said that the source does not say."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ealm.baselines.table import AnySummarizer
from ealm.evaluation.systems import HasCurve, SystemSpec, load_system, needed_seeds, overrun_of
from ealm.evaluation.truth import Case
from ealm.text.words import split_words

SHORTEST = 3
"""Words of the shortest summaries that are asked for."""
LENGTH_CLASSES = ((0, 3), (4, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13, 16), (17, 20), (21, None))
"""Fewest and most words of the rows of the table by length."""


@dataclass(frozen=True, slots=True)
class Output:
    """One summary of a case, however many lengths led to it."""

    case: Case
    summary: str
    violations: tuple[str, ...]

    @property
    def length(self) -> int:
        """Words between spaces."""
        return len(split_words(self.summary))


@dataclass(frozen=True, slots=True)
class Tally:
    """Untrue outputs among others."""

    outputs: int
    violations: int

    @classmethod
    def of(cls, outputs: Iterable[Output]) -> "Tally":
        """Count outputs; one that breaks a case in several ways is one violation."""
        broken = [bool(output.violations) for output in outputs]
        return cls(len(broken), sum(broken))

    @property
    def share(self) -> float:
        """Violations an output; 0 where there is none."""
        return self.violations / self.outputs if self.outputs else 0.0

    def __str__(self) -> str:
        return f"{self.violations:,} of {self.outputs:,} ({self.share:.1%})"

    def to_dict(self) -> dict[str, float]:
        """Plain values."""
        return {"outputs": self.outputs, "violations": self.violations, "share": self.share}


@dataclass(frozen=True, slots=True)
class TruthResult:
    """What one system said of every case."""

    system: str
    outputs: tuple[Output, ...]

    @property
    def total(self) -> Tally:
        """Over everything."""
        return Tally.of(self.outputs)

    @property
    def broken_cases(self) -> int:
        """Cases with at least one violation at some length."""
        return len({output.case.place for output in self.outputs if output.violations})

    def by_kind(self) -> dict[str, Tally]:
        """For each kind, in the order of the alphabet."""
        return _tallies(self.outputs, lambda output: output.case.kind)

    def by_length(self) -> dict[int, Tally]:
        """For each number of words that a summary has."""
        return _tallies(self.outputs, lambda output: output.length)

    def of_lengths(self, fewest: int, most: int | None) -> Tally:
        """For summaries with so many words."""
        return Tally.of(o for o in self.outputs if fewest <= o.length and (most is None or o.length <= most))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, each violation among them."""
        return {
            "system": self.system,
            **self.total.to_dict(),
            "broken_cases": self.broken_cases,
            "by_kind": {kind: tally.to_dict() for kind, tally in self.by_kind().items()},
            "by_length": {str(length): tally.to_dict() for length, tally in self.by_length().items()},
            "untrue": [
                {"case": o.case.place, "text": o.case.text, "summary": o.summary, "violations": list(o.violations)}
                for o in self.outputs
                if o.violations
            ],
        }


def _tallies(outputs: Iterable[Output], key: Callable[[Output], Any]) -> dict[Any, Tally]:
    groups: dict[Any, list[Output]] = {}
    for output in outputs:
        groups.setdefault(key(output), []).append(output)
    return {name: Tally.of(groups[name]) for name in sorted(groups)}


def check_system(system: AnySummarizer, cases: Sequence[Case], *, lengths: Iterable[int] | None = None) -> list[Output]:
    """Summarize every text at every length (by default from 3 words to the whole) and check what comes.

    The same summary at two lengths counts once; an empty one says nothing and does not count.
    """
    if lengths is None and isinstance(system, HasCurve):
        return _checked(cases, _of_curves(system, cases))
    sizes = [len(split_words(case.text)) for case in cases]
    found: dict[tuple[int, str], None] = {}
    for words in range(SHORTEST, max(sizes) + 1) if lengths is None else lengths:
        numbers = [number for number, size in enumerate(sizes) if words <= size]
        if numbers:
            texts = [cases[number].text for number in numbers]
            summaries = system.summarize(texts, words=words, pretokenized=False)
            found |= dict.fromkeys(zip(numbers, summaries, strict=True))
    return _checked(cases, found)


def _of_curves(system: HasCurve, cases: Sequence[Case]) -> dict[tuple[int, str], None]:
    """Each text's summaries but those that are shorter than was asked for."""
    return {
        (number, summary): None
        for number, case in enumerate(cases)
        for summary in reversed(system.curve(case.text))
        if len(split_words(summary)) >= SHORTEST
    }


def check_once(system: AnySummarizer, cases: Sequence[Case]) -> list[Output]:
    """One summary of each text, as long as the system likes."""
    summaries = system.summarize([case.text for case in cases], words=None, pretokenized=False)
    return _checked(cases, dict.fromkeys(enumerate(summaries)))


def _checked(cases: Sequence[Case], found: Iterable[tuple[int, str]]) -> list[Output]:
    return [
        Output(cases[number], summary, tuple(cases[number].violations(summary)))
        for number, summary in sorted(found, key=lambda pair: pair[0])
        if summary.strip()
    ]


def evaluate_truth(
    cases: Sequence[Case],
    specs: Sequence[SystemSpec],
    *,
    words: int | None = None,
    seeds: Sequence[int] = (),
    say: Callable[[str], None] = lambda _line: None,
) -> list[TruthResult]:
    """Check every system, at every length or at one; a file of summaries has one for each case, of any length."""
    results = []
    for spec, seed in needed_seeds(specs, seeds):
        name = spec.name if seed is None else f"{spec.name}, seed {seed}"
        say(name)
        system = load_system(spec, seed)
        lengths = None if words is None else [words]
        outputs = check_once(system, cases) if spec.kind == "file" else check_system(system, cases, lengths=lengths)
        results.append(TruthResult(name, tuple(outputs)))
        if overrun := overrun_of(system):
            say(f"{name}: {overrun}")
    return results


def kind_rows(results: Sequence[TruthResult]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows: violations of each kind, a column a system."""
    kinds = {kind: None for result in results for kind in result.by_kind()}
    rows = [[kind, *(str(result.by_kind().get(kind, Tally(0, 0))) for result in results)] for kind in kinds]
    total = ["all", *(str(result.total) for result in results)]
    cases = ["cases with a violation", *(f"{result.broken_cases:,}" for result in results)]
    return ["kind", *(result.system for result in results)], [*rows, total, cases]


def length_rows(results: Sequence[TruthResult]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows: violations at each length, a column a system."""
    rows = [
        [_length_name(fewest, most), *(str(result.of_lengths(fewest, most)) for result in results)]
        for fewest, most in LENGTH_CLASSES
    ]
    return ["words", *(result.system for result in results)], rows


def _length_name(fewest: int, most: int | None) -> str:
    if most is None:
        return f"{fewest} and more"
    if fewest == 0:
        return f"up to {most}"
    return str(most) if fewest == most else f"{fewest} to {most}"


def violation_lines(result: TruthResult) -> list[str]:
    """Every violation of a system: the source once, then what was said."""
    groups: Mapping[Case, list[Output]] = _broken_by_case(result.outputs)
    lines = []
    for case, outputs in groups.items():
        lines.append(f"\n{case.place}: {case.text}")
        lines += [f"  {output.summary}\n      {'; '.join(output.violations)}" for output in outputs]
    return lines


def _broken_by_case(outputs: Iterable[Output]) -> dict[Case, list[Output]]:
    groups: dict[Case, list[Output]] = {}
    for output in outputs:
        if output.violations:
            groups.setdefault(output.case, []).append(output)
    return groups
