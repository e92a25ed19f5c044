"""A job: reads the rows of a file and writes each with its summary to another file."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ealm.batch.chunks import CHUNK_CHARACTERS, CHUNK_ROWS, Chunk, Tally, cut_into_chunks
from ealm.batch.file_types import FileFormat, Kind, compressed
from ealm.batch.formats import open_reader, open_writer
from ealm.batch.model_recipe import Recipe
from ealm.batch.progress import Progress
from ealm.batch.readers import Reader
from ealm.batch.resumable_file import OutputStream, ResumableFile, Sink
from ealm.batch.workers import OpenPool, summarized
from ealm.batch.writers import Writer
from ealm.common.errors import BatchError
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
    resume: bool = False
    restart: bool = False
    quiet: bool = False
    chunk_rows: int = CHUNK_ROWS

    def formats(self) -> tuple[FileFormat, FileFormat]:
        """Of input and output; refuses impossible combinations."""
        read = FileFormat.of(self.input, kind=self.kind)
        written = FileFormat.of(self.output, default=read.kind)
        read.check_conversion_to(written)
        names = [self.output_column, self.error_column, *([self.column] if read.kind == "text" else [])]
        if len(set(names)) < len(names):
            raise BatchError(f"Columns need different names, got: {', '.join(names)}.")
        if written.kind == "parquet" and self._output_is_stream():
            raise BatchError("Parquet is written to a file. Name one with output=.")
        if self.resume and not self.resumable:
            raise BatchError("resume= needs a file to read and a file to write; a pipe cannot be read again.")
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
        reader = open_reader(self.input, read, column=self.column, new_columns=(self.output_column, self.error_column))
        writer = open_writer(written, reader, output_column=self.output_column, error_column=self.error_column)
        with self._sink(self._identity(read, written, recipe)) as sink, stopped_by_signals():
            try:
                self._write(reader, writer, sink, compression=written.compression, recipe=recipe)
            except BaseException as error:
                if isinstance(error, Stopped):
                    error.rows = sink.tally.rows
                if not self.resumable or not sink.tally.rows:
                    sink.discard()
                raise
            if sink.tally.failed == sink.tally.rows > 0:
                sink.discard()
                raise BatchError(f"No row could be summarized: {failures(sink.tally, unit=self.row_unit)}")
            sink.finish(writer.finalize)
        return sink.tally

    def _write(self, reader: Reader, writer: Writer, sink: Sink, *, compression: str, recipe: Recipe) -> None:
        if isinstance(sink, ResumableFile) and sink.complete:
            return
        if not sink.tally.rows:
            sink.append(compressed(writer.header(), compression), Tally())
        elif not self.quiet:
            sys.stderr.write(f"Continuing after {sink.tally.rows:,} rows.\n")
        chunks = self._chunks(reader, skip=sink.tally.rows)
        results = summarized(chunks, recipe, workers=self.workers, open_pool=self.open_pool)
        with (
            closing(results),
            closing(Progress(quiet=self.quiet, rows=sink.tally.rows)) as progress,
        ):
            for chunk, row_results in results:
                data = writer.encode(chunk.rows, row_results)
                sink.append(compressed(data, compression), Tally.of(chunk.rows, row_results))
                progress.update(len(chunk.rows), chunk.position)

    def _chunks(self, reader: Reader, *, skip: int) -> Iterator[Chunk]:
        for rows in cut_into_chunks(reader.rows(skip), max_rows=self.chunk_rows, max_characters=CHUNK_CHARACTERS):
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
            with closing(ResumableFile(self.output, identity, resume=self.resume, restart=self.restart)) as output:
                yield output

    def _identity(self, read: FileFormat, written: FileFormat, recipe: Recipe) -> dict[str, Any]:
        """Everything that affects the output."""
        source: dict[str, Any] = {"input": None}
        if self.input is not None and self.input.is_file():
            status = self.input.stat()
            source = {"input": str(self.input.resolve()), "input's content": [status.st_size, status.st_mtime_ns]}
        names = ("column", "output_column", "error_column", "chunk_rows")
        formats = {"format": [read.kind, written.kind, read.compression, written.compression]}
        return source | formats | {name: getattr(self, name) for name in names} | recipe.identity()


def failures(tally: Tally, *, unit: str) -> str:
    """How many rows failed, and the reasons for the first of them."""
    lines = [f"{tally.failed:,} of {tally.rows:,} rows have no summary."]
    lines += [f"  {unit} {number:,}: {reason}" for number, reason in tally.first]
    if tally.failed > len(tally.first):
        lines.append("  ...")
    return "\n".join(lines)
