"""Walks over sentences: the agent decides word after word, surest first (section 4.3.1, appendix A.2).

A walk never looks at the language model's output, so many sentences are walked at once, before any hole is filled.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ealm.agent import ACTIONS, Agent, WalkEncoder, pad
from ealm.batching import rows_by_length
from ealm.edits import Action


@dataclass(frozen=True, slots=True)
class Step:
    """One decision."""

    word: int
    action: Action
    q_values: tuple[float, float, float]
    """Of Remove, Keep and Replace for this word at this step."""


@dataclass(frozen=True, slots=True)
class Walk:
    """All decisions on one sentence, in the order in which they were taken."""

    length: int
    """Words in the sentence; fewer steps than words if a length limit ended the walk."""
    steps: tuple[Step, ...]

    def actions_after(self, step: int) -> tuple[Action, ...]:
        """The row of actions a_(t): undecided words are Keep."""
        actions = [Action.KEEP] * self.length
        for decision in self.steps[:step]:
            actions[decision.word] = decision.action
        return tuple(actions)


@dataclass(frozen=True, slots=True)
class Exploration:
    """How often a walk leaves the agent's own way (section 4.4, appendix A.2)."""

    rng: np.random.Generator
    action_rate: float
    """Probability of a random action at a step."""
    order_rate: float
    """Probability that a step takes the word that the agent is least certain about."""


def uncertainty(q_values: Tensor) -> Tensor:
    """Entropy of the action probabilities (H(s), appendix A.2); Q-values become probabilities by softmax."""
    log_probabilities = q_values.log_softmax(dim=-1)
    return -(log_probabilities.exp() * log_probabilities).sum(dim=-1)


_WORD_BUDGET = 2_048
"""Padded words walked side by side: bounds the memory, and keeps rows of unlike length apart."""


def walk(
    agent: Agent,
    encodings: Sequence[Tensor],
    *,
    exploration: Exploration | None = None,
    limits: Sequence[int] | None = None,
) -> list[Walk]:
    """Walk all sentences, many side by side.

    `encodings` has (words, width) for each sentence. With `limits`, a walk ends as soon as that many words are left,
    and never keeps or replaces more than that many on the way.
    """
    walks: list[Walk] = [Walk(0, ())] * len(encodings)
    for rising in rows_by_length([len(sentence) for sentence in encodings], _WORD_BUDGET):
        rows = rising[::-1]
        batch = _WalkBatch(
            agent, [encodings[row] for row in rows], None if limits is None else [limits[row] for row in rows]
        )
        for row, result in zip(rows, batch.run(exploration), strict=True):
            walks[row] = result
    return walks


class _WalkBatch:
    """The state of walks side by side, the longest sentence first: a row leaves when its words are all decided.

    A row that its limit has ended is computed on until then, but nothing of it is recorded.
    """

    def __init__(self, agent: Agent, encodings: Sequence[Tensor], limits: Sequence[int] | None) -> None:
        """`encodings` in falling length."""
        self._word_counts = [len(sentence) for sentence in encodings]
        batch, present = pad(encodings)
        self._encoder = WalkEncoder(agent, batch, present)
        self._rows = torch.arange(len(batch), device=batch.device)
        self._lengths = present.sum(dim=1)
        self._limits = torch.zeros_like(self._lengths) if limits is None else self._lengths.new_tensor(limits)
        self._limited = limits is not None
        self._actions = torch.full(present.shape, int(Action.KEEP), device=batch.device)
        self._decided = torch.zeros_like(self._actions)
        self._undecided = torch.arange(batch.shape[1], device=batch.device).repeat(len(batch), 1)
        """Undecided words of each row in rising order; what is beyond a row's own number of them is meaningless."""
        self._left = self._lengths.clone()
        """Words that are not removed."""

    def run(self, exploration: Exploration | None) -> list[Walk]:
        """Decide until every walk has ended."""
        taken: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
        for step in range(self._word_counts[0]):
            self._leave_out_ended(step)
            walking = self._left > self._limits
            if not bool(walking.any()):
                break
            taken.append((walking, *self._decide(step, exploration)))
            self._left -= (walking & (taken[-1][2] == Action.REMOVE)).long()
        return self._walks(taken)

    def _leave_out_ended(self, step: int) -> None:
        rows = sum(length > step for length in self._word_counts)
        if rows < len(self._rows):
            self._rows, self._lengths, self._limits = self._rows[:rows], self._lengths[:rows], self._limits[:rows]
            self._actions, self._decided = self._actions[:rows], self._decided[:rows]
            self._undecided, self._left = self._undecided[:rows], self._left[:rows]

    def _decide(self, step: int, exploration: Exploration | None) -> tuple[Tensor, Tensor, Tensor]:
        """One step for every row: word (rows,), action (rows,) and Q-values (rows, actions)."""
        words = self._undecided[:, : self._word_counts[0] - step]
        q_values = self._encoder.q_values(self._actions, self._decided, words)  # (rows, undecided, actions)
        allowed = q_values + self._forbidden(step)[:, None] if self._limited else q_values
        is_open = torch.arange(words.shape[1], device=words.device) < (self._lengths - step)[:, None]
        place = _surest(allowed.amax(dim=-1), is_open)
        if exploration is not None:
            uncertain = _surest(uncertainty(q_values), is_open)
            place = torch.where(self._draw(exploration.rng, exploration.order_rate), uncertain, place)
        action = allowed[self._rows, place].argmax(dim=-1)
        if exploration is not None:
            anything = torch.from_numpy(exploration.rng.integers(ACTIONS, size=len(self._rows))).to(action)
            explores = self._draw(exploration.rng, exploration.action_rate)
            action = torch.where(explores & ~self._full(step), anything, action)  # a limit leaves nothing to explore
        word = words[self._rows, place]
        self._record(word, action, place)
        return word, action, q_values[self._rows, place]

    def _forbidden(self, step: int) -> Tensor:
        """-inf for Keep and Replace where the limit's worth of words has been kept or replaced: (rows, actions)."""
        penalty = torch.zeros(len(self._rows), ACTIONS, device=self._rows.device)
        penalty[self._full(step)] = -torch.inf
        penalty[:, Action.REMOVE] = 0
        return penalty

    def _full(self, step: int) -> Tensor:
        """Where as many words have been kept or replaced as the limit allows: (rows,)."""
        if not self._limited:
            return torch.zeros_like(self._lengths, dtype=torch.bool)
        return step - (self._lengths - self._left) >= self._limits

    def _draw(self, rng: np.random.Generator, rate: float) -> Tensor:
        return torch.from_numpy(rng.random(len(self._rows)) < rate).to(self._rows.device)

    def _record(self, word: Tensor, action: Tensor, place: Tensor) -> None:
        self._actions[self._rows, word] = action
        self._decided[self._rows, word] = 1
        # Close the gap, so that undecided words stay in order and ties go to the first of them.
        kept = torch.arange(self._undecided.shape[1] - 1, device=place.device)[None].repeat(len(place), 1)
        self._undecided = self._undecided.gather(1, kept + (kept >= place[:, None]))

    def _walks(self, taken: Sequence[tuple[Tensor, Tensor, Tensor, Tensor]]) -> list[Walk]:
        steps: list[list[Step]] = [[] for _ in self._word_counts]
        for walking, words, actions, q_values in taken:
            columns = (walking.tolist(), words.tolist(), actions.tolist(), q_values.tolist())
            for row, (is_walking, word, action, values) in enumerate(zip(*columns, strict=True)):
                if is_walking:
                    steps[row].append(Step(word, Action(action), tuple(values)))
        return [Walk(length, tuple(row_steps)) for length, row_steps in zip(self._word_counts, steps, strict=True)]


def _surest(confidence: Tensor, is_open: Tensor) -> Tensor:
    """Place of the greatest value among open places: (rows,)."""
    return confidence.masked_fill(~is_open, -torch.inf).argmax(dim=-1)
