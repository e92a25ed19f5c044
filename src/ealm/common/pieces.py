"""Long work in small pieces, between which whoever started it may let others go first, or end it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_WATCHER: ContextVar[Callable[[], None] | None] = ContextVar("watcher", default=None)


def between_pieces() -> None:
    """Called by long work after each small piece: whoever watches may let others go first, or raise to end it."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher()


def pieces_are_watched() -> bool:
    """Whether somebody may be waiting, so that work is to be cut up though it takes longer then."""
    return _WATCHER.get() is not None


@contextmanager
def pieces_watched(watcher: Callable[[], None]) -> Iterator[None]:
    """Call this function between the pieces of all work that this thread does inside."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)
