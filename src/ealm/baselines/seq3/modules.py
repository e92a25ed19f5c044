"""The parts of an attentional encoder-decoder: a bidirectional encoder and a decoder with input feeding."""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ealm.baselines.seq3.candidates import Candidates

LOW = -1e4
"""Score of what must not be chosen: its probability is 0, and 0 times its logarithm still 0."""


@dataclass(frozen=True, slots=True)
class Memory:
    """An encoded sentence, as the decoder attends to it."""

    states: Tensor  # (rows, words, hidden)
    padding: Tensor  # (rows, words), true where there is no word
    summary: Tensor  # (rows, 2 * hidden): last states and cells of both directions


@dataclass(frozen=True, slots=True)
class Words:
    """The words that can be read and written: all, or those of an update."""

    table: Tensor  # (words, width)
    candidates: Candidates | None = None

    @classmethod
    def of(cls, table: Tensor, candidates: Candidates | None = None) -> "Words":
        """The candidates of a table of all words; None are all."""
        return cls(table if candidates is None else table[candidates.numbers], candidates)

    def scores(self, states: Tensor, bias: Tensor) -> Tensor:
        """Scores of the words: (..., words), from states (..., width) and a bias for each word of the vocabulary."""
        chosen = self.candidates
        bias = bias if chosen is None else bias[chosen.numbers] + chosen.correction
        return nn.functional.linear(states, self.table, bias)


class Encoder(nn.Module):
    """Bidirectional LSTM over embeddings."""

    def __init__(self, *, width: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden // 2, num_layers=layers, bidirectional=True, batch_first=True)

    def forward(self, embeddings: Tensor, lengths: Tensor) -> Memory:
        """Encode rows of at least one word each: embeddings (rows, words, width), lengths (rows)."""
        words = embeddings.shape[1]
        packed = pack_padded_sequence(embeddings, lengths, batch_first=True, enforce_sorted=False)
        states, (last, cells) = self.lstm(packed)
        unpacked, _ = pad_packed_sequence(states, batch_first=True, total_length=words)
        padding = torch.arange(words)[None] >= lengths[:, None]
        # The two directions of the top layer, the state of each before its cell.
        summary = torch.cat((last[-2], last[-1], cells[-2], cells[-1]), dim=1)
        return Memory(unpacked, padding, summary)


@dataclass(frozen=True, slots=True)
class DecoderState:
    """A decoder between two words."""

    hidden: Tensor  # (rows, hidden)
    cell: Tensor  # (rows, hidden)
    attended: Tensor  # (rows, hidden)


class Decoder(nn.Module):
    """LSTM with general attention whose result is fed back as input (Luong et al., 2015)."""

    def __init__(self, *, width: int, hidden: int, words: int, extra: int = 0) -> None:
        """`extra` is how many input numbers there are beside the last word."""
        super().__init__()
        self.cell = nn.LSTMCell(width + hidden + extra, hidden)
        self.match = nn.Linear(hidden, hidden, bias=False)
        self.mix = nn.Linear(2 * hidden, hidden, bias=False)
        self.to_words = nn.Linear(hidden, width)
        self.word_bias = nn.Parameter(torch.zeros(words))

    def keys(self, memory: Memory) -> Tensor:
        """What each step compares its state with, worked out once: (rows, words, hidden)."""
        return cast(Tensor, self.match(memory.states))

    def step(self, given: Tensor, state: DecoderState, *, memory: Memory, keys: Tensor) -> DecoderState:
        """One step; `given` is the last word's embedding and other inputs: (rows, width + extra)."""
        hidden, cell = self.cell(torch.cat((given, state.attended), dim=1), (state.hidden, state.cell))
        matches = torch.bmm(keys, hidden[:, :, None])[:, :, 0]  # (rows, words)
        attention = matches.masked_fill(memory.padding, LOW).softmax(dim=1)
        context = torch.bmm(attention[:, None], memory.states)[:, 0]  # (rows, hidden)
        return DecoderState(hidden, cell, torch.tanh(self.mix(torch.cat((context, hidden), dim=1))))

    def scores(self, attended: Tensor, words: Words) -> Tensor:
        """Scores of words, by the table that is also the input's: (..., words)."""
        return words.scores(self.to_words(attended), self.word_bias)


class FirstState(nn.Module):
    """The state a decoder starts from, from the encoded source and, if given, the length."""

    _UNIT = 10.0
    """Lengths are in tens of words: the inputs are about one."""

    def __init__(self, *, hidden: int, length_aware: bool) -> None:
        super().__init__()
        self.project = nn.Linear(2 * hidden + (hidden if length_aware else 0), 2 * hidden)
        self.length_vector = nn.Parameter(0.1 * torch.randn(hidden)) if length_aware else None

    def forward(self, memory: Memory, lengths: Tensor | None = None) -> DecoderState:
        """Start for each row: the length times a learned vector beside the encoding, projected."""
        given = memory.summary
        if self.length_vector is not None:
            assert lengths is not None
            given = torch.cat((given, lengths[:, None] / self._UNIT * self.length_vector), dim=1)
        hidden, cell = torch.tanh(self.project(given)).chunk(2, dim=1)
        return DecoderState(hidden, cell, torch.zeros_like(hidden))
