"""An agent of either kind with its target network and its optimizer."""

from collections.abc import Callable, Mapping
from typing import Generic, Literal, Protocol, TypeVar

import torch
from torch import Tensor, nn

from ealm.common.checkpoint import optimizer_tensors, restore_optimizer

AnyNetwork = TypeVar("AnyNetwork", bound=nn.Module)


class Networks(Generic[AnyNetwork]):
    """Takes gradient steps, and copies the agent into the target network every so many updates."""

    def __init__(
        self,
        new: Callable[[], AnyNetwork],
        *,
        learning_rate: float,
        gradient_clip: float,
        clip_by: Literal["norm", "value"],
        target_period: int,
        device: str,
    ) -> None:
        """`new` makes an untrained agent, the same one every time."""
        self.agent = new().to(device)
        self.target = new().to(device)
        self.updates = 0
        self._gradient_clip = gradient_clip
        self._clip = nn.utils.clip_grad_norm_ if clip_by == "norm" else nn.utils.clip_grad_value_
        self._target_period = target_period
        self._optimizer = torch.optim.Adam(self.agent.parameters(), lr=learning_rate)

    @property
    def learning_rate(self) -> float:
        """Of the next step."""
        return float(self._optimizer.param_groups[0]["lr"])

    def set_learning_rate(self, rate: float) -> None:
        """From the next step on."""
        for parameters in self._optimizer.param_groups:
            parameters["lr"] = rate

    def descend(self, loss: Tensor) -> float:
        """One step of gradient descent; returns the loss."""
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._clip(self.agent.parameters(), self._gradient_clip)
        self._optimizer.step()
        self.updates += 1
        if self.updates % self._target_period == 0:
            self.target.load_state_dict(self.agent.state_dict())
        return float(loss.detach())

    @property
    def copies(self) -> int:
        """How often the target network was renewed."""
        return self.updates // self._target_period

    def tensors(self) -> dict[str, Tensor]:
        """Everything that `restore` needs, apart from the number of updates."""
        tensors = {f"agent.{name}": tensor for name, tensor in self.agent.state_dict().items()}
        tensors |= {f"target.{name}": tensor for name, tensor in self.target.state_dict().items()}
        tensors |= optimizer_tensors(self._optimizer)
        return {name: tensor.clone() for name, tensor in tensors.items()}

    def restore(self, tensors: Mapping[str, Tensor], *, updates: int) -> None:
        """Resume from `tensors()` after so many updates."""
        self.updates = updates
        self.agent.load_state_dict(group(tensors, "agent"))
        self.target.load_state_dict(group(tensors, "target"))
        restore_optimizer(self._optimizer, tensors)


def group(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin with a prefix and a dot, without them."""
    start = f"{prefix}."
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}


class LearningRates(Protocol):
    """The settings that every learner has."""

    @property
    def learning_rate(self) -> float:
        """Of Adam."""
        ...

    @property
    def gradient_clip(self) -> float:
        """Largest norm of the gradient, or largest of its numbers."""
        ...

    @property
    def clip_by(self) -> Literal["norm", "value"]:
        """Which of the two."""
        ...

    @property
    def target_period(self) -> int:
        """Updates between two copies into the target network."""
        ...


class QLearner(Generic[AnyNetwork]):
    """What the learners of both agents share: an agent, its target network and the number of updates."""

    def __init__(self, new: Callable[[], AnyNetwork], rates: LearningRates, *, seed: int, device: str) -> None:
        """`new` makes an untrained agent, whose weights then depend on nothing but the seed."""
        self.networks = Networks(
            lambda: seeded(new, seed),
            learning_rate=rates.learning_rate,
            gradient_clip=rates.gradient_clip,
            clip_by=rates.clip_by,
            target_period=rates.target_period,
            device=device,
        )

    @property
    def agent(self) -> AnyNetwork:
        """The agent as it is now."""
        return self.networks.agent

    @property
    def target_network(self) -> AnyNetwork:
        """The agent as it was at the last copy."""
        return self.networks.target

    @property
    def updates(self) -> int:
        """Updates done so far."""
        return self.networks.updates


def seeded(new: Callable[[], AnyNetwork], seed: int) -> AnyNetwork:
    """A new network whose weights depend on nothing but the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return new()
