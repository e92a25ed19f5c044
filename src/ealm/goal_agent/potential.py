"""The potential Phi of a selection of words, and the selection of a given size that maximizes it.

Phi is a sum of one value for each kept word and one for each pair of adjacent words that are both kept. Both are
computed once per sentence, so each step of a walk has the reward Phi(y_t) - Phi(y_(t-1)) (potential-based shaping).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Kept = npt.NDArray[np.bool_]
"""Which words of a sentence are kept."""


@dataclass(frozen=True, slots=True)
class SentencePotential:
    """The potential of every selection of words of one sentence."""

    unary: Floats
    """Value of each word while it is kept."""
    pairwise: Floats
    """Value of each pair of neighbours while both are kept, one fewer than words: of words 0 and 1, 1 and 2, ..."""
    word_scores: Floats
    """Value of each word by itself, before any rule about punctuation and neighbours: what an agent can learn."""

    def value(self, kept: Kept) -> Floats:
        """Phi of selections (..., words)."""
        adjacent = kept[..., 1:] & kept[..., :-1]
        value: Floats = (kept @ self.unary + adjacent @ self.pairwise).astype(np.float32)
        return value


def standardized(values: Sequence[float] | Floats, is_word: Sequence[bool]) -> Floats:
    """Values of a sentence with mean 0 and standard deviation 1 over its words; 0 for punctuation.

    A term then has the same weight in every sentence, and terms of different kinds can be added.
    """
    row, mask = np.asarray(values, dtype=np.float64), np.asarray(is_word, dtype=bool)
    if not mask.any():
        return np.zeros(len(row), dtype=np.float32)
    deviation = float(row[mask].std())
    scaled = (row - row[mask].mean()) / deviation if deviation > 1e-9 else np.zeros_like(row)
    return np.where(mask, scaled, 0.0).astype(np.float32)


def best_selection(potential: SentencePotential, size: int, removable: Sequence[bool] | None = None) -> Kept:
    """The selection of `size` words with the greatest Phi, found exactly by dynamic programming.

    Words that are not `removable` are in it. Training measures its walks against it.
    """
    length = len(potential.unary)
    must_stay = np.zeros(length, dtype=bool) if removable is None else ~np.asarray(removable, dtype=bool)
    size = min(max(size, int(must_stay.sum())), length)
    # best[kept or not, words so far]: the greatest value of a prefix, by whether its last word is kept.
    best = np.full((2, size + 1), -np.inf)
    best[0, 0] = 0.0
    kept_from = np.zeros((length, size + 1), dtype=np.int8)
    removed_from = np.zeros((length, size + 1), dtype=np.int8)
    for index in range(length):
        pair = potential.pairwise[index - 1] if index else 0.0
        entering = np.stack([best[0], best[1] + pair])
        removed = np.full(size + 1, -np.inf) if must_stay[index] else best.max(axis=0)
        removed_from[index] = best.argmax(axis=0)
        kept = np.full(size + 1, -np.inf)
        kept[1:] = entering.max(axis=0)[:-1] + potential.unary[index]
        kept_from[index, 1:] = entering.argmax(axis=0)[:-1]
        best = np.stack([removed, kept])
    return _backtracked(kept_from, removed_from, int(best[:, size].argmax()), size)


def _backtracked(kept_from: npt.NDArray[np.int8], removed_from: npt.NDArray[np.int8], last: int, size: int) -> Kept:
    """Follow the choices back from the last word, which is kept if `last` is 1."""
    length = len(kept_from)
    kept = np.zeros(length, dtype=bool)
    state, count = last, size
    for index in range(length - 1, -1, -1):
        kept[index] = bool(state)
        state, count = (kept_from[index, count], count - 1) if state else (removed_from[index, count], count)
    return kept
