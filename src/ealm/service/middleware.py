"""ASGI middleware for every route: body limit, security headers, request metrics."""

import time
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ealm.service.problems import problem

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""No inline scripts, no content from other hosts, no sniffing, no framing."""


class SecurityHeadersMiddleware:
    """Adds the headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class BodyLimitMiddleware:
    """Refuses bodies that are too large, by Content-Length or while reading; streams limit the length of a line."""

    def __init__(self, app: ASGIApp, *, max_bytes: int, stream_paths: frozenset[str]) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._stream_paths = stream_paths
        self._detail = f"The request is larger than {max_bytes:,} bytes. Send fewer texts, or use /v1/summarize/batch."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._stream_paths:
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdigit() and int(announced) > self._max_bytes:
            await problem(413, self._detail)(scope, receive, send)
            return
        received = 0

        async def receive_limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                raise HTTPException(413, self._detail)  # the app turns it into problem+json
            return message

        await self._app(scope, receive_limited, send)


class RequestMetricsMiddleware:
    """Records method, route, status and seconds of every request; never its content."""

    def __init__(self, app: ASGIApp, *, record: Callable[[str, str, int, float], None]) -> None:
        self._app = app
        self._record = record

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        started = time.monotonic()

        async def send_with_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_with_status)
        finally:
            # The route as declared: the path of a request could be anything.
            route = getattr(scope.get("route"), "path", "other")
            self._record(scope["method"], route, status, time.monotonic() - started)
