"""Dynamic batching: requests that come at the same time share the forward passes of the language model.

One thread does the work; each request waits for its answer. The first request of a batch waits a few milliseconds for
others. A request that is cancelled before its turn costs nothing.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ealm.common.errors import EalmError
from ealm.service.limits import ServiceLimits
from ealm.service.turns import Answer, Closed, QueueFull, Turns, carry_out
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.result import Summary


class BatchSummarizer(Protocol):
    """What the service needs of a summarizer."""

    def together(self, requests: Sequence[tuple[str, SummarizeOptions]]) -> list[Summary | EalmError]:
        """For each request its summary, or what is wrong with its text."""
        ...


@dataclass(slots=True)
class _Request:
    texts: list[tuple[str, SummarizeOptions]]
    cost: float
    answer: Answer = field(default_factory=Answer)


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
        turns: Turns,
        *,
        plain: bool = True,
        report: Callable[[BatchReport], None] = lambda _report: None,
    ) -> None:
        """`plain`: whether its batches go before all other work; otherwise they are cut into pieces."""
        self._summarizer = summarizer
        self._limits = limits
        self._turns = turns
        self._plain = plain
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

    def submit(self, texts: Sequence[tuple[str, SummarizeOptions]], cost: float = 0.0) -> Answer:
        """Queue texts; their results come together. Raises `QueueFull` or `Closed`."""
        request = _Request(list(texts), cost)
        with self._changed:
            if self._closed:
                raise Closed
            load = self._waiting + self._working
            # An idle service accepts any request that is within the limits of a request.
            if load and load + len(request.texts) > self._limits.queued_texts:
                raise QueueFull(max(1, math.ceil(load * self._seconds_per_text)))
            self._requests.append(request)
            self._waiting += len(request.texts)
            self._changed.notify_all()
        return request.answer

    def close(self) -> None:
        """Accept no more requests; those that are queued are finished, unless the turns end before."""
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
        taken, cost = 0, 0.0
        while self._requests and (not batch or self._has_room(taken, cost, self._requests[0])):
            request = self._requests.popleft()
            self._waiting -= len(request.texts)
            if request.answer.set_running_or_notify_cancel():
                batch.append(request)
                taken, cost = taken + len(request.texts), cost + request.cost
        self._working = taken
        return batch

    def _has_room(self, taken: int, cost: float, more: _Request) -> bool:
        limits = self._limits
        return taken + len(more.texts) <= limits.texts_at_once and cost + more.cost <= limits.cost_at_once

    def _run(self, batch: Sequence[_Request]) -> None:
        answers = [request.answer for request in batch]

        def work() -> list[list[Summary | EalmError]]:
            with self._turns.working(answers, plain=self._plain):
                results = iter(self._summarizer.together([text for request in batch for text in request.texts]))
                return [[next(results) for _ in request.texts] for request in batch]

        if batch:
            carry_out(answers, work)
