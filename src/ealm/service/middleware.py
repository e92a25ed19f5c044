"""ASGI middleware for every route: who and what is let in, limits of bodies, security headers, request metrics."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ealm.service.limits import HeldBytes, ServiceLimits, marks_of
from ealm.service.problems import problem, too_many_marks

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


_READ_TO_ITS_END = 8
"""Bodies up to so many times the limit are read and thrown away before they are refused: who is still sending when the
connection is closed, such as a proxy, loses the answer. Who waits for leave to send (`Expect`) gets it at once."""


async def _read_to_its_end(receive: Receive) -> None:
    with suppress(HTTPException):  # it comes too slowly: there is an answer already
        while (await receive()).get("more_body", False):
            pass


class BodyLimitMiddleware:
    """Refuses bodies that are too large, by Content-Length or while reading; streams limit their lines."""

    def __init__(self, app: ASGIApp, *, limits: ServiceLimits, held: HeldBytes, stream_paths: frozenset[str]) -> None:
        self._app = app
        self._max_bytes, self._max_marks = limits.body_bytes, limits.marks
        self._held = held
        self._stream_paths = stream_paths
        self._detail = (
            f"The request is larger than {limits.body_bytes:,} bytes. Send fewer texts, or use /v1/summarize/batch."
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._stream_paths:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        announced = headers.get("content-length", "0")
        if announced.isdigit() and int(announced) > self._max_bytes:
            if int(announced) <= _READ_TO_ITS_END * self._max_bytes and "expect" not in headers:
                await _read_to_its_end(receive)
            await problem(413, self._detail)(scope, receive, send)
            return
        received = marks = 0

        async def receive_limited() -> Message:
            nonlocal received, marks
            message = await receive()
            body = message.get("body", b"")
            size = len(body)
            received, marks = received + size, marks + marks_of(body)
            self._held.add(size)
            if received > self._max_bytes:
                raise HTTPException(413, self._detail)  # the app turns it into problem+json
            if marks > self._max_marks:
                raise HTTPException(422, too_many_marks(self._max_marks))
            if self._held.are_too_many(received):
                raise HTTPException(503, "Too many large requests are here. Try again in 5 s.", {"Retry-After": "5"})
            return message

        try:
            await self._app(scope, receive_limited, send)
        finally:
            self._held.add(-received)


class BodyTimeMiddleware:
    """Refuses bodies that come too slowly."""

    def __init__(self, app: ASGIApp, *, seconds: float, stream_paths: frozenset[str]) -> None:
        self._app = app
        self._seconds = seconds
        self._stream_paths = stream_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        loop = asyncio.get_running_loop()
        is_stream, ends_at, complete = scope["path"] in self._stream_paths, loop.time() + self._seconds, False

        async def receive_in_time() -> Message:
            nonlocal complete
            if complete:  # what follows is the end of the connection, whenever it comes
                return await receive()
            left = self._seconds if is_stream else ends_at - loop.time()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, left))
            except TimeoutError:
                raise HTTPException(
                    408, f"The request did not come within {self._seconds:g} s.", {"Connection": "close"}
                ) from None
            complete = not message.get("more_body", False)
            return message

        await self._app(scope, receive_in_time, send)


class RequestGuardMiddleware:
    """Refuses requests that are not meant for this service: other hosts, ambiguous lengths, pages of other sites."""

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str] | None, media_types: Mapping[str, Sequence[str]]) -> None:
        """`hosts`: names that requests may be for; None for any. `media_types`: what each path takes."""
        self._app = app
        self._hosts = hosts
        self._media_types = media_types

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused(scope) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refused(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        if "content-length" in headers and "transfer-encoding" in headers:
            detail = "The request has both Content-Length and Transfer-Encoding. Send one of them."
            return problem(400, detail, {"Connection": "close"})
        host = host_name(headers.get("host", ""))
        if self._hosts is not None and host not in self._hosts:
            return problem(421, "This service does not answer for that host. Name it with --allowed-hosts.")
        taken = self._media_types.get(scope["path"]) if scope["method"] == "POST" else None
        # Pages of other sites can send some types without being asked first, or none: only the right ones are taken.
        if taken and headers.get("content-type", "").partition(";")[0].strip().lower() not in taken:
            return problem(415, f"Send the request with the header Content-Type: {taken[0]}.")
        return None


def host_name(header: str) -> str:
    """The name of a host without its port, in small letters."""
    name = header.strip().lower()
    return name[: name.find("]") + 1] if name.startswith("[") else name.partition(":")[0]


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


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
            # The route as declared, and methods that there are: a request may name any, and each has its own count.
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._record(method, route, status, time.monotonic() - started)
