"""What all tests share: no network, one thread (tiny models run several times faster), new examples every time."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import settings
from tiny_models import WORDS, level_q_values, save_tiny_bert, tiny_bert

from ealm.common.config import AgentSettings, Settings
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.summarize.saved_agent import SavedAgent

torch.set_num_threads(1)
# New examples in each run; a failure prints the line that repeats it (@reproduce_failure).
settings.register_profile("offline", deadline=None, database=None, print_blob=True)
settings.load_profile("offline")

pytest.register_assert_rewrite("fitting_runs", "walk_cases")
pytest_plugins = ["adaptation_runs", "cli_runs", "pipeline_scripts"]
"""Whose fixtures several files share."""


AGENT_TEXTS = ("the police minister finds a silver bridge", "Zebra rises", "old engine burns in the quiet forest .")
"""Where the agent of the tests takes all three actions."""


@pytest.fixture(scope="session")
def bert_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A masked language model as a user's folder holds it."""
    return save_tiny_bert(tmp_path_factory.mktemp("lm") / "tiny-bert")


@pytest.fixture(scope="session")
def corpus_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty sentences of four to nine words that the tiny model knows."""
    rng = np.random.default_rng(7)
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    sentences = [" ".join(rng.choice(WORDS, size=int(rng.integers(4, 10)))) for _ in range(60)]
    path.write_text("\n".join(sentences) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def agent_folder(tmp_path_factory: pytest.TempPathFactory, bert_folder: Path) -> Path:
    """An agent that was never trained but removes, keeps and replaces; it names the tiny model as its own."""
    folder = tmp_path_factory.mktemp("agent") / "model"
    settings = Settings(agent=AgentSettings(hidden_units=12)).override({"ignored_words.infrequent": "none"})
    agent = new_agent(32, settings.agent, seed=54)
    level_q_values(agent, tiny_bert(), AGENT_TEXTS)
    SavedAgent(
        weights=agent.state_dict(),
        width=agent.width,
        lm_name=str(bert_folder.resolve()),
        ignored_words=IgnoredWords(settings.ignored_words),
        settings=settings,
    ).save(folder)
    return folder
