"""Beam search for the summary that both experts like best, for several sources together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ealm.baselines.cmatch.candidates import Candidates
from ealm.baselines.cmatch.causal_lm import CausalLM, LmState
from ealm.baselines.cmatch.matching import (
    best_alignment,
    fluency_scores,
    length_normalised,
    matching_scores,
    nearest_candidates,
    product_of_experts,
    similarity,
)
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.vocabulary import END, START


@dataclass(frozen=True, slots=True)
class SearchBatch:
    """Sources and their candidates, filled up to the largest."""

    source: Tensor
    """The start token, the words and the end: (sources, 1 + positions)."""
    end: Tensor
    """Position of the end: (sources)."""
    candidates: Tensor
    """Numbers of the words: (sources, candidates)."""
    alignable: Tensor
    """Where each candidate may be aligned; nowhere if it only fills up: (sources, candidates, positions)."""
    is_end: Tensor
    """Where the end is aligned with itself, which is similar whatever stands before it: as `alignable`."""
    clusters: Tensor
    """The cluster of every word of the vocabulary: (sources, vocabulary)."""
    owner: Tensor
    """The cluster of every candidate: (sources, candidates)."""

    @classmethod
    def of(cls, sources: Sequence[Candidates], units: Tensor) -> "SearchBatch":
        """`units` are the output embeddings of the fluency model, of length 1."""
        positions = max(len(each.source) for each in sources)
        words = max(len(each.numbers) for each in sources)
        source = torch.full((len(sources), positions + 1), END)
        source[:, 0] = START
        numbers = torch.full((len(sources), words), END)
        alignable = torch.zeros(len(sources), words, positions, dtype=torch.bool)
        is_end = torch.zeros_like(alignable)
        clusters = torch.zeros(len(sources), len(units), dtype=torch.long)
        owner = torch.zeros(len(sources), words, dtype=torch.long)
        for row, each in enumerate(sources):
            count = len(each.numbers)
            source[row, 1 : len(each.source) + 1] = torch.tensor(each.source)
            numbers[row, :count] = torch.tensor(each.numbers)
            alignable[row, :count, : len(each.source)] = torch.from_numpy(each.alignable)
            is_end[row, count - 1, len(each.source) - 1] = True
            clusters[row], owner[row, :count] = nearest_candidates(units, numbers[row, :count])
        end = torch.tensor([len(each.source) - 1 for each in sources])
        return cls(source, end, numbers, alignable, is_end, clusters, owner)

    def without_end(self) -> "SearchBatch":
        """The same if nothing may be aligned with the end."""
        positions = torch.arange(self.alignable.shape[2])
        return replace(self, alignable=self.alignable & (positions < self.end[:, None])[:, None])


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

    def best(self, among: Tensor) -> "Scored":
        """The best of each source among some (sources, beams)."""
        best = self.score.masked_fill(~among, -torch.inf).max(dim=1)
        return Scored(best.values, self.words[torch.arange(len(among)), best.indices])


@dataclass(frozen=True, slots=True)
class Scored:
    """The best summary of each source that has a certain length."""

    score: Tensor
    """(sources), -inf if a source has none of this length."""
    words: Tensor
    """Candidates, by their index in the list: (sources, words)."""


class BeamSearch:
    """Extends the best beginnings by a word at a time until they are aligned with the end of the source."""

    def __init__(self, contextual: CausalLM, fluency: CausalLM, settings: CMatchSettings) -> None:
        self._contextual = contextual
        self._fluency = fluency
        self._settings = settings

    @torch.no_grad()
    def run(self, batch: SearchBatch, longest: int) -> list[tuple[Scored, Scored]]:
        """For every length up to `longest` the best summaries that have ended with it, and the best that have not.

        The end counts as a word. What has ended makes room in the beam for nothing else.
        """
        hypotheses = Hypotheses.empty(len(batch.source), self._contextual, self._fluency)
        layers = [layer[:, None, 1:] for layer in self._contextual.read(batch.source)]
        found: list[tuple[Scored, Scored]] = []
        for _ in range(longest):
            hypotheses = self._extended(hypotheses, batch, layers)
            ended = hypotheses.position == batch.end[:, None]
            found.append((hypotheses.best(ended), hypotheses.best(~ended)))
            hypotheses = _without(hypotheses, ended)
            if not hypotheses.score.shape[1]:
                break
        return found

    def _extended(self, before: Hypotheses, batch: SearchBatch, source: Sequence[Tensor]) -> Hypotheses:
        """The best of all beginnings with one more word; layers of the source are (sources, 1, positions, width)."""
        settings, contextual = self._settings, self._contextual
        one_more = LmState(before.contextual.hidden[..., None, :], before.contextual.cell[..., None, :])
        after = contextual.advance(one_more, contextual.first_gates(batch.candidates)[:, None])
        words = contextual.embedding(batch.candidates)[:, None]  # (sources, 1, candidates, width)
        cosines = similarity([words, *after.hidden], source)
        cosines = cosines.masked_fill(batch.is_end[:, None], 1.0).masked_fill(~batch.alignable[:, None], -torch.inf)
        best, position = best_alignment(cosines, before.position)
        fluency = fluency_scores(self._fluency.log_probabilities(before.fluency.top), batch.clusters, batch.owner)
        scores = product_of_experts(matching_scores(best, cosines), fluency, settings.fluency_weight)
        scores = (before.score[..., None] + scores).flatten(1)  # (sources, beams * candidates)
        # Stable: equal scores have the same order alone and in company.
        ranked = scores.sort(dim=1, descending=True, stable=True)
        chosen = ranked.indices[:, : settings.beam]
        parents, added = chosen // words.shape[2], chosen % words.shape[2]
        rows = torch.arange(len(chosen))[:, None]
        return Hypotheses(
            score=ranked.values[:, : settings.beam],
            position=position[rows, parents, added],
            words=torch.cat([before.words[rows, parents], added[..., None]], dim=-1),
            contextual=LmState(after.hidden[:, rows, parents, added], after.cell[:, rows, parents, added]),
            fluency=self._fluency.advance(
                LmState(before.fluency.hidden[:, rows, parents], before.fluency.cell[:, rows, parents]),
                self._fluency.first_gates(batch.candidates.gather(1, added)),
            ),
        )


def _without(hypotheses: Hypotheses, ended: Tensor) -> Hypotheses:
    """Those that have not ended, best first, and no more slots than are used."""
    ranked = hypotheses.score.masked_fill(ended, -torch.inf).sort(dim=1, descending=True, stable=True)
    used = int((ranked.values > -torch.inf).sum(dim=1).max())
    rows, kept = torch.arange(len(ended))[:, None], ranked.indices[:, :used]

    def states(state: LmState) -> LmState:
        return LmState(state.hidden[:, rows, kept], state.cell[:, rows, kept])

    return Hypotheses(
        ranked.values[:, :used],
        hypotheses.position[rows, kept],
        hypotheses.words[rows, kept],
        states(hypotheses.contextual),
        states(hypotheses.fluency),
    )


def choose_length(ended: Sequence[Scored], source: int, *, offset: float) -> list[int] | None:
    """The words of the summary of a source that has the best mean score, its last one, the end, left out."""
    means = [length_normalised(each.score[source].item(), length, offset) for length, each in enumerate(ended, start=1)]
    best = max(range(len(means)), key=means.__getitem__)
    return None if means[best] == -torch.inf else ended[best].words[source].tolist()[:-1]


def take_longest(going_on: Sequence[Scored], source: int) -> list[int]:
    """The summary of a source that has the greatest length for which there is one."""
    longest: list[int] = [each for each in going_on if each.score[source] > -torch.inf][-1].words[source].tolist()
    return longest
