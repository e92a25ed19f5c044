"""The searches against the slow transcription of the paper: the same answers, with fewer questions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import WORDS, tiny_bert
from torch import Tensor

from ealm.config import IgnoredWordsSettings, RewardSettings
from ealm.converter import Conversion, Converter
from ealm.edits import Action, Masked
from ealm.ignored_words import STOP_WORDS, IgnoredWords
from ealm.masked_lm import TransformersMaskedLM
from ealm.rollout import Step, Walk
from ealm.scoring import (
    BestStepSearch,
    ConversionCache,
    EveryStepSearch,
    GivenActionsSearch,
    ScoredStep,
    WalkEndSearch,
    run_searches,
    says_something,
)
from ealm.source import Source, written_reconstruction, written_summary, written_words

R, K, X = Action.REMOVE, Action.KEEP, Action.REPLACE
UNKNOWN = ("zebra", "Unicorn", "##ing")
IGNORED = IgnoredWords(IgnoredWordsSettings(infrequent="none"))
SEEDS = st.sampled_from((0, 3))


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


# The step of inference ------------------------------------------------------------------------------------------------


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


LONG = ("police", "minister", "finds", "old", "silver", "bridge", "garden", "and", "storm", "closes", "harbor", "late")


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
    searches = [kind(source, path, rewards, marks=marks) for kind in (BestStepSearch, EveryStepSearch)]
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
        free, marked = (kind(source, path, RewardSettings(top_k=1_000), marks=marks) for marks in ((), {3}))
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
def test_a_word_other_than_a_mark_says_something(
    actions: tuple[Action, ...], marks: Collection[int], expected: bool
) -> None:
    assert says_something(actions, marks) is expected


# The end of a walk in training ----------------------------------------------------------------------------------------


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
    search = WalkEndSearch(source, walk_of([(0, R), (1, R), (2, K), (3, K)]), rewards, ConversionCache(9))
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
    cache_of_all = ConversionCache(remembered)
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
            search = WalkEndSearch(source, walk_of(decisions), RewardSettings(top_k=top_k), ConversionCache(9))
            run_searches([search], Converter(lm))
            ends.append((search.end.last_step.step, search.end.violated))
    assert ends == [(1, True), (4, True), (1, True), (4, False)]


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
    return WalkEndSearch(source, path, RewardSettings(), ConversionCache(10))


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


def test_the_cache_forgets_the_least_recently_used() -> None:
    remembered = ConversionCache(2)
    first, second = remembered.get((1, 2), (R, K)), remembered.get((1, 2), (K, R))
    assert remembered.get((1, 2), (R, K)) is first
    remembered.get((1, 2), (R, R))
    assert len(remembered) == 2
    assert remembered.get((1, 2), (R, K)) is first
    assert remembered.get((1, 2), (K, R)) is not second


def test_the_cache_tells_sentences_and_actions_apart() -> None:
    remembered = ConversionCache(9)
    keys = [((1, 2), (R, K)), ((1, 2), (K, R)), ((2, 1), (R, K)), ((1, 1), (R, K))]
    conversions = [remembered.get(*key) for key in keys]
    assert len({id(conversion) for conversion in conversions}) == len(keys)
    for (ids, actions), conversion in zip(keys, conversions, strict=True):
        assert (conversion.source, conversion.actions) == (ids, actions)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 8), max_size=40), st.integers(1, 5))
def test_the_cache_never_grows_beyond_its_capacity(sentences: list[int], capacity: int) -> None:
    remembered = ConversionCache(capacity)
    for sentence in sentences:
        remembered.get((sentence,), (R,))
        assert len(remembered) <= capacity


def test_a_half_finished_conversion_goes_on_where_it_was() -> None:
    lm = CountingLM(language_model())
    converter = Converter(lm)
    ids, actions = lm.word_ids(("police", "finds", "silver", "bridge")), (R, R, X, K)
    remembered = ConversionCache(3)
    for _ in range(2):
        converter.advance([remembered.get(ids, actions)])
    assert not remembered.get(ids, actions).finished
    converter.finish([remembered.get(ids, actions)])
    assert lm.rows == 4  # one hole, then three
    fresh = Conversion(ids, actions)
    converter.finish([fresh])
    again = remembered.get(ids, actions)
    assert (again.summary, again.reconstruction) == (fresh.summary, fresh.reconstruction)
    assert again.source_ranks == fresh.source_ranks


def test_a_walk_seen_before_asks_nothing_new() -> None:
    lm = CountingLM(language_model())
    source, path = Source.prepare(LONG, lm, IGNORED), walk_of([(word, R) for word in range(len(LONG))])
    remembered = ConversionCache(100)
    ends = []
    for _ in range(2):
        search = WalkEndSearch(source, path, RewardSettings(), remembered)
        run_searches([search], Converter(lm))
        ends.append((search.end, lm.rows))
    assert ends[0][0] == ends[1][0]
    assert ends[0][1] == ends[1][1] > 0


# Words for people -----------------------------------------------------------------------------------------------------


def test_kept_words_are_written_as_the_source_has_them_and_new_ones_as_the_model_has_them() -> None:
    lm = language_model()
    source = Source.prepare(("Zebra", "RIVER", "rises", "late"), lm, IGNORED)
    conversion = Conversion(source.ids, (K, K, X, R))
    assert written_summary(source, conversion, lm) is None
    Converter(lm).finish([conversion])
    assert conversion.summary is not None
    assert conversion.reconstruction is not None
    assert written_summary(source, conversion, lm) == ("Zebra", "RIVER", *lm.words(conversion.summary[2:]))
    assert written_reconstruction(source, conversion, lm) == (
        "Zebra",
        "RIVER",
        *lm.words(conversion.reconstruction[2:]),
    )


def test_new_words_are_known_by_their_places_once_they_are_filled() -> None:
    lm = language_model()
    source = Source.prepare(("Zebra", "RIVER", "rises", "late"), lm, IGNORED)
    conversion = Conversion(source.ids, (R, X, K, X))
    assert written_words(conversion, lm) == {}
    Converter(lm).finish([conversion])
    assert conversion.summary is not None
    first, _, last = lm.words(conversion.summary)
    assert written_words(conversion, lm) == {1: first, 3: last}
    assert written_words(Conversion(source.ids, (R, K, K, K)), lm) == {}


def test_an_unknown_number_is_looked_up_by_its_shape_but_does_not_count() -> None:
    lm = language_model()
    source = Source.prepare(("5", "river", "55.31", "zebra5"), lm, IGNORED)
    assert source.ids == (*lm.word_ids(["#", "river"]), lm.unknown_id, lm.unknown_id)
    assert source.counted == (False, True, False, False)
    assert source.words == ("5", "river", "55.31", "zebra5")


def test_ignored_and_unknown_words_do_not_count() -> None:
    source = Source.prepare(("The", "river", "zebra", "."), language_model(), IGNORED)
    assert source.counted == (False, True, False, False)
