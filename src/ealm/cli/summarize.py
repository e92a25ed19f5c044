"""`ealm summarize`: shorten texts."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ealm.batch.file_types import FileFormat
from ealm.batch.model_recipe import ModelRecipe
from ealm.batch.readers import Source
from ealm.cli.job import RAY, JobOptions, is_job, job_options, run_job
from ealm.cli.shared import device_option, grammar_option, plain_errors
from ealm.cli.summarize_options import NEED_JSON, chosen_options, summarize_options
from ealm.cli.terminal import curve_lines, shown_lines
from ealm.summarize.options import OPTIONS, SummarizeOptions
from ealm.text.words import decode_lines

if TYPE_CHECKING:
    from ealm.summarize.summarizer import Summarizer


@click.command()
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
@click.option("--curve", is_flag=True, help="Every length of each text, with what can still be recovered.")
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

    A text is a sentence or several, as people write them. A length is meant for the whole text.

    Files with columns keep them and get one more. With --output, a row that cannot be used is reported at the end and
    does not stop the others, and a job that was stopped resumes with --resume.
    """
    for name in NEED_JSON:
        if values[name] and not as_json:
            raise click.UsageError(f"--{name} goes with --json.")
    if show and (as_json or curve):
        raise click.UsageError("--show is for people; it does not go with --json or --curve.")
    lengths = [name for name, option in OPTIONS.items() if option.group == "length" and values[name]]
    if curve and lengths:
        raise click.UsageError(f"--curve gives every length; leave --{lengths[0]} out.")
    options = chosen_options(values, recoverability=values["recoverability"] or show or curve)
    job = cast("JobOptions", values)
    source = None if input_file is None or str(input_file) == "-" else input_file
    engine = "torch" if job["engine"] == RAY else job["engine"]
    plain = text is None and not (document or show or curve or as_json)
    if is_job(source, output_file, plain=plain, options=job):
        _refuse_a_terminal(input_file)
        recipe = ModelRecipe(model=str(folder), lm=lm, device=device, engine=engine, grammar=grammar, options=options)
        run_job(source, output_file, options=job, recipe=recipe)
        return
    texts = _texts(text, input_file, whole=document)
    from ealm.summarize.summarizer import Summarizer

    summarizer = Summarizer(folder, lm=lm, device=device, engine=engine, grammar=grammar)
    colour = output_file is None and sys.stdout.isatty()
    lines = _output_lines(summarizer, texts, options, curve=curve, show=show, as_json=as_json, colour=colour)
    _write_lines(lines, output_file)


def _output_lines(
    summarizer: "Summarizer",
    texts: Iterable[str],
    options: SummarizeOptions,
    *,
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
        for summary in summarizer.summarize_with(texts, options):
            if as_json:
                yield json.dumps(summary.to_dict(trace=options.trace), ensure_ascii=False)
            else:
                yield summary.summary


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
    _refuse_a_terminal(input_file)
    return decode_lines(sys.stdin.buffer, "standard input")


def _refuse_a_terminal(input_file: Path | None) -> None:
    if input_file is None and sys.stdin.isatty():
        raise click.UsageError("Nothing to summarize: give TEXT, --input FILE, or pipe sentences in.")


def _file_lines(path: Path) -> Iterator[str]:
    with Source(path, FileFormat.of(path, kind="text").compression).opened() as file:
        yield from decode_lines(file, str(path))


def _write_lines(lines: Iterable[str], output_file: Path | None) -> None:
    if output_file is None:
        for line in lines:
            click.echo(line)
        return
    from ealm.common.storage import replaced

    with replaced(output_file) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
