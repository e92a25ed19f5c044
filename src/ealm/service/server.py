"""The HTTP server: uvicorn, with time limits for connections, a limit on their number, and an end that comes soon."""

import asyncio
import signal
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from ealm.service.limits import ConnectionLimits
from ealm.service.state import Service
from ealm.service.streams import CLIENT_LEFT

_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 5\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s"
)
_TOO_MANY_DETAIL = (
    b'{"type": "about:blank", "title": "Service Unavailable", "status": 503, '
    b'"detail": "Too many connections are open. Try again in 5 s."}'
)
_READ_BYTES = 16_384
"""Read at once from a connection before others have their turn: a body may come in crumbs of a byte, each of which
takes some ten microseconds."""
_CLOSING_SECONDS = 2
"""After the work has ended: for the last responses, and for requests that are still being sent."""
_LAST_SECONDS = 2
"""After that: for a piece of work that will not end. The process is ended in the middle of it then."""


def limited_protocol(limits: ConnectionLimits) -> type[H11Protocol]:
    """uvicorn's protocol, which has a time limit only between requests, with those that are missing."""

    class LimitedProtocol(H11Protocol):
        """Closes a connection that is one too many, that brings no request, or whose client takes no response."""

        _no_headers: asyncio.TimerHandle | None = None
        _unread: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if hasattr(transport, "max_size"):  # of Python's own loop
                transport.max_size = _READ_BYTES
            if len(self.connections) > limits.connections:
                transport.write(_TOO_MANY % (len(_TOO_MANY_DETAIL), _TOO_MANY_DETAIL))
                transport.close()
            else:
                self._expect_headers()

        def data_received(self, data: bytes) -> None:
            if self.transport.is_closing():
                return
            super().data_received(data)
            self._note_request()

        def on_response_complete(self) -> None:
            self._expect_headers()
            super().on_response_complete()
            self._note_request()  # one that came before this response was sent

        def pause_writing(self) -> None:
            super().pause_writing()
            self._unread = self.loop.call_later(limits.body_seconds, self.transport.abort)

        def resume_writing(self) -> None:
            self._cancel(self._unread)
            super().resume_writing()

        def connection_lost(self, exc: Exception | None) -> None:
            self._cancel(self._no_headers, self._unread)
            if self.scope is not None:
                self.scope[CLIENT_LEFT] = True  # type: ignore[literal-required]
            super().connection_lost(exc)

        def _note_request(self) -> None:
            if self.cycle is not None and not self.cycle.response_complete:
                self._cancel(self._no_headers)

        def _expect_headers(self) -> None:
            self._cancel(self._no_headers)
            # Not `close`, which waits for a client that does not read.
            self._no_headers = self.loop.call_later(limits.header_seconds, self.transport.abort)

        def _cancel(self, *timers: asyncio.TimerHandle | None) -> None:
            for timer in timers:
                if timer is not None:
                    timer.cancel()

    return LimitedProtocol


class Server(uvicorn.Server):
    """Ends within the time for closing at SIGTERM, and at once at Ctrl-C."""

    def __init__(self, app: FastAPI, limits: ConnectionLimits, **settings: Any) -> None:
        """`settings` are those of uvicorn."""
        self._service: Service = app.state.service
        super().__init__(
            uvicorn.Config(
                app,
                http=limited_protocol(limits),
                ws="none",
                timeout_keep_alive=limits.idle_seconds,
                timeout_graceful_shutdown=round(self._service.limits.closing_seconds) + _CLOSING_SECONDS,
                h11_max_incomplete_event_size=limits.header_bytes,
                log_level="error",  # what a stranger sends is no reason to write to the log
                access_log=False,
                server_header=False,
                **settings,
            )
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig == signal.SIGINT:  # nothing is stored, so nothing is lost; threads may be in the middle of a piece
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.raise_signal(signal.SIGINT)
        super().handle_exit(sig, frame)
        self._service.end_soon()
        if hasattr(signal, "setitimer") and not any(signal.getitimer(signal.ITIMER_REAL)):
            # The system keeps this promise, whatever the threads do.
            closing = self._service.limits.closing_seconds
            signal.setitimer(signal.ITIMER_REAL, closing + _CLOSING_SECONDS + _LAST_SECONDS)
