"""Experiences and the buffer that the agent learns from (section 4.4). Pure code."""

from collections import deque
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Experience:
    """One decision and what came of it; the sentence itself is named by its visit, not copied."""

    visit: int
    """Number of the walk during training, which tells the sentence and its encodings."""
    word: int
    actions: bytes
    """Action of every word before the decision, one byte each (undecided words are Keep)."""
    decided: bytes
    """1 for every word decided before, one byte each."""
    action: int
    reward: float
    next_word: int | None
    """Word decided next, or None where nothing is added to the reward."""
    next_value: float
    """Greatest Q-value of the next state at collection; used by the `collection` bootstrap only."""


class ReplayBuffer:
    """The newest experiences, up to a fixed number."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._experiences: deque[Experience] = deque(maxlen=capacity)

    def __len__(self) -> int:
        return len(self._experiences)

    @property
    def full(self) -> bool:
        """Whether the next experience pushes the oldest one out."""
        return len(self) == self.capacity

    @property
    def experiences(self) -> tuple[Experience, ...]:
        """All experiences, oldest first."""
        return tuple(self._experiences)

    @property
    def oldest_visit(self) -> int | None:
        """Earliest walk that an experience still refers to."""
        return self._experiences[0].visit if self._experiences else None

    def extend(self, experiences: "list[Experience] | tuple[Experience, ...]") -> None:
        """Add experiences in order; the oldest leave when there is no room."""
        self._experiences.extend(experiences)

    def mean_reward(self) -> float:
        """Average reward in the buffer: the paper chooses its final model by it."""
        return float(np.mean([experience.reward for experience in self._experiences]))

    def sample(self, size: int, rng: np.random.Generator) -> list[Experience]:
        """Different experiences, each equally likely."""
        chosen = rng.choice(len(self), size=size, replace=False)
        return [self._experiences[index] for index in chosen]
