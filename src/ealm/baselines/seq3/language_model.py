"""The LSTM language model that is the prior over summaries; learned first, then frozen."""

from typing import cast

import torch
from torch import Tensor, nn

from ealm.baselines.seq3.modules import Words
from ealm.baselines.seq3.sampling import dropped
from ealm.baselines.seq3.vocabulary import START


class LanguageModel(nn.Module):
    """Scores of the next word, from left to right; the input's table is also the output's."""

    def __init__(self, table: Tensor, *, hidden: int) -> None:
        super().__init__()
        words, width = table.shape
        self.table = nn.Parameter(table.clone())
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        self.to_words = nn.Linear(hidden, width)
        self.word_bias = nn.Parameter(torch.zeros(words))

    def states(
        self, inputs: Tensor, words: Words, *, dropout: float = 0.0, generator: torch.Generator | None = None
    ) -> Tensor:
        """What is known before each next word: (rows, positions, width); rows begin with START."""
        states, _ = self.lstm(dropped(words.table[inputs], dropout, generator))
        return cast(Tensor, self.to_words(dropped(states, dropout, generator)))

    def scores(self, states: Tensor, words: Words) -> Tensor:
        """Scores of words: (..., words)."""
        return words.scores(states, self.word_bias)


def shifted(words: Tensor) -> Tensor:
    """What is read before each word of a row: START, then all words but the last."""
    return torch.cat((torch.full_like(words[:, :1], START), words[:, :-1]), dim=1)
