"""`python -m benchmarks.own_length FILE`: the paper's agent at its own length against the literal procedure.

Both summarize the very same sentences with the shipped agent and language model, on one thread. Every sentence is done
by both in turn, then all of them in one list; times are processor time, so that other work counts for little.
"""

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch

from benchmarks.figures import prepared
from benchmarks.literal import LiteralProcedure
from ealm import Summarizer, Summary
from ealm.paper.edits import Action
from ealm.text.words import split_words

T = TypeVar("T")
Answer = tuple[int, tuple[Action, ...]]


def main() -> None:
    """Print a line for each sentence and the ratios of the sums."""
    parser = argparse.ArgumentParser(prog="benchmarks.own_length", description=__doc__)
    parser.add_argument("file", type=Path, help="raw sentences, one a line")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--words", type=int, nargs=2, default=(8, 40), metavar=("LEAST", "MOST"))
    parser.add_argument("--model", default="embedded-paper")
    options = parser.parse_args()
    torch.set_num_threads(1)
    texts = chosen(options.file, options.count, *options.words)
    summarizer = Summarizer(options.model)
    summarizer.summarize(texts[0], pretokenized=True)  # warm up
    procedure = LiteralProcedure(summarizer.lm, summarizer.agent, summarizer.settings)
    literal_time = alone_time = 0.0
    answers: list[Answer] = []
    same = 0
    for text, source in zip(texts, prepared(summarizer, texts), strict=True):
        alone, summary = timed(lambda own=text: summarizer.summarize(own, pretokenized=True))
        literal, (step, found) = timed(lambda own=source: procedure.summarize(own))
        answers.append((step, tuple(found.actions)))
        same += answer(summary) == answers[-1]
        literal_time, alone_time = literal_time + literal, alone_time + alone
        print(f"{len(source.ids)} words: {literal:.1f} s and {alone:.2f} s, {literal / alone:.1f} times", flush=True)
    list_time, summaries = timed(lambda: list(summarizer.summarize(texts, pretokenized=True)))
    same_in_list = sum(answer(own) == literal for own, literal in zip(summaries, answers, strict=True))
    count = len(texts)
    print(f"literal: {literal_time / count:.2f} s a sentence, {procedure.sequences / count:.0f} sequences")
    print(
        f"alone: {alone_time / count:.2f} s, {literal_time / alone_time:.1f} times as fast, {same} of {count} the same"
    )
    ratio = literal_time / list_time
    print(f"in a list: {list_time / count:.2f} s, {ratio:.1f} times as fast, {same_in_list} of {count} the same")


def chosen(path: Path, count: int, least: int, most: int) -> list[str]:
    """Sentences of a file, drawn with a fixed seed."""
    lines = [split_words(line) for line in path.read_text(encoding="utf-8").splitlines()]
    random.Random(0).shuffle(lines)
    return [" ".join(words) for words in lines if least <= len(words) <= most][:count]


def answer(summary: Summary) -> Answer:
    """Step and actions: with them, the summary is the same word for word."""
    return summary.step, tuple(edit.action for edit in summary.edits)


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of processor time, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


if __name__ == "__main__":
    main()
