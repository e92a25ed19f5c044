"""A language model's folder, looked at before `transformers` reads it: a stranger may have put anything there."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from safetensors import SafetensorError

from ealm.common.errors import LanguageModelError
from ealm.common.storage import own_file, read_json, read_shapes

Values = TypeVar("Values")

_CONFIG_FILE = "config.json"
_WEIGHTS_FILE = "model.safetensors"
_INDEX_FILE = "model.safetensors.index.json"
_READ = (".json", ".txt", ".model", ".safetensors")
"""Endings of files that are read; weights of other kinds are pickles, which can run code."""

_LARGEST_SIZE = 1 << 21
"""Of anything that a configuration counts; the largest vocabularies have a million words."""
_MOST_LAYERS = 1_000
_WEIGHTS_TO_SPARE = 10_000_000


def check_lm_folder(folder: Path) -> None:
    """Refuse links that lead out of the folder, parts that lie elsewhere, and sizes that no model has."""
    for path in sorted(folder.iterdir()):
        if path.suffix in _READ:
            _from_file(own_file, path)
    if (folder / _CONFIG_FILE).exists():
        for name, number in _whole_numbers(_from_file(read_json, folder / _CONFIG_FILE)):
            if abs(number) > (_MOST_LAYERS if "layers" in name else _LARGEST_SIZE):
                raise LanguageModelError(f"{folder / _CONFIG_FILE} is damaged: its {name} makes no sense.")
    for path in _weight_files(folder):
        if path.parent != folder or path.suffix != ".safetensors":
            raise LanguageModelError(f"{folder / _INDEX_FILE} names weights that do not lie in the folder: {path}")


def check_size(folder: Path, wanted: int) -> None:
    """Refuse a description of far more weights than the folder holds: they would all be allocated, and drawn."""
    files = _weight_files(folder)
    if not all(path.exists() for path in files):
        return  # nothing is allocated for weights that are not there
    shapes = [shape for path in files for shape in _from_file(read_shapes, path).values()]
    held = sum(math.prod(shape) for shape in shapes)
    if wanted > 2 * held + _WEIGHTS_TO_SPARE:
        raise LanguageModelError(
            f"{folder / _CONFIG_FILE} describes a model of {wanted:,} weights, but the folder holds {held:,}."
        )


def _weight_files(folder: Path) -> list[Path]:
    index = folder / _INDEX_FILE
    if (folder / _WEIGHTS_FILE).exists() or not index.exists():
        return [folder / _WEIGHTS_FILE]
    values = _from_file(read_json, index)
    names = values.get("weight_map") if isinstance(values, dict) else None
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise LanguageModelError(f"{index} is damaged: 'weight_map' is missing or names no files.")
    return [folder / name for name in sorted(set(names.values()))]


def _whole_numbers(value: Any) -> Iterator[tuple[str, int]]:
    """All of them with their names, however deep they lie."""
    waiting = [("", value)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(str(key), part) for key, part in value.items()]
        elif isinstance(value, list):
            waiting += [(name, part) for part in value]
        elif isinstance(value, int):
            yield name, value


def _from_file(read: Callable[[Path], Values], path: Path) -> Values:
    try:
        return read(path)
    except (OSError, ValueError, SafetensorError) as error:
        raise LanguageModelError(f"{path} cannot be read: {error}") from error
