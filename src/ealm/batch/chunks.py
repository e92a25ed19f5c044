"""What becomes of a row, and what went wrong in a job so far."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ealm.batch.readers import Row

LISTED = 5
"""Bad rows that are named one by one."""

CHUNK_ROWS = 128
"""Rows that are worked on together, and what a kill can lose for each worker; the same for any number of them."""

CHUNK_CHARACTERS = 1 << 20
"""Of the texts in a chunk; a longer text is a chunk of its own."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A summary, or the reason why there is none."""

    summary: str = ""
    error: str | None = None


@dataclass(slots=True)
class Chunk:
    """Rows that are worked on together, always the same ones: how they are batched may show in the last digits."""

    rows: list[Row]
    position: tuple[int, int | None]
    """How far the input was read for it."""

    def texts(self) -> list[str]:
        """What there is to shorten."""
        return [row.text for row in self.rows if row.text is not None]

    def answers(self, found: Sequence[Answer]) -> list[Answer]:
        """One for each row, from those for the texts."""
        rest = iter(found)
        return [next(rest) if row.text is not None else Answer(error=row.reason) for row in self.rows]


def cut_into_chunks(rows: Iterable[Row], *, most_rows: int, most_characters: int) -> Iterator[list[Row]]:
    """Rows in order; where a cut falls depends on nothing but the rows behind the one before."""
    chunk: list[Row] = []
    characters = 0
    for row in rows:
        length = len(row.text or "")
        if chunk and (len(chunk) == most_rows or characters + length > most_characters):
            yield chunk
            chunk, characters = [], 0
        chunk.append(row)
        characters += length
    if chunk:
        yield chunk


@dataclass(slots=True)
class Tally:
    """Rows that are done, how many of them failed, and why the first of those did."""

    rows: int = 0
    failed: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)
    """Number and reason."""

    @classmethod
    def of(cls, rows: Sequence[Row], answers: Sequence[Answer]) -> "Tally":
        """Of one chunk."""
        bad = [
            (row.number, answer.error) for row, answer in zip(rows, answers, strict=True) if answer.error is not None
        ]
        return cls(len(rows), len(bad), bad[:LISTED])

    def add(self, other: "Tally") -> None:
        """Count what came next."""
        self.rows += other.rows
        self.failed += other.failed
        self.first = (self.first + other.first)[:LISTED]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"rows": self.rows, "failed": self.failed, "first": self.first}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Tally":
        """What `to_dict` gave."""
        first = [(int(number), str(reason)) for number, reason in values["first"]]
        return cls(int(values["rows"]), int(values["failed"]), first)
