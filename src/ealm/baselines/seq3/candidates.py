"""Sampled softmax: an update uses a part of the vocabulary only, which makes it several times faster.

The part holds the most frequent words, all words of the batch, and others drawn at random. A word that is seldom in it
is scored as much higher as it is seldom there (Jean et al., 2015), so that a score means the same in the whole
vocabulary.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Candidates:
    """The words of an update, which numbers them by their index here."""

    numbers: Tensor  # (candidates), rising; what is no real word comes first and keeps its number
    correction: Tensor  # (candidates), added to their scores

    def indices(self, ids: Tensor) -> Tensor:
        """Words by their indices among the candidates; each must be one."""
        return torch.searchsorted(self.numbers, ids)


class CandidateDrawer:
    """Draws candidates for one batch after another."""

    def __init__(self, counts: Tensor, *, most: int, first_word: int) -> None:
        """`counts` says how often each number is in the corpus (words); real words are in order of frequency."""
        self._shares = counts / counts.sum()
        self._most = most
        self._always = min(len(counts), max(first_word, most // 2))

    def draw(self, ids: Tensor, generator: torch.Generator) -> Candidates:
        """Candidates for a batch of words, of any shape."""
        words = len(self._shares)
        if self._most >= words:
            return Candidates(torch.arange(words), torch.zeros(words))
        chosen = torch.zeros(words, dtype=torch.bool)
        chosen[: self._always] = True
        chosen[ids.flatten()] = True
        others = (~chosen).nonzero()[:, 0]
        drawn = max(0, self._most - (words - len(others)))
        chosen[others[torch.randperm(len(others), generator=generator)[:drawn]]] = True
        in_batch = 1 - (1 - self._shares).pow(ids.numel())
        chances = in_batch + (1 - in_batch) * (drawn / max(1, len(others)))
        chances[: self._always] = 1
        numbers = chosen.nonzero()[:, 0]
        return Candidates(numbers, -chances[numbers].clamp(min=1e-6).log())
