"""Where a walk of training ends, against the slow transcription of the paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import WORDS
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

from ealm.common.config import RewardSettings
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
