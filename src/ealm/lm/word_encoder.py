"""Encodings of the words of a sentence by the bundled sentence encoder.

How much a word contributes to the meaning of its sentence can be read from one forward pass of a similarity model, far
better than from one of a language model; and a word outside the vocabulary is encoded by its pieces.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ealm.lm.sentence_encoder import MAX_TOKENS, SentenceEncoder

_MOST_PIECES = 16
"""Pieces of a word that are encoded: a link of a thousand characters tells no more than its beginning."""

_STATE_SCALE, _SHARE_SCALE = 3.0, 0.5
"""Bring the encodings to the size that a network learns from best."""

_NUMBERS = 3


class WordEncoder:
    """Gives each word its state in context, and the projections of that state on the sentence vector."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self.state_width = encoder.width
        self.width = self.state_width + _NUMBERS
        self.layers_width = encoder.width * encoder.layers

    @classmethod
    def load(cls, *, device: str = "cpu", engine: str = "torch") -> "WordEncoder":
        """With the bundled encoder."""
        return cls(SentenceEncoder.load(device=device, engine=engine))

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """(words, width) of each sentence."""
        return [states.encodings for states in self._encode(sentences, all_layers=False)]

    def encode_layers(self, sentences: Sequence[Sequence[str]]) -> "list[WordStates]":
        """What `encode` gives and, from the same forward pass, the states of all layers."""
        return self._encode(sentences, all_layers=True)

    def _encode(self, sentences: Sequence[Sequence[str]], *, all_layers: bool) -> "list[WordStates]":
        windows = [list(_windows(pieces)) for pieces in self._pieces(sentences)]
        encoded = iter(self._encoded([window for row in windows for window in row], all_layers=all_layers))
        layers_width = self.layers_width if all_layers else self._encoder.width
        nothing = WordStates(torch.empty(0, self.width), torch.empty(0, layers_width))
        return [_joined([next(encoded) for _ in row]) if row else nothing for row in windows]

    def _pieces(self, sentences: Sequence[Sequence[str]]) -> list[list[list[int]]]:
        """Ids of the pieces of each word; a word that the tokenizer drops counts as unknown."""
        tokenizer = self._encoder.tokenizer
        batch = tokenizer.backend_tokenizer.encode_batch(
            [list(words) for words in sentences], is_pretokenized=True, add_special_tokens=False
        )
        rows = []
        for words, encoded in zip(sentences, batch, strict=True):
            pieces: list[list[int]] = [[] for _ in words]
            for number, index in zip(encoded.ids, encoded.word_ids, strict=True):
                if index is not None and len(pieces[index]) < _MOST_PIECES:
                    pieces[index].append(number)
            rows.append([own or [tokenizer.unk_token_id] for own in pieces])
        return rows

    def _encoded(self, windows: "Sequence[_Window]", *, all_layers: bool) -> "list[WordStates]":
        found: dict[int, WordStates] = {}
        for row, states, vector in self._encoder.states([window.ids for window in windows], all_layers=all_layers):
            found[row] = _of_words(states, windows[row].words.to(states.device), vector)
        return [found[row] for row in range(len(windows))]


@dataclass(frozen=True, slots=True)
class WordStates:
    """What one forward pass says of the words of a sentence."""

    encodings: Tensor
    """(words, width of the encoder of words), as from `WordEncoder.encode`."""
    layers: Tensor
    """(words, layers * width of a layer): means over the pieces of each word, the last layer last."""


@dataclass(frozen=True, slots=True)
class _Window:
    """Words that are encoded in the same pass."""

    ids: list[int]
    """Of their pieces."""
    words: Tensor
    """The word of each piece, by its index in the window."""


def _windows(words: Sequence[Sequence[int]]) -> Iterator[_Window]:
    """Cut a sentence where the next word would not fit any more."""
    ids: list[int] = []
    indices: list[int] = []
    first = 0
    for index, pieces in enumerate(words):
        if ids and len(ids) + len(pieces) > MAX_TOKENS - 2:
            yield _Window(ids, torch.tensor(indices))
            ids, indices, first = [], [], index
        ids += pieces
        indices += [index - first] * len(pieces)
    if ids:
        yield _Window(ids, torch.tensor(indices))


def _joined(windows: Sequence[WordStates]) -> WordStates:
    if len(windows) == 1:
        return windows[0]
    encodings, layers = ([getattr(window, name) for window in windows] for name in ("encodings", "layers"))
    return WordStates(torch.cat(encodings), torch.cat(layers))


def _of_words(states: Tensor, words: Tensor, vector: Tensor) -> WordStates:
    """Encodings of words from the states of their pieces and the vector of the sentence."""
    count = int(words[-1]) + 1
    pieces = torch.bincount(words, minlength=count).to(states.dtype)[:, None]
    summed = torch.zeros(count, states.shape[1], device=states.device).index_add_(0, words, states)
    layers = summed / pieces
    last, last_sum = layers[:, -len(vector) :], summed[:, -len(vector) :]
    shares = torch.stack([last @ vector, last_sum @ vector], dim=1)
    return WordStates(torch.cat([_STATE_SCALE * last, _SHARE_SCALE * shares, pieces], dim=1), layers)
