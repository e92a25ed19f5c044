"""The LM converter: compress and reconstruct by filling masks, the most probable first (section 4.3.2, appendix A.1).

A `Conversion` is the state of one sentence under one row of actions; the `Converter` advances many of them together,
one round at a time, so that a caller can stop as soon as it knows enough.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import torch
from torch import Tensor

from ealm.common.config import DecodingSettings
from ealm.common.pieces import between_pieces
from ealm.lm.batching import BUSY_TOKENS, rows_by_length
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.edits import Action, check_lengths, compression_question, reconstruction_question, skeleton

_SURE_WHILE_APPROXIMATE = 0.7
"""With less than that, steps that are nearly as good as the best are taken for it more often."""


@dataclass(frozen=True, slots=True)
class Fill:
    """A word that fills a mask."""

    hole: int
    """Index of the mask in the template."""
    word: int
    source_rank: int
    """How many words were more probable there than the source's own."""


class Conversion:
    """First the summary, then the reconstruction; both as complete as the rounds so far make them."""

    __slots__ = (
        "_context",
        "_filling",
        "_source_indices",
        "_unasked",
        "actions",
        "open_ranks",
        "source",
        "source_ranks",
        "summary",
    )

    def __init__(
        self, source: Sequence[int], actions: Sequence[Action], *, counted: Sequence[bool] | None = None
    ) -> None:
        """`counted`: which words of the source somebody wants to know the rank of; None is all."""
        check_lengths(source, actions)
        self.source = tuple(source)
        self.actions = tuple(actions)
        self._unasked = frozenset(index for index, counts in enumerate(counted or ()) if not counts)
        self.summary: tuple[int, ...] | None = None
        """Known once every Replace is filled (y)."""
        self.source_ranks: list[int | None] = [0 if action == Action.KEEP else None for action in self.actions]
        """Rank of each source word among the candidates for its mask; None while the mask is open."""
        self.open_ranks: dict[int, int] = {}
        """Approximate decoding only: ranks of source words at masks that were open in the last round."""
        self._ask(compression_question(self.source, self.actions))
        self._source_indices = [index for index, action in enumerate(self.actions) if action != Action.REMOVE]
        self._finish_summary_if_filled()

    def _ask(self, question: Masked[int]) -> None:
        """Begin to fill the template of a question."""
        self._context = question.context
        self._filling: list[int | None] = list(question.template)

    def _finish_summary_if_filled(self) -> None:
        if self.summary is None and None not in self._filling:
            self.summary = tuple(word for word in self._filling if word is not None)
            self._ask(reconstruction_question(self.source, self.actions, self.summary))
            self._source_indices = list(range(len(self.source)))

    @property
    def finished(self) -> bool:
        """Whether summary and reconstruction are complete."""
        return self.summary is not None and None not in self._filling

    @property
    def reconstruction(self) -> tuple[int, ...] | None:
        """The reconstructed source (x-hat), once every mask is filled."""
        if not self.finished:
            return None
        return tuple(word for word in self._filling if word is not None)

    @property
    def rebuilt(self) -> tuple[int | None, ...]:
        """The reconstructed source so far: kept words and filled masks; None at open masks."""
        return (None,) * len(self.source) if self.summary is None else tuple(self._filling)

    @property
    def compressing(self) -> bool:
        """Whether the open masks belong to the summary."""
        return self.summary is None

    def question(self) -> Masked[int]:
        """What to ask the language model next."""
        return Masked(self._context, tuple(self._filling))

    def last_question(self) -> Masked[int]:
        """The same if all holes are filled in one round: then words that nobody asks for help no other one."""
        return Masked(self._context, tuple(self._filling), unasked=frozenset() if self.compressing else self._unasked)

    def source_word(self, hole: int) -> int:
        """The source word at this mask of the current template."""
        return self.source[self._source_indices[hole]]

    def fill(self, fills: Iterable[Fill]) -> None:
        """Fill masks of the current template."""
        for fill in fills:
            self._filling[fill.hole] = fill.word
            if not self.compressing:
                self.source_ranks[fill.hole] = fill.source_rank
                self.open_ranks.pop(fill.hole, None)
        self._finish_summary_if_filled()

    def inherit(self, other: "Conversion", *, rank: int) -> None:
        """Fill open masks as in another reconstruction of this source, where its word was of this rank or better."""
        if self.summary is None:
            return
        rebuilt = zip(other.rebuilt, other.source_ranks, strict=True)
        self.fill(
            Fill(hole, word, found)
            for hole, (word, found) in enumerate(rebuilt)
            if self._filling[hole] is None and word is not None and found is not None and found <= rank
        )


class Converter:
    """Fills the masks of many conversions in common batches."""

    def __init__(self, lm: MaskedLM, settings: DecodingSettings | None = None, *, token_budget: int = 512) -> None:
        """`token_budget` bounds a pass: more is no faster on a CPU, and every hole takes the room of a vocabulary."""
        self.lm = lm
        self.settings = settings or DecodingSettings()
        self.token_budget = token_budget

    def finish(self, conversions: Sequence[Conversion]) -> None:
        """Run rounds until every conversion is finished."""
        while unfinished := [conversion for conversion in conversions if not conversion.finished]:
            self.advance(unfinished)

    def advance(self, conversions: Sequence[Conversion]) -> None:
        """One round of Algorithm 1 (appendix A.1) for each conversion that is not finished."""
        conversions = [conversion for conversion in conversions if not conversion.finished]
        questions = [self._question(conversion) for conversion in conversions]
        for rows in rows_by_length([len(question) for question in questions], self.token_budget, enough=BUSY_TOKENS):
            batch = [conversions[row] for row in rows]
            scores = self.lm.predict([questions[row] for row in rows])
            self._fill_round(batch, [questions[row].holes for row in rows], scores)

    @property
    def _in_one_round(self) -> bool:
        """Whether every hole is filled at once, however unsure."""
        return self.settings.mode == "parallel" and self.settings.parallel_confidence == 0

    def _sure(self, conversion: Conversion) -> float:
        """How probable a word must be to be filled in beside the surest one."""
        if self.settings.mode == "parallel":
            return self.settings.parallel_confidence
        sequential = self.settings.mode == "sequential" or conversion.compressing
        return math.inf if sequential else _SURE_WHILE_APPROXIMATE

    def _question(self, conversion: Conversion) -> Masked[int]:
        """What to ask next, with its context as the settings want it."""
        question = conversion.last_question() if self._in_one_round else conversion.question()
        if self.settings.context == "joined":
            return replace(question, joined=True)
        if self.settings.context == "pair-if-replaced" and Action.REPLACE not in conversion.actions:
            return replace(question, context=())
        return question

    def _fill_round(self, batch: Sequence[Conversion], holes: Sequence[tuple[int, ...]], scores: Tensor) -> None:
        """`scores` are (holes of all rows in order, vocabulary)."""
        wanted = torch.tensor(
            [conversion.source_word(hole) for conversion, row in zip(batch, holes, strict=True) for hole in row],
            device=scores.device,
        )
        if self.settings.mode == "approximate":
            _note_open_ranks(batch, holes, _ranks(scores, wanted))
        chosen = self._chosen(batch, holes, scores, wanted)
        picked = torch.tensor([index for row in chosen for index in row], device=scores.device)
        candidates = scores[picked]  # (picked, vocabulary)
        words = dict(zip(picked.tolist(), candidates.argmax(dim=-1).tolist(), strict=True))
        ranks = dict(zip(words, _ranks(candidates, wanted[picked]), strict=True))
        start = 0
        for conversion, row, row_choice in zip(batch, holes, chosen, strict=True):
            conversion.fill(Fill(row[index - start], words[index], ranks[index]) for index in row_choice)
            start += len(row)

    def _chosen(
        self, batch: Sequence[Conversion], holes: Sequence[tuple[int, ...]], scores: Tensor, wanted: Tensor
    ) -> list[list[int]]:
        """For each row, which of its masks are filled in this round; originals are forbidden in `scores`."""
        if self._in_one_round:
            _forbid_originals(scores, wanted, batch, holes, never=-torch.inf)
            every = iter(range(len(scores)))
            return [list(islice(every, len(row))) for row in holes]
        probabilities = scores.softmax(dim=-1)
        between_pieces()
        for values, never in ((scores, -torch.inf), (probabilities, 0.0)):
            _forbid_originals(values, wanted, batch, holes, never=never)
        probability = probabilities.amax(dim=-1)
        order = probability if self.settings.fill_order == "probability" else scores.amax(dim=-1)
        between_pieces()
        return self._choose(batch, holes, order=order.tolist(), probability=probability.tolist())

    def _choose(
        self,
        batch: Sequence[Conversion],
        holes: Sequence[tuple[int, ...]],
        *,
        order: Sequence[float],
        probability: Sequence[float],
    ) -> list[list[int]]:
        """For each row, which of its masks (as indices into all masks) are filled in this round."""
        chosen = []
        start = 0
        for conversion, row in zip(batch, holes, strict=True):
            indices = range(start, start + len(row))
            surest = max(indices, key=order.__getitem__)
            sure = self._sure(conversion)
            chosen.append([index for index in indices if index == surest or probability[index] >= sure])
            start += len(row)
        return chosen


def _kept_words(source: Sequence[int], actions: Sequence[Action]) -> tuple[int, ...]:
    return tuple(word for word in skeleton(source, actions) if word is not None)


def _forbid_originals(
    values: Tensor, wanted: Tensor, batch: Sequence[Conversion], holes: Sequence[tuple[int, ...]], *, never: float
) -> None:
    """A Replace may not give back the word that it replaces."""
    forbidden = [conversion.compressing for conversion, row in zip(batch, holes, strict=True) for _ in row]
    rows = torch.tensor(forbidden, device=values.device).nonzero()[:, 0]
    values[rows, wanted[rows]] = never


def _note_open_ranks(batch: Sequence[Conversion], holes: Sequence[tuple[int, ...]], ranks: Sequence[int]) -> None:
    every = iter(ranks)
    for conversion, row in zip(batch, holes, strict=True):
        found = dict(zip(row, every, strict=False))
        conversion.open_ranks = {} if conversion.compressing else found


def _ranks(scores: Tensor, wanted: Tensor) -> list[int]:
    """How many words score higher than the source word, for each mask: scores are (masks, vocabulary)."""
    higher: list[int] = (scores > scores.gather(1, wanted[:, None])).sum(dim=-1).tolist()
    return higher
