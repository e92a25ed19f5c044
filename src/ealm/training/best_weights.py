"""The weights of an agent at its best so far."""

from collections.abc import Mapping

from torch import Tensor, nn


class BestWeights:
    """Keeps a copy of the weights at the highest reward; the final model is that one (section 5, Proposed method)."""

    def __init__(self) -> None:
        self.reward: float | None = None
        self._weights: dict[str, Tensor] = {}

    def offer(self, reward: float, agent: nn.Module) -> None:
        """Keep the agent as it is if it was never better."""
        if self.reward is None or reward > self.reward:
            self.reward = reward
            self._weights = copied(agent.state_dict())

    def or_of(self, agent: nn.Module) -> dict[str, Tensor]:
        """The best weights, or the agent's own while none were kept."""
        return copied(self._weights or agent.state_dict())

    def tensors(self) -> dict[str, Tensor]:
        """For a checkpoint."""
        return {f"best.{name}": tensor for name, tensor in self._weights.items()}

    def restore(self, weights: Mapping[str, Tensor], reward: float | None) -> None:
        """Go on from a checkpoint."""
        self.reward = reward
        self._weights = dict(weights)


def copied(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights that stay as they are while the agent goes on learning."""
    return {name: tensor.clone() for name, tensor in weights.items()}
