"""SEQ3 on disk: what a summarizer needs, and the checkpoint that a run is resumed from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from safetensors import SafetensorError
from torch import Tensor

from ealm.baselines.seq3.model import Seq3
from ealm.baselines.seq3.settings import Seq3Settings
from ealm.baselines.seq3.vocabulary import Vocabulary
from ealm.common.checkpoint import FORMAT, Kinds, SavedState
from ealm.common.errors import ModelFolderError, SettingsError
from ealm.common.storage import read_json, read_shapes, read_tensors, write_json, write_tensors

Variant = Literal["last", "best"]
"""SEQ3- has the weights of the last update, SEQ3+ those with the best score on the validation set."""

DESCRIPTION_FILE = "seq3.json"
VOCABULARY_FILE = "vocabulary.json"
WEIGHTS_FILES: Mapping[Variant, str] = {"last": "seq3-last.safetensors", "best": "seq3-best.safetensors"}
CHECKPOINT_FILE = "checkpoint.safetensors"
_LARGEST = {"encoder_layers": 100, "placeholders": 100_000, "hidden": 1 << 16}
"""What a description may ask for: a model is built of it, if only in shape, before it is compared with the weights."""


@dataclass(frozen=True, slots=True)
class SavedSeq3:
    """A trained model, in one of its variants."""

    settings: Seq3Settings
    vocabulary: Vocabulary
    weights: Mapping[str, Tensor]

    def build(self) -> Seq3:
        """The model itself."""
        model = _empty_model(self.vocabulary, self.settings)
        model.load_state_dict(dict(self.weights), assign=True)
        return model.requires_grad_(False)

    @classmethod
    def load(cls, folder: Path, *, variant: Variant) -> "SavedSeq3":
        """Read and check a folder."""
        if variant not in get_args(Variant):
            raise SettingsError(f"variant must be last (SEQ3-) or best (SEQ3+), got {variant!r}.")
        settings = _read_settings(folder / DESCRIPTION_FILE)
        vocabulary = _read_vocabulary(folder / VOCABULARY_FILE, settings)
        path = folder / WEIGHTS_FILES[variant]
        if variant == "best" and not path.is_file():
            raise ModelFolderError(
                f"{folder} has no best weights ({path.name} is missing): it was trained without a validation set, "
                f"or for less than {settings.validate_every} updates. Load the variant last."
            )
        return cls(settings, vocabulary, _read_weights(path, _empty_model(vocabulary, settings)))


def write_description(folder: Path, settings: Seq3Settings, vocabulary: Vocabulary) -> None:
    """Write what all variants share; the weights come before it, so that a described folder is whole."""
    write_json(folder / VOCABULARY_FILE, list(vocabulary.words))
    write_json(folder / DESCRIPTION_FILE, {"format": FORMAT, "settings": settings.to_dict()})


def write_variant(folder: Path, variant: Variant, weights: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    """Write the weights of a variant; the facts say where they come from."""
    write_tensors(folder / WEIGHTS_FILES[variant], weights, {"ealm": json.dumps({"variant": variant, **facts})})


def _empty_model(vocabulary: Vocabulary, settings: Seq3Settings) -> Seq3:
    """A model without numbers: a damaged file may ask for any size."""
    with torch.device("meta"):
        table = torch.empty(vocabulary.size, settings.embedding_width)
        return Seq3(table, placeholders=vocabulary.placeholders, settings=settings)


def _read_settings(path: Path) -> Seq3Settings:
    if not path.is_file():
        raise ModelFolderError(f"No trained SEQ3 in {path.parent} ({path.name} is missing). Train one there first.")
    description = _read_json(path)
    if not isinstance(description, dict) or not isinstance(description.get("settings"), dict):
        raise ModelFolderError(f"{path} is damaged: 'settings' is missing.")
    if description.get("format") != FORMAT:
        raise ModelFolderError(
            f"{path} has format {description.get('format')}, this version of ealm reads format {FORMAT}. Train it anew."
        )
    try:
        settings = Seq3Settings.from_dict(description["settings"])
    except (SettingsError, OverflowError, RecursionError) as error:  # numbers of thousands of digits, for one
        raise ModelFolderError(f"{path} is damaged: {error}") from error
    if any(getattr(settings, name) > largest for name, largest in _LARGEST.items()):
        raise ModelFolderError(f"{path} is damaged: there is no model of that size.")
    return settings


def _read_vocabulary(path: Path, settings: Seq3Settings) -> Vocabulary:
    words = _read_json(path)
    if not isinstance(words, list) or not all(isinstance(word, str) and word.split() == [word] for word in words):
        raise ModelFolderError(f"{path} is damaged: expected a list of words.")
    return Vocabulary(tuple(words), settings.placeholders)


def _read_json(path: Path) -> Any:
    try:
        return read_json(path)
    except (OSError, ValueError) as error:
        raise ModelFolderError(f"{path} cannot be read: {error}") from error


def _read_weights(path: Path, model: Seq3) -> dict[str, Tensor]:
    expected = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    try:
        found = read_shapes(path)
        weights = read_tensors(path) if found == expected else {}
    except (OSError, SafetensorError, ValueError) as error:
        raise ModelFolderError(f"{path} cannot be read: {error}") from error
    different = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
    different += [name for name, tensor in weights.items() if tensor.dtype != torch.float32]
    if different:
        raise ModelFolderError(f"{path} does not fit {DESCRIPTION_FILE} and {VOCABULARY_FILE}: see {min(different)}.")
    return weights


_CHECKPOINT_KINDS: Kinds = {
    "identity": dict,
    "phase": str,
    "updates": int,
    "seconds": (int, float),
    "best": (dict, type(None)),
}


def load_checkpoint(folder: Path) -> SavedState | None:
    """The folder's checkpoint, or None if there is none."""
    return SavedState.load(folder / CHECKPOINT_FILE, _CHECKPOINT_KINDS)
