"""The service gathers what waits, works on it together, and says when it is full."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from typing import Any

import pytest

from ealm.common.errors import EalmError, SettingsError
from ealm.service.batch_queue import BatchReport, Closed, Gatherer, QueueFull
from ealm.service.limits import ServiceLimits
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.result import Summary

OPTIONS = SummarizeOptions.of(words=2)


class Slow:
    """Answers when it is allowed to, and remembers what came together."""

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


def gatherer_of(slow: Slow, **limits: Any) -> Gatherer:
    return Gatherer(slow, ServiceLimits(**{"window_seconds": 0.0, **limits}))


def test_who_waits_together_is_worked_on_together(slow: Slow) -> None:
    gatherer = gatherer_of(slow, texts_at_once=4)
    first = gatherer.submit([("first", OPTIONS)])
    while not first.running():
        time.sleep(0.001)
    others = [gatherer.submit([(f"{number}", OPTIONS)] * 2) for number in range(3)]
    slow.allowed.set()
    assert [str(summary) for other in others for summary in other.result(10)] == ["0", "0", "1", "1", "2", "2"]
    assert slow.batches == [["first"], ["0", "0", "1", "1"], ["2", "2"]]
    gatherer.close()


def test_a_full_queue_says_when_to_come_again(slow: Slow) -> None:
    gatherer = gatherer_of(slow, queued_texts=3)
    gatherer.submit([("a", OPTIONS)] * 3)
    with pytest.raises(QueueFull) as caught:
        gatherer.submit([("b", OPTIONS)])
    assert caught.value.retry_after >= 1
    assert gatherer.load == 3
    slow.allowed.set()
    gatherer.close()
    assert gatherer.load == 0


def test_an_idle_service_takes_even_a_large_request(slow: Slow) -> None:
    gatherer = gatherer_of(slow, queued_texts=3)
    slow.allowed.set()
    assert len(gatherer.submit([("a", OPTIONS)] * 9).result(10)) == 9
    gatherer.close()


def test_who_goes_away_frees_the_place(slow: Slow) -> None:
    gatherer = gatherer_of(slow)
    first = gatherer.submit([("first", OPTIONS)])
    while not first.running():
        time.sleep(0.001)
    gone = gatherer.submit([("gone", OPTIONS)])
    last = gatherer.submit([("last", OPTIONS)])
    assert gone.cancel()
    slow.allowed.set()
    last.result(10)
    assert slow.batches == [["first"], ["last"]]
    with pytest.raises(CancelledError):
        gone.result(0)
    gatherer.close()


def test_a_failure_reaches_whoever_waits_and_the_next_one_works(slow: Slow) -> None:
    gatherer = gatherer_of(slow)
    slow.allowed.set()
    with pytest.raises(RuntimeError, match="broken"):
        gatherer.submit([("broken", OPTIONS)]).result(10)
    assert str(gatherer.submit([("fine", OPTIONS)]).result(10)[0]) == "fine"
    gatherer.close()


def test_closing_finishes_what_has_begun_and_takes_no_more(slow: Slow) -> None:
    reports: list[BatchReport] = []
    gatherer = Gatherer(slow, ServiceLimits(window_seconds=0.0), report=reports.append)
    waiting = [gatherer.submit([("a", OPTIONS)]) for _ in range(3)]
    threading.Timer(0.05, slow.allowed.set).start()
    gatherer.close()
    assert all(each.done() for each in waiting)
    assert sum(report.texts for report in reports) == 3
    with pytest.raises(Closed):
        gatherer.submit([("late", OPTIONS)])


@pytest.mark.parametrize("name", ["body_bytes", "texts_per_request", "queued_texts", "texts_at_once"])
def test_limits_must_leave_room(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} must be at least 1, got 0"):
        ServiceLimits(**{name: 0})
