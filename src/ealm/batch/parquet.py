"""Parquet: typed columns, whose types are kept.

A Parquet file cannot be read without its footer. While a job runs, the rows are Arrow IPC streams, one per chunk.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc, parquet

from ealm.batch.chunks import RowResult
from ealm.batch.readers import Row, check_columns, usable_text
from ealm.common.errors import BatchError

_READ_ROWS = 256
_READ_BYTES = 1 << 16
_GROUP_ROWS = 1 << 15
_GROUP_BYTES = 1 << 26


class ParquetReader:
    """Rows of a Parquet file, a few at a time."""

    def __init__(self, path: Path, column: str, *, new_columns: Sequence[str]) -> None:
        self._path = path
        self._column = column
        self._read = 0
        try:
            # Through a small buffer, instead of whole row groups.
            self._file = parquet.ParquetFile(path, buffer_size=_READ_BYTES, pre_buffer=False)
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:  # the last for damaged names of columns
            raise BatchError(f"Cannot read {path}: {error}") from error
        self.schema = self._file.schema_arrow
        self.columns: Sequence[str] | None = self.schema.names
        check_columns(self.schema.names, column, new_columns=new_columns, name=path)

    def rows(self, skip: int) -> Iterator[Row]:
        """The record is a table of one row."""
        try:
            for batch in self._file.iter_batches(_READ_ROWS):
                start = min(len(batch), max(0, skip - self._read))
                texts = batch.column(self._column)
                for index in range(start, len(batch)):
                    text, reason = self._text(texts[index])
                    yield Row(self._read + index + 1, text, reason, batch.slice(index, 1))
                self._read += len(batch)
        except (OSError, pa.ArrowException) as error:
            raise BatchError(f"Cannot read {self._path}: {error}") from error

    def _text(self, value: Any) -> tuple[str | None, str | None]:
        try:
            return usable_text({self._column: value.as_py()}, self._column)
        except UnicodeDecodeError:
            return None, f"column {self._column!r} is not UTF-8"

    def position(self) -> tuple[int, int | None]:
        """Rows read."""
        return self._read, self._file.metadata.num_rows

    def ready(self) -> bool:
        """A file is all there."""
        return True


def json_object(record: Any) -> dict[str, Any]:
    """The values of a row by name."""
    values: dict[str, Any] = record.to_pylist()[0]
    return values


class ParquetWriter:
    """The columns of each row, then summary and error, of which one is null."""

    def __init__(self, columns: Sequence[str], schema: Any, *, output_column: str, error_column: str) -> None:
        """`schema`: of records that are tables of one row; None for records that are lists of strings."""
        self._from_tables = schema is not None
        if schema is None:
            schema = pa.schema([(name, pa.string()) for name in columns])
        self._old = schema
        self._schema = schema.append(pa.field(output_column, pa.string())).append(pa.field(error_column, pa.string()))

    def header(self) -> bytes:
        """Names and types, even if there are no rows."""
        return self._stream(self._schema.empty_table())

    def encode(self, rows: Sequence[Row], results: Sequence[RowResult]) -> bytes:
        """A complete stream, with all dictionaries that it needs."""
        records = [row.record for row in rows]
        if self._from_tables:
            columns = pa.Table.from_batches(records).combine_chunks().columns
        else:
            width = len(self._old.names)
            columns = [pa.array([_unicode(record[index]) for record in records], pa.string()) for index in range(width)]
        summaries = pa.array([None if result.error else result.summary for result in results], pa.string())
        errors = pa.array([result.error for result in results], pa.string())
        return self._stream(pa.table([*columns, summaries, errors], schema=self._schema))

    def _stream(self, table: Any) -> bytes:
        sink = pa.BufferOutputStream()
        with ipc.new_stream(sink, self._schema) as stream:
            stream.write_table(table)
        written: bytes = sink.getvalue().to_pybytes()
        return written

    def finalize(self, grown: Path, final: Path) -> None:
        """Write the Parquet file, one row group at a time."""
        with parquet.ParquetWriter(final, self._schema) as writer:
            waiting: list[Any] = []
            for table in _tables(grown):
                waiting.append(table)
                full = sum(map(len, waiting)) >= _GROUP_ROWS
                if full or sum(part.nbytes for part in waiting) >= _GROUP_BYTES:
                    writer.write_table(_joined(waiting))
                    waiting = []
            if waiting:
                writer.write_table(_joined(waiting))


def _tables(grown: Path) -> Iterator[Any]:
    with pa.OSFile(str(grown), "rb") as file:
        while file.tell() < file.size():
            table = ipc.open_stream(file).read_all()
            if len(table):
                yield table


def _joined(tables: Sequence[Any]) -> Any:
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


def _unicode(text: str) -> str:
    """Parquet strings cannot hold bytes that are not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="replace")
