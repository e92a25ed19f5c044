"""A job: reads the rows of a file and writes each with its summary to another file."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ealm.batch.chunks import CHUNK_CHARACTERS, CHUNK_ROWS, Chunk, RowResult, Tally, cut_into_chunks
from ealm.batch.file_types import FileFormat, Kind, compressed
from ealm.batch.formats import open_reader, open_writer
from ealm.batch.model_recipe import Recipe
from ealm.batch.progress import Progress
from ealm.batch.readers import NO_COLUMN, NOT_UTF_8, Reader, Row
from ealm.batch.resumable_file import OutputStream, ResumableFile, Sink, errors_path, refuse_same_file
from ealm.batch.workers import OpenPool, summarized
from ealm.batch.writers import Writer
from ealm.common.errors import BatchError, JobRequestError
from ealm.common.stopping import Stopped, stopped_by_signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Input, output and execution of a job; what the summaries are is up to the recipe."""

    input: Path | None
    """None for standard input."""
    output: Path | None
    """None for standard output."""
    kind: Kind | None = None
    """Type of the input; None to take it from the name."""
    column: str = "text"
    output_column: str = "summary"
    error_column: str = "error"
    workers: int = 1
    open_pool: OpenPool | None = None
    """Starts other workers than processes of this machine."""
    encoding: str | None = None
    """Of text, JSON lines and CSV; None for UTF-8, and a file that is clearly something else is refused."""
    resume: bool = False
    restart: bool = False
    overwrite: bool = False
    """Whether a file at the output may be replaced by another job than the one that wrote it."""
    quiet: bool = False
    chunk_rows: int = CHUNK_ROWS

    def formats(self) -> tuple[FileFormat, FileFormat]:
        """Of input and output; refuses impossible combinations."""
        read = FileFormat.of(self.input, kind=self.kind)
        written = FileFormat.of(self.output, default=read.kind)
        read.check_conversion_to(written)
        names = [self.output_column, self.error_column, *([self.column] if read.kind == "text" else [])]
        if len(set(names)) < len(names):
            raise JobRequestError(f"Columns need different names, got: {', '.join(names)}.")
        if written.kind == "parquet" and self._output_is_stream():
            raise JobRequestError("Parquet is written to a file. Name one with output=.")
        if self.output is not None:
            refuse_same_file(self.input, self.output)
        if self.resume and not self.resumable:
            raise JobRequestError("resume= needs a file to read and a file to write; a pipe cannot be read again.")
        return read, written

    def _output_is_stream(self) -> bool:
        return self.output is None or (self.output.exists() and not self.output.is_file())

    @property
    def resumable(self) -> bool:
        """Whether the job can continue after a stop: a pipe cannot be read again."""
        return self.input is not None and self.input.is_file() and not self._output_is_stream()

    @property
    def row_unit(self) -> str:
        """What row numbers count."""
        return "row" if FileFormat.of(self.input, kind=self.kind).kind == "parquet" else "line"

    def run(self, recipe: Recipe) -> Tally:
        """Run the job, or the rest of it; raises if no row could be summarized, and then writes nothing."""
        read, written = self.formats()
        new_columns = (self.output_column, self.error_column)
        reader = open_reader(self.input, read, column=self.column, new_columns=new_columns, encoding=self.encoding)
        writer = open_writer(written, reader, output_column=self.output_column, error_column=self.error_column)
        with self._sink(self._identity(read, written, recipe)) as sink, stopped_by_signals():
            try:
                self._write(reader, writer, sink, written=written, recipe=recipe)
            except BaseException as error:
                if isinstance(error, Stopped):
                    error.rows = sink.tally.rows
                if not self.resumable or not sink.tally.rows:
                    sink.discard()
                raise
            if sink.tally.failed == sink.tally.rows > 0:
                sink.discard()
                raise _nothing_done(sink.tally, unit=self.row_unit)
            sink.finish(writer.finalize)
        return sink.tally

    def _write(self, reader: Reader, writer: Writer, sink: Sink, *, written: FileFormat, recipe: Recipe) -> None:
        if isinstance(sink, ResumableFile) and sink.complete:
            return
        if not sink.tally.rows:
            sink.append(compressed(writer.header(), written.compression), Tally())
        elif not self.quiet:
            sys.stderr.write(f"Continuing after {sink.tally.rows:,} rows.\n")
        chunks = self._chunks(reader, skip=sink.tally.rows)
        results = summarized(chunks, recipe, workers=self.workers, open_pool=self.open_pool)
        with (
            closing(results),
            closing(Progress(quiet=self.quiet, rows=sink.tally.rows)) as progress,
        ):
            for chunk, row_results in results:
                data = compressed(writer.encode(chunk.rows, row_results), written.compression)
                listed = self._listed(chunk.rows, row_results, sink.tally.rows) if written.kind == "text" else b""
                sink.append(data, Tally.of(chunk.rows, row_results), listed)
                progress.update(len(chunk.rows), chunk.position)

    def _listed(self, rows: Sequence[Row], results: Sequence[RowResult], before: int) -> bytes:
        """The bad rows as JSON lines: in lines of text they look like empty texts."""
        bad = [
            {"row": number, self.row_unit: row.number, "error": result.error}
            for number, (row, result) in enumerate(zip(rows, results, strict=True), start=before + 1)
            if result.error is not None
        ]
        return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in bad).encode()

    @property
    def errors_file(self) -> Path | None:
        """Where bad rows are listed; None if the output itself shows them, or is no file."""
        if self.output is None or self._output_is_stream() or self.formats()[1].kind != "text":
            return None
        return errors_path(self.output)

    def _chunks(self, reader: Reader, *, skip: int) -> Iterator[Chunk]:
        # A file is worth full chunks; somebody who reads a stream wants each answer as soon as it can be had.
        ready = reader.ready if self._output_is_stream() else lambda: True
        limits = {"max_rows": self.chunk_rows, "max_characters": CHUNK_CHARACTERS}
        for rows in cut_into_chunks(reader.rows(skip), ready=ready, **limits):
            yield Chunk(rows, reader.position())

    @contextmanager
    def _sink(self, identity: dict[str, Any]) -> Iterator[Sink]:
        if self.output is None:
            sys.stdout.flush()
            yield OutputStream(sys.stdout.buffer)
        elif self._output_is_stream():
            with self.output.open("wb") as file:
                yield OutputStream(file)
        else:
            how = {"resume": self.resume, "restart": self.restart, "overwrite": self.overwrite}
            with closing(ResumableFile(self.output, identity, **how)) as output:
                yield output

    def _identity(self, read: FileFormat, written: FileFormat, recipe: Recipe) -> dict[str, Any]:
        """Everything that affects the output."""
        source: dict[str, Any] = {"input": None}
        if self.input is not None and self.input.is_file():
            status = self.input.stat()
            source = {"input": str(self.input.resolve()), "input's content": [status.st_size, status.st_mtime_ns]}
        names = ("column", "output_column", "error_column", "chunk_rows", "encoding")
        formats = {"format": [read.kind, written.kind, read.compression, written.compression]}
        return source | formats | {name: getattr(self, name) for name in names} | recipe.identity()


def _nothing_done(tally: Tally, *, unit: str) -> BatchError:
    told = f"No row could be summarized: {failures(tally, unit=unit)}"
    if all(reason.startswith(NO_COLUMN) for _, reason in tally.first):
        return JobRequestError(f"{told}\nChoose the column of the texts with column=.")
    return BatchError(told)


def failures(tally: Tally, *, unit: str) -> str:
    """How many rows failed, and the reasons for the first of them."""
    lines = [f"{tally.failed:,} of {tally.rows:,} rows have no summary."]
    lines += [f"  {unit} {number:,}: {reason}" for number, reason in tally.first]
    if tally.failed > len(tally.first):
        lines.append("  ...")
    if any(reason.startswith(NOT_UTF_8) for _, reason in tally.first):
        lines.append("If the input is not UTF-8, name its encoding, for example encoding=latin-1.")
    return "\n".join(lines)
