"""The approximate search for the best step: what it takes for likely, and that nothing else differs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walk_cases import IGNORED, LONG, SEEDS, Case, CountingLM, R, cases, language_model, sources_of, walk_of

from ealm.common.config import DecodingSettings, RewardSettings
from ealm.paper import likely_step_search
from ealm.paper.converter import Conversion, Converter
from ealm.paper.likely_step_search import LikelyStepSearch
from ealm.paper.source import Source
from ealm.paper.step_search import BestStepSearch, ScoredStep, run_searches

APPROXIMATE = DecodingSettings(mode="approximate")


def facts(best: ScoredStep) -> tuple[object, ...]:
    return best.step, best.conversion.summary, best.compression_rate, best.reconstruction_rate


@settings(max_examples=25)
@given(SEEDS, st.lists(cases(), min_size=1, max_size=3), st.sampled_from((1, 3, 10)))
def test_it_is_exact_where_nothing_is_taken_for_likely(seed: int, batch: list[Case], top_k: int) -> None:
    lm = language_model(seed)
    rewards = RewardSettings(top_k=top_k)
    pairs = list(zip(sources_of(lm, batch), (path for _, path in batch), strict=True))
    exact = [BestStepSearch(source, path, rewards) for source, path in pairs]
    likely = [LikelyStepSearch(source, path, rewards) for source, path in pairs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(likely_step_search, "SURE_RANK", -1)  # and without approximate decoding no rank is noted
        run_searches([*exact, *likely], Converter(lm))
    assert [facts(search.best) for search in exact] == [facts(search.best) for search in likely]


@settings(max_examples=25)
@given(SEEDS, cases())
def test_the_summary_is_filled_as_by_the_paper_and_every_counted_word_is_answered(seed: int, case: Case) -> None:
    lm = language_model(seed)
    (source,) = sources_of(lm, [case])
    search = LikelyStepSearch(source, case[1], RewardSettings())
    run_searches([search], Converter(lm, APPROXIMATE))
    best = search.best
    conversion = Conversion(source.ids, best.conversion.actions)
    Converter(lm).finish([conversion])
    assert best.conversion.summary == conversion.summary
    assert best.reconstruction_rate is not None
    assert search.pending(1) == []


def rows_asked(sure_rank: int) -> int:
    """For the walk that removes one word after the other, by an untrained model that hardly recovers any."""
    path = walk_of([(word, R) for word in (3, 7, 11, 4, 0, 1, 2, 5, 6, 8, 9, 10)])
    lm = CountingLM(language_model())
    search = LikelyStepSearch(Source.prepare(LONG, lm, IGNORED), path, RewardSettings(top_k=8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(likely_step_search, "SURE_RANK", sure_rank)
        run_searches([search], Converter(lm))
    return lm.rows


def test_what_a_later_step_is_sure_of_is_not_asked_again() -> None:
    assert rows_asked(sure_rank=100) < rows_asked(sure_rank=-1)


def test_a_word_that_is_far_from_recovered_counts_as_lost_while_its_mask_is_open() -> None:
    lm = language_model()
    search = LikelyStepSearch(Source.prepare(LONG, lm, IGNORED), walk_of([(0, R), (1, R)], 12), RewardSettings())
    candidate = max(search._candidates, key=lambda own: own.step)
    hopeful = search._likely_rate(candidate)
    candidate.conversion.open_ranks = {0: 1_000, 1: 5}
    assert search._likely_rate(candidate) == pytest.approx(hopeful - 1 / sum(candidate.counted))
    assert candidate.bounds.upper == hopeful
