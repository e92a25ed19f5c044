"""Plots of a full run."""

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt


def draw(results: dict[str, Any], folder: Path) -> None:
    """Growth over sentence length, and the ratios beside their bars."""
    growth = results["growth"]
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    label = f"balance: words^{growth['balance']['exponent']:.2f}"
    axes.loglog(growth["words"], growth["balance"]["seconds a sentence"], marker="o", label=label)
    axes.set_xticks(growth["words"], [str(length) for length in growth["words"]])
    axes.minorticks_off()
    axes.set_xlabel("words in the sentence")
    axes.set_ylabel("seconds a sentence")
    axes.set_title("Time by sentence length (2 threads)" if results["machine"]["threads"] == 2 else "Time by length")
    axes.legend()
    figure.savefig(folder / "growth.png", dpi=120)
    plt.close(figure)

    ratios = results["figures"]
    figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    labels = [f"{entry['name']} ({entry['bar']})" for entry in ratios]
    bars = axes.barh(labels, [entry["ratio"] for entry in ratios])
    axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_title("Ratios in one run")
    figure.savefig(folder / "ratios.png", dpi=120)
    plt.close(figure)
