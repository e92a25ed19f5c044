"""`ealm evaluate`: the paper's table for any systems on any data."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ealm.baselines.table import baseline_list
from ealm.cli.help_pages import GroupedCommand
from ealm.cli.shared import plain_errors, pretokenized_option, quiet_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ealm.evaluation.qualities import Qualities
    from ealm.evaluation.results import Evaluation
    from ealm.evaluation.systems import SystemSpec
    from ealm.evaluation.truth_run import TruthResult

DEFAULT_SYSTEMS = "lead-8,lead-15,stopwords,ealm"
LENGTH_WORDS = 8
"""Words asked for under the `length` protocol when the user names no number."""
_CURVE_SENTENCES = 6
_CURVE_RATIOS = (0.2, 0.4, 0.6, 0.8)
"""What the figure of compression against reconstruction shows: so many sentences at these lengths."""

HELP_GROUPS = {
    "Input": ["data", "truth", "sentences", "mask_digits", "pretokenized"],
    "Systems": ["systems", "runs", "seeds", "words"],
    "Scores": ["protocol", "rouge_only"],
    "Output": ["folder", "as_json", "samples", "show_violations", "quiet"],
}


@click.command(cls=GroupedCommand, groups=HELP_GROUPS)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Folder with input.txt and ref0.txt, ref1.txt, ...; or a .jsonl file with text and summaries; or a dataset "
    "of the datasets library on disk.",
)
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    help="Folder with a suite of truths, instead of --data or beside it. Counts what the systems say at every length, "
    "from 3 words to the whole (or at --words), that the source does not say.",
)
@click.option("--show-violations", is_flag=True, help="With --truth: print each summary that says something untrue.")
@click.option(
    "--systems",
    default=DEFAULT_SYSTEMS,
    show_default=True,
    help="Separated by commas: ealm, ealm=DIR, ealm:NAME=DIR, file:NAME=PATH (one summary a line), "
    f"{baseline_list(about=True)}. {{seed}} in a DIR or PATH stands for each of --seeds.",
)
@click.option(
    "--paper-table",
    "runs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Instead of --systems: all rows of the paper's table. A folder with trained systems, named by kind and seed: "
    "ealm-0, ealm-1, seq3-0, cmatch-0, ...",
)
@click.option(
    "--protocol",
    type=click.Choice(["paper", "length", "duc"]),
    default="paper",
    show_default=True,
    help="paper: F1 of the first 75 bytes; length: F1 of all words; duc: recall of the first 75 characters.",
)
@click.option(
    "--words",
    type=click.IntRange(min=1),
    help=f"Ask the systems for at most so many words. [default: their own length; {LENGTH_WORDS} under length]",
)
@click.option("--seeds", metavar="N,N,...", help="Seeds of the systems whose folder has {seed} in its name.")
@click.option("--sentences", type=click.IntRange(min=1), help="Only the first so many.")
@click.option("--mask-digits", is_flag=True, help="References in lower case with # for digits: the paper's DUC scores.")
@pretokenized_option
@click.option("--rouge-only", is_flag=True, help="Leave out what needs a model: fluency, similarity, curves.")
@click.option("--samples", type=click.IntRange(min=0), default=20, show_default=True, help="Rows of the sample table.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@click.option(
    "--out", "folder", type=click.Path(file_okay=False, path_type=Path), help="Write tables, figures, report."
)
@quiet_option
@plain_errors
def evaluate(
    data: Path | None,
    truth: Path | None,
    show_violations: bool,
    systems: str,
    runs: Path | None,
    protocol: str,
    words: int | None,
    seeds: str | None,
    sentences: int | None,
    mask_digits: bool,
    pretokenized: bool,
    rouge_only: bool,
    samples: int,
    as_json: bool,
    folder: Path | None,
    quiet: bool,
) -> None:
    """Score systems on sentences with references, or check them against a suite of truths.

    References are for these numbers only: nothing is trained on them.
    """
    from ealm.evaluation import tables
    from ealm.evaluation.data import read_paired
    from ealm.evaluation.results import evaluate as run_evaluation
    from ealm.evaluation.rouge import PROTOCOLS
    from ealm.evaluation.systems import parse_systems
    from ealm.evaluation.truth import read_suite
    from ealm.evaluation.truth_run import evaluate_truth

    numbers = _numbers(seeds)
    if runs is not None:
        systems, numbers = _paper_table(runs)
    specs = parse_systems(systems, seeds=numbers)
    say = (lambda _: None) if quiet else (lambda name: click.echo(f"… {name}", err=True))
    if data is None and truth is None:
        raise click.UsageError("Give --data DIR (scores against references), --truth DIR (a suite of truths), or both.")
    if data is not None and truth is not None and as_json:
        raise click.UsageError(
            "--json prints the results of --data or of --truth: leave one of them out, or use --out."
        )
    results = []
    if truth is not None:
        results = evaluate_truth(read_suite(truth), specs, words=words, seeds=numbers, say=say)
        _print_truth(results, as_json=as_json, show_violations=show_violations)
    if data is None:
        if folder is not None:
            from ealm.evaluation.report import write_truth

            write_truth(folder, results)
            click.echo(f"Written: {folder / 'report.html'}", err=True)
        return
    paired = read_paired(data).first(sentences)
    evaluation = run_evaluation(
        paired.with_gigaword_references() if mask_digits else paired,
        specs,
        protocol=PROTOCOLS[protocol],
        words=LENGTH_WORDS if protocol == "length" and words is None else words,
        pretokenized=pretokenized,
        seeds=numbers,
        say=say,
    )
    found = {} if rouge_only else _qualities(evaluation)
    if as_json:
        click.echo(json.dumps(tables.to_dict(evaluation, found), indent=2, ensure_ascii=False))
    else:
        _print(evaluation, found)
    if runs is not None and not as_json:
        from ealm.evaluation.published import HEADINGS, published_rows

        click.echo("\nThe paper's own figures, on its test sets:")
        click.echo(tables.terminal_table(HEADINGS, published_rows()))
    if folder is not None:
        from ealm.evaluation.report import write_evaluation

        curves = {} if rouge_only else _curves(evaluation, specs, numbers)
        lines = _spread_lines(len(paired), samples)
        write_evaluation(folder, evaluation, found, curves=curves, samples=lines, truth=results)
        click.echo(f"Written: {folder / 'report.html'}", err=True)


def _print_truth(results: "Sequence[TruthResult]", *, as_json: bool, show_violations: bool) -> None:
    from ealm.evaluation.tables import terminal_table
    from ealm.evaluation.truth_run import kind_rows, length_rows, violation_lines

    if as_json:
        click.echo(json.dumps([result.to_dict() for result in results], indent=2, ensure_ascii=False))
        return
    click.echo("Summaries that say what the source does not say, of the different summaries of each text:")
    click.echo(f"{terminal_table(*kind_rows(results))}\n\n{terminal_table(*length_rows(results))}")
    for result in results if show_violations else ():
        click.echo("\n".join([f"\n{result.system}:", *violation_lines(result)]))


def _paper_table(runs: Path) -> tuple[str, list[int]]:
    from ealm.evaluation.published import table_systems

    systems, seeds, missing = table_systems(runs)
    for kind in missing:
        click.echo(f"{runs} has no folder {kind}-0: its rows are left out.", err=True)
    return systems, seeds


def _numbers(text: str | None) -> list[int]:
    try:
        return [int(part) for part in (text or "").split(",") if part.strip()]
    except ValueError:
        raise click.BadParameter(f"expected numbers with commas between, got {text!r}.", param_hint="--seeds") from None


def _print(evaluation: "Evaluation", found: "dict[str, Qualities]") -> None:
    from ealm.evaluation import tables
    from ealm.evaluation.results import MEASURES

    click.echo(tables.caption(evaluation))
    click.echo(tables.terminal_table(tables.HEADINGS, tables.score_rows(evaluation)))
    for line in tables.overrun_lines(evaluation):
        click.echo(line)
    comparisons = evaluation.comparisons()
    if comparisons:
        click.echo("\nDifferences (* more than chance):")
        rows = tables.comparison_rows(comparisons)
        click.echo(tables.terminal_table(("difference", *MEASURES), rows))
    if found:
        click.echo("\nBeyond ROUGE:")
        click.echo(tables.terminal_table(tables.quality_headings(), tables.quality_rows(found)))


def _qualities(evaluation: "Evaluation") -> "dict[str, Qualities]":
    """Of the first seed of each system."""
    from ealm.evaluation.qualities import qualities
    from ealm.lm import bundled as embedded
    from ealm.lm.masked_lm import TransformersMaskedLM
    from ealm.paper.assessment import SentenceSimilarity

    lm, similarity = TransformersMaskedLM.load(embedded.NAME), SentenceSimilarity.load()
    return {
        system.name: qualities(
            system.runs[0].summaries,
            evaluation.paired.sources,
            pretokenized=evaluation.pretokenized,
            lm=lm,
            similarity=similarity,
        )
        for system in evaluation.systems
    }


def _curves(
    evaluation: "Evaluation", specs: "Sequence[SystemSpec]", seeds: "Sequence[int]"
) -> dict[str, list[tuple[float, float]]]:
    """Both rates of some sentences at several lengths, for the systems that have them.

    Not at every step of a walk, and all words of a point are guessed in one round: else they would take minutes.
    """
    from ealm.summarize.summarizer import Summarizer

    sources = [evaluation.paired.sources[line] for line in _spread_lines(len(evaluation.paired), _CURVE_SENTENCES)]
    curves = {}
    for spec in specs:
        if spec.kind == "ealm":
            summarizer = Summarizer() if spec.path is None else Summarizer(spec.place(spec.seeds(seeds)[0]))
            quick = summarizer.with_decoding("parallel", confidence=0)
            found = (
                quick.summarize(sources, ratio=ratio, pretokenized=evaluation.pretokenized, recoverability=True)
                for ratio in _CURVE_RATIOS
            )
            curves[spec.name] = [
                (summary.compression_rate, summary.reconstruction_rate)
                for summaries in found
                for summary in summaries
                if summary.reconstruction_rate is not None
            ]
    return {name: points for name, points in curves.items() if points}


def _spread_lines(total: int, count: int) -> list[int]:
    """So many lines from all over the data."""
    count = min(count, total)
    return [number * total // count for number in range(count)]
