"""An output file that is complete or absent, and can be continued after a kill.

`.OUT.partial` takes the bytes, `.OUT.partial.errors` those of a list of bad rows; `.OUT.partial.journal` records the
identity of the job and, in a line for each chunk, the lengths of both after it. A chunk counts once its line is
written; bytes after that are truncated and written again.
"""

import errno
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from ealm.batch.chunks import Tally
from ealm.common.errors import BatchError, JobRequestError


class Sink(Protocol):
    """Where the rows of a job go."""

    tally: Tally
    """Counts of all rows that are written."""

    def append(self, data: bytes, tally: Tally, errors: bytes = b"") -> None:
        """Write a chunk; `errors` lists its bad rows where the data cannot show them."""

    def finish(self, finalize: Callable[[Path, Path], None] | None) -> None:
        """Called when all is written; `finalize` as in `Writer`."""

    def discard(self) -> None:
        """Remove what was written."""


def errors_path(output: Path) -> Path:
    """Where the bad rows of an output are listed that cannot show them itself."""
    return output.with_name(f"{output.name}.errors.jsonl")


def refuse_same_file(source: Path | None, output: Path) -> None:
    """Raise if the output, or the list of its bad rows, is the file that is read, under whatever name."""
    read = source.stat() if source is not None else os.fstat(0)
    for path in (output, errors_path(output)):
        if path.is_file() and os.path.samestat(read, path.stat()):
            raise JobRequestError(f"Input and output are the same file, {path}. Name another file with output=.")


def refuse_to_replace(output: Path) -> None:
    """Raise if there is a file already."""
    if output.is_file():
        raise JobRequestError(f"{output} exists. Replace it with overwrite=, or name another file with output=.")


class OutputStream:
    """Standard output, a pipe or a device."""

    def __init__(self, file: IO[bytes]) -> None:
        self.tally = Tally()
        self._file = file

    def append(self, data: bytes, tally: Tally, errors: bytes = b"") -> None:
        del errors  # a stream has no file beside it
        self._file.write(data)
        self._file.flush()
        self.tally.add(tally)

    def finish(self, finalize: Callable[[Path, Path], None] | None) -> None:
        assert finalize is None

    def discard(self) -> None:
        """Nothing can be removed from a stream."""


class _Entry(NamedTuple):
    """A chunk in the journal."""

    end: int
    """Length of the file after it."""
    errors_end: int
    """Length of the list of bad rows after it."""
    tally: Tally
    journal_end: int
    """Length of the journal after its line."""


_BINARY: int = getattr(os, "O_BINARY", 0)
"""Without it, Windows writes two bytes for the end of a line."""


@dataclass(frozen=True, slots=True)
class _Journal:
    """The content of a journal."""

    identity: dict[str, Any] | None
    entries: tuple[_Entry, ...]
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
                    lengths = int(values["bytes"]), int(values.get("errors", 0))
                    entries.append(_Entry(*lengths, Tally.from_dict(values), end))
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):  # not what we wrote
                break
            finished = finished or "finished" in values
        return cls(identity, tuple(entries), finished)


class ResumableFile:
    """The unfinished file for a target; locked, so that only one process writes it."""

    def __init__(
        self, target: Path, identity: Mapping[str, Any], *, resume: bool, restart: bool, overwrite: bool
    ) -> None:
        """`identity`: everything that affects the output; a job is only resumed with the same identity.

        An unfinished job is an error without `resume` or `restart`, unless it cannot be resumed anyway; a target that
        exists is one without `overwrite`, unless it is that of such a job.
        """
        self.target = target.resolve()
        self.tally = Tally()
        self.complete = False
        """Whether an earlier process finished the file but was killed before it removed the journal."""
        self._part = self.target.with_name(f".{self.target.name}.partial")
        self._errors = self.target.with_name(f".{self.target.name}.partial.errors")
        self._journal = self.target.with_name(f".{self.target.name}.partial.journal")
        self._end = self._errors_end = 0
        begun = self._journal.exists()
        if not self.target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(self.target.parent))
        try:
            self._journal_file = os.open(self._journal, os.O_RDWR | os.O_CREAT | _BINARY, 0o666)
            self._lock()
            self._part_file = self._errors_file = -1
            try:
                self._open(json.loads(json.dumps(dict(identity))), resume=resume, restart=restart, overwrite=overwrite)
            except BaseException:
                self.close()
                if not begun:
                    self._journal.unlink(missing_ok=True)
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

    def _open(self, identity: dict[str, Any], *, resume: bool, restart: bool, overwrite: bool) -> None:
        journal = _Journal.parse(self._journal.read_bytes())
        exists = self._part.exists()
        if resume and journal.finished and not exists and journal.identity == identity:
            self.complete = True
            self._add(journal.entries)
            return
        begun = exists and any(entry.tally.rows for entry in journal.entries)
        unfinished = begun and journal.identity is not None and journal.identity.get("input") is not None
        if unfinished and resume:
            self._check(journal.identity or {}, identity)
        elif unfinished and not restart:
            raise JobRequestError(
                f"There is an unfinished job for {self.target}. Continue it with resume=, or discard it with restart=."
            )
        agreed = overwrite or (journal.identity is not None and (resume or restart))
        if not agreed:
            refuse_to_replace(self.target)
        self._begin(journal.entries if unfinished and resume else (), identity)

    def _begin(self, entries: tuple[_Entry, ...], identity: dict[str, Any]) -> None:
        """Open the files after the last chunk that is all there, or empty."""
        self._part_file = os.open(self._part, os.O_WRONLY | os.O_CREAT | _BINARY, 0o666)
        size = os.fstat(self._part_file).st_size
        errors_size = self._errors.stat().st_size if self._errors.exists() else 0
        entries = tuple(entry for entry in entries if entry.end <= size and entry.errors_end <= errors_size)
        if not any(entry.tally.rows for entry in entries):
            entries = ()
        self._add(entries)
        _truncate(self._part_file, self._end)
        if errors_size:
            self._open_errors()
        if entries:
            _truncate(self._journal_file, entries[-1].journal_end)
        else:
            os.ftruncate(self._journal_file, 0)
            self._log({"job": identity})

    def _open_errors(self) -> None:
        self._errors_file = os.open(self._errors, os.O_WRONLY | os.O_CREAT | _BINARY, 0o666)
        _truncate(self._errors_file, self._errors_end)

    def _add(self, entries: tuple[_Entry, ...]) -> None:
        """Count earlier chunks."""
        for entry in entries:
            self.tally.add(entry.tally)
            self._end, self._errors_end = entry.end, entry.errors_end

    def _check(self, before: dict[str, Any], identity: dict[str, Any]) -> None:
        names = sorted(name for name in before.keys() | identity.keys() if before.get(name) != identity.get(name))
        if names:
            raise JobRequestError(
                f"The unfinished job for {self.target} was started with another {', '.join(names)}. "
                "Continue with the same input, options and model, or discard it with restart=."
            )

    def append(self, data: bytes, tally: Tally, errors: bytes = b"") -> None:
        """Write a chunk; it counts once it is on disk."""
        try:
            if errors:
                if self._errors_file < 0:
                    self._open_errors()
                _write(self._errors_file, errors)
                os.fsync(self._errors_file)
                self._errors_end += len(errors)
            _write(self._part_file, data)
            os.fsync(self._part_file)
            self._end += len(data)
            self._log({"bytes": self._end, "errors": self._errors_end, **tally.to_dict()})
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
        try:
            if not self.complete:
                self._finish(finalize)
            self._place_errors()
        except OSError as error:
            raise BatchError(
                f"Cannot write {self.target}: {error.strerror or error}. All rows are kept: "
                "fix the cause, and continue with resume=."
            ) from error
        self.discard()

    def _place_errors(self) -> None:
        """Put the list of bad rows beside the target, and remove that of an earlier target if there are none."""
        if not self._errors_end:
            errors_path(self.target).unlink(missing_ok=True)
        elif self._errors.exists():  # else a process has done it that was killed right afterwards
            self._errors.replace(errors_path(self.target))

    def _finish(self, finalize: Callable[[Path, Path], None] | None) -> None:
        ready = self._part
        if finalize is not None:
            ready = self._part.with_name(f"{self._part.name}.final")
            try:
                finalize(self._part, ready)
                with ready.open("r+b") as file:  # Windows flushes only what can be written
                    os.fsync(file.fileno())
            except BaseException:
                ready.unlink(missing_ok=True)  # it is written again on resume, and a full disk needs the space
                raise
        if self.target.exists():
            ready.chmod(self.target.stat().st_mode & 0o777)
        self._log({"finished": True})
        self._close_where_open_files_stay()
        ready.replace(self.target)

    def discard(self) -> None:
        """Remove the unfinished files; the journal last, since the others mean nothing without it."""
        self._close_where_open_files_stay()
        self._part.unlink(missing_ok=True)
        self._errors.unlink(missing_ok=True)
        self._journal.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock."""
        files = (self._part_file, self._errors_file, self._journal_file)
        self._part_file = self._errors_file = self._journal_file = -1
        for file in files:
            if file >= 0:
                os.close(file)

    def _close_where_open_files_stay(self) -> None:
        """Windows neither moves nor removes a file that is open."""
        if sys.platform == "win32":
            self.close()


def _truncate(file: int, length: int) -> None:
    """Go on writing there."""
    os.ftruncate(file, length)
    os.lseek(file, 0, os.SEEK_END)


def _write(file: int, data: bytes) -> None:
    """Write all of it, unbuffered: a buffer would be written again when the file is closed after a failure."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]
