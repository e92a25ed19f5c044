"""Readers of rows: text lines, JSON lines. A row that cannot be used carries the reason."""

import json
import lzma
import sys
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from ealm.batch.encodings import Recoded, checked_encoding, guessed_encoding, looks_like
from ealm.batch.file_types import decompressed
from ealm.common.errors import BatchError, JobRequestError

MAX_LINE_BYTES = 1 << 24
"""Or characters of a CSV field. A longer line is a bad row, so that memory stays bounded."""

_BLOCK = 1 << 16


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

    def ready(self) -> bool:
        """Whether the next row can be read without waiting for whoever writes it."""


class Line(NamedTuple):
    """A line of a file."""

    number: int
    content: bytes
    whole: bool
    """Whether the content is all of it; a line that is too long is cut."""


class _Arriving:
    """Lines of a pipe, which knows whether the next one is here already."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._here = bytearray()

    @property
    def ready(self) -> bool:
        """Whether the next line can be read without waiting for whoever writes it."""
        return b"\n" in self._here

    def readline(self, limit: int) -> bytes:
        """As of a file."""
        while (end := self._here.find(b"\n", 0, limit) + 1) == 0 and len(self._here) < limit:
            block = self._file.read1(_BLOCK)  # what is here, and only if there is nothing, what comes next
            if not block:
                break
            self._here += block
        line = bytes(self._here[: end or limit])
        del self._here[: len(line)]
        return line


class Source:
    """The bytes of a file, or of standard input (None), as UTF-8."""

    def __init__(self, path: Path | None, compression: str, *, encoding: str | None = None) -> None:
        """`encoding`: None for UTF-8, unless the beginning of a file shows that it is not; then raises."""
        self.path = path
        self._name = str(path or "standard input")
        self._compression = compression
        self._encoding = "utf-8" if encoding is None else checked_encoding(encoding)
        self._raw: IO[bytes] | None = None
        self._arriving: _Arriving | None = None
        self._read = 0
        self._size = path.stat().st_size if path is not None and path.is_file() else None
        if encoding is None and self._size is not None:
            self._check_encoding()

    def _check_encoding(self) -> None:
        with closing(self.lines()) as lines:
            guess = guessed_encoding(line.content for line in lines)
        self._read = 0
        if guess is not None:
            raise JobRequestError(f"{self._name}: {looks_like(guess)} If only some lines are bad, say encoding=utf-8.")

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
        except (OSError, EOFError, UnicodeError, lzma.LZMAError, zlib.error) as error:
            as_encoding = f" as {self._encoding}" if isinstance(error, UnicodeError) else ""
            reason = getattr(error, "strerror", None) or error
            raise BatchError(f"Cannot read {self._name}{as_encoding}: {reason}.") from error

    def lines(self) -> Generator[Line, None, None]:
        """Numbered from 1; a byte-order mark is dropped."""
        with self.opened() as stream:
            file = self._utf_8(stream)
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
                yield Line(number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line, whole)

    def _utf_8(self, stream: IO[bytes]) -> IO[bytes] | Recoded | _Arriving:
        if self._encoding not in ("utf-8", "utf-8-sig"):
            return Recoded(stream, self._encoding)
        if self.path is None and not self._compression:
            self._arriving = _Arriving(stream)
            return self._arriving
        return stream

    def ready(self) -> bool:
        """Whether the next line can be read without waiting; if that is unknown, it cannot."""
        return self._size is not None or (self._arriving is not None and self._arriving.ready)

    def position(self) -> tuple[int, int | None]:
        """Bytes read of the file on disk."""
        return self._read, self._size


TOO_LONG = f"longer than {MAX_LINE_BYTES:,} bytes"


NOT_UTF_8 = "not UTF-8"
NO_COLUMN = "no column"
_NAMED_COLUMNS = 20


def decoded(line: Line) -> tuple[str, str | None]:
    """The line, or an empty one and the reason."""
    if not line.whole:
        return "", TOO_LONG
    try:
        return line.content.decode(), None
    except UnicodeDecodeError as error:
        return "", f"{NOT_UTF_8} (byte {line.content[error.start]:#04x} at {error.start})"


class TextReader:
    """One text a line."""

    def __init__(self, source: Source, column: str) -> None:
        self._source = source
        self.columns: Sequence[str] | None = [column]
        self.position, self.ready = source.position, source.ready

    def rows(self, skip: int) -> Iterator[Row]:
        """A line that is not UTF-8 is a bad row."""
        for line in islice(self._source.lines(), skip, None):
            text, reason = decoded(line)
            text = text.rstrip("\r\n")
            yield Row(line.number, None if reason else text, reason, [text])


class JsonLinesReader:
    """One JSON object a line; blank lines do not count."""

    def __init__(self, source: Source, column: str, *, new_columns: Sequence[str]) -> None:
        """`new_columns`: names of columns that will be added."""
        self._source = source
        self._column = column
        self._new_columns = new_columns
        self.columns: Sequence[str] | None = None
        self.position, self.ready = source.position, source.ready

    def rows(self, skip: int) -> Iterator[Row]:
        """The record is the text of the object in the file."""
        not_blank = (line for line in self._source.lines() if line.content.strip())
        for line in islice(not_blank, skip, None):
            written, reason = decoded(line)
            if reason is not None:
                yield Row(line.number, None, reason, None)
            else:
                yield self._row(line.number, written.strip())

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
        there = f" among: {', '.join(islice(values, _NAMED_COLUMNS))}" if values else ""
        return None, f"{NO_COLUMN} {column!r}{there}"
    text = values[column]
    if not isinstance(text, str):
        found = "empty (null)" if text is None else f"{type(text).__name__}, not a string"
        return None, f"column {column!r} is {found}"
    if has_surrogates(text):
        return None, f"column {column!r} has a lone surrogate, which is not valid text"
    return text, None


def has_surrogates(text: str) -> bool:
    """Whether some of it is not Unicode: JSON can escape them (`\\ud800`), but UTF-8 cannot encode them."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


def check_columns(columns: Sequence[str], column: str, *, new_columns: Sequence[str], name: Path | None) -> int:
    """Index of the text column; refuses a file that lacks it or already has one of the new columns."""
    source = name or "standard input"
    for new in new_columns:
        if new in columns:
            raise JobRequestError(
                f"{source} has a column {new!r} already. Choose another name with output_column= or error_column=."
            )
    if column not in columns:
        raise JobRequestError(f"{source} has no column {column!r}. Choose one with column=: {', '.join(columns)}")
    return list(columns).index(column)
