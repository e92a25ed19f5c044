"""The search for the best step against the slow transcription of the paper: the same answers, with fewer questions."""

from collections.abc import Collection
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
    assert_is,
    cases,
    language_model,
    literal,
    literal_steps,
    sources_of,
    walk_of,
)

from ealm.common.config import RewardSettings
from ealm.paper.converter import Converter
from ealm.paper.edits import Action
from ealm.paper.rollout import Walk
from ealm.paper.source import Source
from ealm.paper.step_search import BestStepSearch, EveryStepSearch, has_words, run_searches


@settings(max_examples=25)
@given(SEEDS, st.lists(cases(), min_size=1, max_size=3), st.sampled_from((1, 3, 10)))
def test_the_best_step_is_the_one_that_the_paper_chooses(seed: int, batch: list[Case], top_k: int) -> None:
    lm = language_model(seed)
    given_settings = RewardSettings(top_k=top_k)
    pairs = zip(sources_of(lm, batch), (path for _, path in batch), strict=True)
    searches = [BestStepSearch(source, path, given_settings) for source, path in pairs]
    run_searches(searches, Converter(lm))
    for case, search in zip(batch, searches, strict=True):
        steps = literal_steps(seed, case, top_k=top_k)
        best = oracle.best_step(steps[1:])
        assert_is(search.best, best, steps[best])


@settings(max_examples=25)
@given(SEEDS, st.lists(cases(), min_size=1, max_size=4), st.sampled_from((1, 10)))
def test_searching_the_best_step_asks_less_than_asking_about_every_step_and_agrees(
    seed: int, batch: list[Case], top_k: int
) -> None:
    rewards = RewardSettings(top_k=top_k)
    few, all_of_them = CountingLM(language_model(seed)), CountingLM(language_model(seed))
    sources = sources_of(few, batch)
    best = [BestStepSearch(source, path, rewards) for source, (_, path) in zip(sources, batch, strict=True)]
    every = [EveryStepSearch(source, path, rewards) for source, (_, path) in zip(sources, batch, strict=True)]
    run_searches(best, Converter(few))
    run_searches(every, Converter(all_of_them))
    assert few.rows <= all_of_them.rows
    for one, other in zip(best, every, strict=True):
        chosen = other.best
        assert (one.best.step, one.best.reconstruction_rate) == (chosen.step, chosen.reconstruction_rate)
        assert one.best.conversion.summary == chosen.conversion.summary


def test_many_questions_about_a_long_sentence_are_never_asked() -> None:
    actions = (R, R, R, K, K, K, X, X, X, R, R, R)
    path = walk_of(list(zip((3, 7, 11, 4, 0, 1, 2, 5, 6, 8, 9, 10), actions, strict=True)))
    rows = []
    for kind in (BestStepSearch, EveryStepSearch):
        lm = CountingLM(language_model())
        run_searches([kind(Source.prepare(LONG, lm, IGNORED), path, RewardSettings(top_k=1))], Converter(lm))
        rows.append(lm.rows)
    assert rows[0] < 0.75 * rows[1]


@settings(max_examples=15)
@given(SEEDS, cases())
def test_every_step_has_the_rates_summary_and_reconstruction_of_the_paper(seed: int, case: Case) -> None:
    lm = language_model(seed)
    (source,) = sources_of(lm, [case])
    search = EveryStepSearch(source, case[1], RewardSettings())
    run_searches([search], Converter(lm))
    expected = literal_steps(seed, case)
    assert len(search.steps) == len(expected)
    for number, (found, wanted) in enumerate(zip(search.steps, expected, strict=True)):
        assert_is(found, number, wanted)
        _, rebuilt = literal(seed, source.ids, case[1].actions_after(number), 10, False)
        assert found.conversion.reconstruction == rebuilt.words


def test_nothing_but_an_empty_summary_gives_step_0() -> None:
    lm = language_model()
    source = Source.prepare(("river",), lm, IGNORED)
    searches = [kind(source, walk_of([(0, R)]), RewardSettings()) for kind in (BestStepSearch, EveryStepSearch)]
    run_searches(searches, Converter(lm))
    for search in searches:
        found = search.best
        assert (found.step, found.conversion.summary) == (0, source.ids)
        assert (found.compression_rate, found.reconstruction_rate) == (0.0, 1.0)


@pytest.mark.parametrize("kind", [BestStepSearch, EveryStepSearch])
def test_a_walk_without_steps_gives_the_source_and_asks_nothing(kind: Any) -> None:
    """Every word was locked."""
    lm = CountingLM(language_model())
    source = Source.prepare(("river", "rises"), lm, IGNORED)
    search = kind(source, Walk(2, ()), RewardSettings())
    run_searches([search], Converter(lm))
    assert (search.best.step, search.best.conversion.summary) == (0, source.ids)
    assert (search.best.compression_rate, search.best.reconstruction_rate) == (0.0, 1.0)
    assert lm.calls == 0


@settings(max_examples=25)
@given(SEEDS, cases(), st.data(), st.sampled_from((1, 10)))
def test_the_best_step_leaves_more_than_marks_and_words_may_be_locked(
    seed: int, case: Case, data: st.DataObject, top_k: int
) -> None:
    """By the rule of the paper, with steps that leave nothing but marks counted as empty."""
    words, path = case
    path = Walk(path.length, path.steps[: data.draw(st.integers(0, path.length))])
    marks = data.draw(st.frozensets(st.integers(0, path.length - 1)))
    lm, rewards = language_model(seed), RewardSettings(top_k=top_k)
    source = Source.prepare(words, lm, IGNORED)
    searches = [kind(source, path, rewards, punctuation=marks) for kind in (BestStepSearch, EveryStepSearch)]
    run_searches(searches, Converter(lm))
    steps = literal_steps(seed, (words, path), top_k=top_k)
    left = [{place for place, action in enumerate(path.actions_after(n)) if action != R} for n in range(len(steps))]
    usable = [step if left[n] - marks else oracle.StepResult((), step.cr, step.rr) for n, step in enumerate(steps)]
    best = oracle.best_step(usable[1:])
    for search in searches:
        assert_is(search.best, best, steps[best])


def test_a_full_stop_alone_is_not_chosen_though_it_is_shortest() -> None:
    lm = language_model()
    source = Source.prepare(("the", "river", "rises", "."), lm, IGNORED)
    path = walk_of([(0, R), (1, R), (2, R)], length=4)
    for kind in (BestStepSearch, EveryStepSearch):
        free, marked = (kind(source, path, RewardSettings(top_k=1_000), punctuation=marks) for marks in ((), {3}))
        run_searches([free, marked], Converter(lm))
        assert (free.best.step, free.best.conversion.summary) == (3, lm.word_ids(["."]))
        assert (marked.best.step, marked.best.conversion.summary) == (2, lm.word_ids(["rises", "."]))


@pytest.mark.parametrize(
    ("actions", "marks", "expected"),
    [
        ((K, R), (), True),
        ((X, R), (), True),
        ((R, R), (), False),
        ((), (), False),
        ((K, R), {0}, False),
        ((X, R), {0}, False),
        ((K, K), {0}, True),
        ((K, K), {0, 1}, False),
    ],
)
def test_a_word_other_than_punctuation_is_a_word(
    actions: tuple[Action, ...], marks: Collection[int], expected: bool
) -> None:
    assert has_words(actions, marks) is expected
