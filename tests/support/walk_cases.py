"""Sentences with walks over them, and their steps by the slow transcription of the paper."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import oracle
import pytest
from hypothesis import strategies as st
from tiny_models import WORDS, tiny_bert
from torch import Tensor

from ealm.common.config import IgnoredWordsSettings
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.rollout import Step, Walk
from ealm.paper.source import Source
from ealm.paper.step_search import ScoredStep
from ealm.text.word_lists import STOP_WORDS

R, K, X = Action.REMOVE, Action.KEEP, Action.REPLACE
UNKNOWN = ("zebra", "Unicorn", "##ing")
IGNORED = IgnoredWords(IgnoredWordsSettings(infrequent="none"))
SEEDS = st.sampled_from((0, 3))

LONG = ("police", "minister", "finds", "old", "silver", "bridge", "garden", "the", "storm", "closes", "harbor", "late")


@cache
def language_model(seed: int = 0) -> TransformersMaskedLM:
    """In double precision, so that a batch cannot tip a close decision."""
    return tiny_bert(seed, double=True)


class CountingLM:
    """A language model that counts what it is asked."""

    def __init__(self, lm: Any) -> None:
        self._lm = lm
        self.calls = 0
        self.rows = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lm, name)

    def predict(self, questions: Sequence[Masked[int]]) -> Tensor:
        self.calls += 1
        self.rows += len(questions)
        return self._lm.predict(questions)


def walk_of(decisions: Sequence[tuple[int, Action]], length: int | None = None) -> Walk:
    """A walk that decides these words in this order."""
    steps = tuple(Step(word, action, (0.0, 0.0, 0.0)) for word, action in decisions)
    return Walk(length or len(steps), steps)


Case = tuple[tuple[str, ...], Walk]


@st.composite
def cases(draw: st.DrawFn, longest: int = 7) -> Case:
    """A sentence with ignored and unknown words, and a decision for each word in any order."""
    words = draw(st.lists(st.sampled_from((*WORDS, *UNKNOWN)), min_size=1, max_size=longest))
    order = draw(st.permutations(range(len(words))))
    action = st.sampled_from((R, R, R, K, X))
    return tuple(words), walk_of([(word, draw(action)) for word in order])


def sources_of(lm: Any, batch: Sequence[Case]) -> list[Source]:
    return [Source.prepare(words, lm, IGNORED) for words, _ in batch]


@cache
def literal(seed: int, source: tuple[int, ...], actions: tuple[Action, ...], top_k: int, by_logit: bool) -> Any:
    """Summary and recovered words of one row of actions, by the transcription."""
    lm = language_model(seed)
    summary = oracle.compress(lm, source, actions, by_logit=by_logit)
    return summary, oracle.reconstruct(lm, source, actions, summary, top_k=top_k, by_logit=by_logit)


def literal_steps(
    seed: int, case: Case, *, top_k: int = 10, all_ignored: Fraction = Fraction(1), by_logit: bool = False
) -> list[oracle.StepResult]:
    """Steps 0 to N, every one worked out by itself."""
    words, path = case
    lm = language_model(seed)
    ids = lm.word_ids(words)
    flags = oracle.counted_words(words, ids, unknown_id=lm.unknown_id, ignored=STOP_WORDS)
    results = []
    for step in range(len(path.steps) + 1):
        summary, rebuilt = literal(seed, ids, path.actions_after(step), top_k, by_logit)
        rate = oracle.reconstruction_rate(rebuilt.recovered, flags, all_ignored=all_ignored)
        results.append(oracle.StepResult(summary, oracle.compression_rate(len(summary), len(ids)), rate))
    return results


def assert_is(found: ScoredStep, step: int, expected: oracle.StepResult) -> None:
    """The same step, the same words, the same rates."""
    assert found.step == step
    assert found.conversion.summary == expected.summary
    assert found.compression_rate == pytest.approx(float(expected.cr), abs=1e-12)
    assert found.reconstruction_rate == float(expected.rr)
