"""Costly work: traces, rates, curves and long texts have a queue of their own, and take turns piece by piece."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ealm.service.limits import COST_PER_SECOND, ServiceLimits
from ealm.service.turns import Answer, Closed, QueueFull, Turns, carry_out

_MEMORY = 0.8
"""How much of the speed of earlier work is remembered when a request has ended."""
_SPEED_SECONDS = 10.0
"""How long the speed counts after the last work; after that, the machine may be free again."""


@dataclass(slots=True)
class _Request:
    cost: float
    work: Callable[[], Any]
    answer: Answer = field(default_factory=Answer)


class CostlyQueue:
    """The queue and its few threads; what they work on at the same time shares the processor."""

    def __init__(self, limits: ServiceLimits, turns: Turns) -> None:
        self._limits = limits
        self._turns = turns
        self._waiting: deque[_Request] = deque()
        self._working: list[_Request] = []
        self._speed_seconds, self._speed_cost = 1.0, COST_PER_SECOND
        """Their quotient is the time that a unit of cost takes."""
        self._counted_until = 0.0
        self._closed = False
        self._changed = threading.Condition()
        self._threads = [
            threading.Thread(target=self._work, name=f"ealm-costly-{number}", daemon=True)
            for number in range(limits.costly_at_once)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def load(self) -> float:
        """Cost of what waits or is being worked on."""
        with self._changed:
            return self._load()

    def submit(self, cost: float, work: Callable[[], Any]) -> Answer:
        """Queue a call; raises `QueueFull` if it would not be done in time, or `Closed`."""
        request = _Request(cost, work)
        with self._changed:
            if self._closed:
                raise Closed
            load = self._load()
            self._check_room(load, cost)
            if not load:
                self._counted_until = time.monotonic()
            self._waiting.append(request)
            self._changed.notify()
        return request.answer

    def close(self) -> None:
        """Accept no more requests; those that are queued are finished, unless the turns end before."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _check_room(self, load: float, cost: float) -> None:
        seconds = self._speed_seconds / self._speed_cost
        if load:
            if (load + cost) * seconds > self._limits.queued_seconds:
                raise QueueFull(max(1, math.ceil(load * seconds)))
            return
        # An idle service accepts any request that is within the limits of a request, unless the speed of a moment ago
        # says that it would be dropped in the end: others would have been done in that time.
        rests = _SPEED_SECONDS - (time.monotonic() - self._counted_until)
        if rests > 0 and cost * seconds > self._limits.timeout_seconds:
            raise QueueFull(math.ceil(rests))

    def _load(self) -> float:
        return sum(request.cost for request in (*self._waiting, *self._working) if not request.answer.dropped)

    def _work(self) -> None:
        while (request := self._next()) is not None:
            processor_seconds = time.thread_time()
            carry_out([request.answer], lambda request=request: [self._result(request)])  # type: ignore[misc]
            done = COST_PER_SECOND * (time.thread_time() - processor_seconds)
            with self._changed:
                self._working.remove(request)
                self._note_speed(min(request.cost, done) if request.answer.dropped else request.cost)

    def _result(self, request: _Request) -> Any:
        with self._turns.working([request.answer], plain=False):
            return request.work()

    def _next(self) -> _Request | None:
        """The next request that somebody waits for; None when closed and empty."""
        with self._changed:
            while True:
                while not self._waiting:
                    if self._closed:
                        return None
                    self._changed.wait()
                request = self._waiting.popleft()
                if request.answer.set_running_or_notify_cancel():
                    self._working.append(request)
                    return request

    def _note_speed(self, done: float) -> None:
        """`done`: the cost of a request, or of what was done of it before it was dropped."""
        now = time.monotonic()
        self._speed_seconds = _MEMORY * self._speed_seconds + now - self._counted_until
        self._speed_cost = _MEMORY * self._speed_cost + done
        self._counted_until = now
