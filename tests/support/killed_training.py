"""Small training runs, and what a killed one must leave behind."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fault_tools import Forked, Paces, Process, undisturbed

from ealm.common.run_loop import LOG_FILE
from ealm.summarize.saved_agent import SETTINGS_FILE, SavedAgent
from ealm.training.checkpoint import CHECKPOINT_FILE, Checkpoint

AGENT = ("agent.json", "agent.safetensors", "frequent_words.json")


SMALL = [
    *("--pretokenized", "--quiet", "--seed", 5),
    *("--set", "rewards.similarity_weight=0", "--set", "agent.hidden_units=20"),
    *("--set", "learning.batch_size=8", "--set", "learning.replay_size=60"),
    *("--set", "learning.sentences_per_collection=8", "--set", "learning.target_period=30"),
]


UPDATES = 160


def training(corpus: Path, folder: Path, lm: Path, *more: object, errors: Path) -> Callable[[], Process]:
    options = ["--out", folder, "--lm", lm, "--updates", UPDATES, "--checkpoint-seconds", 0, *SMALL]
    return lambda: Forked("train", corpus, *options, *more, errors=errors)


def checkpoint_time(folder: Path) -> Callable[[], Any]:
    """Changes with each checkpoint."""
    path = folder / CHECKPOINT_FILE
    return lambda: path.stat().st_mtime_ns if path.exists() else 0


def assert_usable(folder: Path) -> None:
    """What a kill leaves is a checkpoint to go on from, if any, and an agent, if any."""
    if folder.exists():
        Checkpoint.load(folder)
        if (folder / SETTINGS_FILE).exists():
            SavedAgent.load(folder).build()


def assert_same_run(folder: Path, whole: Path) -> None:
    """All but the time it took and the averages that began anew with each part."""
    for name in AGENT:
        assert (folder / name).read_bytes() == (whole / name).read_bytes()
    found, expected = Checkpoint.load(folder), Checkpoint.load(whole)
    assert found is not None
    assert expected is not None
    assert (found.identity, found.values) == (expected.identity, expected.values)
    assert found.tensors.keys() == expected.tensors.keys()
    assert all(torch.equal(tensor, expected.tensors[name]) for name, tensor in found.tensors.items())
    assert logged(folder) == logged(whole)


def logged(folder: Path) -> list[list[Any]]:
    lines = [json.loads(line) for line in (folder / LOG_FILE).read_text().splitlines()]
    names = ("updates", "sentences", "replay_reward", "best_replay_reward", "action_exploration", "order_exploration")
    return [[line[name] for name in names] for line in lines]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, corpus_file: Path, light_folder: Path) -> tuple[Path, Paces]:
    folder = tmp_path_factory.mktemp("whole")
    run = folder / "run"
    paces = undisturbed(
        training(corpus_file, run, light_folder, errors=folder / "errors.txt"),
        checkpoint_time(run),
    )
    return run, paces
