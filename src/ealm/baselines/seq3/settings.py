"""Settings of SEQ3; where the default is not the paper's, docs/baselines.md says so."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ealm.common.errors import SettingsError

WIDEST_EMBEDDING = 384
"""Width of the word table that the embeddings are reduced from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seq3Settings:
    """Sizes, lengths, weights of the losses and how to learn."""

    vocabulary: int = 15_000
    """Most words that are known; the others are copied through placeholders."""
    least_count: int = 2
    """A word must be seen so often to be known."""
    placeholders: int = 10
    """Different unknown words of a sentence that can be told apart."""
    candidates: int = 3_000
    """Words that an update looks at; from the size of the vocabulary on, it is all of them."""
    max_words: int = 60
    """Longer sentences are not learned from."""

    embedding_width: int = 100
    hidden: int = 256
    """Width of every LSTM; the encoder gives half of it to each direction."""
    encoder_layers: int = 1

    shortest: float = 0.4
    longest: float = 0.6
    """The length of a summary is drawn between these shares of the source's length."""
    inference_ratio: float = 0.5
    """Length of a summary at inference if none is asked for, as a share of the source's."""
    temperature: float = 0.5
    """Of the Gumbel-softmax: the lower, the nearer to a choice."""

    reconstruction_weight: float = 1.0
    prior_weight: float = 0.1
    topic_weight: float = 1.0
    length_weight: float = 0.1

    batch: int = 64
    learning_rate: float = 1e-3
    autoencoder_learning_rate: float = 2e-3
    """While learning to copy, which needs less care: every word is given, and none is drawn."""
    gradient_clip: float = 1.0
    dropout: float = 0.2
    """Share of each embedding that is hidden while learning."""
    word_dropout: float = 0.5
    """Share of the words that the reconstructor's decoder may not look back at."""
    validate_every: int = 100
    """Updates between two looks at the validation set."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_type(field.name, getattr(self, field.name), whole=field.type is int)
        _check_range(self, 1, math.inf, "vocabulary", "least_count", "hidden", "encoder_layers", "batch", "candidates")
        _check_range(self, 1, math.inf, "validate_every", "max_words")
        _check_range(self, 0, math.inf, "placeholders", "reconstruction_weight", "prior_weight")
        _check_range(self, 0, math.inf, "topic_weight", "length_weight")
        _check_range(self, 1, WIDEST_EMBEDDING, "embedding_width")
        _check_range(self, 1e-9, math.inf, "learning_rate", "autoencoder_learning_rate")
        _check_range(self, 1e-9, math.inf, "gradient_clip", "temperature")
        _check_range(self, 0, 0.99, "dropout", "word_dropout")
        _check_range(self, 0.01, 1, "shortest", "longest", "inference_ratio")
        if self.hidden % 2:
            raise SettingsError(f"hidden must be even, half for each direction of the encoder, got {self.hidden}.")
        if self.shortest > self.longest:
            raise SettingsError(f"shortest must not be above longest, got {self.shortest:g} and {self.longest:g}.")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Seq3Settings":
        """Settings as they were stored."""
        unknown = sorted(values.keys() - {field.name for field in fields(cls)})
        if unknown:
            raise SettingsError(f"There is no setting {unknown[0]!r} of SEQ3.")
        return cls(**values)


def _check_type(name: str, value: object, *, whole: bool) -> None:
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value):
        raise SettingsError(f"{name} must be a {'whole ' if whole else ''}number, got {value!r}.")


def _check_range(settings: Seq3Settings, least: float, most: float, *names: str) -> None:
    for name in names:
        value = getattr(settings, name)
        if not least <= value <= most:
            bounds = f"at least {least:g}" if most == math.inf else f"between {least:g} and {most:g}"
            raise SettingsError(f"{name} must be {bounds}, got {value:g}.")
