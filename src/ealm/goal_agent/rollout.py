"""Walks of the goal agent: each step removes one word, so a walk passes through every length of the sentence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ealm.common.pieces import between_pieces
from ealm.goal_agent.agent import GoalAgent
from ealm.lm.batching import rows_by_length
from ealm.paper.agent import pad
from ealm.paper.edits import Action
from ealm.paper.rollout import Step, Walk

_WORD_BUDGET = 4_096
"""Padded words in a batch: bounds the memory, and keeps sentences of very different lengths apart."""


@dataclass(frozen=True, slots=True)
class GoalExploration:
    """How a walk explores."""

    rng: "np.random.Generator"
    rate: float
    kind: Literal["chance", "noise"] = "chance"
    """A random word with probability `rate`, or at every step noise of that share of the Q-values' spread."""


def goal_walks(
    agent: GoalAgent,
    encodings: Sequence[Tensor],
    goals: Sequence[int],
    *,
    locked: Sequence[Collection[int]] | None = None,
    exploration: GoalExploration | None = None,
    to_the_end: bool = True,
) -> list[Walk]:
    """Walk all sentences in batches.

    `encodings` has (words, width) for each sentence, `goals` the number of words to keep of each. A walk ends there,
    or continues `to_the_end`, where each step has one word fewer as its goal. `locked` words are never removed.
    """
    locked = [()] * len(encodings) if locked is None else locked
    walks = [Walk(len(sentence), ()) for sentence in encodings]
    for rows in rows_by_length([len(sentence) for sentence in encodings], _WORD_BUDGET):
        batch = _GoalWalks(agent, [encodings[row] for row in rows], [goals[row] for row in rows])
        batch.lock([locked[row] for row in rows])
        for row, steps in zip(rows, batch.run(exploration, to_the_end=to_the_end), strict=True):
            walks[row] = Walk(len(encodings[row]), tuple(steps))
    return walks


def _spread(q_values: Tensor, is_open: Tensor) -> Tensor:
    """Standard deviation of the Q-values of open words: (rows, 1)."""
    count = is_open.sum(dim=1, keepdim=True).clamp_min(1)
    known = q_values.masked_fill(~is_open, 0)
    mean = known.sum(dim=1, keepdim=True) / count
    return ((known - mean).masked_fill(~is_open, 0).square().sum(dim=1, keepdim=True) / count).sqrt()


class _GoalWalks:
    """The state of a batch of walks."""

    @torch.no_grad()
    def __init__(self, agent: GoalAgent, encodings: Sequence[Tensor], goals: Sequence[int]) -> None:
        batch, self._kept = pad(encodings)
        self._agent = agent
        self._first_layer = agent.first_layer(batch, self._kept)
        self._goals = torch.tensor(goals, device=batch.device)
        self._open = self._kept.clone()
        self._rows = torch.arange(len(encodings), device=batch.device)

    def lock(self, words: Sequence[Collection[int]]) -> None:
        """Never remove these words of each row."""
        for row, own in enumerate(words):
            for index in own:
                self._open[row, index] = False

    @torch.no_grad()
    def run(self, exploration: GoalExploration | None, *, to_the_end: bool) -> list[list[Step]]:
        """Remove until every walk has ended."""
        steps: list[list[Step]] = [[] for _ in self._rows]
        while True:
            between_pieces()
            left = self._kept.sum(dim=1)
            goals = torch.minimum(self._goals, left - 1) if to_the_end else self._goals
            active = (left > goals) & self._open.any(dim=1)
            if not active.any():
                return steps
            q_values = self._agent(self._first_layer, self._kept[:, None], goals)[:, 0]  # (rows, words)
            word = self._chosen(q_values, exploration)
            self._record(steps, active, word, q_values)
            rows = self._rows[active]
            self._kept[rows, word[active]] = False
            self._open[rows, word[active]] = False

    def _chosen(self, q_values: Tensor, exploration: GoalExploration | None) -> Tensor:
        allowed = q_values.masked_fill(~self._open, -torch.inf)
        if exploration is None:
            return allowed.argmax(dim=1)
        drawn = torch.from_numpy(exploration.rng.random(tuple(self._open.shape))).to(q_values)
        if exploration.kind == "noise":
            spread = _spread(q_values, self._open)
            gumbel = -(-drawn.clamp(1e-6, 1 - 1e-6).log()).log()
            return (allowed + exploration.rate * spread * gumbel).argmax(dim=1)
        anything = drawn.masked_fill(~self._open, -1).argmax(dim=1)
        explores = torch.from_numpy(exploration.rng.random(len(self._rows)) < exploration.rate).to(self._rows.device)
        return torch.where(explores, anything, allowed.argmax(dim=1))

    def _record(self, steps: list[list[Step]], active: Tensor, word: Tensor, q_values: Tensor) -> None:
        """The Q-value of keeping a word is the best of the other words', since one of them is removed instead."""
        own = q_values[self._rows, word]
        q_values[self._rows, word] = -torch.inf
        others = q_values.amax(dim=1)
        others = torch.where(others.isfinite(), others, own)
        columns = zip(active.tolist(), word.tolist(), own.tolist(), others.tolist(), strict=True)
        for row, (is_active, index, value, other) in enumerate(columns):
            if is_active:
                steps[row].append(Step(index, Action.REMOVE, (value, other)))
