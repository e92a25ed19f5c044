"""`ealm adapt`: fit a language model to a domain."""

import shlex
from pathlib import Path
from typing import Any

import click

from ealm.cli.shared import (
    checkpoint_option,
    corpus_argument,
    finite,
    plain_errors,
    pretokenized_option,
    quiet_option,
    resume_option,
)


@click.command()
@corpus_argument
@click.option(
    "--out", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder of the model."
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    callback=finite,
    help="Fit for so many minutes in all, earlier parts of a resumed run included.",
)
@resume_option
@click.option(
    "--lm",
    default="embedded",
    show_default=True,
    help="Where to start: embedded, encoder (the bare encoder with a new head), or a BERT by folder or hub name.",
)
@click.option(
    "--held-out",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Sentences for scores only. [default: 2 % of the corpus, at most 5,000; of a small one up to 20 %]",
)
@click.option("--heldout", type=click.Path(exists=True, dir_okay=False, path_type=Path), hidden=True)
@click.option(
    "--method",
    type=click.Choice(["all", "head"]),
    default="all",
    show_default=True,
    help="What learns: all weights, or the head alone.",
)
@click.option(
    "--learning-rate",
    type=click.FloatRange(min=0, min_open=True, max=1),
    default=5e-4,
    show_default=True,
    callback=finite,
    help="At the start; it falls to nothing over the time given.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@checkpoint_option
@pretokenized_option
@quiet_option
@plain_errors
def adapt(
    corpus: Path,
    folder: Path,
    minutes: float,
    resume: bool,
    lm: str,
    held_out: Path | None,
    heldout: Path | None,
    method: Any,
    learning_rate: float,
    seed: int,
    checkpoint_seconds: float,
    pretokenized: bool,
    quiet: bool,
) -> None:
    """Fit the language model to the text of CORPUS, one sentence a line (UTF-8, also as .gz, .xz or .bz2).

    The folder can then be used wherever --lm is asked for. Frequent words that the vocabulary lacks are added to it.
    Ctrl-C stops and saves; --resume continues.
    """
    from ealm.common.stopping import StopRequest
    from ealm.lm.adapt.fitting import FittingSettings
    from ealm.lm.adapt.run import AdaptRequest, is_finished, open_adaptation, remove_leftovers

    request = AdaptRequest(
        corpus=corpus,
        folder=folder,
        minutes=minutes,
        lm=lm,
        held_out=held_out or heldout,  # the second is the older name
        pretokenized=pretokenized,
        resume=resume,
        checkpoint_seconds=checkpoint_seconds,
        settings=FittingSettings(method=method, learning_rate=learning_rate, seed=seed),
        say=lambda line: click.echo(line, err=True),
        progress=not quiet,
    )
    if is_finished(request):
        remove_leftovers(folder)
        click.echo(f"{folder} is finished.", err=True)
        return
    run = open_adaptation(request)
    click.echo(f"{corpus}: {len(run.corpus):,} sentences to fit on, {len(run.held_out):,} for scores", err=True)
    with StopRequest().listening() as stop:
        finished = run.go(stop=stop)
    if not finished:
        click.echo(f"Stopped; the folder {folder} is complete. Resume it with the same command and --resume.", err=True)
        raise SystemExit(128 + (stop.signal or 0))
    run.finish()
    if run.updates:
        click.echo(f"Fitted in {folder}. Use it with: ealm train CORPUS --lm {shlex.quote(str(folder))}", err=True)
    else:
        click.echo(
            f"Not fitted: there was no time for an update in {minutes:g} minutes, and {folder} holds the model as it "
            "was. Remove it, and give more --minutes.",
            err=True,
        )
