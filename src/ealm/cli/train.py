"""`ealm train`: learn from raw sentences."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ealm.cli.help_pages import GroupedCommand
from ealm.cli.job import BACKENDS, RAY, address_option
from ealm.cli.shared import (
    checkpoint_option,
    corpus_argument,
    device_option,
    plain_errors,
    pretokenized_option,
    quiet_option,
    resume_option,
)
from ealm.common.config import DEFAULT_UPDATES, ENGINES, PRESETS
from ealm.common.errors import SettingsError

HELP_GROUPS = {
    "What is trained": ["folder", "preset_name", "assignments", "lm", "similarity", "word_importance", "seed"],
    "Input": ["pretokenized"],
    "How long": ["updates", "minutes", "resume", "checkpoint_seconds"],
    "Speed": ["workers", "engine", "backend", "address", "device"],
}


@click.command(cls=GroupedCommand, groups=HELP_GROUPS)
@corpus_argument
@click.option(
    "--out", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder of the run."
)
@click.option(
    "--preset", "preset_name", type=click.Choice(sorted(PRESETS)), help="Settings to start from. [default: paper]"
)
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change one setting, for example learning.discount=0.95. See them all: ealm settings",
)
@click.option("--lm", help="Masked language model: a folder or a hub name. [default: embedded]")
@click.option("--similarity", help="Sentence-similarity model: a folder or a hub name. [default: embedded]")
@click.option(
    "--word-importance",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --preset reader: the file that `ealm word-importance` wrote for this corpus.",
)
@click.option("--weighed", type=click.Path(exists=True, dir_okay=False, path_type=Path), hidden=True)
@click.option("--seed", type=click.IntRange(min=0), help="Same seed, same run. [default: 0]")
@click.option(
    "--updates",
    type=click.IntRange(min=1),
    help="Updates in all, earlier parts of a resumed run included. "
    f"[default: {DEFAULT_UPDATES['paper']:,}; with the preset reader {DEFAULT_UPDATES['goal']:,}]",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help="Train for so many minutes in all, earlier parts of a resumed run included.",
)
@resume_option
@checkpoint_option
@pretokenized_option
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="So many processes, or on Ray actors, walk and score sentences while this one learns. The run is another than "
    "without, but the same every time. [default: none; on Ray one for each core of the cluster, or each GPU; "
    "with --resume as many as the run was started with]",
)
@click.option(
    "--engine",
    type=click.Choice([*ENGINES, RAY]),
    default="torch",
    show_default=True,
    metavar=f"[{'|'.join(ENGINES)}]",
    help="What runs the language model: torch; int8, faster on a CPU with VNNI, but it rounds.",
)
@click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default="local",
    show_default=True,
    help="Where workers run: processes of this machine, or actors of a Ray cluster (with --device cuda one GPU for "
    "each).",
)
@address_option
@device_option
@quiet_option
@plain_errors
def train(
    corpus: Path,
    folder: Path,
    preset_name: str | None,
    assignments: Sequence[str],
    lm: str | None,
    similarity: str | None,
    word_importance: Path | None,
    weighed: Path | None,
    seed: int | None,
    updates: int | None,
    minutes: float | None,
    resume: bool,
    checkpoint_seconds: float,
    pretokenized: bool,
    workers: int | None,
    engine: Any,
    backend: Any,
    address: str | None,
    device: str,
    quiet: bool,
) -> None:
    """Train an agent on CORPUS, a text file with one sentence a line (UTF-8, also as .gz, .xz or .bz2).

    Nothing but raw sentences is used: no summaries, no labels, no validation set. Ctrl-C stops and saves; --resume
    continues exactly there.
    """
    if RAY in (engine, backend):  # the first is the older name
        engine, backend = "torch", RAY
    elif address is not None:
        raise click.UsageError("--address goes with --backend ray.")
    from ealm.common.stopping import StopRequest
    from ealm.training.api import train as run

    with StopRequest().listening() as stop:
        result = run(
            corpus,
            folder,
            preset=preset_name,
            settings=_assignments(assignments),
            updates=updates,
            minutes=minutes,
            lm=lm,
            similarity=similarity,
            word_importance=word_importance or weighed,
            pretokenized=pretokenized,
            seed=seed,
            resume=resume,
            checkpoint_seconds=checkpoint_seconds,
            workers=workers,
            backend=backend,
            address=address,
            engine=engine,
            device=device,
            progress=not quiet,
            notify=lambda line: click.echo(line, err=True),
            stop=stop,
        )
    reward = "not known" if result.best_reward is None else f"{result.best_reward:.3f}"
    state = f"{result.updates:,} updates, best replay reward {reward}"
    options = {"--workers": workers, "--backend": backend if backend == RAY else None, "--address": address}
    if not result.finished:
        options |= {"--updates": updates, "--minutes": _number(minutes)}
        click.echo(f"Stopped after {state}. Resume with: {_resume_command(corpus, folder, options)}", err=True)
        raise SystemExit(128 + (stop.signal or 0))
    if result.best_reward is None:
        options |= {"--minutes": _number(10 * minutes)} if minutes else {"--updates": 10 * result.updates}
        what = "which agent was best: it is the one after the last update"
        if not result.updates:
            what = "anything: the replay buffer was not filled, and the agent is the one it began with"
        click.echo(
            f"Too short to judge {what}. Train longer with: {_resume_command(corpus, folder, options)}",
            err=True,
        )
    if result.returns is not None:
        click.echo(f"By the last measurement: {result.returns}.", err=True)
    click.echo(
        f"Trained in {folder}: {state}. Use it with: ealm summarize --model {shlex.quote(str(folder))}", err=True
    )


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.10g}"


def _resume_command(corpus: Path, folder: Path, options: Mapping[str, object]) -> str:
    command = ["ealm", "train", str(corpus), "--out", str(folder), "--resume"]
    for name, value in options.items():
        command += [] if value is None else [name, str(value)]
    return shlex.join(command)


def _assignments(texts: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for text, (_, equals, _) in zip(texts, pairs, strict=True):
        if not equals:
            raise SettingsError(f"--set expects NAME=VALUE, got {text!r}.")
    return {name.strip(): value for name, _, value in pairs}
