"""Rollouts of the agent: it decides one word at each step, the greatest Q-value first (section 4.3.1, appendix A.2).

A walk does not depend on the language model's output, so sentences are walked in batches before any mask is filled.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from ealm.lm.batching import rows_by_length
from ealm.paper.agent import ACTIONS, Agent, Projection, WalkEncoder, pad
from ealm.paper.edits import Action


@dataclass(frozen=True, slots=True)
class Step:
    """One decision."""

    word: int
    action: Action
    q_values: tuple[float, ...]
    """Of Remove, Keep and Replace for this word at this step; an agent that never replaces has the first two."""
    state_value: float = 0.0
    """Greatest Q-value of any undecided word at this step, which exploration of the order may pass by."""

    @property
    def explored(self) -> bool:
        """Whether another decision had a greater Q-value."""
        return self.q_values[self.action] < self.state_value


@dataclass(frozen=True, slots=True)
class Walk:
    """All decisions on one sentence, in the order in which they were taken."""

    length: int
    """Words in the sentence; there are fewer steps than that if some words were locked."""
    steps: tuple[Step, ...]

    def actions_after(self, step: int) -> tuple[Action, ...]:
        """The row of actions a_(t): undecided words are Keep."""
        actions = [Action.KEEP] * self.length
        for decision in self.steps[:step]:
            actions[decision.word] = decision.action
        return tuple(actions)

    def walk_to(self, goal: int) -> "Walk":  # noqa: ARG002 - the same for every length
        """A walk is a walk source with one walk for all goals."""
        return self


class WalkSource(Protocol):
    """Gives the walk over a sentence that suits a goal length."""

    def walk_to(self, goal: int) -> Walk:
        """The walk to take if `goal` words are to be kept; it continues to the last word."""
        ...


@dataclass(frozen=True, slots=True)
class Exploration:
    """How often a walk explores (section 4.4, appendix A.2)."""

    rng: "np.random.Generator"
    action_rate: float
    """Probability of a random action at a step."""
    order_rate: float
    """Probability that a step takes the word that the agent is least certain about."""


def uncertainty(q_values: Tensor) -> Tensor:
    """Entropy of the action probabilities (H(s), appendix A.2); Q-values become probabilities by softmax."""
    log_probabilities = q_values.log_softmax(dim=-1)
    return -(log_probabilities.exp() * log_probabilities).sum(dim=-1)


_WORD_BUDGET = 2_048
"""Padded words in a batch: bounds the memory, and keeps sentences of very different lengths apart."""


def walk(
    agent: Agent,
    encodings: Sequence[Tensor],
    *,
    exploration: Exploration | None = None,
    locked: Sequence[Collection[int]] | None = None,
    extractive: bool = False,
) -> list[Walk]:
    """Walk all sentences in batches.

    `encodings` has (words, width) for each sentence. `locked` words of a sentence are kept from the start, and no
    step is spent on them. An `extractive` walk never replaces.
    """
    locked = [()] * len(encodings) if locked is None else locked
    open_words = [
        [word for word in range(len(sentence)) if word not in kept]
        for sentence, kept in zip(encodings, locked, strict=True)
    ]
    walks = [Walk(len(sentence), ()) for sentence in encodings]
    for rising in rows_by_length([len(sentence) for sentence in encodings], _WORD_BUDGET):
        rows = sorted((row for row in rising if open_words[row]), key=lambda row: len(open_words[row]), reverse=True)
        if not rows:
            continue
        batch = _WalkBatch(
            agent, [encodings[row] for row in rows], [open_words[row] for row in rows], extractive=extractive
        )
        for row, result in zip(rows, batch.run(exploration), strict=True):
            walks[row] = result
    return walks


class _Decision(NamedTuple):
    """One step of every row, by column."""

    word: Tensor
    action: Tensor
    q_values: Tensor
    """(rows, actions)"""
    state_value: Tensor


class _WalkBatch:
    """The state of a batch of walks, the longest first: a row leaves when its words are all decided."""

    def __init__(
        self, agent: Agent, encodings: Sequence[Tensor], open_words: Sequence[Sequence[int]], *, extractive: bool
    ) -> None:
        """`open_words` are the words to decide in each row, at least one and never more than in the row before."""
        self._word_counts = [len(sentence) for sentence in encodings]
        self._open_counts = [len(words) for words in open_words]
        batch, present = pad(encodings)
        self._encoder = WalkEncoder(agent, Projection.of(agent, batch), present)
        self._rows = torch.arange(len(batch), device=batch.device)
        self._open = torch.tensor(self._open_counts, device=batch.device)
        self._actions = torch.full(present.shape, int(Action.KEEP), device=batch.device)
        self._undecided = _padded(open_words).to(batch.device)
        """Undecided words of each row in rising order; what is beyond a row's own number of them is meaningless."""
        is_open = torch.arange(self._undecided.shape[1], device=batch.device) < self._open[:, None]
        self._decided = torch.ones_like(self._actions)
        rows, columns = is_open.nonzero(as_tuple=True)
        self._decided[rows, self._undecided[rows, columns]] = 0
        self._decided[~present] = 0
        self._penalty = torch.zeros(ACTIONS, device=batch.device)
        self._actions_open = ACTIONS
        if extractive:  # Replace is the last of the actions
            self._penalty[Action.REPLACE] = -torch.inf
            self._actions_open = ACTIONS - 1

    def run(self, exploration: Exploration | None) -> list[Walk]:
        """Decide until every walk has ended."""
        taken: list[_Decision] = []
        for step in range(self._open_counts[0]):
            self._leave_out_ended(step)
            taken.append(self._decide(step, exploration))
        return self._walks(taken)

    def _leave_out_ended(self, step: int) -> None:
        rows = sum(count > step for count in self._open_counts)
        if rows < len(self._rows):
            self._rows, self._open, self._undecided = self._rows[:rows], self._open[:rows], self._undecided[:rows]
            self._actions, self._decided = self._actions[:rows], self._decided[:rows]

    def _decide(self, step: int, exploration: Exploration | None) -> "_Decision":
        """One step for every row."""
        words = self._undecided[:, : self._open_counts[0] - step]
        q_values = self._encoder.q_values(self._actions, self._decided, words)  # (rows, undecided, actions)
        allowed = q_values + self._penalty
        is_open = torch.arange(words.shape[1], device=words.device) < (self._open - step)[:, None]
        greatest = allowed.amax(dim=-1)
        column = _greatest(greatest, is_open)
        state_value = greatest[self._rows, column]
        if exploration is not None:
            uncertain = _greatest(uncertainty(q_values), is_open)
            column = torch.where(self._draw(exploration.rng, exploration.order_rate), uncertain, column)
        action = allowed[self._rows, column].argmax(dim=-1)
        if exploration is not None:
            anything = torch.from_numpy(exploration.rng.integers(self._actions_open, size=len(self._rows))).to(action)
            action = torch.where(self._draw(exploration.rng, exploration.action_rate), anything, action)
        word = words[self._rows, column]
        self._record(word, action, column)
        return _Decision(word, action, q_values[self._rows, column], state_value)

    def _draw(self, rng: "np.random.Generator", rate: float) -> Tensor:
        return torch.from_numpy(rng.random(len(self._rows)) < rate).to(self._rows.device)

    def _record(self, word: Tensor, action: Tensor, column: Tensor) -> None:
        self._actions[self._rows, word] = action
        self._decided[self._rows, word] = 1
        # Close the gap, so that undecided words stay in order and ties go to the first of them.
        kept = torch.arange(self._undecided.shape[1] - 1, device=column.device)[None].repeat(len(column), 1)
        self._undecided = self._undecided.gather(1, kept + (kept >= column[:, None]))

    def _walks(self, taken: Sequence["_Decision"]) -> list[Walk]:
        steps: list[list[Step]] = [[] for _ in self._word_counts]
        for decision in taken:
            columns = zip(*(column.tolist() for column in decision), strict=True)
            for row, (word, action, values, state_value) in enumerate(columns):
                steps[row].append(Step(word, Action(action), tuple(values), state_value))
        return [Walk(length, tuple(row_steps)) for length, row_steps in zip(self._word_counts, steps, strict=True)]


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])


def _greatest(values: Tensor, is_open: Tensor) -> Tensor:
    """Column of the greatest value among open ones: (rows,)."""
    return values.masked_fill(~is_open, -torch.inf).argmax(dim=-1)
