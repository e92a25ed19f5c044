"""`ealm summarize`: shorten texts."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from ealm.batch.file_types import FileFormat
from ealm.batch.model_recipe import ModelRecipe
from ealm.batch.readers import Source
from ealm.cli.job import RAY, JobOptions, is_job, job_options, run_job
from ealm.cli.shared import device_option, plain_errors, pretokenized_option
from ealm.cli.terminal import curve_lines, shown_lines
from ealm.summarize.options import SummarizeOptions, Wishes
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
@click.option("--words", type=click.IntRange(min=1), help="At most so many words. [default: the agent's choice]")
@click.option("--chars", type=click.IntRange(min=1), help="At most so many characters.")
@click.option("--bytes", "byte_count", type=click.IntRange(min=1), help="At most so many bytes of UTF-8.")
@click.option("--ratio", type=click.FloatRange(0, 1, min_open=True), help="At most this share of the source's words.")
@click.option("--curve", is_flag=True, help="Every length of each text, with what can still be recovered.")
@click.option("--keep", multiple=True, metavar="WORD", help="Never remove or replace this word; may be repeated.")
@click.option("--extractive", is_flag=True, help="Never replace a word.")
@click.option(
    "--reword/--no-reword",
    default=False,
    show_default=True,
    help="Let a shorter word stand for a phrase: premier for prime minister, 7.4% for 7.4 percent.",
)
@click.option(
    "--protect",
    metavar="KINDS",
    help="Kinds of words to leave alone as long as the length allows: negation, numbers, names, or none; "
    "separated by commas. [default: negation]",
)
@pretokenized_option
@click.option("--show", is_flag=True, help="Print the source with its edits in colour, and the curve.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: rates, step and edits.")
@click.option("--trace", is_flag=True, help="With --json: every step of the walk with its summary and rates.")
@click.option("--recoverability", is_flag=True, help="Work out the reconstruction rate also where the length is given.")
@click.option(
    "--decoding",
    type=click.Choice(["sequential", "parallel"]),
    help="Fill holes one a round as in the paper, or all sure ones at once: faster, not always the same.",
)
@click.option(
    "--effort",
    type=click.Choice(["walk", "plan", "search"]),
    help="walk: word after word, as the agent's Q-values tell. plan: the best draft by what the agent takes words to "
    "be worth. search: the best draft after weighing the words of the very sentence, some forty times the work. "
    "[default: plan, if the agent has learned what words are worth; else walk]",
)
@click.option(
    "--style",
    type=click.Choice(["headline", "plain"]),
    help="headline: articles and auxiliaries go first, as in newspapers. plain: they are words like others. [default: "
    "headline with the embedded model]",
)
@device_option
@job_options
@plain_errors
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
    reword: bool,
    protect: str | None,
    pretokenized: bool,
    show: bool,
    as_json: bool,
    trace: bool,
    recoverability: bool,
    decoding: str | None,
    effort: str | None,
    style: str | None,
    device: str,
    **options: Unpack[JobOptions],
) -> None:
    """Shorten TEXT, a file, or standard input: one text a line in, one summary a line out.

    A text is a sentence or several, as people write them. A length is meant for the whole text.

    Files with columns keep them and get one more. With --output, a row that cannot be used is told at the end and does
    not stop the others, and a job that was stopped goes on with --resume.
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
        "reword": reword,
    }
    SummarizeOptions.of(**wishes)  # a mistake is told before anything is loaded
    source = None if input_file is None or str(input_file) == "-" else input_file
    engine = "torch" if options["engine"] == RAY else options["engine"]
    plain = text is None and not (document or show or curve or as_json)
    if is_job(source, output_file, plain=plain, options=options):
        _refuse_a_terminal(input_file)
        recipe = ModelRecipe(
            folder=str(folder),
            lm=lm,
            device=device,
            engine=engine,
            decoding=decoding,
            effort=effort,
            style=style,
            wishes=wishes,
        )
        run_job(source, output_file, options=options, recipe=recipe)
        return
    texts = _texts(text, input_file, whole=document)
    from ealm.summarize.summarizer import Summarizer

    summarizer = Summarizer.from_pretrained(folder, lm=lm, device=device, engine=engine)
    if decoding is not None:
        summarizer = summarizer.with_decoding(decoding)
    if effort is not None:
        summarizer = summarizer.with_effort(effort)
    if style is not None:
        summarizer = summarizer.with_style(style)
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

    with replaced(output_file) as draft, draft.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
