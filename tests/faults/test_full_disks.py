"""Disks that are full and folders that cannot be written to: a clear error, and the old file stays whole."""

import errno
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fault_tools import COUNTS, PATIENCE, contents, start
from killed_jobs import OLD, rows_of, write_input
from killed_training import AGENT, SMALL, assert_same_run

from ealm.cli.main import main

pytestmark = pytest.mark.slow

DISK_BYTES = 1 << 20
FILLING = "filling"

Full = Callable[[Path, int], AbstractContextManager[None]]
"""A folder in which files of more than so many bytes find no place."""


def ealm(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(result: Result, *reasons: str) -> None:
    """One line that says why, and no traceback."""
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    told = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(told) == 1, result.stderr
    assert any(os.strerror(getattr(errno, reason)) in told[0] for reason in reasons), told
    assert "Traceback" not in result.stderr
    COUNTS["disks that were full or could not be written to"] += 1


def mount(*arguments: object) -> None:
    if subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one mebibyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def filled(folder: Path, room: int) -> Iterator[None]:
    """Leave only so much room on the small disk."""
    filling = folder / FILLING
    with filling.open("wb", buffering=0) as file:
        with suppress(OSError):
            while file.write(bytes(4096)):
                continue
        os.ftruncate(file.fileno(), max(0, os.fstat(file.fileno()).st_size - room))
    try:
        yield
    finally:
        filling.unlink()


@contextmanager
def limited(_folder: Path, room: int) -> Iterator[None]:
    """No file may be longer; works everywhere."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody can write there, not even root."""
    mount("-o", "remount,ro", folder)
    try:
        yield
    finally:
        mount("-o", "remount,rw", folder)


@pytest.fixture(params=["a full disk", "a limit"])
def full(request: pytest.FixtureRequest) -> tuple[Path, Full]:
    """Where to write, and how it gets full."""
    if request.param == "a limit":
        return request.getfixturevalue("tmp_path"), limited
    return request.getfixturevalue("disk"), filled


class Job:
    """A job of four chunks and what it gives."""

    def __init__(self, folder: Path, options: list[object], texts: list[str]) -> None:
        self._folder, self._options, self._rows = folder, options, len(texts)
        for suffix in (".txt", ".jsonl", ".parquet"):
            write_input(folder / f"in{suffix}", texts)

    def __call__(self, output: Path, *more: object) -> Result:
        source = self._folder / f"in{output.suffix}"
        return ealm("summarize", "-i", source, "-o", output, "--quiet", "--overwrite", *self._options, *more)

    def expected(self, suffix: str) -> bytes:
        whole = self._folder / f"whole{suffix}"
        assert self(whole).exit_code == 0
        assert rows_of(whole) == self._rows
        return whole.read_bytes()


@pytest.fixture
def job(tmp_path_factory: pytest.TempPathFactory, agent_folder: Path, light_folder: Path, texts: list[str]) -> Job:
    source = tmp_path_factory.mktemp("rows")
    return Job(source, ["--model", agent_folder, "--lm", light_folder, "--pretokenized", "--words", 4], texts)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
@pytest.mark.parametrize("room", [0, 8_192, 20_480])
def test_a_job_keeps_what_it_has(full: tuple[Path, Full], job: Job, suffix: str, room: int) -> None:
    folder, fill = full
    output, expected = folder / f"out{suffix}", job.expected(suffix)
    output.write_bytes(OLD)
    with fill(folder, room):
        refused(job(output), "ENOSPC", "EFBIG")
        assert output.read_bytes() == OLD
    assert not (folder / f".{output.name}.partial.final").exists()
    again = job(output, "--resume")
    assert again.exit_code == 0, again.output
    assert contents(folder) == {output.name: expected}


def test_other_output_is_whole_or_not_there(full: tuple[Path, Full], job: Job, agent_folder: Path) -> None:
    folder, fill = full
    output = folder / "out.txt"
    output.write_bytes(OLD)
    with fill(folder, 4_096):
        refused(job(output, "--json"), "ENOSPC", "EFBIG")
        assert {name: content for name, content in contents(folder).items() if name != FILLING} == {output.name: OLD}


def training(corpus: Path, folder: Path, lm: Path, updates: int) -> Result:
    options = ["--updates", updates, "--checkpoint-seconds", 0, *SMALL, "--resume"]
    return ealm("train", corpus, "--out", folder, "--lm", lm, *options)


@pytest.mark.parametrize("room", [0, 6_000, 12_288])
def test_training_keeps_its_checkpoint_and_its_agent(
    full: tuple[Path, Full], tmp_path_factory: pytest.TempPathFactory, corpus_file: Path, light_folder: Path, room: int
) -> None:
    (folder, fill), whole = full, tmp_path_factory.mktemp("whole") / "run"
    assert training(corpus_file, whole, light_folder, 9).exit_code == 0
    run = folder / "run"
    assert training(corpus_file, run, light_folder, 4).exit_code == 0
    kept = ("checkpoint.safetensors", *AGENT)
    before = {name: (run / name).read_bytes() for name in kept}
    with fill(folder, room):
        refused(training(corpus_file, run, light_folder, 9), "ENOSPC", "EFBIG")
    assert {name: (run / name).read_bytes() for name in kept} == before
    assert [path.name for path in run.iterdir() if path.name.startswith(".")] == []
    again = training(corpus_file, run, light_folder, 9)
    assert again.exit_code == 0, again.output
    assert_same_run(run, whole)


def test_a_full_disk_is_told_in_one_line(disk: Path, tmp_path: Path, corpus_file: Path, light_folder: Path) -> None:
    """The real command: what threads and the end of the process say comes too."""
    options = ["--out", disk / "run", "--lm", light_folder, "--updates", 5, "--checkpoint-seconds", 0, *SMALL]
    with filled(disk, 8_192):
        process = start("train", corpus_file, *options, errors=tmp_path / "errors.txt")
        assert process.wait(timeout=PATIENCE) == 1
    told = (tmp_path / "errors.txt").read_text().splitlines()
    assert [line for line in told if "sentences" not in line] == told[-1:]
    assert os.strerror(errno.ENOSPC) in told[-1]


def test_adaptation_keeps_its_model(
    full: tuple[Path, Full], corpus_file: Path, bert_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder, fill), out = full, full[0] / "fitted"
    options = ["--lm", bert_folder, "--pretokenized", "--quiet", "--resume", "--minutes"]
    with monkeypatch.context() as patch:  # as if it was stopped before that
        patch.setattr("ealm.lm.adapt.run.Adaptation.finish", lambda _: None)
        assert ealm("adapt", corpus_file, "--out", out, *options, 0.0001).exit_code == 0
    before = contents(out)
    with fill(folder, 8_192):
        refused(ealm("adapt", corpus_file, "--out", out, *options, 0.1), "ENOSPC", "EFBIG")
    assert contents(out) == before


def test_a_folder_that_cannot_be_written_to(disk: Path, job: Job, corpus_file: Path, light_folder: Path) -> None:
    for name in ("out.jsonl", "out.parquet", "out.txt"):
        (disk / name).write_bytes(OLD)
    assert training(corpus_file, disk / "run", light_folder, 3).exit_code == 0
    before, run_before = contents(disk), contents(disk / "run")
    with read_only(disk):
        refused(job(disk / "out.jsonl"), "EROFS")
        refused(job(disk / "out.parquet", "--resume"), "EROFS")
        refused(job(disk / "out.txt", "--json"), "EROFS")
        refused(training(corpus_file, disk / "run", light_folder, 6), "EROFS")
        refused(training(corpus_file, disk / "new", light_folder, 6), "EROFS")
    assert (contents(disk), contents(disk / "run")) == (before, run_before)
