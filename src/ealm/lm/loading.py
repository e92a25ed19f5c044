"""Loading masked language models: the bundled format by our own code, everything else by `transformers`.

A folder may come from a stranger, so `transformers` reads a clean copy of it.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ealm.common.config import AUTO, ENGINES
from ealm.common.errors import LanguageModelError, MissingLanguageModelError
from ealm.common.extras import require_extra
from ealm.common.storage import read_json, read_shapes
from ealm.lm import bundled as embedded
from ealm.lm.bert import LightBertConfig, LightBertForMaskedLM, LightEncoder, LightTokenizer
from ealm.lm.clean_folder import CONFIG_FILE, FILES, PART_NAMES, clean_copy, from_file
from ealm.lm.flat_encoder import FlatEncoder
from ealm.lm.hub import hub_is_reachable
from ealm.lm.int8_linear import Int8Linear
from ealm.lm.int8_weights import COMPACT_FILE, read_compact
from ealm.lm.onednn_linear import OneDnnLinear, onednn_pays
from ealm.lm.other_linears import with_other_linears

_LARGEST_SIZE = 1 << 21
"""Of anything that a configuration counts; the largest vocabularies have a million words."""
_MOST_LAYERS = 1_000
_WEIGHTS_TO_SPARE = 10_000_000


class LaterModel:
    """The embedded language model: its shape at once, its weights when they are first needed.

    Plain summaries of a given length never ask it anything.
    """

    def __init__(self) -> None:
        folder = embedded.lm_folder()
        self.config = LightBertConfig.read(folder / "config.json")
        self.tokenizer = LightTokenizer.read(folder / "tokenizer.json")
        self.device = torch.device("cpu")

    def load(self) -> Any:
        """The model itself."""
        return load_pretrained(embedded.NAME)[0]


def load_pretrained(name_or_folder: str) -> tuple[Any, Any]:
    """Model and tokenizer by folder, by hub name, or the embedded ones."""
    model, tokenizer = _load(name_or_folder)
    # By their sums, which need no memory: one number that is not finite makes the sum so.
    sums = ((name, weight.sum(dtype=torch.float64)) for name, weight in model.state_dict().items())
    wrong = next((name for name, total in sums if not total.isfinite()), None)
    if wrong is not None:
        raise LanguageModelError(
            f"The weights of {name_or_folder} are damaged: {wrong} has numbers that are NaN or infinite."
        )
    return model, tokenizer


def _load(name_or_folder: str) -> tuple[Any, Any]:
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
        reason = " ".join(str(error).split())[:300].split(" To enable ")[
            0
        ]  # advice for programmers of the hub's library
        raise LanguageModelError(f"The weights in {folder} do not fit its config.json: {reason}") from error
    return model, LightTokenizer.read(folder / "tokenizer.json")


def _load_with_transformers(name_or_folder: str) -> tuple[Any, Any]:
    folder = Path(name_or_folder) if Path(name_or_folder).is_dir() else _fetched(name_or_folder)
    with clean_copy(folder) as copy, _named(copy, folder):
        return _load_copy(copy, folder)


def _fetched(name: str) -> Path:
    """Where the hub's cache has the files of a model, once those that are missing have been fetched."""
    from huggingface_hub import snapshot_download

    wanted = [*FILES, PART_NAMES]
    return Path(snapshot_download(name, allow_patterns=wanted, local_files_only=not hub_is_reachable()))


def _load_copy(copy: Path, folder: Path) -> tuple[Any, Any]:
    from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer

    # Never code from the folder; left out, transformers asks on standard input, where our texts come from.
    options = {"local_files_only": True, "trust_remote_code": False}
    for name, number in _whole_numbers(read_json(copy / CONFIG_FILE)):
        if abs(number) > (_MOST_LAYERS if "layers" in name else _LARGEST_SIZE):
            raise LanguageModelError(f"{folder / CONFIG_FILE} is damaged: its {name} makes no sense.")
    with torch.device("meta"):  # shapes alone, no memory
        plan = AutoModelForMaskedLM.from_config(AutoConfig.from_pretrained(copy, **options))
    _check_size(copy, folder, sum(weight.numel() for weight in plan.parameters()))
    model, report = AutoModelForMaskedLM.from_pretrained(
        copy, use_safetensors=True, output_loading_info=True, **options
    )
    tokenizer = AutoTokenizer.from_pretrained(copy, **options)
    missing = sorted(report["missing_keys"])
    if missing:
        raise LanguageModelError(
            f"{folder} is not a complete masked language model: it lacks {len(missing)} weights, "
            f"such as {missing[0]}. Choose a model that was trained with a masked-LM head."
        )
    return model, tokenizer


@contextmanager
def _named(copy: Path, folder: Path) -> Iterator[None]:
    """Errors of the library name the folder and not its copy."""
    try:
        yield
    except LanguageModelError:
        raise
    except Exception as error:
        raise ValueError(str(error).replace(str(copy), str(folder))) from error


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


def _check_size(copy: Path, folder: Path, wanted: int) -> None:
    """Refuse a description of far more weights than the folder holds: they would all be allocated, and drawn."""
    names = [path.name for path in copy.glob("*.safetensors")]
    shapes = [shape for name in names for shape in from_file(read_shapes, folder / name).values()]
    held = sum(math.prod(shape) for shape in shapes)
    if wanted > 2 * held + _WEIGHTS_TO_SPARE:
        raise LanguageModelError(
            f"{folder / CONFIG_FILE} describes a model of {wanted:,} weights, but the folder holds {held:,}."
        )


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


# Engines ------------------------------------------------------------------------------------------------------------


def on_engine(engine: str, part: nn.Module) -> nn.Module:
    """A part of a masked language model (its encoder or its head), run by the engine of that name.

    "auto" gives the same numbers as "torch" but for their last digits. "int8" is opt-in, because rounding changes the
    scores a little; `docs/performance.md` has gain and agreement.
    """
    if engine == "int8":
        return with_other_linears(part, Int8Linear)
    if engine == AUTO and _is_single(part) and onednn_pays(next(part.parameters()).device.type):
        return FlatEncoder(part) if isinstance(part, LightEncoder) else with_other_linears(part, OneDnnLinear)
    return part


def _is_single(part: nn.Module) -> bool:
    return all(weight.dtype == torch.float32 for weight in part.parameters())


def check_engine(engine: str, device: torch.device) -> None:
    """Refuse an engine that does not exist, or not there."""
    if engine not in (AUTO, *ENGINES):
        raise LanguageModelError(f"There is no engine {engine!r}. Engines: {', '.join((AUTO, *ENGINES))}.")
    if engine == "int8" and device.type != "cpu":
        raise LanguageModelError(f"The {engine} engine runs on the CPU. Choose the torch engine with engine=.")
