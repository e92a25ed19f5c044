"""The memory of an Adam optimizer as named tensors, so that it can be kept in a safetensors file."""

from collections.abc import Mapping

import torch
from torch import Tensor

_PREFIX = "adam."


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Everything that the optimizer remembers."""
    state = optimizer.state_dict()["state"]
    return {f"{_PREFIX}{number}.{name}": tensor for number, entry in state.items() for name, tensor in entry.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """The reverse of `optimizer_tensors`; other tensors are passed over."""
    state = optimizer.state_dict()
    for key, tensor in tensors.items():
        if key.startswith(_PREFIX):
            number, name = key.removeprefix(_PREFIX).split(".")
            # A copy: the optimizer would take the tensor as its own.
            state["state"].setdefault(int(number), {})[name] = tensor.clone()
    optimizer.load_state_dict(state)
