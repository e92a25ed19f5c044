"""Readers of rows: text lines, JSON lines, CSV. A row that cannot be used carries the reason."""

import csv
import json
import lzma
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol

from ealm.batch.file_types import decompressed
from ealm.common.errors import BatchError

MAX_LINE_BYTES = 1 << 24
"""Or characters of a CSV field. A longer line is a bad row, so that memory stays bounded."""


@dataclass(frozen=True, slots=True)
class Row:
    """A text to summarize, with its other columns."""

    number: int
    """Its line in the file (for Parquet its row), from 1."""
    text: str | None
    """None if there is no usable text; then `reason` says why."""
    reason: str | None
    record: Any
    """The columns, in the form of the file; None if they cannot be read."""


class Reader(Protocol):
    """A file of rows."""

    columns: Sequence[str] | None
    """None if every row has its own."""

    def rows(self, skip: int) -> Iterator[Row]:
        """All rows but the first so many; may be called once."""

    def position(self) -> tuple[int, int | None]:
        """How much is read, of how much in all (None if unknown)."""


class Source:
    """The bytes of a file, or of standard input (None)."""

    def __init__(self, path: Path | None, compression: str) -> None:
        self.path = path
        self._compression = compression
        self._raw: IO[bytes] | None = None
        self._read = 0
        self._size = path.stat().st_size if path is not None and path.is_file() else None

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open it at its beginning; a damaged file raises `BatchError`."""
        try:
            if self.path is None:
                yield decompressed(sys.stdin.buffer, self._compression)
                return
            with self.path.open("rb") as self._raw:
                yield decompressed(self._raw, self._compression)
                self._read = self._size or 0
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            name = self.path or "standard input"
            raise BatchError(f"Cannot read {name}: {getattr(error, 'strerror', None) or error}.") from error

    def lines(self) -> Iterator[tuple[int, bytes, bool]]:
        """Line numbers, lines, and whether each is complete; a byte-order mark is dropped."""
        with self.opened() as file:
            for number in range(1, sys.maxsize):
                line = file.readline(MAX_LINE_BYTES)
                if not line:
                    return
                whole = len(line) < MAX_LINE_BYTES or line.endswith(b"\n")
                rest = b"" if whole else line
                while rest and not rest.endswith(b"\n"):
                    rest = file.readline(MAX_LINE_BYTES)
                if self._raw is not None and self._size is not None:  # unknown for a pipe
                    self._read = self._raw.tell()
                yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line, whole

    def position(self) -> tuple[int, int | None]:
        """Bytes read of the file on disk."""
        return self._read, self._size


TOO_LONG = f"longer than {MAX_LINE_BYTES:,} bytes"


def _decoded(line: bytes, whole: bool) -> tuple[str, str | None]:
    """The line without its line break, or an empty one and the reason."""
    if not whole:
        return "", TOO_LONG
    try:
        return line.rstrip(b"\r\n").decode(), None
    except UnicodeDecodeError as error:
        return "", f"not UTF-8 (byte {line[error.start]:#04x} at {error.start})"


class TextReader:
    """One text a line."""

    def __init__(self, source: Source, column: str) -> None:
        self._source = source
        self.columns: Sequence[str] | None = [column]
        self.position = source.position

    def rows(self, skip: int) -> Iterator[Row]:
        """A line that is not UTF-8 is a bad row."""
        for number, line, whole in islice(self._source.lines(), skip, None):
            text, reason = _decoded(line, whole)
            yield Row(number, None if reason else text, reason, [text])


class JsonLinesReader:
    """One JSON object a line; blank lines do not count."""

    def __init__(self, source: Source, column: str, *, new_columns: Sequence[str]) -> None:
        """`new_columns`: names of columns that will be added."""
        self._source = source
        self._column = column
        self._new_columns = new_columns
        self.columns: Sequence[str] | None = None
        self.position = source.position

    def rows(self, skip: int) -> Iterator[Row]:
        """The record is the text of the object in the file."""
        not_blank = (entry for entry in self._source.lines() if entry[1].strip())
        for number, line, whole in islice(not_blank, skip, None):
            written, reason = _decoded(line, whole)
            if reason is not None:
                yield Row(number, None, reason, None)
            else:
                yield self._row(number, written.strip())

    def _row(self, number: int, written: str) -> Row:
        try:
            values = json.loads(written)
        except (ValueError, RecursionError) as error:
            return Row(number, None, f"not JSON: {error}", None)
        if not isinstance(values, dict):
            return Row(number, None, f"not a JSON object, but {type(values).__name__}", None)
        for name in self._new_columns:
            if name in values:
                others = {key: value for key, value in values.items() if key not in self._new_columns}
                reason = f"has a column {name!r} already; choose another output column or error column"
                return Row(number, None, reason, json.dumps(others, ensure_ascii=False))
        text, fault = usable_text(values, self._column)
        return Row(number, text, fault, written)


def usable_text(values: dict[str, Any], column: str) -> tuple[str | None, str | None]:
    """The text of a row, or why there is none."""
    if column not in values:
        return None, f"no column {column!r}"
    text = values[column]
    if not isinstance(text, str):
        found = "empty (null)" if text is None else f"{type(text).__name__}, not a string"
        return None, f"column {column!r} is {found}"
    if _has_surrogates(text):
        return None, f"column {column!r} has a lone surrogate, which is not valid text"
    return text, None


def _has_surrogates(text: str) -> bool:
    """JSON can escape them (`\\ud800`), but UTF-8 cannot encode them."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


class CsvReader:
    """Comma-separated values with a header; a quoted field may have line breaks in it."""

    def __init__(self, source: Source, column: str, *, new_columns: Sequence[str]) -> None:
        self._source = source
        self._column = column
        self.position = source.position
        self._entries = self._fields()
        header = next(self._entries, None)
        self.columns: Sequence[str] | None = header[1] if header else []
        self._text_index = check_columns(header[1], column, new_columns=new_columns, name=source.path) if header else 0

    def rows(self, skip: int) -> Iterator[Row]:
        """Once only. The record has one field for every column of the header."""
        assert self.columns is not None
        width = len(self.columns)
        for number, fields, damage in islice(self._entries, skip, None):
            reason = damage or self._fault(fields)
            text = None if reason else fields[self._text_index]
            yield Row(number, text, reason, [*fields, *[""] * width][:width])

    def _fault(self, fields: Sequence[str]) -> str | None:
        assert self.columns is not None
        if len(fields) != len(self.columns):
            return f"{len(fields)} columns, and the header has {len(self.columns)}"
        text = fields[self._text_index]
        if _has_surrogates(text):
            return f"column {self._column!r} is not UTF-8"
        return None

    def _fields(self) -> Iterator[tuple[int, list[str], str | None]]:
        """Rows with the lines they begin in; bytes that are not UTF-8 become surrogates until they are written."""
        csv.field_size_limit(MAX_LINE_BYTES)
        cut: list[int] = []

        def decoded() -> Iterator[str]:
            for number, line, whole in self._source.lines():
                if not whole:
                    cut.append(number)
                yield line.decode(errors="surrogateescape")

        reader = csv.reader(decoded())
        while True:
            number = reader.line_num + 1
            try:
                fields, reason = next(reader), None
            except StopIteration:
                return
            except csv.Error as error:
                fields, reason = [], f"not CSV: {error}"
            if cut:
                reason = TOO_LONG
                cut.clear()
            if fields or reason:
                yield number, fields, reason


def check_columns(columns: Sequence[str], column: str, *, new_columns: Sequence[str], name: Path | None) -> int:
    """Index of the text column; refuses a file that lacks it or already has one of the new columns."""
    source = name or "standard input"
    for new in new_columns:
        if new in columns:
            raise BatchError(
                f"{source} has a column {new!r} already. Choose another name with output_column= or error_column=."
            )
    if column not in columns:
        raise BatchError(f"{source} has no column {column!r}. Choose one with column=: {', '.join(columns)}")
    return list(columns).index(column)
