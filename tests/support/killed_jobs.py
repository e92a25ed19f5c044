"""Jobs over files, and what a killed one must leave behind."""

import csv
import gzip
import json
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

OLD = b"what was here before"


def write_input(path: Path, texts: list[str]) -> None:
    rows = [{"number": number, "text": text} for number, text in enumerate(texts)]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([["number", "text"], *(list(row.values()) for row in rows)])
    elif path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(texts) + "\n")


def rows_of(path: Path) -> int:
    """Rows of a finished file, its header left out."""
    if path.suffix == ".parquet":
        return int(parquet.read_metadata(path).num_rows)
    if path.suffix == ".zst":
        return int(pa.input_stream(path, compression="zstd").read().count(b"\n"))
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).count(b"\n") - 1
    return path.read_bytes().count(b"\n")
