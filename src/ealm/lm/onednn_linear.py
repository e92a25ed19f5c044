"""Linear layers in single precision by oneDNN: the same numbers but for their last digits, twice as fast with AVX-512.

PyTorch leaves them to MKL, which does without AVX-512 on processors of other makers. The weights are those of the
plain layer, neither copied nor packed.
"""

import torch
from torch import Tensor, nn

_STEP = 4


class OneDnnLinear(nn.Module):
    """A linear layer around the weights of another one; for inference alone, it has no gradient."""

    weight: Tensor
    bias: Tensor | None

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.register_buffer("weight", linear.weight.detach())
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach())

    def forward(self, inputs: Tensor) -> Tensor:
        """As `nn.Linear`: (..., inputs) to (..., outputs)."""
        rows = filled_up(inputs.reshape(-1, inputs.shape[-1]))
        outputs: Tensor = torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "none", [], "")
        return outputs[: inputs.shape[:-1].numel()].view(*inputs.shape[:-1], len(self.weight))


def filled_up(rows: Tensor) -> Tensor:
    """With rows of zeros behind, so that there are eight numbers of rows between a power of two and the next.

    oneDNN makes a kernel for each number of rows and keeps it: 0.5 ms and 0.7 MB. And a row alone would be summed up
    in another order than one in company.
    """
    count = len(rows)
    step = max(_STEP, 1 << (count - 1).bit_length() >> 4)
    missing = -count % step
    if not missing:
        return rows
    filled = rows.new_empty(count + missing, rows.shape[1])
    filled[:count] = rows
    filled[count:] = 0
    return filled


def onednn_pays(device: str) -> bool:
    """Whether the processor has AVX-512, and this build of PyTorch has oneDNN."""
    known = getattr(torch.cpu, "_is_avx512_supported", bool)
    return device == "cpu" and bool(known()) and hasattr(torch.ops.mkldnn, "_linear_pointwise")
