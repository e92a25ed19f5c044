"""Files that are either whole or absent: written under another name, then renamed."""

import errno
import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import load_file, save
from torch import Tensor

_DRAFT_ENDING = ".part"
_PACKAGE = Path(__file__).parent.parent

LARGEST_JSON = 1 << 26
"""Bytes of a JSON file; no description or word list is longer, and Python needs many times as much to read it."""


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
        with draft.open("r+b") as file:  # Windows flushes only what can be written
            os.fsync(file.fileno())
        draft.chmod(mode)
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


def own_file(path: Path) -> Path:
    """The same path, if a file of its folder is there; raises OSError or ValueError otherwise.

    A folder from a stranger may hold links that lead out of it, or devices that never end. Links inside of the folder
    are followed, as are those of the hub's cache (`snapshots/x/file -> ../../blobs/y`) and of an installation.
    """
    try:
        folder, target = path.parent.resolve(), path.resolve()
    except RuntimeError as error:  # what Python raises for links that go round in circles
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    roots = [folder, folder.parent.parent / "blobs"] if folder.parent.name == "snapshots" else [folder]
    if not any(target.is_relative_to(root) for root in roots) and not path.absolute().is_relative_to(_PACKAGE):
        raise ValueError("it is a link that leads out of its folder. Put the file itself there, if you trust it")
    if target.exists() and not target.is_file():
        raise ValueError("it is not a file")
    return path


def read_text(path: Path, most: int = LARGEST_JSON) -> str:
    """Read a text file of a folder that may come from anywhere; raises OSError or ValueError."""
    if own_file(path).stat().st_size > most:
        raise ValueError(f"it is longer than {most:,} bytes")
    return path.read_text(encoding="utf-8")


def packed_path(path: Path) -> Path:
    """Where a file may be in compressed form instead."""
    return path.with_name(f"{path.name}.gz")


def read_text_or_packed(path: Path) -> str:
    """The same of a file that may be compressed (`x.json.gz`), and may then say of itself that it is endless."""
    if own_file(path).exists() or not packed_path(path).exists():
        return read_text(path)
    try:
        with gzip.open(own_file(packed_path(path))) as file:
            data = file.read(LARGEST_JSON + 1)
    except (EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
    if len(data) > LARGEST_JSON:
        raise ValueError(f"it holds more than {LARGEST_JSON:,} bytes")
    return data.decode()


def read_json(path: Path, most: int = LARGEST_JSON) -> Any:
    """Read a JSON file of a folder that may come from anywhere; raises OSError or ValueError."""
    return parse_json(read_text(path, most))


def parse_json(text: str) -> Any:
    """What JSON says; raises ValueError, also where brackets are nested too deep to be read."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("its brackets are nested too deep") from error


def read_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Shapes in a safetensors file, from its header alone; raises OSError, ValueError or SafetensorError."""
    with _mapped(path), safe_open(own_file(path), framework="pt") as file:
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - not a dict


def read_tensors(path: Path) -> dict[str, Tensor]:
    """All of a safetensors file; raises OSError, ValueError or SafetensorError."""
    with _mapped(path):
        return load_file(own_file(path))


@contextmanager
def _mapped(path: Path) -> Iterator[None]:
    """A file that claims to be larger than the memory is damaged, and no reason to end."""
    try:
        yield
    except MemoryError as error:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM), str(path)) from error


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write a whole safetensors file."""
    with replaced(path) as draft:
        # Clones: safetensors refuses tensors that share memory. Its own way to write leaves another temporary file
        # behind when it is killed, which nobody would find again.
        copies = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
        draft.write_bytes(save(copies, dict(metadata or {})))
