"""Trainers of a moment whose workers can be told to die."""

import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fakes import TableMaskedLM

from ealm.common.config import READER, Settings
from ealm.text.corpus import Corpus, SkippedLines
from ealm.training.goal_collector import GoalCollector, goal_worker
from ealm.training.goal_trainer import GoalTrainer
from ealm.training.paper_collector import WalkCollector
from ealm.training.paper_trainer import PaperTrainer
from ealm.training.prefetch import Prefetcher

CUES = {f"cue{number}": f"follower{number}" for number in range(4)}
OTHERS = [f"other{number}" for number in range(4)]
PAPER = Settings().override(
    {
        "ignored_words.stop_words": "false",
        "ignored_words.infrequent": "none",
        "agent.hidden_units": "8",
        "learning.replay_size": "30",
        "learning.batch_size": "8",
        "learning.target_period": "5",
        "learning.sentences_per_collection": "3",
        "learning.judged_walks": "6",
        "learning.averaged_updates": "5",
        "action_exploration.every": "1",
        "action_exploration.minimum": "0.88",
        "order_exploration.minimum": "0.9",
    }
)
GOAL = READER.override(
    {
        "ignored_words.infrequent": "none",
        "goal.agent.sees": "words",
        "goal.agent.hidden_units": "12",
        "goal.learning.replay_walks": "40",
        "goal.learning.batch_walks": "8",
        "goal.learning.sentences_per_collection": "3",
        "goal.learning.updates_per_collection": "3",
        "goal.learning.target_period": "5",
        "action_exploration.every": "1",
    }
)
BY_METHOD = {"paper": PAPER, "goal": GOAL}


def corpus() -> Corpus:
    rng = np.random.default_rng(0)
    words = [*CUES, *CUES.values(), *OTHERS]
    sentences = [tuple(str(word) for word in rng.choice(words, size=int(rng.integers(3, 8)))) for _ in range(20)]
    return Corpus(tuple(sentences), SkippedLines(), 20)


def letters_in_common(sources: Sequence[str], drafts: Sequence[str]) -> list[float]:
    return [len(set(a) & set(b)) / max(1, len(set(a) | set(b))) for a, b in zip(sources, drafts, strict=True)]


@dataclass(frozen=True)
class FakeRecipe:
    """Collects for a trainer of this module."""

    method: str
    deaths: str | None = None
    """A folder; the first worker that gets to the fifth collection leaves a file there and dies."""

    def load(self, threads: int | None) -> Callable[[Any], Any]:
        collect = self._collector()

        def work(job: Any) -> Any:
            if self.deaths is not None and job.seed[1] == 12 and not list(Path(self.deaths).iterdir()):
                (Path(self.deaths) / "dead").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return collect(job)

        return work

    def _collector(self) -> Callable[[Any], Any]:
        lm, settings = TableMaskedLM(CUES, OTHERS), BY_METHOD[self.method]
        if self.method == "paper":
            return WalkCollector(lm=lm, settings=settings, similarity=letters_in_common)
        collector = GoalCollector(settings=settings, similarity=letters_in_common)
        return goal_worker(collector, lm, settings)


class InlinePool:
    """No workers: a job is done when its result is asked for."""

    def __init__(self, recipe: FakeRecipe) -> None:
        self.jobs: deque[Any] = deque()
        self._work = recipe.load(None)

    def submit(self, job: Any) -> None:
        self.jobs.append(job)

    def result(self) -> Any:
        return self._work(self.jobs.popleft())

    def tend(self) -> None:
        pass

    def close(self) -> None:
        pass


def trainer_of(method: str, pool: Any, *, ahead: int = 4) -> PaperTrainer | GoalTrainer:
    kind = PaperTrainer if method == "paper" else GoalTrainer
    return kind(
        lm=TableMaskedLM(CUES, OTHERS),
        corpus=corpus(),
        settings=BY_METHOD[method],
        similarity=None,
        seed=3,
        prefetcher=Prefetcher(pool, ahead),
    )
