"""Linear layers on whole numbers of eight bits: several times the arithmetic of single precision on a CPU with VNNI.

Every row of the input has its own scale, so that a sentence does not depend on its company in a batch. A processor
without VNNI computes the same rounded numbers in single precision, for the same result and no gain.
"""

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
        whole = compact["weight"].T.contiguous()
        self.register_buffer("weight", whole if int8_pays() else whole.to(exact.dtype))  # (inputs, outputs)
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
            torch.mul(self._product((some / scale).round_()), scale, out=result)
            torch.addcmul(self.bias, result, self.scale, out=result)
        return outputs.view(*inputs.shape[:-1], len(self.bias))

    def _product(self, rows: Tensor) -> Tensor:
        """Of rows of whole numbers and the weights: the same in either arithmetic, as sums stay below 2**24."""
        return (
            torch._int_mm(rows.to(torch.int8), self.weight) if self.weight.dtype == torch.int8 else rows @ self.weight
        )


def int8_pays() -> bool:
    """Whether the processor multiplies such numbers quickly; without VNNI they take forty times as long."""
    known = getattr(torch.cpu, "_is_vnni_supported", bool)
    return bool(known())
