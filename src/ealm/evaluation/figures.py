"""Figures as PNG, all in one style, drawn without a screen."""

import io
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec

import numpy as np

from ealm.common.extras import needs_extra
from ealm.evaluation.results import MEASURES, Evaluation
from ealm.evaluation.truth_run import Tally, TruthResult
from ealm.evaluation.words import plain_words, relative_positions
from ealm.text.words import split_words

Given = ParamSpec("Given")

_LINE_STYLES = ("-", "--", "-.", ":")
_COLOURS = ("#b8390e", "#2f6b7e", "#c79a2b", "#6d5a8c", "#5b7f4a", "#8a8378")
_STYLE = {
    "axes.edgecolor": "#8a8378",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.labelcolor": "#4a463f",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "font.size": 10,
    "grid.color": "#e8e3da",
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "xtick.color": "#4a463f",
    "ytick.color": "#4a463f",
}
_BINS = 10
LEARNING_PANELS = (
    ("replay_reward", "mean reward in the replay buffer"),
    ("greedy_return", "return on held-out sentences (grey: the script)"),
    ("compression_rate", "share of words gone at the last step"),
    ("reconstruction_rate", "share recovered at the last step"),
    ("short_of_best", "value short of the best draft"),
)
"""What is drawn of it is what the runs have logged."""


def _styled(draw: Callable[Given, bytes]) -> Callable[Given, bytes]:
    """Draw in the style of all figures."""

    @wraps(draw)
    def drawn(*args: Given.args, **keywords: Given.kwargs) -> bytes:
        with needs_extra("evaluate", "Drawing figures"):
            from matplotlib import rc_context
            from matplotlib.rcsetup import cycler
        with rc_context({**_STYLE, "axes.prop_cycle": cycler(color=_COLOURS)}):
            return draw(*args, **keywords)

    return drawn


def _figure(width: float, height: float, *, panels: int = 1) -> tuple[Any, list[Any]]:
    """A figure and its axes, side by side."""
    with needs_extra("evaluate", "Drawing figures"):
        from matplotlib.figure import Figure
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, list(figure.subplots(1, panels, squeeze=False)[0])


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    # No date and no version in the file: the same numbers give the same bytes.
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()


@_styled
def rouge_figure(evaluation: Evaluation) -> bytes:
    """Bars of R-1, R-2 and R-L with their intervals."""
    systems = evaluation.systems
    figure, (axis,) = _figure(4 + len(systems), 4)
    width = 0.8 / len(MEASURES)
    for column, name in enumerate(MEASURES):
        found = [system.intervals[column] for system in systems]
        means = [interval.mean for interval in found]
        around = [
            [each.mean - each.lower for each in found],
            [each.upper - each.mean for each in found],
        ]
        places = np.arange(len(systems)) + (column - 1) * width
        axis.bar(places, means, width, yerr=around, ecolor="#4a463f", capsize=3, label=name)
    axis.set_xticks(np.arange(len(systems)), [system.name for system in systems], rotation=20, ha="right")
    axis.set(ylabel="percent", title=f"ROUGE, protocol {evaluation.protocol.name}, {evaluation.paired.name}")
    axis.grid(visible=False, axis="x")
    axis.legend()
    return _png(figure)


@_styled
def truth_figure(results: Sequence[TruthResult]) -> bytes:
    """Bars of the share of summaries that say what the source does not say, by kind."""
    kinds = list({kind: None for result in results for kind in result.by_kind()})
    figure, (axis,) = _figure(8, 1.5 + len(kinds) * (0.15 * len(results) + 0.1))
    width = 0.8 / max(len(results), 1)
    for number, result in enumerate(results):
        shares = [100 * result.by_kind().get(kind, Tally(0, 0)).share for kind in kinds]
        bars = axis.barh(np.arange(len(kinds)) + number * width, shares, width, label=result.system)
        axis.bar_label(bars, fmt="%.1f", padding=3, fontsize=7, color="#4a463f")
    axis.margins(y=0.01)
    axis.set_yticks(np.arange(len(kinds)) + (len(results) - 1) * width / 2, kinds)
    axis.invert_yaxis()
    axis.grid(visible=False, axis="y")
    axis.set(xlabel="percent of the summaries", title="Summaries that say what the source does not say")
    axis.legend()
    return _png(figure)


@_styled
def length_figure(evaluation: Evaluation) -> bytes:
    """How long the summaries are, in words."""
    lengths = {
        system.name: [len(split_words(summary)) for run in system.runs for summary in run.summaries]
        for system in evaluation.systems
    }
    longest = max(max(values) for values in lengths.values())
    edges = np.arange(longest + 2) - 0.5
    return _histograms("Length of the summaries", lengths, edges, "words in a summary", "share of summaries")


@_styled
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
        "Where the words of the summaries stand in the source",
        positions,
        np.linspace(0, 1, _BINS + 1),
        "position in the source (0 first word, 1 last)",
        "share of copied words",
    )


def _histograms(title: str, values: Mapping[str, Sequence[float]], edges: Any, across: str, up: str) -> bytes:
    figure, (axis,) = _figure(8, 4)
    centres = (edges[:-1] + edges[1:]) / 2
    for number, (name, numbers) in enumerate(values.items()):
        counts, _ = np.histogram(numbers, bins=edges)
        axis.plot(centres, counts / max(len(numbers), 1), _LINE_STYLES[number % 4], marker=".", label=name)
    axis.set(xlabel=across, ylabel=up, title=title)
    axis.set_ylim(bottom=0)
    axis.legend()
    return _png(figure)


@_styled
def curve_figure(curves: Mapping[str, Sequence[tuple[float, float]]]) -> bytes:
    """Reconstruction rate against compression rate: points of all steps of many walks, averaged in bins."""
    figure, (axis,) = _figure(8, 4)
    edges = np.linspace(0, 1, _BINS + 1)
    for number, (name, points) in enumerate(curves.items()):
        compression, reconstruction = np.array(points).T
        bins = np.clip(np.digitize(compression, edges) - 1, 0, _BINS - 1)
        filled = sorted(set(bins.tolist()))
        means = [(compression[bins == place].mean(), reconstruction[bins == place].mean()) for place in filled]
        axis.plot(*zip(*means, strict=True), _LINE_STYLES[number % 4], marker="o", label=name)
    axis.set(xlabel="compression rate", ylabel="reconstruction rate", xlim=(0, 1), ylim=(0, 1.02))
    axis.set_title("What a language model recovers of the removed words")
    axis.legend()
    return _png(figure)


@_styled
def learning_figure(runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> bytes:
    """Learning curves of training runs from the lines of their logs."""
    logged = {field for records in runs.values() for record in records for field in record if record[field] is not None}
    panels = [panel for panel in LEARNING_PANELS if panel[0] in logged] or LEARNING_PANELS[:1]
    figure, axes = _figure(14, 4, panels=len(panels))
    for number, (name, records) in enumerate(runs.items()):
        for (field, title), axis in zip(panels, axes, strict=True):
            points = [(record["updates"], record[field]) for record in records if record.get(field) is not None]
            if points:
                axis.plot(*zip(*points, strict=True), _LINE_STYLES[number % 4], label=name)
            if points and field == "greedy_return":
                script = [(record["updates"], record["script_return"]) for record in records if field in record]
                axis.plot(*zip(*script, strict=True), _LINE_STYLES[number % 4], color="0.6")
            axis.set(xlabel="updates", title=title)
    axes[0].legend()
    return _png(figure)
