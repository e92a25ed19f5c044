"""Weights in a quarter of their size: whole numbers of eight bits with one scale a row.

Matrices are rounded, vectors (biases, layer norms) are stored as they are.
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from torch import Tensor

from ealm.common.errors import LanguageModelError
from ealm.common.storage import read_tensors, write_tensors

COMPACT_FILE = "model.int8.safetensors"
_SCALE = ".scale"
LARGEST = 127
"""Of the whole numbers that weights are rounded to."""


def rounded(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices as int8 with a scale for each row, everything else in single precision."""
    compact: dict[str, Tensor] = {}
    for name, weight in weights.items():
        exact = weight.float()
        if exact.dim() != 2:
            compact[name] = exact
            continue
        scale = (exact.abs().amax(dim=1) / LARGEST).clamp_min(torch.finfo(torch.float32).tiny)
        compact[name] = (exact / scale[:, None]).round().to(torch.int8)
        compact[name + _SCALE] = scale
    return compact


def restored(compact: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The reverse of `rounded`, but for what rounding took away."""
    weights: dict[str, Tensor] = {}
    for name, tensor in compact.items():
        if tensor.dtype == torch.int8:
            scale = compact[name + _SCALE]
            # Otherwise a small file could ask for a product of any size.
            if tensor.dim() != 2 or scale.shape != tensor.shape[:1]:
                raise ValueError(f"{name} does not fit its scale")
            weights[name] = torch.mul(tensor, scale.float()[:, None])
        elif not is_scale(name):
            weights[name] = tensor
    return weights


def is_scale(name: str) -> bool:
    """Whether a tensor of that name has the scales of another one."""
    return name.endswith(_SCALE)


def write_compact(folder: Path, weights: Mapping[str, Tensor]) -> None:
    """Write the folder's weights."""
    write_tensors(folder / COMPACT_FILE, rounded(weights))


def read_compact(folder: Path) -> dict[str, Tensor]:
    """Read the folder's weights."""
    path = folder / COMPACT_FILE
    try:
        return restored(read_tensors(path))
    except (OSError, SafetensorError, KeyError, RuntimeError, ValueError) as error:
        raise LanguageModelError(f"{path} cannot be read: {error}. Reinstall the package.") from error
