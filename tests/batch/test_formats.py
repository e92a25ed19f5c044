"""Files of rows: what comes in comes out, with a summary."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from batch_fakes import FakeRecipe
from pyarrow import parquet

from ealm.batch import readers as rows
from ealm.batch.chunks import Tally
from ealm.batch.file_types import FileFormat, compressed, decompressed
from ealm.batch.job import Job, failures
from ealm.common.errors import BatchError
from ealm.common.extras import MissingExtraError

TEXTS = [
    "river rises",
    "",
    "Zürich 東京 👩‍🚒",
    'a "quoted", text',
    "two\nlines",
    "bad one",
    "line\r\nfeeds \u2028 here",
]


def run(source: Path, output: Path, *, recipe: FakeRecipe | None = None, **options: Any) -> Tally:
    return Job(input=source, output=output, **{"chunk_rows": 3, "quiet": True, "overwrite": True, **options}).run(
        recipe or FakeRecipe()
    )


def summary(text: str) -> str:
    return text.partition(" ")[0].upper()


# Names ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "compression"),
    [
        ("a.txt", "text", ""),
        ("a", "text", ""),
        ("a.jsonl.gz", "jsonl", ".gz"),
        ("A.CSV", "csv", ""),
        ("a.b.ndjson.zst", "jsonl", ".zst"),
        ("a.txt.xz", "text", ".xz"),
        ("csv.bz2", "text", ".bz2"),
        ("a.parquet", "parquet", ""),
    ],
)
def test_a_name_tells_what_a_file_holds(name: str, kind: str, compression: str) -> None:
    assert FileFormat.of(Path(name)) == FileFormat(kind, compression)  # type: ignore[arg-type]


def test_what_has_no_name_or_another_kind_is_said() -> None:
    assert FileFormat.of(None) == FileFormat("text", "")
    assert FileFormat.of(None, kind="csv") == FileFormat("csv", "")
    assert FileFormat.of(Path("a.txt.gz"), kind="jsonl") == FileFormat("jsonl", ".gz")
    assert FileFormat.of(Path("out"), default="csv") == FileFormat("csv", "")


def test_parquet_is_not_compressed_again() -> None:
    with pytest.raises(BatchError, match=r"Leave \.gz out"):
        FileFormat.of(Path("a.parquet.gz"))


@pytest.mark.parametrize("name", ["a.parquet", "a.txt.zst"])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=rf"The file {name} needs pyarrow.*pip install 'ealm\[parquet\]'"):
        FileFormat.of(Path(name))


@pytest.mark.parametrize(("source", "output"), [("a.jsonl", "b.csv"), ("a.jsonl", "b.parquet"), ("a.parquet", "b.csv")])
def test_what_would_lose_something_is_refused(source: str, output: str) -> None:
    with pytest.raises(BatchError, match="without loss, only as"):
        Job(input=Path(source), output=Path(output)).formats()


@pytest.mark.parametrize("compression", ["", ".gz", ".zst", ".xz", ".bz2"])
def test_streams_one_behind_the_other_are_one(compression: str) -> None:
    parts = [b"river\n" * 100, b"", b"rises\n"]
    data = b"".join(compressed(part, compression) for part in parts)
    assert decompressed(io.BytesIO(data), compression).read() == b"".join(parts)


# Round trips ----------------------------------------------------------------------------------------------------------


def test_text_gives_one_summary_a_line(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes("\ufeffriver rises\r\n\nZürich is\nbad one\nlast".encode())
    tally = run(tmp_path / "in.txt", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "RIVER\n\nZÜRICH\n\nLAST\n"
    assert tally == Tally(5, 1, [(4, "a bad text")])


def test_json_lines_keep_their_columns_as_they_are_written(tmp_path: Path) -> None:
    lines = [
        '{"id": 1e2, "text": "river rises", "big": 12345678901234567890123, "x": {"y": [1.50, null]}}',
        '{"text":"Z\\u00fcrich is", "nothing": null}  ',
        "",
        '{"id": 2, "text": "two\\nlines", "ü": "ü"}',
        '{"text": "bad one", "id": 3}',
        "{}",
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
    tally = run(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines() == [
        lines[0][:-1] + ', "summary": "RIVER"}',
        '{"text":"Z\\u00fcrich is", "nothing": null, "summary": "ZÜRICH"}',
        '{"id": 2, "text": "two\\nlines", "ü": "ü", "summary": "TWO\\nLINES"}',
        '{"text": "bad one", "id": 3, "error": "a bad text"}',
        """{"error": "no column 'text'"}""",
    ]
    assert tally.first == [(5, "a bad text"), (6, "no column 'text'")]


def csv_rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_csv_keeps_its_columns_and_their_line_breaks(tmp_path: Path) -> None:
    table = [["id", "text", "ünd, so"], *([str(number), text, f'{text}"\r'] for number, text in enumerate(TEXTS))]
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(table)
    tally = run(tmp_path / "in.csv", tmp_path / "out.csv")
    header, *found = csv_rows(tmp_path / "out.csv")
    assert header == ["id", "text", "ünd, so", "summary", "error"]
    assert [row[:3] for row in found] == table[1:]
    assert [row[3] for row in found] == ["" if text == "bad one" else summary(text) for text in TEXTS]
    assert [row[4] for row in found] == ["a bad text" if text == "bad one" else "" for text in TEXTS]
    assert tally.first == [(9, "a bad text")]  # the line in which it begins: the row before has three


def test_parquet_keeps_its_columns_and_their_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": pa.array(range(7), pa.int16()),
            "text": pa.array(TEXTS).dictionary_encode(),
            "when": pa.array([None, *range(6)], pa.timestamp("us", tz="UTC")),
            "deep": [{"a": [number]} for number in range(7)],
        }
    ).replace_schema_metadata({"made": "here"})
    parquet.write_table(table, tmp_path / "in.parquet", row_group_size=2)
    run(tmp_path / "in.parquet", tmp_path / "out.parquet", column="text", output_column="short", error_column="why")
    found = parquet.read_table(tmp_path / "out.parquet")
    assert found.drop_columns(["short", "why"]).equals(table)
    assert found.schema.metadata[b"made"] == b"here"
    assert found["short"].to_pylist() == [None if text == "bad one" else summary(text) for text in TEXTS]
    assert found["why"].to_pylist() == ["a bad text" if text == "bad one" else None for text in TEXTS]


def test_one_kind_becomes_another(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("river rises\nbad one\n")
    run(tmp_path / "in.txt", tmp_path / "out.csv")
    assert csv_rows(tmp_path / "out.csv")[1:] == [["river rises", "RIVER", ""], ["bad one", "", "a bad text"]]
    run(tmp_path / "in.txt", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text().splitlines() == [
        '{"text": "river rises", "summary": "RIVER"}',
        '{"text": "bad one", "error": "a bad text"}',
    ]
    (tmp_path / "in.csv").write_text("id,text\n1,river rises\n2,late storm\n")
    run(tmp_path / "in.csv", tmp_path / "out.parquet")
    assert parquet.read_table(tmp_path / "out.parquet").to_pylist()[1] == {
        "id": "2",
        "text": "late storm",
        "summary": "LATE",
        "error": None,
    }
    run(tmp_path / "out.parquet", tmp_path / "again.jsonl", output_column="again", error_column="why")
    assert json.loads((tmp_path / "again.jsonl").read_text().splitlines()[0])["again"] == "RIVER"
    run(tmp_path / "out.parquet", tmp_path / "again.txt", output_column="again", error_column="why")
    assert (tmp_path / "again.txt").read_text() == "RIVER\nLATE\n"
    (tmp_path / "in.jsonl").write_text('{"text": "two\\nlines"}\n')
    run(tmp_path / "in.jsonl", tmp_path / "out")  # nothing in the name: as the input
    assert json.loads((tmp_path / "out").read_text())["summary"] == "TWO\nLINES"
    run(tmp_path / "in.jsonl", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "TWO LINES\n"


@pytest.mark.parametrize("ending", [".gz", ".zst", ".xz", ".bz2"])
def test_compressed_files_are_read_and_written(tmp_path: Path, ending: str) -> None:
    plain = b"id,text\n" + b"".join(b"%d,river rises\n" % number for number in range(10))
    half = plain.index(b"5,")
    (tmp_path / f"in.csv{ending}").write_bytes(compressed(plain[:half], ending) + compressed(plain[half:], ending))
    run(tmp_path / f"in.csv{ending}", tmp_path / f"out.csv{ending}")
    (tmp_path / "in.csv").write_bytes(plain)
    run(tmp_path / "in.csv", tmp_path / "out.csv")
    written = (tmp_path / f"out.csv{ending}").read_bytes()
    openers = {".gz": gzip.decompress, ".xz": lzma.decompress, ".bz2": bz2.decompress}
    read = openers.get(ending, lambda data: decompressed(io.BytesIO(data), ending).read())
    assert read(written) == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize("ending", [".gz", ".zst", ".xz", ".bz2"])
def test_a_compressed_file_that_was_cut_off_is_not_taken_for_a_whole_one(tmp_path: Path, ending: str) -> None:
    source = tmp_path / f"in.txt{ending}"
    source.write_bytes(compressed(b"river rises\n" * 1000, ending)[:-6])
    with pytest.raises(BatchError, match=r"Cannot read .*in\.txt"):
        run(source, tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv", "jsonl.gz", "txt.zst"])
def test_an_empty_file_gives_an_empty_file(tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"in.{kind}"
    source.write_bytes(b"")
    if kind.endswith("gz"):
        source.write_bytes(gzip.compress(b""))
    assert run(source, tmp_path / f"out.{kind}") == Tally()
    assert (tmp_path / f"out.{kind}").read_bytes() == b""


def test_a_file_with_columns_and_no_rows_keeps_its_columns(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id,text\n")
    run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "id,text,summary,error\n"
    parquet.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "in.parquet")
    run(tmp_path / "in.parquet", tmp_path / "out.parquet")
    found = parquet.read_table(tmp_path / "out.parquet")
    assert (found.column_names, len(found)) == (["text", "summary", "error"], 0)


# Bad rows -------------------------------------------------------------------------------------------------------------


def test_bad_lines_of_json_become_error_rows(tmp_path: Path) -> None:
    lines = [
        b'{"text": "river rises"}',
        b'{"text": "cut',
        b"[1, 2]",
        b'{"text": 5, "id": 1}',
        b'{"text": null}',
        b'{"text": "Z\xfcrich"}',
        b'{"text": "x", "summary": "old", "id": 2}',
        b'{"text": "x", "error": null}',
        b"[" * 100_000,
        b'{"text": "late"}',
    ]
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(lines))
    tally = run(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [found[0]["summary"], found[9]["summary"]] == ["RIVER", "LATE"]
    assert found[1]["error"].startswith("not JSON: ")
    assert found[2] == {"error": "not a JSON object, but list"}
    assert found[3] == {"text": 5, "id": 1, "error": "column 'text' is int, not a string"}
    assert found[4] == {"text": None, "error": "column 'text' is empty (null)"}
    assert found[5]["error"].startswith("not UTF-8 (byte 0xfc at 11)")
    assert found[6]["id"] == 2
    assert "another output column" in found[6]["error"]
    assert "has a column 'error' already" in found[7]["error"]
    assert found[8]["error"].startswith("not JSON")
    assert (tally.rows, tally.failed, [number for number, _ in tally.first]) == (10, 8, [2, 3, 4, 5, 6])


def test_bad_rows_of_csv_become_error_rows_and_other_bytes_stay(tmp_path: Path) -> None:
    source = b"id,text\n1,river rises\n2\n3,a,b\n4,Z\xfcrich\nZ\xfc,late storm\n\n6,end\n"
    (tmp_path / "in.csv").write_bytes(source)
    tally = run(tmp_path / "in.csv", tmp_path / "out.csv", encoding="utf-8")
    assert (tmp_path / "out.csv").read_bytes().splitlines() == [
        b"id,text,summary,error",
        b"1,river rises,RIVER,",
        b'2,,,"1 columns, and the header has 2"',
        b'3,a,,"3 columns, and the header has 2; those beyond it: [""b""]"',
        b"4,Z\xfcrich,,column 'text' is not UTF-8",
        b"Z\xfc,late storm,LATE,",
        b"6,end,END,",
    ]
    assert [number for number, _ in tally.first] == [3, 4, 5]


def test_bad_rows_of_parquet_become_error_rows(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"text": ["river", None, "bad"], "n": [1, 2, 3]}), tmp_path / "in.parquet")
    tally = run(tmp_path / "in.parquet", tmp_path / "out.parquet")
    found = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["error"] for row in found] == [None, "column 'text' is empty (null)", "a bad text"]
    assert tally.first == [(2, "column 'text' is empty (null)"), (3, "a bad text")]


def test_a_line_of_text_that_is_not_utf_8_is_an_empty_line(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(b"river\nZ\xfcrich\nlate\n")
    tally = run(tmp_path / "in.txt", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_bytes() == b"RIVER\n\nLATE\n"
    assert failures(tally, unit="line") == (
        "1 of 3 rows have no summary.\n  line 2: not UTF-8 (byte 0xfc at 1)\n"
        "If the input is not UTF-8, name its encoding, for example encoding=latin-1."
    )


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv"])
def test_a_line_without_end_is_a_bad_row_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(rows, "MAX_LINE_BYTES", 1000)
    huge = b"word " * 1000
    content = {
        "txt": b"river\n" + huge + b"\nlate\n" + huge,
        "jsonl": b'{"text": "river"}\n{"text": "' + huge + b'"}\n{"text": "late"}\n{"text": "' + huge,
        "csv": b"text\nriver\n" + huge + b"\nlate\n" + huge,
    }[kind]
    (tmp_path / f"in.{kind}").write_bytes(content)
    tally = run(tmp_path / f"in.{kind}", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "RIVER\n\nLATE\n\n"
    assert (tally.rows, tally.failed) == (4, 2)


def test_a_quotation_mark_that_is_never_closed_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_LINE_BYTES", 1000)
    (tmp_path / "in.csv").write_text('text\nriver\n"open ' + "word word\n" * 500)
    tally = run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert tally.failed >= 1
    assert csv_rows(tmp_path / "out.csv")[1] == ["river", "RIVER", ""]


def test_if_all_rows_fail_the_old_file_stays_and_the_reasons_are_reported(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"txt": "river"}\n' * 7)
    (tmp_path / "out.jsonl").write_text("old")
    with pytest.raises(
        BatchError, match=r"(?s)7 of 7 rows have no summary.*line 5: no column 'text' among: txt\n  \.\.\..*column="
    ):
        run(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_without_the_column_or_with_ours_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"in.{kind}"
    (tmp_path / "in.csv").write_text("title,summary\na,b\n")
    parquet.write_table(pa.table({"title": ["a"], "summary": ["b"]}), tmp_path / "in.parquet")
    with pytest.raises(BatchError, match=r"has a column 'summary' already.*output_column="):
        run(source, tmp_path / f"out.{kind}")
    with pytest.raises(BatchError, match=r"has no column 'text'.*column=: title, summary"):
        run(source, tmp_path / f"out.{kind}", output_column="short")
    run(source, tmp_path / f"out.{kind}", output_column="short", column="title")


def test_a_named_pipe_is_read_once_and_leaves_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "in.csv")
    writer = threading.Thread(target=(tmp_path / "in.csv").write_text, args=["id,text\n1,river x\n2,late x\n"])
    writer.start()
    run(tmp_path / "in.csv", tmp_path / "out.csv")
    writer.join()
    assert csv_rows(tmp_path / "out.csv")[1:] == [["1", "river x", "RIVER", ""], ["2", "late x", "LATE", ""]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def test_columns_have_different_names(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("river\n")
    with pytest.raises(BatchError, match="different names"):
        run(tmp_path / "in.txt", tmp_path / "out.jsonl", output_column="text")


def test_what_is_no_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.parquet").write_text("river\n")
    with pytest.raises(BatchError, match=r"Cannot read .*in\.parquet"):
        run(tmp_path / "in.parquet", tmp_path / "out.parquet")
