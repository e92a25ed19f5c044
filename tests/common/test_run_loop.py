"""The one run loop: budget, stop, progress bar, log and checkpoints."""

import json
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from ealm.common import run_loop
from ealm.common.run_loop import JsonLog, Means, Stopwatch, run_until
from ealm.common.stopping import Budget, StopRequest


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(run_loop, "time", SimpleNamespace(monotonic=clock.monotonic))
    return clock


class Counting:
    """Ten seconds an update."""

    def __init__(
        self, clock: Clock, *, seconds: float = 0.0, stop: StopRequest | None = None, stop_at: int = 0
    ) -> None:
        self.updates = 0
        self.saved: list[int] = []
        self._clock, self._watch = clock, Stopwatch(seconds)
        self._stop, self._stop_at = stop, stop_at

    @property
    def seconds(self) -> float:
        return self._watch.seconds

    def step(self) -> None:
        self.updates += 1
        self._clock.now += 10
        if self._stop is not None and self.updates == self._stop_at:
            self._stop.signal = signal.SIGINT

    def status(self) -> str:
        return f"at {self.updates}"

    def save(self) -> None:
        self.saved.append(self.updates)


def drive(run: Counting, budget: Budget, *, every: float = 1e9, stop: StopRequest | None = None, **bar: object) -> bool:
    return run_until(run, budget, stop=stop, checkpoint_seconds=every, **{"progress": False, **bar})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("budget", "seconds", "updates"),
    [
        (Budget(updates=3), 0, 3),
        (Budget(minutes=1), 0, 6),
        (Budget(minutes=1), 25, 4),
        (Budget(updates=3, minutes=1), 45, 2),
        (Budget(updates=0), 0, 0),
    ],
)
def test_a_run_ends_when_its_budget_is_spent(clock: Clock, budget: Budget, seconds: float, updates: int) -> None:
    run = Counting(clock, seconds=seconds)
    assert drive(run, budget) is True
    assert run.updates == updates
    assert run.saved == [updates]


def test_a_stop_request_ends_it_before_the_next_step_and_saves(clock: Clock) -> None:
    stop = StopRequest()
    run = Counting(clock, stop=stop, stop_at=2)
    assert drive(run, Budget(updates=9), stop=stop) is False
    assert (run.updates, run.saved) == (2, [2])


def test_a_spent_budget_counts_more_than_a_stop(clock: Clock) -> None:
    stop = StopRequest()
    stop.signal = signal.SIGTERM
    assert drive(Counting(clock), Budget(updates=0), stop=stop) is True


@pytest.mark.parametrize(("every", "saved"), [(0, [1, 2, 3, 4, 4]), (20, [2, 4, 4]), (25, [3, 4]), (99, [4])])
def test_checkpoints_come_as_often_as_asked(clock: Clock, every: float, saved: list[int]) -> None:
    run = Counting(clock)
    drive(run, Budget(updates=4), every=every)
    assert run.saved == saved


@pytest.mark.parametrize(
    ("budget", "parts"),
    [
        (Budget(updates=4), ["some name: ", "4/4", "updates", "at 4"]),
        (Budget(minutes=1), ["some name: ", " 60/60 s, 6 updates, at 6"]),
    ],
)
def test_the_progress_bar_shows_where_the_run_is(
    clock: Clock, capsys: pytest.CaptureFixture[str], budget: Budget, parts: list[str]
) -> None:
    drive(Counting(clock), budget, progress=True, name="some name")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert all(part in captured.err for part in parts), captured.err
    assert "s/ s" not in captured.err  # seconds have no rate


def test_a_run_without_an_end_has_a_bar_too(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    stop = StopRequest()
    drive(Counting(clock, stop=stop, stop_at=2), Budget(minutes=float("inf")), stop=stop, progress=True)
    assert "20 s" in capsys.readouterr().err


def test_no_progress_bar_where_none_is_wanted(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    drive(Counting(clock), Budget(updates=2))
    assert capsys.readouterr().err == ""


def test_the_share_of_a_budget_that_is_left() -> None:
    assert Budget(updates=4, minutes=1).share_left(updates=1, seconds=59) == 0.75
    assert Budget(minutes=1).share_left(updates=99, seconds=15) == 0.75
    assert Budget(minutes=float("inf")).share_left(updates=99, seconds=15) == 1
    assert Budget().share_left(updates=99, seconds=15) == 1


def test_a_log_keeps_what_is_wanted_and_drops_what_a_kill_cut_off(tmp_path: Path) -> None:
    log = JsonLog(tmp_path / "log.jsonl")
    log.keep(lambda _: True)
    assert not (tmp_path / "log.jsonl").exists()
    for updates in (1, 2, 3):
        log.write({"updates": updates})
    with (tmp_path / "log.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"other": 1}\n[]\n{"updates": 2, "x')
    log.keep(lambda record: record["updates"] <= 2)
    lines = (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [{"updates": 1}, {"updates": 2}]


def test_means_by_name() -> None:
    means = Means()
    means.add({"a": 1, "b": 2})
    means.add({"a": 2})
    assert means.values() == {"a": 1.5, "b": 2}
    means.clear()
    assert means.values() == {}
