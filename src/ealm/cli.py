"""The `ealm` command. Bodies only parse, call and print; models load when a command needs them."""

import json
import math
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ealm import __version__
from ealm.config import ENGINES, PRESETS, preset
from ealm.errors import EalmError, SettingsError
from ealm.options import Options, Wishes
from ealm.showing import curve_lines, shown_lines
from ealm.text import decode_lines

if TYPE_CHECKING:
    from ealm.data import Corpus
    from ealm.model import Summarizer

DEFAULT_UPDATES = 70_000
"""A little more than exploration needs to fall to its minimum."""

Command = TypeVar("Command", bound=Callable[..., Any])


def _plain_errors(command: Command) -> Command:
    """Users' mistakes become one line on stderr and exit code 1."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except EalmError as error:
            raise click.ClickException(str(error)) from error
        except BrokenPipeError:  # whoever reads our output has had enough
            raise
        except OSError as error:
            raise click.ClickException(f"{error.filename or 'Input/output'}: {error.strerror or error}") from error

    return run  # type: ignore[return-value]


def _finite(_context: click.Context, _parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and math.isnan(value):
        raise click.BadParameter("expected a number, got nan.")
    return value


_corpus_argument = click.argument("corpus", type=click.Path(exists=True, dir_okay=False, path_type=Path))
_resume_option = click.option(
    "--resume", is_flag=True, help="Go on with the run in the folder; starts it if there is none."
)
_checkpoint_option = click.option(
    "--checkpoint-seconds",
    type=click.FloatRange(min=0),
    default=120.0,
    show_default=True,
    help="Time between checkpoints: what a crash can lose.",
)
_pretokenized_option = click.option(
    "--pretokenized",
    is_flag=True,
    help="The text is cut into words already, by spaces, as in the corpora of this field.",
)
_device_option = click.option("--device", default="cpu", show_default=True, help="Where to compute: cpu, cuda, ...")
_quiet_option = click.option("--quiet", is_flag=True, help="No progress bar.")
_engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="torch",
    show_default=True,
    help="What runs the language model; int8 is faster on a CPU, but rounds.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="ealm")
def main() -> None:
    """Learn to shorten sentences from raw text, and shorten them.

    \b
    ealm summarize --words 8 "A sentence, or several, as people write them."
    ealm train corpus.txt --out runs/mine
    ealm summarize --model runs/mine -i texts.txt -o summaries.txt
    """


@main.command()
@_corpus_argument
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
@click.option("--seed", type=click.IntRange(min=0), help="Same seed, same run. [default: 0]")
@click.option(
    "--updates",
    type=click.IntRange(min=1),
    help=f"Updates in all, earlier parts of a resumed run included. [default: {DEFAULT_UPDATES}]",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help="Train for so many minutes in all, earlier parts of a resumed run included.",
)
@_resume_option
@_checkpoint_option
@_pretokenized_option
@_engine_option
@_device_option
@_quiet_option
@_plain_errors
def train(
    corpus: Path,
    folder: Path,
    preset_name: str | None,
    assignments: Sequence[str],
    lm: str | None,
    similarity: str | None,
    seed: int | None,
    updates: int | None,
    minutes: float | None,
    resume: bool,
    checkpoint_seconds: float,
    pretokenized: bool,
    engine: str,
    device: str,
    quiet: bool,
) -> None:
    """Train an agent on CORPUS, a text file with one sentence a line (UTF-8, also as .gz, .xz or .bz2).

    Nothing but raw sentences is used: no summaries, no labels, no validation set. Ctrl-C stops and saves; --resume
    goes on exactly where the run was.
    """
    from ealm.run import Budget, StopRequest
    from ealm.run_setup import RunRequest, open_run

    request = RunRequest(
        corpus=corpus,
        folder=folder,
        preset=preset_name,
        assignments=_assignments(assignments) | ({"data.pretokenized": "true"} if pretokenized else {}),
        lm=lm,
        similarity=similarity,
        seed=seed,
        resume=resume,
        checkpoint_seconds=checkpoint_seconds,
        device=device,
        engine=engine,
    )
    run, sentences = open_run(request)
    trainer = run.trainer
    _report_corpus(corpus, sentences)
    if updates is None and minutes is None:
        updates = DEFAULT_UPDATES
    with StopRequest().listening() as stop:
        finished = run.go(Budget(updates, minutes), stop=stop, progress=not quiet)
    state = f"{trainer.updates:,} updates, best replay reward {_number(trainer.best_reward)}"
    if not finished:
        click.echo(f"Stopped after {state}. Go on with: {_resume_command(corpus, folder, updates, minutes)}", err=True)
        raise SystemExit(128 + (stop.signal or 0))
    if trainer.best_reward is None:
        click.echo("The replay buffer never filled, so the agent is the one after the last update.", err=True)
    click.echo(
        f"Trained in {folder}: {state}. Use it with: ealm summarize --model {shlex.quote(str(folder))}", err=True
    )


def _resume_command(corpus: Path, folder: Path, updates: int | None, minutes: float | None) -> str:
    command = ["ealm", "train", str(corpus), "--out", str(folder), "--resume"]
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


@main.command()
@_corpus_argument
@click.option(
    "--out", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder of the model."
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    callback=_finite,
    help="Fit for so many minutes in all, earlier parts of a resumed run included.",
)
@_resume_option
@click.option(
    "--lm",
    default="embedded",
    show_default=True,
    help="Where to start: embedded, encoder (the bare encoder with a new head), or a BERT by folder or hub name.",
)
@click.option(
    "--heldout",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Sentences for scores only. [default: 2 % of the corpus, at most 5,000]",
)
@click.option(
    "--method",
    type=click.Choice(["all", "head", "adapters"]),
    default="all",
    show_default=True,
    help="What learns: all weights, the head alone, or low-rank adapters with the head.",
)
@click.option(
    "--learning-rate",
    type=click.FloatRange(min=0, min_open=True, max=1),
    default=5e-4,
    show_default=True,
    callback=_finite,
    help="At the start; it falls to nothing over the time given.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@_checkpoint_option
@_pretokenized_option
@_quiet_option
@_plain_errors
def adapt(
    corpus: Path,
    folder: Path,
    minutes: float,
    resume: bool,
    lm: str,
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
    Ctrl-C stops and saves; --resume goes on.
    """
    from ealm.adaptation import AdaptRequest, open_adaptation
    from ealm.lm_fitting import FittingSettings
    from ealm.run import StopRequest

    run = open_adaptation(
        AdaptRequest(
            corpus=corpus,
            folder=folder,
            minutes=minutes,
            lm=lm,
            held_out=heldout,
            pretokenized=pretokenized,
            resume=resume,
            checkpoint_seconds=checkpoint_seconds,
            settings=FittingSettings(method=method, learning_rate=learning_rate, seed=seed),
            say=lambda line: click.echo(line, err=True),
            progress=not quiet,
        )
    )
    click.echo(f"{corpus}: {len(run.corpus):,} sentences to fit on, {len(run.held_out):,} for scores", err=True)
    with StopRequest().listening() as stop:
        finished = run.go(stop=stop)
    if not finished:
        click.echo(f"Stopped; the folder {folder} is complete. Go on with the same command and --resume.", err=True)
        raise SystemExit(128 + (stop.signal or 0))
    click.echo(f"Fitted in {folder}. Use it with: ealm train CORPUS --lm {shlex.quote(str(folder))}", err=True)


@main.command()
@click.argument("text", required=False)
@click.option(
    "-i",
    "--input",
    "input_file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="Read texts from a file, one a line; - is standard input.",
)
@click.option("--document", is_flag=True, help="The whole input is one text; line breaks in it stay.")
@click.option(
    "-o",
    "--output",
    "output_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to a file instead of standard output.",
)
@click.option(
    "--model",
    "folder",
    default="embedded",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Folder of a trained agent.",
)
@click.option("--lm", help="Another masked language model than the one the agent names.")
@click.option("--words", type=click.IntRange(min=1), help="At most so many words. [default: the best balance]")
@click.option("--chars", type=click.IntRange(min=1), help="At most so many characters.")
@click.option("--bytes", "byte_count", type=click.IntRange(min=1), help="At most so many bytes of UTF-8.")
@click.option("--ratio", type=click.FloatRange(0, 1, min_open=True), help="At most this share of the source's words.")
@click.option("--curve", is_flag=True, help="Every length of each text, with what can still be recovered.")
@click.option("--keep", multiple=True, metavar="WORD", help="Never remove or replace this word; may be repeated.")
@click.option("--extractive", is_flag=True, help="Never replace a word.")
@click.option(
    "--protect",
    metavar="KINDS",
    help="Kinds of words to leave alone as long as the length allows: negation, numbers, names, or none; "
    "separated by commas. [default: negation]",
)
@_pretokenized_option
@click.option("--show", is_flag=True, help="Print the source with its edits in colour, and the curve.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: rates, step and edits.")
@click.option("--trace", is_flag=True, help="With --json: every step of the walk with its summary and rates.")
@click.option("--recoverability", is_flag=True, help="Work out the reconstruction rate also where the length is given.")
@click.option(
    "--decoding",
    type=click.Choice(["sequential", "parallel"]),
    help="Fill holes one a round as in the paper, or all sure ones at once: faster, not always the same.",
)
@_engine_option
@_device_option
@_plain_errors
def summarize(
    text: str | None,
    input_file: Path | None,
    document: bool,
    output_file: Path | None,
    folder: Path,
    lm: str | None,
    words: int | None,
    chars: int | None,
    byte_count: int | None,
    ratio: float | None,
    curve: bool,
    keep: tuple[str, ...],
    extractive: bool,
    protect: str | None,
    pretokenized: bool,
    show: bool,
    as_json: bool,
    trace: bool,
    recoverability: bool,
    decoding: str | None,
    engine: str,
    device: str,
) -> None:
    """Shorten TEXT, a file, or standard input: one text a line in, one summary a line out.

    A text is a sentence or several, as people write them. A length is meant for the whole text.
    """
    if trace and not as_json:
        raise click.UsageError("--trace goes with --json.")
    if show and (as_json or curve):
        raise click.UsageError("--show is for people; it does not go with --json or --curve.")
    if curve and (words or chars or byte_count or ratio):
        raise click.UsageError("--curve gives every length; leave --words, --chars, --bytes and --ratio out.")
    wishes: Wishes = {
        "words": words,
        "chars": chars,
        "bytes": byte_count,
        "ratio": ratio,
        "keep": keep,
        "protect": _kinds(protect),
        "extractive": extractive,
        "pretokenized": pretokenized,
        "trace": trace,
        "recoverability": recoverability or show or curve,
    }
    Options.of(**wishes)  # a mistake is told before anything is loaded
    texts = _texts(text, input_file, whole=document)
    from ealm.model import Summarizer

    summarizer = Summarizer.from_pretrained(folder, lm=lm, device=device, engine=engine)
    if decoding is not None:
        summarizer = summarizer.with_decoding(decoding)
    colour = output_file is None and sys.stdout.isatty()
    lines = _output_lines(summarizer, texts, wishes, curve=curve, show=show, as_json=as_json, colour=colour)
    _write_lines(lines, output_file)


def _output_lines(
    summarizer: "Summarizer",
    texts: Iterable[str],
    wishes: Wishes,
    *,
    curve: bool,
    show: bool,
    as_json: bool,
    colour: bool,
) -> Iterator[str]:
    if curve:
        for text in texts:
            points = summarizer.curve(text, **wishes)
            if as_json:
                yield json.dumps([point.to_dict() for point in points], ensure_ascii=False)
            else:
                yield from curve_lines(points, colour=colour)
    elif show:
        for text in texts:
            summary = summarizer.summarize(text, **wishes)
            yield from shown_lines(summary, summarizer.curve(text, **_without_length(wishes)), colour=colour)
    else:
        for summary in summarizer.stream(texts, **wishes):
            if as_json:
                yield json.dumps(summary.to_dict(trace=wishes.get("trace", False)), ensure_ascii=False)
            else:
                yield summary.summary


def _without_length(wishes: Wishes) -> Wishes:
    return {**wishes, "words": None, "chars": None, "bytes": None, "ratio": None}


def _kinds(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


def _texts(text: str | None, input_file: Path | None, *, whole: bool) -> Iterable[str]:
    if text is not None and input_file is None:
        return [text]
    lines = _sentences(text, input_file)
    return ["".join(lines)] if whole else (line.rstrip("\r\n") for line in lines)


def _sentences(text: str | None, input_file: Path | None) -> Iterable[str]:
    if text is not None and input_file is not None:
        raise click.UsageError("Give TEXT or --input, not both.")
    if input_file is not None and str(input_file) != "-":
        return _file_lines(input_file)
    if input_file is None and sys.stdin.isatty():
        raise click.UsageError("Nothing to summarize: give TEXT, --input FILE, or pipe sentences in.")
    return decode_lines(sys.stdin.buffer, "standard input")


def _file_lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        yield from decode_lines(file, str(path))


def _write_lines(lines: Iterable[str], output_file: Path | None) -> None:
    if output_file is None:
        for line in lines:
            click.echo(line)
        return
    from ealm.storage import replaced

    with replaced(output_file) as draft, draft.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


@main.command()
@click.option("--preset", "preset_name", type=click.Choice(sorted(PRESETS)), default="paper", show_default=True)
@_plain_errors
def settings(preset_name: str) -> None:
    """Print all settings of a preset as JSON; each can be changed with `ealm train --set NAME=VALUE`."""
    click.echo(json.dumps(preset(preset_name).to_dict(), indent=2))


if __name__ == "__main__":
    main()
