"""Rows of a file, one after the other: text lines, JSON lines, CSV; what is wrong with a row is told with it."""

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

LONGEST_LINE = 1 << 24
"""Bytes of a line, or characters of a CSV field. What is longer is a bad row, so that memory stays bounded."""


@dataclass(frozen=True, slots=True)
class Row:
    """One text to shorten, with all that came with it."""

    number: int
    """Its line in the file (for Parquet its row), from 1."""
    text: str | None
    """None where there is none to shorten; then `reason` says why."""
    reason: str | None
    record: Any
    """Its other columns, in the form of its file; None if they cannot be read."""


class Reader(Protocol):
    """A file of rows."""

    columns: Sequence[str] | None
    """None where every row has its own."""

    def rows(self, skip: int) -> Iterator[Row]:
        """All rows but the first so many; asked for once."""

    def position(self) -> tuple[int, int | None]:
        """How much is read, of how much in all (None if nobody knows)."""


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
        """Read it from its beginning; damage is told as such."""
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
        """Numbered lines, and whether each is whole; a byte-order mark is dropped."""
        with self.opened() as file:
            for number in range(1, sys.maxsize):
                line = file.readline(LONGEST_LINE)
                if not line:
                    return
                whole = len(line) < LONGEST_LINE or line.endswith(b"\n")
                rest = b"" if whole else line
                while rest and not rest.endswith(b"\n"):
                    rest = file.readline(LONGEST_LINE)
                if self._raw is not None and self._size is not None:  # a pipe cannot tell
                    self._read = self._raw.tell()
                yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line, whole

    def position(self) -> tuple[int, int | None]:
        """Bytes read of the file as it lies on the disk."""
        return self._read, self._size


TOO_LONG = f"longer than {LONGEST_LINE:,} bytes"


def _decoded(line: bytes, whole: bool) -> tuple[str, str | None]:
    """The line without its end, or an empty one and why."""
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

    def __init__(self, source: Source, column: str, *, taken: Sequence[str]) -> None:
        """`taken`: names of columns that will be added."""
        self._source = source
        self._column = column
        self._taken = taken
        self.columns: Sequence[str] | None = None
        self.position = source.position

    def rows(self, skip: int) -> Iterator[Row]:
        """The record is the object as it is written in the file."""
        spoken = (entry for entry in self._source.lines() if entry[1].strip())
        for number, line, whole in islice(spoken, skip, None):
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
        for name in self._taken:
            if name in values:
                others = {key: value for key, value in values.items() if key not in self._taken}
                reason = f"has a column {name!r} already: give another name with --output-column or --error-column"
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
    if _has_half_characters(text):
        return None, f"column {column!r} has half of a character, which is no text"
    return text, None


def _has_half_characters(text: str) -> bool:
    """JSON can name them (`\\ud800`), but nothing can write them."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


class CsvReader:
    """Comma-separated values with a header; a quoted field may have line breaks in it."""

    def __init__(self, source: Source, column: str, *, taken: Sequence[str]) -> None:
        self._source = source
        self._column = column
        self.position = source.position
        self._entries = self._fields()
        header = next(self._entries, None)
        self.columns: Sequence[str] | None = header[1] if header else []
        self._place = check_columns(header[1], column, taken=taken, name=source.path) if header else 0

    def rows(self, skip: int) -> Iterator[Row]:
        """Once only. The record has one field for every column of the header."""
        assert self.columns is not None
        width = len(self.columns)
        for number, fields, damage in islice(self._entries, skip, None):
            reason = damage or self._fault(fields)
            text = None if reason else fields[self._place]
            yield Row(number, text, reason, [*fields, *[""] * width][:width])

    def _fault(self, fields: Sequence[str]) -> str | None:
        assert self.columns is not None
        if len(fields) != len(self.columns):
            return f"{len(fields)} columns, and the header has {len(self.columns)}"
        text = fields[self._place]
        if _has_half_characters(text):
            return f"column {self._column!r} is not UTF-8"
        return None

    def _fields(self) -> Iterator[tuple[int, list[str], str | None]]:
        """Rows with the lines they begin in; bytes that are not UTF-8 become half characters and come out as bytes."""
        csv.field_size_limit(LONGEST_LINE)
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


def check_columns(columns: Sequence[str], column: str, *, taken: Sequence[str], name: Path | None) -> int:
    """Place of the column with the texts; refuses a file that lacks it or has a name that is to be added."""
    place = name or "standard input"
    for new in taken:
        if new in columns:
            raise BatchError(
                f"{place} has a column {new!r} already. Give another name with --output-column or --error-column."
            )
    if column not in columns:
        raise BatchError(f"{place} has no column {column!r}. Name one with --column: {', '.join(columns)}")
    return list(columns).index(column)
