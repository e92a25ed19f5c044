"""Beam search for the summary that both experts like best, for several sources together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ealm.baselines.cmatch.candidates import Candidates
from ealm.baselines.cmatch.causal_lm import CausalLM, LmState
from ealm.baselines.cmatch.matching import (
    best_alignment,
    contextual_embedding,
    fluency_scores,
    length_normalised,
    matching_scores,
    product_of_experts,
    similarity,
)
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.vocabulary import END, START


@dataclass(frozen=True, slots=True)
class SearchBatch:
    """Sources and their candidates, filled up to the largest."""

    source: Tensor
    """The start mark and the words: (sources, 1 + positions)."""
    candidates: Tensor
    """Numbers of the words: (sources, candidates)."""
    alignable: Tensor
    """Where each candidate may be aligned; nowhere if it only fills up: (sources, candidates, positions)."""
    clusters: Tensor
    """Words whose fluency a candidate has: (sources, candidates, words), filled up with -1."""

    @classmethod
    def of(cls, sources: Sequence[Candidates], clusters: Sequence[Sequence[Sequence[int]]]) -> "SearchBatch":
        """`clusters` has a row of numbers, all rows of the same length, for each candidate of each source."""
        positions = max(len(each.source) for each in sources)
        words = max(len(each.numbers) for each in sources)
        source = torch.full((len(sources), positions + 1), END)
        source[:, 0] = START
        numbers = torch.full((len(sources), words), END)
        alignable = torch.zeros(len(sources), words, positions, dtype=torch.bool)
        cluster = torch.full((len(sources), words, len(clusters[0][0])), END)
        for row, (each, near) in enumerate(zip(sources, clusters, strict=True)):
            source[row, 1 : len(each.source) + 1] = torch.tensor(each.source)
            numbers[row, : len(each.numbers)] = torch.tensor(each.numbers)
            alignable[row, : len(each.numbers), : len(each.source)] = torch.from_numpy(np.asarray(each.alignable))
            cluster[row, : len(near)] = torch.tensor(near)
        return cls(source, numbers, alignable, cluster)


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Beginnings of summaries, all of the same length; -inf is the score of a place that is not taken."""

    score: Tensor
    """log (p_cm p_fm^lambda) so far: (sources, beams)."""
    position: Tensor
    """Where the last word is aligned in the source, -1 before the first: (sources, beams)."""
    words: Tensor
    """Candidates, by their place in the list: (sources, beams, words)."""
    contextual: LmState
    fluency: LmState

    @classmethod
    def empty(cls, sources: int, contextual: CausalLM, fluency: CausalLM) -> "Hypotheses":
        """One beginning without words for each source."""
        return cls(
            score=torch.zeros(sources, 1),
            position=torch.full((sources, 1), -1),
            words=torch.zeros(sources, 1, 0, dtype=torch.long),
            contextual=contextual.start(sources, 1),
            fluency=fluency.start(sources, 1),
        )


@dataclass(frozen=True, slots=True)
class Finished:
    """The best finished summaries of one length."""

    score: Tensor
    """(sources), -inf if a source has none of this length."""
    words: Tensor
    """Candidates, by their place in the list: (sources, words)."""


class BeamSearch:
    """Extends the best beginnings by a word at a time; each may also end where it is."""

    def __init__(self, contextual: CausalLM, fluency: CausalLM, settings: CMatchSettings) -> None:
        self._contextual = contextual
        self._fluency = fluency
        self._settings = settings

    @torch.no_grad()
    def finished(self, batch: SearchBatch, longest: int) -> list[Finished]:
        """The best summaries of every length from one word on, up to `longest` if the sources allow."""
        contextual = self._contextual
        source = contextual_embedding(contextual.read(batch.source))[:, 1:]  # (sources, positions, layers * width)
        gates = contextual.first_gates(batch.candidates)
        hypotheses = Hypotheses.empty(len(source), contextual, self._fluency)
        found: list[Finished] = []
        predicted = self._fluency.log_probabilities(hypotheses.fluency.top)  # (sources, beams, vocabulary)
        for _ in range(longest):
            hypotheses = self._extended(hypotheses, batch, source=source, gates=gates, predicted=predicted)
            if not hypotheses.score.isfinite().any():
                break
            predicted = self._fluency.log_probabilities(hypotheses.fluency.top)
            found.append(self._ended(hypotheses, predicted[..., END]))
        return found

    def _extended(
        self, before: Hypotheses, batch: SearchBatch, *, source: Tensor, gates: Tensor, predicted: Tensor
    ) -> Hypotheses:
        """The best of all beginnings with one more word."""
        settings = self._settings
        sources, beams = before.score.shape
        after = self._contextual.branch(before.contextual, gates)  # (layers, sources, beams, candidates, width)
        own = self._contextual.embedding(batch.candidates)[:, None].expand_as(after.hidden[0])
        prefixes = contextual_embedding([own, *after.hidden])
        # One product for all beams of a source: (sources, beams, candidates, positions)
        cosines = similarity(prefixes.flatten(1, 2), source).view(sources, beams, -1, source.shape[1])
        best, position = best_alignment(
            cosines, before.position, batch.alignable[:, None], strictly_forward=settings.strictly_forward
        )
        word_scores = product_of_experts(
            matching_scores(best, normalised=settings.normalised_matching),
            fluency_scores(predicted, batch.clusters),
            settings.fluency_weight,
        )
        totals = (before.score[..., None] + word_scores).flatten(1)  # (sources, beams * candidates)
        # Stable: equal scores have the same order alone and in company.
        ranked = totals.sort(dim=1, descending=True, stable=True)
        chosen, score = ranked.indices[:, : settings.beam], ranked.values[:, : settings.beam]
        return self._taken(before, batch, chosen, score, position.flatten(1), after)

    def _taken(
        self,
        before: Hypotheses,
        batch: SearchBatch,
        chosen: Tensor,
        score: Tensor,
        positions: Tensor,
        after: LmState,
    ) -> Hypotheses:
        """Go on with the chosen pairs of beginning and candidate, (sources, beams) numbers of all such pairs."""
        candidates = batch.candidates.shape[1]
        rows = torch.arange(len(chosen))[:, None]
        parents, words = chosen // candidates, chosen % candidates
        kept = LmState(before.fluency.hidden[:, rows, parents], before.fluency.cell[:, rows, parents])
        return Hypotheses(
            score=score,
            position=positions.gather(1, chosen),
            words=torch.cat([before.words[rows, parents], words[..., None]], dim=-1),
            contextual=LmState(after.hidden.flatten(2, 3)[:, rows, chosen], after.cell.flatten(2, 3)[:, rows, chosen]),
            fluency=self._fluency.step(kept, batch.candidates.gather(1, words)),
        )

    def _ended(self, hypotheses: Hypotheses, end: Tensor) -> Finished:
        """The best beginning of each source if it ended here; only the fluency model has a say in that."""
        best = (hypotheses.score + self._settings.fluency_weight * end).max(dim=1)
        return Finished(best.values, hypotheses.words[torch.arange(len(end)), best.indices])


def choose_length(finished: Sequence[Finished], source: int, *, exponent: float) -> list[int]:
    """The summary of a source that has the best length-normalised score, whatever its length."""
    scores = [
        length_normalised(each.score[source], length, exponent).item() for length, each in enumerate(finished, start=1)
    ]
    return _words(finished[int(np.argmax(scores))], source)


def take_longest(finished: Sequence[Finished], source: int) -> list[int]:
    """The summary of a source that has the greatest length for which there is one."""
    return _words([each for each in finished if each.score[source] > -torch.inf][-1], source)


def _words(finished: Finished, source: int) -> list[int]:
    return [int(word) for word in finished.words[source]]
