"""A pool of processes on this machine."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from ealm.common.worker_pool import Pool, Recipe, Worker, WorkerDiedError, try_job, try_load

_SECONDS_TO_END = 5.0


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ProcessPool(Pool):
    """So many processes, which share the cores."""

    def __init__(self, recipe: Recipe, size: int) -> None:
        self._recipe = recipe
        super().__init__(size)

    def _start(self) -> Worker:
        return _Process(self._recipe, threads=max(1, cores() // self.size))

    def _wait(self, channels: Sequence[Any], seconds: float | None) -> Sequence[Any]:
        return connection.wait(channels, seconds)


class _Process(Worker):
    """A process with a pipe of its own: unlike a common queue, it cannot be left locked by one that is killed."""

    def __init__(self, recipe: Recipe, *, threads: int) -> None:
        spawn = get_context("spawn")  # a fork of a process with threads, as torch starts them, may hang
        self.channel, theirs = spawn.Pipe()
        self.process = spawn.Process(target=_serve, args=(recipe, theirs, threads), daemon=True)
        with _no_interrupts():
            self.process.start()
        theirs.close()  # so that its end is noticed here

    def send(self, job: Any) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            self.channel.send(job)

    def receive(self) -> Any:
        try:
            return self.channel.recv()
        except (EOFError, ConnectionResetError) as error:
            raise WorkerDiedError from error

    def terminate(self) -> None:
        self.process.terminate()

    def join(self) -> None:
        self.process.join(_SECONDS_TO_END)
        self.process.kill()
        self.process.join()
        self.channel.close()


def _serve(recipe: Recipe, pipe: Connection, threads: int) -> None:
    """Main function of a process: load, then do jobs until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the main one decides
    signal.signal(signal.SIGTERM, _exit)
    try:
        work, error = try_load(recipe, threads)
        pipe.send(error)
        while work is not None:
            pipe.send(try_job(work, pipe.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):  # the main process is gone
        return


def _exit(number: int, _frame: FrameType | None) -> None:
    """Exit in order, so that what libraries have opened is closed."""
    signal.signal(number, signal.SIG_IGN)  # once is enough; a process that does not end in time is killed
    sys.exit(128 + number)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """A process that is started here ignores Ctrl-C from its first moment, not only once it has loaded."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
