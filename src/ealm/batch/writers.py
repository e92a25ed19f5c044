"""Writers of rows with their summaries: text lines, JSON lines, CSV. The file is the concatenation of the chunks."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from ealm.batch.chunks import RowResult
from ealm.batch.readers import Row


class Writer(Protocol):
    """Encodes rows, chunk by chunk."""

    def header(self) -> bytes:
        """What comes before all rows."""

    def encode(self, rows: Sequence[Row], results: Sequence[RowResult]) -> bytes:
        """A chunk of rows."""

    @property
    def finalize(self) -> Callable[[Path, Path], None] | None:
        """Converts the concatenated chunks (first path) to the final file (second); None if they are the same."""


class TextWriter:
    """One summary per line; an empty line for a bad row."""

    finalize = None

    def header(self) -> bytes:
        return b""

    def encode(self, rows: Sequence[Row], results: Sequence[RowResult]) -> bytes:
        """The summary of a text with line breaks becomes one line."""
        del rows
        return "".join(" ".join(result.summary.split("\n")) + "\n" for result in results).encode()


class JsonLinesWriter:
    """The object of each row with one more column: the summary or, for a bad row, the error."""

    finalize = None

    def __init__(self, to_json: Callable[[Any], str], *, output_column: str, error_column: str) -> None:
        """`to_json`: writes the record of a row as a JSON object."""
        self._to_json = to_json
        self._output_column = output_column
        self._error_column = error_column

    def header(self) -> bytes:
        return b""

    def encode(self, rows: Sequence[Row], results: Sequence[RowResult]) -> bytes:
        lines = "".join(self._line(row, result) for row, result in zip(rows, results, strict=True))
        return lines.encode(errors="backslashreplace")  # UTF-8 has no lone surrogates, but JSON can escape them

    def _line(self, row: Row, result: RowResult) -> str:
        """The text of the object is kept, and with it the form of numbers and escapes."""
        if result.error is None:
            name, value = self._output_column, result.summary
        else:
            name, value = self._error_column, result.error
        new = f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        old = self._to_json(row.record)[1:-1].strip() if row.record is not None else ""
        return f"{{{old}, {new}}}\n" if old else f"{{{new}}}\n"


class CsvWriter:
    """The fields of each row, then summary and error, of which one is empty."""

    finalize = None

    def __init__(self, columns: Sequence[str], *, output_column: str, error_column: str) -> None:
        self._columns = [*columns, output_column, error_column] if columns else []

    def header(self) -> bytes:
        """Empty if the input has no header."""
        return _csv_lines([self._columns]) if self._columns else b""

    def encode(self, rows: Sequence[Row], results: Sequence[RowResult]) -> bytes:
        return _csv_lines(
            [[*row.record, result.summary, result.error or ""] for row, result in zip(rows, results, strict=True)]
        )


def _csv_lines(rows: Sequence[Sequence[str]]) -> bytes:
    """Lines that end with a line feed; the csv module quotes every line break only if it writes both kinds."""
    lines = []
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\r\n").writerow(row)
        lines.append(line.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines).encode(errors="surrogateescape")
