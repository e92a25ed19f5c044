"""Q-learning from raw sentences (section 4.4): collect, score, store, update, keep the best.

A `PaperTrainer` is the algorithm alone. Its whole state is in `state()`, so that a resumed run ends exactly as one that
was never stopped; files, signals and progress are in `run.py`.
"""

import copy
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

from ealm.common.checkpoint import prefixed
from ealm.common.config import Settings
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.agent import Agent
from ealm.paper.assessment import Similarity
from ealm.paper.edits import Action
from ealm.paper.learner import Learner, spread_of
from ealm.paper.replay import Experience, ReplayBuffer
from ealm.paper.rewards import earned_from, walk_rewards
from ealm.paper.rollout import Exploration, Walk, walk
from ealm.paper.source import Source
from ealm.paper.target_network import group
from ealm.paper.walk_scorer import WalkScore, WalkScorer
from ealm.text.corpus import Corpus
from ealm.training.paper_collector import WalkJob
from ealm.training.prefetch import Prefetcher, Version
from ealm.training.return_gate import ReturnGate, Returns
from ealm.training.trainer import BaseTrainer, Collected


def experiences_of_walk(
    visit: int, path: Walk, score: WalkScore, rewards: Sequence[float], settings: Settings
) -> list[Experience]:
    """Experiences of steps 1 to T; the last one does not bootstrap unless the settings say so."""
    actions = bytearray([Action.KEEP] * path.length)
    decided = bytearray(path.length)
    experiences = []
    explored = [step.state_value if step.explored else None for step in path.steps[: len(rewards)]]
    earned = earned_from(rewards, settings.learning.discount, explored)
    for number, (step, reward) in enumerate(zip(path.steps, rewards, strict=False), start=1):
        terminal = number == score.assessment.last_step and not (
            score.violated and settings.learning.violation_bootstraps
        )
        following = path.steps[number] if number < len(path.steps) and not terminal else None
        if not (settings.learning.drop_last_step and number == path.length):
            experience = Experience(
                visit=visit,
                word=step.word,
                actions=bytes(actions),
                decided=bytes(decided),
                action=int(step.action),
                reward=reward,
                continues=following is not None,
                next_value=following.state_value if following else 0.0,
                earned=earned[number - 1],
            )
            experiences.append(experience)
        actions[step.word] = step.action
        decided[step.word] = 1
    return experiences


class RecentRewards:
    """Mean reward of the experiences of the newest walks, always as many, however short they are."""

    def __init__(self, walks: int) -> None:
        self._walks: deque[tuple[float, int]] = deque(maxlen=walks)

    @property
    def full(self) -> bool:
        """Whether there are as many walks as are judged."""
        return len(self._walks) == self._walks.maxlen

    def add(self, rewards: Sequence[float]) -> None:
        """Take in the rewards of a walk."""
        self._walks.append((sum(rewards), len(rewards)))

    def mean(self) -> float:
        """Over the experiences of all these walks."""
        return sum(total for total, _ in self._walks) / sum(count for _, count in self._walks)

    def to_tensor(self) -> Tensor:
        """For a checkpoint: (walks, 2)."""
        return torch.tensor(list(self._walks), dtype=torch.double).reshape(-1, 2)

    def restore(self, saved: Tensor) -> None:
        """The reverse of `to_tensor()`."""
        self._walks.extend((total, int(count)) for total, count in saved.tolist())


class AveragedAgent:
    """The running mean of an agent's weights: what swings from update to update cancels out."""

    def __init__(self, agent: Agent, updates: int) -> None:
        """`updates`: over about how many the mean is."""
        self.agent = copy.deepcopy(agent)
        self._most = updates
        self._count = 0

    @torch.no_grad()
    def add(self, agent: Agent) -> None:
        """Take in the weights after an update."""
        self._count = min(self._count + 1, self._most)
        for mean, weight in zip(self.agent.parameters(), agent.parameters(), strict=True):
            mean.lerp_(weight, 1 / self._count)

    def tensors(self) -> dict[str, Tensor]:
        """For a checkpoint."""
        weights = {name: tensor.clone() for name, tensor in self.agent.state_dict().items()}
        return prefixed("mean.", weights) | {"averaged": torch.tensor(self._count)}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """The reverse of `tensors()`."""
        self.agent.load_state_dict(group(tensors, "mean"))
        self._count = int(tensors["averaged"])


class PaperTrainer(BaseTrainer):
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
        prefetcher: Prefetcher | None = None,
    ) -> None:
        """`similarity` may be None if its weight is 0, or if workers have it and no sentence is held out."""
        at_once = settings.learning.sentences_per_collection
        super().__init__(
            lm=lm, corpus=corpus, settings=settings, seed=seed, device=device, at_once=at_once, prefetcher=prefetcher
        )
        spread = spread_of(self.encoder([self._source(visit) for visit in self._visits()]))
        self._learner = Learner(lm.width, settings, seed=seed, spread=spread, device=device)
        self.networks = self._learner.networks
        self.replay = ReplayBuffer(settings.learning.replay_size)
        self._recent = RecentRewards(settings.learning.judged_walks)
        averaged = settings.learning.averaged_updates
        self._averaged = AveragedAgent(self.agent, averaged) if averaged else None
        if prefetcher is None:
            self._scorer = WalkScorer(lm=lm, settings=settings, similarity=similarity)
        self._gate = self._new_gate(corpus, similarity) if corpus.held_out else None

    def _new_gate(self, corpus: Corpus, similarity: Similarity | None) -> ReturnGate:
        # A scorer of its own: what another one remembers must not change the last bits of a resumed run.
        settings = self.settings.override({"learning.floors_ahead": 1})
        scorer = WalkScorer(lm=self.lm, settings=settings, similarity=similarity)
        sources = [Source.prepare(words, self.lm, self.ignored_words) for words in corpus.held_out]
        return ReturnGate(sources, self.encoder(sources), scorer, self.settings.rewards)

    @property
    def agent(self) -> Agent:
        """The agent as it is now."""
        return self._learner.agent

    @property
    def rates(self) -> dict[str, float]:
        """Exploration rates by now, and what the gate measured last, for the log."""
        exploration = self.exploration
        rates = {"action_exploration": exploration.action_rate, "order_exploration": exploration.order_rate}
        return rates if self.returns is None else rates | self.returns.to_dict()

    @property
    def exploration(self) -> Exploration:
        """Exploration rates by now, with the random generator."""
        return Exploration(self._rng, *self._rates(updates=self.updates, sentences=self.visits))

    def _rates(self, **passed: int) -> tuple[float, float]:
        """Exploration rates of actions and of the order."""
        return self.settings.action_exploration.rate(**passed), self.settings.order_exploration.rate(**passed)

    def collect(self) -> list[Collected]:
        """Walk the next sentences, score the walks and store their experiences."""
        learning = self.settings.learning
        visits = self._visits()
        collected = []
        for visit, (path, score) in zip(visits, self._walked(visits), strict=True):
            rewards = walk_rewards(
                score.summary_lengths,
                violated=score.violated,
                assessment=score.assessment,
                settings=self.settings.rewards,
            )
            self.replay.extend(experiences_of_walk(visit, path, score, rewards, self.settings))
            self._recent.add(rewards)
            collected.append(_collected(rewards, score))
        self._cache.forget_before(self.replay.oldest_visit)
        if self._recent.full and self._explored_least(ago=learning.judged_walks):
            self.best.offer(self._recent.mean(), self._kept_agent)
        self._measure_returns(visits)
        self.visits = visits.stop
        enough = len(self.replay) >= learning.batch_size
        self.pending_updates = round(len(visits) * learning.updates_per_sentence) if enough else 0
        return collected

    def _explored_least(self, *, ago: int = 0) -> bool:
        """Whether exploration had come to its minimum so many sentences ago."""
        updates = self.updates - round(ago * self.settings.learning.updates_per_sentence)
        rates = self._rates(updates=updates, sentences=self.visits - ago)
        return rates == (self.settings.action_exploration.minimum, self.settings.order_exploration.minimum)

    @property
    def _kept_agent(self) -> Agent:
        """The agent that would be kept now."""
        return self._averaged.agent if self._averaged is not None and self._explored_least() else self.agent

    def _measure_returns(self, visits: range) -> None:
        """Compare the agent with the script, at the start and then every so many visits."""
        period = self.settings.learning.gate_period
        if self._gate is not None and (self.returns is None or visits.stop // period > visits.start // period):
            self.returns = self._gate.measure(self._kept_agent)

    def _walked(self, visits: range) -> Iterable[tuple[Walk, WalkScore]]:
        """Walks over the next sentences, with their scores."""
        encodings = self._cache.encode(visits)
        if self._prefetcher is not None:
            collected: list[tuple[Walk, WalkScore]] = self._from_workers(self._prefetcher)
            return collected
        walks = walk(self.agent, encodings, exploration=self.exploration)
        return zip(walks, self._scorer.score([self._source(visit) for visit in visits], walks), strict=True)

    def _job(self, offset: int, version: Version) -> WalkJob:
        visits = self._visits(offset)
        action_rate, order_rate = self._rates(updates=version.updates, sentences=visits.start)
        return WalkJob(
            sources=tuple(self._source(visit) for visit in visits),
            weights=version.weights,
            action_rate=action_rate,
            order_rate=order_rate,
            seed=self._job_seed(visits),
        )

    def update(self) -> float:
        """One update on a batch from the buffer; returns the loss."""
        self._tend_workers()
        experiences = self.replay.sample(self.settings.learning.batch_size, self._rng)
        self.pending_updates -= 1
        settled = self._explored_least()
        if settled:
            self._settle_learning_rate()
        loss = self._learner.update(experiences, self._cache.encodings)
        if settled and self._averaged is not None:
            self._averaged.add(self.agent)
        return loss

    def _settle_learning_rate(self) -> None:
        """Lower the learning rate, the more the longer exploration has been at its minimum."""
        learning = self.settings.learning
        if learning.settled_learning_rate is None:
            return
        explorations = (self.settings.action_exploration, self.settings.order_exploration)
        passed = min(own.since_minimum(updates=self.updates, sentences=self.visits) for own in explorations)
        fall = passed / learning.settled_half_life if learning.settled_half_life else 0.0
        self.networks.set_learning_rate(learning.settled_learning_rate / (1 + fall))

    def _own_tensors(self) -> dict[str, Tensor]:
        measured = [] if self.returns is None else list(self.returns.to_dict().values())
        own = {"recent": self._recent.to_tensor(), "returns": torch.tensor(measured, dtype=torch.double)}
        averaged = {} if self._averaged is None else self._averaged.tensors()
        return replay_to_tensors(self.replay.experiences) | own | averaged

    def _restore_own(self, tensors: Mapping[str, Tensor]) -> int | None:
        self._recent.restore(tensors["recent"])
        if self._averaged is not None:
            self._averaged.restore(tensors)
        measured = tensors["returns"].tolist()
        self.returns = Returns(*measured) if measured else None
        self.replay.extend(replay_from_tensors(tensors))
        return self.replay.oldest_visit


def _collected(rewards: tuple[float, ...], score: WalkScore) -> Collected:
    assessment = score.assessment
    measures = {
        "compression_rate": assessment.compression_rate,
        "reconstruction_rate": assessment.reconstruction_rate,
        "walked": assessment.last_step / assessment.length,
        "violated": float(score.violated),
    }
    return Collected(rewards, measures)


def replay_to_tensors(experiences: Sequence[Experience]) -> dict[str, Tensor]:
    """Numbers and values by row; actions and decided flags of all rows, one after the other."""
    flags = b"".join(experience.actions + experience.decided for experience in experiences)
    numbers = [(e.visit, e.word, e.action, e.continues, len(e.actions)) for e in experiences]
    return {
        "replay.flags": torch.frombuffer(bytearray(flags), dtype=torch.uint8) if flags else torch.empty(0).byte(),
        "replay.numbers": torch.tensor(numbers, dtype=torch.long).reshape(-1, 5),
        "replay.values": torch.tensor(
            [(e.reward, e.next_value, e.earned) for e in experiences], dtype=torch.double
        ).reshape(-1, 3),
    }


def replay_from_tensors(tensors: Mapping[str, Tensor]) -> list[Experience]:
    """The reverse of `replay_to_tensors`."""
    flags = tensors["replay.flags"].numpy().tobytes()
    experiences = []
    start = 0
    numbers, values = tensors["replay.numbers"].tolist(), tensors["replay.values"].tolist()
    for (visit, word, action, continues, length), (reward, next_value, earned) in zip(numbers, values, strict=True):
        experience = Experience(
            visit=visit,
            word=word,
            actions=flags[start : start + length],
            decided=flags[start + length : start + 2 * length],
            action=action,
            reward=reward,
            continues=bool(continues),
            next_value=next_value,
            earned=earned,
        )
        experiences.append(experience)
        start += 2 * length
    return experiences
