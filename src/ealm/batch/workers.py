"""Several processes that shorten chunks of rows. Results come in order, and a process that dies is replaced."""

import os
import signal
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import connection as connections
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Protocol

from ealm.batch.answers import Answer, Chunk
from ealm.batch.recipe import Recipe
from ealm.errors import BatchError, EalmError

RETRIES = 2
"""How often a chunk is given to another worker after one died of it."""

LOST = Answer(error=f"the process that worked on these rows died {RETRIES + 1} times")
"""For each row of a chunk that is given up."""

CHUNKS_PER_WORKER = 4
"""Read but not yet written, at most; more would only wait in memory."""

FAILED_STARTS = 3
"""Workers that may die one after the other before one was ever ready."""

NEVER_READY = "The workers die before they are ready. Is there memory for so many? Use fewer: --workers"

_SECONDS_TO_END = 5.0


class Cluster(Protocol):
    """Other machines that shorten chunks."""

    def answered(self, chunks: Iterator[Chunk], recipe: Recipe) -> Generator[tuple[Chunk, list[Answer]], None, None]:
        """Chunks in order, with an answer for each row."""


def answered(
    chunks: Iterator[Chunk], recipe: Recipe, *, workers: int
) -> Generator[tuple[Chunk, list[Answer]], None, None]:
    """Chunks in order, with an answer for each row; one worker is this process."""
    if workers == 1:
        answer = recipe.load(None)
        for chunk in chunks:
            yield chunk, chunk.answers(answer(chunk.texts()))
        return
    with closing(_Pool(recipe, workers)) as pool:
        yield from pool.answered(chunks)


def _work(recipe: Recipe, pipe: Connection, threads: int) -> None:
    """A worker: load, then answer until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the main process decides
    try:
        try:
            answer = recipe.load(threads)
        except (EalmError, OSError) as error:
            pipe.send(str(error))
            return
        pipe.send(None)
        while True:
            pipe.send(answer(pipe.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):  # the main process is gone
        return


@dataclass(slots=True)
class _Task:
    number: int
    chunk: Chunk
    deaths: int = 0


@dataclass(slots=True, eq=False)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    ready: bool = False
    task: _Task | None = None


class _Pool:
    """A pipe to each worker: unlike a common queue, it cannot be left locked by one that is killed."""

    def __init__(self, recipe: Recipe, size: int) -> None:
        self._recipe = recipe
        self._size = size
        self._workers: list[_Worker] = []
        self._again: deque[_Task] = deque()
        self._done: dict[int, tuple[Chunk, list[Answer]]] = {}
        self._read = self._passed_on = self._failed_starts = 0
        self._exhausted = False

    def answered(self, chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, list[Answer]]]:
        """Pass on what is next in order, hand out, collect."""
        self._workers = [self._start() for _ in range(self._size)]
        while True:
            while self._passed_on in self._done:
                yield self._done.pop(self._passed_on)
                self._passed_on += 1
            self._hand_out(chunks)
            if self._exhausted and self._passed_on == self._read:
                return
            self._collect()

    def _start(self) -> _Worker:
        spawn = get_context("spawn")  # a fork of a process with threads, as torch starts them, may hang
        ours, theirs = spawn.Pipe()
        threads = max(1, _cores() // self._size)
        process = spawn.Process(target=_work, args=(self._recipe, theirs, threads), daemon=True)
        process.start()
        theirs.close()  # so that its end is noticed here
        return _Worker(process, ours)

    def _hand_out(self, chunks: Iterator[Chunk]) -> None:
        for worker in self._workers:
            if worker.ready and worker.task is None:
                worker.task = self._next(chunks)
                if worker.task is None:
                    return
                with suppress(BrokenPipeError, ConnectionResetError):  # it died; collecting will find out
                    worker.pipe.send(worker.task.chunk.texts())

    def _next(self, chunks: Iterator[Chunk]) -> _Task | None:
        if self._again:
            return self._again.popleft()
        if self._exhausted or self._read >= self._passed_on + CHUNKS_PER_WORKER * self._size:
            return None
        chunk = next(chunks, None)
        if chunk is None:
            self._exhausted = True
            return None
        self._read += 1
        return _Task(self._read - 1, chunk)

    def _collect(self) -> None:
        """Wait until at least one worker has something to say, or dies."""
        heard = connections.wait([worker.pipe for worker in self._workers])
        for worker in [worker for worker in self._workers if worker.pipe in heard]:
            try:
                message = worker.pipe.recv()
            except (EOFError, ConnectionResetError):
                self._replace(worker)
                continue
            if worker.task is not None:
                self._done[worker.task.number] = (worker.task.chunk, worker.task.chunk.answers(message))
                worker.task = None
            elif message is not None:
                raise BatchError(message)
            else:
                worker.ready, self._failed_starts = True, 0

    def _replace(self, worker: _Worker) -> None:
        self._end(worker)
        task = worker.task
        if task is None:
            self._failed_starts += 1
            if self._failed_starts == FAILED_STARTS:
                raise BatchError(NEVER_READY)
        elif task.deaths == RETRIES:
            self._done[task.number] = (task.chunk, task.chunk.answers([LOST] * len(task.chunk.texts())))
        else:
            task.deaths += 1
            self._again.append(task)
        self._workers[self._workers.index(worker)] = self._start()

    def _end(self, worker: _Worker) -> None:
        worker.process.terminate()
        worker.process.join(_SECONDS_TO_END)
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            self._end(worker)


def _cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
