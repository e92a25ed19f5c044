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
        self.width = encoder.width + _NUMBERS

    @classmethod
    def load(cls, *, device: str = "cpu") -> "WordEncoder":
        """With the bundled encoder."""
        return cls(SentenceEncoder.load(device=device))

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """(words, width) of each sentence."""
        windows = [list(_windows(pieces)) for pieces in self._pieces(sentences)]
        encoded = iter(self._encoded([window for row in windows for window in row]))
        return [torch.cat([next(encoded) for _ in row]) if row else torch.empty(0, self.width) for row in windows]

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

    def _encoded(self, windows: "Sequence[_Window]") -> list[Tensor]:
        found: list[Tensor] = [torch.empty(0)] * len(windows)
        for row, states, vector in self._encoder.states([window.ids for window in windows]):
            found[row] = _of_words(states, windows[row].words.to(states.device), vector)
        return found


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
        ids = [*ids, *pieces]
        indices += [index - first] * len(pieces)
    if ids:
        yield _Window(ids, torch.tensor(indices))


def _of_words(states: Tensor, words: Tensor, vector: Tensor) -> Tensor:
    """Encodings of words from the states of their pieces and the vector of the sentence: (words, width)."""
    count = int(words[-1]) + 1
    pieces = torch.bincount(words, minlength=count).to(states.dtype)[:, None]
    summed = torch.zeros(count, states.shape[1], device=states.device).index_add_(0, words, states)
    mean = summed / pieces
    shares = torch.stack([mean @ vector, summed @ vector], dim=1)
    return torch.cat([_STATE_SCALE * mean, _SHARE_SCALE * shares, pieces], dim=1)
