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
    """Predicts each word from those before it; the word embeddings are also those of the output."""

    def __init__(self, words: int, width: int, layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.ModuleList(nn.LSTM(width, width, batch_first=True) for _ in range(layers))
        self.output = nn.Linear(width, width)
        self.bias = nn.Parameter(torch.zeros(words))
        self.dropout = nn.Dropout(dropout)

    def read(self, ids: Tensor) -> list[Tensor]:
        """The embedding and every layer's output after each word; each (rows, words, width).

        `ids` are (rows, words), each row with the start token first; what follows a word does not change anything.
        """
        outputs = [self.dropout(self.embedding(ids))]
        for layer in self.layers:
            outputs.append(self.dropout(layer(outputs[-1])[0]))
        return outputs

    def predictions(self, top: Tensor) -> Tensor:
        """What is compared with the embeddings of the words that may follow: (..., width)."""
        prediction: Tensor = self.output(top)
        return prediction

    def log_probabilities(self, top: Tensor) -> Tensor:
        """Of every word to be the next: (..., vocabulary)."""
        scores = nn.functional.linear(self.predictions(top), self.embedding.weight, self.bias)
        return scores.log_softmax(dim=-1)

    def start(self, *shape: int) -> LmState:
        """The state after the start token, for rows of any shape."""
        width = self.embedding.embedding_dim
        empty = torch.zeros(len(self.layers), 1, 1, width)
        gates = self.first_gates(torch.full((1, 1), START))
        first = torch.zeros(1, 1, dtype=torch.long)
        state = self.branch(LmState(empty, empty), gates, first, first)
        size = (len(self.layers), *shape, width)
        return LmState(
            state.hidden.view(len(self.layers), *(1 for _ in shape), width).expand(size),
            state.cell.view(len(self.layers), *(1 for _ in shape), width).expand(size),
        )

    def first_gates(self, ids: Tensor) -> Tensor:
        """What words contribute to the gates of the first layer, whatever stands before them: (..., 4 width)."""
        weights, _, bias = self._gate_weights(0)
        return nn.functional.linear(self.embedding(ids), weights, bias)

    def branch(self, state: LmState, first_gates: Tensor, parents: Tensor, words: Tensor) -> LmState:
        """Go on from chosen states with chosen words: (layers, rows, branches, width).

        State (layers, rows, beams, width), gates (rows, words, 4 width); `parents` and `words` (rows, branches) are
        indices in these. Products with weights are made once a state or once a word where they depend on nothing else,
        which spares most of the work.
        """
        rows = torch.arange(len(parents))[:, None]
        hidden: list[Tensor] = []
        cell: list[Tensor] = []
        from_below = first_gates[rows, words]  # (rows, branches, 4 width)
        for number in range(len(self.layers)):
            if number:
                weights, _, bias = self._gate_weights(number)
                from_below = nn.functional.linear(hidden[-1], weights, bias)
            before = nn.functional.linear(state.hidden[number], self._gate_weights(number)[1])  # (rows, beams, 4 width)
            output, kept = lstm_cell(from_below + before[rows, parents], state.cell[number][rows, parents])
            hidden.append(output)
            cell.append(kept)
        return LmState(torch.stack(hidden), torch.stack(cell))

    def step(self, state: LmState, ids: Tensor) -> LmState:
        """Go on from every state with its own word; `ids` (rows, beams)."""
        own = torch.arange(ids.shape[1]).expand_as(ids)
        return self.branch(state, self.first_gates(ids), own, own)

    def _gate_weights(self, number: int) -> tuple[Tensor, Tensor, Tensor]:
        """Of a layer: for what comes from below, for what it held before, and the bias."""
        from_below, before, bias, second_bias = self.layers[number].parameters()
        return from_below, before, bias + second_bias


def lstm_cell(gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    """Output and cell of an LSTM from the sum of all that its gates (..., 4 width) take in."""
    enter, forget, candidate, leave = gates.chunk(4, dim=-1)
    cell = forget.sigmoid() * cell + enter.sigmoid() * candidate.tanh()
    return leave.sigmoid() * cell.tanh(), cell
