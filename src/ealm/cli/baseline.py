"""`ealm train-baseline`: what the method is compared with."""

import shlex
from collections.abc import Sequence
from pathlib import Path

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

_out_option = click.option(
    "--out", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder of the model."
)
_seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
_AUTOENCODER_SHARE = 0.5
"""Time for learning to copy, as a share of the summarizer's."""


@click.group(name="train-baseline")
def train_baseline() -> None:
    """Train a baseline on raw sentences: seq3 or cmatch. Score it with `ealm evaluate`."""


@train_baseline.command()
@corpus_argument
@_out_option
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    callback=finite,
    help="Time for the summarizer, earlier parts of a resumed run included.",
)
@click.option(
    "--lm-minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    callback=finite,
    help="Time before that for the language model.",
)
@click.option(
    "--autoencoder-minutes",
    type=click.FloatRange(min=0),
    callback=finite,
    help="Time between the two for learning to copy; 0 is without, as published. [default: half of --minutes]",
)
@click.option(
    "--validation",
    type=click.Path(exists=True, path_type=Path),
    help="Data with references, as for `ealm evaluate`: the best weights on it are kept too (SEQ3+, `validated`).",
)
@_seed_option
@resume_option
@checkpoint_option
@pretokenized_option
@quiet_option
@plain_errors
def seq3(
    corpus: Path,
    folder: Path,
    minutes: float,
    lm_minutes: float,
    autoencoder_minutes: float | None,
    validation: Path | None,
    seed: int,
    resume: bool,
    checkpoint_seconds: float,
    pretokenized: bool,
    quiet: bool,
) -> None:
    """SEQ3: two sequence-to-sequence models that shorten a sentence and rebuild it."""
    from ealm.baselines.seq3.run_checks import Validation
    from ealm.baselines.seq3.settings import Seq3Settings
    from ealm.baselines.seq3.training import train_seq3
    from ealm.common.stopping import StopRequest
    from ealm.text.tokenizer import spaced

    settings = Seq3Settings()
    pairs = None
    if validation is not None:
        from ealm.evaluation.data import read_paired
        from ealm.evaluation.rouge import mean_rouge, require_rouge

        require_rouge()
        paired = read_paired(validation)
        sources = paired.sources if pretokenized else tuple(map(spaced, paired.sources))
        pairs = Validation(sources, paired.references, score=mean_rouge)
    with StopRequest().listening() as stop:
        finished = train_seq3(
            _sentences(corpus, pretokenized=pretokenized, max_words=settings.max_words),
            folder,
            settings=settings,
            seed=seed,
            minutes=minutes,
            lm_minutes=lm_minutes,
            autoencoder_minutes=_AUTOENCODER_SHARE * minutes if autoencoder_minutes is None else autoencoder_minutes,
            resume=resume,
            validation=pairs,
            progress=not quiet,
            checkpoint_seconds=checkpoint_seconds,
            stop=stop,
        )
    _say_end(folder, "seq3", finished=finished, signal=stop.signal)


@train_baseline.command()
@corpus_argument
@_out_option
@click.option(
    "--headlines",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Headlines without their texts, one a line: what the fluency model learns from.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    callback=finite,
    help="Time for both language models together, earlier parts of a resumed run included.",
)
@click.option(
    "--fluency-weight",
    type=click.FloatRange(min=0),
    default=0.11,
    show_default=True,
    callback=finite,
    help="Exponent of the fluency model in the product of experts.",
)
@_seed_option
@resume_option
@checkpoint_option
@pretokenized_option
@quiet_option
@plain_errors
def cmatch(
    corpus: Path,
    folder: Path,
    headlines: Path,
    minutes: float,
    fluency_weight: float,
    seed: int,
    resume: bool,
    checkpoint_seconds: float,
    pretokenized: bool,
    quiet: bool,
) -> None:
    """CMatch: search with a contextual matching model and a language model of headlines."""
    from ealm.baselines.cmatch.settings import CMatchSettings
    from ealm.baselines.cmatch.training import train_cmatch
    from ealm.common.stopping import StopRequest

    settings = CMatchSettings(fluency_weight=fluency_weight)
    with StopRequest().listening() as stop:
        finished = train_cmatch(
            _sentences(corpus, pretokenized=pretokenized, max_words=settings.longest_sentence),
            _sentences(headlines, pretokenized=pretokenized, max_words=settings.longest_sentence),
            folder,
            settings=settings,
            seed=seed,
            minutes=minutes,
            resume=resume,
            progress=not quiet,
            checkpoint_seconds=checkpoint_seconds,
            stop=stop,
        )
    _say_end(folder, "cmatch", finished=finished, signal=stop.signal)


def _sentences(path: Path, *, pretokenized: bool, max_words: int) -> Sequence[Sequence[str]]:
    from ealm.common.config import DataSettings
    from ealm.text.corpus import read_corpus

    settings = DataSettings(pretokenized=pretokenized, max_words=max_words, max_sentences=None)
    corpus = read_corpus(path, settings=settings, longest=max_words, seed=0)
    click.echo(f"{path}: {corpus.description}", err=True)
    return corpus.sentences


def _say_end(folder: Path, name: str, *, finished: bool, signal: int | None) -> None:
    if not finished:
        click.echo(f"Stopped; the folder {folder} is complete. Resume it with the same command and --resume.", err=True)
        raise SystemExit(128 + (signal or 0))
    quoted = shlex.quote(str(folder))
    click.echo(f"Trained in {folder}. Score it with: ealm evaluate --data DATA --systems {name}={quoted}", err=True)
