"""`ealm train`: learn from raw sentences."""

import shlex
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ealm.cli.job import RAY, address_option
from ealm.cli.shared import (
    checkpoint_option,
    corpus_argument,
    device_option,
    plain_errors,
    pretokenized_option,
    quiet_option,
    resume_option,
)
from ealm.common.config import ENGINES, PRESETS
from ealm.common.errors import SettingsError

if TYPE_CHECKING:
    from ealm.text.corpus import Corpus
    from ealm.training.setup import RunRequest

DEFAULT_UPDATES = {"paper": 70_000, "goal": 10_000}
"""By method; the paper's is a little more than exploration needs to fall to its minimum."""


@click.command()
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
    "--weighed",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --preset reader: what `ealm word-importance` wrote for these sentences.",
)
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
    help="What runs the language model: torch; int8, faster on a CPU, but it rounds; ray: torch in the actors of a Ray "
    "cluster, which collect (with --device cuda one GPU for each).",
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
    weighed: Path | None,
    seed: int | None,
    updates: int | None,
    minutes: float | None,
    resume: bool,
    checkpoint_seconds: float,
    pretokenized: bool,
    workers: int | None,
    engine: str,
    address: str | None,
    device: str,
    quiet: bool,
) -> None:
    """Train an agent on CORPUS, a text file with one sentence a line (UTF-8, also as .gz, .xz or .bz2).

    Nothing but raw sentences is used: no summaries, no labels, no validation set. Ctrl-C stops and saves; --resume
    goes on exactly where the run was.
    """
    if address is not None and engine != RAY:
        raise click.UsageError("--address goes with --engine ray.")
    if engine == RAY:
        from ealm.common.ray_pool import require_ray

        require_ray()  # told before anything is loaded
    from ealm.common.stopping import Budget, StopRequest
    from ealm.training.setup import RunRequest, open_run

    request = RunRequest(
        corpus=corpus,
        folder=folder,
        preset=preset_name,
        assignments=_assignments(assignments) | ({"data.pretokenized": "true"} if pretokenized else {}),
        lm=lm,
        similarity=similarity,
        weighed=weighed,
        seed=seed,
        resume=resume,
        checkpoint_seconds=checkpoint_seconds,
        device=device,
        engine="torch" if engine == RAY else engine,
        workers=workers,
        ray=engine == RAY,
        address=address,
    )
    run, sentences = open_run(request)
    trainer = run.trainer
    _report_corpus(corpus, sentences)
    if updates is None and minutes is None:
        updates = DEFAULT_UPDATES[run.settings.method]
    with closing(run), StopRequest().listening() as stop:
        finished = run.go(Budget(updates, minutes), stop=stop, progress=not quiet)
    state = f"{trainer.updates:,} updates, best replay reward {_number(trainer.best_reward)}"
    if not finished:
        click.echo(f"Stopped after {state}. Go on with: {_resume_command(request, updates, minutes)}", err=True)
        raise SystemExit(128 + (stop.signal or 0))
    if trainer.best_reward is None:
        click.echo("The replay buffer never filled, so the agent is the one after the last update.", err=True)
    click.echo(
        f"Trained in {folder}: {state}. Use it with: ealm summarize --model {shlex.quote(str(folder))}", err=True
    )


def _resume_command(request: "RunRequest", updates: int | None, minutes: float | None) -> str:
    command = ["ealm", "train", str(request.corpus), "--out", str(request.folder), "--resume"]
    if request.workers is not None:
        command += ["--workers", str(request.workers)]
    if request.ray:
        command += ["--engine", RAY]
    if request.address is not None:
        command += ["--address", request.address]
    if updates is not None:
        command += ["--updates", str(updates)]
    if minutes is not None:
        command += ["--minutes", f"{minutes:.10g}"]
    return shlex.join(command)


def _assignments(texts: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for text, (_, equals, _) in zip(texts, pairs, strict=True):
        if not equals:
            raise SettingsError(f"--set expects NAME=VALUE, got {text!r}.")
    return {name.strip(): value for name, _, value in pairs}


def _report_corpus(path: Path, corpus: "Corpus") -> None:
    used = len(corpus.sentences)
    note = f"{path}: {used:,} sentences"
    if corpus.available > used:
        note += f", sampled from {corpus.available:,} (data.max_sentences)"
    skipped = str(corpus.skipped)
    if skipped:
        note += f"; skipped lines: {skipped}"
    click.echo(note, err=True)


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:.3f}"
