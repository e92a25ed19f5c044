"""Prioritized replay of walks. A walk is stored as the order of its removals, which determines all of its states.

At this size, sampling by priority needs no tree, and it must use a random generator that a checkpoint can store.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ealm.paper.replay import NewestEntries

_LEAST_PRIORITY = 1e-3


@dataclass(frozen=True, slots=True)
class GoalWalk:
    """A finished walk; the sentence itself is named by its visit, not copied."""

    visit: int
    """Number of the visit to a sentence during training, which identifies the sentence and its encodings."""
    goal: int
    order: tuple[int, ...]
    """Words in the order in which they were removed."""
    reward: float
    """Sum of all rewards."""


class WalkReplay(NewestEntries[GoalWalk]):
    """The newest walks, sampled by priority."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._priorities: deque[float] = deque(maxlen=capacity)

    def extend(self, entries: Sequence[GoalWalk]) -> None:
        """Add walks in order, with the greatest priority there is."""
        greatest = max(self._priorities, default=1.0)
        super().extend(entries)
        self._priorities.extend([greatest] * len(entries))

    def sample(
        self, size: int, rng: "np.random.Generator", *, priority: float
    ) -> tuple[list[int], list[GoalWalk], npt.NDArray[np.float32]]:
        """Indices in the buffer, walks, and importance-sampling weights."""
        powers = np.asarray(self._priorities) ** priority
        probabilities = powers / powers.sum()
        indices = rng.choice(len(self), size=size, p=probabilities)
        weights = (1 / (len(self) * probabilities[indices])) ** _CORRECTION if priority else np.ones(size)
        walks = [self._entries[index] for index in indices]
        return indices.tolist(), walks, (weights / weights.max()).astype(np.float32)

    def reprioritize(self, indices: Sequence[int], td_errors: Sequence[float]) -> None:
        """Set the priorities of walks to their TD errors after an update."""
        for index, error in zip(indices, td_errors, strict=True):
            self._priorities[index] = error + _LEAST_PRIORITY

    def to_tensors(self) -> dict[str, Tensor]:
        """For a checkpoint."""
        orders = [word for walk in self._entries for word in walk.order]
        numbers = [(walk.visit, walk.goal, len(walk.order)) for walk in self._entries]
        values = [(walk.reward, priority) for walk, priority in zip(self._entries, self._priorities, strict=True)]
        return {
            "replay.orders": torch.tensor(orders, dtype=torch.int16),
            "replay.numbers": torch.tensor(numbers, dtype=torch.long).reshape(-1, 3),
            "replay.values": torch.tensor(values, dtype=torch.double).reshape(-1, 2),
        }

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """The reverse of `to_tensors`."""
        orders = tensors["replay.orders"].tolist()
        values = tensors["replay.values"][:, -2:].tolist()  # earlier versions have a column of zeros before these
        start = 0
        for (visit, goal, steps), (reward, priority) in zip(tensors["replay.numbers"].tolist(), values, strict=True):
            self._entries.append(GoalWalk(visit, goal, tuple(orders[start : start + steps]), reward))
            self._priorities.append(priority)
            start += steps


_CORRECTION = 0.4
"""Exponent of the importance-sampling weights (beta)."""
