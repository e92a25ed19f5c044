"""Walks of the agent that is told a length: one word goes at each step, through every length of the sentence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ealm.goal_agent.agent import GoalAgent
from ealm.lm.batching import rows_by_length
from ealm.paper.agent import pad
from ealm.paper.edits import Action
from ealm.paper.rollout import Step, Walk

_WORD_BUDGET = 4_096
"""Padded words walked side by side: bounds the memory, and keeps rows of unlike length apart."""


@dataclass(frozen=True, slots=True)
class GoalExploration:
    """How a walk leaves the agent's own way."""

    rng: np.random.Generator
    rate: float
    kind: Literal["chance", "noise"] = "chance"
    """Any word with probability `rate`, or noise of that share of the Q-values' spread at every step."""


def goal_walks(
    agent: GoalAgent,
    encodings: Sequence[Tensor],
    goals: Sequence[int],
    *,
    locked: Sequence[Collection[int]] | None = None,
    exploration: GoalExploration | None = None,
    to_the_end: bool = True,
) -> list[Walk]:
    """Walk all sentences, many side by side.

    `encodings` has (words, width) for each sentence, `goals` the number of words that shall be left of each. A walk
    ends there, or goes on `to_the_end` with one word less as its goal at each step. `locked` words never go.
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
    """The state of walks side by side."""

    @torch.no_grad()
    def __init__(self, agent: GoalAgent, encodings: Sequence[Tensor], goals: Sequence[int]) -> None:
        batch, self._kept = pad(encodings)
        self._agent = agent
        self._reading = agent.read(batch, self._kept)
        self._goals = torch.tensor(goals, device=batch.device)
        self._open = self._kept.clone()
        self._rows = torch.arange(len(encodings), device=batch.device)

    def lock(self, places: Sequence[Collection[int]]) -> None:
        """Words that stay."""
        for row, own in enumerate(places):
            for place in own:
                self._open[row, place] = False

    @torch.no_grad()
    def run(self, exploration: GoalExploration | None, *, to_the_end: bool) -> list[list[Step]]:
        """Remove until every walk has ended."""
        steps: list[list[Step]] = [[] for _ in self._rows]
        while True:
            left = self._kept.sum(dim=1)
            goals = torch.minimum(self._goals, left - 1) if to_the_end else self._goals
            going = (left > goals) & self._open.any(dim=1)
            if not going.any():
                return steps
            q_values = self._agent(self._reading, self._kept[:, None], goals)[:, 0]  # (rows, words)
            word = self._chosen(q_values, exploration)
            self._record(steps, going, word, q_values)
            rows = self._rows[going]
            self._kept[rows, word[going]] = False
            self._open[rows, word[going]] = False

    def _chosen(self, q_values: Tensor, exploration: GoalExploration | None) -> Tensor:
        allowed = q_values.masked_fill(~self._open, -torch.inf)
        if exploration is None:
            return allowed.argmax(dim=1)
        chance = torch.from_numpy(exploration.rng.random(tuple(self._open.shape))).to(q_values)
        if exploration.kind == "noise":
            spread = _spread(q_values, self._open)
            gumbel = -(-chance.clamp(1e-6, 1 - 1e-6).log()).log()
            return (allowed + exploration.rate * spread * gumbel).argmax(dim=1)
        anything = chance.masked_fill(~self._open, -1).argmax(dim=1)
        explores = torch.from_numpy(exploration.rng.random(len(self._rows)) < exploration.rate).to(self._rows.device)
        return torch.where(explores, anything, allowed.argmax(dim=1))

    def _record(self, steps: list[list[Step]], going: Tensor, word: Tensor, q_values: Tensor) -> None:
        """Keeping a word is worth as much as the best of the others is, since one of them goes instead."""
        own = q_values[self._rows, word]
        q_values[self._rows, word] = -torch.inf
        others = q_values.amax(dim=1)
        others = torch.where(others.isfinite(), others, own)
        columns = zip(going.tolist(), word.tolist(), own.tolist(), others.tolist(), strict=True)
        for row, (goes_on, place, value, other) in enumerate(columns):
            if goes_on:
                steps[row].append(Step(place, Action.REMOVE, (value, other)))
