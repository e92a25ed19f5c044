"""Linear layers on numbers of sixteen bits (bfloat16): twice the arithmetic of single precision on a CPU that has it.

Sums are in single precision, and so is everything between the layers: little is rounded away.
"""

import torch
from torch import Tensor, nn


class Bf16Linear(nn.Module):
    """A linear layer with weights in sixteen bits; its input is rounded to sixteen bits as it comes."""

    weight: Tensor
    bias: Tensor | None

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.register_buffer("weight", linear.weight.detach().to(torch.bfloat16))
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach())

    def forward(self, inputs: Tensor) -> Tensor:
        """As `nn.Linear`: (..., inputs) to (..., outputs)."""
        outputs = nn.functional.linear(inputs.to(torch.bfloat16), self.weight).to(inputs.dtype)
        return outputs if self.bias is None else outputs.add_(self.bias)


def bf16_pays(device: str) -> bool:
    """Whether the processor has arithmetic for such numbers; without, they would be slower."""
    known = getattr(torch.cpu, "_is_avx512_bf16_supported", bool)
    return device == "cpu" and bool(known())
