"""Scores as people read them: on a terminal, in Markdown, in LaTeX like the paper's table, and as plain values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ealm.evaluation.qualities import Qualities
from ealm.evaluation.results import MEASURES, Comparison, Evaluation, SystemResult

HEADINGS = ("system", *MEASURES, "LEN", "NW")
_QUALITY_HEADINGS = {
    "copied": "copied",
    "position": "position",
    "new_words_sensible": "new words sensible",
    "fluency": "fluency",
    "similarity": "similarity",
    "dangling": "dangling",
    "lost_negations": "lost negations",
    "lost_numbers": "lost numbers",
}


def caption(evaluation: Evaluation) -> str:
    """What the numbers are: without it they mean nothing."""
    protocol = evaluation.protocol
    measure = "F1" if protocol.measure == "fmeasure" else "recall"
    asked = f", at most {evaluation.words} words asked for" if evaluation.words else ""
    return (
        f"{evaluation.paired.name}: {len(evaluation.paired):,} sentences; protocol {protocol.name} (ROUGE {measure}, "
        f"percent){asked}; [95 % of bootstrap draws over sentences], ± standard deviation over seeds"
    )


def score_rows(evaluation: Evaluation) -> list[list[str]]:
    """One row for each system, under `HEADINGS`."""
    return [_score_row(system) for system in evaluation.systems]


def _score_row(system: SystemResult) -> list[str]:
    spread: Sequence[float | None] = system.spread or [None] * len(MEASURES)
    scores = [
        f"{interval.mean:.2f} [{interval.lower:.2f}, {interval.upper:.2f}]" + (f" ± {seeds:.2f}" if seeds else "")
        for interval, seeds in zip(system.intervals, spread, strict=True)
    ]
    return [system.name, *scores, f"{system.length:.2f}", f"{system.new_words:.2f}"]


def overrun_lines(evaluation: Evaluation) -> list[str]:
    """How often systems were over the limit, of those that do not keep to it by themselves."""
    return [f"{system.name}: {run.overrun}." for system in evaluation.systems for run in system.runs if run.overrun]


def comparison_rows(comparisons: Sequence[Comparison]) -> list[list[str]]:
    """One row for each pair of systems: the differences, with a star where chance does not explain them."""
    return [
        [
            f"{comparison.one} − {comparison.other}",
            *(
                f"{each.mean:+.2f} [{each.lower:+.2f}, {each.upper:+.2f}]{'*' if each.excludes_zero else ''}"
                for each in comparison.differences
            ),
        ]
        for comparison in comparisons
    ]


def quality_headings() -> list[str]:
    """Headings of `quality_rows`."""
    return ["system", *_QUALITY_HEADINGS.values()]


def quality_rows(found: Mapping[str, Qualities]) -> list[list[str]]:
    """One row for each system; a dash where there was nothing to count."""
    return [
        [name, *("–" if (value := getattr(each, field)) is None else f"{value:.3f}" for field in _QUALITY_HEADINGS)]
        for name, each in found.items()
    ]


def terminal_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side."""
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [headings, ["-" * width for width in widths], *rows]
    ]
    return "\n".join(lines)


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def latex_table(evaluations: Sequence[Evaluation]) -> str:
    """The layout of the paper's result table: data sets below each other, the best of each column in bold."""
    lines = [
        r"\begin{tabular}{c|l|ccc|c|c}",
        r"\hline",
        r"\multicolumn{2}{c|}{Data \& Model} & R-1 & R-2 & R-L & LEN & NW \\ \hline",
    ]
    for evaluation in evaluations:
        lines += _latex_rows(evaluation)
    return "\n".join([*lines, r"\end{tabular}"])


def _latex_rows(evaluation: Evaluation) -> list[str]:
    means = [[interval.mean for interval in system.intervals] for system in evaluation.systems]
    best = [max(column) for column in zip(*means, strict=True)]
    rows = []
    for place, (system, scores) in enumerate(zip(evaluation.systems, means, strict=True)):
        name = _latex(evaluation.paired.name)
        head = rf"\multirow{{{len(means)}}}{{*}}{{{name}}}" if place == 0 else ""
        cells = [
            rf"{{\bf {value:.2f}}}" if value == top else f"{value:.2f}" for value, top in zip(scores, best, strict=True)
        ]
        numbers = [*cells, f"{system.length:.2f}", f"{system.new_words:.2f}"]
        rows.append(f"{head} & {_latex(system.name)} & {' & '.join(numbers)} \\\\")
    rows[-1] += r" \hline"
    return rows


_LATEX_SIGNS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _latex(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda found: _LATEX_SIGNS.get(found[0], "\\" + found[0]), text)


def to_dict(evaluation: Evaluation, found: Mapping[str, Qualities]) -> dict[str, Any]:
    """Everything but the sentences, as plain values."""
    return {
        "data": evaluation.paired.name,
        "sentences": len(evaluation.paired),
        "protocol": evaluation.protocol.name,
        "words": evaluation.words,
        "systems": [_system_dict(system, found.get(system.name)) for system in evaluation.systems],
        "comparisons": [
            {
                "one": comparison.one,
                "other": comparison.other,
                "differences": {
                    name: _interval_dict(each) for name, each in zip(MEASURES, comparison.differences, strict=True)
                },
            }
            for comparison in evaluation.comparisons()
        ],
    }


def _system_dict(system: SystemResult, found: Qualities | None) -> dict[str, Any]:
    return {
        "name": system.name,
        "kind": system.kind,
        "scores": {name: _interval_dict(each) for name, each in zip(MEASURES, system.intervals, strict=True)},
        "spread": dict(zip(MEASURES, system.spread, strict=True)) if system.spread else None,
        "seeds": [
            {
                "seed": run.seed,
                **dict(zip(MEASURES, run.scores.mean(axis=0).tolist(), strict=True)),
                "LEN": run.length,
                "NW": run.new_words,
                "over_limit": asdict(run.overrun) if run.overrun else None,
            }
            for run in system.runs
        ],
        "LEN": system.length,
        "NW": system.new_words,
        "qualities": found.to_dict() if found else None,
    }


def _interval_dict(interval: Any) -> dict[str, float]:
    return {"mean": interval.mean, "lower": interval.lower, "upper": interval.upper}


def sentence_records(evaluation: Evaluation) -> list[dict[str, Any]]:
    """For each sentence and system the summary and its scores."""
    return [
        {
            "line": line + 1,
            "system": system.name,
            "seed": run.seed,
            "summary": run.summaries[line],
            **dict(zip(MEASURES, (round(value, 4) for value in run.scores[line].tolist()), strict=True)),
        }
        for line in range(len(evaluation.paired))
        for system in evaluation.systems
        for run in system.runs
    ]


def sample_rows(evaluation: Evaluation, lines: Sequence[int]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of a table like the paper's appendix: input, human, and each system (its first seed)."""
    headings = ["input", "human", *(system.name for system in evaluation.systems)]
    rows = [
        [
            evaluation.paired.sources[line],
            evaluation.paired.references[line][0],
            *(system.runs[0].summaries[line] for system in evaluation.systems),
        ]
        for line in lines
    ]
    return headings, rows
