"""Sheets for readers: blind, shuffled, and read back only if they are whole."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from ealm.evaluation.reading import (
    COLUMNS,
    EMPTY,
    ReadingError,
    ReadingText,
    Row,
    lay_out,
    read_key,
    read_texts,
    read_verdicts,
    write_sheet,
)

TEXTS = [
    ReadingText("the mayor of the town opens a bridge", "news"),
    ReadingText("the doctor reads the results of the test", "medical"),
    ReadingText("bring the blue folder to the meeting", "email"),
    ReadingText("the court did not hear the witness", "news"),
]
ROWS = [
    Row(("a", "b"), "news", "Mayor opens bridge.", "The mayor opens a bridge."),
    Row(("a",), "chat", '"No", he said.', 'He said "no" to us.'),
    Row(("b",), "chat", "He said.", 'He said "no" to us.'),
]


# Laying out -----------------------------------------------------------------------------------------------------------


def test_every_system_summarizes_every_text() -> None:
    rows = lay_out(TEXTS, "lead-3,lead-4", words=8)
    assert Counter((row.source, name) for row in rows for name in row.systems) == Counter(
        (text.text, name) for text in TEXTS for name in ("lead-3", "lead-4")
    )
    assert {(row.summary, row.kind) for row in rows if row.systems == ("lead-3",)} == {
        (" ".join(text.text.split()[:3]), text.kind) for text in TEXTS
    }


def test_what_two_systems_both_say_is_one_row() -> None:
    rows = lay_out(TEXTS, "lead-3,lead-9", words=3)
    assert [row.systems for row in rows] == [("lead-3", "lead-9")] * len(TEXTS)


def test_rows_are_shuffled_by_the_seed() -> None:
    texts = [ReadingText(f"text number {number} is here") for number in range(30)]
    first, again, other = (lay_out(texts, "lead-4", words=8, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert [row.source for row in first] != [text.text for text in texts]
    assert first != other
    assert sorted(row.source for row in first) == sorted(row.source for row in other)


def test_a_draw_takes_kinds_in_turn() -> None:
    texts = [ReadingText(f"{kind} text {number}", kind) for kind in ("news", "chat") for number in range(10)]
    rows = lay_out(texts[:13], "lead-2", words=2, count=6)
    assert Counter(row.kind for row in rows) == {"news": 3, "chat": 3}
    with pytest.raises(ReadingError, match="count=14 is more than the 13 texts"):
        lay_out(texts[:13], "lead-2", words=2, count=14)


def test_a_file_of_summaries_has_a_line_for_each_text_drawn_or_not(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("one\n\nthree\nfour\n", encoding="utf-8")
    rows = lay_out(TEXTS, f"file:mine={path}", words=8, count=3)
    expected = {text.text: said for text, said in zip(TEXTS, ["one", EMPTY, "three", "four"], strict=True)}
    assert len(rows) == 3
    assert all(row.summary == expected[row.source] for row in rows)


def test_one_seed_of_a_system_is_read() -> None:
    with pytest.raises(ReadingError, match="name one folder"):
        lay_out(TEXTS, "ealm=runs/{seed}", words=8)


# Texts ----------------------------------------------------------------------------------------------------------------


def test_texts_are_lines_or_records(tmp_path: Path) -> None:
    lines, records = tmp_path / "a.txt", tmp_path / "a.jsonl"
    lines.write_text("one text\n\nanother\n", encoding="utf-8")
    records.write_text('{"kind": "news", "text": "one"}\n{"text": "two"}\n', encoding="utf-8")
    assert read_texts(lines) == [ReadingText("one text"), ReadingText("another")]
    assert read_texts(records) == [ReadingText("one", "news"), ReadingText("two", "")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("\n", "is empty"),
        ('{"text": "a"}\n{"text": ""}\n', 'line 2: expected {"kind"'),
        ("[1]\n", "line 1: expected"),
        ("{\n", "line 1: not JSON"),
        ("[" * 100_000, "line 1: not JSON"),
        ('{"text": "a", "kind": 3}\n', "line 1: expected"),
    ],
)
def test_texts_that_are_none_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ReadingError, match=message):
        read_texts(path)


def test_the_project_has_two_hundred_texts_for_reading() -> None:
    texts = read_texts(Path(__file__).parents[2] / "benchmarks" / "data" / "reading.jsonl")
    assert set(Counter(text.kind for text in texts).values()) == {25}
    assert len({text.text for text in texts}) == 200
    assert all(12 <= len(text.text.split()) <= 45 for text in texts)


# Sheets ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "sheet.tsv"
    write_sheet(ROWS, sheet=path, key=tmp_path / "key.json")
    return path


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, dialect="excel-tab"))


def fill(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, dialect="excel-tab")
        writer.writeheader()
        writer.writerows(rows)


def judged(path: Path, *verdicts: str) -> list[dict[str, str]]:
    rows = [row | {"verdict": verdict} for row, verdict in zip(table(path), verdicts, strict=True)]
    fill(path, rows)
    return rows


def test_a_sheet_does_not_say_whose_summary_it_is(sheet: Path) -> None:
    rows = table(sheet)
    assert [row["row"] for row in rows] == ["1", "2", "3"]
    assert [row["summary"] for row in rows] == [row.summary for row in ROWS]
    assert all(row["verdict"] == row["note"] == "" for row in rows)
    assert tuple(rows[0]) == COLUMNS
    assert read_key(sheet.parent / "key.json") == ROWS


def test_verdicts_come_back_in_the_order_of_the_key(sheet: Path) -> None:
    rows = judged(sheet, "Printable ", "m", "BROKEN")
    assert read_verdicts(sheet, ROWS) == ["printable", "misleading", "broken"]
    fill(sheet, rows[::-1])
    assert read_verdicts(sheet, ROWS) == ["printable", "misleading", "broken"]


def test_missing_and_unknown_verdicts_are_named(sheet: Path) -> None:
    judged(sheet, "p", "", " ")
    with pytest.raises(ReadingError, match=r"2 rows without a verdict: 2, 3\. Write printable, flawed"):
        read_verdicts(sheet, ROWS)
    judged(sheet, "p", "good", "f")
    with pytest.raises(ReadingError, match=r"sheet\.tsv, row 2: unknown verdict 'good'\. Write printable"):
        read_verdicts(sheet, ROWS)


def test_a_sheet_must_be_the_one_of_the_key(sheet: Path) -> None:
    rows = judged(sheet, "p", "f", "b")
    for changed, message in [
        (rows[:2], "lacks rows of the key: 3"),
        ([*rows, rows[0]], "row 1 is there twice"),
        ([*rows, rows[0] | {"row": "4"}], "row 4 is not in the key"),
        ([rows[0] | {"summary": "Other."}, *rows[1:]], "row 1 has another summary"),
        ([rows[0] | {"row": "x"}, *rows[1:]], "line 2: the row has no number"),
    ]:
        fill(sheet, changed)
        with pytest.raises(ReadingError, match=message):
            read_verdicts(sheet, ROWS)


def test_many_rows_are_not_all_listed(tmp_path: Path) -> None:
    rows = [Row(("a",), "", f"text {number}", "text") for number in range(25)]
    write_sheet(rows, sheet=tmp_path / "s.tsv", key=tmp_path / "k.json")
    with pytest.raises(ReadingError, match=r"25 rows without a verdict: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 15 more\."):
        read_verdicts(tmp_path / "s.tsv", rows)


def test_another_table_is_no_sheet(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("row\ttext\n1\ta\n", encoding="utf-8")
    with pytest.raises(ReadingError, match="no column verdict, summary"):
        read_verdicts(path, ROWS)


def test_verdicts_are_never_overwritten(sheet: Path) -> None:
    before = sheet.read_bytes()
    with pytest.raises(ReadingError, match="may hold verdicts"):
        write_sheet(ROWS[:1], sheet=sheet, key=sheet.parent / "other.json")
    assert sheet.read_bytes() == before
    assert not (sheet.parent / "other.json").exists()


@pytest.mark.parametrize(
    "content",
    [
        *("", "{}", "[]", '{"rows": []}', '{"rows": [1]}', '{"rows": [{"systems": []}]}', "[" * 100_000, '{"rows": 3}'),
        json.dumps({"rows": [{"systems": [], "kind": "", "summary": "", "source": ""}]}),
        json.dumps({"rows": [{"systems": ["a"], "kind": 3, "summary": "", "source": ""}]}),
    ],
)
def test_a_damaged_key_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ReadingError, match=r"key\.json (is no key|has no rows)"):
        read_key(path)
