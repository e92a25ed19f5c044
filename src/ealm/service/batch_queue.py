"""Requests that come at the same time share the passes of the language model.

One thread works; whoever asks waits for a future. The first of a batch waits a few milliseconds for company. What is
cancelled before its turn costs nothing.
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


class QueueFull(Exception):  # noqa: N818 - not an error of anybody
    """There is no place now."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"The queue is full. Try again in {retry_after} s.")
        self.retry_after = retry_after
        """Seconds after which there may be a place."""


class Closed(Exception):  # noqa: N818 - not an error of anybody
    """The service is shutting down."""


@dataclass(slots=True)
class _Ticket:
    requests: list[tuple[str, SummarizeOptions]]
    future: "Future[list[Summary | EalmError]]" = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What one pass did, for metrics."""

    texts: int
    tickets: int
    seconds: float


class Gatherer:
    """The queue and the thread that works it off."""

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
        self._tickets: deque[_Ticket] = deque()
        self._waiting = 0
        self._working = 0
        self._seconds_per_text = 0.05
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="ealm-gatherer", daemon=True)
        self._thread.start()

    @property
    def load(self) -> int:
        """Texts that wait or are at work."""
        with self._changed:
            return self._waiting + self._working

    def submit(self, requests: Sequence[tuple[str, SummarizeOptions]]) -> "Future[list[Summary | EalmError]]":
        """Queue texts; their results come together. Raises `QueueFull` or `Closed`."""
        ticket = _Ticket(list(requests))
        with self._changed:
            if self._closed:
                raise Closed("The service is shutting down.")
            load = self._waiting + self._working
            # An idle service takes any request that the limits of a request allow.
            if load and load + len(ticket.requests) > self._limits.queued_texts:
                raise QueueFull(max(1, math.ceil(load * self._seconds_per_text)))
            self._tickets.append(ticket)
            self._waiting += len(ticket.requests)
            self._changed.notify_all()
        return ticket.future

    def close(self) -> None:
        """Take no more, finish what is queued, then end."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            texts = sum(len(ticket.requests) for ticket in batch)
            started = time.monotonic()
            self._run(batch)
            seconds = time.monotonic() - started
            with self._changed:
                self._working = 0
                if texts:
                    self._seconds_per_text += 0.2 * (seconds / texts - self._seconds_per_text)
                self._changed.notify_all()
            if texts:
                self._report(BatchReport(texts, len(batch), seconds))

    def _next_batch(self) -> list[_Ticket] | None:
        """Tickets for one pass; None when closed and empty."""
        with self._changed:
            while not self._tickets:
                if self._closed:
                    return None
                self._changed.wait()
            end = time.monotonic() + self._limits.window_seconds
            while self._waiting < self._limits.texts_at_once and not self._closed:
                left = end - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    break
            return self._take()

    def _take(self) -> list[_Ticket]:
        batch: list[_Ticket] = []
        taken = 0
        while self._tickets and (not batch or taken + len(self._tickets[0].requests) <= self._limits.texts_at_once):
            ticket = self._tickets.popleft()
            self._waiting -= len(ticket.requests)
            if ticket.future.set_running_or_notify_cancel():
                batch.append(ticket)
                taken += len(ticket.requests)
        self._working = taken
        return batch

    def _run(self, batch: Sequence[_Ticket]) -> None:
        try:
            results = iter(self._summarizer.together([request for ticket in batch for request in ticket.requests]))
            answers = [[next(results) for _ in ticket.requests] for ticket in batch]
        except Exception as error:  # noqa: BLE001 - whoever waits must hear of it; the thread must live on
            for ticket in batch:
                ticket.future.set_exception(error)
            return
        for ticket, answer in zip(batch, answers, strict=True):
            ticket.future.set_result(answer)
