"""All settings of CMatch: those of the language models, of fitting them, and of the search."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from ealm.common.errors import SettingsError

GREATEST_WIDTH = 384
"""Width of the word table that both language models start from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CMatchSettings:
    """Defaults are the published values where there are such."""

    # Both language models
    width: int = 192
    """Of embeddings and LSTM layers; below 384 the word table is reduced to its principal components."""
    layers: int = 2
    vocabulary_words: int = 16_000
    least_count: int = 2
    """A word must occur so often among the sentences to be known."""

    # Fitting them
    contextual_share: float = 0.5
    """Part of the time that the contextual encoder gets; the fluency model gets the rest."""
    learning_rate: float = 2e-3
    warm_up_updates: int = 50
    tokens_per_update: int = 1_024
    negative_words: int = 2_048
    """Words drawn for an update to estimate the softmax with; 0 takes the whole vocabulary."""
    dropout: float = 0.1
    weight_decay: float = 0.01
    gradient_clip: float = 1.0
    longest_sentence: int = 60
    """Longer sentences are left out of fitting."""
    log_every_updates: int = 100

    # Search
    beam: int = 10
    candidates_per_word: int = 6
    """K: a source word stands for itself and its nearest words, so many in all; 1 is extractive."""
    fluency_weight: float = 0.11
    """lambda: exponent of the fluency model in the product of experts."""
    length_exponent: float = 0.1
    """alpha: the score of a finished summary is divided by its number of words to this power."""
    max_words: int = 15
    """Longest summary if no length is asked for."""
    strictly_forward: bool = True
    """Whether a word is aligned behind the one before it; otherwise at or behind its place."""
    normalised_matching: bool = False
    """Whether the matching scores of a step are a softmax over all candidates; otherwise its normaliser is left out."""
    smoothing_words: int = 1
    """The fluency of a word is the sum over its nearest words, so many in all, itself included; 1 is no smoothing."""
    max_source_words: int = 200
    """Words behind these are not read."""

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            _check_type(name, getattr(self, name), kind)
        for name in _COUNTS:
            _check(name, getattr(self, name), least=1)
        _check("width", self.width, least=2, most=GREATEST_WIDTH)
        _check("negative_words", self.negative_words, least=0)
        _check("dropout", self.dropout, least=0, most=0.9)
        _check("contextual_share", self.contextual_share, least=0.01, most=0.99)
        for name in ("weight_decay", "fluency_weight", "length_exponent"):
            _check(name, getattr(self, name), least=0)
        for name in ("learning_rate", "gradient_clip"):
            if not getattr(self, name) > 0:
                raise SettingsError(f"{name} must be above 0, got {getattr(self, name):g}.")

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "CMatchSettings":
        """The reverse; fields that are not named keep their defaults."""
        unknown = sorted(values.keys() - {field.name for field in dataclasses.fields(cls)})
        if unknown:
            raise SettingsError(f"There is no setting {unknown[0]!r} of CMatch.")
        return cls(**values)


SEARCH_SETTINGS = frozenset(
    """
    beam candidates_per_word fluency_weight length_exponent max_words strictly_forward normalised_matching
    smoothing_words max_source_words
    """.split()
)
"""What may be changed after fitting."""

_COUNTS = """
layers vocabulary_words least_count warm_up_updates tokens_per_update longest_sentence log_every_updates beam
candidates_per_word max_words smoothing_words max_source_words
""".split()


def _check_type(name: str, value: object, kind: type) -> None:
    allowed = (int, float) if kind is float else kind
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
        raise SettingsError(f"{name} must be {kind.__name__}, got {value!r}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise SettingsError(f"{name} must be a finite number, got {value}.")


def _check(name: str, value: float, *, least: float, most: float = math.inf) -> None:
    if not least <= value <= most:
        upper = f" and at most {most:g}" if most < math.inf else ""
        raise SettingsError(f"{name} must be at least {least:g}{upper}, got {value:g}.")
