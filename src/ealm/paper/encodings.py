"""What agents see of a sentence: encodings of its words, by the model that the agent was trained with."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor

from ealm.common.config import Settings
from ealm.lm.masked_lm import MaskedLM
from ealm.lm.word_encoder import WordEncoder
from ealm.paper.source import Source


class Look(Protocol):
    """Encodes sentences for an agent."""

    width: int
    """Length of an encoding."""

    def __call__(self, sources: Sequence[Source]) -> list[Tensor]:
        """(words, width) of each sentence."""
        ...


class LanguageModelLook:
    """The last layer of the language model, as in the paper (section 4.1)."""

    def __init__(self, lm: MaskedLM) -> None:
        self._lm = lm
        self.width = lm.width

    def __call__(self, sources: Sequence[Source]) -> list[Tensor]:
        return self._lm.encode([source.ids for source in sources])


class MeaningLook:
    """The last layer of the embedded sentence encoder."""

    def __init__(self, encoder: WordEncoder) -> None:
        self._encoder = encoder
        self.width = encoder.width

    def __call__(self, sources: Sequence[Source]) -> list[Tensor]:
        return self._encoder.encode([source.words for source in sources])


def look_for(settings: Settings, lm: MaskedLM, *, device: str = "cpu") -> Look:
    """The look that an agent with these settings needs."""
    if settings.method == "goal" and settings.goal.agent.sees == "meaning":
        return MeaningLook(WordEncoder.load(device=device))
    return LanguageModelLook(lm)
