"""Workers that do jobs: results come in the order of the jobs, and a worker that dies is replaced.

What a worker is (a process, an actor of a Ray cluster) is up to the subclasses of `Pool` and `Worker`.
"""

import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ealm.common.errors import EalmError, WorkersError

RETRIES = 2
"""How often a job is given to another worker after one died of it."""

FAILED_STARTS = 3
"""How often in a row a worker and its replacements may die before one is ready."""

NEVER_READY = "The workers die before they are ready. Is there enough memory for so many? Use fewer with workers=."
LOST = f"The worker for this job died {RETRIES + 1} times. Is there enough memory? Use fewer workers with workers=."

Work = Callable[[Any], Any]


class Recipe(Protocol):
    """How a worker loads what it needs; small enough to be sent to it."""

    def load(self, threads: int | None) -> Work:
        """Get ready to compute in so many threads; None leaves their number as it is."""


class LostJobError(WorkersError):
    """One worker after the other died of a job."""


class WorkerDiedError(Exception):
    """A worker is gone; the message says what is known of the reason."""


def try_load(recipe: Recipe, threads: int | None) -> tuple[Work | None, Exception | None]:
    """The loaded work, or the error to raise in the main process."""
    try:
        return recipe.load(threads), None
    except (EalmError, OSError) as error:
        return None, error


def try_job(work: Work, job: Any) -> Any:
    """The result of a job, or the error to raise where the result is wanted."""
    try:
        return work(job)
    except (EalmError, OSError) as error:
        return error
    except Exception:  # noqa: BLE001  # a bug: reported once, with its traceback, instead of tried again
        return RuntimeError(f"A worker failed.\n{traceback.format_exc()}")


@dataclass(slots=True)
class Task:
    """A job, its number and how many workers died of it."""

    number: int
    job: Any
    deaths: int = 0


class Worker(ABC):
    """One worker as its pool sees it. Its first message says that it is ready (None) or why it cannot load."""

    channel: Any = None
    """What the pool waits for; None while no message can come."""
    ready = False
    task: Task | None = None
    failed_starts = 0
    """Workers that died before this one in its stead, none of them ever ready."""

    @abstractmethod
    def send(self, job: Any) -> None:
        """Hand a job over; does not wait. If the worker is dead, `receive` reports it."""

    @abstractmethod
    def receive(self) -> Any:
        """The message that has come on the channel; raises `WorkerDiedError`."""

    @abstractmethod
    def terminate(self) -> None:
        """End it, whatever it is doing; does not wait."""

    def join(self) -> None:  # noqa: B027 - only some workers have something to wait for
        """Wait for its end."""


class Pool(ABC):
    """Gives each job to the next free worker and returns results in the order of the jobs."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._waiting: deque[Task] = deque()
        self._results: dict[int, Any] = {}
        self._submitted = self._returned = 0
        self._workers: list[Worker] = []
        try:
            for _ in range(size):
                self._workers.append(self._start())
        except BaseException:  # such as a signal
            self.close()
            raise

    @abstractmethod
    def _start(self) -> Worker:
        """A new worker, which begins to load."""

    @abstractmethod
    def _wait(self, channels: Sequence[Any], seconds: float | None) -> Sequence[Any]:
        """Channels with a message; waits for one of them, but only so many seconds."""

    def submit(self, job: Any) -> None:
        """Take a job; does not wait."""
        self._waiting.append(Task(self._submitted, job))
        self._submitted += 1
        self.tend()

    def has_result(self) -> bool:
        """Whether `result` would return without waiting."""
        self.tend()
        return self._returned in self._results

    def result(self) -> Any:
        """The result of the first job whose result was not returned yet; waits, and raises what a worker raised."""
        assert self._returned < self._submitted, "no job was submitted"
        self.tend()
        while self._returned not in self._results:
            self._receive(None)
            self._assign()
        found = self._results.pop(self._returned)
        self._returned += 1
        if isinstance(found, Exception):
            raise found
        return found

    def tend(self) -> None:
        """Give waiting jobs to workers that have become free."""
        self._receive(0)
        self._assign()

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.join()
        self._workers = []

    def _assign(self) -> None:
        for worker in self._workers:
            if not self._waiting:
                return
            if worker.ready and worker.task is None:
                worker.task = self._waiting.popleft()
                worker.send(worker.task.job)

    def _receive(self, seconds: float | None) -> None:
        """Take the messages of workers, and replace those that died."""
        by_channel = {worker.channel: worker for worker in self._workers if worker.channel is not None}
        for channel in self._wait(list(by_channel), seconds) if by_channel else ():
            worker = by_channel[channel]
            try:
                message = worker.receive()
            except WorkerDiedError as death:
                self._replace(worker, reason=str(death))
                continue
            if worker.task is not None:
                self._results[worker.task.number] = message
                worker.task = None
            elif message is not None:
                raise message
            else:
                worker.ready = True

    def _replace(self, worker: Worker, *, reason: str) -> None:
        worker.terminate()
        worker.join()
        failed_starts = 0 if worker.ready else worker.failed_starts + 1
        if failed_starts == FAILED_STARTS:
            raise WorkersError(f"{NEVER_READY}\n{reason}".strip())
        if worker.task is not None:
            self._retry(worker.task)
        new = self._start()
        new.failed_starts = failed_starts
        self._workers[self._workers.index(worker)] = new

    def _retry(self, task: Task) -> None:
        task.deaths += 1
        if task.deaths > RETRIES:
            self._results[task.number] = LostJobError(LOST)
        else:
            self._waiting.appendleft(task)
