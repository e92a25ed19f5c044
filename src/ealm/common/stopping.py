"""When a run ends: its budget is spent, or somebody stops it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to train in all, earlier parts of a resumed run included; None is without bound."""

    updates: int | None = None
    minutes: float | None = None

    def spent(self, *, updates: int, seconds: float) -> bool:
        """Whether it is time to end."""
        return (self.updates is not None and updates >= self.updates) or (
            self.minutes is not None and seconds >= 60 * self.minutes
        )

    def share_left(self, *, updates: int, seconds: float) -> float:
        """Share that is still to come: of the updates where they are bounded, otherwise of the time."""
        if self.updates is not None:
            return 1 - updates / self.updates
        return 1.0 if self.minutes is None else 1 - seconds / (60 * self.minutes)


@contextmanager
def signals_handled(handle: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Call a function at the first Ctrl-C or `kill`; a second one ends the process at once.

    Only the main thread can listen: in any other one nothing is handled.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    watched = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in watched}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def once(number: int, _frame: FrameType | None) -> None:
        restore()
        handle(signal.Signals(number))

    for number in watched:
        signal.signal(number, once)
    try:
        yield
    finally:
        restore()


class StopRequest:
    """Set by Ctrl-C or `kill`; the run ends at the next update with a checkpoint."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    @contextmanager
    def listening(self) -> Iterator["StopRequest"]:
        """Note the first signal."""
        with signals_handled(self._note):
            yield self

    def _note(self, number: signal.Signals) -> None:
        self.signal = number


class Stopped(KeyboardInterrupt):
    """Ctrl-C or `kill`; no error, so that nothing that catches errors catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)
        self.rows = 0
        """That are done and kept."""


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Ctrl-C and `kill` raise `Stopped` inside."""

    def stop(number: signal.Signals) -> None:
        raise Stopped(number)

    with signals_handled(stop):
        yield
