"""Scores of systems on paired texts: for each sentence, and their means with spread and chance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from ealm.baselines.table import Overrun
from ealm.evaluation.bootstrap import Interval, difference, intervals
from ealm.evaluation.data import PairedTexts
from ealm.evaluation.rouge import Protocol, mean_length, mean_novel_words, require_rouge, score
from ealm.evaluation.systems import SystemSpec, load_system, needed_seeds, overrun_of

MEASURES = ("R-1", "R-2", "R-L")


@dataclass(frozen=True, slots=True)
class Run:
    """One system with one seed."""

    seed: int | None
    summaries: tuple[str, ...]
    scores: NDArray[np.float64]
    """ROUGE of each sentence in percent: (sentences, measures)."""
    length: float
    """Words a summary (LEN)."""
    new_words: float
    """New words a summary (NW)."""
    overrun: Overrun | None = None
    """How often the system was over the limit; None if it keeps to it by itself."""

    @classmethod
    def of(
        cls,
        summaries: Sequence[str],
        paired: PairedTexts,
        protocol: Protocol,
        *,
        seed: int | None = None,
        overrun: Overrun | None = None,
    ) -> "Run":
        """Score summaries."""
        found = score(list(summaries), paired.references, protocol=protocol)
        return cls(
            seed=seed,
            summaries=tuple(summaries),
            scores=100 * np.array([(each.rouge_1, each.rouge_2, each.rouge_l) for each in found]),
            length=mean_length(summaries),
            new_words=mean_novel_words(list(summaries), list(paired.sources)),
            overrun=overrun,
        )


@dataclass(frozen=True, slots=True)
class SystemResult:
    """A system with all its seeds."""

    name: str
    kind: str
    runs: tuple[Run, ...]

    @property
    def scores(self) -> NDArray[np.float64]:
        """ROUGE of each sentence, the mean over seeds: (sentences, measures)."""
        scores: NDArray[np.float64] = np.mean([run.scores for run in self.runs], axis=0)
        return scores

    @property
    def intervals(self) -> list[Interval]:
        """Mean of each measure, with what chance in the sentences makes of it."""
        return intervals(self.scores)

    @property
    def spread(self) -> list[float] | None:
        """Standard deviation over seeds of each measure; None with one seed."""
        if len(self.runs) < 2:
            return None
        means = [run.scores.mean(axis=0) for run in self.runs]
        return [stdev(float(mean[column]) for mean in means) for column in range(len(MEASURES))]

    @property
    def length(self) -> float:
        """LEN."""
        return fmean(run.length for run in self.runs)

    @property
    def new_words(self) -> float:
        """NW."""
        return fmean(run.new_words for run in self.runs)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A difference between two systems on the same sentences."""

    one: str
    other: str
    differences: tuple[Interval, ...]
    """One minus other, for each measure."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that was scored."""

    paired: PairedTexts
    protocol: Protocol
    words: int | None
    """Length that the systems were asked for."""
    pretokenized: bool
    systems: tuple[SystemResult, ...]

    def comparisons(self, against: str | None = None) -> list[Comparison]:
        """Every pair of systems, or one system with all others."""
        pairs = [
            (one, other)
            for place, other in enumerate(self.systems)
            for one in self.systems[place + 1 :]
            if against is None or against in (one.name, other.name)
        ]
        return [
            Comparison(
                one.name,
                other.name,
                tuple(difference(one.scores[:, column], other.scores[:, column]) for column in range(len(MEASURES))),
            )
            for one, other in pairs
        ]


def evaluate(
    paired: PairedTexts,
    specs: Sequence[SystemSpec],
    *,
    protocol: Protocol,
    words: int | None = None,
    pretokenized: bool = False,
    seeds: Sequence[int] = (),
    say: Callable[[str], None] = lambda _line: None,
) -> Evaluation:
    """Let every system summarize the sources, and score it; `say` hears which one is at work."""
    require_rouge()
    runs: dict[str, list[Run]] = {spec.name: [] for spec in specs}
    for spec, seed in needed_seeds(specs, seeds):
        say(spec.name if seed is None else f"{spec.name}, seed {seed}")
        system = load_system(spec, seed)
        summaries = system.summarize(paired.sources, words=words, pretokenized=pretokenized)
        runs[spec.name].append(Run.of(summaries, paired, protocol, seed=seed, overrun=overrun_of(system)))
    systems = tuple(SystemResult(spec.name, spec.kind, tuple(runs[spec.name])) for spec in specs)
    return Evaluation(paired, protocol, words, pretokenized, systems)
