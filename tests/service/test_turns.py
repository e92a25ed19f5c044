"""Long work is cut into pieces: others go between them, and what nobody waits for is dropped."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from starlette.testclient import TestClient

from ealm import Summarizer
from ealm.common.errors import SettingsError
from ealm.common.pieces import between_pieces, pieces_watched
from ealm.service import costly_queue
from ealm.service.app import create_app
from ealm.service.cost import TooCostlyError, request_cost
from ealm.service.costly_queue import CostlyQueue
from ealm.service.limits import COST_PER_SECOND, ServiceLimits
from ealm.service.turns import Answer, Closed, Dropped, QueueFull, Turns
from ealm.summarize.options import SummarizeOptions

LIMITS = ServiceLimits(timeout_seconds=0.3, closing_seconds=0.2)


def endless() -> None:
    """Work that ends only when it is dropped."""
    while True:
        time.sleep(0.001)
        between_pieces()


def wait_for(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.002)


# Turns ----------------------------------------------------------------------------------------------------------------


def test_plain_work_goes_between_the_pieces_of_long_work() -> None:
    turns, answer, order = Turns(), Answer(), []

    def long_work() -> None:
        with suppress(Dropped), turns.working([answer], plain=False):
            while True:
                order.append("piece")
                between_pieces()

    thread = threading.Thread(target=long_work)
    thread.start()
    wait_for(lambda: len(order) > 10)
    for _ in range(3):
        with turns.working([Answer()], plain=True):
            order.append("plain")
            time.sleep(0.01)  # long enough for many pieces
            order.append("plain ends")
    answer.cancel()
    thread.join(10)
    assert not thread.is_alive()
    starts = [number for number, own in enumerate(order) if own == "plain"]
    assert all(order[number + 1] == "plain ends" for number in starts)  # one computes at a time
    assert all("piece" in order[first:second] for first, second in pairwise(starts))


def test_what_is_left_by_all_is_dropped_at_the_next_piece() -> None:
    turns, first, second = Turns(), Answer(), Answer()
    with turns.working([first, second], plain=True):
        first.cancel()
        between_pieces()  # somebody waits still
        second.cancel()
        with pytest.raises(Dropped):
            between_pieces()
    between_pieces()  # nobody watches any more


def test_between_all_pieces_there_is_a_pause() -> None:
    pauses: list[None] = []
    with Turns(pause=lambda: pauses.append(None)).working([Answer()], plain=True):
        between_pieces()
        between_pieces()
    assert len(pauses) == 3


def test_nothing_goes_on_after_the_end() -> None:
    turns = Turns()
    with turns.working([Answer()], plain=True):
        turns.end_in(-1)
        with pytest.raises(Closed):
            between_pieces()
    with pytest.raises(Closed), turns.working([Answer()], plain=False):
        raise AssertionError("it began")


@pytest.mark.parametrize(
    "wish",
    [
        {"words": 20},
        {"words": 6, "trace": True},
        {"words": 20, "recoverability": True},
        {"words": 20, "effort": "search"},
        {"words": 20, "effort": "walk"},
    ],
)
def test_the_pieces_of_the_bundled_model_are_small(wish: dict[str, Any]) -> None:
    text = "The council of the northern town voted late on Tuesday to close the old bridge. "
    text *= 1 if "trace" in wish else 4
    pieces = watched_pieces(lambda summarizer: summarizer.summarize(text, **wish))
    assert len(pieces) > 30
    assert sorted(pieces)[-3] < 0.15  # now and then Python collects its garbage


def watched_pieces(work: Callable[[Summarizer], object]) -> list[float]:
    """Seconds of processor time between two pieces of this work."""
    summarizer, pieces = Summarizer(), []
    work(summarizer)  # some parts are loaded when they are first needed
    last = time.thread_time()

    def note() -> None:
        nonlocal last
        now = time.thread_time()
        pieces.append(now - last)
        last = now

    with pieces_watched(note):
        last = time.thread_time()
        work(summarizer)
        note()
    return pieces


@pytest.mark.parametrize("text", ["- a b\n" * 120, "a.b,c;d:e! " * 120, "# a b\n\nRiver rises.\n\n" * 60, ". " * 300])
def test_so_are_those_of_texts_made_to_be_slow(text: str) -> None:
    pieces = watched_pieces(lambda summarizer: summarizer.summarize(text, words=8))
    assert sorted(pieces)[-3] < 0.15


def test_a_text_whose_words_are_worth_nothing_takes_no_longer_than_it_costs() -> None:
    text = "😀 " * 199
    cost = request_cost([text], SummarizeOptions(words=8), plans=True, limits=ServiceLimits())
    # The least of three: processor time grows where another process shares the core, and never falls.
    seconds = min(sum(watched_pieces(lambda summarizer: summarizer.summarize(text, words=8))) for _ in range(3))
    assert seconds < cost / COST_PER_SECOND


# Costly work ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def queue() -> Iterator[CostlyQueue]:
    turns = Turns()
    queue = CostlyQueue(ServiceLimits(timeout_seconds=30, costly_at_once=2), turns)
    yield queue
    turns.end_in(0)
    queue.close()


def test_a_call_gives_its_result_or_its_error(queue: CostlyQueue) -> None:
    assert queue.submit(1, lambda: "done").result(10) == "done"
    with pytest.raises(ZeroDivisionError):
        queue.submit(1, lambda: 1 / 0).result(10)
    assert queue.submit(1, lambda: "still here").result(10) == "still here"


def test_a_full_queue_refuses_and_has_room_when_work_is_left(queue: CostlyQueue) -> None:
    answers = [queue.submit(6_000, endless) for _ in range(3)]  # the third one waits
    with pytest.raises(QueueFull) as caught:
        queue.submit(6_000, endless)
    assert caught.value.retry_after == 18
    for answer in answers:
        answer.cancel()
    assert queue.load == 0
    assert queue.submit(20_000, lambda: "room").result(10) == "room"


def test_what_would_not_be_done_in_time_leaves_its_place_to_others(
    queue: CostlyQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(4):
        queue.submit(1, lambda: time.sleep(0.2)).result(10)  # a machine that has other work
    wait_for(lambda: queue.load == 0)
    with pytest.raises(QueueFull) as caught:
        queue.submit(20_000, lambda: "too much at this speed")
    assert 9 <= caught.value.retry_after <= 10
    assert queue.submit(5_000, lambda: "in time").result(10) == "in time"
    monkeypatch.setattr(costly_queue, "_SPEED_SECONDS", 0.0)
    wait_for(lambda: queue.load == 0)
    assert queue.submit(20_000, lambda: "tried again after a while").result(10)


def test_a_short_call_does_not_wait_for_a_long_one(queue: CostlyQueue) -> None:
    long = queue.submit(1, endless)
    assert queue.submit(1, lambda: "short").result(10) == "short"
    assert not long.done()


def test_two_costly_calls_that_both_load_something_do_not_wait_for_each_other(queue: CostlyQueue) -> None:
    """On a model that has done nothing yet: its parts are loaded when they are first needed, between two pieces."""
    summarizer, options = Summarizer(), SummarizeOptions(words=3, trace=True)
    text = "The council voted late to close the old bridge."
    answers = [queue.submit(1, lambda: summarizer.together([(text, options)])) for _ in range(2)]
    first, second = (answer.result(60) for answer in answers)
    assert first == second


def test_plain_work_takes_less_than_twice_as_long_with_eight_of_the_worst_in_the_house(queue: CostlyQueue) -> None:
    answers = [queue.submit(1, endless) for _ in range(8)]
    wait_for(answers[0].running)
    waits, own = [], 0.03
    for _ in range(20):
        asked = time.monotonic()
        with queue._turns.working([Answer()], plain=True):
            waits.append(time.monotonic() - asked)
            time.sleep(own)
    assert median(waits) < own
    assert not any(answer.done() for answer in answers)
    for answer in answers:
        answer.cancel()


def test_closing_ends_what_is_still_running() -> None:
    turns = Turns()
    queue = CostlyQueue(LIMITS, turns)
    running = queue.submit(1, endless)
    wait_for(running.running)
    turns.end_in(0.05)
    queue.close()
    with pytest.raises(Closed):
        running.result(0)
    with pytest.raises(Closed):
        queue.submit(1, endless)


# Costs ----------------------------------------------------------------------------------------------------------------

WORD = "bridge "


def cost(text: str | list[str], *, curve: bool = False, plans: bool = True, **wish: Any) -> float:
    texts = [text] if isinstance(text, str) else text
    return request_cost(texts, SummarizeOptions(**wish), plans=plans, limits=ServiceLimits(), curve=curve)


def test_a_cost_grows_with_what_is_asked_for() -> None:
    text = WORD * 30
    costs = [cost(text), cost(text, recoverability=True), cost(text, effort="search"), cost(text, trace=True)]
    assert costs == sorted(costs)
    assert costs[0] == 30
    assert cost([text] * 3) == 90
    assert cost(f"{WORD * 10}. {WORD * 20}.", words=5) > cost(f"{WORD * 30}..", words=5)  # the length is shared
    assert cost(text, curve=True) < cost(text, curve=True, recoverability=True)
    assert cost(text, plans=False) > cost(text)
    assert cost("x" * 1_200) == 100  # a text without spaces is no way round
    assert cost("") == 0


@pytest.mark.parametrize(
    "text", [". " * 300, "! ? " * 150, ".\n" * 300, "a.b,c;d:e! " * 30, "😀" * 300, "a\u200b" * 150]
)
def test_marks_cost_as_much_as_words(text: str) -> None:
    assert cost(text, words=5) >= 300


def test_white_space_costs_by_its_length() -> None:
    text = "a" + "\t\n" * 100_000 + "b"
    assert request_cost([text], SummarizeOptions(), plans=True, limits=ServiceLimits()) > 10_000


@pytest.mark.parametrize("mark", "[{,")
def test_a_text_with_too_many_brackets_and_commas_would_cost_too_much_anyway(mark: str) -> None:
    limits = ServiceLimits()
    for text in (mark * (limits.marks + 1), f"a{mark} b " * (limits.marks + 1)):
        with pytest.raises(TooCostlyError):
            cost(text)
    assert limits.marks == limits.request_cost == 20_000
    assert ServiceLimits(timeout_seconds=1).marks == 20_000  # JSON needs some, however short the text


@pytest.mark.parametrize(
    "text", [". " * 119_000, "a\n" * 119_000, "😀" * 239_000, "a." * 119_000, "\t\n" * 119_000, ".\n" * 119_000]
)
def test_counting_a_cost_takes_little_time_itself(text: str) -> None:
    """Everybody waits for it."""
    started = time.process_time()
    for texts in ([text], [text[start : start + 470] for start in range(0, len(text), 470)]):
        with suppress(TooCostlyError):
            cost(texts, words=8)
    assert time.process_time() - started < 0.2


def test_many_short_sentences_cost_more_than_their_words() -> None:
    assert cost("Go. " * 1_500, words=5) > 1.5 * cost(WORD * 3_000, words=5)
    with pytest.raises(TooCostlyError):
        cost("Go. " * 3_500, words=5)


@pytest.mark.parametrize(
    ("text", "wish", "part"),
    [
        (WORD * 60, {"trace": True}, "leave out trace"),
        (f"{WORD * 80}. " * 5, {"trace": True, "recoverability": True}, "leave out trace and recoverability"),
        (f"{WORD * 10}. " * 2_000, {"words": 100}, "/v1/summarize/batch"),
        ("x" * 1_000_000, {}, "shorter text"),
    ],
)
def test_what_takes_too_much_work_is_refused_before_it_starts(text: str, wish: dict[str, Any], part: str) -> None:
    with pytest.raises(TooCostlyError, match=part):
        cost(text, **wish)


def test_more_time_allows_more_work() -> None:
    assert ServiceLimits(timeout_seconds=60).request_cost == 2 * ServiceLimits().request_cost
    with pytest.raises(SettingsError, match="timeout_seconds must be above 0"):
        ServiceLimits(timeout_seconds=0)


# The routes -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def summarizer(agent_folder: Path) -> Summarizer:
    return Summarizer(agent_folder)


@pytest.fixture
def client(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """Of a service whose summarizer takes for ever."""
    monkeypatch.setattr(Summarizer, "together", lambda _self, _requests: endless())
    monkeypatch.setattr(Summarizer, "curve_with", lambda _self, _text, _options: (endless() for _ in range(1)))
    with TestClient(create_app(summarizer, LIMITS), raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("headers", [{}, {"Accept": "application/x-ndjson"}])
@pytest.mark.parametrize("path", ["/v1/summarize", "/v1/curve"])
def test_what_takes_too_long_is_504(client: TestClient, path: str, headers: dict[str, str]) -> None:
    response = client.post(path, json={"text": "river"}, headers=headers)
    assert response.status_code == 504
    assert response.headers["content-type"] == "application/problem+json"
    assert "longer than 0.3 s" in response.json()["detail"]
    service = client.app.state.service  # type: ignore[attr-defined]
    wait_for(lambda: service._queues.plain.load == service._queues.costly.load == 0)


def test_a_line_that_takes_too_long_has_an_error(client: TestClient) -> None:
    lines = b'{"text": "river", "id": 7}\n'
    response = client.post("/v1/summarize/batch", content=lines, headers={"Content-Type": "application/x-ndjson"})
    assert response.json() == {"id": 7, "error": response.json()["error"]}
    assert "longer than 0.3 s" in response.json()["error"]


def test_too_much_work_is_422_and_a_full_queue_of_curves_is_429(client: TestClient) -> None:
    too_much = client.post("/v1/summarize", json={"text": WORD * 90})
    assert (too_much.status_code, "The request takes too much work" in too_much.text) == (422, True)
    service = client.app.state.service  # type: ignore[attr-defined]
    answer = service._queues.costly.submit(service.limits.request_cost, endless)
    refused = client.post("/v1/curve", json={"text": "river"})
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) >= 1
    answer.cancel()


def test_closing_does_not_wait_for_what_takes_for_ever(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Summarizer, "together", lambda _self, _requests: endless())
    with TestClient(create_app(summarizer, ServiceLimits(closing_seconds=0.1))) as client:
        service = client.app.state.service  # type: ignore[attr-defined]
        answer = service.summarize(["river"], SummarizeOptions(), cost=1)
        wait_for(answer.running)
        started = time.monotonic()
    assert time.monotonic() - started < 5
    with pytest.raises(Closed):
        answer.result(0)
