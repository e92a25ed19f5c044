"""Q-learning from walks towards a length: returns over several steps, double Q, a target network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ealm.common.goal_config import GoalAgentSettings, GoalSettings
from ealm.goal_agent.agent import Dropout, GoalAgent
from ealm.goal_agent.potential import SentenceValues
from ealm.goal_agent.replay import GoalWalk
from ealm.paper.agent import pad
from ealm.paper.target_network import Networks


def new_goal_agent(width: int, settings: GoalAgentSettings, seed: int) -> GoalAgent:
    """An untrained agent whose weights depend on nothing but the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return GoalAgent(width, settings)


@dataclass(frozen=True, slots=True)
class WalkBatch:
    """Walks as tensors: every state of each, what was removed and what came of it."""

    encodings: Tensor
    present: Tensor
    goal: Tensor
    kept: Tensor
    """What is left in each state, the finished draft included: (walks, steps + 1, words)."""
    word: Tensor
    """Removed at each step: (walks, steps), as are the next two."""
    taken: Tensor
    """False beyond the end of a walk."""
    reward: Tensor
    worth: Tensor
    """What each word is worth: (walks, words)."""
    judged: Tensor
    """False for punctuation marks, whose worth is a matter of rule: (walks, words)."""

    @classmethod
    def of(
        cls,
        walks: Sequence[GoalWalk],
        encodings_of_visits: Mapping[int, Tensor],
        values: Sequence[SentenceValues],
        spoken: Sequence[Sequence[bool]] | None = None,
    ) -> "WalkBatch":
        """Pad all sentences to the longest and all walks to the one with most steps; `spoken` words are no marks."""
        encodings, present = pad([encodings_of_visits[walk.visit] for walk in walks])
        rows, words = present.shape
        steps = max(len(walk.order) for walk in walks)
        word = np.zeros((rows, steps), dtype=np.int64)
        gone_at = np.full((rows, words), steps + 1)
        phi = np.zeros((rows, steps + 1), dtype=np.float32)
        worth = np.zeros((rows, words), dtype=np.float32)
        judged = np.zeros((rows, words), dtype=bool)
        for row, (walk, value) in enumerate(zip(walks, values, strict=True)):
            count, length = len(walk.order), len(value.words)
            word[row, :count] = walk.order
            worth[row, :length] = value.worth
            judged[row, :length] = True if spoken is None else spoken[row]
            gone_at[row, list(walk.order)] = np.arange(count)
            states = gone_at[row, None, :length] >= np.arange(steps + 1)[:, None]
            phi[row] = value.of(states)
            phi[row, count:] += walk.finish
        kept = torch.from_numpy(gone_at[:, None] >= np.arange(steps + 1)[None, :, None]).to(encodings.device)
        counts = torch.tensor([len(walk.order) for walk in walks], device=encodings.device)
        return cls(
            encodings=encodings,
            present=present,
            goal=torch.tensor([walk.goal for walk in walks], device=encodings.device),
            kept=kept & present[:, None],
            word=torch.from_numpy(word).to(encodings.device),
            taken=torch.arange(steps, device=encodings.device) < counts[:, None],
            reward=torch.from_numpy(np.diff(phi, axis=1)).to(encodings),
            worth=torch.from_numpy(worth).to(encodings),
            judged=torch.from_numpy(judged).to(encodings.device),
        )


class GoalLearner:
    """An agent, its target network and its optimizer."""

    def __init__(self, width: int, settings: GoalSettings, *, seed: int, device: str = "cpu") -> None:
        """`width` is the length of an encoding."""
        self.settings = settings.learning
        self.networks = Networks(
            lambda: new_goal_agent(width, settings.agent, seed),
            learning_rate=self.settings.learning_rate,
            gradient_clip=self.settings.gradient_clip,
            target_period=self.settings.target_period,
            device=device,
        )

    @property
    def agent(self) -> GoalAgent:
        """The agent as it is now."""
        return self.networks.agent

    @property
    def target_network(self) -> GoalAgent:
        """The agent as it was some updates ago."""
        return self.networks.target

    def update(self, batch: WalkBatch, weights: Tensor) -> tuple[float, list[float]]:
        """One step of gradient descent; `weights` (walks,) tell how much each counts. Returns loss and surprises."""
        q_values = self.agent(self.agent.read(batch.encodings, batch.present), batch.kept[:, :-1], batch.goal)
        chosen = q_values.gather(2, batch.word[..., None])[..., 0]  # (walks, steps)
        targets = self.targets(batch, q_values.detach())
        errors = nn.functional.smooth_l1_loss(chosen, targets, reduction="none").masked_fill(~batch.taken, 0)
        steps = batch.taken.sum()
        loss = (errors * weights[:, None]).sum() / steps
        if self.agent.settings.estimates:
            loss = loss + self._worth_error(batch)
        surprises = errors.detach().sum(dim=1) / batch.taken.sum(dim=1)
        return self.networks.descend(loss), surprises.tolist()

    def _worth_error(self, batch: WalkBatch) -> Tensor:
        """Mean squared error of the estimates: the rewards that words bring are known for all of them."""
        dropout = Dropout(self.settings.dropout, seed=self.networks.updates) if self.settings.dropout else None
        estimated = self.agent.worths(batch.encodings[batch.judged], dropout)
        return nn.functional.mse_loss(estimated, batch.worth[batch.judged])

    @torch.no_grad()
    def targets(self, batch: WalkBatch, q_values: Tensor) -> Tensor:
        """Rewards of the next n steps and the value of the state after them: (walks, steps).

        `q_values` are the agent's in the states before the steps. The finished draft has no value of its own: what
        it is worth was paid on the way.
        """
        target = self.target_network
        later = target(target.read(batch.encodings, batch.present), batch.kept[:, 1:-1], batch.goal)
        if self.settings.double:
            best = later.gather(2, q_values[:, 1:].argmax(dim=-1, keepdim=True))[..., 0]
        else:
            best = later.amax(dim=-1)
        goes_on = batch.taken[:, 1:]
        value = best.masked_fill(~goes_on, 0)  # of states 1 to steps - 1: (walks, steps - 1)
        n, discount = self.settings.returns, self.settings.discount
        rewards = nn.functional.pad(batch.reward.masked_fill(~batch.taken, 0), (0, n))
        values = nn.functional.pad(value, (1, n))
        steps = batch.reward.shape[1]
        total = discount**n * values[:, n : n + steps]
        for ahead in range(n):
            total = total + discount**ahead * rewards[:, ahead : ahead + steps]
        return total
