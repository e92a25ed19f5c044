"""Experiences and the buffer that the agent learns from (section 4.4). Pure code."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np


class Replayable(Protocol):
    """What a buffer stores."""

    @property
    def visit(self) -> int:
        """Number of the visit to a sentence during training."""
        ...

    @property
    def reward(self) -> float:
        """Reward of the entry."""
        ...


Entry = TypeVar("Entry", bound=Replayable)


class NewestEntries(Generic[Entry]):
    """The newest entries, up to a fixed number: the part of a replay buffer that all agents share."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._entries: deque[Entry] = deque(maxlen=capacity)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def full(self) -> bool:
        """Whether the next entry pushes the oldest one out."""
        return len(self) == self.capacity

    @property
    def oldest_visit(self) -> int | None:
        """Earliest visit that an entry still refers to."""
        return self._entries[0].visit if self._entries else None

    def extend(self, entries: Sequence[Entry]) -> None:
        """Add entries in order; the oldest leave when there is no room."""
        self._entries.extend(entries)

    def mean_reward(self) -> float:
        """Average reward in the buffer: the final model is chosen by it (section 5)."""
        return float(np.mean([entry.reward for entry in self._entries]))


@dataclass(frozen=True, slots=True)
class Experience:
    """One decision and its reward; the sentence itself is named by its visit, not copied."""

    visit: int
    """Number of the walk during training, which identifies the sentence and its encodings."""
    word: int
    actions: bytes
    """Action of every word before the decision, one byte each (undecided words are Keep)."""
    decided: bytes
    """1 for every word decided before, one byte each."""
    action: int
    reward: float
    continues: bool
    """Whether the value of the next state is added to the reward."""
    next_value: float
    """Greatest Q-value of the next state at collection; used by the `collection` bootstrap only."""
    earned: float = 0.0
    """Discounted rewards from this step to T or to the next exploring step; for `learning.earned_share` only."""


class ReplayBuffer(NewestEntries[Experience]):
    """The newest experiences, sampled uniformly."""

    @property
    def experiences(self) -> tuple[Experience, ...]:
        """All experiences, oldest first."""
        return tuple(self._entries)

    def sample(self, size: int, rng: "np.random.Generator") -> list[Experience]:
        """Different experiences, each equally likely."""
        chosen = rng.choice(len(self), size=size, replace=False)
        return [self._entries[index] for index in chosen]
