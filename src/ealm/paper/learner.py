"""Deep Q-learning on experiences (section 4.4): the loss, its target and the update."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ealm.common.config import AgentSettings, LearningSettings, Settings
from ealm.paper.agent import Agent, pad
from ealm.paper.edits import Action
from ealm.paper.replay import Experience
from ealm.paper.target_network import QLearner, seeded


def new_agent(width: int, settings: AgentSettings, seed: int) -> Agent:
    """An untrained agent whose weights depend on nothing but the seed."""
    return seeded(lambda: Agent(width, settings), seed)


class Learner(QLearner[Agent]):
    """Deep Q-learning of the paper's agent."""

    def __init__(self, width: int, settings: Settings, *, seed: int, device: str = "cpu") -> None:
        """`width` is the length of an encoding."""
        self.settings: LearningSettings = settings.learning
        super().__init__(lambda: Agent(width, settings.agent), self.settings, seed=seed, device=device)

    def update(self, experiences: Sequence[Experience], encodings: Mapping[int, Tensor]) -> float:
        """One step of gradient descent; `encodings` has (words, width) for each visit. Returns the loss."""
        batch = Batch.of(experiences, encodings)
        q_values = self.agent(batch.encodings, batch.actions, batch.decided, batch.present, batch.word)
        chosen = q_values.gather(1, batch.action[:, None])[:, 0]  # Q(s, a): (batch,)
        loss_of = nn.functional.mse_loss if self.settings.loss == "squared" else nn.functional.smooth_l1_loss
        return self.networks.descend(loss_of(chosen, self.td_target(batch)))

    @torch.no_grad()
    def td_target(self, batch: "Batch") -> Tensor:
        """psi = r + gamma max Q(s', a') (section 4.4); nothing is added at terminal steps: (batch,)."""
        if self.settings.bootstrap == "collection":
            return batch.reward + self.settings.discount * batch.next_value
        rows = torch.arange(len(batch.word), device=batch.word.device)
        actions, decided = batch.actions.clone(), batch.decided.clone()
        actions[rows, batch.word] = batch.action
        decided[rows, batch.word] = 1
        next_q: Tensor = self.target_network(batch.encodings, actions, decided, batch.present, batch.next_word)
        return batch.reward + self.settings.discount * next_q.amax(dim=1) * batch.continues


@dataclass(frozen=True, slots=True)
class Batch:
    """Experiences as tensors: sentences (batch, words, ...), everything else (batch,)."""

    encodings: Tensor
    present: Tensor
    actions: Tensor
    decided: Tensor
    word: Tensor
    action: Tensor
    reward: Tensor
    next_word: Tensor
    continues: Tensor
    next_value: Tensor

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
            encodings=encodings,
            present=present,
            actions=torch.from_numpy(actions).to(encodings.device),
            decided=torch.from_numpy(decided).to(encodings.device),
            word=column([e.word for e in experiences], torch.long),
            action=column([e.action for e in experiences], torch.long),
            reward=column([e.reward for e in experiences], encodings.dtype),
            next_word=column([e.next_word or 0 for e in experiences], torch.long),
            continues=column([e.next_word is not None for e in experiences], encodings.dtype),
            next_value=column([e.next_value for e in experiences], encodings.dtype),
        )
