"""Training of the agent that is told a length: look, walk towards several lengths, reward every step, learn.

Like the paper's `Trainer`, its whole state is in `state()`, so that a run that is stopped and goes on ends exactly as
one that was never stopped.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ealm.assessment import Similarity
from ealm.config import Settings
from ealm.converter import Converter
from ealm.course import Course
from ealm.data import Corpus
from ealm.goals.agent import GoalAgent
from ealm.goals.learner import GoalLearner, WalkBatch
from ealm.goals.parts import DraftJudge, FinishedDraft, SentenceJudge
from ealm.goals.replay import GoalWalk, WalkReplay
from ealm.goals.settings import PartSettings
from ealm.goals.values import SentenceValues, best_draft
from ealm.goals.walking import GoalExploration, goal_walks
from ealm.goals.weighing import Weigher, WordWeights, cut, joined
from ealm.masked_lm import MaskedLM
from ealm.rollout import Walk
from ealm.source import Source
from ealm.training import Collected


def needs_similarity(parts: PartSettings) -> bool:
    """Whether one of the parts asks the similarity model."""
    return bool(parts.meaning or parts.likeness or parts.similarity)


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
    ) -> None:
        """`similarity` may be None only if no part needs it; `weighed` are sentences whose words need no look."""
        parts = settings.goal.parts
        if similarity is None and needs_similarity(parts):
            raise ValueError("a part of the value needs a similarity")
        at_once = settings.goal.learning.sentences_per_collection
        super().__init__(lm=lm, corpus=corpus, settings=settings, seed=seed, device=device, at_once=at_once)
        self._learner = GoalLearner(lm.width, settings.goal, seed=seed, device=device)
        self.networks = self._learner.networks
        self.replay = WalkReplay(settings.goal.learning.replay_walks)
        weighs = parts.meaning or parts.likeness
        self._judge = SentenceJudge(parts, Weigher(similarity, weighed) if similarity and weighs else None)
        self._draft_judge = DraftJudge(
            parts,
            lm=lm,
            similarity=similarity,
            converter=Converter(lm, settings.decoding_in_training),
            top_k=settings.rewards.top_k,
        )
        if parts.fluency or parts.joints:
            self._draft_judge.learn_frequencies(Counter(w for words in corpus.sentences for w in lm.word_ids(words)))
        self._values: dict[int, SentenceValues] = {}
        """By number of the sentence; they cost far more than they take, so all are remembered."""

    @property
    def agent(self) -> GoalAgent:
        """The agent as it is now."""
        return self._learner.agent

    @property
    def rates(self) -> dict[str, float]:
        """Exploring probabilities by now, for the log."""
        rate = self.settings.action_exploration.rate(updates=self.updates, sentences=self.visits)
        return {"action_exploration": rate}

    def collect(self) -> list[Collected]:
        """Look at the next sentences, walk them towards several lengths and store what the walks teach."""
        learning = self.settings.goal.learning
        visits = range(self.visits, self.visits + learning.sentences_per_collection)
        sources = [self._source(visit) for visit in visits]
        values = self._values_of(visits, sources)
        encodings = self._memory.encode(visits)
        rows = [row for row in range(len(visits)) for _ in range(learning.walks_per_sentence)]
        goals = [self._goal(len(sources[row].words)) for row in rows]
        exploration = GoalExploration(self._rng, self.rates["action_exploration"], learning.exploration)
        walks = goal_walks(
            self.agent, [encodings[row] for row in rows], goals, exploration=exploration, to_the_end=False
        )
        kept = [_kept(walk) for walk in walks]
        drafts = [
            FinishedDraft(sources[row], tuple(np.flatnonzero(left).tolist()))
            for row, left in zip(rows, kept, strict=True)
        ]
        finish = self._draft_judge.values(drafts)
        stored, collected = [], []
        for row, goal, path, left, ending in zip(rows, goals, walks, kept, finish.tolist(), strict=True):
            value = values[row]
            reward = float(value.of(left) - value.of(np.ones_like(left))) + ending
            order = tuple(step.word for step in path.steps)
            stored.append(GoalWalk(visits[row], goal, order, ending, reward))
            collected.append(_collected(value, left, reward))
        self.replay.extend(stored)
        self._memory.forget_before(self.replay.oldest_visit)
        if self.replay.full:
            self.best.offer(self.replay.mean_reward(), self.agent)
        self.visits = visits.stop
        self.pending_updates = learning.updates_per_collection if len(self.replay) >= learning.batch_walks else 0
        return collected

    def _goal(self, length: int) -> int:
        learning = self.settings.goal.learning
        share = self._rng.uniform(learning.shortest, learning.longest)
        return min(max(1, round(share * length)), length - 1)

    def _values_of(self, visits: Sequence[int], sources: Sequence[Source]) -> list[SentenceValues]:
        numbers = [self._order.sentence(visit) for visit in visits]
        new = {number: source.words for number, source in zip(numbers, sources, strict=True)}
        new = {number: words for number, words in new.items() if number not in self._values}
        self._values.update(zip(new, self._judge.values(list(new.values())), strict=True))
        return [self._values[number] for number in numbers]

    def update(self) -> float:
        """One update on walks from the buffer; returns the loss."""
        learning = self.settings.goal.learning
        numbers, walks, weights = self.replay.sample(learning.batch_walks, self._rng, priority=learning.priority)
        values = [self._values[self._order.sentence(walk.visit)] for walk in walks]
        batch = WalkBatch.of(walks, self._memory.encodings, values)
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


def _kept(walk: Walk) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    kept = np.ones(walk.length, dtype=bool)
    kept[[step.word for step in walk.steps]] = False
    return kept


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
    }


def _values_from_tensors(tensors: Mapping[str, Tensor]) -> dict[int, SentenceValues]:
    lengths = tensors["values.lengths"]
    words, pairs = cut(tensors["values.words"], lengths), cut(tensors["values.pairs"], lengths - 1)
    numbers = tensors["values.numbers"].tolist()
    return {n: SentenceValues(w, p) for n, w, p in zip(numbers, words, pairs, strict=True)}
