"""Stand-ins for the encoder and the teacher of a parser: small, fast, and learnable."""

from collections.abc import Sequence

import torch

from ealm.grammar.protocol import NO_HEAD, Parse
from ealm.lm.word_encoder import WordStates

INPUTS = 12


class FakeWordEncoder:
    """States that depend on the word and its index alone."""

    layers_width = INPUTS

    def encode_layers(self, sentences: Sequence[Sequence[str]]) -> list[WordStates]:
        return [WordStates(torch.empty(len(words), 0), self.states(words)) for words in sentences]

    def states(self, words: Sequence[str]) -> torch.Tensor:
        rows = [
            torch.randn(INPUTS, generator=torch.Generator().manual_seed(len(word) + 31 * min(index, 1)))
            for index, word in enumerate(words)
        ]
        return torch.stack(rows) if rows else torch.empty(0, INPUTS)


class ChainGrammar:
    """Every word hangs on the word before it; relation and tag tell whether it is long."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        return [
            Parse(
                tuple(range(NO_HEAD, len(words) - 1)),
                tuple(self._name(word, "dobj", "det") if index else "ROOT" for index, word in enumerate(words)),
                tuple(self._name(word, "NN", "DT") for word in words),
            )
            for words in sentences
        ]

    def _name(self, word: str, long: str, short: str) -> str:
        return long if len(word) > 3 else short
