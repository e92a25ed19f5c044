"""Fitted models on disk: settings and vocabulary in JSON, weights in safetensors."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from safetensors import SafetensorError

from ealm.baselines.cmatch.causal_lm import CausalLM
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.vocabulary import Vocabulary
from ealm.common.errors import ModelFolderError, SettingsError
from ealm.common.storage import read_json, read_shapes, read_tensors, write_json, write_tensors

Part = Literal["contextual", "fluency"]
"""The two language models: of sentences, and of headlines."""
PARTS: tuple[Part, ...] = get_args(Part)

DESCRIPTION_FILE = "cmatch.json"
VOCABULARY_FILE = "vocabulary.json"
_FORMAT = 2
"""In the first, both language models had the same embeddings for input and output."""
_MOST_LAYERS, _WIDEST = 100, 1 << 16
"""In a description; a model is built of them, if only in shape, before it is compared with the weights."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a folder says of its models."""

    settings: CMatchSettings
    seed: int
    corpora: dict[str, str]
    """Fingerprints of the text of each part."""

    def save(self, folder: Path, vocabulary: Vocabulary) -> None:
        """Write it, and the vocabulary before it."""
        write_json(folder / VOCABULARY_FILE, list(vocabulary.words))
        values = {"settings": self.settings.to_dict(), "seed": self.seed, "corpora": self.corpora}
        write_json(folder / DESCRIPTION_FILE, {"format": _FORMAT, **values})

    @classmethod
    def load(cls, folder: Path) -> "Description":
        """Read and check it."""
        path = folder / DESCRIPTION_FILE
        if not path.is_file():
            raise ModelFolderError(f"No CMatch models in {folder} ({DESCRIPTION_FILE} is missing). Train them first.")
        values = _read_json(path)
        kinds = {"format": int, "settings": dict, "seed": int, "corpora": dict}
        if not isinstance(values, dict):
            raise ModelFolderError(f"{path} is damaged: expected an object.")
        for name, kind in kinds.items():
            if not isinstance(values.get(name), kind):
                raise ModelFolderError(f"{path} is damaged: {name!r} is missing or of the wrong type.")
        if values["format"] != _FORMAT:
            raise ModelFolderError(f"{path} was written by another version of ealm. Train the models anew.")
        try:
            settings = CMatchSettings.from_dict(values["settings"])
        except (SettingsError, OverflowError, RecursionError) as error:  # numbers of thousands of digits, for one
            raise ModelFolderError(f"{path} is damaged: {error}") from error
        if settings.layers > _MOST_LAYERS or settings.width > _WIDEST:
            raise ModelFolderError(f"{path} is damaged: there is no model of that size.")
        return cls(settings, values["seed"], values["corpora"])


def weights_file(part: Part) -> str:
    """Name of the file of a language model."""
    return f"{part}_lm.safetensors"


def save_model(folder: Path, part: Part, model: CausalLM) -> None:
    """Write a language model as it is used."""
    write_tensors(folder / weights_file(part), model.state_dict())


def load_vocabulary(folder: Path) -> Vocabulary:
    """Read and check the vocabulary."""
    path = folder / VOCABULARY_FILE
    words = _read_json(path)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelFolderError(f"{path} is damaged: expected a list of words.")
    return Vocabulary(words)


def load_model(folder: Path, part: Part, words: int, settings: CMatchSettings) -> CausalLM:
    """Read a language model for a vocabulary of that size, ready for use."""
    path = folder / weights_file(part)
    if not path.is_file():
        raise ModelFolderError(f"{folder} has no {part} language model yet. Resume its training.")
    with torch.device("meta"):  # a damaged description may ask for any size: check before anything is allocated
        model = CausalLM(words, settings.embedding_width, settings.width, settings.layers)
    try:
        if read_shapes(path) != {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}:
            raise ValueError(f"it does not fit {DESCRIPTION_FILE} or {VOCABULARY_FILE}")
        weights = read_tensors(path)
    except (OSError, SafetensorError, ValueError) as error:
        raise ModelFolderError(f"{path} is damaged: {error}. Train the models anew.") from error
    model.load_state_dict(weights, assign=True)
    return model.eval().requires_grad_(False)


def _read_json(path: Path) -> Any:
    try:
        return read_json(path)
    except (OSError, ValueError) as error:
        raise ModelFolderError(f"{path} cannot be read: {error}") from error
