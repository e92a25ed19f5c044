"""A trained agent on disk: settings and word list in JSON, weights in safetensors, nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from torch import Tensor

from ealm.common.config import Settings
from ealm.common.errors import MissingAgentError, ModelFolderError, SettingsError
from ealm.common.storage import (
    parse_json,
    read_json,
    read_shapes,
    read_tensors,
    read_text_or_packed,
    write_json,
    write_tensors,
)
from ealm.goal_agent.agent import GoalAgent
from ealm.lm.int8_weights import is_scale, restored
from ealm.paper.agent import Agent
from ealm.paper.ignored_words import IgnoredWords

SETTINGS_FILE = "agent.json"
WEIGHTS_FILE = "agent.safetensors"
FREQUENT_WORDS_FILE = "frequent_words.json"
FORMAT = 1

Values = TypeVar("Values")


@dataclass(frozen=True, slots=True)
class SavedAgent:
    """What the folder of an agent holds."""

    weights: Mapping[str, Tensor]
    width: int
    """Length of the encodings it was trained on."""
    lm_name: str
    ignored_words: IgnoredWords
    settings: Settings

    def build(self) -> Agent | GoalAgent:
        """The agent itself."""
        agent = _untrained(self.width, self.settings)
        agent.load_state_dict(dict(self.weights))
        return agent

    def save(self, folder: Path) -> None:
        """Write the folder; a reader never sees a half-written file."""
        folder.mkdir(parents=True, exist_ok=True)
        write_tensors(folder / WEIGHTS_FILE, self.weights)
        write_json(folder / FREQUENT_WORDS_FILE, sorted(self.ignored_words.frequent))
        description = {"format": FORMAT, "lm": self.lm_name, "width": self.width, "settings": self.settings.to_dict()}
        write_json(folder / SETTINGS_FILE, description)

    @classmethod
    def load(cls, folder: Path) -> "SavedAgent":
        """Read and check a folder."""
        description = _read_description(folder)
        try:
            settings = Settings.from_dict(description["settings"])
        except (SettingsError, OverflowError, RecursionError) as error:  # numbers of thousands of digits, for one
            raise ModelFolderError(f"{folder / SETTINGS_FILE} is damaged: {error}") from error
        frequent = _read_frequent_words(folder / FREQUENT_WORDS_FILE)
        width: int = description["width"]
        return cls(
            weights=_read_weights(folder / WEIGHTS_FILE, _shapes(folder / SETTINGS_FILE, width, settings)),
            width=width,
            lm_name=description["lm"],
            ignored_words=IgnoredWords(settings.ignored_words, frequent),
            settings=settings,
        )


def _untrained(width: int, settings: Settings) -> Agent | GoalAgent:
    """An agent of the settings' kind and size."""
    return GoalAgent(width, settings.goal.agent) if settings.method == "goal" else Agent(width, settings.agent)


_FIELDS: dict[str, type] = {"format": int, "lm": str, "width": int, "settings": dict}
_LARGEST_WIDTH = 65_536


def _read_description(folder: Path) -> dict[str, Any]:
    path = folder / SETTINGS_FILE
    if not path.is_file():
        raise MissingAgentError(
            f"No trained agent in {folder} ({SETTINGS_FILE} is missing). "
            f"Train one with: ealm train CORPUS --out {folder}"
        )
    description = _from_file(read_json, path)
    if not isinstance(description, dict):
        raise ModelFolderError(f"{path} is damaged: expected an object.")
    for name, kind in _FIELDS.items():
        if not isinstance(description.get(name), kind):
            raise ModelFolderError(f"{path} is damaged: {name!r} is missing or of the wrong type.")
    if description["format"] != FORMAT:
        raise ModelFolderError(
            f"{path} has format {description['format']}, this version of ealm reads format {FORMAT}. "
            "Train the agent anew or install the ealm version that wrote it."
        )
    if not 1 <= description["width"] <= _LARGEST_WIDTH:
        raise ModelFolderError(f"{path} is damaged: width {description['width']} makes no sense.")
    return description


def _read_frequent_words(path: Path) -> frozenset[str]:
    words = _from_file(lambda path: parse_json(read_text_or_packed(path)), path)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelFolderError(f"{path} is damaged: expected a list of words.")
    return frozenset(words)


def _shapes(path: Path, width: int, settings: Settings) -> dict[str, tuple[int, ...]]:
    """Shapes of the weights of such an agent, without allocating them: a damaged file may ask for anything."""
    try:
        with torch.device("meta"):
            return {name: tuple(tensor.shape) for name, tensor in _untrained(width, settings).state_dict().items()}
    except (RuntimeError, TypeError) as error:
        raise ModelFolderError(f"{path} is damaged: there is no agent of that size.") from error


def _read_weights(path: Path, expected: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """The weights, checked against the shapes of the agent they are for."""
    shapes = _from_file(read_shapes, path)
    found = {name: shape for name, shape in shapes.items() if not is_scale(name)}  # of matrices in eight bits
    if expected != found:
        wrong = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
        raise ModelFolderError(
            f"{path} does not fit {SETTINGS_FILE}: {wrong[0]} should be {expected.get(wrong[0], 'absent')}, "
            f"is {found.get(wrong[0], 'absent')}."
        )
    weights = _from_file(lambda path: restored(read_tensors(path)), path)
    wrong = sorted(name for name, tensor in weights.items() if not _usable(tensor))
    if wrong:
        raise ModelFolderError(f"{path} is damaged: {wrong[0]} has values that are no finite numbers.")
    return {name: tensor.float() if tensor.dtype == torch.half else tensor for name, tensor in weights.items()}


def _from_file(read: Callable[[Path], Values], path: Path) -> Values:
    try:
        return read(path)
    except (OSError, SafetensorError, ValueError, KeyError) as error:
        raise ModelFolderError(f"{path} cannot be read: {error}") from error


def _usable(tensor: Tensor) -> bool:
    return tensor.dtype.is_floating_point and bool(tensor.float().isfinite().all())
