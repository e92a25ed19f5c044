"""Linear layers on whole numbers of eight bits: several times the arithmetic of single precision on a CPU with VNNI.

Every row of the input has its own scale, so that a sentence does not depend on its company in a batch. On a CPU without
VNNI the same whole numbers are multiplied in single precision: the same results, and as fast as without rounding.
"""

import copy
from collections.abc import Callable

import torch
from torch import Tensor, nn

from ealm.lm.int8_weights import LARGEST, rounded

_NUMBERS_AT_ONCE = 1 << 18
"""What is between two steps stays in the processor's cache; new memory for it would cost more than the arithmetic."""
_LEAST_ROWS = 64
"""With fewer, reading the weights would cost more than the arithmetic."""


class Int8Linear(nn.Module):
    """A linear layer with weights in eight bits; its input is rounded to eight bits as it comes."""

    weight: Tensor
    scale: Tensor
    bias: Tensor

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        exact = linear.weight.detach()
        compact = rounded({"weight": exact})
        weight = compact["weight"].T.contiguous()  # (inputs, outputs)
        self.register_buffer("weight", weight if int8_pays() else weight.to(exact.dtype))
        self.register_buffer("scale", compact["weight.scale"].to(exact.dtype))
        bias = exact.new_zeros(len(exact)) if linear.bias is None else linear.bias.detach()
        self.register_buffer("bias", bias)

    def forward(self, inputs: Tensor) -> Tensor:
        """As `nn.Linear`: (..., inputs) to (..., outputs)."""
        rows = inputs.reshape(-1, inputs.shape[-1])
        outputs = rows.new_empty(len(rows), len(self.bias))
        at_once = max(_LEAST_ROWS, _NUMBERS_AT_ONCE // max(self.weight.shape))
        for some, result in zip(torch.split(rows, at_once), torch.split(outputs, at_once), strict=True):
            scale = some.abs().amax(dim=1, keepdim=True).clamp_min_(torch.finfo(some.dtype).tiny).div_(LARGEST)
            torch.mul(_product((some / scale).round_(), self.weight), scale, out=result)
            torch.addcmul(self.bias, result, self.scale, out=result)
        return outputs.view(*inputs.shape[:-1], len(self.bias))


def int8_pays() -> bool:
    """Whether the processor multiplies such numbers; elsewhere PyTorch does so forty times slower than in 32 bits."""
    known = getattr(torch.cpu, "_is_vnni_supported", bool)
    return bool(known())


def _product(rows: Tensor, weight: Tensor) -> Tensor:
    """Of whole numbers, in eight bits or as they are."""
    return torch._int_mm(rows.to(torch.int8), weight) if weight.dtype == torch.int8 else rows @ weight


def in_int8(part: nn.Module) -> nn.Module:
    """A copy of a part of a model with all of its linear layers in eight bits; it shares all other weights."""
    shared = {id(tensor): tensor for tensor in (*part.parameters(), *part.buffers())}
    return exchange_linears(copy.deepcopy(part, shared), Int8Linear)


def exchange_linears(part: nn.Module, kind: Callable[[nn.Linear], nn.Module]) -> nn.Module:
    """The same part of a model, from now on with linear layers of another kind."""
    for parent in list(part.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear):
                setattr(parent, name, kind(child))
    return part
