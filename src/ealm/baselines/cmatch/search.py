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
    similarity_bounds,
)
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.vocabulary import END, START

_FOLLOWED_FIRST = 3
"""Branches that are followed before others are ruled out, as a multiple of the beam."""
_ROUNDING = 1e-4
"""Bounds and scores are sums in single precision."""


@dataclass(frozen=True, slots=True)
class SearchBatch:
    """Sources and their candidates, filled up to the largest."""

    source: Tensor
    """The start token and the words: (sources, 1 + positions)."""
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
    """Beginnings of summaries, all of the same length; -inf is the score of an unused slot."""

    score: Tensor
    """log (p_cm p_fm^lambda) so far: (sources, beams)."""
    position: Tensor
    """Where the last word is aligned in the source, -1 before the first: (sources, beams)."""
    words: Tensor
    """Candidates, by their index in the list: (sources, beams, words)."""
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
    """Candidates, by their index in the list: (sources, words)."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Sources and candidates as the contextual encoder sees them."""

    source: Tensor
    """Contextual embeddings of the source's prefixes: (sources, positions, layers * width)."""
    gates: Tensor
    """What each candidate contributes to the first layer: (sources, candidates, 4 width)."""
    words: Tensor
    """Embeddings of the candidates, whatever their context: (sources, candidates, width)."""
    bounds: Tensor
    """The greatest similarity that a candidate can have from a position on: (sources, candidates, positions + 1)."""


@dataclass(frozen=True, slots=True)
class _Branches:
    """Some beginnings with one more word; `pairs` of beginning and candidate are numbered beginning by beginning."""

    pairs: Tensor
    """(sources, branches)."""
    score: Tensor
    """(sources, branches)."""
    position: Tensor
    """(sources, branches)."""
    contextual: LmState

    def with_(self, other: "_Branches") -> "_Branches":
        """These and others side by side."""
        return _Branches(
            torch.cat([self.pairs, other.pairs], dim=1),
            torch.cat([self.score, other.score], dim=1),
            torch.cat([self.position, other.position], dim=1),
            LmState(
                torch.cat([self.contextual.hidden, other.contextual.hidden], dim=2),
                torch.cat([self.contextual.cell, other.contextual.cell], dim=2),
            ),
        )


class BeamSearch:
    """Extends the best beginnings by a word at a time; each may also end where it is."""

    def __init__(self, contextual: CausalLM, fluency: CausalLM, settings: CMatchSettings) -> None:
        self._contextual = contextual
        self._fluency = fluency
        self._settings = settings

    @torch.no_grad()
    def finished(self, batch: SearchBatch, longest: int) -> list[Finished]:
        """The best summaries of every length from one word on, up to `longest` if the sources allow."""
        read = self._read(batch)
        hypotheses = Hypotheses.empty(len(read.source), self._contextual, self._fluency)
        found: list[Finished] = []
        predicted = self._fluency.log_probabilities(hypotheses.fluency.top)  # (sources, beams, vocabulary)
        for _ in range(longest):
            hypotheses = self._extended(hypotheses, batch, read, predicted)
            if not hypotheses.score.isfinite().any():
                break
            predicted = self._fluency.log_probabilities(hypotheses.fluency.top)
            found.append(self._ended(hypotheses, predicted[..., END]))
        return found

    def _read(self, batch: SearchBatch) -> _Read:
        contextual = self._contextual
        layers = contextual.read(batch.source)
        words = contextual.embedding(batch.candidates)
        own = similarity(contextual_embedding([words]), contextual_embedding(layers[:1])[:, 1:])
        return _Read(
            source=contextual_embedding(layers)[:, 1:],
            gates=contextual.first_gates(batch.candidates),
            words=words,
            bounds=similarity_bounds(own, batch.alignable, layers=len(layers)),
        )

    def _extended(self, before: Hypotheses, batch: SearchBatch, read: _Read, predicted: Tensor) -> Hypotheses:
        """The best of all beginnings with one more word."""
        fluency = fluency_scores(predicted, batch.clusters)  # (sources, beams, candidates)
        if self._settings.normalised_matching:  # every candidate has its share in the normaliser
            every = torch.arange(fluency[0].numel()).expand(len(fluency), -1)
            branches = self._branches(before, batch, read, fluency, every)
        else:
            branches = self._promising(before, batch, read, fluency)
        # By number first, then stable by score: equal scores have the same order alone and in company.
        by_number = branches.pairs.sort(dim=1).indices
        ranked = branches.score.gather(1, by_number).sort(dim=1, descending=True, stable=True)
        chosen = by_number.gather(1, ranked.indices[:, : self._settings.beam])
        return self._taken(before, batch, branches, chosen)

    def _promising(self, before: Hypotheses, batch: SearchBatch, read: _Read, fluency: Tensor) -> _Branches:
        """All branches that can be among the best, found without following the others.

        What a branch can reach at most is known before the encoder reads its word. The most hopeful ones are followed;
        then only those whose bound is above what has been found already.
        """
        beam = self._settings.beam
        reached = (before.position + int(self._settings.strictly_forward)).clamp(min=0)  # (sources, beams)
        ahead = reached[:, None].expand(-1, read.bounds.shape[1], -1)
        bounds = read.bounds.gather(2, ahead).transpose(1, 2)  # (sources, beams, candidates)
        hopes = product_of_experts(bounds, fluency, self._settings.fluency_weight)
        hopes = (before.score[..., None] + hopes).flatten(1)  # (sources, beams * candidates)
        first = hopes.topk(min(_FOLLOWED_FIRST * beam, hopes.shape[1]), dim=1).indices
        branches = self._branches(before, batch, read, fluency, first)
        least = branches.score.topk(min(beam, first.shape[1]), dim=1).values[:, -1:]
        rest = hopes.scatter(1, first, -torch.inf)
        hopeful = (rest > -torch.inf) & (rest >= least - _ROUNDING)
        most = int(hopeful.sum(dim=1).max())
        if not most:
            return branches
        others = rest.topk(most, dim=1).indices
        return branches.with_(self._branches(before, batch, read, fluency, others))

    def _branches(
        self, before: Hypotheses, batch: SearchBatch, read: _Read, fluency: Tensor, pairs: Tensor
    ) -> _Branches:
        """Follow pairs of beginning and candidate (sources, branches), each source its own."""
        settings = self._settings
        candidates = batch.candidates.shape[1]
        rows = torch.arange(len(pairs))[:, None]
        parents, words = pairs // candidates, pairs % candidates
        after = self._contextual.branch(before.contextual, read.gates, parents, words)
        prefixes = contextual_embedding([read.words[rows, words], *after.hidden])
        cosines = similarity(prefixes, read.source)  # (sources, branches, positions)
        best, position = best_alignment(
            cosines,
            before.position[rows, parents],
            batch.alignable[rows, words],
            strictly_forward=settings.strictly_forward,
        )
        matching = best
        if settings.normalised_matching:
            by_beginning = best.view(len(pairs), -1, candidates)
            matching = matching_scores(by_beginning, normalised=True).flatten(1)
        word_scores = product_of_experts(matching, fluency.flatten(1).gather(1, pairs), settings.fluency_weight)
        return _Branches(pairs, before.score[rows, parents] + word_scores, position, after)

    def _taken(self, before: Hypotheses, batch: SearchBatch, branches: _Branches, chosen: Tensor) -> Hypotheses:
        """Continue with chosen branches, (sources, beams) indices among them."""
        rows = torch.arange(len(chosen))[:, None]
        candidates = batch.candidates.shape[1]
        pairs = branches.pairs.gather(1, chosen)
        parents, words = pairs // candidates, pairs % candidates
        kept = LmState(before.fluency.hidden[:, rows, parents], before.fluency.cell[:, rows, parents])
        after = branches.contextual
        return Hypotheses(
            score=branches.score.gather(1, chosen),
            position=branches.position.gather(1, chosen),
            words=torch.cat([before.words[rows, parents], words[..., None]], dim=-1),
            contextual=LmState(after.hidden[:, rows, chosen], after.cell[:, rows, chosen]),
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
