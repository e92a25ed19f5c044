"""What the fault tests share: how many faults, tiny models that load at once, and the count of what was survived."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from places import SUPPORT

KILLS = int(os.environ.get("EALM_FAULT_KILLS", "3"))
"""Kills at random moments, of training and of jobs each."""
LONG_FORM = "EALM_FAULT_KILLS" in os.environ
"""Whether the tests that die at a numbered moment take many of the numbers, or a few."""
INPUTS = int(os.environ.get("EALM_FUZZ_INPUTS", "40"))
"""Strange inputs for each test that makes them up."""
PATIENCE = 600
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

COUNTS: Counter[str] = Counter()
"""What was survived in this session; told at its end."""
FIGURES: list[str] = []
"""Lines with what was measured on the way; told with it."""


def start(*arguments: object, errors: Path) -> subprocess.Popen[bytes]:
    """The real command in a process group of its own."""
    command = [sys.executable, "-m", "ealm", *map(str, arguments)]
    with errors.open("ab") as told:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=told,
            env=ENVIRONMENT,
            start_new_session=True,
        )


class Process(Protocol):
    """A command that runs, as of `subprocess` or forked."""

    pid: int

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...


@cache
def _nursery() -> subprocess.Popen[str]:
    """Where commands are forked; ends with the tests, when its input does."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, str(SUPPORT / "forking.py")], stdin=pipe, stdout=pipe, text=True, env=ENVIRONMENT
    )


class Forked:
    """A command in a process group of its own, started without the seconds that loading libraries takes."""

    def __init__(self, *arguments: object, errors: Path) -> None:
        self.pid: int = self._ask({"arguments": [str(argument) for argument in arguments], "errors": str(errors)})[
            "pid"
        ]
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None:
            self._code = self._ask({"poll": self.pid})["code"]
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        del timeout  # who kills does not wait long, and pytest's own limit is there for the rest
        if self._code is None:
            self._code = self._ask({"wait": self.pid})["code"]
        assert self._code is not None
        return self._code

    @staticmethod
    def _ask(order: dict[str, Any]) -> dict[str, Any]:
        nursery = _nursery()
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        nursery.stdin.write(json.dumps(order) + "\n")
        nursery.stdin.flush()
        answer: dict[str, Any] = json.loads(nursery.stdout.readline())
        return answer


def kill_group(process: Process) -> int:
    """End the process and its workers, as a power cut would; gives the exit code, if it was over before."""
    if process.poll() is None:
        with suppress(ProcessLookupError):  # not even its own group yet
            os.killpg(process.pid, signal.SIGKILL)
            return process.wait(timeout=PATIENCE)
        os.kill(process.pid, signal.SIGKILL)
    return process.wait(timeout=PATIENCE)


@dataclass(frozen=True, kw_only=True)
class Paces:
    """How long an undisturbed command takes, in seconds."""

    starting: float
    """Until it writes first."""
    working: float
    """From there to the end."""


def undisturbed(begin: Callable[[], Process], written: Callable[[], object]) -> Paces:
    """Let a command run to its end and take the time; `written` changes when it has written."""
    before, begun = written(), time.monotonic()
    process = begin()
    while process.poll() is None and written() == before:
        time.sleep(0.005)
    first = time.monotonic()
    assert process.wait(timeout=PATIENCE) == 0
    return Paces(starting=first - begun, working=time.monotonic() - first)


def run_into_kill(
    begin: Callable[[], Process],
    written: Callable[[], object],
    *,
    paces: Paces,
    rng: np.random.Generator,
) -> int:
    """Kill a command at a random moment; gives its exit code, which is 0 if it was quicker.

    One kill in six comes while the command is still loading. The others come after its first write, so that they
    fall into the work and into the writing, however long loading took.
    """
    before = written()
    process = begin()
    if rng.random() < 1 / 6:
        time.sleep(rng.uniform(0, paces.starting))
        return kill_group(process)
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and written() == before:
        assert time.monotonic() < deadline, "the command writes nothing"
        time.sleep(0.001)
    time.sleep(rng.uniform(0, paces.working / 5))
    return kill_group(process)


def finish(begin: Callable[[], Process], errors: Path) -> None:
    """Let a command run to its end."""
    assert begin().wait(timeout=PATIENCE) == 0, errors.read_text()


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder, those of folders in it left out."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def some(numbers: Sequence[int], *, few: int, many: int, seed: int = 0) -> list[int]:
    """So many of the numbers, in the short or in the long form of the tests; all if there are no more."""
    most = many if LONG_FORM else few
    if len(numbers) <= most:
        return list(numbers)
    return sorted(np.random.default_rng(seed).choice(numbers, size=most, replace=False).tolist())
