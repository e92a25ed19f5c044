"""The reader and the writer for the rows of a job."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ealm.batch.file_types import Form
from ealm.batch.readers import CsvReader, JsonLinesReader, Reader, Source, TextReader
from ealm.batch.writers import CsvWriter, JsonLinesWriter, TextWriter, Writer
from ealm.common.errors import BatchError


def open_reader(path: Path | None, form: Form, *, column: str, taken: Sequence[str]) -> Reader:
    """The rows of a file or of standard input (None); `taken` are the names of the columns to come."""
    if form.kind == "parquet":
        if path is None:
            raise BatchError("Parquet is read from a file, not from standard input.")
        from ealm.batch.parquet import ParquetReader

        return ParquetReader(path, column, taken=taken)
    source = Source(path, form.compression)
    if form.kind == "text":
        return TextReader(source, column)
    return (JsonLinesReader if form.kind == "jsonl" else CsvReader)(source, column, taken=taken)


def open_writer(form: Form, reader: Reader, *, output_column: str, error_column: str) -> Writer:
    """What writes the rows of a reader."""
    if form.kind == "text":
        return TextWriter()
    if form.kind == "jsonl":
        return JsonLinesWriter(_object_of(reader), output_column=output_column, error_column=error_column)
    assert reader.columns is not None
    if form.kind == "csv":
        return CsvWriter(reader.columns, output_column=output_column, error_column=error_column)
    from ealm.batch.parquet import ParquetWriter

    schema = getattr(reader, "schema", None)
    return ParquetWriter(reader.columns, schema, output_column=output_column, error_column=error_column)


def _object_of(reader: Reader) -> Callable[[Any], str]:
    """How a record of this reader is written as a JSON object."""
    columns = reader.columns
    if columns is None:
        return str
    if hasattr(reader, "schema"):
        from ealm.batch.parquet import json_object

        return lambda record: json.dumps(json_object(record), ensure_ascii=False, default=str)

    def named(fields: Sequence[str]) -> str:
        # Bytes that are not UTF-8 have no place in JSON.
        whole = [field.encode(errors="surrogateescape").decode(errors="replace") for field in fields]
        return json.dumps(dict(zip(columns, whole, strict=True)), ensure_ascii=False)

    return named
