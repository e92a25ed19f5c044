"""Collecting walks of the goal agent: compute the potentials of the sentences, and walk them. The expensive part
of training, which worker processes can do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from torch import Tensor

from ealm.common.config import Settings
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.learner import new_goal_agent
from ealm.goal_agent.potential import Kept, SentencePotential
from ealm.goal_agent.potential_terms import PotentialModel
from ealm.goal_agent.rollout import GoalExploration, goal_walks
from ealm.goal_agent.word_importance import ImportanceModel, WordImportance, load_importance
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.assessment import Similarity
from ealm.paper.encodings import SourceEncoder, source_encoder
from ealm.paper.source import Source
from ealm.training.paper_collector import ModelNames
from ealm.training.prefetch import Weights, load_version


@dataclass(frozen=True, slots=True)
class Episode:
    """A walk over one of several sentences."""

    row: int
    """Which of them."""
    goal: int
    order: tuple[int, ...]
    """Words in the order in which they were removed."""

    def kept(self, length: int) -> Kept:
        """Kept words of a sentence of so many words."""
        kept = np.ones(length, dtype=bool)
        kept[list(self.order)] = False
        return kept


class GoalCollector:
    """Computes potentials of sentences, and walks them."""

    def __init__(
        self,
        *,
        settings: Settings,
        similarity: Similarity | None,
        importance: Mapping[int, WordImportance] | None = None,
    ) -> None:
        """`similarity` may be None only if no term needs it; `importance` is the stored importance of words."""
        terms = settings.goal.potential
        if similarity is None and terms.needs_similarity:
            raise ValueError("a potential term needs a similarity model")
        self._learning = settings.goal.learning
        model = ImportanceModel(similarity, importance) if similarity is not None and terms.needs_similarity else None
        self._model = PotentialModel(terms, model)

    def potentials(self, sentences: Sequence[Sequence[str]]) -> list[SentencePotential]:
        """Potentials of sentences."""
        return self._model.potentials(sentences)

    def episodes(
        self,
        agent: GoalAgent,
        sources: Sequence[Source],
        encodings: Sequence[Tensor],
        *,
        rate: float,
        rng: np.random.Generator,
    ) -> list[Episode]:
        """Walks over each sentence towards several lengths, with that exploration rate."""
        rows = [row for row in range(len(sources)) for _ in range(self._learning.walks_per_sentence)]
        goals = [self._goal(len(sources[row].words), rng) for row in rows]
        exploration = GoalExploration(rng, rate, self._learning.exploration)
        walks = goal_walks(agent, [encodings[row] for row in rows], goals, exploration=exploration, to_the_end=False)
        orders = [tuple(step.word for step in walk.steps) for walk in walks]
        return [Episode(*columns) for columns in zip(rows, goals, orders, strict=True)]

    def _goal(self, length: int, rng: np.random.Generator) -> int:
        share = rng.uniform(self._learning.shortest, self._learning.longest)
        return min(max(1, round(share * length)), length - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalJob:
    """A collection for a worker; the result does not depend on which worker does it."""

    sources: tuple[Source, ...]
    new: tuple[tuple[str, ...], ...]
    """Sentences whose potentials are not known yet."""
    weights: Weights
    """Of the agent that walks."""
    rate: float
    """Exploration rate."""
    seed: tuple[int, ...]
    """Of the random generator."""


@dataclass(frozen=True, slots=True)
class GoalWorker:
    """Does jobs of the goal agent."""

    collector: GoalCollector
    agent: GoalAgent
    encoder: SourceEncoder

    def __call__(self, job: GoalJob) -> tuple[list[SentencePotential], list[Episode]]:
        """Potentials of the new sentences, and walks over all."""
        load_version(self.agent, job.weights)
        potentials = self.collector.potentials(job.new)
        rng = np.random.default_rng(job.seed)
        encodings = self.encoder(job.sources)
        return potentials, self.collector.episodes(self.agent, job.sources, encodings, rate=job.rate, rng=rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalRecipe:
    """How a process becomes a worker for the goal agent."""

    models: ModelNames
    settings: Settings
    importance: Path | None
    """A file of stored word importance."""

    def load(self, threads: int | None) -> GoalWorker:
        """Load the models."""
        lm, similarity = self.models.load(threads)
        importance = None
        if self.importance is not None and self.models.similarity is not None:
            importance = load_importance(self.importance, self.models.similarity)
        collector = GoalCollector(settings=self.settings, similarity=similarity, importance=importance)
        return goal_worker(collector, lm, self.settings, device=self.models.device)


def goal_worker(collector: GoalCollector, lm: MaskedLM, settings: Settings, *, device: str = "cpu") -> GoalWorker:
    """A worker with an agent of its own, which gets the weights of each job."""
    encoder = source_encoder(settings, lm, device=device)
    agent = new_goal_agent(encoder.width, settings.goal.agent, seed=0).to(device)
    return GoalWorker(collector, agent, encoder)
