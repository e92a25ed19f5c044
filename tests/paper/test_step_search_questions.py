"""What the searches ask and what they need not ask, for walks and for actions that are given."""

import tracemalloc
from collections.abc import Sequence
from typing import Any

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walk_cases import (
    IGNORED,
    LONG,
    SEEDS,
    Case,
    CountingLM,
    K,
    R,
    X,
    cases,
    language_model,
    literal,
    literal_steps,
    walk_of,
)

from ealm.common.config import RewardSettings
from ealm.paper.converter import Conversion, Converter, Fill
from ealm.paper.edits import Action
from ealm.paper.rollout import Walk
from ealm.paper.source import Source
from ealm.paper.step_search import (
    BestStepSearch,
    ConversionCache,
    EveryStepSearch,
    GivenActionsSearch,
    WalkEndSearch,
    bytes_of_conversion,
    run_searches,
)
from ealm.text.word_lists import STOP_WORDS

# What is never asked --------------------------------------------------------------------------------------------------


def asked(search_of: Any, words: Sequence[str], decisions: Sequence[tuple[int, Action]]) -> tuple[int, Any]:
    """How often the language model was called, and the finished search."""
    lm = CountingLM(language_model())
    search = search_of(Source.prepare(words, lm, IGNORED), walk_of(decisions))
    run_searches([search], Converter(lm))
    return lm.calls, search


def best_step(source: Source, path: Walk) -> BestStepSearch:
    return BestStepSearch(source, path, RewardSettings())


def every_step(source: Source, path: Walk) -> EveryStepSearch:
    return EveryStepSearch(source, path, RewardSettings())


def walk_end(source: Source, path: Walk) -> WalkEndSearch:
    return WalkEndSearch(source, path, RewardSettings(), ConversionCache(1 << 20))


def last_step(source: Source, path: Walk) -> GivenActionsSearch:
    return last_of(source, path, with_rate=False)


def last_step_with_rate(source: Source, path: Walk) -> GivenActionsSearch:
    return last_of(source, path, with_rate=True)


def last_of(source: Source, path: Walk, *, with_rate: bool) -> GivenActionsSearch:
    """The search for the end of a walk."""
    last = len(path.steps)
    return GivenActionsSearch(source, path.actions_after(last), RewardSettings(), step=last, with_rate=with_rate)


@pytest.mark.parametrize("search_of", [best_step, every_step, walk_end, last_step, last_step_with_rate])
def test_a_walk_of_keeps_asks_nothing(search_of: Any) -> None:
    calls, _ = asked(search_of, ("river", "rises", "zebra"), [(1, K), (0, K), (2, K)])
    assert calls == 0


def test_a_summary_without_holes_asks_nothing_if_its_rate_is_not_wanted() -> None:
    calls, search = asked(last_step, ("the", "river", "rises"), [(0, R), (1, R), (2, K)])
    assert calls == 0
    assert search.best.conversion.summary == language_model().word_ids(["rises"])


def test_removing_ignored_words_only_asks_nothing() -> None:
    calls, search = asked(best_step, ("the", "river", "is", "zebra"), [(0, R), (2, R), (3, R), (1, K)])
    assert calls == 0
    assert (search.best.step, search.best.compression_rate, search.best.reconstruction_rate) == (4, 0.75, 1.0)


@pytest.mark.parametrize("later", [R, X, K])
def test_a_keep_at_step_1_is_a_violation_without_any_question(later: Action) -> None:
    calls, search = asked(walk_end, ("river", "rises", "late"), [(0, K), (1, later), (2, later)])
    assert calls == 0
    assert (search.end.last_step.step, search.end.violated) == (1, True)
    assert search.end.last_step.reconstruction_rate == 1.0
    assert search.end.summary_lengths == (3,)


def test_a_replace_at_step_1_needs_its_own_questions_only() -> None:
    calls, search = asked(walk_end, ("river", "rises", "late"), [(0, X), (1, R), (2, R)])
    assert calls == 2  # one hole in the summary, the same one in the reconstruction
    assert (search.end.last_step.step, search.end.violated) == (1, True)


# Given actions --------------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(SEEDS, cases(), st.booleans(), st.data())
def test_given_the_actions_of_a_step_it_is_that_of_the_paper_with_or_without_its_rate(
    seed: int, case: Case, with_rate: bool, data: st.DataObject
) -> None:
    words, path = case
    stops = data.draw(st.integers(0, len(path.steps)))
    path = Walk(path.length, path.steps[:stops])
    lm = CountingLM(language_model(seed))
    search = last_of(Source.prepare(words, lm, IGNORED), path, with_rate=with_rate)
    run_searches([search], Converter(lm))
    expected = literal_steps(seed, (words, path))[-1]
    assert search.best.step == stops
    assert search.best.conversion.summary == expected.summary
    assert search.best.compression_rate == pytest.approx(float(expected.cr))
    assert search.best.reconstruction_rate == (float(expected.rr) if with_rate else None)
    if not with_rate:
        assert lm.rows == path.actions_after(stops).count(X)


@settings(max_examples=25)
@given(SEEDS, cases(), st.booleans(), st.data())
def test_given_actions_need_not_be_those_of_a_walk(seed: int, case: Case, with_rate: bool, data: st.DataObject) -> None:
    """The step is only passed on; several searches share their passes."""
    words, _ = case
    lm = language_model(seed)
    source = Source.prepare(words, lm, IGNORED)
    flags = oracle.counted_words(words, source.ids, unknown_id=lm.unknown_id, ignored=STOP_WORDS)
    row = st.lists(st.sampled_from((R, K, X)), min_size=len(words), max_size=len(words)).map(tuple)
    rows = data.draw(st.lists(row, min_size=1, max_size=3))
    searches = [
        GivenActionsSearch(source, actions, RewardSettings(), step=99 + number, with_rate=with_rate)
        for number, actions in enumerate(rows)
    ]
    run_searches(searches, Converter(lm))
    for number, (actions, search) in enumerate(zip(rows, searches, strict=True)):
        summary, rebuilt = literal(seed, source.ids, actions, 10, False)
        assert search.best.step == 99 + number
        assert search.best.conversion.actions == actions
        assert search.best.conversion.summary == summary
        rate = float(oracle.reconstruction_rate(rebuilt.recovered, flags))
        assert search.best.reconstruction_rate == (rate if with_rate else None)


# Remembered conversions -----------------------------------------------------------------------------------------------


def numbered(*ids: int) -> Source:
    """A source whose words all count."""
    return Source(words=tuple(map(str, ids)), ids=ids, counted=(True,) * len(ids))


def test_the_cache_forgets_the_least_recently_used() -> None:
    remembered = ConversionCache(2 * bytes_of_conversion(2))
    source = numbered(1, 2)
    first, second = remembered.get(source, (R, K)), remembered.get(source, (K, R))
    assert remembered.get(source, (R, K)) is first
    remembered.get(source, (R, R))
    assert len(remembered) == 2
    assert remembered.get(source, (R, K)) is first
    assert remembered.get(source, (K, R)) is not second


def test_the_cache_tells_sentences_and_actions_apart() -> None:
    remembered = ConversionCache(1 << 20)
    uncounted = Source(words=("1", "2"), ids=(1, 2), counted=(True, False))
    sources = (numbered(1, 2), numbered(1, 2), numbered(2, 1), numbered(1, 1), uncounted)
    keys = list(zip(sources, ((R, K), (K, R), (R, K), (R, K), (R, K)), strict=True))
    conversions = [remembered.get(*key) for key in keys]
    assert len({id(conversion) for conversion in conversions}) == len(keys)
    for (source, actions), conversion in zip(keys, conversions, strict=True):
        assert (conversion.source, conversion.actions) == (source.ids, actions)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 8), max_size=40), st.integers(1, 5))
def test_the_cache_never_grows_beyond_its_capacity(sentences: list[int], capacity: int) -> None:
    remembered = ConversionCache(capacity * bytes_of_conversion(1))
    for sentence in sentences:
        remembered.get(numbered(sentence), (R,))
        assert len(remembered) <= capacity


def test_long_sentences_take_the_room_of_several_short_ones() -> None:
    remembered = ConversionCache(10 * bytes_of_conversion(1))
    for sentence in range(10):
        remembered.get(numbered(sentence), (R,))
    assert len(remembered) == 10
    remembered.get(numbered(*range(30)), (R,) * 30)
    assert len(remembered) < 6


def test_a_conversion_larger_than_the_cache_is_kept_until_the_next() -> None:
    remembered = ConversionCache(1)
    source = numbered(1, 2)
    first = remembered.get(source, (R, K))
    assert remembered.get(source, (R, K)) is first
    remembered.get(source, (K, R))
    assert len(remembered) == 1


@pytest.mark.parametrize("words", [1, 10, 60])
def test_the_cache_takes_no_more_memory_than_it_may(words: int) -> None:
    most = 1 << 20
    remembered = ConversionCache(most)
    tracemalloc.start()
    try:
        for number in range(2 * most // bytes_of_conversion(words)):
            ids = tuple(range(1_000 * number, 1_000 * number + words))  # no small numbers, which Python shares
            source = Source(words=("word",) * words, ids=ids, counted=(False,) * words)
            conversion = remembered.get(source, tuple([R] * words))
            conversion.fill(Fill(hole, 10_000 + number + hole, 1_000 + hole) for hole in range(words))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most / 4 < taken <= most


def test_a_half_finished_conversion_goes_on_where_it_was() -> None:
    lm = CountingLM(language_model())
    converter = Converter(lm)
    ids, actions = lm.word_ids(("police", "finds", "silver", "bridge")), (R, R, X, K)
    source = numbered(*ids)
    remembered = ConversionCache(1 << 20)
    for _ in range(2):
        converter.advance([remembered.get(source, actions)])
    assert not remembered.get(source, actions).finished
    converter.finish([remembered.get(source, actions)])
    assert lm.rows == 4  # one hole, then three
    fresh = Conversion(ids, actions)
    converter.finish([fresh])
    again = remembered.get(source, actions)
    assert (again.summary, again.reconstruction) == (fresh.summary, fresh.reconstruction)
    assert again.source_ranks == fresh.source_ranks


def test_a_walk_seen_before_asks_nothing_new() -> None:
    lm = CountingLM(language_model())
    source, path = Source.prepare(LONG, lm, IGNORED), walk_of([(word, R) for word in range(len(LONG))])
    remembered = ConversionCache(1 << 20)
    ends = []
    for _ in range(2):
        search = WalkEndSearch(source, path, RewardSettings(), remembered)
        run_searches([search], Converter(lm))
        ends.append((search.end, lm.rows))
    assert ends[0][0] == ends[1][0]
    assert ends[0][1] == ends[1][1] > 0
