"""A run on disk: its log, its folder, its budget, and how it is stopped."""

import dataclasses
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from run_folders import IDENTITY, run_in
from torch.utils.tensorboard import SummaryWriter

from ealm.common.errors import RunError
from ealm.common.run_loop import LOG_FILE
from ealm.common.stopping import Budget, StopRequest
from ealm.summarize.saved_agent import SavedAgent
from ealm.training.checkpoint import CHECKPOINT_FILE, Checkpoint
from ealm.training.run import TENSORBOARD_FOLDER

FIELDS = {
    *("updates", "sentences", "seconds", "replay_reward", "best_replay_reward", "action_exploration"),
    *("order_exploration", "reward", "compression_rate", "reconstruction_rate", "walked", "violated", "loss"),
}


def log_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / LOG_FILE).read_text(encoding="utf-8").splitlines()]


def agent_bytes(folder: Path) -> bytes:
    return (folder / "agent.safetensors").read_bytes()


def test_a_run_leaves_an_agent_a_checkpoint_a_log_and_curves(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "new"
    assert run_in(folder).go(Budget(updates=250), progress=False) is True
    checkpoint = Checkpoint.load(folder)
    assert checkpoint is not None
    assert checkpoint.values["updates"] == 250
    assert checkpoint.identity == IDENTITY
    assert SavedAgent.load(folder).lm_name == "table"
    assert list((folder / TENSORBOARD_FOLDER).glob("events.out.tfevents.*"))
    assert all(path.stat().st_size for path in (folder / TENSORBOARD_FOLDER).iterdir())
    assert not list(folder.glob("*.part")) + list(folder.glob(".*"))


def test_the_log_has_a_line_every_hundred_updates_with_all_fields(tmp_path: Path) -> None:
    run_in(tmp_path).go(Budget(updates=350), progress=False)
    log = log_of(tmp_path)
    assert [line["updates"] for line in log] == [100, 200, 300]
    for line in log:
        assert line.keys() == FIELDS
        assert all(isinstance(value, int | float) for value in line.values())
        assert 0 <= line["violated"] <= 1
    assert [line["sentences"] for line in log] == sorted(line["sentences"] for line in log)


def test_a_chart_gets_points_by_the_clock_and_the_log_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ealm.training.run.CHART_SECONDS", 0.0)
    charted: list[int] = []
    monkeypatch.setattr(SummaryWriter, "add_scalar", lambda _self, _name, _value, update: charted.append(update))
    run_in(tmp_path).go(Budget(updates=120), progress=False)
    assert len(set(charted)) > 100
    assert [line["updates"] for line in log_of(tmp_path)] == [100]


def test_resuming_drops_what_was_logged_after_the_checkpoint(tmp_path: Path) -> None:
    run_in(tmp_path).go(Budget(updates=250), progress=False)
    before = log_of(tmp_path)
    with (tmp_path / LOG_FILE).open("a", encoding="utf-8") as log:
        log.write('{"updates": 250, "note": "kept"}\n{"updates": 251}\n{"updates": 300, "reward": 0.5}\n{"updates": 40')
    run_in(tmp_path, resumed_from=Checkpoint.load(tmp_path))
    assert log_of(tmp_path) == [*before, {"updates": 250, "note": "kept"}]


def test_a_new_run_does_not_go_on_with_the_log_of_one_that_was_never_saved(tmp_path: Path) -> None:
    (tmp_path / LOG_FILE).write_text('{"updates": 100}\n')
    run_in(tmp_path)
    assert log_of(tmp_path) == []


@pytest.mark.parametrize("stops", [[1], [3, 100, 101], [150, 199]])
def test_a_run_in_parts_ends_as_a_run_in_one(tmp_path: Path, stops: list[int]) -> None:
    run_in(tmp_path / "whole").go(Budget(updates=200), progress=False)
    for updates in [*stops, 200]:
        run = run_in(tmp_path / "parts", resumed_from=Checkpoint.load(tmp_path / "parts"))
        assert run.go(Budget(updates=updates), progress=False) is True
        assert run.trainer.updates == updates
    assert agent_bytes(tmp_path / "parts") == agent_bytes(tmp_path / "whole")
    same = ("updates", "sentences", "replay_reward", "best_replay_reward", "action_exploration")
    whole, parts = ([{name: line[name] for name in same} for line in log_of(tmp_path / p)] for p in ("whole", "parts"))
    assert parts == whole


def test_a_spent_budget_does_nothing_more(tmp_path: Path) -> None:
    run_in(tmp_path).go(Budget(updates=20), progress=False)
    before = agent_bytes(tmp_path)
    run = run_in(tmp_path, resumed_from=Checkpoint.load(tmp_path))
    assert run.go(Budget(updates=10), progress=False) is True
    assert run.trainer.updates == 20
    assert agent_bytes(tmp_path) == before


def test_time_trained_adds_up_over_parts(tmp_path: Path) -> None:
    run_in(tmp_path).go(Budget(updates=20), progress=False)
    checkpoint = Checkpoint.load(tmp_path)
    assert checkpoint is not None
    assert checkpoint.seconds > 0
    assert run_in(tmp_path, resumed_from=checkpoint).seconds >= checkpoint.seconds


@pytest.mark.parametrize(
    ("budget", "updates", "seconds", "spent"),
    [
        (Budget(), 10**9, 1e9, False),
        (Budget(updates=5), 4, 1e9, False),
        (Budget(updates=5), 5, 0, True),
        (Budget(minutes=2), 10**9, 119.9, False),
        (Budget(minutes=2), 0, 120, True),
        (Budget(updates=5, minutes=2), 5, 0, True),
        (Budget(updates=5, minutes=2), 0, 120, True),
        (Budget(updates=5, minutes=2), 4, 119, False),
    ],
)
def test_a_budget_is_spent_when_either_bound_is_reached(
    budget: Budget, updates: int, seconds: float, spent: bool
) -> None:
    assert budget.spent(updates=updates, seconds=seconds) is spent


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_noted_and_the_handlers_come_back(number: signal.Signals) -> None:
    before = [signal.getsignal(watched) for watched in (signal.SIGINT, signal.SIGTERM)]
    with StopRequest().listening() as stop:
        assert stop.signal is None
        os.kill(os.getpid(), number)
        assert stop.signal is number
    assert [signal.getsignal(watched) for watched in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A background job of a shell ignores SIGINT from the start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_second_signal_is_not_held_up() -> None:
    def twice() -> None:
        with StopRequest().listening():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        twice()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_stop_request_saves_and_the_run_can_go_on(tmp_path: Path) -> None:
    run_in(tmp_path / "whole").go(Budget(updates=120), progress=False)
    run = run_in(tmp_path / "stopped", checkpoint_seconds=0)
    update = run.trainer.update

    def update_and_stop() -> float:
        if run.trainer.updates == 50:
            os.kill(os.getpid(), signal.SIGTERM)
        return update()

    run.trainer.update = update_and_stop  # type: ignore[method-assign]
    with StopRequest().listening() as stop:
        assert run.go(Budget(updates=120), stop=stop, progress=False) is False
    checkpoint = Checkpoint.load(tmp_path / "stopped")
    assert checkpoint is not None
    assert checkpoint.values["updates"] == 51
    run_in(tmp_path / "stopped", resumed_from=checkpoint).go(Budget(updates=120), progress=False)
    assert agent_bytes(tmp_path / "stopped") == agent_bytes(tmp_path / "whole")


@pytest.mark.parametrize(("seconds", "saves"), [(0.0, True), (3_600.0, False)])
def test_checkpoints_are_written_as_often_as_asked(tmp_path: Path, seconds: float, saves: bool) -> None:
    run = run_in(tmp_path, checkpoint_seconds=seconds)
    seen = []
    collect = run.trainer.collect

    def collect_and_look() -> Any:
        seen.append((tmp_path / CHECKPOINT_FILE).exists())
        return collect()

    run.trainer.collect = collect_and_look  # type: ignore[method-assign]
    run.go(Budget(updates=20), progress=False)
    assert seen[0] is False
    assert seen[-1] is saves


def test_progress_goes_to_stderr_and_nothing_to_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_in(tmp_path).go(Budget(updates=10), progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "10/10" in captured.err


def damaged(checkpoint: Checkpoint, missing: str) -> Checkpoint:
    """Without one of its values or tensors."""
    values = {name: value for name, value in checkpoint.values.items() if name != missing}
    tensors = {name: tensor for name, tensor in checkpoint.tensors.items() if name != missing}
    assert len(values) + len(tensors) == len(checkpoint.values) + len(checkpoint.tensors) - 1
    return dataclasses.replace(checkpoint, values=values, tensors=tensors)


@pytest.mark.parametrize(
    "missing",
    [
        *("updates", "visits", "pending_updates", "best_reward", "rng"),
        *("agent.first.weight", "target.output.bias", "replay.flags", "replay.numbers", "replay.values"),
    ],
)
def test_a_checkpoint_that_lacks_something_is_refused_and_the_folder_left_alone(tmp_path: Path, missing: str) -> None:
    run_in(tmp_path).go(Budget(updates=120), progress=False)
    checkpoint = Checkpoint.load(tmp_path)
    assert checkpoint is not None
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    with pytest.raises(RunError, match=r"checkpoint.safetensors is damaged .*Start a new run in another folder"):
        run_in(tmp_path, resumed_from=damaged(checkpoint, missing))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_a_run_removes_what_a_killed_one_left_half_written(tmp_path: Path) -> None:
    (tmp_path / f".{CHECKPOINT_FILE}.4000000.part").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("mine")
    run_in(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
