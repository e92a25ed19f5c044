"""Nothing is lost: a job that was killed goes on, and ends with the same bytes as one that was not."""

import errno
import fcntl
import json
import os
import resource
import shutil
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from batch_fakes import FakeRecipe
from places import SUPPORT
from pyarrow import parquet

from ealm.batch import resumable_file
from ealm.batch.chunks import RowResult
from ealm.batch.job import Job
from ealm.batch.resumable_file import ResumableFile, errors_path
from ealm.common.errors import BatchError

ROWS = [
    ("river rises", "1"),
    ("two\nlines here", '"'),
    ("bad one", ""),
    ("Zürich is", "x,y"),
    ("", "5"),
    ("late", "\n"),
]


def write_input(folder: Path, kind: str) -> Path:
    """The rows above as a file."""
    path = folder / f"in.{kind}"
    if kind.startswith("txt"):
        path.write_text("".join(text.replace("\n", " ") + "\n" for text, _ in ROWS), encoding="utf-8")
    elif kind == "jsonl":
        path.write_text("".join(json.dumps({"text": text, "more": more}) + "\n" for text, more in ROWS))
    elif kind == "csv":
        quoted = [[f'"{value.replace(chr(34), chr(34) * 2)}"' for value in row] for row in ROWS]
        path.write_text("text,more\n" + "".join(",".join(row) + "\n" for row in quoted), encoding="utf-8")
    else:
        parquet.write_table(pa.table({"text": [row[0] for row in ROWS], "more": [row[1] for row in ROWS]}), path)
    return path


def run(source: Path, output: Path, *, recipe: FakeRecipe | None = None, **options: Any) -> None:
    settings = {"chunk_rows": 2, "quiet": True, "overwrite": True, **options}
    Job(input=source, output=output, **settings).run(recipe or FakeRecipe())


class Killed(BaseException):
    """As if by a signal that nobody can catch."""


@contextmanager
def killed_at(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[None]:
    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(ResumableFile, name, kill)
        with pytest.raises(Killed):
            yield


def traces(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def states(part: bytes, journal: bytes, *, every: int) -> Iterator[tuple[bytes, bytes]]:
    """What a kill can leave behind: the bytes up to anywhere, and of the journal what was written before."""
    lines = journal.splitlines(keepends=True)
    ends = [0, *(json.loads(line)["bytes"] for line in lines[1:])]
    lengths = {end + more for end in ends for more in (-1, 0, 1)} | set(range(0, len(part), every))
    for length in sorted(length for length in lengths if 0 <= length <= len(part)):
        logged = [lines[0], *(line for line, end in zip(lines[1:], ends[1:], strict=True) if end <= length)]
        yield part[:length], b"".join(logged)
        yield part[:length], b"".join(logged)[:-3]  # the last line was on its way


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv", "parquet"])
@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_killed_anywhere_the_resumed_job_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, ending: str
) -> None:
    if kind == "parquet" and ending:
        pytest.skip("Parquet is compressed inside")
    source, whole, output = (
        write_input(tmp_path, kind),
        tmp_path / f"whole.{kind}{ending}",
        tmp_path / f"o.{kind}{ending}",
    )
    run(source, whole)
    with killed_at(monkeypatch, "finish"):
        run(source, output)
    monkeypatch.setattr(os, "fsync", lambda _: None)
    part, journal = (tmp_path / f".{output.name}.partial{end}" for end in ("", ".journal"))
    errors = tmp_path / f".{output.name}.partial.errors"
    listed = errors.read_bytes() if kind == "txt" else b""
    left = list(states(part.read_bytes(), journal.read_bytes(), every=1 if kind + ending == "txt" else 23))
    assert len(left) >= 20
    for bytes_left, lines_left in left:
        part.write_bytes(bytes_left)
        journal.write_bytes(lines_left)
        if listed:
            errors.write_bytes(listed)
        run(source, output, resume=True)
        assert output.read_bytes() == whole.read_bytes()
        assert not listed or errors_path(output).read_bytes() == listed
        assert traces(tmp_path) == []
        output.unlink()


def test_a_resumed_job_does_not_do_again_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = write_input(tmp_path, "txt"), tmp_path / "out.txt"
    with killed_at(monkeypatch, "finish"):
        run(source, output)
    seen: list[str] = []
    monkeypatch.setattr(FakeRecipe, "summarize", lambda _, texts: seen.extend(texts))
    run(source, output, resume=True)
    assert seen == []
    assert len(output.read_text().splitlines()) == len(ROWS)


def test_a_resumed_job_remembers_what_failed_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = write_input(tmp_path, "txt"), tmp_path / "out.txt"
    with killed_at(monkeypatch, "finish"):
        run(source, output)
    tally = Job(input=source, output=output, resume=True, chunk_rows=2, quiet=True).run(FakeRecipe())
    assert (tally.rows, tally.failed, tally.first) == (6, 1, [(3, "a bad text")])


def test_killed_between_its_last_two_breaths_a_job_counts_as_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, output = write_input(tmp_path, "txt"), tmp_path / "out.txt"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(Killed()))
        with pytest.raises(Killed):
            run(source, output)
    before = output.read_bytes()
    assert traces(tmp_path) == [".out.txt.partial.journal"]
    run(source, output, resume=True, recipe=FakeRecipe(broken=None))
    assert (output.read_bytes(), traces(tmp_path)) == (before, [])


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = write_input(tmp_path, "txt"), tmp_path / "out.txt"
    output.write_text("old")
    output.chmod(0o640)
    with killed_at(monkeypatch, "finish"):
        run(source, output)
    assert output.read_text() == "old"
    run(source, output, resume=True)
    assert output.read_text().startswith("RIVER\n")
    assert output.stat().st_mode & 0o777 == 0o640


def test_resuming_starts_a_job_that_was_never_started(tmp_path: Path) -> None:
    run(write_input(tmp_path, "txt"), tmp_path / "out.txt", resume=True)
    assert (tmp_path / "out.txt").read_text().startswith("RIVER\n")


def test_an_unfinished_job_is_not_overwritten_without_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, output = write_input(tmp_path, "txt"), tmp_path / "out.txt"
    with killed_at(monkeypatch, "finish"):
        run(source, output)
    with pytest.raises(BatchError, match=r"unfinished job for .*out\.txt.*resume=.*restart="):
        run(source, output)
    run(source, output, restart=True, recipe=FakeRecipe("another"))
    assert traces(tmp_path) == []


def other_content(source: Path) -> dict[str, Any]:
    with source.open("a") as file:
        file.write("one more\n")
    return {}


def other_file(source: Path) -> dict[str, Any]:
    copy = source.with_name("copy.txt")
    shutil.copy2(source, copy)
    return {"source": copy}


WRONG: dict[str, tuple[Callable[[Path], dict[str, Any]], str]] = {
    "content": (other_content, "input's content"),
    "file": (other_file, "input"),
    "model": (lambda _: {"recipe": FakeRecipe("other")}, "model"),
    "column": (lambda _: {"column": "t", "chunk_rows": 3}, "chunk_rows, column"),
}


@pytest.mark.parametrize(("change", "named"), WRONG.values(), ids=WRONG)
def test_a_job_is_not_resumed_as_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], dict[str, Any]], named: str
) -> None:
    source, output = write_input(tmp_path, "txt"), tmp_path / "out.txt"
    with killed_at(monkeypatch, "finish"):
        run(source, output)
    left = [(tmp_path / name).read_bytes() for name in traces(tmp_path)]
    with pytest.raises(BatchError, match=f"was started with another {named}.*restart="):
        run(**{"source": source, "output": output, "resume": True, **change(source)})
    assert [(tmp_path / name).read_bytes() for name in traces(tmp_path)] == left


def test_two_processes_do_not_write_the_same_file(tmp_path: Path) -> None:
    source, output = write_input(tmp_path, "txt"), tmp_path / "out.txt"
    journal = tmp_path / ".out.txt.partial.journal"
    with journal.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(BatchError, match="Another process is writing"):
            run(source, output, restart=True)


def test_a_link_is_followed_and_a_device_is_written_to(tmp_path: Path) -> None:
    source = write_input(tmp_path, "txt")
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    run(source, tmp_path / "link.txt")
    assert (tmp_path / "real.txt").read_text().startswith("RIVER\n")
    assert (tmp_path / "link.txt").is_symlink()
    run(source, Path("/dev/null"))
    with pytest.raises(BatchError, match="a pipe cannot be read again"):
        run(source, Path("/dev/null"), resume=True)


# Disks ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["txt", "parquet"])
def test_a_full_disk_is_reported_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    source, output, whole = write_input(tmp_path, kind), tmp_path / f"out.{kind}", tmp_path / f"whole.{kind}"
    run(source, whole)
    output.write_text("old")
    with killed_at(monkeypatch, "finish"):
        run(source, output)
    size = max((tmp_path / name).stat().st_size for name in traces(tmp_path))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size - 10, limits[1]))
    try:
        with pytest.raises(BatchError, match=r"Cannot write .*File too large.*4 rows are kept.*resume="):
            run(source, output, restart=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert output.read_text() == "old"
    run(source, output, resume=True)
    assert output.read_bytes() == whole.read_bytes()


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = write_input(tmp_path, "txt"), tmp_path / "out.txt"
    output.write_text("old")

    def refuse(path: Path, *_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    with monkeypatch.context() as patch:  # tests may run as a user whom no permission stops
        patch.setattr(resumable_file.os, "open", refuse)
        with pytest.raises(BatchError, match=f"Cannot write to {tmp_path}: Read-only file system"):
            run(source, output)
    assert output.read_text() == "old"
    with pytest.raises(FileNotFoundError, match="no such folder"):
        run(source, tmp_path / "none" / "out.txt")


# Memory ---------------------------------------------------------------------------------------------------------------


class WatchedRecipe(FakeRecipe):
    """Looks at the memory in the middle of the job; what Arrow has is not Python's."""

    def summarize(self, texts: Sequence[str]) -> list[RowResult]:
        global most_of_arrow
        most_of_arrow = max(most_of_arrow, pa.total_allocated_bytes())
        return super().summarize(texts)


most_of_arrow = 0


def peak_bytes(source: Path, output: Path) -> int:
    global most_of_arrow
    most_of_arrow = 0
    tracemalloc.start()
    try:
        run(source, output, chunk_rows=16, recipe=WatchedRecipe())
        return tracemalloc.get_traced_memory()[1] + most_of_arrow
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv.gz", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    peaks = []
    for count in (32, 512, 1536):  # the first is for what is loaded once
        lines, source = tmp_path / "lines.txt", tmp_path / f"in.{kind}"
        lines.write_text("".join(f"w{number} " + f"{number:0500}" + "\n" for number in range(count)))
        if kind == "txt":
            lines.rename(source)
        elif kind == "parquet":
            parquet.write_table(pa.table({"text": lines.read_text().splitlines()}), source, row_group_size=64)
        else:
            run(lines, source, output_column="s", error_column="e", chunk_rows=128)
        peaks.append(peak_bytes(source, tmp_path / f"out.{kind}"))
    assert peaks[2] < 1.2 * peaks[1] + 50_000  # a third of what the lines more would take


# A real kill ----------------------------------------------------------------------------------------------------------

SLOW_JOB = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from batch_fakes import SlowRecipe
from ealm.batch.job import Job

Job(input=Path({source!r}), output=Path({output!r}), chunk_rows=2, quiet=True).run(SlowRecipe())
"""


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_killed_process_is_gone_on_with(tmp_path: Path, kind: str) -> None:
    lines, source = tmp_path / "lines.txt", tmp_path / f"in.{kind}"
    lines.write_text("".join(f"word{number} and more\n" for number in range(150)))
    run(lines, source, output_column="s", error_column="e", chunk_rows=128)
    whole, output = tmp_path / f"whole.{kind}", tmp_path / f"out.{kind}"
    run(source, whole)
    code = SLOW_JOB.format(tests=str(SUPPORT), source=str(source), output=str(output))
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        journal = tmp_path / f".out.{kind}.partial.journal"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (journal.exists() and journal.read_bytes().count(b"\n") > 3):
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -9
    assert not output.exists()
    run(source, output, resume=True)
    assert output.read_bytes() == whole.read_bytes()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks Linux which files are open")
@pytest.mark.parametrize("kind", ["csv", "txt"])
def test_no_file_is_moved_or_removed_while_it_is_open_on_windows(tmp_path: Path, kind: str, monkeypatch: Any) -> None:
    """Windows refuses both. Linux stands in for it: what is open there is looked up at each move."""
    source, output = write_input(tmp_path, kind), tmp_path / f"out.{kind}"
    moved: list[Path] = []

    def checked(act: Callable[..., Any]) -> Callable[..., Any]:
        def acted(path: Path, *arguments: Any, **options: Any) -> Any:
            held = {str(file.readlink()) for file in Path("/proc/self/fd").iterdir() if file.is_symlink()}
            assert str(path) not in held
            moved.append(path)
            return act(path, *arguments, **options)

        return acted

    monkeypatch.setattr(resumable_file.sys, "platform", "win32")
    for name in ("replace", "unlink"):
        monkeypatch.setattr(Path, name, checked(getattr(Path, name)))
    run(source, output)
    assert output.exists()
    assert {path.name for path in moved} >= {f".{output.name}.partial", f".{output.name}.partial.journal"}
