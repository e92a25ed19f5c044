"""Training that is killed ends with the same agent as training that nobody disturbed."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fault_tools import COUNTS, KILLS, Paces, Process, finish, run_into_kill
from killed_training import (
    assert_same_run,
    assert_usable,
    checkpoint_time,
    training,
)

pytestmark = pytest.mark.slow

KILLS_OF_A_RUN = 10


def killed_run(command: Callable[[], Process], folder: Path, errors: Path, **options: Any) -> int:
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
