"""What stands before every route: bounded bodies, security headers, counts."""

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
"""No inline script, no foreign content, no sniffing, no framing."""


class SecurityHeaders:
    """Adds the headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_guarded if scope["type"] == "http" else send)


class BoundedBody:
    """Refuses bodies that are too large, by their announced length or as they come; streams bound their own lines."""

    def __init__(self, app: ASGIApp, *, most: int, streams: frozenset[str]) -> None:
        self._app = app
        self._most = most
        self._streams = streams
        self._detail = f"The request is larger than {most:,} bytes. Send less at a time, or use /v1/summarize/batch."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._streams:
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdigit() and int(announced) > self._most:
            await problem(413, self._detail)(scope, receive, send)
            return
        taken = 0

        async def receive_bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most:
                raise HTTPException(413, self._detail)  # the app turns it into a problem
            return message

        await self._app(scope, receive_bounded, send)


class Counting:
    """Tells how every request ended: method, route, status, seconds; never what was in it."""

    def __init__(self, app: ASGIApp, *, told: Callable[[str, str, int, float], None]) -> None:
        self._app = app
        self._told = told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        started = time.monotonic()

        async def send_counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_counted)
        finally:
            # The route as it is declared: a path from a request could be anything.
            route = getattr(scope.get("route"), "path", "other")
            self._told(scope["method"], route, status, time.monotonic() - started)
