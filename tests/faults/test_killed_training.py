"""Training that is killed ends with the same agent as training that nobody disturbed."""

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fault_tools import COUNTS, KILLS, Paces, finish, run_into_kill, start, undisturbed

from ealm.agent_folder import SETTINGS_FILE, SavedAgent
from ealm.checkpoint import CHECKPOINT_FILE, Checkpoint
from ealm.run import LOG_FILE

AGENT = ("agent.json", "agent.safetensors", "frequent_words.json")
SMALL = [
    *("--pretokenized", "--quiet", "--seed", 5),
    *("--set", "rewards.similarity_weight=0", "--set", "agent.hidden_units=20"),
    *("--set", "learning.batch_size=8", "--set", "learning.replay_size=60"),
    *("--set", "learning.sentences_per_collection=8", "--set", "learning.target_period=30"),
]
UPDATES = 160
KILLS_OF_A_RUN = 10


def training(
    corpus: Path, folder: Path, lm: Path, *more: object, errors: Path
) -> Callable[[], subprocess.Popen[bytes]]:
    options = ["--out", folder, "--lm", lm, "--updates", UPDATES, "--checkpoint-seconds", 0, *SMALL]
    return lambda: start("train", corpus, *options, *more, errors=errors)


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


def killed_run(command: Callable[[], subprocess.Popen[bytes]], folder: Path, errors: Path, **options: Any) -> int:
    """Kill a training some times, then let it end; gives how often it was killed."""
    survived, kills = 0, options.pop("kills")
    while survived < kills:
        code = run_into_kill(command, checkpoint_time(folder), **options)
        if code == 0:
            return survived
        assert code == -signal.SIGKILL, errors.read_text()
        assert_usable(folder)
        survived += 1
    finish(command, errors)
    return survived


def test_killed_at_random_moments(
    tmp_path: Path, whole: tuple[Path, Paces], corpus_file: Path, light_folder: Path
) -> None:
    expected, paces = whole
    rng = np.random.default_rng(2)
    errors = tmp_path / "errors.txt"
    survived, number = 0, 0
    while survived < KILLS:
        folder = tmp_path / f"run{number}"
        command = training(corpus_file, folder, light_folder, "--resume", errors=errors)
        kills = min(KILLS_OF_A_RUN, KILLS - survived)
        done = killed_run(command, folder, errors, kills=kills, paces=paces, rng=rng)
        assert_same_run(folder, expected)
        assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []
        survived, number = survived + done, number + 1
        COUNTS["kills of training at random moments"] += done
