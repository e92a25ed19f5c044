"""Plots of a run."""

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

_COMPARISON = Path(__file__).parent / "comparison.json"
_OTHERS = ("ealm without grammar", "SmolLM2-135M")
"""Systems of `benchmarks.comparison` that stand in the plot for scale."""


def draw(results: dict[str, Any], folder: Path) -> None:
    """Growth over sentence length, the ratios beside their bars, and speed against truth."""
    growth = results["growth"]
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, own in growth.items():
        if name != "words":
            label = f"{name}: words^{own['exponent']:.2f}"
            axes.loglog(growth["words"], own["seconds a sentence"], marker="o", label=label)
    axes.set_xticks(growth["words"], [str(length) for length in growth["words"]])
    axes.minorticks_off()
    axes.set_xlabel("words in the sentence")
    axes.set_ylabel("seconds of processor time a sentence")
    axes.set_title("Time by length, one thread")
    axes.legend()
    _save(figure, folder / "growth.png")

    ratios = results["figures"]
    figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    labels = [f"{entry['name']} ({entry['bar']})" for entry in ratios]
    bars = axes.barh(labels, [entry["ratio"] for entry in ratios])
    axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_title("Ratios in one run")
    _save(figure, folder / "ratios.png")

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, (speed, untrue) in {**_engines(results["engines"]), **_others()}.items():
        axes.plot(speed, 100 * untrue, marker="o", linestyle="", alpha=0.7, label=name)
    axes.set_xscale("log")
    axes.margins(x=0.3, y=0.15)
    axes.legend()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("sentences a second, in those of ealm in single precision")
    axes.set_ylabel("untrue summaries of 8 words, in %")
    axes.set_title("Speed against truth, within one run each")
    _save(figure, folder / "speed_quality.png")


def _engines(engines: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Speed and share of untrue summaries of each engine."""
    return {f"ealm, {name}": (own["speed"], own["untrue"]) for name, own in engines.items()}


def _others() -> dict[str, tuple[float, float]]:
    """The same of other systems, with speeds by the processor against ealm in their own run."""
    found = json.loads(_COMPARISON.read_text(encoding="utf-8"))
    speeds = {name: found[name]["timing"]["sentences"]["words_a_processor_second"] for name in ("ealm", *_OTHERS)}
    return {name: (speeds[name] / speeds["ealm"], found[name]["truth"]["8"]["share"]) for name in _OTHERS}


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=120)
    plt.close(figure)
