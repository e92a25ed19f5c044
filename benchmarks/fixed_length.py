"""Summaries of a given length with the bundled model, on the raw sentences of `data/reading.jsonl`.

    python -m benchmarks.fixed_length [--words 8] [--rounds 3] [--texts N]

For each engine, in turn: processor time for all sentences, for the pass of the sentence encoder alone, and for whole
curves; how many summaries are those of single precision, and how many are untrue. One thread; the least of all rounds
counts.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.setting import raw_sentences
from ealm import Summarizer
from ealm.common.config import AUTO, ENGINES
from ealm.evaluation.truth import read_suite
from ealm.evaluation.truth_run import Tally, check_system
from ealm.lm.word_encoder import WordEncoder
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.pipeline import Pipeline

SINGLE = "torch"
"""The engine that others are compared with."""
_TRUTH = Path(__file__).parent.parent / "tests" / "truth"
_CURVES = 20
"""Texts whose curves are timed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--texts", type=int, help="only the first so many")
    options = parser.parse_args()
    torch.set_num_threads(1)
    found = measure(raw_sentences(options.texts), words=options.words, rounds=options.rounds)
    for line in lines(found):
        print(line)


def lines(found: dict[str, dict[str, Any]]) -> list[str]:
    """One for each way to run the model, and where the time of single precision goes."""
    shown = [
        f"{name:9} {own['sentences a second']:6.1f} sentences a second, {own['passes']:.2f} x its pass, "
        f"{own['speed']:.2f} x {SINGLE}, curve {own['curve']:.2f} x a length, same summaries {own['same']:.3f}, "
        f"untrue {own['untrue']:.3f}"
        for name, own in found.items()
    ]
    stages = found[SINGLE]["stages"]
    return [*shown, ", ".join(f"{name} {share:.0%}" for name, share in stages.items())]


def measure(texts: Sequence[str], *, words: int, rounds: int, every: int = 1) -> dict[str, dict[str, Any]]:
    """Ratios for each engine; truth on every so many cases of the suite."""
    summarizers = {engine: Summarizer(engine=engine) for engine in (*ENGINES, AUTO)}
    for summarizer in summarizers.values():
        summarizer.summarize(texts[:2], words=words)  # what is loaded late is loaded now
    least: dict[str, dict[str, float]] = {name: {} for name in summarizers}
    for _ in range(rounds):
        for name, summarizer in summarizers.items():
            for part, spent in _times(summarizer, texts, words).items():
                least[name][part] = min(least[name].get(part, float("inf")), spent)
    exact = [own.summary for own in summarizers[SINGLE].summarize(texts, words=words)]
    found: dict[str, dict[str, Any]] = {}
    for name, summarizer in summarizers.items():
        own = least[name]
        same = [a.summary == b for a, b in zip(summarizer.summarize(texts, words=words), exact, strict=True)]
        found[name] = {
            "sentences a second": len(texts) / own["all"],
            "passes": own["all"] / own["pass"],
            "speed": least[SINGLE]["all"] / own["all"],
            "curve": own["curve"] / own["single"],
            "same": sum(same) / len(same),
            "untrue": _untrue(summarizer, words, every),
            "stages": _shares(own),
        }
    return found


def _pipeline(summarizer: Summarizer, options: SummarizeOptions) -> Pipeline:
    return summarizer._pipelines.get(options)


def _encoder(pipeline: Pipeline) -> WordEncoder:
    return pipeline._encoder.encoder  # type: ignore[attr-defined,no-any-return]


def _times(summarizer: Summarizer, texts: Sequence[str], words: int) -> dict[str, float]:
    """Processor time of the whole, of its stages in turn, and of curves."""
    options = SummarizeOptions(words=words)
    pipeline = _pipeline(summarizer, options)
    encoder, plans = _encoder(pipeline), pipeline._grammar
    assert plans is not None
    spent: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        begun = time.process_time()
        result = work()
        spent[name] = time.process_time() - begun
        return result

    few = texts[:_CURVES]
    timed("all", lambda: summarizer.summarize(texts, words=words))
    read = timed("reading", lambda: [pipeline.read(text, options) for text in texts])
    prepared = [own for text in read for own in text.sentences]
    sentences = [own.source.words for own in prepared]
    states = timed("pass", lambda: encoder.encode_layers(sentences))
    parses = timed("parser", lambda: plans._grammar.parse_states(sentences, [own.layers for own in states]))  # type: ignore[attr-defined]
    timed(
        "grammar",
        lambda: plans._planner(prepared, [own.encodings for own in states], parses, plain=[False] * len(prepared)),
    )
    timed("single", lambda: [summarizer.summarize(text, words=words) for text in few])
    timed("curve", lambda: [summarizer.curve(text, recoverability=False) for text in few])
    return spent


@dataclass(frozen=True)
class _Plain:
    """Summaries as plain texts, which is what the truth suite reads."""

    summarizer: Summarizer

    def summarize(self, texts: Sequence[str], **given: Any) -> list[str]:
        return [own.summary for own in self.summarizer.summarize(texts, **given)]


def _shares(spent: dict[str, float]) -> dict[str, float]:
    """Of the whole; what is left is the choice of words for the length, and writing."""
    shares = {name: spent[name] / spent["all"] for name in ("reading", "pass", "parser", "grammar")}
    return {**shares, "choosing and writing": 1 - sum(shares.values())}


def _untrue(summarizer: Summarizer, words: int, every: int) -> float:
    """Share of summaries of this length that break a case of the truth suite."""
    return Tally.of(check_system(_Plain(summarizer), read_suite(_TRUTH)[::every], lengths=[words])).share


if __name__ == "__main__":
    main()
