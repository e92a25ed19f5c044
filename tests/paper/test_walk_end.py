"""Where a walk of training ends, against the slow transcription of the paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import oracle
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import WORDS
from torch import Tensor
from walk_cases import (
    IGNORED,
    SEEDS,
    Case,
    K,
    R,
    assert_is,
    cases,
    language_model,
    literal_steps,
    sources_of,
    walk_of,
)

from ealm.common.config import DecodingSettings, RewardSettings
from ealm.lm.cloze import Masked
from ealm.paper.converter import Converter
from ealm.paper.source import Source
from ealm.paper.step_search import ConversionCache, WalkEndSearch, bytes_of_conversion, run_searches


@dataclass(frozen=True)
class Variant:
    """The same hyperparameters for the package and for the transcription."""

    package: RewardSettings
    paper: oracle.Hyperparameters
    top_k: int = 10


VARIANTS = {
    "paper": Variant(RewardSettings(), oracle.Hyperparameters()),
    "paper, hard": Variant(RewardSettings(top_k=1), oracle.Hyperparameters(), top_k=1),
    "floors may be met": Variant(
        RewardSettings(strict_floors=False, all_ignored_rate=0.0),
        oracle.Hyperparameters(strict=False, all_ignored=Fraction(0)),
    ),
    "low floors": Variant(
        RewardSettings(min_reconstruction=0.2, min_compression=0.1, top_k=3),
        oracle.Hyperparameters(tau=Fraction(1, 5), rho=Fraction(1, 10)),
        top_k=3,
    ),
    "much must go": Variant(
        RewardSettings(min_compression=0.7, top_k=1), oracle.Hyperparameters(rho=Fraction(7, 10)), top_k=1
    ),
    "no floors": Variant(
        RewardSettings(min_reconstruction=0.0, min_compression=0.0, strict_floors=False),
        oracle.Hyperparameters(tau=Fraction(0), rho=Fraction(0), strict=False),
    ),
}


@pytest.mark.parametrize(("top_k", "last", "rate"), [(1, 2, 2 / 3), (1_000, 3, 1.0)])
def test_a_later_broken_floor_does_not_hide_an_earlier_one_that_is_not_yet_known(
    top_k: int, last: int, rate: float
) -> None:
    """Steps 2 and 3 are looked at together; step 3 surely compresses too little, step 2 must be asked about."""
    lm = language_model()
    source = Source.prepare(("the", "river", "rises", "late"), lm, IGNORED)
    rewards = RewardSettings(min_compression=0.7, top_k=top_k)
    search = WalkEndSearch(source, walk_of([(0, R), (1, R), (2, K), (3, K)]), rewards, ConversionCache(1 << 20))
    run_searches([search], Converter(lm))
    assert (search.end.last_step.step, search.end.violated) == (last, True)
    assert search.end.last_step.reconstruction_rate == pytest.approx(rate)


def literal_end(steps: Sequence[oracle.StepResult], given: oracle.Hyperparameters) -> tuple[int, bool]:
    """T and whether a floor was broken there; `steps` begins with step 1."""
    for number, step in enumerate(steps, start=1):
        if oracle.violates(step.cr, step.rr, step=number, length=len(steps), given=given):
            return number, True
    return len(steps), False


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@settings(max_examples=15)
@given(SEEDS, st.lists(cases(longest=6), min_size=1, max_size=3), st.integers(1, 40))
def test_a_walk_ends_where_the_paper_cuts_it(variant: Variant, seed: int, batch: list[Case], remembered: int) -> None:
    lm = language_model(seed)
    cache_of_all = ConversionCache(remembered * bytes_of_conversion(1))
    batch = [*batch, batch[0]]  # the same sentence twice: conversions are shared
    searches = [
        WalkEndSearch(source, path, variant.package, cache_of_all)
        for source, (_, path) in zip(sources_of(lm, batch), batch, strict=True)
    ]
    run_searches(searches, Converter(lm))
    assert len(cache_of_all) <= remembered
    for case, search in zip(batch, searches, strict=True):
        steps = literal_steps(seed, case, top_k=variant.top_k, all_ignored=variant.paper.all_ignored)
        last, violated = literal_end(steps[1:], variant.paper)
        assert_is(search.end.last_step, last, steps[last])
        assert search.end.violated is violated
        assert search.end.summary_lengths == tuple(len(step.summary) for step in steps[1 : last + 1])


class _FadingLM:
    """Recovers the word at a hole while the template has so many words left, and never a word at a later step only."""

    def __init__(self, needed: int) -> None:
        self.needed = needed
        self.asked: list[int] = []

    def predict(self, questions: Sequence[Masked[int]]) -> Tensor:
        """Scores of twenty words at all holes: the words of the source are 10 and above."""
        scores = []
        for question in questions:
            left = len(question.template) - len(question.holes)
            self.asked.append(left)
            for hole in question.holes:
                row = torch.zeros(20)
                row[10 + hole if left >= self.needed else 0] = 1
                scores.append(row)
        return torch.stack(scores)


LONG = 9


def fading_end(needed: int, *, ahead: int) -> tuple[int, bool, list[int]]:
    """T, whether a floor was broken there, and how many words were left in each template that was asked about."""
    lm = _FadingLM(needed)
    source = Source(("word",) * LONG, tuple(range(10, 10 + LONG)), (True,) * LONG)
    path = walk_of([(word, R) for word in range(LONG)])
    search = WalkEndSearch(source, path, RewardSettings(top_k=1), ConversionCache(1 << 20), ahead=ahead)
    run_searches([search], Converter(lm, DecodingSettings(mode="parallel", parallel_confidence=0.0)))  # type: ignore[arg-type]
    return search.end.last_step.step, search.end.violated, lm.asked


@pytest.mark.parametrize("needed", range(LONG + 1))
@pytest.mark.parametrize("ahead", [2, 3, 4, 8, 20])
def test_steps_that_are_looked_at_together_end_where_each_of_them_ends(needed: int, ahead: int) -> None:
    """As long as a later step recovers nothing that an earlier one does not."""
    assert fading_end(needed, ahead=ahead)[:2] == fading_end(needed, ahead=1)[:2]


def test_steps_that_are_looked_at_together_are_asked_about_once() -> None:
    assert fading_end(0, ahead=20)[2] == [0]
    assert sorted(fading_end(0, ahead=1)[2]) == list(range(LONG))


def test_the_walks_above_end_in_every_way() -> None:
    """Guards the examples themselves: cut by compression, by reconstruction, and not at all."""
    lm = language_model()
    words = ("police", "finds", "silver", "bridge")
    ends = []
    for decisions in ([(0, R), (1, K), (2, K), (3, K)], [(0, R), (1, R), (2, R), (3, R)]):
        for top_k in (1, len(WORDS) + 20):
            source = Source.prepare(words, lm, IGNORED)
            search = WalkEndSearch(source, walk_of(decisions), RewardSettings(top_k=top_k), ConversionCache(1 << 20))
            run_searches([search], Converter(lm))
            ends.append((search.end.last_step.step, search.end.violated))
    assert ends == [(1, True), (4, True), (1, True), (4, False)]
