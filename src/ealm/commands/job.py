"""`ealm summarize` on files of rows: its options, and what is said about a job."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import click

from ealm.batch.job import Job, Stopped, failures
from ealm.batch.kinds import KINDS, Form, Kind
from ealm.batch.recipe import Recipe
from ealm.commands.shared import Command, quiet_option


class JobOptions(TypedDict):
    """Options by name, as click passes them on."""

    kind: Kind | None
    column: str
    output_column: str
    error_column: str
    workers: int
    resume: bool
    restart: bool
    quiet: bool


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--format",
        "kind",
        type=click.Choice(KINDS),
        help="What the input holds. [default: what its name says, .jsonl, .csv or .parquet; else text]",
    ),
    click.option("--column", default="text", show_default=True, help="Column of the texts."),
    click.option("--output-column", default="summary", show_default=True, help="Column for the summaries."),
    click.option("--error-column", default="error", show_default=True, help="Column for why a row has no summary."),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="With -o: so many processes; the result is the same.",
    ),
    click.option("--resume", is_flag=True, help="With -o: go on with a stopped job; starts it if there is none."),
    click.option("--restart", is_flag=True, help="With -o: throw a stopped job away and begin anew."),
    quiet_option,
)


def job_options(command: Command) -> Command:
    """Add the options of jobs."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def is_job(source: Path | None, output: Path | None, *, plain: bool, options: JobOptions) -> bool:
    """Whether rows go into a file or have columns; `plain`: of each line its summary is wanted, and nothing else."""
    if options["resume"] and options["restart"]:
        raise click.UsageError("Give --resume or --restart, not both.")
    records = Form.of(source, kind=options["kind"]).kind != "text"
    if records and not plain:
        raise click.UsageError(
            "TEXT, --json, --show, --curve and --document are for text, and the input has columns. "
            "If it has none, say --format text."
        )
    if (output is None or not plain) and (options["resume"] or options["restart"] or options["workers"] > 1):
        raise click.UsageError(
            "--workers, --resume and --restart go with --output, "
            "but not with TEXT, --json, --show, --curve or --document."
        )
    return records or (plain and output is not None)


def run_job(source: Path | None, output: Path | None, *, options: JobOptions, recipe: Recipe) -> None:
    """Do a job and tell how it went."""
    job = Job(input=source, output=output, **options)
    try:
        tally = job.run(recipe)
    except Stopped as stopped:
        way = " Go on with the same command and --resume." if job.resumable else ""
        click.echo(f"Stopped after {stopped.rows:,} rows.{way}", err=True)
        raise SystemExit(128 + stopped.signal) from stopped
    if tally.failed:
        click.echo(failures(tally, place=job.place), err=True)
