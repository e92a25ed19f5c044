"""Summaries of a given length with the bundled model, on the raw sentences of `data/reading.jsonl`.

    python -m benchmarks.fixed_length [--words 8] [--rounds 3] [--texts N]

For each engine, in turn: processor time for all sentences, for the pass of the sentence encoder alone, and for whole
curves; how many summaries are those of single precision. One thread; the least of all rounds counts.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import torch

from ealm import Summarizer
from ealm.common.config import AUTO, ENGINES
from ealm.lm.word_encoder import WordEncoder
from ealm.summarize.options import SummarizeOptions

TEXTS = Path(__file__).parent / "data" / "reading.jsonl"
_CURVES = 20
"""Texts whose curves are timed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--texts", type=int, help="only the first so many")
    options = parser.parse_args()
    torch.set_num_threads(1)
    lines = TEXTS.read_text(encoding="utf-8").splitlines()[: options.texts]
    texts = [json.loads(line)["text"] for line in lines]
    engines = (*ENGINES, AUTO)
    summarizers = {engine: Summarizer(engine=engine) for engine in engines}
    exact = [own.summary for own in summarizers["torch"].summarize(texts, words=options.words)]
    least: dict[tuple[str, str], float] = {}
    for _ in range(options.rounds):
        for engine in engines:
            for name, run in runs(summarizers[engine], texts, engine, options.words).items():
                least[engine, name] = min(least.get((engine, name), float("inf")), seconds(run))
    for engine in engines:
        same = sum(
            mine.summary == own
            for mine, own in zip(summarizers[engine].summarize(texts, words=options.words), exact, strict=True)
        )
        total, encoding, single, curve = (least[engine, name] for name in ("all", "pass", "single", "curve"))
        print(
            f"{engine:6} {len(texts) / total:6.1f} sentences a second, {total / encoding:.2f} x its pass, "
            f"{least['torch', 'all'] / total:.2f} x torch, curve {curve / single:.2f} x a length, "
            f"{same} of {len(texts)} summaries as with torch"
        )


def runs(summarizer: Summarizer, texts: list[str], engine: str, words: int) -> dict[str, Callable[[], object]]:
    """What is timed, by name."""
    encoder = WordEncoder.load(engine=engine)
    pipeline = summarizer._pipelines.get(SummarizeOptions(words=words))
    read = [pipeline.read(text, SummarizeOptions(words=words)) for text in texts]
    sentences = [prepared.source.words for text in read for prepared in text.sentences]
    few = texts[:_CURVES]
    return {
        "all": lambda: summarizer.summarize(texts, words=words),
        "pass": lambda: encoder.encode_layers(sentences),
        "single": lambda: [summarizer.summarize(text, words=words) for text in few],
        "curve": lambda: [summarizer.curve(text, recoverability=False) for text in few],
    }


def seconds(run: Callable[[], object]) -> float:
    """Processor time."""
    begun = time.process_time()
    run()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
