"""Encodings of the words of a sentence, the agent's input, by the model that the agent was trained with."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor

from ealm.common.config import Settings
from ealm.lm.masked_lm import MaskedLM
from ealm.lm.word_encoder import WordEncoder
from ealm.paper.source import Source


class SourceEncoder(Protocol):
    """Encodes sentences for an agent (e_i)."""

    width: int
    """Length of an encoding."""
    state_width: int
    """How much of it, from the start, is the state of the word in its sentence."""

    def __call__(self, sources: Sequence[Source]) -> list[Tensor]:
        """(words, width) of each sentence."""
        ...


class LanguageModelEncoder:
    """The last layer of the language model, as in the paper (section 4.1)."""

    def __init__(self, lm: MaskedLM) -> None:
        self._lm = lm
        self.width = self.state_width = lm.width

    def __call__(self, sources: Sequence[Source]) -> list[Tensor]:
        return self._lm.encode([source.ids for source in sources])


class SentenceModelEncoder:
    """The last layer of the bundled sentence encoder (setting `goal.agent.sees` = "meaning")."""

    def __init__(self, encoder: WordEncoder) -> None:
        self.encoder = encoder
        self.width, self.state_width = encoder.width, encoder.state_width

    def __call__(self, sources: Sequence[Source]) -> list[Tensor]:
        return self.encoder.encode([source.words for source in sources])


def source_encoder(settings: Settings, lm: MaskedLM, *, device: str = "cpu", engine: str = "torch") -> SourceEncoder:
    """The encoder that an agent with these settings was trained with; `engine` runs it if it is the bundled one."""
    if settings.method == "goal" and settings.goal.agent.sees == "meaning":
        return SentenceModelEncoder(WordEncoder.load(device=device, engine=engine))
    return LanguageModelEncoder(lm)
