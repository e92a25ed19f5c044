"""Trainers on a language model that is a table, and their states to compare."""

from typing import Any

import numpy as np
import torch
from fakes import TableMaskedLM
from torch import Tensor
from train_fakes import letters_in_common

from ealm.common.config import PUBLISHED_CODE, Settings
from ealm.paper.agent import Agent
from ealm.text.corpus import Corpus, SkippedLines
from ealm.training.paper_trainer import PaperTrainer

CUES = {f"cue{number}": f"follower{number}" for number in range(6)}
OTHERS = [f"other{number}" for number in range(6)]

SETTINGS = Settings().override(
    {
        "ignored_words.stop_words": "false",
        "ignored_words.infrequent": "none",
        "agent.hidden_units": "8",
        "rewards.top_k": "1",
        "rewards.fluency_threshold": "0.05",
        "learning.replay_size": "20",
        "learning.batch_size": "8",
        "learning.target_period": "5",
        "learning.sentences_per_collection": "3",
        "learning.judged_walks": "6",
        "learning.gate_period": "10",
        "action_exploration.minimum": "0.9",
        "order_exploration.minimum": "0.9",
    }
)
PUBLISHED = PUBLISHED_CODE.override(
    {"ignored_words.infrequent": "none", "agent.hidden_units": "8", "learning.replay_size": "16"}
    | {"learning.judged_walks": "6", "action_exploration.minimum": "0.9", "order_exploration.minimum": "0.9"}
)


def sentences(number: int = 25) -> tuple[tuple[str, ...], ...]:
    rng = np.random.default_rng(0)
    words = [*CUES, *CUES.values(), *OTHERS, "unheard"]
    return tuple(tuple(str(w) for w in rng.choice(words, size=int(rng.integers(2, 7)))) for _ in range(number))


def trainer_of(settings: Settings = SETTINGS, *, seed: int = 0, lm: Any = None) -> PaperTrainer:
    lm = lm or TableMaskedLM(CUES, OTHERS)
    corpus = Corpus(sentences(), SkippedLines(), 25, held_out=sentences(31)[25:])
    return PaperTrainer(lm=lm, corpus=corpus, settings=settings, similarity=letters_in_common, seed=seed)


def advance(trainer: PaperTrainer, steps: int = 1) -> None:
    """One collection or one update, as often as said."""
    for _ in range(steps):
        trainer.update() if trainer.pending_updates else trainer.collect()


def weights(agent: Agent) -> Tensor:
    return torch.cat([tensor.flatten() for tensor in agent.state_dict().values()])


def same_state(one: PaperTrainer, other: PaperTrainer) -> bool:
    """To the last bit: weights, target network, optimizer, replay, best weights, counters and generator."""
    (tensors, values), (other_tensors, other_values) = one.state(), other.state()
    return (
        values == other_values
        and tensors.keys() == other_tensors.keys()
        and all(torch.equal(tensor, other_tensors[name]) for name, tensor in tensors.items())
        and one.replay.experiences == other.replay.experiences
    )
