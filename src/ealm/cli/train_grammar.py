"""`ealm train-grammar`: distil the embedded parser from a teacher."""

from pathlib import Path

import click

from ealm.cli.shared import checkpoint_option, corpus_argument, finite, plain_errors, quiet_option, resume_option
from ealm.common.config import DataSettings


@click.command()
@corpus_argument
@click.option("--teacher", required=True, help="Whose parses to learn: spacy:PIPELINE, such as spacy:en_core_web_sm.")
@click.option(
    "--out", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder of the parser."
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    callback=finite,
    help="Train for so many minutes in all, earlier parts of a resumed run included; parsing and encoding come before.",
)
@click.option("--updates", type=click.IntRange(min=1), help="Train for so many updates instead.")
@click.option(
    "--max-sentences", type=click.IntRange(min=50), default=60_000, show_default=True, help="Sample a larger corpus."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@resume_option
@checkpoint_option
@quiet_option
@plain_errors
def train_grammar(
    corpus: Path,
    teacher: str,
    folder: Path,
    minutes: float,
    updates: int | None,
    max_sentences: int,
    seed: int,
    resume: bool,
    checkpoint_seconds: float,
    quiet: bool,
) -> None:
    """Train a parser on the sentence encoder's states from the parses that a teacher gives to CORPUS (raw text).

    Each sentence is parsed and encoded once and kept in the folder (some 60 KB a sentence), then the parser is trained
    on all of them again and again. In the end its agreement with the teacher on sentences that were set aside is
    printed by relation and written to agreement.json. Ctrl-C stops and saves; --resume goes on.
    """
    from ealm.common.stopping import StopRequest
    from ealm.grammar.training.run import GrammarRequest, GrammarRun, teacher_named
    from ealm.lm.word_encoder import WordEncoder

    request = GrammarRequest(
        corpus=corpus,
        teacher=teacher,
        folder=folder,
        minutes=minutes,
        updates=updates,
        data=DataSettings(max_words=70, max_sentences=max_sentences),
        seed=seed,
        resume=resume,
        checkpoint_seconds=checkpoint_seconds,
        say=lambda line: click.echo(line, err=True),
        progress=not quiet,
    )
    run = GrammarRun(request, teacher_named(teacher), WordEncoder.load())
    with StopRequest().listening() as stop:
        finished = run.go(stop=stop)
    if not finished:
        click.echo(f"Stopped. Go on with the same command and --resume; {folder} has all that was done.", err=True)
        raise SystemExit(128 + (stop.signal or 0))
    click.echo(f"The parser is in {folder}.", err=True)
