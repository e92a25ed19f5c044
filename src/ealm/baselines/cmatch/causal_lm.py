"""A left-to-right language model of LSTM layers: over whole sentences to fit it, word by word to search with it."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ealm.baselines.cmatch.vocabulary import START


@dataclass(frozen=True, slots=True)
class LmState:
    """What the LSTM layers hold after some words; both (layers, ..., width)."""

    hidden: Tensor
    cell: Tensor

    @property
    def top(self) -> Tensor:
        """What the next word is predicted from: (..., width)."""
        return self.hidden[-1]


class CausalLM(nn.Module):
    """Predicts each word from those before it; input and output have word embeddings of their own.

    Those of the input are given, not fitted. Those of the output come to lie close for words that can replace each
    other ("Monday" and "Tuesday"), so that they cannot tell which words mean the same.
    """

    def __init__(self, words: int, embedding_width: int, width: int, layers: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding_width).requires_grad_(False)
        widths = [embedding_width, *[width] * layers]
        self.layers = nn.ModuleList(nn.LSTM(below, width, batch_first=True) for below in widths[:-1])
        self.output = nn.Linear(width, embedding_width)
        self.output_words = nn.Linear(embedding_width, words)
        self.dropout = nn.Dropout(dropout)

    def read(self, ids: Tensor) -> list[Tensor]:
        """The embedding and every layer's output after each word; each (rows, words, its width).

        `ids` are (rows, words), each row with the start token first; what follows a word does not change anything.
        """
        outputs = [self.dropout(self.embedding(ids))]
        for layer in self.layers:
            outputs.append(self.dropout(layer(outputs[-1])[0]))
        return outputs

    def log_probabilities(self, top: Tensor) -> Tensor:
        """Of every word to be the next: (..., vocabulary)."""
        scores: Tensor = self.output_words(self.output(top))
        return scores.log_softmax(dim=-1)

    def start(self, *shape: int) -> LmState:
        """The state after the start token, for rows of any shape."""
        empty = torch.zeros(len(self.layers), self.output.in_features)
        state = self.advance(LmState(empty, empty), self.first_gates(torch.tensor(START)))
        size = (len(self.layers), *shape, self.output.in_features)
        one = (len(self.layers), *(1 for _ in shape), self.output.in_features)
        return LmState(state.hidden.view(one).expand(size), state.cell.view(one).expand(size))

    def first_gates(self, ids: Tensor) -> Tensor:
        """What words contribute to the gates of the first layer, whatever stands before them: (..., 4 width)."""
        weights, _, bias = self._gate_weights(0)
        return nn.functional.linear(self.embedding(ids), weights, bias)

    def advance(self, state: LmState, first_gates: Tensor) -> LmState:
        """Go on with words, given by their gates (..., 4 width), from states (layers, ..., width).

        Both are broadcast, so that every state can go on with every word: products with weights are made once a state
        or once a word where they depend on nothing else.
        """
        hidden: list[Tensor] = []
        cell: list[Tensor] = []
        from_below = first_gates
        for number in range(len(self.layers)):
            weights, before, bias = self._gate_weights(number)
            if number:
                from_below = nn.functional.linear(hidden[-1], weights, bias)
            gates = from_below + nn.functional.linear(state.hidden[number], before)
            output, kept = lstm_cell(gates, state.cell[number])
            hidden.append(output)
            cell.append(kept)
        return LmState(torch.stack(hidden), torch.stack(cell))

    def _gate_weights(self, number: int) -> tuple[Tensor, Tensor, Tensor]:
        """Of a layer: for what comes from below, for what it held before, and the bias."""
        from_below, before, bias, second_bias = self.layers[number].parameters()
        return from_below, before, bias + second_bias


def lstm_cell(gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    """Output and cell of an LSTM from the sum of all that its gates (..., 4 width) take in."""
    enter, forget, candidate, leave = gates.chunk(4, dim=-1)
    cell = forget.sigmoid() * cell + enter.sigmoid() * candidate.tanh()
    return leave.sigmoid() * cell.tanh(), cell
