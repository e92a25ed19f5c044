"""Encoded sentences as padded tensors, and the order in which a run takes them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ealm.baselines.seq3.candidates import Candidates
from ealm.baselines.seq3.vocabulary import END, PADDING, Encoded

_SORTED_TOGETHER = 50
"""Batches whose sentences are sorted by length together: little padding, and still ever new company."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences side by side."""

    ids: Tensor  # (rows, words), PADDING after the last word
    lengths: Tensor  # (rows)
    unknown: Tensor  # (rows), how many placeholders each row has

    @classmethod
    def of(cls, sentences: Sequence[Encoded]) -> "Batch":
        """Pad sentences, of at least one word each, to the longest."""
        longest = max(len(sentence.ids) for sentence in sentences)
        rows = [[*sentence.ids, *[PADDING] * (longest - len(sentence.ids))] for sentence in sentences]
        return cls(
            ids=torch.tensor(rows),
            lengths=torch.tensor([len(sentence.ids) for sentence in sentences]),
            unknown=torch.tensor([len(sentence.unknown) for sentence in sentences]),
        )

    def among(self, candidates: Candidates) -> "Batch":
        """The same batch, its words by their indices among the candidates."""
        return Batch(candidates.indices(self.ids), self.lengths, self.unknown)

    def ended(self) -> Tensor:
        """The rows with END after their last word: (rows, words + 1)."""
        ids = torch.cat((self.ids, torch.full_like(self.ids[:, :1], PADDING)), dim=1)
        return ids.scatter(1, self.lengths[:, None], END)


class BatchOrder:
    """Which sentences each update takes: every epoch all of them once, those of like length together."""

    def __init__(self, lengths: Sequence[int], *, batch: int, seed: Sequence[int]) -> None:
        self._lengths = np.asarray(lengths)
        self._batch = batch
        self._seed = list(seed)
        self._epoch = -1
        self._groups: list[list[int]] = []

    def sentences(self, update: int) -> list[int]:
        """Numbers of the sentences of an update; depend on nothing but the seed."""
        epoch, index = divmod(update, -(-len(self._lengths) // self._batch))
        if epoch != self._epoch:
            self._groups, self._epoch = self._shuffled(epoch), epoch
        return self._groups[index]

    def _shuffled(self, epoch: int) -> list[list[int]]:
        rng = np.random.default_rng([*self._seed, epoch])
        order = rng.permutation(len(self._lengths))
        chunk = self._batch * _SORTED_TOGETHER
        groups: list[list[int]] = []
        for start in range(0, len(order), chunk):
            part = order[start : start + chunk]
            part = part[np.argsort(-self._lengths[part], kind="stable")]
            groups += [part[first : first + self._batch].tolist() for first in range(0, len(part), self._batch)]
        return [groups[number] for number in rng.permutation(len(groups))]
