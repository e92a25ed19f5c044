"""Everything about an evaluation in one folder, and in one page that needs nothing else."""

import base64
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ealm.common.storage import replaced, write_json, write_text
from ealm.evaluation import figures, tables
from ealm.evaluation.qualities import Qualities
from ealm.evaluation.results import MEASURES, Evaluation

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a;
  background: #fff }
h1, h2 { line-height: 1.2 }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }
th, td { border: 1px solid #ccc; padding: .3rem .6rem; text-align: left; vertical-align: top }
th { background: #f2f2f2 }
img { max-width: 100%; height: auto }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #161616 } th { background: #2a2a2a } th, td { border-color: #555 }
  img { background: #fff }
}
"""

Table = tuple[Sequence[str], Sequence[Sequence[str]]]


def write_evaluation(
    folder: Path,
    evaluation: Evaluation,
    found: Mapping[str, Qualities],
    *,
    curves: Mapping[str, Sequence[tuple[float, float]]],
    samples: Sequence[int],
) -> None:
    """Tables, plain values, sentences, samples, figures and report.html."""
    folder.mkdir(parents=True, exist_ok=True)
    scores: Table = (tables.HEADINGS, tables.score_rows(evaluation))
    differences: Table = (("difference", *MEASURES), tables.comparison_rows(evaluation.comparisons()))
    quality: Table = (tables.quality_headings(), tables.quality_rows(found))
    examples = tables.sample_rows(evaluation, samples)
    drawn = {
        "rouge": figures.rouge_figure(evaluation),
        "lengths": figures.length_figure(evaluation),
        "positions": figures.position_figure(evaluation),
    }
    if curves:
        drawn["curves"] = figures.curve_figure(curves)
    sections = [("Scores", scores), ("Differences", differences), ("Beyond ROUGE", quality), ("Samples", examples)]
    shown = [(title, table) for title, table in sections if table[1]]

    for name, image in drawn.items():
        _write_bytes(folder / f"{name}.png", image)
    write_text(
        folder / "table.md", _markdown(tables.caption(evaluation), [each for each in shown if each[1] != examples])
    )
    write_text(folder / "samples.md", tables.markdown_table(*examples) + "\n")
    write_text(folder / "table.tex", tables.latex_table([evaluation]) + "\n")
    write_json(folder / "results.json", tables.to_dict(evaluation, found))
    records = tables.sentence_records(evaluation)
    write_text(folder / "sentences.jsonl", "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records))
    page = html_page(f"Evaluation on {evaluation.paired.name}", tables.caption(evaluation), shown, drawn)
    write_text(folder / "report.html", page)


def write_learning(folder: Path, runs: Mapping[str, Sequence[Mapping[str, Any]]], settings: Mapping[str, Any]) -> None:
    """Learning curves of runs as a figure and a page."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {"learning": figures.learning_figure(runs)}
    _write_bytes(folder / "learning.png", drawn["learning"])
    rows = [
        [name, f"{last['updates']:,}", f"{last['sentences']:,}", f"{last['seconds'] / 60:.1f}"]
        + [_number(last, field) for field in ("best_replay_reward", "greedy_return", "script_return")]
        for name, records in runs.items()
        for last in records[-1:]
    ]
    headings = ("run", "updates", "sentences", "minutes", "best replay reward", "return when greedy", "of the script")
    ends: Table = (headings, rows)
    chosen: Table = (("setting", *settings), _setting_rows(settings))
    page = html_page("Training", ", ".join(runs), [("Runs", ends), ("Settings", chosen)], drawn)
    write_text(folder / "report.html", page)


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


def html_page(title: str, caption: str, sections: Sequence[tuple[str, Table]], images: Mapping[str, bytes]) -> str:
    """A page with its figures inside; all text is escaped."""
    parts = [f"<h2>{escape(name)}</h2>\n{_html_table(*table)}" for name, table in sections]
    pictures = [
        f'<p><img alt="{escape(name)}" src="data:image/png;base64,{base64.b64encode(image).decode()}"></p>'
        for name, image in images.items()
    ]
    body = "\n".join([f"<h1>{escape(title)}</h1>", f"<p>{escape(caption)}</p>", *parts[:1], *pictures, *parts[1:]])
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _html_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return "<table>\n" + "\n".join([line(headings, "th"), *(line(row, "td") for row in rows)]) + "\n</table>"


def _write_bytes(path: Path, content: bytes) -> None:
    with replaced(path) as draft:
        draft.write_bytes(content)
