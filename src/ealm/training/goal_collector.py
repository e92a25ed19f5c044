"""Collecting walks towards a length: walk the sentences, judge their words and the finished drafts. The costly part of
training, so other processes than the learner's can do it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from torch import Tensor

from ealm.common.config import Settings
from ealm.common.goal_config import PartSettings
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.learner import new_goal_agent
from ealm.goal_agent.potential import SentenceValues
from ealm.goal_agent.potential_terms import DraftJudge, FinishedDraft, SentenceJudge
from ealm.goal_agent.rollout import GoalExploration, goal_walks
from ealm.goal_agent.word_importance import Weigher, WordWeights, load_weights
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.assessment import Similarity
from ealm.paper.converter import Converter
from ealm.paper.encodings import Look, look_for
from ealm.paper.source import Source
from ealm.text.corpus import Corpus
from ealm.training.paper_collector import ModelNames
from ealm.training.prefetch import Weights, load_version


def needs_similarity(parts: PartSettings) -> bool:
    """Whether one of the parts asks the similarity model."""
    return bool(parts.meaning or parts.likeness or parts.similarity)


def word_counts(corpus: Corpus, lm: MaskedLM, parts: PartSettings) -> "Counter[int]":
    """How often each word of the language model occurs; empty if no part asks that."""
    if not (parts.fluency or parts.joints):
        return Counter()
    return Counter(word for words in corpus.sentences for word in lm.word_ids(words))


@dataclass(frozen=True, slots=True)
class Outing:
    """A walk over one of several sentences."""

    row: int
    """Which of them."""
    goal: int
    order: tuple[int, ...]
    """Words in the order in which they went."""
    finish: float
    """What the finished draft as a whole is worth more than the source."""

    def kept(self, length: int) -> npt.NDArray[np.bool_]:
        """What is left of a sentence of so many words."""
        return _kept(length, self.order)


def _kept(length: int, gone: Sequence[int]) -> npt.NDArray[np.bool_]:
    kept = np.ones(length, dtype=bool)
    kept[list(gone)] = False
    return kept


class GoalCollector:
    """Walks sentences, and tells what words and drafts are worth."""

    def __init__(
        self,
        *,
        lm: MaskedLM,
        settings: Settings,
        similarity: Similarity | None,
        counts: "Counter[int]",
        weighed: Mapping[int, WordWeights] | None = None,
    ) -> None:
        """`similarity` may be None only if no part needs it; `weighed` are sentences whose words need no look."""
        parts = settings.goal.parts
        if similarity is None and needs_similarity(parts):
            raise ValueError("a part of the value needs a similarity")
        self._learning = settings.goal.learning
        weighs = parts.meaning or parts.likeness
        self._judge = SentenceJudge(parts, Weigher(similarity, weighed) if similarity and weighs else None)
        self._draft_judge = DraftJudge(
            parts,
            lm=lm,
            similarity=similarity,
            converter=Converter(lm, settings.decoding_in_training),
            top_k=settings.rewards.top_k,
        )
        self._draft_judge.learn_frequencies(counts)

    def values(self, sentences: Sequence[Sequence[str]]) -> list[SentenceValues]:
        """What words and neighbours of sentences are worth."""
        return self._judge.values(sentences)

    def outings(
        self,
        agent: GoalAgent,
        sources: Sequence[Source],
        encodings: Sequence[Tensor],
        *,
        rate: float,
        rng: np.random.Generator,
    ) -> list[Outing]:
        """Walks over each sentence towards several lengths, exploring with that probability."""
        rows = [row for row in range(len(sources)) for _ in range(self._learning.walks_per_sentence)]
        goals = [self._goal(len(sources[row].words), rng) for row in rows]
        exploration = GoalExploration(rng, rate, self._learning.exploration)
        walks = goal_walks(agent, [encodings[row] for row in rows], goals, exploration=exploration, to_the_end=False)
        orders = [tuple(step.word for step in walk.steps) for walk in walks]
        drafts = [
            FinishedDraft(sources[row], tuple(np.flatnonzero(_kept(len(sources[row].words), order)).tolist()))
            for row, order in zip(rows, orders, strict=True)
        ]
        finish = self._draft_judge.values(drafts).tolist()
        return [Outing(*columns) for columns in zip(rows, goals, orders, finish, strict=True)]

    def _goal(self, length: int, rng: np.random.Generator) -> int:
        share = rng.uniform(self._learning.shortest, self._learning.longest)
        return min(max(1, round(share * length)), length - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalJob:
    """A collection that anybody can do and that comes out the same."""

    sources: tuple[Source, ...]
    new: tuple[tuple[str, ...], ...]
    """Sentences whose words nobody has judged yet."""
    weights: Weights
    """Of the agent that walks."""
    rate: float
    """Probability of exploring."""
    seed: tuple[int, ...]
    """Where chance comes from."""


@dataclass(frozen=True, slots=True)
class GoalWorker:
    """Does such jobs."""

    collector: GoalCollector
    agent: GoalAgent
    look: Look

    def __call__(self, job: GoalJob) -> tuple[list[SentenceValues], list[Outing]]:
        """What the new sentences are worth, and walks over all."""
        load_version(self.agent, job.weights)
        values = self.collector.values(job.new)
        rng = np.random.default_rng(job.seed)
        return values, self.collector.outings(self.agent, job.sources, self.look(job.sources), rate=job.rate, rng=rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalRecipe:
    """How a process becomes such a worker."""

    models: ModelNames
    settings: Settings
    counts: "Counter[int]"
    weighed: Path | None
    """A file of sentences whose words need no look."""

    def load(self, threads: int | None) -> GoalWorker:
        """Load the models."""
        lm, similarity = self.models.load(threads)
        weighed = (
            load_weights(self.weighed, self.models.similarity) if self.weighed and self.models.similarity else None
        )
        collector = GoalCollector(
            lm=lm, settings=self.settings, similarity=similarity, counts=self.counts, weighed=weighed
        )
        return goal_worker(collector, lm, self.settings, device=self.models.device)


def goal_worker(collector: GoalCollector, lm: MaskedLM, settings: Settings, *, device: str = "cpu") -> GoalWorker:
    """A worker with an agent of its own, which takes the weights that are sent."""
    look = look_for(settings, lm, device=device)
    agent = new_goal_agent(look.width, settings.goal.agent, seed=0).to(device)
    return GoalWorker(collector, agent, look)
