"""Processes that do jobs. Results come in the order of the jobs, and a process that dies is replaced."""

import os
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection as connections
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import Any, Protocol

from ealm.common.errors import EalmError, WorkersError

RETRIES = 2
"""How often a job is given to another worker after one died of it."""

FAILED_STARTS = 3
"""Workers that may die one after the other before one was ever ready."""

NEVER_READY = "The workers die before they are ready. Is there memory for so many? Use fewer: --workers"
LOST = f"The process that worked on this died {RETRIES + 1} times. Is there memory enough? Use fewer: --workers"

_SECONDS_TO_END = 5.0

Work = Callable[[Any], Any]


class Recipe(Protocol):
    """How a process comes by what it needs to work; small enough to be sent to it."""

    def load(self, threads: int | None) -> Work:
        """Get ready to compute in so many threads; None leaves that as it is."""


class Pool(Protocol):
    """Workers of whatever kind."""

    def submit(self, job: Any) -> None:
        """Take a job; does not wait."""

    def result(self) -> Any:
        """What came of the first job whose result was not asked for yet; waits, and raises what a worker raised."""

    def tend(self) -> None:
        """Give waiting jobs to workers that are free by now."""

    def close(self) -> None:
        """End all workers, whatever they are doing."""


class LostJobError(WorkersError):
    """One worker after the other died of a job."""


def attempt(work: Work, job: Any) -> Any:
    """What comes of a job: its result, or the error to raise where the result is wanted."""
    try:
        return work(job)
    except (EalmError, OSError) as error:
        return error
    except Exception:  # noqa: BLE001  # a mistake of ours: told once, with its place, instead of tried again
        return RuntimeError(f"A worker failed.\n{traceback.format_exc()}")


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _serve(recipe: Recipe, pipe: Connection, threads: int) -> None:
    """A worker: load, then work until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the main process decides
    signal.signal(signal.SIGTERM, _leave)
    try:
        try:
            work = recipe.load(threads)
        except (EalmError, OSError) as error:
            pipe.send(error)
            return
        pipe.send(None)
        while True:
            pipe.send(attempt(work, pipe.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):  # the main process is gone
        return


def _leave(number: int, _frame: FrameType | None) -> None:
    """End as a program does that is done, so that what libraries have opened is closed."""
    signal.signal(number, signal.SIG_IGN)  # once is enough; who does not end in time is killed
    sys.exit(128 + number)


@dataclass(slots=True)
class _Task:
    number: int
    job: Any
    deaths: int = 0


@dataclass(slots=True, eq=False)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    ready: bool = False
    task: _Task | None = None


class ProcessPool:
    """A pipe to each worker: unlike a common queue, it cannot be left locked by one that is killed."""

    def __init__(self, recipe: Recipe, size: int) -> None:
        self.size = size
        self._recipe = recipe
        self._waiting: deque[_Task] = deque()
        self._done: dict[int, Any] = {}
        self._submitted = self._taken = self._failed_starts = 0
        self._workers: list[_Worker] = []
        try:
            for _ in range(size):
                self._workers.append(self._start())
        except BaseException:  # such as a signal
            self.close()
            raise

    @property
    def pids(self) -> list[int]:
        """Of the processes."""
        return [worker.process.pid for worker in self._workers if worker.process.pid is not None]

    def submit(self, job: Any) -> None:
        self._waiting.append(_Task(self._submitted, job))
        self._submitted += 1
        self.tend()

    def has_result(self) -> bool:
        """Whether `result` would not have to wait."""
        self.tend()
        return self._taken in self._done

    def result(self) -> Any:
        assert self._taken < self._submitted, "nothing was asked for"
        self.tend()
        while self._taken not in self._done:
            self._hear(None)
            self._hand_out()
        found = self._done.pop(self._taken)
        self._taken += 1
        if isinstance(found, Exception):
            raise found
        return found

    def tend(self) -> None:
        self._hear(0)
        self._hand_out()

    def _start(self) -> _Worker:
        spawn = get_context("spawn")  # a fork of a process with threads, as torch starts them, may hang
        ours, theirs = spawn.Pipe()
        threads = max(1, cores() // self.size)
        process = spawn.Process(target=_serve, args=(self._recipe, theirs, threads), daemon=True)
        with _no_interrupts():
            process.start()
        theirs.close()  # so that its end is noticed here
        return _Worker(process, ours)

    def _hand_out(self) -> None:
        for worker in self._workers:
            if not self._waiting:
                return
            if worker.ready and worker.task is None:
                worker.task = self._waiting.popleft()
                with suppress(BrokenPipeError, ConnectionResetError):  # it died; hearing will find out
                    worker.pipe.send(worker.task.job)

    def _hear(self, seconds: float | None) -> None:
        """Take what workers have to say, and replace those that died; waits for at least one, or so many seconds."""
        heard = connections.wait([worker.pipe for worker in self._workers], seconds)
        for worker in [worker for worker in self._workers if worker.pipe in heard]:
            try:
                message = worker.pipe.recv()
            except (EOFError, ConnectionResetError):
                self._replace(worker)
                continue
            if worker.task is not None:
                self._done[worker.task.number] = message
                worker.task = None
            elif message is not None:
                raise message
            else:
                worker.ready, self._failed_starts = True, 0

    def _replace(self, worker: _Worker) -> None:
        _end(worker)
        task = worker.task
        if task is None:
            self._failed_starts += 1
            if self._failed_starts == FAILED_STARTS:
                raise WorkersError(NEVER_READY)
        elif task.deaths == RETRIES:
            self._done[task.number] = LostJobError(LOST)
        else:
            task.deaths += 1
            self._waiting.appendleft(task)
        self._workers[self._workers.index(worker)] = self._start()

    def close(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            _end(worker)
        self._workers = []


def _end(worker: _Worker) -> None:
    worker.process.terminate()
    worker.process.join(_SECONDS_TO_END)
    worker.process.kill()
    worker.process.join()
    worker.pipe.close()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """What is started here is deaf to Ctrl-C from its first moment, not only when it has loaded what it needs."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
