"""File types and compression, recognized by the name of a file."""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, get_args

from ealm.common.errors import JobRequestError
from ealm.common.extras import require_extra

Kind = Literal["text", "jsonl", "csv", "parquet"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_KIND_OF_ENDING: dict[str, Kind] = {
    ".txt": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_COMPRESSIONS = (".gz", ".zst", ".xz", ".bz2")

_CONVERSIONS: dict[Kind, tuple[Kind, ...]] = {
    "text": KINDS,
    "csv": KINDS,
    "jsonl": ("jsonl", "text"),  # its rows may each have other columns
    "parquet": ("parquet", "jsonl", "text"),
}


@dataclass(frozen=True, slots=True)
class FileFormat:
    """File type and compression."""

    kind: Kind
    compression: str
    """The ending that stands for it; empty for none."""

    @classmethod
    def of(cls, path: Path | None, *, kind: Kind | None = None, default: Kind = "text") -> "FileFormat":
        """Of a file by its name, or of a stream (None); `kind` overrides, `default` is for unknown endings."""
        name = path.name if path is not None else ""
        compression = next((ending for ending in _COMPRESSIONS if name.lower().endswith(ending)), "")
        ending = Path(name[: len(name) - len(compression)]).suffix.lower()
        found = cls(kind or _KIND_OF_ENDING.get(ending, default), compression)
        if found.kind == "parquet" and compression:
            raise JobRequestError(f"{path}: a Parquet file is compressed inside. Leave {compression} out.")
        if found.kind == "parquet" or compression == ".zst":
            require_extra("parquet", f"The file {path}", "pyarrow")
        return found

    def check_conversion_to(self, other: "FileFormat") -> None:
        """Refuse a conversion that would lose something."""
        if other.kind not in _CONVERSIONS[self.kind]:
            allowed = ", ".join(_CONVERSIONS[self.kind])
            raise JobRequestError(
                f"Rows of {self.kind} cannot be written as {other.kind} without loss, only as: {allowed}."
            )


def _open_zst(file: IO[bytes]) -> Any:
    import pyarrow as pa

    # Unlike other packages it notices that a file was cut off.
    return io.BufferedReader(pa.CompressedInputStream(file, "zstd"))


_OPENERS: dict[str, Callable[[IO[bytes]], Any]] = {
    "": lambda file: file,
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
    ".zst": _open_zst,
}


def decompressed(file: IO[bytes], compression: str) -> IO[bytes]:
    """The decompressed content of a stream."""
    opened: IO[bytes] = _OPENERS[compression](file)
    return opened


def _zst(data: bytes) -> bytes:
    import pyarrow as pa

    compressed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return compressed


_COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: gzip.compress(data, mtime=0),  # without the time, so that equal rows are equal bytes
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": _zst,
}


def compressed(data: bytes, compression: str) -> bytes:
    """A complete stream; concatenated streams decompress to their concatenated content."""
    return _COMPRESSORS[compression](data) if data else b""
