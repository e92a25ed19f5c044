"""Waiting for the threads of the queues: nothing that was worked out is lost."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from starlette.requests import Request

from ealm.service.answers import as_they_come
from ealm.service.problems import OverdueError
from ealm.service.turns import Answer


def came(submit: Callable[[Callable[[Any], object]], Answer], seconds: float = 10) -> list[Any]:
    async def collect() -> list[Any]:
        request = Request({"type": "http"}, receive=asyncio.Event().wait)  # type: ignore[arg-type] - nobody leaves
        return [value async for value in as_they_come(request, submit, seconds)]

    return asyncio.run(collect())


def test_work_that_is_done_before_anybody_looks_loses_nothing() -> None:
    def submit(push: Callable[[Any], object]) -> Answer:
        for value in range(3):
            push(value)
        answer = Answer()
        answer.set_result(None)  # before the loop has seen one of the three
        return answer

    assert came(submit) == [0, 1, 2]


def test_what_ended_the_work_is_raised() -> None:
    def submit(push: Callable[[Any], object]) -> Answer:
        push("first")
        answer = Answer()
        answer.set_exception(ValueError("broken"))
        return answer

    with pytest.raises(ValueError, match="broken"):
        came(submit)


def test_work_that_takes_too_long_is_dropped() -> None:
    answer = Answer()
    answer.set_running_or_notify_cancel()
    with pytest.raises(OverdueError):
        came(lambda _push: answer, seconds=0.2)
    assert answer.dropped
