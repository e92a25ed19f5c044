"""`ealm summarize` on files of rows."""

import csv
import gzip
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

import ealm
from ealm.batch import progress
from ealm.batch.model_recipe import ModelRecipe
from ealm.batch.progress import Progress
from ealm.cli.main import main
from ealm.common.process_pool import cores
from ealm.summarize.options import SummarizeOptions

TEXTS = ["the police minister finds a silver bridge", "Zebra rises", "old engine burns in the quiet forest ."]


def summarize(folder: Path, *arguments: object, stdin: str | bytes | None = None) -> Result:
    command = ["summarize", "--model", str(folder), "--pretokenized", *map(str, arguments)]
    return CliRunner().invoke(main, command, input=stdin)


def refused(result: Result, *parts: str) -> None:
    assert isinstance(result.exception, SystemExit), result.exception
    assert (result.exit_code != 0, result.stdout) == (True, "")
    for part in parts:
        assert part in result.stderr


@pytest.fixture(scope="module")
def expected(agent_folder: Path) -> list[str]:
    found = ealm.Summarizer.from_pretrained(agent_folder).summarize(TEXTS, pretokenized=True)
    return [summary.summary for summary in found]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_columns_stay_and_one_is_added(agent_folder: Path, tmp_path: Path, expected: list[str], kind: str) -> None:
    source, output = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    if kind == "jsonl":
        source.write_text("".join(json.dumps({"id": n, "body": text}) + "\n" for n, text in enumerate(TEXTS)))
    else:
        parquet.write_table(pa.table({"id": [0, 1, 2], "body": TEXTS}), source)
    result = summarize(agent_folder, "-i", source, "-o", output, "--column", "body", "--output-column", "short")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", ""), result.output
    if kind == "jsonl":
        found = [json.loads(line) for line in output.read_text().splitlines()]
    else:
        found = parquet.read_table(output).drop_columns(["error"]).to_pylist()
    assert found == [
        {"id": n, "body": text, "short": short} for n, (text, short) in enumerate(zip(TEXTS, expected, strict=True))
    ]


def test_records_go_through_pipes_too(agent_folder: Path, expected: list[str]) -> None:
    stdin = "id,text\n" + "".join(f"{n},{text}\n" for n, text in enumerate(TEXTS))
    result = summarize(agent_folder, "--format", "csv", stdin=stdin)
    rows = [[str(n), text, short, ""] for n, (text, short) in enumerate(zip(TEXTS, expected, strict=True))]
    assert list(csv.reader(result.stdout.splitlines())) == [["id", "text", "summary", "error"], *rows]
    refused(summarize(agent_folder, "--format", "parquet", stdin=""), "Parquet is written to a file")


def test_a_text_that_cannot_be_used_does_not_stop_the_others(
    agent_folder: Path, tmp_path: Path, expected: list[str]
) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(
        b"\xfe\n".join([f"{TEXTS[0]}\n".encode(), f"{TEXTS[1]}\nx".encode() + b"\xff\n" + TEXTS[2].encode()])
    )
    result = summarize(agent_folder, "-i", source, "-o", output)
    assert result.exit_code == 0, result.output
    assert output.read_text().splitlines() == [expected[0], "", expected[1], "", expected[2]]
    assert "2 of 5 rows have no summary" in result.stderr
    assert f"All of them are listed in {output}.errors.jsonl." in result.stderr
    listed = [json.loads(line) for line in (tmp_path / "out.txt.errors.jsonl").read_text().splitlines()]
    assert [(entry["row"], entry["line"]) for entry in listed] == [(2, 2), (4, 4)]
    strict = summarize(agent_folder, "-i", source, "-o", output, "--overwrite", "--strict")
    assert (strict.exit_code, strict.stderr) == (1, result.stderr)
    assert "line 2: not UTF-8 (byte 0xfe at 0)" in result.stderr
    assert "line 4: not UTF-8 (byte 0xff at 1)" in result.stderr


def test_a_word_of_ten_megabytes_is_a_bad_row_at_once(agent_folder: Path, tmp_path: Path, expected: list[str]) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text(f"{TEXTS[0]}\n{'x' * 10_000_000}\n{TEXTS[1]}\n")
    started = time.process_time()
    result = summarize(agent_folder, "-i", source, "-o", output)
    assert time.process_time() - started < 10
    assert output.read_text().splitlines() == [expected[0], "", expected[1]]
    assert "more than 10,000 characters without a space" in result.stderr
    (listed,) = (tmp_path / "out.txt.errors.jsonl").read_text().splitlines()
    assert json.loads(listed)["row"] == 2


def test_compressed_text_can_be_read_without_a_job(agent_folder: Path, tmp_path: Path, expected: list[str]) -> None:
    (tmp_path / "in.txt.gz").write_bytes(gzip.compress("\n".join(TEXTS).encode()))
    assert summarize(agent_folder, "-i", tmp_path / "in.txt.gz").stdout.splitlines() == expected


def test_what_does_not_go_together_is_said(agent_folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "river"}\n')
    for option in ("--json", "--show", "--curve", "--document"):
        refused(summarize(agent_folder, "-i", source, option), "input has columns", "--format text")
    assert summarize(agent_folder, "-i", source, "--json", "--format", "text").exit_code == 0
    for option in (["--resume"], ["--restart"], ["--workers", "2"]):
        refused(summarize(agent_folder, "-i", source, *option), "go with --output")
        refused(summarize(agent_folder, "river", "-o", tmp_path / "out.txt", *option), "not with TEXT")
    both = ["-o", tmp_path / "out", "--resume", "--restart"]
    refused(summarize(agent_folder, "-i", source, *both), "--resume or --restart")
    refused(
        summarize(agent_folder, "-o", tmp_path / "out.txt", "--resume", stdin="river"), "a pipe cannot be read again"
    )
    refused(summarize(agent_folder, "-i", source, "-o", tmp_path / "out.csv"), "without loss")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_another_model_or_length_is_another_job(agent_folder: Path) -> None:
    def identity(**changes: Any) -> dict[str, Any]:
        values: dict[str, Any] = {"model": str(agent_folder), "options": SummarizeOptions(words=3)}
        return ModelRecipe(**{**values, **changes}).identity()

    assert identity() == identity()
    for change in ({"options": SummarizeOptions(words=4)}, {"options": SummarizeOptions(words=3, style="plain")}):
        assert identity(**change) != identity()
    for change in ({"model": "embedded"}, {"lm": "other"}, {"engine": "int8"}):
        assert identity(**change) != identity()


@pytest.mark.slow
def test_workers_give_the_same_summaries(agent_folder: Path, tmp_path: Path, corpus_file: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text(corpus_file.read_text() * 3)  # two chunks
    for count in (1, 2):
        options = ["-o", tmp_path / f"out{count}.txt", "--workers", count, "--words", 4, "--quiet"]
        result = summarize(agent_folder, "-i", source, *options)
        assert (result.exit_code, result.stderr) == (0, ""), result.output
    assert (tmp_path / "out1.txt").read_bytes() == (tmp_path / "out2.txt").read_bytes()


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on(agent_folder: Path, tmp_path: Path, corpus_file: Path) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text(corpus_file.read_text() * 400)
    options = ["--model", agent_folder, "--pretokenized", "--words", 4, "-i", source, "-o", output]
    command = [sys.executable, "-m", "ealm", "summarize", *map(str, options)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        journal = tmp_path / ".out.txt.partial.journal"
        while not (journal.exists() and journal.read_bytes().count(b"\n") > 2):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert "Go on with the same command and --resume." in errors
    assert "Traceback" not in errors
    assert not output.exists()
    refused(summarize(agent_folder, "-i", source, "-o", output, "--words", 3, "--resume"), "another words")


# Progress -------------------------------------------------------------------------------------------------------------


def test_where_nobody_watches_a_long_job_says_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 10_000, 50))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    shown = Progress(quiet=False, rows=0)
    for number in range(1, 5):
        shown.update(100, (1000 * number, 10_000))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert "rows/s" in lines[0]
    assert "left" in lines[0]
    quiet = Progress(quiet=True, rows=0)
    quiet.update(100, (1000, None))
    quiet.close()
    assert capsys.readouterr().err == ""


def test_on_a_terminal_there_is_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = Progress(quiet=False, rows=10)
    shown.update(100, (500, 1000))
    shown.close()
    assert "110 rows" in capsys.readouterr().err


def test_there_is_at_least_one_core() -> None:
    assert cores() >= 1
