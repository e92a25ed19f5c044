"""When a run ends: its budget is spent, or somebody stops it."""

import signal
from collections.abc import Iterator
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


class StopRequest:
    """Set by Ctrl-C or `kill`; the run ends at the next update with a checkpoint."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    @contextmanager
    def listening(self) -> Iterator["StopRequest"]:
        """Catch the first signal; a second one ends the process at once."""
        watched = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.getsignal(number) for number in watched}

        def request(number: int, _frame: FrameType | None) -> None:
            self.signal = signal.Signals(number)
            for name, handler in before.items():
                signal.signal(name, handler)

        for number in watched:
            signal.signal(number, request)
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
