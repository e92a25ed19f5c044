"""Walks to learn from. A walk is stored as the order in which its words went, which tells all of its states.

Sampling by priority needs no tree at this size, and its draws must come from a generator that a checkpoint can hold.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

_LEAST_PRIORITY = 1e-3


@dataclass(frozen=True, slots=True)
class GoalWalk:
    """A finished walk; the sentence itself is named by its visit, not copied."""

    visit: int
    """Number of the look at a sentence during training, which tells the sentence and its encodings."""
    goal: int
    order: tuple[int, ...]
    """Words in the order in which they went."""
    finish: float
    """What the finished draft as a whole is worth more than the source."""
    reward: float
    """Sum of all rewards."""


class WalkReplay:
    """The newest walks, up to a fixed number, each with its priority."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._walks: deque[GoalWalk] = deque(maxlen=capacity)
        self._priorities: deque[float] = deque(maxlen=capacity)

    def __len__(self) -> int:
        return len(self._walks)

    @property
    def full(self) -> bool:
        """Whether the next walk pushes the oldest one out."""
        return len(self) == self.capacity

    @property
    def oldest_visit(self) -> int | None:
        """Earliest look at a sentence that a walk still refers to."""
        return self._walks[0].visit if self._walks else None

    def extend(self, walks: Sequence[GoalWalk]) -> None:
        """Add walks in order, as urgent as the most urgent one."""
        urgent = max(self._priorities, default=1.0)
        self._walks.extend(walks)
        self._priorities.extend([urgent] * len(walks))

    def mean_reward(self) -> float:
        """Average reward of a walk; the final model is chosen by it."""
        return float(np.mean([walk.reward for walk in self._walks]))

    def sample(
        self, size: int, rng: np.random.Generator, *, priority: float
    ) -> tuple[list[int], list[GoalWalk], npt.NDArray[np.float32]]:
        """Numbers in the buffer, walks, and how much each counts so that rare ones are not overrated."""
        weights = np.asarray(self._priorities) ** priority
        chances = weights / weights.sum()
        numbers = rng.choice(len(self), size=size, p=chances)
        counts = (1 / (len(self) * chances[numbers])) ** _CORRECTION if priority else np.ones(size)
        return numbers.tolist(), [self._walks[number] for number in numbers], (counts / counts.max()).astype(np.float32)

    def reprioritize(self, numbers: Sequence[int], surprises: Sequence[float]) -> None:
        """After an update: how far off the agent was on these walks."""
        for number, surprise in zip(numbers, surprises, strict=True):
            self._priorities[number] = surprise + _LEAST_PRIORITY

    def to_tensors(self) -> dict[str, Tensor]:
        """For a checkpoint."""
        orders = [place for walk in self._walks for place in walk.order]
        numbers = [(walk.visit, walk.goal, len(walk.order)) for walk in self._walks]
        values = [
            (walk.finish, walk.reward, priority) for walk, priority in zip(self._walks, self._priorities, strict=True)
        ]
        return {
            "replay.orders": torch.tensor(orders, dtype=torch.int16),
            "replay.numbers": torch.tensor(numbers, dtype=torch.long).reshape(-1, 3),
            "replay.values": torch.tensor(values, dtype=torch.double).reshape(-1, 3),
        }

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """The reverse of `to_tensors`."""
        orders = tensors["replay.orders"].tolist()
        start = 0
        for (visit, goal, steps), (finish, reward, priority) in zip(
            tensors["replay.numbers"].tolist(), tensors["replay.values"].tolist(), strict=True
        ):
            self._walks.append(GoalWalk(visit, goal, tuple(orders[start : start + steps]), finish, reward))
            self._priorities.append(priority)
            start += steps


_CORRECTION = 0.4
"""Exponent of the correction for sampling by priority (beta)."""
