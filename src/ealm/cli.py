"""The `ealm` command. Bodies only parse, call and print; models load when a command needs them."""

import json
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
from ealm.text import decode_lines

if TYPE_CHECKING:
    from ealm.data import Corpus
    from ealm.summary import Summary

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
    ealm train corpus.txt --out runs/mine --lm bert-base-uncased
    ealm summarize --model runs/mine "the sentence to shorten ."
    """


@main.command()
@click.argument("corpus", type=click.Path(exists=True, dir_okay=False, path_type=Path))
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
@click.option("--resume", is_flag=True, help="Go on with the run in the folder; starts it if there is none.")
@click.option(
    "--checkpoint-seconds",
    type=click.FloatRange(min=0),
    default=120.0,
    show_default=True,
    help="Time between checkpoints: what a crash can lose.",
)
@_engine_option
@click.option("--device", default="cpu", show_default=True, help="Where to compute: cpu, cuda, ...")
@click.option("--quiet", is_flag=True, help="No progress bar.")
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
    engine: str,
    device: str,
    quiet: bool,
) -> None:
    """Train an agent on CORPUS, a text file with one sentence a line (UTF-8, words separated by spaces).

    Nothing but raw sentences is used: no summaries, no labels, no validation set. Ctrl-C stops and saves; --resume
    goes on exactly where the run was.
    """
    from ealm.run import Budget, StopRequest
    from ealm.run_setup import RunRequest, open_run

    request = RunRequest(
        corpus=corpus,
        folder=folder,
        preset=preset_name,
        assignments=_assignments(assignments),
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
@click.argument("text", required=False)
@click.option(
    "-i",
    "--input",
    "input_file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="Read sentences from a file, one a line; - is standard input.",
)
@click.option(
    "-o",
    "--output",
    "output_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to a file instead of standard output.",
)
@click.option("--model", "folder", required=True, type=click.Path(path_type=Path), help="Folder of a trained agent.")
@click.option("--lm", help="Another masked language model than the one the agent names.")
@click.option("--words", type=click.IntRange(min=1), help="At most so many words. [default: the best balance]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: rates, step and edits.")
@click.option("--trace", is_flag=True, help="With --json: every step of the walk with its summary and rates.")
@click.option("--recoverability", is_flag=True, help="With --words: work out the reconstruction rate too.")
@click.option(
    "--decoding",
    type=click.Choice(["sequential", "parallel"]),
    help="Fill holes one a round as in the paper, or all sure ones at once: faster, not always the same.",
)
@_engine_option
@click.option("--device", default="cpu", show_default=True, help="Where to compute: cpu, cuda, ...")
@_plain_errors
def summarize(
    text: str | None,
    input_file: Path | None,
    output_file: Path | None,
    folder: Path,
    lm: str | None,
    words: int | None,
    as_json: bool,
    trace: bool,
    recoverability: bool,
    decoding: str | None,
    engine: str,
    device: str,
) -> None:
    """Shorten TEXT, a file, or standard input: one sentence a line in, one summary a line out."""
    if trace and not as_json:
        raise click.UsageError("--trace goes with --json.")
    sentences = _sentences(text, input_file)
    from ealm.model import Summarizer

    summarizer = Summarizer.from_pretrained(folder, lm=lm, device=device, engine=engine)
    if decoding is not None:
        summarizer = summarizer.with_decoding(decoding)
    summaries = summarizer.stream(sentences, words=words, trace=trace, recoverability=recoverability)
    lines = (_line(summary, as_json=as_json, trace=trace) for summary in summaries)
    _write_lines(lines, output_file)


def _sentences(text: str | None, input_file: Path | None) -> Iterable[str]:
    if text is not None and input_file is not None:
        raise click.UsageError("Give TEXT or --input, not both.")
    if text is not None:
        return text.removesuffix("\n").split("\n")  # the same lines as in a file
    if input_file is not None and str(input_file) != "-":
        return _file_lines(input_file)
    if input_file is None and sys.stdin.isatty():
        raise click.UsageError("Nothing to summarize: give TEXT, --input FILE, or pipe sentences in.")
    return decode_lines(sys.stdin.buffer, "standard input")


def _file_lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        yield from decode_lines(file, str(path))


def _line(summary: "Summary", *, as_json: bool, trace: bool) -> str:
    return json.dumps(summary.to_dict(trace=trace), ensure_ascii=False) if as_json else summary.summary


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
