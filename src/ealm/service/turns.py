"""Turns: one thread computes at a time, and long work gives its turn away between its pieces.

Plain requests go first; but after each batch of them, costly work has its turn for a third as long, so that neither
waits for ever.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from ealm.common.pieces import pieces_watched

_SHARE = 1 / 3
"""How long a turn of costly work lasts while plain requests wait, of the time that those before took."""
_LONGEST_SHARE = 0.05
"""In seconds: a large batch is no reason to let the next one wait."""


class QueueFull(Exception):  # noqa: N818 - a state, not a mistake
    """There is no room for the request now."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"The queue is full. Try again in {retry_after} s.")
        self.retry_after = retry_after
        """Seconds after which there may be room."""


class Closed(Exception):  # noqa: N818 - a state, not a mistake
    """The service is shutting down."""

    def __init__(self, message: str = "The service is shutting down.") -> None:
        super().__init__(message)


class Dropped(BaseException):
    """Nobody waits for this work any more; no error, so that nothing that catches errors catches it."""


class Answer(Future[Any]):
    """The result that a request waits for. Cancelled while it is being worked on, it is dropped at the next piece."""

    dropped = False

    def cancel(self) -> bool:
        self.dropped = True
        return super().cancel()


class Turns:
    """Who computes now."""

    def __init__(self, pause: Callable[[], object] = lambda: None) -> None:
        """`pause` is called between the pieces of all work, and after it."""
        self._pause = pause
        self._changed = threading.Condition()
        self._taken = False
        self._plain_was_last = False
        self._taken_at = 0.0
        self._share_seconds = 0.0
        self._waiting: dict[bool, deque[object]] = {True: deque(), False: deque()}
        self._ends_at = float("inf")

    def end_in(self, seconds: float) -> None:
        """Drop whatever is still being worked on by then; the first call counts."""
        self._ends_at = min(self._ends_at, time.monotonic() + seconds)

    @property
    def ended(self) -> bool:
        """Whether it is too late to go on."""
        return time.monotonic() > self._ends_at

    @contextmanager
    def working(self, answers: Sequence[Answer], *, plain: bool) -> Iterator[None]:
        """Work inside, for these answers; raises `Dropped` when nobody waits for them, `Closed` when it is too late."""

        def check() -> None:
            if self.ended:
                raise Closed
            if all(answer.dropped for answer in answers):
                raise Dropped

        def between() -> None:
            self._pause()
            check()
            if not plain:
                self._pass_on()

        self._take(plain=plain)
        try:
            check()
            with pieces_watched(between):
                yield
        finally:
            self._pause()
            self._give_back()

    def _take(self, *, plain: bool) -> None:
        ticket = object()
        with self._changed:
            self._waiting[plain].append(ticket)
            self._changed.wait_for(lambda: not self._taken and self._next() is ticket)
            self._waiting[plain].popleft()
            self._taken, self._plain_was_last, self._taken_at = True, plain, time.monotonic()

    def _next(self) -> object:
        first, second = self._waiting[not self._plain_was_last], self._waiting[self._plain_was_last]
        return first[0] if first else second[0]

    def _give_back(self) -> None:
        with self._changed:
            if self._plain_was_last:
                self._share_seconds = min(_LONGEST_SHARE, _SHARE * (time.monotonic() - self._taken_at))
            self._taken = False
            self._changed.notify_all()

    def _pass_on(self) -> None:
        if any(self._waiting.values()) and time.monotonic() - self._taken_at >= self._share_seconds:
            self._give_back()
            self._take(plain=False)


def carry_out(answers: Sequence[Answer], work: Callable[[], Sequence[Any]]) -> None:
    """Give each answer its result, or all of them the error: the thread that works must go on."""
    try:
        results = work()
    except (Dropped, Exception) as error:  # noqa: BLE001 - whoever waits gets it
        for answer in answers:
            answer.set_exception(error)
        return
    for answer, result in zip(answers, results, strict=True):
        answer.set_result(result)
