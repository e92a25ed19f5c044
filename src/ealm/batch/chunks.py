"""Chunks of rows, their results, and the counts of a job."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ealm.batch.readers import Row

LISTED_ERRORS = 5
"""Failed rows that are listed one by one."""

LISTED_CHARACTERS = 200
"""Of a reason in that list; the output has all of it."""

CHUNK_ROWS = 128
"""Rows that are summarized together, for any number of workers; a kill loses no more than that for each of them."""

CHUNK_CHARACTERS = 1 << 20
"""Total of the texts in a chunk; a longer text is a chunk of its own."""


@dataclass(frozen=True, slots=True)
class RowResult:
    """A summary, or the reason why there is none."""

    summary: str = ""
    error: str | None = None


@dataclass(slots=True)
class Chunk:
    """Rows that are summarized together; always the same ones, since batching can change the last digits of a score."""

    rows: list[Row]
    position: tuple[int, int | None]
    """How far the input was read for it."""

    def texts(self) -> list[str]:
        """The texts to summarize."""
        return [row.text for row in self.rows if row.text is not None]

    def row_results(self, found: Sequence[RowResult]) -> list[RowResult]:
        """A result for each row, given those of the texts."""
        rest = iter(found)
        return [next(rest) if row.text is not None else RowResult(error=row.reason) for row in self.rows]


def cut_into_chunks(
    rows: Iterable[Row], *, max_rows: int, max_characters: int, ready: Callable[[], bool] = lambda: True
) -> Iterator[list[Row]]:
    """Rows in order; where a chunk ends depends only on the rows since the end of the last one.

    Unless the next row is not `ready`: then those before it do not wait for it.
    """
    chunk: list[Row] = []
    characters = 0
    for row in rows:
        length = len(row.text or "")
        if chunk and (len(chunk) == max_rows or characters + length > max_characters):
            yield chunk
            chunk, characters = [], 0
        chunk.append(row)
        characters += length
        if not ready():
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


@dataclass(slots=True)
class Tally:
    """Rows done, how many of them failed, and the reasons for the first failures."""

    rows: int = 0
    failed: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)
    """Row number and reason."""

    @classmethod
    def of(cls, rows: Sequence[Row], results: Sequence[RowResult]) -> "Tally":
        """Of one chunk."""
        bad = [
            (row.number, _shortened(result.error))
            for row, result in zip(rows, results, strict=True)
            if result.error is not None
        ]
        return cls(len(rows), len(bad), bad[:LISTED_ERRORS])

    def add(self, other: "Tally") -> None:
        """Add the counts of what follows."""
        self.rows += other.rows
        self.failed += other.failed
        self.first = (self.first + other.first)[:LISTED_ERRORS]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"rows": self.rows, "failed": self.failed, "first": self.first}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Tally":
        """The inverse of `to_dict`."""
        first = [(int(number), str(reason)) for number, reason in values["first"]]
        return cls(int(values["rows"]), int(values["failed"]), first)


def _shortened(reason: str) -> str:
    return reason if len(reason) <= LISTED_CHARACTERS else f"{reason[: LISTED_CHARACTERS - 2]} …"
