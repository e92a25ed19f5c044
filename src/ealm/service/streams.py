"""NDJSON in, NDJSON out: many lines of one request at work at once, answers in the order of the lines."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import Future
from typing import Any

from pydantic import ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ealm.common.errors import EalmError
from ealm.service.batch_queue import Gatherer, QueueFull
from ealm.service.limits import ServiceLimits
from ealm.service.problems import validation_message
from ealm.service.schemas import BatchLine, summary_values
from ealm.summarize.result import Summary

_PATIENCE_SECONDS = 0.05
"""A stream that finds the queue full waits so long before it asks again; nobody has to come back."""


class DuplexResponse(Response):
    """A response that is sent while the request is still being read.

    Starlette's own streaming response may watch for a disconnect by reading the request, and would eat its lines.
    """

    def __init__(
        self, lines: AsyncGenerator[bytes, None], status_code: int = 200, media_type: str | None = None
    ) -> None:
        super().__init__(status_code=status_code, media_type=media_type)
        del self.headers["content-length"]
        self._lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI has it
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async for line in self._lines:
                await send({"type": "http.response.body", "body": line, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (ClientDisconnect, OSError):
            pass  # nobody reads any more
        finally:
            await self._lines.aclose()


class LineTooLongError(Exception):
    """A line went on after its limit."""


async def lines_of(chunks: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """Lines of a body as it comes, each of at most so many bytes."""
    rest = b""
    async for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if len(line) > most:
                raise LineTooLongError
            yield line
        if len(rest) > most:
            raise LineTooLongError
    if rest:
        yield rest


async def answers(
    chunks: AsyncIterator[bytes], gatherer: Gatherer, limits: ServiceLimits
) -> AsyncGenerator[bytes, None]:
    """One line of JSON for each line that is not blank: a summary, or an error with its reason."""
    waiting: deque[_Pending] = deque()
    try:
        async for line in lines_of(chunks, limits.body_bytes):
            if not line.strip():
                continue
            waiting.append(await _start(line, gatherer))
            while waiting and (waiting[0].done or len(waiting) >= limits.texts_at_once):
                yield await waiting.popleft().answer()
        while waiting:
            yield await waiting.popleft().answer()
    except LineTooLongError:
        while waiting:
            yield await waiting.popleft().answer()
        yield _line({"error": f"A line is longer than {limits.body_bytes:,} bytes; the rest was not read."})
    finally:  # whoever reads has gone: free the places
        for pending in waiting:
            pending.cancel()


class _Pending:
    """A line at work, or one that is answered already."""

    def __init__(self, identity: Any, work: "Future[list[Summary | EalmError]] | str", *, trace: bool = False) -> None:
        self._identity = identity
        self._work = work
        self._trace = trace

    @property
    def done(self) -> bool:
        """Whether the answer is there."""
        return isinstance(self._work, str) or self._work.done()

    def cancel(self) -> None:
        """Do not bother any more."""
        if not isinstance(self._work, str):
            self._work.cancel()

    async def answer(self) -> bytes:
        """The line to send."""
        values: dict[str, Any] = {} if self._identity is None else {"id": self._identity}
        if isinstance(self._work, str):
            return _line(values | {"error": self._work})
        try:
            (result,) = await asyncio.wrap_future(self._work)
        except Exception:  # noqa: BLE001 - one line must not end the others
            return _line(values | {"error": "Something went wrong here; the text was not kept."})
        if isinstance(result, EalmError):
            return _line(values | {"error": str(result)})
        return _line(values | summary_values(result, trace=self._trace))


async def _start(line: bytes, gatherer: Gatherer) -> _Pending:
    try:
        request = BatchLine.model_validate_json(line)
    except ValidationError as error:
        return _Pending(None, validation_message(error.errors()))
    try:
        options = request.options()
    except EalmError as error:
        return _Pending(request.id, str(error))
    while True:
        try:
            return _Pending(request.id, gatherer.submit([(request.text, options)]), trace=request.trace)
        except QueueFull:
            await asyncio.sleep(_PATIENCE_SECONDS)


def _line(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"
