"""An agent that learns with its target network and its optimizer, of whatever kind it is."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from ealm.common.checkpoint import optimizer_tensors, restore_optimizer

AnyNetwork = TypeVar("AnyNetwork", bound=nn.Module)


class Networks(Generic[AnyNetwork]):
    """Descends on losses, and copies the agent into the target network now and then."""

    def __init__(
        self,
        new: Callable[[], AnyNetwork],
        *,
        learning_rate: float,
        gradient_clip: float,
        target_period: int,
        device: str,
    ) -> None:
        """`new` makes an untrained agent, the same one every time."""
        self.agent = new().to(device)
        self.target = new().to(device)
        self.updates = 0
        self._gradient_clip = gradient_clip
        self._target_period = target_period
        self._optimizer = torch.optim.Adam(self.agent.parameters(), lr=learning_rate)

    def descend(self, loss: Tensor) -> float:
        """One step of gradient descent; returns the loss."""
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.agent.parameters(), self._gradient_clip)
        self._optimizer.step()
        self.updates += 1
        if self.updates % self._target_period == 0:
            self.target.load_state_dict(self.agent.state_dict())
        return float(loss.detach())

    def tensors(self) -> dict[str, Tensor]:
        """Everything that `restore` needs, apart from the number of updates."""
        tensors = {f"agent.{name}": tensor for name, tensor in self.agent.state_dict().items()}
        tensors |= {f"target.{name}": tensor for name, tensor in self.target.state_dict().items()}
        tensors |= optimizer_tensors(self._optimizer)
        return {name: tensor.clone() for name, tensor in tensors.items()}

    def restore(self, tensors: Mapping[str, Tensor], *, updates: int) -> None:
        """Go on from `tensors()` after so many updates."""
        self.updates = updates
        self.agent.load_state_dict(group(tensors, "agent"))
        self.target.load_state_dict(group(tensors, "target"))
        restore_optimizer(self._optimizer, tensors)


def group(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin with a prefix and a dot, without them."""
    start = f"{prefix}."
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}
