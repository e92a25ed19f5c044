"""What a draft is worth (Phi): a sum over its words, over its neighbours, and the finished draft as a whole.

Values of words and of neighbours are worked out once per sentence, so that every step of every walk over it is
rewarded by what it changes: Phi(y_t) - Phi(y_(t-1)).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SentenceValues:
    """Value of each word of a sentence while it is there, and of each two neighbours while both are."""

    words: Floats
    pairs: Floats
    """One fewer than words: of words 0 and 1, 1 and 2, and so on."""
    worth: Floats
    """What each word is worth by itself, before any rule about marks and neighbours: what an agent can learn."""

    def of(self, kept: npt.NDArray[np.bool_]) -> Floats:
        """Phi of drafts (..., words), without what is judged in the finished draft only."""
        neighbours = kept[..., 1:] & kept[..., :-1]
        value: Floats = (kept @ self.words + neighbours @ self.pairs).astype(np.float32)
        return value


def standardized(values: Sequence[float] | Floats, judged: Sequence[bool]) -> Floats:
    """Values of a sentence with mean 0 and spread 1 over the words that are judged; 0 elsewhere.

    So that a part weighs the same in every sentence, and parts of different nature can be added.
    """
    row, mask = np.asarray(values, dtype=np.float64), np.asarray(judged, dtype=bool)
    if not mask.any():
        return np.zeros(len(row), dtype=np.float32)
    spread = float(row[mask].std())
    scaled = (row - row[mask].mean()) / spread if spread > 1e-9 else np.zeros_like(row)
    return np.where(mask, scaled, 0.0).astype(np.float32)


def best_draft(values: SentenceValues, size: int, removable: Sequence[bool] | None = None) -> npt.NDArray[np.bool_]:
    """The draft of `size` words with the greatest Phi, found exactly by dynamic programming.

    Words that are not `removable` are in it. This is what a walk should find; training is measured against it.
    """
    length = len(values.words)
    must_stay = np.zeros(length, dtype=bool) if removable is None else ~np.asarray(removable, dtype=bool)
    size = min(max(size, int(must_stay.sum())), length)
    # best[kept or not, words so far]: the greatest value of a beginning, by whether its last word is kept.
    best = np.full((2, size + 1), -np.inf)
    best[0, 0] = 0.0
    came_from = np.zeros((length, size + 1), dtype=np.int8)
    gone_from = np.zeros((length, size + 1), dtype=np.int8)
    for place in range(length):
        pair = values.pairs[place - 1] if place else 0.0
        entering = np.stack([best[0], best[1] + pair])
        gone = np.full(size + 1, -np.inf) if must_stay[place] else best.max(axis=0)
        gone_from[place] = best.argmax(axis=0)
        kept = np.full(size + 1, -np.inf)
        kept[1:] = entering.max(axis=0)[:-1] + values.words[place]
        came_from[place, 1:] = entering.argmax(axis=0)[:-1]
        best = np.stack([gone, kept])
    return _traced(came_from, gone_from, int(best[:, size].argmax()), size)


def _traced(
    came_from: npt.NDArray[np.int8], gone_from: npt.NDArray[np.int8], last: int, size: int
) -> npt.NDArray[np.bool_]:
    """Follow the choices back from the last word."""
    length = len(came_from)
    kept = np.zeros(length, dtype=bool)
    state, count = last, size
    for place in range(length - 1, -1, -1):
        kept[place] = bool(state)
        state, count = (came_from[place, count], count - 1) if state else (gone_from[place, count], count)
    return kept
