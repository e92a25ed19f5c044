"""Checkpoints: one safetensors file that holds the tensors of a run, and everything else as JSON in its header."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from ealm.common.errors import RunError
from ealm.common.storage import own_file, parse_json, write_tensors

FORMAT = 1
_HEADER = "ealm"
_ADAM = "adam."

Kinds = Mapping[str, type | tuple[type, ...]]
"""Types of the header's fields by name."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """What a checkpoint file holds."""

    header: Mapping[str, Any]
    tensors: Mapping[str, Tensor]

    def save(self, path: Path) -> None:
        """Replace the file; it is either whole or as it was before."""
        header = {"format": FORMAT, **self.header}
        write_tensors(path, self.tensors, {_HEADER: json.dumps(header)})

    @classmethod
    def load(cls, path: Path, kinds: Kinds, *, defaults: Mapping[str, Any] | None = None) -> "SavedState | None":
        """The state in a file, or None if there is no file.

        The header must have all fields of `kinds`; `defaults` are for those that earlier versions did not write.
        """
        if not path.exists():
            return None
        with damage_reported(path):
            with safe_open(own_file(path), framework="pt") as file:
                header = {**(defaults or {}), **parse_json((file.metadata() or {})[_HEADER])}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
            _check_header(path, header, {"format": int, **kinds})
        return cls(header, tensors)

    def part(self, prefix: str) -> dict[str, Tensor]:
        """The tensors whose names begin with the prefix, without it."""
        return {name.removeprefix(prefix): each for name, each in self.tensors.items() if name.startswith(prefix)}


def prefixed(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors as a part of a checkpoint."""
    return {f"{prefix}{name}": tensor for name, tensor in tensors.items()}


def _check_header(path: Path, header: Mapping[str, Any], kinds: Kinds) -> None:
    for name, kind in kinds.items():
        if not isinstance(header[name], kind):
            raise TypeError(f"{name!r} is of the wrong type")
    if header["format"] != FORMAT:
        raise RunError(f"{path} was written by another version of ealm. Start a new run in another folder.")


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Whatever a damaged checkpoint leads to becomes an error that names the file and says what to do."""
    try:
        yield
    except (
        *(OSError, SafetensorError, LookupError, ValueError, TypeError),
        *(RuntimeError, AttributeError, ArithmeticError),
    ) as error:
        raise RunError(f"{path} is damaged ({error!r}). Start a new run in another folder.") from error


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The state of an Adam optimizer by names that `restore_optimizer` knows."""
    state = optimizer.state_dict()["state"]
    return {f"{_ADAM}{number}.{name}": tensor for number, entry in state.items() for name, tensor in entry.items()}


def restore_optimizer(
    optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor], *, required: bool = False
) -> None:
    """The reverse of `optimizer_tensors`; others are passed over. Raises KeyError if a required state is missing."""
    state = optimizer.state_dict()
    for key, tensor in tensors.items():
        if key.startswith(_ADAM):
            number, name = key.removeprefix(_ADAM).split(".")
            # A copy: the optimizer would take the tensor as its own.
            state["state"].setdefault(int(number), {})[name] = tensor.clone()
    if required and not state["state"]:
        raise KeyError("the state of the optimizer is missing")
    optimizer.load_state_dict(state)
