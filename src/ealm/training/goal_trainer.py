"""Training of the agent that is told a length: look, walk towards several lengths, reward every step, learn.

Like the paper's `Trainer`, its whole state is in `state()`, so that a run that is stopped and goes on ends exactly as
one that was never stopped.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ealm.common.config import Settings
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.learner import GoalLearner, WalkBatch
from ealm.goal_agent.potential import SentenceValues, best_draft
from ealm.goal_agent.replay import GoalWalk, WalkReplay
from ealm.goal_agent.word_importance import WordWeights, cut, joined
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.assessment import Similarity
from ealm.text.corpus import Corpus
from ealm.text.detokenizer import is_mark
from ealm.training.goal_collector import GoalCollector, GoalJob, Outing, word_counts
from ealm.training.paper_trainer import Collected
from ealm.training.prefetch import Pipeline, Version
from ealm.training.trainer import Course


class GoalTrainer(Course):
    """The learning agent and everything it learns with."""

    def __init__(
        self,
        *,
        lm: MaskedLM,
        corpus: Corpus,
        settings: Settings,
        similarity: Similarity | None,
        seed: int,
        device: str = "cpu",
        weighed: Mapping[int, WordWeights] | None = None,
        pipeline: Pipeline | None = None,
    ) -> None:
        """`similarity` may be None if no part needs it or if workers have it, as they have `weighed`: sentences whose
        words need no look."""
        at_once = settings.goal.learning.sentences_per_collection
        super().__init__(
            lm=lm, corpus=corpus, settings=settings, seed=seed, device=device, at_once=at_once, pipeline=pipeline
        )
        if pipeline is None:
            counts = word_counts(corpus, lm, settings.goal.parts)
            self._collector = GoalCollector(
                lm=lm, settings=settings, similarity=similarity, counts=counts, weighed=weighed
            )
        self._learner = GoalLearner(self.look.width, settings.goal, seed=seed, device=device)
        self.networks = self._learner.networks
        self.replay = WalkReplay(settings.goal.learning.replay_walks)
        self._values: dict[int, SentenceValues] = {}
        """By number of the sentence; they cost far more than they take, so all are remembered."""

    @property
    def agent(self) -> GoalAgent:
        """The agent as it is now."""
        return self._learner.agent

    @property
    def rates(self) -> dict[str, float]:
        """Exploring probabilities by now, for the log."""
        return {"action_exploration": self._rate(updates=self.updates, sentences=self.visits)}

    def _rate(self, **passed: int) -> float:
        return self.settings.action_exploration.rate(**passed)

    def collect(self) -> list[Collected]:
        """Look at the next sentences, walk them towards several lengths and store what the walks teach."""
        learning = self.settings.goal.learning
        visits = self._visits()
        stored, collected = [], []
        for outing in self._outings(visits):
            visit = visits[outing.row]
            value = self._values[self._order.sentence(visit)]
            left = outing.kept(len(value.words))
            reward = float(value.of(left) - value.of(np.ones_like(left))) + outing.finish
            stored.append(GoalWalk(visit, outing.goal, outing.order, outing.finish, reward))
            collected.append(_collected(value, left, reward))
        self.replay.extend(stored)
        self._memory.forget_before(self.replay.oldest_visit)
        if self.replay.full:
            self.best.offer(self.replay.mean_reward(), self.agent)
        self.visits = visits.stop
        self.pending_updates = learning.updates_per_collection if len(self.replay) >= learning.batch_walks else 0
        return collected

    def _outings(self, visits: range) -> list[Outing]:
        """Walks over the next sentences; what the words of these are worth is known then."""
        encodings = self._memory.encode(visits)
        new = self._new_sentences(visits)
        if self._pipeline is not None:
            values, outings = self._from_workers(self._pipeline)
        else:
            values = self._collector.values(list(new.values()))
            sources = [self._source(visit) for visit in visits]
            rate = self.rates["action_exploration"]
            outings = self._collector.outings(self.agent, sources, encodings, rate=rate, rng=self._rng)
        self._values.update(zip(new, values, strict=True))
        found: list[Outing] = outings
        return found

    def _new_sentences(self, visits: range) -> dict[int, tuple[str, ...]]:
        """Words of the sentences whose values neither are known nor will be when these visits' turn comes."""
        before = {self._order.sentence(visit) for visit in range(self.visits, visits.start)}
        found = {self._order.sentence(visit): tuple(self._words(visit)) for visit in visits}
        return {n: words for n, words in found.items() if n not in self._values and n not in before}

    def _job(self, place: int, version: Version) -> GoalJob:
        visits = self._visits(place)
        return GoalJob(
            sources=tuple(self._source(visit) for visit in visits),
            new=tuple(self._new_sentences(visits).values()),
            weights=version.weights,
            rate=self._rate(updates=version.updates, sentences=visits.start),
            seed=self._chance(visits),
        )

    def update(self) -> float:
        """One update on walks from the buffer; returns the loss."""
        self._tend_workers()
        learning = self.settings.goal.learning
        numbers, walks, weights = self.replay.sample(learning.batch_walks, self._rng, priority=learning.priority)
        values = [self._values[self._order.sentence(walk.visit)] for walk in walks]
        spoken = [[not is_mark(word) for word in self._words(walk.visit)] for walk in walks]
        batch = WalkBatch.of(walks, self._memory.encodings, values, spoken)
        loss, surprises = self._learner.update(batch, torch.from_numpy(weights).to(self._device))
        self.replay.reprioritize(numbers, surprises)
        self.pending_updates -= 1
        return loss

    def _own_tensors(self) -> dict[str, Tensor]:
        return self.replay.to_tensors() | _values_to_tensors(self._values)

    def _restore_own(self, tensors: Mapping[str, Tensor]) -> int | None:
        self._values = _values_from_tensors(tensors)
        self.replay.restore(tensors)
        return self.replay.oldest_visit


def _collected(values: SentenceValues, kept: "np.ndarray[Any, np.dtype[np.bool_]]", reward: float) -> Collected:
    """For the log: the reward, how much is gone, and how far the draft is from the best one of its length."""
    best = best_draft(values, int(kept.sum()))
    measures = {"compression_rate": 1 - float(kept.mean()), "short_of_best": float(values.of(best) - values.of(kept))}
    return Collected((reward,), measures)


def _values_to_tensors(values: Mapping[int, SentenceValues]) -> dict[str, Tensor]:
    rows = list(values.values())
    return {
        "values.numbers": torch.tensor(list(values), dtype=torch.long),
        "values.lengths": torch.tensor([len(row.words) for row in rows], dtype=torch.long),
        "values.words": joined([row.words for row in rows]),
        "values.pairs": joined([row.pairs for row in rows]),
        "values.worth": joined([row.worth for row in rows]),
    }


def _values_from_tensors(tensors: Mapping[str, Tensor]) -> dict[int, SentenceValues]:
    lengths = tensors["values.lengths"]
    words, worth = (cut(tensors[f"values.{name}"], lengths) for name in ("words", "worth"))
    pairs = cut(tensors["values.pairs"], lengths - 1)
    numbers = tensors["values.numbers"].tolist()
    return {n: SentenceValues(*row) for n, *row in zip(numbers, words, pairs, worth, strict=True)}
