"""NDJSON in, NDJSON out: many lines of one request are summarized at once, with results in the order of the lines."""

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ealm.common.errors import EalmError
from ealm.service.limits import HeldBytes, marks_of
from ealm.service.problems import OverdueError, as_fields, too_many_marks, validation_message
from ealm.service.schemas import BatchLine, summary_values
from ealm.service.state import Service
from ealm.service.turns import Answer, Closed, QueueFull

_RETRY_SECONDS = 0.05
"""A stream that finds the queue full waits so long before it tries again; the client need not."""
CLIENT_LEFT = "ealm.client_left"
"""In the scope of a request whose connection is lost: a stream that waits does not read, and would not see it."""


class DuplexResponse(Response):
    """A response that is sent while the request is still being read.

    Starlette's own streaming response may watch for a disconnect by reading the request, and would consume its lines.
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
            pass  # the client has gone
        finally:
            await self._lines.aclose()


class LineTooLongError(Exception):
    """A line is longer than the limit, or than what others leave."""


async def lines_of(chunks: AsyncIterator[bytes], max_bytes: int, held: HeldBytes) -> AsyncGenerator[bytes, None]:
    """Lines of a body while it is received; a longer line raises."""
    line = bytearray()  # grows in place: a client may send byte after byte
    try:
        async for chunk in chunks:
            for number, part in enumerate(chunk.split(b"\n")):
                if number:
                    yield _let_go(line, held)
                line += part
                held.add(len(part))
                if len(line) > max_bytes:
                    raise LineTooLongError(f"A line is longer than {max_bytes:,} bytes.")
                if held.are_too_many(len(line)):
                    raise LineTooLongError("Too many large requests are here. Try again in 5 s.")
        if line:
            yield _let_go(line, held)
    finally:
        _let_go(line, held)


def _let_go(line: bytearray, held: HeldBytes) -> bytes:
    held.add(-len(line))
    whole = bytes(line)
    line.clear()
    return whole


async def summarize_lines(request: Request, service: Service) -> AsyncGenerator[bytes, None]:
    """One line of JSON for each line that is not blank: a summary, or an error with its reason."""
    limits = service.limits
    waiting: deque[_Pending] = deque()
    try:
        async with aclosing(lines_of(request.stream(), limits.body_bytes, service.held)) as lines:
            async for line in lines:
                if not line.strip():
                    continue
                waiting.append(await _start(line, service, request))
                while waiting and (waiting[0].done or len(waiting) >= limits.texts_at_once):
                    yield await waiting.popleft().line()
        while waiting:
            # The request was read to its end, so that all that can still come from the client is that it has left.
            while not waiting[0].done:
                await asyncio.sleep(_RETRY_SECONDS)
                if await request.is_disconnected():
                    return
            yield await waiting.popleft().line()
    except (LineTooLongError, HTTPException) as error:  # the latter for a body that stops coming
        while waiting:
            yield await waiting.popleft().line()
        yield _line({"error": f"{error.detail if isinstance(error, HTTPException) else error} The rest was not read."})
    finally:  # if the client has gone, the queue has room again
        for pending in waiting:
            pending.cancel()


class _Pending:
    """A line that is being summarized, or the error of one that cannot be."""

    def __init__(self, identity: Any, answer: Answer | str, *, seconds: float = 0.0, trace: bool = False) -> None:
        """`seconds`: how long the answer may take."""
        self._identity = identity
        self._answer = answer
        self._seconds = seconds
        self._ends_at = time.monotonic() + seconds
        self._trace = trace

    @property
    def done(self) -> bool:
        """Whether there is something to send."""
        return isinstance(self._answer, str) or self._answer.done() or time.monotonic() > self._ends_at

    def cancel(self) -> None:
        """Take it out of the queue."""
        if not isinstance(self._answer, str):
            self._answer.cancel()

    async def line(self) -> bytes:
        """The line to send back."""
        values: dict[str, Any] = {} if self._identity is None else {"id": self._identity}
        if isinstance(self._answer, str):
            return _line(values | {"error": self._answer})
        try:
            left = max(0.0, self._ends_at - time.monotonic())
            (result,) = await asyncio.wait_for(asyncio.wrap_future(self._answer), left)
        except TimeoutError:
            return _line(values | {"error": str(OverdueError(self._seconds))})
        except Closed as error:
            return _line(values | {"error": str(error)})
        except Exception:  # noqa: BLE001 - an error in one line must not end the others
            return _line(values | {"error": "Something went wrong here; the text was not kept."})
        if isinstance(result, EalmError):
            return _line(values | {"error": as_fields(result)})
        return await asyncio.to_thread(lambda: _line(values | summary_values(result, trace=self._trace)))


async def _start(line: bytes, service: Service, request: Request) -> _Pending:
    if marks_of(line) > service.limits.marks:
        return _Pending(None, too_many_marks(service.limits.marks))
    try:
        wanted = BatchLine.model_validate_json(line)
    except ValidationError as error:
        return _Pending(None, validation_message(error.errors()))
    try:
        options = wanted.options()
        cost = service.cost([wanted.text], options)
        while True:
            try:
                answer = service.summarize([wanted.text], options, cost=cost, stream=True)
            except QueueFull:
                await asyncio.sleep(_RETRY_SECONDS)
                if request.scope.get(CLIENT_LEFT):
                    raise ClientDisconnect from None
            else:
                return _Pending(wanted.id, answer, seconds=service.limits.timeout_seconds, trace=options.trace)
    except (EalmError, Closed) as error:
        return _Pending(wanted.id, as_fields(error) if isinstance(error, EalmError) else str(error))


def _line(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"
