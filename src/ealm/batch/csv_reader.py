"""Comma-separated values: rows that may span lines, and what becomes of those that are not well-formed."""

import csv
import json
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

from ealm.batch import readers
from ealm.batch.readers import TOO_LONG, Line, Row, Source, check_columns, has_surrogates

OPEN_QUOTE = "a quotation mark opens a field in this line and is never closed"


class CsvReader:
    """Comma-separated values with a header; a quoted field may have line breaks in it."""

    def __init__(self, source: Source, column: str, *, new_columns: Sequence[str]) -> None:
        self._column = column
        self.position, self.ready = source.position, source.ready
        csv.field_size_limit(readers.MAX_LINE_BYTES)
        self._entries = _entries(source.lines())
        header = next(self._entries, None)
        self.columns: Sequence[str] | None = header[1] if header else []
        self._text_index = check_columns(header[1], column, new_columns=new_columns, name=source.path) if header else 0

    def rows(self, skip: int) -> Iterator[Row]:
        """Once only. The record has one field for every column of the header; more are told in the reason."""
        assert self.columns is not None
        width = len(self.columns)
        for number, fields, damage in islice(self._entries, skip, None):
            reason = "; ".join(filter(None, [damage, self._fault(fields, damaged=damage is not None)])) or None
            text = None if reason else fields[self._text_index]
            yield Row(number, text, reason, [*fields, *[""] * width][:width])

    def _fault(self, fields: Sequence[str], *, damaged: bool) -> str | None:
        assert self.columns is not None
        width = len(self.columns)
        if len(fields) > width:
            more = json.dumps(fields[width:], ensure_ascii=False).encode(errors="backslashreplace").decode()
            return f"{len(fields)} columns, and the header has {width}; those beyond it: {more}"
        if damaged:
            return None
        if len(fields) < width:
            return f"{len(fields)} columns, and the header has {width}"
        return f"column {self._column!r} is not UTF-8" if has_surrogates(fields[self._text_index]) else None


class _RowLines:
    """The lines of one row for the parser, which asks for the next one while a quotation mark is open."""

    def __init__(self, first: str, following: Iterator[Line]) -> None:
        self._first: str | None = first
        self._following = following
        self._size = len(first)
        self.more: list[Line] = []
        """Lines after the first."""
        self.asked = False
        """Whether the parser wanted more than the first."""

    def __iter__(self) -> "_RowLines":
        return self

    def __next__(self) -> str:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        self.asked = True
        line = next(self._following)
        self.more.append(line)
        self._size += len(line.content)
        if self._size > readers.MAX_LINE_BYTES or not line.whole:
            raise StopIteration  # so that memory stays bounded
        return _decoded(line)


def _entries(lines: Iterator[Line]) -> Iterator[tuple[int, list[str], str | None]]:
    """Rows with the lines that they begin in, and the damage; a quotation mark that stays open costs only its line."""
    returned: deque[Line] = deque()

    def following() -> Iterator[Line]:
        while True:
            if returned:
                yield returned.popleft()
            elif (line := next(lines, None)) is not None:
                yield line
            else:
                return

    while (line := next(following(), None)) is not None:
        if not line.whole:
            yield line.number, [], TOO_LONG
            continue
        row = _RowLines(_decoded(line), following())
        try:
            fields, damage = next(csv.reader(row, strict=True)), None
        except csv.Error:
            returned.extendleft(reversed(row.more))
            fields, damage = _lenient(_decoded(line))
            damage = OPEN_QUOTE if row.asked else damage
        if fields or damage:
            yield line.number, fields, damage


def _lenient(line: str) -> tuple[list[str], str | None]:
    """The fields of a single line, as far as there is a way to read it."""
    try:
        return next(csv.reader([line]), []), None
    except csv.Error as error:
        return [], f"not CSV: {error}"


def _decoded(line: Line) -> str:
    """Bytes that are not UTF-8 become surrogates until they are written."""
    return line.content.decode(errors="surrogateescape")
