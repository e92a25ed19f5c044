"""Collecting walks of the paper's agent in a worker process: walk with the agent of the job, score the walks."""

from dataclasses import dataclass

import numpy as np
import torch

from ealm.common.config import Settings
from ealm.lm.masked_lm import MaskedLM, TransformersMaskedLM
from ealm.paper.assessment import SentenceSimilarity, Similarity
from ealm.paper.encodings import source_encoder
from ealm.paper.learner import new_agent
from ealm.paper.rollout import Exploration, Walk, walk
from ealm.paper.source import Source
from ealm.paper.walk_scorer import WalkScore, WalkScorer
from ealm.training.prefetch import Weights, load_version


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkJob:
    """A collection for a worker; the result does not depend on which worker does it."""

    sources: tuple[Source, ...]
    weights: Weights
    """Of the agent that walks."""
    action_rate: float
    order_rate: float
    seed: tuple[int, ...]
    """Of the random generator."""


class WalkCollector:
    """Does jobs of the paper's agent."""

    def __init__(self, *, lm: MaskedLM, settings: Settings, similarity: Similarity | None, device: str = "cpu") -> None:
        """`similarity` may be None only if its weight is 0."""
        self._encoder = source_encoder(settings, lm, device=device)
        self._agent = new_agent(self._encoder.width, settings.agent, seed=0).to(device)
        self._scorer = WalkScorer(lm=lm, settings=settings, similarity=similarity)

    def __call__(self, job: WalkJob) -> list[tuple[Walk, WalkScore]]:
        """A walk over each sentence, and its score."""
        load_version(self._agent, job.weights)
        exploration = Exploration(np.random.default_rng(job.seed), job.action_rate, job.order_rate)
        walks = walk(self._agent, self._encoder(job.sources), exploration=exploration)
        return list(zip(walks, self._scorer.score(job.sources, walks), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNames:
    """The models that judge walks, by name, so that another process can load them."""

    lm: str
    similarity: str | None
    """None if no reward needs it."""
    engine: str
    device: str

    def load(self, threads: int | None) -> tuple[MaskedLM, Similarity | None]:
        """Load them, to compute in so many threads; None leaves that as it is."""
        if threads is not None:
            torch.set_num_threads(min(threads, torch.get_num_threads()))
        lm = TransformersMaskedLM.load(self.lm, device=self.device, engine=self.engine)
        if self.similarity is None:
            return lm, None
        return lm, SentenceSimilarity.load(self.similarity, device=self.device, engine=self.engine)


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkRecipe:
    """How a process becomes a worker for the paper's agent."""

    models: ModelNames
    settings: Settings

    def load(self, threads: int | None) -> WalkCollector:
        """Load the models."""
        lm, similarity = self.models.load(threads)
        return WalkCollector(lm=lm, settings=self.settings, similarity=similarity, device=self.models.device)
