"""Files that are not what they should be: another encoding, CSV that is not well-formed, words without end."""

import csv
import json
import resource
import time
from pathlib import Path
from typing import Any

import pytest
from batch_fakes import FakeRecipe

from ealm.batch import readers
from ealm.batch.chunks import Tally
from ealm.batch.csv_reader import OPEN_QUOTE
from ealm.batch.job import Job, failures
from ealm.common.errors import BatchError

LATIN = ["Zürich river", "café late", "plain", "für storm"]


def run(source: Path, output: Path, **options: Any) -> Tally:
    return Job(input=source, output=output, chunk_rows=3, quiet=True, **options).run(FakeRecipe())


def csv_rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


# Encodings ------------------------------------------------------------------------------------------------------------


def rows_as(kind: str, texts: list[str]) -> str:
    if kind == "jsonl":
        return "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)
    return ("text\n" if kind == "csv" else "") + "".join(f"{text}\n" for text in texts)


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv"])
@pytest.mark.parametrize(
    ("encoding", "name"), [("latin-1", "Latin-1"), ("cp1252", "Windows-1252"), ("utf-16", "UTF-16")]
)
def test_another_encoding_is_named_with_the_option_that_reads_it(
    tmp_path: Path, kind: str, encoding: str, name: str
) -> None:
    texts = [*LATIN, "it’s – late"] if encoding == "cp1252" else LATIN
    source, output = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    source.write_bytes(rows_as(kind, texts).encode(encoding))
    with pytest.raises(
        BatchError, match=rf"in\.{kind}: It is not UTF-8, and looks like {name}: say encoding={encoding}"
    ):
        run(source, output)
    assert list(tmp_path.iterdir()) == [source]
    assert run(source, output, encoding=encoding).failed == 0
    (tmp_path / f"plain.{kind}").write_text(rows_as(kind, texts), encoding="utf-8")
    run(tmp_path / f"plain.{kind}", tmp_path / f"expected.{kind}")
    assert output.read_bytes() == (tmp_path / f"expected.{kind}").read_bytes()


def test_utf_8_with_bad_lines_is_still_utf_8(tmp_path: Path) -> None:
    good, bad = "Zürich river\n".encode(), "Zürich river\n".encode("latin-1")
    for number, content in enumerate([good + bad + bad, b"late\n" + bad, b"\xff\xfa\n" * 3 + b"late\n"]):
        (tmp_path / "in.txt").write_bytes(content)
        tally = run(tmp_path / "in.txt", tmp_path / f"out{number}.txt")
        assert 0 < tally.failed < tally.rows
        assert "name its encoding, for example encoding=latin-1" in failures(tally, unit="line")
    (tmp_path / "in.txt").write_bytes(b"late\n" + bad + bad)
    assert run(tmp_path / "in.txt", tmp_path / "out.txt", encoding="utf-8").failed == 2


def test_what_an_encoding_cannot_decode_is_a_bad_row_or_a_bad_file(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(b"late \x81\nriver\n")  # no character of Windows-1252
    tally = run(tmp_path / "in.txt", tmp_path / "out.txt", encoding="cp1252")
    assert tally.first == [(1, "not UTF-8 (byte 0x81 at 5)")]
    (tmp_path / "in.txt").write_bytes("river\n".encode("utf-16") + b"x")
    with pytest.raises(BatchError, match=r"Cannot read .*in\.txt as utf-16: .*truncated"):
        run(tmp_path / "in.txt", tmp_path / "other.txt", encoding="utf-16")


# CSV ------------------------------------------------------------------------------------------------------------------


def test_fields_beyond_the_header_are_kept_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b'id,text\n1,late storm,"x, ""y""",\xff\n2,river\n')
    tally = run(tmp_path / "in.csv", tmp_path / "out.csv")
    _, bad, good = csv_rows(tmp_path / "out.csv")
    assert bad[:3] == ["1", "late storm", ""]
    assert bad[3].startswith("4 columns, and the header has 2; those beyond it: ")
    assert json.loads(bad[3].partition("beyond it: ")[2]) == ['x, "y"', "\udcff"]
    assert (good, tally.failed) == (["2", "river", "RIVER", ""], 1)


def test_a_long_reason_is_shortened_where_it_is_told_and_whole_where_it_is_kept(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("text\nriver\nlate," + "word " * 1000 + "\n")
    tally = run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert len(csv_rows(tmp_path / "out.csv")[2][2]) > 5000
    assert len(tally.first[0][1]) == 200


@pytest.mark.parametrize(
    "rest",
    [
        "3,storm\n4,late\n",  # the mark is open to the end of the file
        '3,storm\n4,late "quoted" word\n5,"a, b"\n',  # another mark closes it, far away
        '3,storm\n4,"late, storm"\n',
    ],
)
def test_a_quotation_mark_that_is_never_closed_costs_only_its_line(tmp_path: Path, rest: str) -> None:
    (tmp_path / "in.csv").write_text('id,text\n1,river\n2,"open word\n' + rest)
    (tmp_path / "rest.csv").write_text("id,text\n" + rest)
    tally = run(tmp_path / "in.csv", tmp_path / "out.csv")
    run(tmp_path / "rest.csv", tmp_path / "expected.csv")
    assert tally.first == [(3, OPEN_QUOTE)]
    found = csv_rows(tmp_path / "out.csv")
    assert found[2] == ["2", "open word\n", "", OPEN_QUOTE]
    assert found[3:] == csv_rows(tmp_path / "expected.csv")[1:]


def test_quoted_line_breaks_and_marks_inside_of_words_are_no_damage(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('text,n\n"two\nlines, ""one"" row",1\n6" nails,2\n"late"r storm,3\n')
    tally = run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert tally.failed == 0
    assert [row[0] for row in csv_rows(tmp_path / "out.csv")[1:]] == [
        'two\nlines, "one" row',
        '6" nails',
        "later storm",
    ]


def test_a_job_goes_on_after_a_line_that_was_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.csv").write_text('id,text\n1,"open\n2,a\n3,b\n4,c\n5,"x\ny"\n')
    run(tmp_path / "in.csv", tmp_path / "whole.csv")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("ealm.batch.resumable_file.ResumableFile.finish", stop)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "in.csv", tmp_path / "out.csv")
    run(tmp_path / "in.csv", tmp_path / "out.csv", resume=True)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


# Size -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv"])
def test_a_line_far_beyond_the_limit_takes_neither_time_nor_memory(tmp_path: Path, kind: str) -> None:
    source, block = tmp_path / f"in.{kind}", b"x" * (1 << 20)
    before, after = {"jsonl": (b'{"text": "', b'"}\n'), "csv": (b'"', b'"\n'), "txt": (b"", b"\n")}[kind]
    with source.open("wb") as file:
        file.write(b"text\n" if kind == "csv" else b"")
        file.write(before)
        for _ in range(200):
            file.write(block)
        file.write(after + before + b"river rises" + after)
    most, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    tally = run(source, tmp_path / f"out.{kind}")
    assert (tally.rows, tally.failed) == (2, 1)
    assert tally.first[0][1] == readers.TOO_LONG
    assert time.monotonic() - begun < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < 130 << 10  # KiB: of 200 MiB
