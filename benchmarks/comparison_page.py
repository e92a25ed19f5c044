"""The tables of docs/comparison.md from what was measured and read; the words around them are the page's own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ealm.evaluation.data import PairedTexts, read_paired
from ealm.evaluation.reading import VERDICTS, Row, read_key, read_verdicts
from ealm.evaluation.results import Run
from ealm.evaluation.rouge import PROTOCOLS
from ealm.evaluation.tables import markdown_table
from ealm.evaluation.verdicts import agreements, count

DATA = Path(__file__).parent / "data"
READ = {8: "comparison-8", 12: "comparison-12"}
"""The sheets that were read, by their limit; a second reading of some rows ends in `-again`."""
NOTHING = "–"
BUSY = 0.2
"""Cores for other processes from which on times are not to be trusted."""
AGAIN = "`python -m benchmarks.comparison --parts timing`"
EXPLAINS = {
    "ealm": "every word: kept or removed, in which step, why; recoverable or not",
    "ealm without grammar": "every word: kept or removed, in which step; recoverable or not",
    "first words": "needs no explanation",
    "without stop words": "needs no explanation",
    "first sentences": "needs no explanation",
}


def write_page(results: Mapping[str, Any], page: Path) -> None:
    """Put each table between its marks."""
    tables = {
        "sentences": score_table(results, "sentences", DATA / "reading.jsonl", 8),
        "sentences_12": score_table(results, "sentences", DATA / "reading.jsonl", 12),
        "documents": score_table(results, "documents", DATA / "documents.jsonl", 50),
        "cost": cost_table(results),
        "machine": machine(results),
        "reading": reading_tables(),
    }
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}\n{table}\n{end}{rest.partition(end)[2]}"
    page.write_text(text, encoding="utf-8")


def score_table(results: Mapping[str, Any], part: str, data: Path, limit: int) -> str:
    """Scores at a limit; a system that was tried on fewer texts stands below ealm on the same texts."""
    headings = ["", "texts", "R-1", "R-2", "R-L", "untrue", "within the limit by itself", "words", "new words"]
    rows = []
    for name, parts in results.items():
        if part not in parts:
            continue
        every = parts[part]["every"]
        if every > 1:
            rows.append(
                [f"*ealm, the same {parts[part][str(limit)]['texts']}*", *same_texts(results, part, data, limit, every)]
            )
        rows.append([f"**{name}**" if name == "ealm" else name, *score_cells(parts, part, limit)])
    if part == "documents":  # the suite of truths has sentences only
        return markdown_table(headings[:5] + headings[6:], [row[:5] + row[6:] for row in rows])
    return markdown_table(headings, rows)


def score_cells(parts: Mapping[str, Any], part: str, limit: int) -> list[str]:
    """Cells of a system."""
    found, truth = parts[part][str(limit)], parts.get("truth", {}).get(str(limit))
    untrue = NOTHING if truth is None else f"{truth['violations']} of {truth['outputs']} ({truth['share']:.1%})"
    rouge = [f"{value:.1f}" for value in found["rouge"]]
    kept = f"{found['kept'] / found['texts']:.0%}"
    return [str(found["texts"]), *rouge, untrue, kept, f"{found['length']:.1f}", f"{found['new_words']:.2f}"]


def same_texts(results: Mapping[str, Any], part: str, data: Path, limit: int, every: int) -> list[str]:
    """Cells of ealm on every so many texts; its truth was counted on all cases."""
    paired = read_paired(data)
    some = PairedTexts(paired.name, paired.sources[::every], paired.references[::every])
    run = Run.of(results["ealm"][part][str(limit)]["summaries"][::every], some, PROTOCOLS["length"])
    rouge = [f"{value:.1f}" for value in run.scores.mean(axis=0).tolist()]
    return [str(len(some)), *rouge, "", "100%", f"{run.length:.1f}", f"{run.new_words:.2f}"]


def cost_table(results: Mapping[str, Any]) -> str:
    """What each system takes, and what it tells of its work."""
    headings = [
        *("", "words a second, sentences", "documents", "words a second of the processor, sentences", "documents"),
        *("memory", "on disk", "offline", "explains itself"),
    ]
    rows = []
    for name, parts in results.items():
        timing = parts.get("timing")
        speeds = [NOTHING] * 4 + [NOTHING]
        if timing is not None:
            kinds = ("words_a_second", "words_a_processor_second")
            speeds = [speed(timing[texts][kind]) for kind in kinds for texts in ("sentences", "documents")]
            speeds.append(f"{timing['memory'] / 1e6:,.0f} MB")
        size = f"{parts['bytes'] / 1e6:,.1f} MB" if parts["bytes"] else "part of ealm"
        rows.append([name, *speeds, size, "yes", EXPLAINS.get(name, "no")])
    return markdown_table(headings, rows)


def speed(words: float) -> str:
    """Words a second; of a slow system with its tenths."""
    return f"{words:,.0f}" if words >= 10 else f"{words:.1f}"


def machine(results: Mapping[str, Any]) -> str:
    """Under which circumstances times were taken."""
    timings = [parts["timing"] for parts in results.values() if "timing" in parts]
    if not timings:
        return f"Times and memory have not been taken yet: that needs a quiet machine ({AGAIN})."
    others = [timing["others"] for timing in timings]
    threads = " or ".join(sorted({str(timing["threads"]) for timing in timings}))
    busy = (
        ""
        if max(others) < BUSY
        else (
            " **That is a busy machine: words a second by the clock are far too low here, and those of the processor "
            f"are to be compared with each other only.** Take them again on a quiet one: {AGAIN}."
        )
    )
    return (
        f"Times: {timings[0]['cores']} cores, {threads} thread(s); other processes kept {min(others):.2f} to "
        f"{max(others):.2f} cores busy while they were taken.{busy}"
    )


def reading_tables() -> str:
    """Verdicts at each limit, and how far the second reading agrees."""
    parts = []
    for limit, name in READ.items():
        sheet, key = DATA / f"{name}.tsv", DATA / f"{name}.key.json"
        if sheet.exists():
            rows = read_key(key)
            verdicts = read_verdicts(sheet, rows)
            parts.append(f"{limit} words:\n\n{verdict_table(rows, verdicts)}")
            parts += second_reading(name, rows, verdicts)
    return "\n\n".join(parts) or "Not read yet."


def verdict_table(rows: Sequence[Row], verdicts: Sequence[str]) -> str:
    """A row for each system."""
    totals = [each for each in count(rows, [verdicts]) if each.kind == "all"]
    totals.sort(key=lambda each: -each.verdicts[VERDICTS[0]])
    cells = [
        [each.system, str(each.read), *(f"{each.verdicts[name]} ({each.share(name):.0%})" for name in VERDICTS)]
        for each in totals
    ]
    return markdown_table(["", "read", *VERDICTS], cells)


def second_reading(name: str, rows: Sequence[Row], verdicts: Sequence[str]) -> list[str]:
    """A sentence on the rows that were read twice."""
    sheet, key = DATA / f"{name}-again.tsv", DATA / f"{name}-again.key.json"
    if not sheet.exists():
        return []
    first = {(row.source, row.summary): verdict for row, verdict in zip(rows, verdicts, strict=True)}
    again = read_key(key)
    second = read_verdicts(sheet, again)
    (found,) = agreements({"first": [first[row.source, row.summary] for row in again], "second": second})
    kappa = NOTHING if found.kappa is None else f"{found.kappa:.2f}"
    return [
        f"{len(again)} of these rows were judged again, in another order: {found.share:.0%} the same, "
        f"Cohen's kappa {kappa}."
    ]
