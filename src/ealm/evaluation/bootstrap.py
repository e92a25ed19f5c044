"""How much of a difference is chance: bootstrap over sentences, the same sentences for all systems."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2_000
_SENTENCES_TIMES_RESAMPLES = 4_000_000
"""Numbers drawn at once: bounds the memory."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and where it would lie in 95 of 100 other draws of sentences."""

    mean: float
    lower: float
    upper: float

    @property
    def excludes_zero(self) -> bool:
        """Whether a difference is more than chance."""
        return self.lower > 0 or self.upper < 0


def resampled_means(values: NDArray[np.float64], *, seed: int = 0, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """Means over sentences drawn with replacement: (sentences, columns) gives (resamples, columns).

    The draws depend on the seed and the number of sentences alone, so that columns, and calls, are paired.
    """
    sentences = len(values)
    rng = np.random.default_rng(seed)
    step = max(1, _SENTENCES_TIMES_RESAMPLES // sentences)
    means = []
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        counts = rng.multinomial(sentences, np.full(sentences, 1 / sentences), size=rows)
        means.append(counts @ values / sentences)
    return np.concatenate(means)


def intervals(values: NDArray[np.float64], *, seed: int = 0) -> list[Interval]:
    """The 95 % interval of the mean of each column."""
    lower, upper = np.percentile(resampled_means(values, seed=seed), [2.5, 97.5], axis=0)
    return [
        Interval(float(mean), float(low), float(high))
        for mean, low, high in zip(values.mean(axis=0), lower, upper, strict=True)
    ]


def difference(one: NDArray[np.float64], other: NDArray[np.float64], *, seed: int = 0) -> Interval:
    """The 95 % interval of mean(one) - mean(other) on the same sentences: (sentences,) each."""
    return intervals((one - other)[:, None], seed=seed)[0]
