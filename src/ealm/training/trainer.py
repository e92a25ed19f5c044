"""What both trainers share: the position in the corpus, the random generator, and the best agent so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor, nn

from ealm.common.checkpoint import prefixed
from ealm.common.config import Settings
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.encodings import source_encoder
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.source import Source
from ealm.paper.target_network import Networks, group
from ealm.summarize.saved_agent import SavedAgent
from ealm.text.corpus import Corpus, VisitOrder
from ealm.training.encoding_cache import EncodingCache
from ealm.training.prefetch import Prefetcher, Version
from ealm.training.return_gate import Returns


@dataclass(frozen=True, slots=True)
class Collected:
    """One walk of a collection, for the log."""

    rewards: tuple[float, ...]
    measures: Mapping[str, float]
    """By name; the log has their means."""


class BestWeights:
    """Keeps a copy of the weights at the highest reward; the final model is that one (section 5, Proposed method)."""

    def __init__(self) -> None:
        self.reward: float | None = None
        self._weights: dict[str, Tensor] = {}

    def offer(self, reward: float, agent: nn.Module) -> None:
        """Keep the agent's weights if the reward is the highest so far."""
        if self.reward is None or reward > self.reward:
            self.reward = reward
            self._weights = _copied(agent.state_dict())

    def or_of(self, agent: nn.Module) -> dict[str, Tensor]:
        """The best weights, or the agent's own while none were kept."""
        return _copied(self._weights or agent.state_dict())

    def tensors(self) -> dict[str, Tensor]:
        """For a checkpoint."""
        return prefixed("best.", self._weights)

    def restore(self, weights: Mapping[str, Tensor], reward: float | None) -> None:
        """From a checkpoint."""
        self.reward = reward
        self._weights = dict(weights)


def _copied(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in weights.items()}


class BaseTrainer:
    """The state that both trainers share; what is special to one is its own."""

    networks: Networks[Any]
    returns: Returns | None = None
    """What the gate measured last, if the trainer has one."""

    def __init__(
        self,
        *,
        lm: MaskedLM,
        corpus: Corpus,
        settings: Settings,
        seed: int,
        device: str,
        at_once: int,
        prefetcher: Prefetcher | None = None,
    ) -> None:
        """A collection takes `at_once` sentences; with a `prefetcher` workers walk them."""
        self.lm = lm
        self.settings = settings
        self.ignored_words = IgnoredWords.from_corpus(corpus.sentences, settings.ignored_words)
        self.visits = 0
        self.pending_updates = 0
        """Updates of the last collection that are still to be done."""
        self.best = BestWeights()
        self._corpus = corpus
        self._seed = seed
        self._at_once = at_once
        self._prefetcher = prefetcher
        self._device = device
        self._rng = np.random.default_rng(seed)
        self._order = VisitOrder(len(corpus.sentences), seed)
        self.encoder = source_encoder(settings, lm, device=device)
        self._cache = EncodingCache(self.encoder, self._source, visits_at_once=at_once)

    @property
    def updates(self) -> int:
        """Updates done so far."""
        return self.networks.updates

    @property
    def best_reward(self) -> float | None:
        """Highest mean reward so far, over as many walks as are judged."""
        return self.best.reward

    def _words(self, visit: int) -> Sequence[str]:
        return self._corpus.sentences[self._order.sentence(visit)]

    def _source(self, visit: int) -> Source:
        return Source.prepare(self._words(visit), self.lm, self.ignored_words)

    def _visits(self, offset: int = 0) -> range:
        """Visits of the next collection, or of a later one."""
        first = self.visits + offset * self._at_once
        return range(first, first + self._at_once)

    def _from_workers(self, prefetcher: Prefetcher) -> Any:
        """The next collection."""
        return prefetcher.next(Version.of(self.networks.agent, self.updates), self._job)

    def _job(self, offset: int, version: Version) -> Any:
        """A job for a worker: the collection so many after the next one, with the agent of that version."""
        raise NotImplementedError

    def _job_seed(self, visits: range) -> tuple[int, ...]:
        """Seed of a job's random generator; it depends on the visits alone, not on the worker."""
        return (self._seed, visits.start, 1)  # VisitOrder has the seeds of two numbers

    def _tend_workers(self) -> None:
        if self._prefetcher is not None:
            self._prefetcher.tend()

    def close(self) -> None:
        """End the workers, if there are any."""
        if self._prefetcher is not None:
            self._prefetcher.close()

    def result(self) -> SavedAgent:
        """The agent to use: at the best reward, or as it is now while none was judged."""
        agent: nn.Module = self.networks.agent
        return SavedAgent(
            weights=self.best.or_of(agent),
            width=self.encoder.width,
            lm_name=self.lm.name,
            ignored_words=self.ignored_words,
            settings=self.settings,
        )

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Tensors and plain values from which `restore` makes the same trainer again."""
        values: dict[str, Any] = {
            "updates": self.updates,
            "visits": self.visits,
            "pending_updates": self.pending_updates,
            "best_reward": self.best_reward,
            "rng": self._rng.bit_generator.state,
        }
        tensors = self.networks.tensors() | self.best.tensors() | self._own_tensors()
        if self._prefetcher is not None:
            tensors |= self._prefetcher.tensors()
            values["jobs"] = self._prefetcher.values()
        return tensors, values

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """The reverse of `state()`."""
        self.networks.restore(tensors, updates=values["updates"])
        weights = {name: tensor.to(self._device) for name, tensor in group(tensors, "best").items()}
        self.best.restore(weights, values["best_reward"])
        self.visits = values["visits"]
        self.pending_updates = values["pending_updates"]
        self._rng.bit_generator.state = values["rng"]
        self._cache.encode_again(self._restore_own(tensors), self.visits)
        if self._prefetcher is not None:
            self._prefetcher.restore(tensors, values["jobs"], self.networks.agent)

    def _own_tensors(self) -> dict[str, Tensor]:
        """What this kind of trainer adds to the state."""
        raise NotImplementedError

    def _restore_own(self, tensors: Mapping[str, Tensor]) -> int | None:
        """The reverse of `_own_tensors`; returns the earliest visit that the buffer refers to."""
        raise NotImplementedError
