"""Q-learning of the goal agent: n-step returns, double Q-learning, a target network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ealm.common.goal_config import GoalAgentSettings, GoalSettings
from ealm.goal_agent.agent import Dropout, GoalAgent
from ealm.goal_agent.potential import SentencePotential
from ealm.goal_agent.replay import GoalWalk
from ealm.paper.agent import pad
from ealm.paper.target_network import QLearner, seeded


def new_goal_agent(width: int, settings: GoalAgentSettings, seed: int) -> GoalAgent:
    """An untrained agent whose weights depend on nothing but the seed."""
    return seeded(lambda: GoalAgent(width, settings), seed)


@dataclass(frozen=True, slots=True)
class WalkBatch:
    """Walks as tensors: the states, the word removed at each step, and the reward."""

    encodings: Tensor
    present: Tensor
    goal: Tensor
    kept: Tensor
    """Kept words of each state, the last state included: (walks, steps + 1, words)."""
    word: Tensor
    """Word removed at each step: (walks, steps), as are the next two."""
    taken: Tensor
    """False beyond the end of a walk."""
    reward: Tensor
    word_scores: Tensor
    """Score of each word: (walks, words)."""
    is_word: Tensor
    """False for punctuation, whose value is set by a rule: (walks, words)."""

    @classmethod
    def of(
        cls,
        walks: Sequence[GoalWalk],
        encodings_of_visits: Mapping[int, Tensor],
        potentials: Sequence[SentencePotential],
        is_word: Sequence[Sequence[bool]] | None = None,
    ) -> "WalkBatch":
        """Pad all sentences to the longest one and all walks to the one with most steps.

        `is_word` is False for punctuation; None takes every token as a word.
        """
        encodings, present = pad([encodings_of_visits[walk.visit] for walk in walks])
        rows, words = present.shape
        steps = max(len(walk.order) for walk in walks)
        word = np.zeros((rows, steps), dtype=np.int64)
        removed_at = np.full((rows, words), steps + 1)
        phi = np.zeros((rows, steps + 1), dtype=np.float32)
        scores = np.zeros((rows, words), dtype=np.float32)
        scored = np.zeros((rows, words), dtype=bool)
        for row, (walk, potential) in enumerate(zip(walks, potentials, strict=True)):
            count, length = len(walk.order), len(potential.unary)
            word[row, :count] = walk.order
            scores[row, :length] = potential.word_scores
            scored[row, :length] = True if is_word is None else is_word[row]
            removed_at[row, list(walk.order)] = np.arange(count)
            states = removed_at[row, None, :length] >= np.arange(steps + 1)[:, None]
            phi[row] = potential.value(states)
        kept = torch.from_numpy(removed_at[:, None] >= np.arange(steps + 1)[None, :, None]).to(encodings.device)
        counts = torch.tensor([len(walk.order) for walk in walks], device=encodings.device)
        return cls(
            encodings=encodings,
            present=present,
            goal=torch.tensor([walk.goal for walk in walks], device=encodings.device),
            kept=kept & present[:, None],
            word=torch.from_numpy(word).to(encodings.device),
            taken=torch.arange(steps, device=encodings.device) < counts[:, None],
            reward=torch.from_numpy(np.diff(phi, axis=1)).to(encodings),
            word_scores=torch.from_numpy(scores).to(encodings),
            is_word=torch.from_numpy(scored).to(encodings.device),
        )


class GoalLearner(QLearner[GoalAgent]):
    """Q-learning of the goal agent."""

    def __init__(self, width: int, settings: GoalSettings, *, seed: int, device: str = "cpu") -> None:
        """`width` is the length of an encoding."""
        self.settings = settings.learning
        super().__init__(lambda: GoalAgent(width, settings.agent), self.settings, seed=seed, device=device)

    def update(self, batch: WalkBatch, weights: Tensor) -> tuple[float, list[float]]:
        """One step of gradient descent; `weights` (walks,) correct for sampling. Returns loss and TD errors."""
        q_values = self.agent(self.agent.first_layer(batch.encodings, batch.present), batch.kept[:, :-1], batch.goal)
        chosen = q_values.gather(2, batch.word[..., None])[..., 0]  # (walks, steps)
        targets = self.targets(batch, q_values.detach())
        errors = nn.functional.smooth_l1_loss(chosen, targets, reduction="none").masked_fill(~batch.taken, 0)
        steps = batch.taken.sum()
        loss = (errors * weights[:, None]).sum() / steps
        if self.agent.settings.estimates:
            loss = loss + self._score_error(batch)
        td_errors = errors.detach().sum(dim=1) / batch.taken.sum(dim=1)
        return self.networks.descend(loss), td_errors.tolist()

    def _score_error(self, batch: WalkBatch) -> Tensor:
        """Mean squared error of the estimated word scores, which are known for all words."""
        dropout = Dropout(self.settings.dropout, seed=self.networks.updates) if self.settings.dropout else None
        estimated = self.agent.word_scores(batch.encodings[batch.is_word], dropout)
        return nn.functional.mse_loss(estimated, batch.word_scores[batch.is_word])

    @torch.no_grad()
    def targets(self, batch: WalkBatch, q_values: Tensor) -> Tensor:
        """Rewards of the next n steps and the value of the state after them: (walks, steps).

        `q_values` are the agent's in the states before the steps. The last state of a walk is terminal: its value is
        0.
        """
        target = self.target_network
        later = target(target.first_layer(batch.encodings, batch.present), batch.kept[:, 1:-1], batch.goal)
        if self.settings.double:
            best = later.gather(2, q_values[:, 1:].argmax(dim=-1, keepdim=True))[..., 0]
        else:
            best = later.amax(dim=-1)
        continues = batch.taken[:, 1:]
        value = best.masked_fill(~continues, 0)  # of states 1 to steps - 1: (walks, steps - 1)
        n, discount = self.settings.n_step, self.settings.discount
        rewards = nn.functional.pad(batch.reward.masked_fill(~batch.taken, 0), (0, n))
        values = nn.functional.pad(value, (1, n))
        steps = batch.reward.shape[1]
        total = discount**n * values[:, n : n + steps]
        for ahead in range(n):
            total = total + discount**ahead * rewards[:, ahead : ahead + steps]
        return total
