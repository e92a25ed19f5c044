"""Files that are either whole or absent: written beside their place, then renamed."""

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from torch import Tensor

_DRAFT_ENDING = ".part"


def remove_drafts(folder: Path) -> None:
    """Remove what a process that was killed while writing left behind."""
    for draft in folder.glob(f".*{_DRAFT_ENDING}"):
        draft.unlink(missing_ok=True)


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yields a path to write to; on success it becomes `path`, on failure nothing has happened.

    A link is followed. What is not a file (a pipe, a device) cannot be replaced and is written to directly.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    draft = path.with_name(f".{path.name}.{os.getpid()}{_DRAFT_ENDING}")
    try:
        yield draft
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.chmod(mode)  # safetensors writes files that only their owner can read
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Write a whole text file."""
    with replaced(path) as draft:
        draft.write_text(text, encoding="utf-8")


def write_json(path: Path, value: object) -> None:
    """Write a whole JSON file."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file; raises OSError or ValueError."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write a whole safetensors file."""
    with replaced(path) as draft:
        # Clones: safetensors refuses tensors that share memory.
        copies = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
        save_file(copies, draft, dict(metadata or {}))
