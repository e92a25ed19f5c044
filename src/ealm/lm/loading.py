"""Loading masked language models: the bundled format by our own code, everything else by `transformers`.

A folder may come from a stranger, so it is checked before `transformers` reads it.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError

from ealm.common.config import ENGINES
from ealm.common.errors import LanguageModelError, MissingLanguageModelError
from ealm.common.extras import require_extra
from ealm.common.storage import own_file, read_json, read_shapes
from ealm.lm import bundled as embedded
from ealm.lm.bert import LightBertConfig, LightBertForMaskedLM, LightTokenizer
from ealm.lm.hub import hub_is_reachable
from ealm.lm.int8_linear import in_int8
from ealm.lm.int8_weights import COMPACT_FILE, read_compact

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


def load_pretrained(name_or_folder: str) -> tuple[Any, Any]:
    """Model and tokenizer by folder, by hub name, or the embedded ones."""
    folder = embedded.lm_folder() if name_or_folder == embedded.NAME else Path(name_or_folder)
    if (folder / COMPACT_FILE).is_file():
        return _load_compact(folder)
    require_extra("transformers", f"The language model {name_or_folder}", "transformers")
    try:
        with quiet_transformers():
            return _load_with_transformers(name_or_folder)
    except LanguageModelError:
        raise
    except BaseException as error:  # transformers raises many kinds here, from OSError to KeyError
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        kind = LanguageModelError if folder.is_dir() else MissingLanguageModelError
        raise kind(_loading_advice(name_or_folder, local=folder.is_dir(), error=error)) from error


def _load_compact(folder: Path) -> tuple[Any, Any]:
    config = LightBertConfig.read(folder / "config.json")
    weights = read_compact(folder)
    try:
        model = LightBertForMaskedLM.from_weights(config, weights)
    except (KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:300]
        raise LanguageModelError(f"The weights in {folder} do not fit its config.json: {reason}") from error
    return model, LightTokenizer.read(folder / "tokenizer.json")


def _load_with_transformers(name_or_folder: str) -> tuple[Any, Any]:
    from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer

    local = Path(name_or_folder).is_dir()
    # Never code from the folder; left out, transformers asks on standard input, where our texts come from.
    options = {"local_files_only": local or not hub_is_reachable(), "trust_remote_code": False}
    if local:
        check_lm_folder(Path(name_or_folder))
        with torch.device("meta"):  # shapes alone, no memory
            plan = AutoModelForMaskedLM.from_config(AutoConfig.from_pretrained(name_or_folder, **options))
        check_size(Path(name_or_folder), sum(weight.numel() for weight in plan.parameters()))
    # Only safetensors: other weight files are pickles, which can run code.
    model, report = AutoModelForMaskedLM.from_pretrained(
        name_or_folder, use_safetensors=True, output_loading_info=True, **options
    )
    tokenizer = AutoTokenizer.from_pretrained(name_or_folder, **options)
    missing = sorted(report["missing_keys"])
    if missing:
        raise LanguageModelError(
            f"{name_or_folder} is not a complete masked language model: it lacks {len(missing)} weights, "
            f"such as {missing[0]}. Choose a model that was trained with a masked-LM head."
        )
    return model, tokenizer


def _loading_advice(name_or_folder: str, *, local: bool, error: BaseException) -> str:
    reason = " ".join(str(error).split())[:300]
    if local:
        return f"No masked language model can be read from the folder {name_or_folder}: {reason}"
    return (
        f"There is no folder {name_or_folder}, and no masked language model of that name could be had from the hub "
        "or its local cache. Give lm= a folder with config.json, model.safetensors and the tokenizer's files. "
        f"({reason})"
    )


def is_panic(error: BaseException) -> bool:
    """Whether the tokenizers library gave up on its own files, which it reports by what is not even an Exception."""
    return type(error).__name__ == "PanicException"


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Keep loading bars and advice off the terminal: our own messages say what matters."""
    from transformers.utils import logging

    verbosity, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bar:
            logging.enable_progress_bar()


# Checks of a folder -------------------------------------------------------------------------------------------------


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


# Engines ------------------------------------------------------------------------------------------------------------


def encoder_on(engine: str, model: Any) -> Any:
    """The encoder of a masked language model, run by the engine of that name.

    "int8" is opt-in, because rounding changes the scores a little; `docs/performance.md` has gain and agreement.
    """
    if engine not in ENGINES:
        raise LanguageModelError(f"There is no engine {engine!r}. Engines: {', '.join(ENGINES)}.")
    if engine == "torch":
        return model.base_model
    if model.device.type != "cpu":
        raise LanguageModelError(f"The {engine} engine runs on the CPU. Choose the torch engine with engine=.")
    return in_int8(model.base_model)
