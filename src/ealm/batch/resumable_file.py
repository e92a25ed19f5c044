"""An output file that is complete or absent, and can be continued after a kill.

`.OUT.partial` takes the bytes; `.OUT.partial.journal` records the identity of the job and, in a line for each chunk,
the length of `.OUT.partial` after it. A chunk counts once its line is written; bytes after that are truncated and
written again.
"""

import errno
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from ealm.batch.chunks import Tally
from ealm.common.errors import BatchError


class Sink(Protocol):
    """Where the rows of a job go."""

    tally: Tally
    """Counts of all rows that are written."""

    def append(self, data: bytes, tally: Tally) -> None:
        """Write a chunk."""

    def finish(self, finalize: Callable[[Path, Path], None] | None) -> None:
        """Called when all is written; `finalize` as in `Writer`."""

    def discard(self) -> None:
        """Remove what was written."""


class OutputStream:
    """Standard output, a pipe or a device."""

    def __init__(self, file: IO[bytes]) -> None:
        self.tally = Tally()
        self._file = file

    def append(self, data: bytes, tally: Tally) -> None:
        self._file.write(data)
        self._file.flush()
        self.tally.add(tally)

    def finish(self, finalize: Callable[[Path, Path], None] | None) -> None:
        assert finalize is None

    def discard(self) -> None:
        """Nothing can be removed from a stream."""


@dataclass(frozen=True, slots=True)
class _Journal:
    """The content of a journal."""

    identity: dict[str, Any] | None
    entries: tuple[tuple[int, Tally, int], ...]
    """For each chunk: length of the file after it, its counts, and length of the journal after its line."""
    finished: bool

    @classmethod
    def parse(cls, content: bytes) -> "_Journal":
        """Stops at the first incomplete line."""
        identity, entries, finished, end = None, [], False, 0
        for line in content.splitlines(keepends=True):
            end += len(line)
            try:
                values = json.loads(line) if line.endswith(b"\n") else None
                if not isinstance(values, dict):
                    break
                if "job" in values:
                    identity = dict(values["job"])
                elif "bytes" in values:
                    entries.append((int(values["bytes"]), Tally.from_dict(values), end))
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):  # not what we wrote
                break
            finished = finished or "finished" in values
        return cls(identity, tuple(entries), finished)


class ResumableFile:
    """The unfinished file for a target; locked, so that only one process writes it."""

    def __init__(self, target: Path, identity: Mapping[str, Any], *, resume: bool, restart: bool) -> None:
        """`identity`: everything that affects the output; a job is only resumed with the same identity.

        An unfinished job is an error without `resume` or `restart`, unless it cannot be resumed anyway.
        """
        self.target = target.resolve()
        self.tally = Tally()
        self.complete = False
        """Whether an earlier process finished the file but was killed before it removed the journal."""
        self._part = self.target.with_name(f".{self.target.name}.partial")
        self._journal = self.target.with_name(f".{self.target.name}.partial.journal")
        self._end = 0
        if not self.target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(self.target.parent))
        try:
            self._journal_file = os.open(self._journal, os.O_RDWR | os.O_CREAT, 0o666)
            self._lock()
            self._part_file = -1
            try:
                self._open(json.loads(json.dumps(dict(identity))), resume=resume, restart=restart)
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise BatchError(f"Cannot write to {self.target.parent}: {error.strerror or error}.") from error

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        import fcntl

        try:
            fcntl.flock(self._journal_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._journal_file)
            raise BatchError(f"Another process is writing {self.target}. Wait for it, or stop it.") from error

    def _open(self, identity: dict[str, Any], *, resume: bool, restart: bool) -> None:
        journal = _Journal.parse(self._journal.read_bytes())
        exists = self._part.exists()
        if resume and journal.finished and not exists and journal.identity == identity:
            self.complete = True
            self._add(journal.entries)
            return
        begun = exists and any(tally.rows for _, tally, _ in journal.entries)
        unfinished = begun and journal.identity is not None and journal.identity.get("input") is not None
        if unfinished and resume:
            self._check(journal.identity or {}, identity)
        elif unfinished and not restart:
            raise BatchError(
                f"There is an unfinished job for {self.target}. Continue it with resume=, or discard it with restart=."
            )
        resumed = unfinished and resume
        self._part_file = os.open(self._part, os.O_WRONLY | os.O_CREAT, 0o666)
        size = os.fstat(self._part_file).st_size
        entries = tuple(entry for entry in journal.entries if entry[0] <= size) if resumed else ()
        if not any(tally.rows for _, tally, _ in entries):
            entries = ()
        self._end = self._add(entries)
        os.ftruncate(self._part_file, self._end)
        os.lseek(self._part_file, 0, os.SEEK_END)
        if entries:
            os.ftruncate(self._journal_file, entries[-1][2])
            os.lseek(self._journal_file, 0, os.SEEK_END)
        else:
            os.ftruncate(self._journal_file, 0)
            self._log({"job": identity})

    def _add(self, entries: tuple[tuple[int, Tally, int], ...]) -> int:
        """Count earlier chunks; returns where the last one ends."""
        for _, tally, _ in entries:
            self.tally.add(tally)
        return entries[-1][0] if entries else 0

    def _check(self, before: dict[str, Any], identity: dict[str, Any]) -> None:
        names = sorted(name for name in before.keys() | identity.keys() if before.get(name) != identity.get(name))
        if names:
            raise BatchError(
                f"The unfinished job for {self.target} was started with another {', '.join(names)}. "
                "Continue with the same input, options and model, or discard it with restart=."
            )

    def append(self, data: bytes, tally: Tally) -> None:
        """Write a chunk; it counts once it is on disk."""
        try:
            _write(self._part_file, data)
            os.fsync(self._part_file)
            self._end += len(data)
            self._log({"bytes": self._end, **tally.to_dict()})
        except OSError as error:
            raise BatchError(
                f"Cannot write {self._part}: {error.strerror or error}. "
                f"{self.tally.rows:,} rows are kept: fix the cause, and continue with resume=."
            ) from error
        self.tally.add(tally)

    def _log(self, values: dict[str, Any]) -> None:
        _write(self._journal_file, json.dumps(values, ensure_ascii=False).encode() + b"\n")

    def finish(self, finalize: Callable[[Path, Path], None] | None) -> None:
        """Move the file to its target; an old file there is kept until then."""
        if not self.complete:
            try:
                self._finish(finalize)
            except OSError as error:
                raise BatchError(
                    f"Cannot write {self.target}: {error.strerror or error}. All rows are kept: "
                    "fix the cause, and continue with resume=."
                ) from error
        self._part.unlink(missing_ok=True)
        self._journal.unlink(missing_ok=True)

    def _finish(self, finalize: Callable[[Path, Path], None] | None) -> None:
        ready = self._part
        if finalize is not None:
            ready = self._part.with_name(f"{self._part.name}.final")
            try:
                finalize(self._part, ready)
                with ready.open("rb") as file:
                    os.fsync(file.fileno())
            except BaseException:
                ready.unlink(missing_ok=True)  # it is written again on resume, and a full disk needs the space
                raise
        if self.target.exists():
            ready.chmod(self.target.stat().st_mode & 0o777)
        self._log({"finished": True})
        ready.replace(self.target)

    def discard(self) -> None:
        """Remove all files."""
        self._part.unlink(missing_ok=True)
        self._journal.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock."""
        for file in (self._part_file, self._journal_file):
            if file >= 0:
                os.close(file)


def _write(file: int, data: bytes) -> None:
    """Write all of it, unbuffered: a buffer would be written again when the file is closed after a failure."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]
