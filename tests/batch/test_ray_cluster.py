"""Jobs on a real Ray cluster of several nodes, of which one is lost on the way."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from batch_fakes import FakeRecipe, WatchedRecipe
from click.testing import CliRunner, Result
from places import SUPPORT

from ealm.batch import job as jobs
from ealm.batch.dataframes import BatchSummarizer
from ealm.batch.job import Job
from ealm.batch.workers import OpenPool, summarized
from ealm.cli.main import main
from ealm.common.errors import ModelFolderError
from ealm.common.ray_pool import ActorPool
from ealm.common.stopping import Stopped

pytestmark = pytest.mark.slow

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'ealm[ray]'")

QUICK = {
    "agent_register_timeout_ms": 120_000,
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 4,
    "prestart_worker_first_driver": False,
    "worker_niceness": 0,
}
"""A lost node is missed within seconds, and no process is started that nobody needs."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head that does no work itself, and two nodes that do."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(SUPPORT), prepend=os.pathsep)  # actors need the fakes
        cluster = Cluster()
        try:
            add_node(cluster, num_cpus=0, include_dashboard=False, _system_config=QUICK)
            for _ in range(2):
                add_node(cluster, num_cpus=1)
        except Exception as error:  # noqa: BLE001 - the library raises many kinds here
            cluster.shutdown()
            pytest.skip(f"This machine cannot start a Ray cluster: {error}")
        yield cluster
        cluster.shutdown()


def add_node(cluster: Any, **options: Any) -> None:
    """Ray gives a node half a minute to start, which may be too short on a busy machine: try again."""
    for attempt in range(3):
        try:
            cluster.add_node(wait=False, **options)
            break
        except Exception as error:
            if "timed out during startup" not in str(error) or attempt == 2:
                raise
    cluster.wait_for_nodes(timeout=60)


@pytest.fixture(scope="module")
def session(cluster: Any) -> Iterator[None]:
    """One for several jobs, as in a program that uses Ray already."""
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


def run(source: Path, output: Path, recipe: FakeRecipe, open_pool: OpenPool | None = None) -> jobs.Tally:
    return Job(input=source, output=output, chunk_rows=2, open_pool=open_pool, quiet=True).run(recipe)


def actors(number: int | None = None) -> OpenPool:
    return partial(ActorPool, address=None, actors=number, gpu=False)


# The order of the tests matters: the last one takes a node away.


def test_the_command_goes_on_with_a_local_job_and_ends_with_the_same_bytes(
    cluster: Any, agent_folder: Path, corpus_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes(corpus_file.read_bytes() * 3 + b"not UTF-8: \xff\n")

    def summarize(*arguments: object) -> Result:
        fixed = ["--model", agent_folder, "--pretokenized", "--words", 4, "-i", source, "--quiet"]
        return CliRunner().invoke(main, ["summarize", *map(str, [*fixed, *arguments])])

    def stopped(*arguments, **options):
        yield next(summarized(*arguments, **options))
        raise Stopped(signal.SIGINT)

    alone = summarize("-o", tmp_path / "alone.txt")
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "summarized", stopped)
        assert summarize("-o", tmp_path / "out.txt").exit_code == 128 + signal.SIGINT
    on_ray = ["--backend", "ray", "--address", cluster.address, "--workers", 1]
    result = summarize("-o", tmp_path / "out.txt", "--resume", *on_ray)
    assert (result.exit_code, result.stderr) == (0, alone.stderr.replace("alone.txt", "out.txt")), result.output
    for ending in ("", ".errors.jsonl"):
        assert (tmp_path / f"out.txt{ending}").read_bytes() == (tmp_path / f"alone.txt{ending}").read_bytes()
    outputs = {f"{name}.txt{ending}" for name in ("alone", "out") for ending in ("", ".errors.jsonl")}
    assert {path.name for path in tmp_path.iterdir()} == {"in.txt", *outputs}


def test_map_batches_takes_the_callable_class(session: None, agent_folder: Path, corpus_file: Path) -> None:
    texts: list[Any] = [*corpus_file.read_text().splitlines()[:20], None]
    options: dict[str, Any] = {"model": str(agent_folder), "words": 4, "pretokenized": True}
    rows = ray.data.from_items([{"id": number, "text": text} for number, text in enumerate(texts)])
    pool = ray.data.ActorPoolStrategy(size=1)
    found = rows.map_batches(BatchSummarizer, fn_constructor_kwargs=options, batch_size=16, compute=pool).take_all()
    expected = BatchSummarizer(**options)({"id": range(len(texts)), "text": texts})
    keys = ("id", "text", "summary", "error")
    assert [tuple(row[key] for key in keys) for row in sorted(found, key=lambda row: row["id"])] == list(
        zip(*(expected[key] for key in keys), strict=True)
    )


def test_a_model_that_cannot_be_loaded_is_reported(session: None, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("river\n")
    with pytest.raises(ModelFolderError, match="No trained agent"):
        run(tmp_path / "in.txt", tmp_path / "out.txt", FakeRecipe(broken="missing"), actors(1))
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
    assert ray.is_initialized()


def test_a_node_and_an_actor_are_lost_and_nothing_else(cluster: Any, session: None, tmp_path: Path) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("".join(f"bad{n}\n" if n % 7 == 0 else f"w{n} x\n" for n in range(160)) + "die\nw161 x\n")
    for name in ("seen", "deaths"):
        (tmp_path / name).mkdir()

    def lose_a_node() -> None:
        journal = tmp_path / ".out.txt.partial.journal"
        while not (journal.exists() and journal.read_bytes().count(b"\n") > 10):
            time.sleep(0.05)
        worked = {path.name for path in (tmp_path / "seen").iterdir()}
        node = next(node for node in cluster.worker_nodes if node.node_id in worked)
        cluster.remove_node(node, allow_graceful=False)

    loss = threading.Thread(target=lose_a_node, daemon=True)
    loss.start()
    recipe = WatchedRecipe(seen=str(tmp_path / "seen"), deaths=str(tmp_path / "deaths"))
    tally = run(source, output, recipe, actors())
    loss.join(0)
    assert not loss.is_alive()
    assert len(cluster.worker_nodes) == 1
    assert len(list((tmp_path / "deaths").iterdir())) == 1
    assert tally == run(source, tmp_path / "alone.txt", FakeRecipe())
    assert output.read_bytes() == (tmp_path / "alone.txt").read_bytes()
