"""`train` does what the command does, and says what came of it."""

import inspect
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from cli_runs import run
from killed_training import assert_same_run

from ealm.cli.train import train as command
from ealm.common.errors import RunError, SettingsError
from ealm.common.stopping import StopRequest
from ealm.training.api import TrainingResult, train

SMALL: dict[str, object] = {
    "rewards.similarity_weight": 0,
    "agent.hidden_units": 8,
    "learning.batch_size": 8,
    "learning.replay_size": "20",
    "learning.sentences_per_collection": 4,
    "learning.judged_walks": 4,
    "action_exploration.minimum": 0.9,
    "order_exploration.minimum": 0.9,
}


def trained(corpus: Path, out: Path, lm: Path, **options: Any) -> TrainingResult:
    given = {"settings": SMALL, "pretokenized": True, "lm": lm, "seed": 5, "progress": False, **options}
    return train(corpus, out, **given)


def test_it_does_what_the_command_does(tmp_path: Path, corpus_file: Path, bert_folder: Path) -> None:
    lines: list[str] = []
    result = trained(corpus_file, tmp_path / "function", bert_folder, updates=12, notify=lines.append)
    assert result == TrainingResult(tmp_path / "function", True, 12, result.best_reward, result.returns)
    assert result.best_reward is not None
    settings = [part for name, value in SMALL.items() for part in ("--set", f"{name}={value}")]
    options = ["--pretokenized", "--lm", bert_folder, "--seed", 5, "--updates", 12, "--quiet", *settings]
    told = run("train", corpus_file, "--out", tmp_path / "command", *options)
    assert told.exit_code == 0, told.output
    assert_same_run(tmp_path / "function", tmp_path / "command")
    assert told.stderr.splitlines()[0] == lines[0]
    assert len(lines) == 1


def test_a_resumed_run_keeps_its_settings_and_ends_as_one_that_was_never_stopped(
    tmp_path: Path, corpus_file: Path, bert_folder: Path
) -> None:
    trained(corpus_file, tmp_path / "whole", bert_folder, updates=9)
    stop = StopRequest()
    stop.signal = signal.SIGINT
    parts = str(tmp_path / "parts")
    stopped = trained(corpus_file, Path(parts), bert_folder, updates=9, stop=stop)
    assert (stopped.finished, stopped.updates, stopped.best_reward) == (False, 0, None)
    result = train(str(corpus_file), parts, updates=9, resume=True, progress=False)
    assert (result.finished, result.updates) == (True, 9)
    assert_same_run(tmp_path / "parts", tmp_path / "whole")
    with pytest.raises(RunError, match="already holds a run"):
        trained(corpus_file, tmp_path / "parts", bert_folder)
    with pytest.raises(RunError, match="another seed"):
        train(corpus_file, parts, seed=6, resume=True)


def test_it_runs_in_any_thread(tmp_path: Path, corpus_file: Path, bert_folder: Path) -> None:
    found: list[TrainingResult] = []
    thread = threading.Thread(target=lambda: found.append(trained(corpus_file, tmp_path, bert_folder, updates=2)))
    thread.start()
    thread.join()
    assert found[0].finished


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "dask"}, "backend= must be 'local' or 'ray', got 'dask'"),
        ({"address": "head:6379"}, "address= .*backend=ray"),
        ({"preset": "poetry"}, "There is no preset 'poetry'"),
        ({"settings": {"learning.gamma": 1}}, "There is no setting 'learning.gamma'"),
        ({"settings": {"learning.discount": 2.0}}, "discount must be between 0 and 1"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_written(
    tmp_path: Path, corpus_file: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        train(corpus_file, tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


def test_every_option_of_the_command_is_a_parameter() -> None:
    parameters = inspect.signature(train).parameters
    assert not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    names = {option.name for option in command.params if not getattr(option, "hidden", False)}
    renamed = {"folder": "out", "preset_name": "preset", "assignments": "settings", "quiet": "progress"}
    assert {renamed.get(str(name), name) for name in names} == parameters.keys() - {"notify", "stop"}
    documented = inspect.getdoc(train) or ""
    assert [name for name in parameters if f"    {name}: " not in documented] == []
