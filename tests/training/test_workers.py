"""Training with workers: the same run every time, whoever collects, whatever dies, wherever it is stopped."""

import copy
import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result
from places import SUPPORT
from pool_fakes import DoublingRecipe, doubled
from train_fakes import BY_METHOD, FakeRecipe, InlinePool, trainer_of

from ealm.cli.main import main
from ealm.common.errors import LanguageModelError, WorkersError
from ealm.common.process_pool import ProcessPool
from ealm.training import setup as run_setup
from ealm.training.checkpoint import Checkpoint
from ealm.training.paper_trainer import PaperTrainer

STEPS = 36
METHODS = pytest.mark.parametrize("method", BY_METHOD)


def advance(trainer: Any, steps: int) -> None:
    for _ in range(steps):
        trainer.update() if trainer.pending_updates else trainer.collect()


def same_state(one: Any, other: Any) -> bool:
    """To the last bit: weights, target network, optimizer, replay, jobs on their way, counters and generator."""
    (tensors, values), (other_tensors, other_values) = one.state(), other.state()
    return (
        values == other_values
        and tensors.keys() == other_tensors.keys()
        and all(torch.equal(tensor, other_tensors[name]) for name, tensor in tensors.items())
    )


def undisturbed(method: str) -> Any:
    trainer = trainer_of(method, InlinePool(FakeRecipe(method)))
    advance(trainer, STEPS)
    return trainer


# The algorithm --------------------------------------------------------------------------------------------------------


@METHODS
def test_jobs_go_out_with_the_agent_of_their_time(method: str) -> None:
    pool = InlinePool(FakeRecipe(method))
    trainer = trainer_of(method, pool)
    seen = {}
    submit = pool.submit

    def submit_and_look(job: Any) -> None:
        seen[job.seed[1] // 3] = trainer.updates
        now = trainer.agent.state_dict()
        assert all(np.array_equal(now[name].numpy(), array) for name, array in job.weights.items())
        submit(job)

    pool.submit = submit_and_look  # type: ignore[method-assign]
    collected_at = []
    while trainer.updates < 30:
        if not trainer.pending_updates:
            collected_at.append(trainer.updates)
        advance(trainer, 1)
    assert {number: seen[number] for number in range(5)} == dict.fromkeys(range(5), 0)
    assert [seen[number + 4] for number in range(1, len(collected_at))] == collected_at[1:]
    assert trainer.visits == 3 * len(collected_at)


@pytest.mark.slow
@METHODS
def test_a_run_stopped_anywhere_goes_on_as_if_it_had_not_been(method: str) -> None:
    whole = trainer_of(method, InlinePool(FakeRecipe(method)))
    snapshots = []
    for _ in range(STEPS):
        tensors, values = whole.state()
        snapshots.append((copy.deepcopy(tensors), json.dumps(values)))
        advance(whole, 1)
    assert whole.best_reward is not None
    assert whole.updates > 25
    for done in range(0, STEPS, 4):
        tensors, values = snapshots[done]
        resumed = trainer_of(method, InlinePool(FakeRecipe(method)))
        resumed.restore(tensors, json.loads(values))
        advance(resumed, STEPS - done)
        assert same_state(resumed, whole), f"stopped after {done} steps"


def test_jobs_of_one_agent_share_it_in_a_checkpoint() -> None:
    trainer = trainer_of("paper", InlinePool(FakeRecipe("paper")))
    assert trainer.state()[1]["jobs"] == []
    trainer.collect()
    tensors, values = trainer.state()
    assert values["jobs"] == [0, 0, 0, 0]
    assert {name.split(".")[1] for name in tensors if name.startswith("ahead.")} == {"0"}


@pytest.mark.parametrize(
    "damage",
    [
        lambda tensors, values: values.pop("jobs"),
        lambda tensors, values: values["jobs"].append(10**6),
        lambda tensors, values: values["jobs"].extend(2 * values["jobs"]),
        lambda tensors, values: tensors.pop("ahead.0.first.weight"),
        lambda tensors, values: tensors.update({"ahead.0.output.bias": torch.zeros(7)}),
    ],
)
def test_damaged_jobs_are_refused(damage: Any) -> None:
    trainer = trainer_of("paper", InlinePool(FakeRecipe("paper")))
    trainer.collect()
    tensors, values = copy.deepcopy(trainer.state())
    damage(tensors, values)
    with pytest.raises((LookupError, ValueError)):
        trainer_of("paper", InlinePool(FakeRecipe("paper"))).restore(tensors, values)


# Processes ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@METHODS
def test_a_worker_that_is_killed_changes_nothing(method: str) -> None:
    pool = ProcessPool(FakeRecipe(method), 2)
    with closing(trainer_of(method, pool)) as trainer:
        advance(trainer, 20)
        before = {process.pid for process in multiprocessing.active_children()}
        os.kill(next(iter(before)), signal.SIGKILL)
        elsewhere = trainer_of(method, InlinePool(FakeRecipe(method)))
        elsewhere.restore(*copy.deepcopy(trainer.state()))
        advance(trainer, STEPS - 20)
        assert len(before & {process.pid for process in multiprocessing.active_children()}) == 1
    advance(elsewhere, STEPS - 20)
    assert same_state(trainer, undisturbed(method))
    assert same_state(elsewhere, trainer)
    assert multiprocessing.active_children() == []


# The command ----------------------------------------------------------------------------------------------------------


def train(corpus: Path, folder: Path, *arguments: object) -> Result:
    return CliRunner().invoke(main, ["train", str(corpus), "--out", str(folder), "--quiet", *map(str, arguments)])


@pytest.fixture(scope="module")
def quick(bert_folder: Path) -> list[object]:
    """Options of a run that is over in a moment."""
    settings = {
        "rewards.similarity_weight": 0,
        "agent.hidden_units": 8,
        "learning.batch_size": 8,
        "learning.replay_size": 60,
        "learning.sentences_per_collection": 8,
    }
    return [
        *("--lm", bert_folder, "--pretokenized", "--updates", 40),
        *(part for name, value in settings.items() for part in ("--set", f"{name}={value}")),
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, corpus_file: Path, quick: list[object]) -> Path:
    """A run with one worker that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    result = train(corpus_file, folder, *quick, "--workers", 1)
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    assert "Trained in" in result.stderr
    return folder


def agent_bytes(folder: Path) -> bytes:
    return (folder / "agent.safetensors").read_bytes()


def stop_after(updates: int, monkeypatch: pytest.MonkeyPatch) -> None:
    update = PaperTrainer.update

    def update_and_stop(trainer: PaperTrainer) -> float:
        if trainer.updates == updates:
            os.kill(os.getpid(), signal.SIGTERM)
        return update(trainer)

    monkeypatch.setattr(PaperTrainer, "update", update_and_stop)


@pytest.mark.slow
def test_the_command_stops_and_goes_on_with_other_workers(
    tmp_path: Path, corpus_file: Path, quick: list[object], whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        stop_after(17, patch)
        stopped = train(corpus_file, folder, *quick, "--workers", 1)
    assert stopped.exit_code == 128 + signal.SIGTERM, stopped.output
    assert f"--out {folder} --resume --workers 1 --updates 40" in stopped.stderr
    checkpoint = Checkpoint.load(folder)
    assert checkpoint is not None
    assert checkpoint.identity.workers == 1
    assert len(checkpoint.values["jobs"]) == 2
    result = train(corpus_file, folder, "--resume", "--updates", 40, "--workers", 2)
    assert result.exit_code == 0, result.output
    assert agent_bytes(folder) == agent_bytes(whole)
    again = Checkpoint.load(folder)
    assert again is not None
    assert again.identity == checkpoint.identity
    assert multiprocessing.active_children() == []


def test_a_run_goes_on_with_workers_only_if_it_was_started_with_some(
    tmp_path: Path, corpus_file: Path, quick: list[object]
) -> None:
    assert train(corpus_file, tmp_path / "run", *quick, "--updates", 1).exit_code == 0
    result = train(corpus_file, tmp_path / "run", "--resume", "--workers", 2)
    assert result.exit_code == 1
    assert "started without workers" in result.stderr
    assert "Leave them out" in result.stderr


def test_what_workers_cannot_load_is_told_in_one_line(
    tmp_path: Path, corpus_file: Path, quick: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_setup, "WalkRecipe", lambda **_: DoublingRecipe("load"))
    result = train(corpus_file, tmp_path / "run", *quick, "--workers", 1)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == "Error: No masked language model in there."
    assert "Traceback" not in result.stderr
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("number", ["0", "-1", "two"])
def test_a_number_of_workers_is_above_zero(tmp_path: Path, corpus_file: Path, number: str) -> None:
    result = train(corpus_file, tmp_path / "run", "--workers", number)
    assert result.exit_code == 2
    assert "--workers" in result.stderr
    assert not (tmp_path / "run").exists()


def test_help_tells_of_workers_and_ray(tmp_path: Path, corpus_file: Path) -> None:
    told = " ".join(CliRunner().invoke(main, ["train", "--help"]).stdout.split())
    for option in ("--workers INTEGER RANGE", "--engine [torch|int8]", "--backend [local|ray]", "--address HOST:PORT"):
        assert option in told
    result = train(corpus_file, tmp_path / "run", "--address", "localhost:6379")
    assert result.exit_code == 2
    assert "--address goes with --backend ray" in result.stderr


def test_without_ray_the_command_says_what_to_install(
    tmp_path: Path, corpus_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    result = train(corpus_file, tmp_path / "run", "--engine", "ray")
    assert result.exit_code == 1
    assert "pip install 'ealm[ray]'" in result.stderr
    assert not (tmp_path / "run").exists()


# Ray ------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session() -> Iterator[None]:
    """A small cluster on this machine."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'ealm[ray]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(SUPPORT), prepend=os.pathsep)  # actors need the fakes
        for attempt in range(3):
            try:
                ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
                break
            except Exception as error:  # noqa: BLE001 - the library raises many kinds here
                ray.shutdown()
                if "timed out during startup" not in str(error) or attempt == 2:  # half a minute: too short if busy
                    pytest.skip(f"This machine cannot start a Ray cluster: {error}")
        yield
        ray.shutdown()


@pytest.mark.slow
@pytest.mark.usefixtures("session")
def test_an_actor_that_dies_is_replaced_and_the_run_is_the_same(tmp_path: Path) -> None:
    from ealm.common.ray_pool import ActorPool

    pool = ActorPool(FakeRecipe("goal", str(tmp_path)), address=None, actors=2, gpu=False)
    with closing(trainer_of("goal", pool)) as trainer:
        advance(trainer, STEPS)
    assert len(list(tmp_path.iterdir())) == 1
    assert same_state(trainer, undisturbed("goal"))


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        ("load", LanguageModelError, "^No masked language model in there.$"),
        ("dies", WorkersError, "died 3 times"),
        ("dies loading", WorkersError, "die before they are ready"),
    ],
)
def test_what_goes_wrong_in_an_actor_is_reported(
    tmp_path: Path, fault: str, kind: type[Exception], message: str
) -> None:
    from ealm.common.ray_pool import ActorPool

    with pytest.raises(kind, match=message):
        doubled(ActorPool(DoublingRecipe(fault, str(tmp_path)), address=None, actors=1, gpu=False))


@pytest.mark.slow
@pytest.mark.usefixtures("session")
def test_the_command_goes_on_here_with_what_it_began_on_ray(
    tmp_path: Path, corpus_file: Path, quick: list[object], whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        stop_after(17, patch)
        stopped = train(corpus_file, tmp_path, *quick, "--engine", "ray", "--workers", 1)
    assert stopped.exit_code == 128 + signal.SIGTERM, stopped.output
    assert "--resume --workers 1 --backend ray --updates 40" in stopped.stderr
    result = train(corpus_file, tmp_path, "--resume", "--updates", 40)
    assert result.exit_code == 0, result.output
    assert agent_bytes(tmp_path) == agent_bytes(whole)
