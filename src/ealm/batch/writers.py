"""Rows with their summaries as bytes: text lines, JSON lines, CSV. Chunks, one behind the other, make the file."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from ealm.batch.chunks import Answer
from ealm.batch.readers import Row


class Writer(Protocol):
    """A kind of file that grows."""

    def header(self) -> bytes:
        """What stands before all rows."""

    def encode(self, rows: Sequence[Row], answers: Sequence[Answer]) -> bytes:
        """Some rows."""

    @property
    def finished(self) -> Callable[[Path, Path], None] | None:
        """Makes the real file (second) of the grown one (first), where that is not one already."""


class TextWriter:
    """One summary a line and nothing else; an empty line for a bad row."""

    finished = None

    def header(self) -> bytes:
        return b""

    def encode(self, rows: Sequence[Row], answers: Sequence[Answer]) -> bytes:
        """The summary of a text with line breaks becomes one line."""
        del rows
        return "".join(" ".join(answer.summary.split("\n")) + "\n" for answer in answers).encode()


class JsonLinesWriter:
    """The object of each row with one column more: the summary or, for a bad row, the error."""

    finished = None

    def __init__(self, written: Callable[[Any], str], *, output_column: str, error_column: str) -> None:
        """`written`: the record of a row as a JSON object."""
        self._written = written
        self._output_column = output_column
        self._error_column = error_column

    def header(self) -> bytes:
        return b""

    def encode(self, rows: Sequence[Row], answers: Sequence[Answer]) -> bytes:
        written = "".join(self._line(row, answer) for row, answer in zip(rows, answers, strict=True))
        return written.encode(errors="backslashreplace")  # half of a character has no bytes, but JSON has a name for it

    def _line(self, row: Row, answer: Answer) -> str:
        """The text of the object stays as it is, so that numbers and escapes do too."""
        if answer.error is None:
            name, value = self._output_column, answer.summary
        else:
            name, value = self._error_column, answer.error
        new = f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        old = self._written(row.record)[1:-1].strip() if row.record is not None else ""
        return f"{{{old}, {new}}}\n" if old else f"{{{new}}}\n"


class CsvWriter:
    """The fields of each row, then summary and error, of which one is empty."""

    finished = None

    def __init__(self, columns: Sequence[str], *, output_column: str, error_column: str) -> None:
        self._columns = [*columns, output_column, error_column] if columns else []

    def header(self) -> bytes:
        """Empty for a file without even a header."""
        return _csv_lines([self._columns]) if self._columns else b""

    def encode(self, rows: Sequence[Row], answers: Sequence[Answer]) -> bytes:
        return _csv_lines(
            [[*row.record, answer.summary, answer.error or ""] for row, answer in zip(rows, answers, strict=True)]
        )


def _csv_lines(rows: Sequence[Sequence[str]]) -> bytes:
    """Lines that end with a line feed; the csv module quotes every line break only if it writes both kinds."""
    lines = []
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\r\n").writerow(row)
        lines.append(line.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines).encode(errors="surrogateescape")
