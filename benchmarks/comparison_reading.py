"""Sheets for several readers of docs/comparison.md, from the summaries that comparison.json has, and back.

    python -m benchmarks.comparison_reading prepare SHEETS --key KEY    # after the sentences were measured
    python -m benchmarks.comparison_reading join SHEETS --key KEY       # once every row has its verdict

`prepare` writes part-1.tsv, part-2.tsv, ..., which hold each summary once, and again-1.tsv, ..., with summaries for a
second reader. No part has two summaries of one source, so that nobody can compare them. A verdict belongs to a source
and its summary: with `--read SHEETS`, what was read there is not asked for again. `join` writes benchmarks/data.
"""

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.comparison import RESULTS, SENTENCES
from ealm.common.storage import write_json, write_text
from ealm.evaluation.reading import COLUMNS, VERDICTS, Row, lay_out, read_key, read_texts, refuse_overwriting

DATA = Path(__file__).parent / "data"
SYSTEMS = ("ealm", "ealm without grammar", "first words", "without stop words", "SmolLM2-135M")
PARTS, AGAIN = 8, 2
Verdicts = dict[tuple[str, str], str]
"""By source and summary."""


def main() -> None:
    """Write sheets, or read them back."""
    parser = argparse.ArgumentParser(prog="benchmarks.comparison_reading", description=__doc__)
    parser.add_argument("do", choices=("prepare", "join"))
    parser.add_argument(
        "sheets", type=Path, nargs="+", help="folder of the sheets; join takes several, the newest last"
    )
    parser.add_argument("--key", type=Path, required=True, help="folder that no reader opens")
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--read", type=Path, nargs="*", default=[], help="folders with verdicts already")
    options = parser.parse_args()
    if options.do == "prepare":
        prepare(options.sheets[0], options.key, words=options.words, known=verdicts_in(options.read, "part"))
    else:
        join(options.sheets, options.key, words=options.words)


def prepare(sheets: Path, key: Path, *, words: int, known: Verdicts) -> None:
    """Lay out, split, and write the key elsewhere."""
    place = key / f"comparison-{words}.key.json"
    refuse_overwriting(place, sheets / "part-1.tsv")
    key.mkdir(parents=True, exist_ok=True)
    sheets.mkdir(parents=True, exist_ok=True)
    rows = lay_out(read_texts(SENTENCES), written_systems(key, words), words=words, seed=words)
    write_json(place, {"rows": [asdict(row) for row in rows]})
    unread = [number for number, row in enumerate(rows) if (row.source, row.summary) not in known]
    parts = min(PARTS, -(-len(unread) * PARTS // len(rows))) if known else PARTS
    for name, numbers in (
        *((f"part-{n}", part) for n, part in enumerate(spread(rows, unread, parts), 1)),
        *((f"again-{n}", part) for n, part in enumerate(spread(rows, range(len(rows)), PARTS, seed=1)[:AGAIN], 1)),
    ):
        write_text(sheets / f"{name}.tsv", sheet_of(rows, numbers))
        print(f"{name}: {len(numbers)} rows", file=sys.stderr)


def written_systems(folder: Path, words: int) -> str:
    """What was measured, as files, so that what is read is what the page scores."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    specs = []
    for name in SYSTEMS:
        path = folder / f"{name.replace(' ', '-')}-{words}.txt"
        write_text(path, "".join(f"{line}\n" for line in results[name]["sentences"][str(words)]["summaries"]))
        specs.append(f"file:{name}={path}")
    return ",".join(specs)


def spread(rows: Sequence[Row], numbers: Iterable[int], parts: int, *, seed: int = 0) -> list[list[int]]:
    """Rows over parts by chance, those of one source into different parts as far as there are so many."""
    rng = np.random.default_rng(seed)
    by_source: dict[str, list[int]] = {}
    for number in numbers:
        by_source.setdefault(rows[number].source, []).append(number)
    found: list[list[int]] = [[] for _ in range(parts)]
    for together in by_source.values():
        shuffled = sorted(range(parts), key=lambda part: (len(found[part]), rng.random()))
        for place, number in enumerate(rng.permutation(together).tolist()):
            found[shuffled[place % parts]].append(number)
    return [rng.permutation(part).tolist() for part in found]


def sheet_of(rows: Sequence[Row], numbers: Iterable[int], verdicts: Verdicts | None = None) -> str:
    """Rows as a tab-separated table, with their verdicts if they have some."""
    table = io.StringIO()
    writer = csv.writer(table, dialect="excel-tab", lineterminator="\n")
    writer.writerow(COLUMNS)
    for number in numbers:
        row = rows[number]
        writer.writerow((number + 1, (verdicts or {}).get((row.source, row.summary), ""), row.summary, row.source, ""))
    return table.getvalue()


def verdicts_in(folders: Iterable[Path], name: str) -> Verdicts:
    """Of all sheets of that name; an unknown or missing verdict ends the program."""
    found: Verdicts = {}
    for path in (path for folder in folders for path in sorted(folder.glob(f"{name}-*.tsv"))):
        with path.open(encoding="utf-8", newline="") as file:
            for record in csv.DictReader(file, dialect="excel-tab"):
                named = [verdict for verdict in VERDICTS if record["verdict"].strip().lower() in (verdict, verdict[0])]
                if not named:
                    sys.exit(f"error: {path}, row {record['row']}: the verdict is {record['verdict']!r}.")
                found[record["source"], record["summary"]] = named[0]
    return found


def join(sheets: Sequence[Path], key: Path, *, words: int) -> None:
    """One sheet from the parts, and one from those that were read again."""
    rows, first, again = (
        read_key(key / f"comparison-{words}.key.json"),
        *(verdicts_in(sheets, n) for n in ("part", "again")),
    )
    if missing := [row for row in rows if (row.source, row.summary) not in first]:
        sys.exit(f"error: {len(missing)} summaries have no verdict, the first: {missing[0].summary}")
    twice = [row for row in rows if (row.source, row.summary) in again]
    for name, some, verdicts in ((f"comparison-{words}", rows, first), (f"comparison-{words}-again", twice, again)):
        sheet, answers = DATA / f"{name}.tsv", DATA / f"{name}.key.json"
        sheet.unlink(missing_ok=True)
        answers.unlink(missing_ok=True)
        if some:
            write_text(sheet, sheet_of(some, range(len(some)), verdicts))
            write_json(answers, {"rows": [asdict(row) for row in some]})


if __name__ == "__main__":
    main()
