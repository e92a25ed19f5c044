"""The reader and the writer for each file format."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ealm.batch.csv_reader import CsvReader
from ealm.batch.file_types import FileFormat
from ealm.batch.readers import JsonLinesReader, Reader, Source, TextReader
from ealm.batch.writers import CsvWriter, JsonLinesWriter, TextWriter, Writer
from ealm.common.errors import JobRequestError


def open_reader(
    path: Path | None,
    file_format: FileFormat,
    *,
    column: str,
    new_columns: Sequence[str],
    encoding: str | None = None,
) -> Reader:
    """The rows of a file or of standard input (None); `new_columns` will be added; `encoding` as in `Source`."""
    if file_format.kind == "parquet":
        if encoding is not None:
            raise JobRequestError("A Parquet file says itself how its texts are encoded. Leave encoding= out.")
        if path is None:
            raise JobRequestError("Parquet is read from a file, not from standard input.")
        from ealm.batch.parquet import ParquetReader

        return ParquetReader(path, column, new_columns=new_columns)
    source = Source(path, file_format.compression, encoding=encoding)
    if file_format.kind == "text":
        return TextReader(source, column)
    return (JsonLinesReader if file_format.kind == "jsonl" else CsvReader)(source, column, new_columns=new_columns)


def open_writer(file_format: FileFormat, reader: Reader, *, output_column: str, error_column: str) -> Writer:
    """The writer for the rows of a reader."""
    if file_format.kind == "text":
        return TextWriter()
    if file_format.kind == "jsonl":
        return JsonLinesWriter(_to_json(reader), output_column=output_column, error_column=error_column)
    assert reader.columns is not None
    if file_format.kind == "csv":
        return CsvWriter(reader.columns, output_column=output_column, error_column=error_column)
    from ealm.batch.parquet import ParquetWriter

    schema = getattr(reader, "schema", None)
    return ParquetWriter(reader.columns, schema, output_column=output_column, error_column=error_column)


def _to_json(reader: Reader) -> Callable[[Any], str]:
    """A function that writes a record of this reader as a JSON object."""
    columns = reader.columns
    if columns is None:
        return str
    if hasattr(reader, "schema"):
        from ealm.batch.parquet import json_object

        return lambda record: json.dumps(json_object(record), ensure_ascii=False, default=str)

    def named(fields: Sequence[str]) -> str:
        # JSON cannot hold bytes that are not UTF-8.
        whole = [field.encode(errors="surrogateescape").decode(errors="replace") for field in fields]
        return json.dumps(dict(zip(columns, whole, strict=True)), ensure_ascii=False)

    return named
