"""`ealm read`: summaries of several systems for a person to judge, blind, and the verdicts counted."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from ealm.cli.shared import plain_errors, quiet_option


@click.group()
def read() -> None:
    """Let people read and judge summaries without knowing which system wrote them.

    \b
    ealm read prepare --texts texts.jsonl --systems ealm,lead-8 --out sheet.tsv --key key.json
    ealm read count sheet.tsv --key key.json
    """


@read.command()
@click.option(
    "--texts",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Texts one a line, or a .jsonl file with text and kind.",
)
@click.option("--systems", required=True, help="Separated by commas, named as for ealm evaluate.")
@click.option(
    "--words", type=click.IntRange(min=1), default=8, show_default=True, help="Ask for at most so many words."
)
@click.option(
    "--out", "sheet", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The sheet to fill in."
)
@click.option(
    "--key",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Which system wrote what: not to look at.",
)
@click.option(
    "--count", type=click.IntRange(min=1), help="Draw so many texts, equally many of each kind. [default: all]"
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the draw and the order.")
@quiet_option
@plain_errors
def prepare(
    texts: Path, systems: str, words: int, sheet: Path, key: Path, count: int | None, seed: int, quiet: bool
) -> None:
    """Lay out what SYSTEMS make of texts, shuffled, on a sheet for a reader.

    Write a verdict on each row: printable, flawed, broken or misleading (docs/evaluation.md says which is which).
    """
    from ealm.evaluation.reading import lay_out, read_texts, refuse_overwriting, write_sheet

    refuse_overwriting(sheet, key)  # before the systems work for minutes
    rows = lay_out(
        read_texts(texts),
        systems,
        words=words,
        count=count,
        seed=seed,
        say=(lambda _: None) if quiet else (lambda name: click.echo(f"… {name}", err=True)),
    )
    write_sheet(rows, sheet=sheet, key=key)
    click.echo(f"Written: {sheet} with {len(rows):,} rows to judge, {key}", err=True)


@read.command("count")
@click.argument("sheets", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--key", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
@plain_errors
def count_verdicts(sheets: tuple[Path, ...], key: Path, as_json: bool) -> None:
    """Count the verdicts on SHEETS by system and kind of text.

    Several sheets are copies of one that several people filled in; their agreement is printed too.
    """
    from ealm.evaluation.reading import read_key, read_verdicts
    from ealm.evaluation.verdicts import agreement_table, agreements, count, count_table

    rows = read_key(key)
    verdicts = {str(sheet): read_verdicts(sheet, rows) for sheet in sheets}
    counts, agreed = count(rows, list(verdicts.values())), agreements(verdicts)
    if as_json:
        values = {"counts": [asdict(each) for each in counts], "agreement": [asdict(each) for each in agreed]}
        click.echo(json.dumps(values, indent=2, ensure_ascii=False))
        return
    click.echo(count_table(counts))
    if agreed:
        click.echo(f"\n{agreement_table(agreed)}")
