"""Words in their sentence as the embedded sentence encoder sees them.

What a word carries of the meaning of its sentence can be told from one look of the model that tells similarity, far
better than from a look of a language model, and unknown words are seen by their parts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ealm.common.storage import read_tensors
from ealm.lm import bundled as embedded
from ealm.lm.batching import rows_by_length
from ealm.lm.bert import LightBertConfig, LightTokenizer, light_encoder

_TOKEN_BUDGET = 4_096
_LONGEST_WINDOW = 256
"""Tokens in a look: what the encoder was trained with. A longer sentence takes several."""

_MOST_PIECES = 16
"""Pieces of a word that are looked at: a link of a thousand characters tells no more than its beginning."""

_STATE_SCALE, _SHARE_SCALE = 3.0, 0.5
"""Bring what the encoder gives to the size that a network learns from best."""

_NUMBERS = 3


class MeaningEncoder:
    """Gives each word its state in context, and how much of the sentence's vector points its way."""

    def __init__(self, encoder: nn.Module, tokenizer: LightTokenizer, *, width: int) -> None:
        """`width` is that of the encoder's states."""
        self._encoder = encoder
        self._tokenizer = tokenizer
        self.width = width + _NUMBERS

    @classmethod
    def load(cls, *, device: str = "cpu") -> "MeaningEncoder":
        """The embedded encoder."""
        folder = embedded.encoder_folder()
        config = LightBertConfig.read(folder / "config.json")
        encoder = light_encoder(config, read_tensors(folder / "model.safetensors")).to(device)
        return cls(encoder, LightTokenizer.read(folder / "tokenizer.json"), width=config.hidden_size)

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """(words, width) of each sentence."""
        windows = [list(_windows(pieces)) for pieces in self._pieces(sentences)]
        looks = iter(self._look([window for row in windows for window in row]))
        return [torch.cat([next(looks) for _ in row]) if row else torch.empty(0, self.width) for row in windows]

    def _pieces(self, sentences: Sequence[Sequence[str]]) -> list[list[list[int]]]:
        """Ids of the pieces of each word; a word that the tokenizer drops counts as unknown."""
        backend = self._tokenizer.backend_tokenizer
        batch = backend.encode_batch(
            [list(words) for words in sentences], is_pretokenized=True, add_special_tokens=False
        )
        rows = []
        for words, encoded in zip(sentences, batch, strict=True):
            pieces: list[list[int]] = [[] for _ in words]
            for number, place in zip(encoded.ids, encoded.word_ids, strict=True):
                if place is not None and len(pieces[place]) < _MOST_PIECES:
                    pieces[place].append(number)
            rows.append([own or [self._tokenizer.unk_token_id] for own in pieces])
        return rows

    def _look(self, windows: "Sequence[_Window]") -> list[Tensor]:
        found: list[Tensor] = [torch.empty(0)] * len(windows)
        for rows in rows_by_length([len(window.ids) + 2 for window in windows], _TOKEN_BUDGET):
            for row, encoding in zip(rows, self._look_at_once([windows[row] for row in rows]), strict=True):
                found[row] = encoding
        return found

    @torch.no_grad()
    def _look_at_once(self, windows: "Sequence[_Window]") -> Iterator[Tensor]:
        device = next(self._encoder.parameters()).device
        start, end, padding = (getattr(self._tokenizer, f"{name}_token_id") for name in ("cls", "sep", "pad"))
        rows = [torch.tensor([start, *window.ids, end]) for window in windows]
        ids = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=padding).to(device)
        attention = nn.utils.rnn.pad_sequence([torch.ones_like(row) for row in rows], batch_first=True).to(device)
        states: Tensor = self._encoder(ids, attention_mask=attention)[0]  # (windows, tokens, states' width)
        whole = (states * attention[..., None]).sum(dim=1) / attention.sum(dim=1, keepdim=True)
        whole = nn.functional.normalize(whole, dim=-1)
        for window, state, direction in zip(windows, states, whole, strict=True):
            yield _of_words(state[1 : len(window.ids) + 1], window.words.to(device), direction)


@dataclass(frozen=True, slots=True)
class _Window:
    """Words that are looked at together."""

    ids: list[int]
    """Of their pieces."""
    words: Tensor
    """The word of each piece, by its place in the window."""


def _windows(words: Sequence[Sequence[int]]) -> Iterator[_Window]:
    """Cut a sentence where the next word would not fit any more."""
    ids: list[int] = []
    places: list[int] = []
    first = 0
    for place, pieces in enumerate(words):
        if ids and len(ids) + len(pieces) > _LONGEST_WINDOW - 2:
            yield _Window(ids, torch.tensor(places))
            ids, places, first = [], [], place
        ids = [*ids, *pieces]
        places += [place - first] * len(pieces)
    if ids:
        yield _Window(ids, torch.tensor(places))


def _of_words(states: Tensor, words: Tensor, direction: Tensor) -> Tensor:
    """What is known of each word from the states of its pieces: (words, width)."""
    count = int(words[-1]) + 1
    pieces = torch.bincount(words, minlength=count).to(states.dtype)[:, None]
    summed = torch.zeros(count, states.shape[1], device=states.device).index_add_(0, words, states)
    mean = summed / pieces
    shares = torch.stack([mean @ direction, summed @ direction], dim=1)
    return torch.cat([_STATE_SCALE * mean, _SHARE_SCALE * shares, pieces], dim=1)
