"""Figures as PNG, drawn without a screen."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ealm.common.extras import needs_extra
from ealm.evaluation.results import MEASURES, Evaluation
from ealm.evaluation.words import plain_words, relative_positions
from ealm.text.words import split_words

_LINE_STYLES = ("-", "--", "-.", ":")
_BINS = 10
LEARNING_PANELS = (
    ("replay_reward", "mean reward in the replay buffer"),
    ("greedy_return", "return on held-out sentences (grey: the script)"),
    ("compression_rate", "share of words gone at the last step"),
    ("reconstruction_rate", "share recovered at the last step"),
    ("short_of_best", "value short of the best draft"),
)
"""What is drawn of it is what the runs have logged."""


def _figure(width: float, height: float) -> Any:
    with needs_extra("evaluate", "Drawing figures"):
        from matplotlib.figure import Figure
    return Figure(figsize=(width, height), layout="constrained")


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    # No date and no version in the file: the same numbers give the same bytes.
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()


def rouge_figure(evaluation: Evaluation) -> bytes:
    """Bars of R-1, R-2 and R-L with their intervals."""
    systems = evaluation.systems
    figure = _figure(4 + len(systems), 4)
    axis = figure.subplots()
    width = 0.8 / len(MEASURES)
    for column, name in enumerate(MEASURES):
        found = [system.intervals[column] for system in systems]
        means = [interval.mean for interval in found]
        around = [
            [each.mean - each.lower for each in found],
            [each.upper - each.mean for each in found],
        ]
        places = np.arange(len(systems)) + (column - 1) * width
        axis.bar(places, means, width, yerr=around, capsize=3, label=name)
    axis.set_xticks(np.arange(len(systems)), [system.name for system in systems], rotation=20, ha="right")
    axis.set(ylabel="percent", title=f"ROUGE, protocol {evaluation.protocol.name}, {evaluation.paired.name}")
    axis.legend()
    return _png(figure)


def length_figure(evaluation: Evaluation) -> bytes:
    """How long the summaries are, in words."""
    lengths = {
        system.name: [len(split_words(summary)) for run in system.runs for summary in run.summaries]
        for system in evaluation.systems
    }
    longest = max(max(values) for values in lengths.values())
    return _histograms(lengths, np.arange(longest + 2) - 0.5, "words in a summary", "share of summaries")


def position_figure(evaluation: Evaluation) -> bytes:
    """Where in the source the copied words stand."""
    sources = [plain_words(source, pretokenized=evaluation.pretokenized) for source in evaluation.paired.sources]
    positions = {
        system.name: [
            place
            for run in system.runs
            for summary, source in zip(run.summaries, sources, strict=True)
            for place in relative_positions(plain_words(summary, pretokenized=evaluation.pretokenized), source)
        ]
        for system in evaluation.systems
    }
    return _histograms(
        positions,
        np.linspace(0, 1, _BINS + 1),
        "position in the source (0 first word, 1 last)",
        "share of copied words",
    )


def _histograms(values: Mapping[str, Sequence[float]], edges: Any, across: str, up: str) -> bytes:
    figure = _figure(8, 4)
    axis = figure.subplots()
    centres = (edges[:-1] + edges[1:]) / 2
    for number, (name, numbers) in enumerate(values.items()):
        counts, _ = np.histogram(numbers, bins=edges)
        axis.plot(centres, counts / max(len(numbers), 1), _LINE_STYLES[number % 4], marker=".", label=name)
    axis.set(xlabel=across, ylabel=up)
    axis.set_ylim(bottom=0)
    axis.legend()
    return _png(figure)


def curve_figure(curves: Mapping[str, Sequence[tuple[float, float]]]) -> bytes:
    """Reconstruction rate against compression rate: points of all steps of many walks, averaged in bins."""
    figure = _figure(6, 4)
    axis = figure.subplots()
    edges = np.linspace(0, 1, _BINS + 1)
    for number, (name, points) in enumerate(curves.items()):
        compression, reconstruction = np.array(points).T
        bins = np.clip(np.digitize(compression, edges) - 1, 0, _BINS - 1)
        filled = sorted(set(bins.tolist()))
        means = [(compression[bins == place].mean(), reconstruction[bins == place].mean()) for place in filled]
        axis.plot(*zip(*means, strict=True), _LINE_STYLES[number % 4], marker="o", label=name)
    axis.set(xlabel="compression rate", ylabel="reconstruction rate", xlim=(0, 1), ylim=(0, 1.02))
    axis.legend()
    return _png(figure)


def learning_figure(runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> bytes:
    """Learning curves of training runs from the lines of their logs."""
    figure = _figure(14, 4)
    logged = {field for records in runs.values() for record in records for field in record if record[field] is not None}
    panels = [panel for panel in LEARNING_PANELS if panel[0] in logged] or LEARNING_PANELS[:1]
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for number, (name, records) in enumerate(runs.items()):
        for (field, title), axis in zip(panels, axes, strict=True):
            points = [(record["updates"], record[field]) for record in records if record.get(field) is not None]
            if points:
                axis.plot(*zip(*points, strict=True), _LINE_STYLES[number % 4], linewidth=1, label=name)
            if points and field == "greedy_return":
                script = [(record["updates"], record["script_return"]) for record in records if field in record]
                axis.plot(*zip(*script, strict=True), _LINE_STYLES[number % 4], linewidth=1, color="0.6")
            axis.set(xlabel="updates", title=title)
    axes[0].legend()
    return _png(figure)
