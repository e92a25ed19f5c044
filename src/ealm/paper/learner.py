"""Deep Q-learning on experiences (section 4.4): the loss, its target and the update."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ealm.common.config import AgentSettings, LearningSettings, Settings
from ealm.paper.agent import Agent, Projection, WalkEncoder, pad
from ealm.paper.edits import Action
from ealm.paper.replay import Experience
from ealm.paper.target_network import QLearner, seeded

_ROWS_AT_ONCE = 32
"""What is worked out for so many sentences stays in the processor's cache, and little of it is padding."""


def new_agent(width: int, settings: AgentSettings, seed: int) -> Agent:
    """An untrained agent whose weights depend on nothing but the seed."""
    return seeded(lambda: Agent(width, settings), seed)


def spread_of(encodings: Sequence[Tensor]) -> float:
    """Standard deviation of the numbers in the encodings of some sentences."""
    return float(torch.cat([sentence.flatten() for sentence in encodings]).std())


class Learner(QLearner[Agent]):
    """Deep Q-learning of the paper's agent."""

    def __init__(self, width: int, settings: Settings, *, seed: int, spread: float = 1.0, device: str = "cpu") -> None:
        """`width` is the length of an encoding, `spread` the standard deviation of its numbers."""
        self.settings: LearningSettings = settings.learning
        super().__init__(lambda: Agent(width, settings.agent, spread=spread), self.settings, seed=seed, device=device)
        self._projections: dict[int, Projection] = {}
        """Of the target network, by visit, until it changes."""
        self._projected_at = -1

    def update(self, experiences: Sequence[Experience], encodings: Mapping[int, Tensor]) -> float:
        """One step of gradient descent; `encodings` has (words, width) for each visit. Returns the loss."""
        batch = Batch.of(experiences, encodings)
        q_values = self.agent(batch.encodings, batch.actions, batch.decided, batch.present, batch.word)
        chosen = q_values.gather(1, batch.action[:, None])[:, 0]  # Q(s, a): (batch,)
        loss_of = nn.functional.mse_loss if self.settings.loss == "squared" else nn.functional.smooth_l1_loss
        return self.networks.descend(loss_of(chosen, self.td_target(batch, encodings)))

    @torch.no_grad()
    def td_target(self, batch: "Batch", encodings: Mapping[int, Tensor]) -> Tensor:
        """psi = r + gamma max Q(s', a'), over all words that s' leaves undecided and all actions (section 4.4).

        Nothing is added at terminal steps. With `earned_share`, so much of it is what the walk earned: (batch,).
        """
        return torch.lerp(self._bootstrapped(batch, encodings), batch.earned, self.settings.earned_share)

    def _bootstrapped(self, batch: "Batch", encodings: Mapping[int, Tensor]) -> Tensor:
        if self.settings.bootstrap == "collection":
            return batch.reward + self.settings.discount * batch.next_value
        following = torch.where(batch.continues, self._greatest_next(batch, encodings), 0.0)
        return batch.reward + self.settings.discount * following

    def _greatest_next(self, batch: "Batch", encodings: Mapping[int, Tensor]) -> Tensor:
        """max Q(s', a') under the target network, for some sentences of like length at a time: (batch,)."""
        all_rows = torch.arange(len(batch.word), device=batch.word.device)
        actions, decided = batch.actions.clone(), batch.decided.clone()
        actions[all_rows, batch.word] = batch.action
        decided[all_rows, batch.word] = 1
        greatest = torch.empty_like(batch.reward)
        lengths = batch.present.sum(dim=1)
        for rows in torch.split(lengths.argsort(stable=True), _ROWS_AT_ONCE):
            longest = int(lengths[rows[-1]])
            present = batch.present[rows, :longest]
            projected = self._projected([batch.visits[row] for row in rows.tolist()], encodings)
            undecided, is_undecided = _undecided(decided[rows, :longest], present)
            encoder = WalkEncoder(self.target_network, projected, present)
            next_q = encoder.q_values(actions[rows, :longest], decided[rows, :longest], undecided).amax(dim=2)
            greatest[rows] = next_q.masked_fill(~is_undecided, -torch.inf).amax(dim=1)
        return greatest

    def _projected(self, visits: Sequence[int], encodings: Mapping[int, Tensor]) -> Projection:
        """Projections under the target network; each is computed alone, so that it does not depend on its batch."""
        if self._projected_at != self.networks.copies:
            self._projected_at, self._projections = self.networks.copies, {}
        known = self._projections
        for visit in visits:
            if visit not in known:
                known[visit] = Projection.of(self.target_network, encodings[visit])
        return Projection.padded([known[visit] for visit in visits])


def _undecided(decided: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
    """Numbers of the undecided words of each row, the first ones first, and which of them are real: (batch, some)."""
    is_open = (decided == 0) & present
    counts = is_open.sum(dim=1)
    most = max(1, int(counts.max()))
    words = (~is_open).to(torch.uint8).argsort(dim=1, stable=True)[:, :most]
    return words, torch.arange(most, device=decided.device) < counts[:, None]


@dataclass(frozen=True, slots=True)
class Batch:
    """Experiences as tensors: sentences (batch, words, ...), everything else (batch,)."""

    visits: tuple[int, ...]
    encodings: Tensor
    present: Tensor
    actions: Tensor
    decided: Tensor
    word: Tensor
    action: Tensor
    reward: Tensor
    continues: Tensor
    """Whether the value of the next state is added."""
    next_value: Tensor
    earned: Tensor

    @classmethod
    def of(cls, experiences: Sequence[Experience], encodings_of_visits: Mapping[int, Tensor]) -> "Batch":
        """Pad all sentences to the longest."""
        encodings, present = pad([encodings_of_visits[experience.visit] for experience in experiences])
        actions = np.full(present.shape, Action.KEEP, dtype=np.int64)
        decided = np.zeros(present.shape, dtype=np.int64)
        for row, experience in enumerate(experiences):
            length = len(experience.actions)
            actions[row, :length] = np.frombuffer(experience.actions, dtype=np.uint8)
            decided[row, :length] = np.frombuffer(experience.decided, dtype=np.uint8)

        def column(values: Sequence[float], dtype: torch.dtype) -> Tensor:
            return torch.tensor(values, dtype=dtype, device=encodings.device)

        return cls(
            visits=tuple(experience.visit for experience in experiences),
            encodings=encodings,
            present=present,
            actions=torch.from_numpy(actions).to(encodings.device),
            decided=torch.from_numpy(decided).to(encodings.device),
            word=column([e.word for e in experiences], torch.long),
            action=column([e.action for e in experiences], torch.long),
            reward=column([e.reward for e in experiences], encodings.dtype),
            continues=column([e.continues for e in experiences], torch.bool),
            next_value=column([e.next_value for e in experiences], encodings.dtype),
            earned=column([e.earned for e in experiences], encodings.dtype),
        )
