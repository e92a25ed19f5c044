"""A language model that is a table: which words can be recovered is known, so the best policy is too."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ealm.lm.cloze import Masked

JUNK = "thing"


class TableMaskedLM:
    """Predicts a word surely if its cue stands right before it, and junk everywhere else."""

    name = "table"
    width = 12
    max_words = 50
    unknown_id = 0

    def __init__(self, follower_of_cue: dict[str, str], other_words: Sequence[str]) -> None:
        self._vocabulary = ["<unknown>", JUNK, *follower_of_cue, *follower_of_cue.values(), *other_words]
        self._ids = {word: number for number, word in enumerate(self._vocabulary)}
        self._follower = {self._ids[cue]: self._ids[word] for cue, word in follower_of_cue.items()}
        generator = torch.Generator().manual_seed(0)
        self._vectors = 0.1 * torch.randn(len(self._vocabulary), self.width, generator=generator)
        for cue, follower in self._follower.items():  # kinds of words are told apart by a direction each
            self._vectors[cue, 0] += 1.0
            self._vectors[follower, 1] += 1.0
        for word in other_words:
            self._vectors[self._ids[word], 2] += 1.0

    def word_ids(self, words: Sequence[str]) -> tuple[int, ...]:
        return tuple(self._ids.get(word, self.unknown_id) for word in words)

    def words(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(self._vocabulary[number] for number in ids)

    def encode(self, sentences: Sequence[Sequence[int]]) -> list[Tensor]:
        return [self._vectors[list(sentence)] for sentence in sentences]

    def predict(self, questions: Sequence[Masked[int]]) -> Tensor:
        return torch.stack([self._scores(question, hole) for question in questions for hole in question.holes])

    def _scores(self, question: Masked[int], hole: int) -> Tensor:
        scores = torch.zeros(len(self._vocabulary))
        scores[self.unknown_id] = -torch.inf
        scores[self._ids[JUNK]] = 5.0
        before = question.template[hole - 1] if hole else None
        if before in self._follower:
            scores[self._follower[before]] = 10.0
        return scores
