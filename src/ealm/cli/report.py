"""`ealm report`: how training went."""

import json
from pathlib import Path
from typing import Any

import click

from ealm.cli.shared import plain_errors
from ealm.common.errors import RunError


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where learning.png and report.html go. [default: the first RUN]",
)
@plain_errors
def report(runs: tuple[Path, ...], folder: Path | None) -> None:
    """Draw the learning curves of RUNS, the folders of `ealm train`, as a figure and a page."""
    from ealm.evaluation.report import write_learning

    names = _names(runs)
    logs = {name: _log(run) for name, run in zip(names, runs, strict=True)}
    settings = {name: _settings(run) for name, run in zip(names, runs, strict=True)}
    folder = folder or runs[0]
    write_learning(folder, logs, settings)
    click.echo(f"Written: {folder / 'learning.png'}, {folder / 'report.html'}", err=True)


def _names(runs: tuple[Path, ...]) -> list[str]:
    short = [run.resolve().name for run in runs]
    return short if len(set(short)) == len(short) else [str(run) for run in runs]


def _log(run: Path) -> list[dict[str, Any]]:
    from ealm.common.run_loop import LOG_FILE

    try:
        lines = (run / LOG_FILE).read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        if not all(
            isinstance(record, dict) and {"updates", "sentences", "seconds"} <= record.keys() for record in records
        ):
            raise ValueError("a line is not a record of a training run")
    except FileNotFoundError as error:
        raise RunError(f"{run} has no {LOG_FILE}: it is not the folder of a training run.") from error
    except ValueError as error:
        raise RunError(f"{run / LOG_FILE} is damaged: {error}.") from error
    if not records:
        raise RunError(f"{run / LOG_FILE} is empty: the run ended before its first 100 updates.")
    return records


def _settings(run: Path) -> dict[str, Any]:
    from ealm.summarize.saved_agent import SavedAgent

    return SavedAgent.load(run).settings.to_dict()
