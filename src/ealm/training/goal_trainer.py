"""Training of the goal agent: encode, walk towards several lengths, reward every step, learn.

Like that of `PaperTrainer`, its whole state is in `state()`, so that a resumed run ends exactly as one that was never
stopped.
"""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from ealm.common.config import Settings
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.learner import GoalLearner, WalkBatch
from ealm.goal_agent.potential import Kept, SentencePotential, best_selection
from ealm.goal_agent.replay import GoalWalk, WalkReplay
from ealm.goal_agent.word_importance import WordImportance, cut, joined
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.assessment import Similarity
from ealm.text.corpus import Corpus
from ealm.text.detokenizer import is_punctuation
from ealm.training.goal_collector import Episode, GoalCollector, GoalJob
from ealm.training.prefetch import Prefetcher, Version
from ealm.training.trainer import BaseTrainer, Collected


class GoalTrainer(BaseTrainer):
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
        importance: Mapping[int, WordImportance] | None = None,
        prefetcher: Prefetcher | None = None,
    ) -> None:
        """`similarity` may be None if no term needs it or if workers have it, as they have `importance`: the stored
        word importance."""
        at_once = settings.goal.learning.sentences_per_collection
        super().__init__(
            lm=lm, corpus=corpus, settings=settings, seed=seed, device=device, at_once=at_once, prefetcher=prefetcher
        )
        if prefetcher is None:
            self._collector = GoalCollector(settings=settings, similarity=similarity, importance=importance)
        self._learner = GoalLearner(self.encoder.width, settings.goal, seed=seed, device=device)
        self.networks = self._learner.networks
        self.replay = WalkReplay(settings.goal.learning.replay_walks)
        self._potentials: dict[int, SentencePotential] = {}
        """By number of the sentence; expensive to compute and small to store, so all are kept."""

    @property
    def agent(self) -> GoalAgent:
        """The agent as it is now."""
        return self._learner.agent

    @property
    def rates(self) -> dict[str, float]:
        """Exploration rates by now, for the log."""
        return {"action_exploration": self._rate(updates=self.updates, sentences=self.visits)}

    def _rate(self, **passed: int) -> float:
        return self.settings.action_exploration.rate(**passed)

    def collect(self) -> list[Collected]:
        """Encode the next sentences, walk them towards several lengths and store the walks."""
        learning = self.settings.goal.learning
        visits = self._visits()
        stored, collected = [], []
        for episode in self._episodes(visits):
            visit = visits[episode.row]
            potential = self._potentials[self._order.sentence(visit)]
            kept = episode.kept(len(potential.unary))
            reward = float(potential.value(kept) - potential.value(np.ones_like(kept)))
            stored.append(GoalWalk(visit, episode.goal, episode.order, reward))
            collected.append(_collected(potential, kept, reward))
        self.replay.extend(stored)
        self._cache.forget_before(self.replay.oldest_visit)
        if self.replay.full:
            self.best.offer(self.replay.mean_reward(), self.agent)
        self.visits = visits.stop
        self.pending_updates = learning.updates_per_collection if len(self.replay) >= learning.batch_walks else 0
        return collected

    def _episodes(self, visits: range) -> list[Episode]:
        """Walks over the next sentences, whose potentials are known then."""
        encodings = self._cache.encode(visits)
        new = self._new_sentences(visits)
        if self._prefetcher is not None:
            potentials, episodes = self._from_workers(self._prefetcher)
        else:
            potentials = self._collector.potentials(list(new.values()))
            sources = [self._source(visit) for visit in visits]
            rate = self.rates["action_exploration"]
            episodes = self._collector.episodes(self.agent, sources, encodings, rate=rate, rng=self._rng)
        self._potentials.update(zip(new, potentials, strict=True))
        found: list[Episode] = episodes
        return found

    def _new_sentences(self, visits: range) -> dict[int, tuple[str, ...]]:
        """Words of the sentences whose potentials are neither known nor computed by an earlier collection."""
        before = {self._order.sentence(visit) for visit in range(self.visits, visits.start)}
        found = {self._order.sentence(visit): tuple(self._words(visit)) for visit in visits}
        return {n: words for n, words in found.items() if n not in self._potentials and n not in before}

    def _job(self, offset: int, version: Version) -> GoalJob:
        visits = self._visits(offset)
        return GoalJob(
            sources=tuple(self._source(visit) for visit in visits),
            new=tuple(self._new_sentences(visits).values()),
            weights=version.weights,
            rate=self._rate(updates=version.updates, sentences=visits.start),
            seed=self._job_seed(visits),
        )

    def update(self) -> float:
        """One update on walks from the buffer; returns the loss."""
        self._tend_workers()
        learning = self.settings.goal.learning
        indices, walks, weights = self.replay.sample(learning.batch_walks, self._rng, priority=learning.priority)
        potentials = [self._potentials[self._order.sentence(walk.visit)] for walk in walks]
        is_word = [[not is_punctuation(word) for word in self._words(walk.visit)] for walk in walks]
        batch = WalkBatch.of(walks, self._cache.encodings, potentials, is_word)
        loss, td_errors = self._learner.update(batch, torch.from_numpy(weights).to(self._device))
        self.replay.reprioritize(indices, td_errors)
        self.pending_updates -= 1
        return loss

    def _own_tensors(self) -> dict[str, Tensor]:
        return self.replay.to_tensors() | _potentials_to_tensors(self._potentials)

    def _restore_own(self, tensors: Mapping[str, Tensor]) -> int | None:
        self._potentials = _potentials_from_tensors(tensors)
        self.replay.restore(tensors)
        return self.replay.oldest_visit


def _collected(potential: SentencePotential, kept: Kept, reward: float) -> Collected:
    """For the log: the reward, the compression rate, and the regret against the best selection of the same size."""
    best = best_selection(potential, int(kept.sum()))
    regret = float(potential.value(best) - potential.value(kept))
    return Collected((reward,), {"compression_rate": 1 - float(kept.mean()), "short_of_best": regret})


def _potentials_to_tensors(potentials: Mapping[int, SentencePotential]) -> dict[str, Tensor]:
    rows = list(potentials.values())
    return {
        "values.numbers": torch.tensor(list(potentials), dtype=torch.long),
        "values.lengths": torch.tensor([len(row.unary) for row in rows], dtype=torch.long),
        "values.words": joined([row.unary for row in rows]),
        "values.pairs": joined([row.pairwise for row in rows]),
        "values.worth": joined([row.word_scores for row in rows]),
    }


def _potentials_from_tensors(tensors: Mapping[str, Tensor]) -> dict[int, SentencePotential]:
    lengths = tensors["values.lengths"]
    words, worth = (cut(tensors[f"values.{name}"], lengths) for name in ("words", "worth"))
    pairs = cut(tensors["values.pairs"], lengths - 1)
    numbers = tensors["values.numbers"].tolist()
    return {n: SentencePotential(*row) for n, *row in zip(numbers, words, pairs, worth, strict=True)}
