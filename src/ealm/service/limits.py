"""Limits of the service."""

from dataclasses import dataclass

from ealm.common.errors import SettingsError

COST_PER_SECOND = 1_000.0
"""Work that a processor core of today does in a second, in the units of `cost.py`."""

_SHARE_OF_TIMEOUT = 2 / 3
"""How much of the time for a response may be spent on its own work, or on that of all costly requests together."""
_MARKS = 20_000
"""Room for the JSON of any request, however little work it may take."""


def marks_of(content: bytes) -> int:
    """Brackets and commas: a megabyte of them is read in one piece of up to a second, in which nobody is served."""
    return sum(map(content.count, (b"[", b"{", b",")))


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLimits:
    """Limits of one process."""

    body_bytes: int = 2_000_000
    """Largest request, and largest line of a stream."""
    texts_per_request: int = 512
    queued_texts: int = 1_024
    """Texts that wait or are being summarized; requests beyond that are refused with 429."""
    texts_at_once: int = 64
    """Texts in one batch."""
    window_seconds: float = 0.005
    """How long the first request of a batch waits for others."""
    timeout_seconds: float = 30.0
    """From the end of a request to its response; what takes longer is dropped with 504."""
    plain_cost: float = 400.0
    """Up to this cost a request is plain; dearer ones have a queue of their own."""
    cost_at_once: float = 1_600.0
    """Cost of one batch of plain texts."""
    costly_at_once: int = 2
    """Costly requests that share the processor; others wait."""
    closing_seconds: float = 4.0
    """How long what has begun may go on after the end was requested."""

    @property
    def request_cost(self) -> float:
        """The greatest cost of one request."""
        return COST_PER_SECOND * self.queued_seconds

    @property
    def queued_seconds(self) -> float:
        """Costly work that waits or is being done; requests beyond that are refused with 429."""
        return _SHARE_OF_TIMEOUT * self.timeout_seconds

    @property
    def marks(self) -> int:
        """Brackets and commas of one request, or of one line of a stream.

        In a text each of them costs as much as a word, so that nothing else is refused for this limit.
        """
        return max(_MARKS, round(self.request_cost))

    def __post_init__(self) -> None:
        for name in ("body_bytes", "texts_per_request", "queued_texts", "texts_at_once", "costly_at_once"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} must be at least 1, got {getattr(self, name)}.")
        if self.timeout_seconds <= 0:
            raise SettingsError(f"timeout_seconds must be above 0, got {self.timeout_seconds:g}.")
        if self.window_seconds < 0:
            raise SettingsError(f"window_seconds must be at least 0, got {self.window_seconds:g}.")


_SMALL_REQUEST = 65_536
_LARGE_REQUESTS = 32


class HeldBytes:
    """Bytes of all bodies, and of lines of streams, that are being received: large ones share a limit."""

    def __init__(self, body_bytes: int) -> None:
        """As many of the largest size as `body_bytes` are held at the same time; a small one is always taken."""
        self._most = _LARGE_REQUESTS * body_bytes
        self._held = 0

    def add(self, size: int) -> None:
        """Below 0 for what is let go of."""
        self._held += size

    def are_too_many(self, own: int) -> bool:
        """Whether a request of so many bytes must go."""
        return own > _SMALL_REQUEST and self._held > self._most


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Limits of the connections to one process."""

    connections: int = 256
    """Open at the same time; more are closed with 503."""
    header_bytes: int = 65_536
    header_seconds: float = 10.0
    """From the connection, or the response before, to the end of the headers of a request."""
    idle_seconds: int = 5
    """Between two requests."""
    body_seconds: float = 20.0
    """For the body of a request; in a stream, for each part of it. Also for a client to take a part of a response."""
