"""What every trainer keeps beside what it learns: where it is in its corpus, its chance, and the best agent so far."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor, nn

from ealm.common.config import Settings
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.encodings import source_encoder
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.source import Source
from ealm.paper.target_network import Networks, group
from ealm.summarize.saved_agent import SavedAgent
from ealm.text.corpus import Corpus, VisitOrder
from ealm.training.best_weights import BestWeights
from ealm.training.encoding_cache import EncodingMemory
from ealm.training.prefetch import Pipeline, Version


class Course:
    """The state that all trainers share; what is special to one is its own."""

    networks: Networks[Any]

    def __init__(
        self,
        *,
        lm: MaskedLM,
        corpus: Corpus,
        settings: Settings,
        seed: int,
        device: str,
        at_once: int,
        pipeline: Pipeline | None = None,
    ) -> None:
        """`at_once` sentences are looked at in a collection; with a `pipeline` workers do that."""
        self.lm = lm
        self.settings = settings
        self.ignored_words = IgnoredWords.from_corpus(corpus.sentences, settings.ignored_words)
        self.visits = 0
        self.pending_updates = 0
        """Updates that the last collection paid for and that are still to be done."""
        self.best = BestWeights()
        self._corpus = corpus
        self._seed = seed
        self._at_once = at_once
        self._pipeline = pipeline
        self._device = device
        self._rng = np.random.default_rng(seed)
        self._order = VisitOrder(len(corpus.sentences), seed)
        self.look = source_encoder(settings, lm, device=device)
        self._memory = EncodingMemory(self.look, self._source, visits_at_once=at_once)

    @property
    def updates(self) -> int:
        """Updates done so far."""
        return self.networks.updates

    @property
    def best_reward(self) -> float | None:
        """Highest mean reward in a full buffer so far."""
        return self.best.reward

    def _words(self, visit: int) -> Sequence[str]:
        return self._corpus.sentences[self._order.sentence(visit)]

    def _source(self, visit: int) -> Source:
        return Source.prepare(self._words(visit), self.lm, self.ignored_words)

    def _visits(self, place: int = 0) -> range:
        """Of the next collection, or of the one so many places behind it."""
        first = self.visits + place * self._at_once
        return range(first, first + self._at_once)

    def _from_workers(self, pipeline: Pipeline) -> Any:
        """What they brought from the next collection."""
        return pipeline.next(Version.of(self.networks.agent, self.updates), self._job)

    def _job(self, place: int, version: Version) -> Any:
        """The collection so many places behind the next one, for a worker with that agent."""
        raise NotImplementedError

    def _chance(self, visits: range) -> tuple[int, ...]:
        """Seed for a collection that a worker does: the same one, whoever does it."""
        return (self._seed, visits.start, 1)  # VisitOrder has the seeds of two numbers

    def _tend_workers(self) -> None:
        if self._pipeline is not None:
            self._pipeline.tend()

    def close(self) -> None:
        """End the workers, if there are any."""
        if self._pipeline is not None:
            self._pipeline.close()

    def result(self) -> SavedAgent:
        """The agent to use: at the best replay reward, or as it is now while the buffer was never full."""
        agent: nn.Module = self.networks.agent
        return SavedAgent(
            weights=self.best.or_of(agent),
            width=self.look.width,
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
        if self._pipeline is not None:
            tensors |= self._pipeline.tensors()
            values["jobs"] = self._pipeline.values()
        return tensors, values

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """Go on from `state()`."""
        self.networks.restore(tensors, updates=values["updates"])
        weights = {name: tensor.to(self._device) for name, tensor in group(tensors, "best").items()}
        self.best.restore(weights, values["best_reward"])
        self.visits = values["visits"]
        self.pending_updates = values["pending_updates"]
        self._rng.bit_generator.state = values["rng"]
        self._memory.encode_again(self._restore_own(tensors), self.visits)
        if self._pipeline is not None:
            self._pipeline.restore(tensors, values["jobs"], self.networks.agent)

    def _own_tensors(self) -> dict[str, Tensor]:
        """What a kind of trainer has to keep besides."""
        raise NotImplementedError

    def _restore_own(self, tensors: Mapping[str, Tensor]) -> int | None:
        """Take it up again; tells the earliest visit that is still referred to."""
        raise NotImplementedError
