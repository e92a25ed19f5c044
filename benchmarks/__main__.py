"""`python -m benchmarks [--quick] [--lm FOLDER]`: the shipped models on sentences as people write them.

Prints every figure, and writes results.json and plots beside this file. One thread, processor time.
"""

import argparse
import datetime as dt
import json
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from benchmarks import figures, fixed_length
from benchmarks.plots import draw
from benchmarks.setting import paper_summarizer, raw_sentences, sentences_of_length
from ealm import Summarizer

FOLDER = Path(__file__).parent
WORDS = 8
"""The fixed length."""


def main() -> None:
    """All figures in one process, one after the other."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few and short sentences")
    parser.add_argument("--lm", help="folder of a masked language model for the paper's agent [default: the bundled]")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where results.json and plots go")
    options = parser.parse_args()
    torch.set_num_threads(1)
    results = measure(quick=options.quick, folder=options.lm)
    options.out.mkdir(parents=True, exist_ok=True)
    name = "results-quick.json" if options.quick else "results.json"
    (options.out / name).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    if not options.quick:
        draw(results, options.out)
    print(f"\nwritten: {options.out / name}\n")
    for figure in results["figures"]:
        verdict = "reached" if figure["reached"] else "NOT reached"
        print(f"{figure['name']}: {figure['ratio']:.2f} (bar: {figure['bar']}, {verdict})")


def measure(*, quick: bool, folder: str | None) -> dict[str, Any]:
    """Run everything; `quick` takes fewer and shorter sentences."""
    engines = fixed_length.measure(
        raw_sentences(24 if quick else None), words=WORDS, rounds=2 if quick else 3, every=10 if quick else 1
    )
    print("\n".join(fixed_length.lines(engines)), flush=True)
    paper = paper_summarizer(folder)
    count, lengths = (2, (10, 14)) if quick else (6, (12, 30))
    texts = sentences_of_length(count, lengths)
    runs = [
        lambda: figures.fixed_length(engines[fixed_length.SINGLE]),
        lambda: figures.inference(paper, texts),
        lambda: figures.training(paper, texts[: count // 2]),
        lambda: figures.rollout(paper, raw_sentences(32 if quick else 128)),
        lambda: figures.memory(*((20, 60) if quick else (1_000, 10_000))),
    ]
    done = []
    for run in runs:
        figure = run()
        done.append(figure)
        _print_figure(figure)
    summarizers = {"own length": (paper, {}), f"{WORDS} words": (Summarizer(engine="torch"), {"words": WORDS})}
    growth = figures.growth(summarizers, rows=2 if quick else 12)
    print("growth:", json.dumps(growth), flush=True)
    return {
        "date": dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "quick": quick,
        "machine": _machine(),
        "versions": {name: version(name) for name in ("torch", "numpy")},
        "language model": paper.lm.name,
        "figures": [vars(figure) for figure in done],
        "engines": engines,
        "growth": growth,
    }


def _print_figure(figure: figures.Figure) -> None:
    print(f"\n{figure.line()}", flush=True)
    for name, value in figure.details.items():
        print(f"  {name:32} {value:.4g}" if isinstance(value, float) else f"  {name:32} {value}", flush=True)


def _commit() -> str:
    command = ["git", "-C", str(FOLDER), "describe", "--always", "--dirty"]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip() or "unknown"


def _machine() -> dict[str, Any]:
    model = "unknown"
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        model = f"{len(names)} x {names[0]}" if names else model
    return {
        "processor": model,
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "system": platform.platform(terse=True),
        "threads": torch.get_num_threads(),
    }


if __name__ == "__main__":
    main()
