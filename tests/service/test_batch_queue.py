"""The service batches waiting requests and says when its queue is full."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from typing import Any

import pytest

from ealm.common.errors import EalmError, SettingsError
from ealm.service.batch_queue import BatchQueue, BatchReport
from ealm.service.limits import ServiceLimits
from ealm.service.turns import Closed, QueueFull, Turns
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.result import Summary

OPTIONS = SummarizeOptions(words=2)


class Slow:
    """Returns when it is allowed to, and remembers what came in one batch."""

    def __init__(self) -> None:
        self.allowed = threading.Event()
        self.batches: list[list[str]] = []

    def together(self, requests: Sequence[tuple[str, SummarizeOptions]]) -> list[Summary | EalmError]:
        self.allowed.wait(10)
        self.batches.append([text for text, _ in requests])
        if any(text == "broken" for text, _ in requests):
            raise RuntimeError("broken")
        return [Summary(text, text, 0.0, None, 0, (), ()) for text, _ in requests]


@pytest.fixture
def slow() -> Slow:
    return Slow()


def queue_of(slow: Slow, **limits: Any) -> BatchQueue:
    return BatchQueue(slow, ServiceLimits(**{"window_seconds": 0.0, **limits}), Turns())


def test_requests_that_wait_together_share_a_batch(slow: Slow) -> None:
    queue = queue_of(slow, texts_at_once=4)
    first = queue.submit([("first", OPTIONS)])
    while not first.running():
        time.sleep(0.001)
    others = [queue.submit([(f"{number}", OPTIONS)] * 2) for number in range(3)]
    slow.allowed.set()
    assert [str(summary) for other in others for summary in other.result(10)] == ["0", "0", "1", "1", "2", "2"]
    assert slow.batches == [["first"], ["0", "0", "1", "1"], ["2", "2"]]
    queue.close()


def test_a_full_queue_says_when_to_try_again(slow: Slow) -> None:
    queue = queue_of(slow, queued_texts=3)
    queue.submit([("a", OPTIONS)] * 3)
    with pytest.raises(QueueFull) as caught:
        queue.submit([("b", OPTIONS)])
    assert caught.value.retry_after >= 1
    assert queue.load == 3
    slow.allowed.set()
    queue.close()
    assert queue.load == 0


def test_an_idle_service_accepts_even_a_large_request(slow: Slow) -> None:
    queue = queue_of(slow, queued_texts=3)
    slow.allowed.set()
    assert len(queue.submit([("a", OPTIONS)] * 9).result(10)) == 9
    queue.close()


def test_a_cancelled_request_makes_room(slow: Slow) -> None:
    queue = queue_of(slow)
    first = queue.submit([("first", OPTIONS)])
    while not first.running():
        time.sleep(0.001)
    gone = queue.submit([("gone", OPTIONS)])
    last = queue.submit([("last", OPTIONS)])
    assert gone.cancel()
    slow.allowed.set()
    last.result(10)
    assert slow.batches == [["first"], ["last"]]
    with pytest.raises(CancelledError):
        gone.result(0)
    queue.close()


def test_an_error_reaches_the_waiting_request_and_the_next_one_works(slow: Slow) -> None:
    queue = queue_of(slow)
    slow.allowed.set()
    with pytest.raises(RuntimeError, match="broken"):
        queue.submit([("broken", OPTIONS)]).result(10)
    assert str(queue.submit([("fine", OPTIONS)]).result(10)[0]) == "fine"
    queue.close()


def test_closing_finishes_queued_requests_and_accepts_no_more(slow: Slow) -> None:
    reports: list[BatchReport] = []
    queue = BatchQueue(slow, ServiceLimits(window_seconds=0.0), Turns(), report=reports.append)
    waiting = [queue.submit([("a", OPTIONS)]) for _ in range(3)]
    threading.Timer(0.05, slow.allowed.set).start()
    queue.close()
    assert all(each.done() for each in waiting)
    assert sum(report.texts for report in reports) == 3
    with pytest.raises(Closed):
        queue.submit([("late", OPTIONS)])


@pytest.mark.parametrize("name", ["body_bytes", "texts_per_request", "queued_texts", "texts_at_once"])
def test_limits_must_leave_room(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} must be at least 1, got 0"):
        ServiceLimits(**{name: 0})
