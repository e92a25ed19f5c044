"""Small training runs in a folder."""

from pathlib import Path
from typing import Any

from fakes import TableMaskedLM

from ealm.common.config import Settings
from ealm.text.corpus import Corpus, SkippedLines
from ealm.training.checkpoint import RunIdentity
from ealm.training.paper_trainer import PaperTrainer
from ealm.training.run import TrainingRun

SETTINGS = Settings().override(
    {
        "ignored_words.stop_words": "false",
        "ignored_words.infrequent": "none",
        "agent.hidden_units": "8",
        "rewards.similarity_weight": "0",
        "learning.replay_size": "40",
        "learning.batch_size": "8",
        "learning.sentences_per_collection": "8",
        "learning.judged_walks": "8",
        "action_exploration.minimum": "0.9",
        "order_exploration.minimum": "0.9",
    }
)


IDENTITY = RunIdentity(SETTINGS, 0, "table", "none", "corpus")


SENTENCES = (("cue0", "follower0", "other0"), ("other1", "cue1", "follower1", "other0"), ("other0", "other1"))


def run_in(folder: Path, **options: Any) -> TrainingRun:
    lm = TableMaskedLM({"cue0": "follower0", "cue1": "follower1"}, ["other0", "other1"])
    corpus = Corpus(SENTENCES, SkippedLines(), len(SENTENCES))
    trainer = PaperTrainer(lm=lm, corpus=corpus, settings=SETTINGS, similarity=None, seed=0)
    return TrainingRun(trainer, folder, IDENTITY, **options)
