"""Waiting for what the threads of the queues work out, from the loop that serves all connections."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request

from ealm.service.problems import OverdueError
from ealm.service.turns import Answer

_DISCONNECT_POLL_SECONDS = 0.1
_END = object()


async def in_time(request: Request, answer: Answer, seconds: float) -> Any:
    """The result, or nothing for a client that has left. If it leaves or the time is over, the work is dropped."""
    waiting = asyncio.wrap_future(answer)
    ends_at = time.monotonic() + seconds
    while not waiting.done():
        await asyncio.wait([waiting], timeout=_DISCONNECT_POLL_SECONDS)
        if waiting.done():
            break
        if await request.is_disconnected():
            waiting.cancel()
            return None
        if time.monotonic() > ends_at:
            waiting.cancel()
            raise OverdueError(seconds)
    return waiting.result()


async def as_they_come(
    request: Request, submit: Callable[[Callable[[Any], object]], Answer], seconds: float
) -> AsyncIterator[Any]:
    """All that the work pushes, while it goes on; the work is dropped as in `in_time`.

    Once something has been sent, the response watches for a client that leaves, and ends this iterator.
    """
    loop, found, sent = asyncio.get_running_loop(), asyncio.Queue[Any](), False
    ends_at = time.monotonic() + seconds
    # The end takes the same way through the loop as what was pushed, so that it cannot overtake it.
    waiting = asyncio.wrap_future(submit(lambda value: loop.call_soon_threadsafe(found.put_nowait, value)))
    waiting.add_done_callback(lambda _: found.put_nowait(_END))
    try:
        while time.monotonic() <= ends_at:
            try:
                value = await asyncio.wait_for(found.get(), _DISCONNECT_POLL_SECONDS)
            except TimeoutError:
                if not sent and await request.is_disconnected():
                    return
                continue
            if value is _END:
                waiting.result()  # raises what ended the work
                return
            yield value
            sent = True
        raise OverdueError(seconds)
    finally:
        waiting.cancel()
