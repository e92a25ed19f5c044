"""Jobs over a file, with one worker and with two: sentences a second, peak memory, and what larger files would take.

    python -m benchmarks.batch_throughput --sentences 4000 --out batch.json

The sentences are raw text, made for this purpose. The time to start and to load the model, measured on a handful of
sentences, is told apart from the time for each sentence: a long job pays it once. Projections are on paper.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.text import sentence

WARM_UP = 8
"""Sentences of the job that measures the start."""

MILLION, BILLION = 10**6, 10**9
_SECONDS_BETWEEN_LOOKS = 0.1


@click.command()
@click.option("--sentences", "count", default=4000, show_default=True)
@click.option("--words", default=8, show_default=True)
@click.option("--workers", multiple=True, type=int, default=(1, 2), show_default=True)
@click.option("--shortest", default=10, show_default=True, help="Words of the shortest sentence.")
@click.option("--longest", default=40, show_default=True, help="Words of the longest sentence.")
@click.option("--model", default="embedded", show_default=True)
@click.option("--out", type=click.Path(path_type=Path))
def main(
    count: int, words: int, workers: tuple[int, ...], shortest: int, longest: int, model: str, out: Path | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder) / "few.txt", Path(folder) / "many.txt"
        write_sentences(few, WARM_UP, (shortest, longest))
        write_sentences(many, count, (shortest, longest))
        results = {
            "sentences": count,
            "words": words,
            "source words": [shortest, longest],
            "model": model,
            "cores": len(os.sched_getaffinity(0)),
            "processor": platform.processor() or platform.machine(),
            "jobs": {str(number): measured(few, many, number, words=words, model=model) for number in workers},
        }
    for number, job in results["jobs"].items():
        click.echo(f"--workers {number}: {report(job)}")
    if out is not None:
        out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def write_sentences(path: Path, count: int, lengths: tuple[int, int]) -> None:
    """One raw sentence a line: capital at the beginning, full stop at the last word."""
    rng = np.random.default_rng(0)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(count):
            text = sentence(int(rng.integers(lengths[0], lengths[1] + 1)) + 1, rng).removesuffix(" .")
            file.write(f"{text[0].upper()}{text[1:]}.\n")


def measured(few: Path, many: Path, workers: int, *, words: int, model: str) -> dict[str, Any]:
    """A short job and a long one; what the short one took is mostly the start."""
    start, _ = run_job(few, workers, words=words, model=model)
    seconds, peaks = run_job(many, workers, words=words, model=model)
    count = len(many.read_bytes().splitlines())
    written = len(many.with_suffix(".out").read_bytes().splitlines())
    if written != count:
        raise click.ClickException(f"{count} rows went in and {written} came out.")
    each = max(seconds - start, 1e-9) / max(count - WARM_UP, 1)
    return {
        "rows in": count,
        "rows out": written,
        "seconds": round(seconds, 2),
        "seconds to start": round(start, 2),
        "sentences a second": round(1 / each, 2),
        "peak memory of the processes in MB": peaks,
        "projected hours for a million": round(each * MILLION / 3600, 2),
        "projected days for a billion on this machine": round(each * BILLION / 86400, 1),
        "projected such machines for a billion in a day": -(-int(each * BILLION) // 86400),
    }


def run_job(source: Path, workers: int, *, words: int, model: str) -> tuple[float, list[int]]:
    """How long the command takes, and the peak memory of each of its processes in MB, the main one first."""
    command = [sys.executable, "-m", "ealm", "summarize", "-i", str(source), "-o", str(source.with_suffix(".out"))]
    command += ["--model", model, "--words", str(words), "--workers", str(workers), "--quiet"]
    peaks: dict[int, int] = {}
    begun = time.perf_counter()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            for pid in [process.pid, *children(process.pid)]:
                peaks[pid] = max(peaks.get(pid, 0), peak_memory(pid))
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    if process.returncode:
        raise click.ClickException(f"The job ended with code {process.returncode}.")
    return time.perf_counter() - begun, list(peaks.values())


def children(pid: int) -> Iterator[int]:
    """Processes that a process has started and that live."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            yield from map(int, task.read_text(encoding="utf-8").split())
        except OSError:
            continue


def peak_memory(pid: int) -> int:
    """The largest resident memory so far (VmHWM) in MB; 0 if the process is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)


def report(job: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in job.items())


if __name__ == "__main__":
    main()
