"""Everything about an evaluation in one folder, and in one page that needs nothing else."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ealm.common.storage import replaced, write_json, write_text
from ealm.evaluation import figures, tables
from ealm.evaluation.qualities import Qualities
from ealm.evaluation.report_page import Table, html_figure, html_page, html_section, html_table
from ealm.evaluation.results import MEASURES, Evaluation
from ealm.evaluation.samples import sample_cards, violation_cards
from ealm.evaluation.truth_run import TruthResult, kind_rows, length_rows


def write_evaluation(
    folder: Path,
    evaluation: Evaluation,
    found: Mapping[str, Qualities],
    *,
    curves: Mapping[str, Sequence[tuple[float, float]]],
    samples: Sequence[int],
    truth: Sequence[TruthResult] = (),
) -> None:
    """Tables, plain values, sentences, samples, figures and report.html."""
    folder.mkdir(parents=True, exist_ok=True)
    scores: Table = (tables.HEADINGS, tables.score_rows(evaluation))
    differences: Table = (("difference", *MEASURES), tables.comparison_rows(evaluation.comparisons()))
    quality: Table = (tables.quality_headings(), tables.quality_rows(found))
    drawn = {
        "rouge": figures.rouge_figure(evaluation),
        "lengths": figures.length_figure(evaluation),
        "positions": figures.position_figure(evaluation),
    }
    if curves:
        drawn["curves"] = figures.curve_figure(curves)
    sections = [("Scores", scores), ("Differences", differences), ("Beyond ROUGE", quality)]
    shown = [(title, table) for title, table in sections if table[1]]

    _write_figures(folder, drawn)
    write_text(folder / "table.md", _markdown(tables.caption(evaluation), shown))
    write_text(folder / "samples.md", tables.markdown_table(*tables.sample_rows(evaluation, samples)) + "\n")
    write_text(folder / "table.tex", tables.latex_table([evaluation]) + "\n")
    write_json(folder / "results.json", tables.to_dict(evaluation, found))
    records = tables.sentence_records(evaluation)
    write_text(folder / "sentences.jsonl", "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records))
    parts = [
        *([html_section("Samples", sample_cards(evaluation, samples))] if samples else []),
        *(html_section(title, html_table(table)) for title, table in shown),
        *_truth_parts(folder, truth),
        html_section("Figures", "\n".join(html_figure(name, image) for name, image in drawn.items())),
    ]
    page = html_page(f"Evaluation on {evaluation.paired.name}", tables.caption(evaluation), parts)
    write_text(folder / "report.html", page)


def write_truth(folder: Path, truth: Sequence[TruthResult]) -> None:
    """Violations by kind and length, each of them for reading, as plain values and as report.html."""
    folder.mkdir(parents=True, exist_ok=True)
    caption = "Summaries that say what the source does not say, of the different summaries of each text."
    write_text(folder / "report.html", html_page("Truth", caption, _truth_parts(folder, truth)))


def _truth_parts(folder: Path, truth: Sequence[TruthResult]) -> list[str]:
    if not truth:
        return []
    drawn = {"truth": figures.truth_figure(truth)}
    _write_figures(folder, drawn)
    write_json(folder / "truth.json", [result.to_dict() for result in truth])
    untrue = [
        f"<details><summary>{escape(f'{result.system}, {kind}: {tally}')}</summary>\n{cards}</details>"
        for result in truth
        for kind, tally in result.by_kind().items()
        if (cards := violation_cards(result, kind))
    ]
    return [
        html_section("Truth: violations by kind", html_figure("truth", drawn["truth"]) + html_table(kind_rows(truth))),
        html_section("Truth: violations by length", html_table(length_rows(truth))),
        html_section("Truth: every violation", "\n".join(untrue) or "<p>None.</p>"),
    ]


def _write_figures(folder: Path, drawn: Mapping[str, bytes]) -> None:
    for name, image in drawn.items():
        with replaced(folder / f"{name}.png") as draft:
            draft.write_bytes(image)


def write_learning(folder: Path, runs: Mapping[str, Sequence[Mapping[str, Any]]], settings: Mapping[str, Any]) -> None:
    """Learning curves of runs as a figure and a page."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {"learning": figures.learning_figure(runs)}
    _write_figures(folder, drawn)
    rows = [
        [name, f"{last['updates']:,}", f"{last['sentences']:,}", f"{last['seconds'] / 60:.1f}"]
        + [_number(last, field) for field in ("best_replay_reward", "greedy_return", "script_return")]
        for name, records in runs.items()
        for last in records[-1:]
    ]
    headings = ("run", "updates", "sentences", "minutes", "best replay reward", "return when greedy", "of the script")
    ends: Table = (headings, rows)
    chosen: Table = (("setting", *settings), _setting_rows(settings))
    parts = [
        html_section("Runs", html_table(ends)),
        html_figure("learning", drawn["learning"]),
        html_section("Settings", html_table(chosen)),
    ]
    write_text(folder / "report.html", html_page("Training", ", ".join(runs), parts))


def _number(record: Mapping[str, Any], field: str) -> str:
    value = record.get(field)
    return "not known" if value is None else f"{value:.3f}"


def _setting_rows(settings: Mapping[str, Any]) -> list[list[str]]:
    flat = {name: dict(_leaves(values)) for name, values in settings.items()}
    paths = dict.fromkeys(path for values in flat.values() for path in values)
    return [[path, *(str(values.get(path, "")) for values in flat.values())] for path in paths]


def _leaves(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in values.items():
        found += _leaves(value, f"{prefix}{name}.") if isinstance(value, Mapping) else [(prefix + name, value)]
    return found


def _markdown(caption: str, sections: Sequence[tuple[str, Table]]) -> str:
    parts = [f"## {title}\n\n{tables.markdown_table(*table)}\n" for title, table in sections]
    return f"{caption}\n\n" + "\n".join(parts)
