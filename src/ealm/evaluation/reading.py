"""Summaries for a person to read and judge: blind, shuffled, and counted afterwards.

A sheet (tab-separated) has a row for each summary and says nothing about where it comes from; the key (JSON) does.
Two systems that say the same of a text share a row: it is read once and counts for both.
"""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from ealm.common.errors import EalmError
from ealm.common.storage import parse_json, write_json, write_text
from ealm.evaluation.systems import SEED, load_system, overrun_of, parse_systems
from ealm.text.words import decode_lines

VERDICTS = ("printable", "flawed", "broken", "misleading")
"""From the best to the worst; a summary gets the worst that applies."""
COLUMNS = ("row", "verdict", "summary", "source", "note")
EMPTY = "(nothing)"
"""What the sheet shows for a summary without words."""
_WRITE = "Write printable, flawed, broken or misleading (or the first letter)."
_SHOWN = 10
"""Rows that an error message lists."""


class ReadingError(EalmError):
    """A sheet, its key or the texts for it cannot be used as they are."""


@dataclass(frozen=True, slots=True)
class ReadingText:
    """A source, and what kind of text it is ("" if nobody said)."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A summary on a sheet, with the systems that wrote it."""

    systems: tuple[str, ...]
    kind: str
    summary: str
    source: str


# Laying out -----------------------------------------------------------------------------------------------------------


def read_texts(path: Path) -> list[ReadingText]:
    """Texts one a line, or as JSONL with `text` and, if known, `kind`."""
    with path.open("rb") as file:
        lines = [(number, line.strip()) for number, line in enumerate(decode_lines(file, str(path)), start=1)]
    filled = [(number, line) for number, line in lines if line]
    if not filled:
        raise ReadingError(f"{path} is empty: there is nothing to read.")
    if path.suffix != ".jsonl":
        return [ReadingText(line) for _, line in filled]
    return [_text_of(line, f"{path}, line {number}") for number, line in filled]


def _text_of(line: str, where: str) -> ReadingText:
    try:
        record = parse_json(line)
    except ValueError as error:
        raise ReadingError(f"{where}: not JSON ({error}).") from error
    text, kind = (record.get("text"), record.get("kind", "")) if isinstance(record, dict) else (None, "")
    if not isinstance(text, str) or not text.strip() or not isinstance(kind, str):
        raise ReadingError(f'{where}: expected {{"kind": "news", "text": "..."}}, got {line[:80]}')
    return ReadingText(text, kind)


def lay_out(
    texts: Sequence[ReadingText],
    systems: str,
    *,
    words: int,
    count: int | None = None,
    seed: int = 0,
    say: Callable[[str], None] = lambda _name: None,
) -> list[Row]:
    """Shuffled rows with what each system makes of `count` texts (all by default), equally many of each kind."""
    if SEED in systems:
        raise ReadingError(f"{systems} has {SEED}: name one folder, for example ealm=runs/seed-0.")
    rng = np.random.default_rng(seed)
    numbers = _draw(texts, len(texts) if count is None else count, rng)
    said: dict[tuple[int, str], list[str]] = {}
    for spec in parse_systems(systems):
        say(spec.name)
        # A file has a line for each text, drawn or not.
        asked = range(len(texts)) if spec.kind == "file" else numbers
        system = load_system(spec, None)
        summaries = system.summarize([texts[n].text for n in asked], words=words, pretokenized=False)
        if overrun := overrun_of(system):
            say(f"{spec.name}: {overrun}")
        found = dict(zip(asked, summaries, strict=True))
        for number in numbers:
            said.setdefault((number, _one_line(found[number]) or EMPTY), []).append(spec.name)
    rows = [
        Row(tuple(names), texts[number].kind, summary, _one_line(texts[number].text))
        for (number, summary), names in said.items()
    ]
    return [rows[place] for place in rng.permutation(len(rows))]


def _draw(texts: Sequence[ReadingText], count: int, rng: np.random.Generator) -> list[int]:
    """Numbers of so many texts by chance, one of each kind in turn."""
    if count > len(texts):
        raise ReadingError(f"count={count} is more than the {len(texts):,} texts there are. Ask for fewer.")
    groups: dict[str, list[int]] = {}
    for number in rng.permutation(len(texts)).tolist():
        groups.setdefault(texts[number].kind, []).append(number)
    turns = zip_longest(*(groups[kind] for kind in sorted(groups)))
    return [number for turn in turns for number in turn if number is not None][:count]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def refuse_overwriting(*paths: Path) -> None:
    """Raise if one of the files is there: hours of reading may be in it."""
    for path in paths:
        if path.exists():
            raise ReadingError(f"{path} is there already, and may hold verdicts. Give another name or remove it.")


def write_sheet(rows: Sequence[Row], *, sheet: Path, key: Path) -> None:
    """Write the sheet for a reader and the key for whoever counts."""
    refuse_overwriting(sheet, key)
    table = io.StringIO()
    writer = csv.writer(table, dialect="excel-tab", lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((number, "", row.summary, row.source, "") for number, row in enumerate(rows, start=1))
    write_json(key, {"rows": [asdict(row) for row in rows]})
    write_text(sheet, table.getvalue())


# Reading back ---------------------------------------------------------------------------------------------------------


def read_key(path: Path) -> list[Row]:
    """The rows of a sheet with their systems."""
    try:
        rows = [_row(record) for record in parse_json(path.read_text(encoding="utf-8"))["rows"]]
    except (ValueError, TypeError, KeyError) as error:
        raise ReadingError(f"{path} is no key of `ealm read prepare`, or is damaged ({error!r}).") from error
    if not rows:
        raise ReadingError(f"{path} has no rows: there is nothing to count.")
    return rows


def _row(record: Any) -> Row:
    row = Row(tuple(record["systems"]), record["kind"], record["summary"], record["source"])
    if not row.systems or not all(isinstance(part, str) for part in (*row.systems, row.kind, row.summary, row.source)):
        raise ValueError(f"not a row: {str(record)[:80]}")
    return row


def read_verdicts(sheet: Path, rows: Sequence[Row]) -> list[str]:
    """The verdict on each row of the key; the rows of a sheet may stand in any order."""
    found: dict[int, str] = {}
    for number, record in _records(sheet):
        if not 1 <= number <= len(rows):
            raise ReadingError(f"{sheet}: row {number} is not in the key. Is it the key of another sheet?")
        if number in found:
            raise ReadingError(f"{sheet}: row {number} is there twice. Remove one of them.")
        if _one_line(record["summary"]) != rows[number - 1].summary:
            raise ReadingError(f"{sheet}: row {number} has another summary than the key. Is it the key of this sheet?")
        found[number] = _verdict(record["verdict"], f"{sheet}, row {number}")
    numbers = range(1, len(rows) + 1)
    if absent := [number for number in numbers if number not in found]:
        raise ReadingError(f"{sheet} lacks rows of the key: {_listed(absent)}. Give the whole sheet.")
    if unread := [number for number in numbers if not found[number]]:
        raise ReadingError(f"{sheet} has {len(unread):,} rows without a verdict: {_listed(unread)}. {_WRITE}")
    return [found[number] for number in numbers]


def _records(sheet: Path) -> list[tuple[int, dict[str, str]]]:
    with sheet.open("rb") as file:
        lines = list(decode_lines(file, str(sheet)))
    reader = csv.DictReader(lines, dialect="excel-tab", restval="")
    missing = [name for name in COLUMNS[:3] if name not in (reader.fieldnames or ())]
    if missing:
        raise ReadingError(f"{sheet} has no column {', '.join(missing)}: expected the sheet of `ealm read prepare`.")
    try:
        return [(int(record["row"]), record) for record in reader if any(record.values())]
    except (ValueError, csv.Error) as error:
        raise ReadingError(f"{sheet}, line {reader.line_num}: the row has no number ({error}).") from error


def _verdict(written: str, where: str) -> str:
    """The verdict in full, or nothing where nothing is written."""
    plain = written.strip().lower()
    named = [verdict for verdict in VERDICTS if plain in (verdict, verdict[0])]
    if plain and not named:
        raise ReadingError(f"{where}: unknown verdict {written.strip()!r}. {_WRITE}")
    return named[0] if named else ""


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:_SHOWN])) + (
        f" and {len(numbers) - _SHOWN:,} more" if len(numbers) > _SHOWN else ""
    )
