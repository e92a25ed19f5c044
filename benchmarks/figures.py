"""The figures, each a function of a summarizer: what is compared, on how much, and whether the answers agree."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from benchmarks.literal import LiteralProcedure, plain_walk
from benchmarks.setting import running_text
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.assessment import fluencies
from ealm.paper.converter import Converter
from ealm.paper.edits import Action
from ealm.paper.learner import new_agent
from ealm.paper.rewards import Assessment, is_fluent, walk_rewards
from ealm.paper.rollout import Step, Walk, walk
from ealm.paper.source import Source
from ealm.paper.step_search import ConversionCache, WalkEndSearch, run_searches
from ealm.summarize.summarizer import Summarizer
from ealm.text.words import split_words


@dataclass(frozen=True)
class Figure:
    """One ratio, the bar it is held to, and what it was made from."""

    name: str
    ratio: float
    bar: str
    reached: bool
    details: dict[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        """One line for the terminal."""
        verdict = "reached" if self.reached else "NOT reached"
        return f"{self.name}: {self.ratio:.2f} (bar: {self.bar}, {verdict})"


def seconds(work: Callable[[], object], *, repeat: int = 1) -> float:
    """Processor time, which other work on the machine hardly changes; the shortest of several runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def prepared(summarizer: Summarizer, texts: Sequence[str]) -> list[Source]:
    """Sentences looked up in the vocabulary."""
    return [Source.prepare(split_words(text), summarizer.lm, summarizer.ignored_words) for text in texts]


def fixed_length(measured: Mapping[str, Any]) -> Figure:
    """All work for a given length, in passes of the encoder; `measured` as in `benchmarks.fixed_length`."""
    ratio = measured["passes"]
    details = {**measured["stages"], "a curve, in single lengths": measured["curve"]}
    return Figure("given length, in passes of the encoder", ratio, "at most 1.25", ratio <= 1.25, details)


def inference(summarizer: Summarizer, texts: Sequence[str]) -> Figure:
    """Exact inference at its own length against the literal procedure: the very same sentences, alone and in a list."""
    literal = len(texts)
    procedure = LiteralProcedure(summarizer.lm, summarizer.agent, summarizer.settings)
    summarizer.summarize(texts[:2], pretokenized=True)  # warm up
    sources = prepared(summarizer, texts)
    answers: list[Any] = []
    literal_time = seconds(lambda: answers.extend(procedure.summarize(source) for source in sources)) / literal
    alone = seconds(lambda: [summarizer.summarize(text, pretokenized=True) for text in texts]) / literal
    summaries: list[Any] = []
    ours = seconds(lambda: summaries.extend(summarizer.summarize(texts, pretokenized=True))) / literal
    identical = [
        (step, tuple(answer.actions), round(answer.compression_rate, 9), round(answer.reconstruction_rate, 9))
        == (
            summary.step,
            tuple(edit.action for edit in summary.edits),
            round(summary.compression_rate, 9),
            round(summary.reconstruction_rate, 9),
        )
        for (step, answer), summary in zip(answers, summaries, strict=False)
    ]
    details = {
        "literal seconds a sentence": literal_time,
        "literal sequences a sentence": procedure.sequences / literal,
        "seconds a sentence in a list": ours,
        "seconds a sentence alone": alone,
        "ratio alone": literal_time / alone,
        "identical": f"{sum(identical)} of {literal}",
        "mean compression rate": float(np.mean([s.compression_rate for s in summaries])),
        "mean reconstruction rate": float(np.mean([s.reconstruction_rate for s in summaries])),
        "words": [len(split_words(text)) for text in texts],
    }
    ratio = literal_time / ours
    return Figure("own length, in a list", ratio, "at least 50", ratio >= 50 and all(identical), details)


def training(summarizer: Summarizer, texts: Sequence[str]) -> Figure:
    """Scoring the walks of a fresh, fully exploring agent, similarity left out on both sides.

    The same walks on both sides, and each only once: repeated, they would be remembered.
    """
    lm, literal = summarizer.lm, len(texts)
    settings = summarizer.settings.override({"rewards.similarity_weight": "0"})
    agent = new_agent(lm.width, settings.agent, 0)
    sources = prepared(summarizer, texts)
    procedure = LiteralProcedure(lm, agent, settings)
    generator = torch.Generator().manual_seed(0)
    rows = [procedure.walk(source, generator) for source in sources]
    expected: list[Any] = []
    pairs = list(zip(sources, rows, strict=True))
    literal_time = seconds(lambda: expected.extend(procedure.rewards(*pair, None) for pair in pairs)) / literal
    found: list[tuple[float, ...]] = []
    ours = seconds(lambda: found.extend(_rewards(sources, [_walk(row) for row in rows], lm, settings))) / literal
    identical = [np.allclose(a, b) for a, b in zip(expected, found, strict=True)]
    details = {
        "literal seconds a sentence": literal_time,
        "literal sequences a sentence": procedure.sequences / literal,
        "seconds a sentence": ours,
        "identical": f"{sum(identical)} of {literal}",
        "mean last step": float(np.mean([len(rewards) for rewards in found])),
        "words": [len(split_words(text)) for text in texts],
    }
    ratio = literal_time / ours
    return Figure("training episodes, exact", ratio, "at least 50", ratio >= 50 and all(identical), details)


def _walk(rows: Sequence[tuple[Action, ...]]) -> Walk:
    """A walk from its rows of actions; a Keep shows in none of them, so the words left over fill its steps."""
    length = len(rows)
    decided: list[int | None] = []
    before = (Action.KEEP,) * length
    for row in rows:
        changed = [place for place in range(length) if row[place] is not before[place]]
        decided.append(changed[0] if changed else None)
        before = row
    spare = iter([place for place in range(length) if place not in decided])
    words = [next(spare) if word is None else word for word in decided]
    return Walk(length, tuple(Step(word, rows[-1][word], (0.0, 0.0, 0.0)) for word in words))


def _rewards(sources: Sequence[Source], walks: Sequence[Walk], lm: MaskedLM, settings: Any) -> list[tuple[float, ...]]:
    cache = ConversionCache(64 << 20)
    searches = [WalkEndSearch(s, w, settings.rewards, cache) for s, w in zip(sources, walks, strict=True)]
    run_searches(searches, Converter(lm, settings.decoding))
    ends = [search.end for search in searches]
    fluency = fluencies(lm, [end.last_step.conversion.summary or () for end in ends])
    rewards = []
    for source, end, value in zip(sources, ends, fluency, strict=True):
        last = end.last_step
        assessment = Assessment(
            last.step,
            len(source.ids),
            last.compression_rate,
            last.reconstruction_rate or 0.0,
            0.0,
            is_fluent(value, settings.rewards),
        )
        rewards.append(
            walk_rewards(end.summary_lengths, violated=end.violated, assessment=assessment, settings=settings.rewards)
        )
    return rewards


def rollout(summarizer: Summarizer, texts: Sequence[str]) -> Figure:
    """Walks of a fresh agent against the plain module, sentence by sentence and step by step."""
    lm, batch = summarizer.lm, len(texts)
    agent = new_agent(lm.width, summarizer.settings.agent, 0)
    encodings = lm.encode([lm.word_ids(split_words(text)) for text in texts])
    plain_walks: list[list[int]] = []
    plain = seconds(lambda: plain_walks.extend([w for w, _ in plain_walk(agent, e)] for e in encodings)) / batch
    walks: list[Walk] = []
    fast = seconds(lambda: walks.extend(walk(agent, encodings)), repeat=3) / batch
    same = sum([s.word for s in w.steps] == p for w, p in zip(walks, plain_walks, strict=False))
    details = {"plain seconds a sentence": plain, "seconds a sentence": fast, "identical": f"{same} of {batch}"}
    ratio = plain / fast
    return Figure("agent rollout", ratio, "at least 10", ratio >= 10, details)


def growth(summarizers: Mapping[str, tuple[Summarizer, dict[str, int]]], *, rows: int) -> dict[str, Any]:
    """Processor time a sentence for several lengths and the exponent of the fitted power, of summarizers by name."""
    lengths = (10, 20, 40, 60)
    found: dict[str, Any] = {"words": lengths}
    for name, (summarizer, given) in summarizers.items():
        times = []
        for length in lengths:
            texts = running_text(rows, length)
            times.append(
                seconds(lambda t=texts, s=summarizer, g=given: s.summarize(t, pretokenized=True, **g), repeat=2) / rows
            )
        exponent = float(np.polyfit(np.log(lengths), np.log(times), 1)[0])
        found[name] = {"seconds a sentence": times, "exponent": exponent}
    return found


def memory(few: int, many: int) -> Figure:
    """Peak memory of a long stream against a short one, at a fixed length, each in a process of its own."""
    peaks = [_peak(count) for count in (few, many)]
    ratio = peaks[1] / peaks[0]
    details = {"sentences": (few, many), "peak MiB": [peak / 1024 for peak in peaks]}
    return Figure(f"memory, {many:,} sentences against {few:,}", ratio, "at most 1.2", ratio <= 1.2, details)


def _peak(count: int) -> float:
    arguments = [sys.executable, "-m", "benchmarks.memory", str(count)]
    return float(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.split()[-1])
