"""`ealm summarize`: shorten texts."""

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from ealm.batch.encodings import guessed_encoding, looks_like
from ealm.batch.file_types import FileFormat
from ealm.batch.model_recipe import ModelRecipe
from ealm.batch.readers import Source, decoded
from ealm.batch.resumable_file import refuse_same_file, refuse_to_replace
from ealm.cli.help_pages import GroupedCommand
from ealm.cli.job import RAY, JobOptions, is_job, job_options, run_job
from ealm.cli.shared import device_option, grammar_option, plain_errors
from ealm.cli.summarize_options import NEED_JSON, chosen_options, names_of, summarize_options
from ealm.cli.terminal import curve_lines, shown_lines
from ealm.common.config import AUTO
from ealm.common.errors import TextError
from ealm.summarize.options import OPTIONS, SummarizeOptions

if TYPE_CHECKING:
    from ealm.summarize.summarizer import Summarizer

HELP_GROUPS = {
    "Length": [*names_of("length"), "curve"],
    "What stays": names_of("content"),
    "Style": ["style", "nested", "folder", "lm", "grammar"],
    "Input": ["input_file", "document", *names_of("reading"), "kind", "column", "encoding"],
    "Output": [
        *("output_file", "overwrite", "as_json", "show", *names_of("output")),
        *("output_column", "error_column", "strict", "resume", "restart", "quiet"),
    ],
    "Speed": ["workers", "engine", "backend", "address", "device", "effort", "decoding"],
}
"""Where `--help` shows an option."""

COMMON = [
    *(*names_of("length"), "curve", "keep", "style", "folder"),
    *("input_file", "document", "column", "output_file", "overwrite", "as_json", "show", "resume", "workers"),
]
"""Options that `--help` shows; the others wait for `--help-all`."""


@click.command(cls=GroupedCommand, groups=HELP_GROUPS, common=COMMON)
@click.argument("text", required=False)
@click.option(
    "-i",
    "--input",
    "input_file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="Read texts from a file: one a line, or a column of JSON lines, CSV or Parquet; may be compressed "
    "(.gz, .zst, .xz, .bz2). - is standard input.",
)
@click.option("--document", is_flag=True, help="The whole input is one text; line breaks in it stay.")
@click.option(
    "-o",
    "--output",
    "output_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to a file instead of standard output, in the form that its name says, else in that of the input.",
)
@click.option(
    "--model",
    "folder",
    default="embedded",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Folder of a trained agent, or embedded-paper: the one that was trained as in the paper.",
)
@click.option("--lm", help="Another masked language model than the one the agent names.")
@summarize_options
@click.option(
    "--curve",
    is_flag=True,
    help="Every length of each text, with the share that a language model can still guess; it need not fall evenly.",
)
@click.option("--show", is_flag=True, help="Print the source with its edits in colour, and the curve.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: rates, step and edits.")
@device_option
@grammar_option
@job_options
@plain_errors
def summarize(
    text: str | None,
    input_file: Path | None,
    document: bool,
    output_file: Path | None,
    folder: Path,
    lm: str | None,
    curve: bool,
    show: bool,
    as_json: bool,
    device: str,
    grammar: str,
    **values: Any,
) -> None:
    """Shorten TEXT, a file, or standard input: one text a line in, one summary a line out.

    A text is a sentence or several, as people write them; a length is meant for the whole text. Files with columns
    keep them and get one more.

    \b
    ealm summarize --words 8 "A sentence, or several, as people write them."
    ealm summarize -i texts.txt -o summaries.txt --ratio 0.3
    """
    if text is not None:
        _refuse_file_name(text)
    values["markup"], values["kind"] = _markup(values["markup"], values["kind"], input_file)
    document = document or (values["markup"] != "text" and values["kind"] is None and input_file is not None)
    for name in NEED_JSON:
        if values[name] and not as_json:
            raise click.UsageError(f"--{name} goes with --json.")
    if show and (as_json or curve):
        raise click.UsageError("--show is for people; it does not go with --json or --curve.")
    lengths = [name for name, option in OPTIONS.items() if option.group == "length" and values[name]]
    if curve and lengths:
        raise click.UsageError(f"--curve gives every length; leave --{lengths[0]} out.")
    options = chosen_options(values, recoverability=values["recoverability"] or ((show or curve) and not _unwanted()))
    job = cast("JobOptions", values)
    source = None if input_file is None or str(input_file) == "-" else input_file
    engine = AUTO if job["engine"] == RAY else job["engine"]
    plain = text is None and not (document or show or curve or as_json)
    if is_job(source, output_file, plain=plain, options=job):
        _refuse_a_terminal(input_file)
        recipe = ModelRecipe(model=str(folder), lm=lm, device=device, engine=engine, grammar=grammar, options=options)
        run_job(source, output_file, options=job, recipe=recipe)
        return
    texts, ready = _texts(text, input_file, whole=document, encoding=job["encoding"])
    if output_file is not None:
        _check_output(source, output_file, from_argument=text is not None, overwrite=job["overwrite"])
    from ealm.summarize.summarizer import Summarizer

    summarizer = Summarizer(folder, lm=lm, device=device, engine=engine, grammar=grammar)
    colour = output_file is None and sys.stdout.isatty()
    lines = _output_lines(
        summarizer, texts, options, ready=ready, curve=curve, show=show, as_json=as_json, colour=colour
    )
    _write_lines(lines, output_file)


def _unwanted() -> bool:
    """Whether somebody wrote --no-recoverability."""
    return click.get_current_context().get_parameter_source("recoverability") is ParameterSource.COMMANDLINE


_MARKUP_OF = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html"}


def _markup(markup: str, kind: str | None, input_file: Path | None) -> tuple[str, str | None]:
    """The markup of the texts and the kind of the file: --format says both, and so does the name of a file."""
    if kind is not None and kind in _MARKUP_OF.values():
        return kind, None
    if markup == "text" and kind is None and input_file is not None:
        return _MARKUP_OF.get(input_file.suffix.lower(), markup), kind
    return markup, kind


def _output_lines(
    summarizer: "Summarizer",
    texts: Iterable[str],
    options: SummarizeOptions,
    *,
    ready: "Ready | None",
    curve: bool,
    show: bool,
    as_json: bool,
    colour: bool,
) -> Iterator[str]:
    for_curves = options.keywords("content", "reading", "model", "output")
    if curve:
        for text in texts:
            points = summarizer.curve(text, **for_curves)
            if as_json:
                yield json.dumps([point.to_dict() for point in points], ensure_ascii=False)
            else:
                yield from curve_lines(points, colour=colour)
    elif show:
        for text in texts:
            (summary,) = summarizer.summarize_with([text], options)
            yield from shown_lines(summary, summarizer.curve(text, **for_curves), colour=colour)
    else:
        for summary in summarizer.summarize_with(texts, options, ready=ready):
            if as_json:
                yield json.dumps(summary.to_dict(trace=options.trace), ensure_ascii=False)
            else:
                yield summary.summary


Ready = Callable[[], bool]
"""Whether the next text can be had without waiting for whoever writes it."""


def _texts(
    text: str | None, input_file: Path | None, *, whole: bool, encoding: str | None
) -> tuple[Iterable[str], Ready | None]:
    if text is not None and input_file is not None:
        raise click.UsageError("Give TEXT or --input, not both.")
    if text is not None:
        return [text], None
    path = None if input_file is None or str(input_file) == "-" else input_file
    if path is None:
        _refuse_a_terminal(input_file)
    source = Source(path, FileFormat.of(path, kind="text").compression, encoding=encoding)
    lines = _lines(source)
    if whole:
        return ["".join(lines)], None
    return (line.rstrip("\r\n") for line in lines), source.ready


def _lines(source: Source) -> Iterator[str]:
    """Lines with their ends; the first that cannot be read ends the command."""
    for line in source.lines():
        text, reason = decoded(line)
        if reason is not None:
            guess = guessed_encoding([line.content]) if line.whole else None
            advice = f" {looks_like(guess)}" if guess is not None else ""
            raise TextError(f"{source.path or 'standard input'}, line {line.number}: {reason}.{advice}")
        yield text


def _refuse_file_name(text: str) -> None:
    """Nobody wants the summary of a file's name."""
    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or not one
        is_file = False
    if is_file:
        name = shlex.quote(text)
        raise click.UsageError(
            f"{text} is a file. Say -i {name} to summarize each of its lines, or -i {name} --document to summarize "
            "it as one text."
        )


def _refuse_a_terminal(input_file: Path | None) -> None:
    if input_file is None and sys.stdin.isatty():
        raise click.UsageError("Nothing to summarize: give TEXT, --input FILE, or pipe sentences in.")


def _check_output(source: Path | None, output: Path, *, from_argument: bool, overwrite: bool) -> None:
    if not from_argument:
        refuse_same_file(source, output)
    if not overwrite:
        refuse_to_replace(output)


def _write_lines(lines: Iterable[str], output_file: Path | None) -> None:
    if output_file is None:
        for line in lines:
            click.echo(line)
        return
    from ealm.common.storage import replaced

    with replaced(output_file) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
