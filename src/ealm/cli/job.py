"""`ealm summarize` on files of rows: its options, and what is said about a job."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import click

from ealm.batch.file_types import KINDS, FileFormat, Kind
from ealm.batch.job import Job, failures
from ealm.batch.model_recipe import ModelRecipe
from ealm.batch.workers import OpenPool
from ealm.cli.shared import Command, as_flags, quiet_option
from ealm.common.config import AUTO, ENGINES
from ealm.common.stopping import Stopped
from ealm.text.frames import MARKUPS

RAY = "ray"
BACKENDS = ("local", RAY)
"""Where the workers of a job run: processes of this machine, or actors of a Ray cluster."""


class JobOptions(TypedDict):
    """Options by name, as click passes them on."""

    kind: Kind | None
    column: str
    output_column: str
    error_column: str
    workers: int | None
    engine: str
    """`ray` is an older name of `backend: ray`, with the engine auto."""
    backend: str
    address: str | None
    encoding: str | None
    resume: bool
    restart: bool
    overwrite: bool
    strict: bool
    quiet: bool


address_option = click.option(
    "--address",
    metavar="HOST:PORT",
    help="With Ray: the cluster. [default: the one that runs here or that RAY_ADDRESS names; "
    "else one is started on this machine for the time of the job]",
)

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--format",
        "kind",
        type=click.Choice([*KINDS, *MARKUPS[1:]]),
        help="What the input holds; markdown and html are one text each. [default: what its name says, .jsonl, .csv, "
        ".parquet, .md or .html; else text]",
    ),
    click.option("--column", default="text", show_default=True, help="Column of the texts."),
    click.option("--output-column", default="summary", show_default=True, help="Column for the summaries."),
    click.option("--error-column", default="error", show_default=True, help="Column for why a row has no summary."),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="With -o: so many processes, or Ray actors. [default: 1; with Ray one for each core or GPU]",
    ),
    click.option(
        "--engine",
        type=click.Choice([AUTO, *ENGINES, RAY]),
        default=AUTO,
        show_default=True,
        metavar=f"[{'|'.join([AUTO, *ENGINES])}]",
        help="What runs the models: torch, in single precision; int8, faster on a CPU with VNNI, but it rounds; auto, "
        "the sentence encoder in 16 bits where the processor has such arithmetic.",
    ),
    click.option(
        "--backend",
        type=click.Choice(BACKENDS),
        default="local",
        show_default=True,
        help="With -o: where the workers run: processes of this machine, or actors of a Ray cluster (with --device "
        "cuda one GPU for each). --engine ray is the older name of --backend ray.",
    ),
    address_option,
    click.option(
        "--encoding",
        metavar="NAME",
        help="Encoding of the input, such as latin-1, cp1252 or utf-16; the output is UTF-8. [default: utf-8]",
    ),
    click.option("--overwrite", is_flag=True, help="With -o: replace a file that exists."),
    click.option("--strict", is_flag=True, help="With -o: exit with code 1 if any row has no summary."),
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
    on_ray = _on_ray(options)
    if options["address"] is not None and not on_ray:
        raise click.UsageError("--address goes with --backend ray.")
    if options["resume"] and options["restart"]:
        raise click.UsageError("Give --resume or --restart, not both.")
    records = FileFormat.of(source, kind=options["kind"]).kind != "text"
    if records and not plain:
        raise click.UsageError(
            "TEXT, --json, --show, --curve and --document are for text, and the input has columns. "
            "If it has none, say --format text."
        )
    many = on_ray or (options["workers"] or 1) > 1
    if (output is None or not plain) and (options["resume"] or options["restart"] or many):
        raise click.UsageError(
            "--workers, --backend ray, --resume and --restart go with --output, "
            "but not with TEXT, --json, --show, --curve or --document."
        )
    return records or (plain and output is not None)


def run_job(source: Path | None, output: Path | None, *, options: JobOptions, recipe: ModelRecipe) -> None:
    """Run a job and report how it went."""
    job = Job(
        input=source,
        output=output,
        kind=options["kind"],
        column=options["column"],
        output_column=options["output_column"],
        error_column=options["error_column"],
        workers=options["workers"] or 1,
        open_pool=_ray_pool(options, device=recipe.device) if _on_ray(options) else None,
        encoding=options["encoding"],
        resume=options["resume"],
        restart=options["restart"],
        overwrite=options["overwrite"],
        quiet=options["quiet"],
    )
    try:
        tally = job.run(recipe)
    except Stopped as stopped:
        way = " Go on with the same command and --resume." if job.resumable else ""
        click.echo(f"Stopped after {stopped.rows:,} rows.{way}", err=True)
        raise SystemExit(128 + stopped.signal) from stopped
    if tally.failed:
        click.echo(as_flags(failures(tally, unit=job.row_unit)), err=True)
        if job.errors_file is not None:
            click.echo(f"All of them are listed in {job.errors_file}.", err=True)
        if options["strict"]:
            raise SystemExit(1)


def _on_ray(options: JobOptions) -> bool:
    return RAY in (options["backend"], options["engine"])


def _ray_pool(options: JobOptions, *, device: str) -> OpenPool:
    from ealm.common.ray_pool import ActorPool, require_ray

    require_ray()  # an error comes before anything is opened
    return partial(ActorPool, address=options["address"], actors=options["workers"], gpu=device != "cpu")
