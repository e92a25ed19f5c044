"""Dynamic batching: requests that come at the same time share the forward passes of the language model.

One thread does the work; each request waits for a future. The first request of a batch waits a few milliseconds for
others. A request that is cancelled before its turn costs nothing.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

from ealm.common.errors import EalmError
from ealm.service.limits import ServiceLimits
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.result import Summary


class BatchSummarizer(Protocol):
    """What the service needs of a summarizer."""

    def together(self, requests: Sequence[tuple[str, SummarizeOptions]]) -> list[Summary | EalmError]:
        """For each request its summary, or what is wrong with its text."""
        ...


class QueueFull(Exception):  # noqa: N818 - a state, not a mistake
    """There is no room for the request now."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"The queue is full. Try again in {retry_after} s.")
        self.retry_after = retry_after
        """Seconds after which there may be room."""


class Closed(Exception):  # noqa: N818 - a state, not a mistake
    """The service is shutting down."""


@dataclass(slots=True)
class _Request:
    texts: list[tuple[str, SummarizeOptions]]
    future: "Future[list[Summary | EalmError]]" = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class BatchReport:
    """Size and duration of one batch, for metrics."""

    texts: int
    seconds: float


class BatchQueue:
    """The queue and the thread that works on it."""

    def __init__(
        self,
        summarizer: BatchSummarizer,
        limits: ServiceLimits,
        *,
        report: Callable[[BatchReport], None] = lambda _report: None,
    ) -> None:
        self._summarizer = summarizer
        self._limits = limits
        self._report = report
        self._requests: deque[_Request] = deque()
        self._waiting = 0
        self._working = 0
        self._seconds_per_text = 0.05
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="ealm-batch-queue", daemon=True)
        self._thread.start()

    @property
    def load(self) -> int:
        """Texts that wait or are being summarized."""
        with self._changed:
            return self._waiting + self._working

    def submit(self, texts: Sequence[tuple[str, SummarizeOptions]]) -> "Future[list[Summary | EalmError]]":
        """Queue texts; their results come together. Raises `QueueFull` or `Closed`."""
        request = _Request(list(texts))
        with self._changed:
            if self._closed:
                raise Closed("The service is shutting down.")
            load = self._waiting + self._working
            # An idle service accepts any request that is within the limits of a request.
            if load and load + len(request.texts) > self._limits.queued_texts:
                raise QueueFull(max(1, math.ceil(load * self._seconds_per_text)))
            self._requests.append(request)
            self._waiting += len(request.texts)
            self._changed.notify_all()
        return request.future

    def close(self) -> None:
        """Accept no more requests, finish those that are queued, then end."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            texts = sum(len(request.texts) for request in batch)
            started = time.monotonic()
            self._run(batch)
            seconds = time.monotonic() - started
            with self._changed:
                self._working = 0
                if texts:
                    self._seconds_per_text += 0.2 * (seconds / texts - self._seconds_per_text)
                self._changed.notify_all()
            if texts:
                self._report(BatchReport(texts, seconds))

    def _next_batch(self) -> list[_Request] | None:
        """Requests for one batch; None when closed and empty."""
        with self._changed:
            while not self._requests:
                if self._closed:
                    return None
                self._changed.wait()
            end = time.monotonic() + self._limits.window_seconds
            while self._waiting < self._limits.texts_at_once and not self._closed:
                left = end - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    break
            return self._take()

    def _take(self) -> list[_Request]:
        batch: list[_Request] = []
        taken = 0
        while self._requests and (not batch or taken + len(self._requests[0].texts) <= self._limits.texts_at_once):
            request = self._requests.popleft()
            self._waiting -= len(request.texts)
            if request.future.set_running_or_notify_cancel():
                batch.append(request)
                taken += len(request.texts)
        self._working = taken
        return batch

    def _run(self, batch: Sequence[_Request]) -> None:
        try:
            results = iter(self._summarizer.together([text for request in batch for text in request.texts]))
            grouped = [[next(results) for _ in request.texts] for request in batch]
        except Exception as error:  # noqa: BLE001 - each waiting request gets the error; the thread must go on
            for request in batch:
                request.future.set_exception(error)
            return
        for request, summaries in zip(batch, grouped, strict=True):
            request.future.set_result(summaries)
