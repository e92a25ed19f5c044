"""`python -m benchmarks [--quick] [--lm FOLDER]`: run, print, and write results.json and plots beside this file."""

import argparse
import datetime as dt
import json
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from benchmarks import figures
from benchmarks.plots import draw
from benchmarks.setting import language_model, trained_summarizer

FOLDER = Path(__file__).parent


def main() -> None:
    """All figures in one process, one after the other."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few and short sentences, under three minutes")
    parser.add_argument("--lm", help="folder of a fitted masked language model [default: unfitted head]")
    parser.add_argument("--only-memory", action="store_true", help="measure memory again and keep the other results")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where results.json and plots go")
    options = parser.parse_args()
    if options.only_memory:
        _measure_memory_again(options.out / "results.json", options.lm)
        return
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
    """Run everything; `quick` takes smaller samples of shorter sentences."""
    lm = language_model(folder, fit_steps=0 if quick else 60)
    print(f"language model: {lm.name}; {torch.get_num_threads()} threads; training an agent on it ...", flush=True)
    summarizer = trained_summarizer(lm, updates=500 if quick else 1_000)
    lengths = (12, 22) if quick else (15, 40)
    literal = 2 if quick else 4
    runs = [
        lambda: figures.inference(summarizer, lm, literal=literal, batch=16 if quick else 32, lengths=lengths),
        lambda: figures.training(summarizer, lm, literal=literal, lengths=lengths),
        lambda: figures.rollout(lm, batch=256, lengths=(15, 40)),
        lambda: figures.memory(*((20, 60) if quick else (100, 400)), folder),
    ]
    done = []
    for run in runs:
        figure = run()
        done.append(figure)
        _print_figure(figure)
    results: dict[str, Any] = {
        "date": dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": _machine(),
        "versions": {name: version(name) for name in ("torch", "transformers", "numpy")},
        "language model": lm.name if folder is None else "fitted",
        "figures": [vars(figure) for figure in done],
    }
    if not quick:
        results["growth"] = figures.growth(summarizer, batch=24)
        print("growth:", json.dumps(results["growth"]), flush=True)
    return results


def _measure_memory_again(path: Path, folder: str | None) -> None:
    results = json.loads(path.read_text(encoding="utf-8"))
    figure = figures.memory(1_000, 10_000, folder)
    _print_figure(figure)
    others = [entry for entry in results["figures"] if not entry["name"].startswith("memory")]
    results["figures"] = [*others, vars(figure) | {"commit": _commit()}]
    path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    draw(results, path.parent)


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
    return {"processor": model, "system": platform.platform(terse=True), "threads": torch.get_num_threads()}


if __name__ == "__main__":
    main()
