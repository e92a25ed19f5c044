"""Several processes: the same result as one, whatever dies."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from batch_fakes import FakeRecipe
from places import SUPPORT

from ealm.batch.chunks import Chunk, Tally
from ealm.batch.job import Job
from ealm.batch.readers import Row
from ealm.batch.workers import summarized
from ealm.common.errors import ModelFolderError, WorkersError


def run(source: Path, output: Path, recipe: FakeRecipe, *, workers: int) -> Tally:
    return Job(input=source, output=output, chunk_rows=3, workers=workers, quiet=True).run(recipe)


def test_workers_write_what_one_process_writes(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("".join(f"bad{n}\n" if n % 7 == 0 else f"w{n} x\n" for n in range(100)))
    alone = run(source, tmp_path / "alone.txt", FakeRecipe(), workers=1)
    together = run(source, tmp_path / "together.txt", FakeRecipe(), workers=2)
    assert (tmp_path / "together.txt").read_bytes() == (tmp_path / "alone.txt").read_bytes()
    assert together == alone
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("deaths", [1, 2, 3])
def test_a_worker_that_dies_is_replaced_and_its_rows_are_not_lost(tmp_path: Path, deaths: int) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("river x\nlate x\nold x\nsmall x\ndie\ngreat x\nred x\n")
    (tmp_path / "deaths").mkdir()
    tally = run(source, output, FakeRecipe(deaths=str(tmp_path / "deaths"), most_deaths=deaths), workers=2)
    lines = output.read_text().splitlines()
    assert lines[:3] + lines[6:] == ["RIVER", "LATE", "OLD", "RED"]
    if deaths <= 2:
        assert lines[3:6] == ["SMALL", "DIE", "GREAT"]
        assert tally.failed == 0
    else:
        assert lines[3:6] == ["", "", ""]
        assert tally.first[0] == (4, "the process that worked on these rows died 3 times")


def test_a_model_that_cannot_be_loaded_is_reported(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("river\n")
    with pytest.raises(ModelFolderError, match="No trained agent"):
        run(tmp_path / "in.txt", tmp_path / "out.txt", FakeRecipe(broken="missing"), workers=2)
    with pytest.raises(WorkersError, match="Use fewer with workers="):
        run(tmp_path / "in.txt", tmp_path / "out.txt", FakeRecipe(broken="killed"), workers=2)
    assert multiprocessing.active_children() == []
    assert [path.name for path in tmp_path.iterdir()] == [
        "in.txt"
    ]  # nothing was done, so nothing is left to go on with


def test_few_chunks_are_read_ahead(tmp_path: Path) -> None:
    read = 0

    def chunks():
        nonlocal read
        for number in range(200):
            read += 1
            yield Chunk([Row(number, f"w{number}", None, None)], (number, None))

    for written, (chunk, _) in enumerate(summarized(chunks(), FakeRecipe(), workers=2, open_pool=None)):
        assert chunk.rows[0].number == written
        assert read <= written + 2 * 4 + 1


STOPPED_JOB = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from batch_fakes import SlowRecipe
from ealm.batch.job import Job
from ealm.common.stopping import Stopped

if __name__ == "__main__":
    try:
        Job(input=Path({source!r}), output=Path({output!r}), chunk_rows=2, workers=2, quiet=True).run(SlowRecipe())
    except Stopped as stopped:
        sys.exit(128 + stopped.signal)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_with_the_main_process_the_workers_end(tmp_path: Path, number: signal.Signals) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("".join(f"w{n} x\n" for n in range(1000)))
    script = tmp_path / "job.py"
    script.write_text(STOPPED_JOB.format(tests=str(SUPPORT), source=str(source), output=str(output)))
    with subprocess.Popen([sys.executable, str(script)], start_new_session=True) as process:
        journal = tmp_path / ".out.txt.partial.journal"
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 3)
        process.send_signal(number)
        process.wait(60)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    wait_until(lambda: not group_lives(process.pid))
    Job(input=source, output=output, chunk_rows=2, resume=True, quiet=True).run(FakeRecipe())
    assert output.read_text() == "".join(f"W{n}\n" for n in range(1000))


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
