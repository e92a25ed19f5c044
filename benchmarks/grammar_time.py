"""What grammar costs: processor time at a fixed length with it and without, in turn, in one run.

    python -m benchmarks.grammar_time sentences.txt [--words 8] [--count 256] [--rounds 3]

One thread; other processes on the machine hardly change a ratio of processor times.
"""

import argparse
import statistics
import time
from pathlib import Path

import torch

from ealm import Summarizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--count", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    torch.set_num_threads(1)
    lines = [line for line in given.sentences.read_text(encoding="utf-8").splitlines() if line][: given.count]
    systems = {"none": Summarizer(grammar="none"), "embedded": Summarizer()}
    for summarizer in systems.values():
        summarizer.summarize(lines[:16], words=given.words)
    ratios = []
    for _ in range(given.rounds):
        used = {name: seconds(summarizer, lines, given.words) for name, summarizer in systems.items()}
        ratios.append(used["embedded"] / used["none"])
        print(f"none {used['none']:.2f} s, embedded {used['embedded']:.2f} s: {ratios[-1]:.2f} x")
    print(f"median {statistics.median(ratios):.2f} x")


def seconds(summarizer: Summarizer, lines: list[str], words: int) -> float:
    """Processor time."""
    begun = time.process_time()
    summarizer.summarize(lines, words=words)
    return time.process_time() - begun


if __name__ == "__main__":
    main()
