"""Where a job writes: never over its input, over another file only if told, and a list of bad rows beside text."""

import json
from pathlib import Path
from typing import Any

import pytest
from batch_fakes import FakeRecipe

from ealm.batch.chunks import Tally
from ealm.batch.job import Job
from ealm.batch.resumable_file import ResumableFile
from ealm.common.errors import BatchError


def run(source: Path, output: Path, **options: Any) -> Tally:
    return Job(input=source, output=output, chunk_rows=2, quiet=True, **options).run(FakeRecipe())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text("river rises\nbad one\n\nlate\nbad two\n")
    return path


def stop(*_: object) -> None:
    raise KeyboardInterrupt


def stopped(monkeypatch: pytest.MonkeyPatch, source: Path, output: Path, method: str = "finish", **more: Any) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(ResumableFile, method, stop)
        with pytest.raises(KeyboardInterrupt):
            run(source, output, **more)


def listed(output: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.with_name(f"{output.name}.errors.jsonl").read_text().splitlines()]


def test_input_and_output_are_different_files(source: Path, tmp_path: Path) -> None:
    before = source.read_bytes()
    (tmp_path / "link.txt").symlink_to("in.txt")
    for output in (source, tmp_path / "link.txt", tmp_path / "x" / ".." / "in.txt"):
        (tmp_path / "x").mkdir(exist_ok=True)
        with pytest.raises(BatchError, match=r"Input and output are the same file.*output="):
            run(source, output, overwrite=True)
    assert source.read_bytes() == before


def test_the_list_of_bad_rows_is_not_the_input_either(tmp_path: Path) -> None:
    source = tmp_path / "out.txt.errors.jsonl"
    source.write_text('{"text": "river"}\n')
    with pytest.raises(BatchError, match="the same file"):
        run(source, tmp_path / "out.txt")


def test_another_file_is_replaced_only_if_told(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    output.write_text("old")
    for options in ({}, {"resume": True}, {"restart": True}):
        with pytest.raises(BatchError, match=r"out\.txt exists.*overwrite="):
            run(source, output, **options)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "out.txt"]
    run(source, output, overwrite=True)
    assert output.read_text() == "RIVER\n\n\nLATE\n\n"
    with pytest.raises(BatchError, match="exists"):  # it is finished, and nobody asked for it again
        run(source, output, resume=True)


@pytest.mark.parametrize("options", [{"resume": True}, {"restart": True}])
def test_a_job_that_was_told_once_needs_not_be_told_again(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, bool]
) -> None:
    output = tmp_path / "out.txt"
    output.write_text("old")
    stopped(monkeypatch, source, output, overwrite=True)
    run(source, output, **options)
    assert output.read_text().startswith("RIVER\n")


def test_bad_rows_of_text_are_listed_beside_it(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    run(source, output)
    assert output.read_text() == "RIVER\n\n\nLATE\n\n"
    assert listed(output) == [
        {"row": 2, "line": 2, "error": "a bad text"},
        {"row": 5, "line": 5, "error": "a bad text"},
    ]
    source.write_text("river rises\n")
    run(source, output, overwrite=True)  # the list of the old file goes with it
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "out.txt"]


def test_the_list_has_the_lines_of_the_input_and_of_the_output(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('text\n"two\nlines"\nbad\n')
    run(tmp_path / "in.csv", tmp_path / "out.txt")
    assert listed(tmp_path / "out.txt") == [{"row": 2, "line": 4, "error": "a bad text"}]
    run(tmp_path / "in.csv", tmp_path / "out.jsonl")  # shows its errors itself
    assert not (tmp_path / "out.jsonl.errors.jsonl").exists()


@pytest.mark.parametrize("method", ["finish", "_place_errors", "discard", "_finish"])
def test_a_killed_job_keeps_its_list(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    output = tmp_path / "out.txt"
    run(source, tmp_path / "whole.txt")
    output.with_name("out.txt.errors.jsonl").write_text("of an older file\n")
    stopped(monkeypatch, source, output, method)
    run(source, output, resume=True)
    assert (output.read_bytes(), listed(output)) == (
        (tmp_path / "whole.txt").read_bytes(),
        listed(tmp_path / "whole.txt"),
    )
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_was_listed_after_the_last_chunk_is_listed_once(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.txt"
    stopped(monkeypatch, source, output)
    with (tmp_path / ".out.txt.partial.errors").open("a") as file:
        file.write('{"row": 5')  # a kill in the middle of a line
    run(source, output, resume=True)
    assert [entry["row"] for entry in listed(output)] == [2, 5]
