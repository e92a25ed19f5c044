"""Any length from one walk."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.paper.edits import Action
from ealm.paper.rollout import Step, Walk
from ealm.summarize.length_fitting import BalancedWalk, Fits, shorten, shorten_balanced

KEEP, REMOVE, REPLACE = Action.KEEP, Action.REMOVE, Action.REPLACE


def walk_of(length: int, *decisions: tuple[int, Action]) -> Walk:
    return Walk(length, tuple(Step(word, action, (0.0, 0.0, 0.0)) for word, action in decisions))


def at_most(count: int) -> Fits:
    return lambda indices: len(indices) <= count


def weighing_at_most(total: int, weights: Sequence[int]) -> Fits:
    return lambda indices: sum(weights[index] for index in indices) <= total


def left(actions: Sequence[Action]) -> list[int]:
    return [index for index, action in enumerate(actions) if action is not REMOVE]


@st.composite
def walks(draw: st.DrawFn, locked: st.SearchStrategy[set[int]] | None = None) -> tuple[Walk, list[int]]:
    """A walk over all words but the locked ones, and these."""
    length = draw(st.integers(1, 8))
    chosen = draw(st.sets(st.integers(0, length - 1))) if locked is None else draw(locked)
    order = draw(st.permutations([index for index in range(length) if index not in chosen]))
    actions = draw(st.lists(st.sampled_from(Action), min_size=len(order), max_size=len(order)))
    return walk_of(length, *zip(order, actions, strict=True)), draw(st.permutations(sorted(chosen)))


FREE = walks(st.just(set()))

# What the walk decides ------------------------------------------------------------------------------------------------


def test_what_fits_is_left_as_it_is() -> None:
    result = shorten(walk_of(3, (0, REMOVE), (1, REPLACE), (2, REMOVE)), at_most(3))
    assert (result.step, result.actions) == (0, (KEEP, KEEP, KEEP))


def test_what_fits_is_left_as_it_is_though_a_part_of_it_would_not_fit() -> None:
    """Two words that something between them joins may be shorter with it than without."""
    result = shorten(walk_of(3, (1, REMOVE)), lambda indices: list(indices) != [0, 2], soft_keep=[0, 2])
    assert (result.step, result.actions) == (0, (KEEP, KEEP, KEEP))


def test_decisions_are_taken_in_order_until_it_fits() -> None:
    walk = walk_of(5, (3, REMOVE), (0, REPLACE), (4, KEEP), (1, REMOVE), (2, REMOVE))
    assert shorten(walk, at_most(4)).actions == (KEEP, KEEP, KEEP, REMOVE, KEEP)
    assert shorten(walk, at_most(4)).step == 1
    assert shorten(walk, at_most(3)).actions == (REPLACE, REMOVE, KEEP, REMOVE, KEEP)
    assert shorten(walk, at_most(3)).step == 4
    assert shorten(walk, at_most(2)).actions == (REPLACE, REMOVE, REMOVE, REMOVE, KEEP)


def test_what_is_kept_first_stays_and_the_rest_goes() -> None:
    walk = walk_of(4, (2, KEEP), (0, KEEP), (3, KEEP), (1, KEEP))
    assert [left(shorten(walk, at_most(count)).actions) for count in (1, 2, 3, 4)] == [
        [2],
        [0, 2],
        [0, 2, 3],
        [0, 1, 2, 3],
    ]


def test_a_word_that_is_too_long_makes_room_for_the_next() -> None:
    walk = walk_of(3, (0, KEEP), (1, KEEP), (2, KEEP))
    assert left(shorten(walk, weighing_at_most(3, [2, 5, 1])).actions) == [0, 2]


@given(FREE, st.integers(1, 9))
def test_a_number_of_words_is_met_exactly(drawn: tuple[Walk, list[int]], count: int) -> None:
    walk, _ = drawn
    result = shorten(walk, at_most(count))
    assert len(left(result.actions)) == min(count, walk.length)


@given(FREE, st.integers(1, 9))
def test_before_it_had_to_overrule_it_is_a_state_of_the_walk(drawn: tuple[Walk, list[int]], count: int) -> None:
    walk, _ = drawn
    result = shorten(walk, at_most(count))
    kept = [step.word for step in walk.steps[: result.step] if step.action is not REMOVE]
    if len(kept) <= count and len(left(walk.actions_after(result.step))) >= 1:
        assert result.actions == walk.actions_after(result.step)


@given(FREE, st.integers(1, 9))
def test_more_room_never_means_less(drawn: tuple[Walk, list[int]], count: int) -> None:
    walk, _ = drawn
    assert set(left(shorten(walk, at_most(count)).actions)) <= set(left(shorten(walk, at_most(count + 1)).actions))


@given(FREE, st.lists(st.integers(1, 9), min_size=8, max_size=8), st.integers(9, 40))
def test_what_has_a_weight_never_weighs_too_much(drawn: tuple[Walk, list[int]], weights: list[int], total: int) -> None:
    """Every single word fits alone, so something is always left."""
    walk, _ = drawn
    fits = weighing_at_most(total, weights)
    result = shorten(walk, fits)
    assert left(result.actions)
    assert fits(left(result.actions))


# What must stay -------------------------------------------------------------------------------------------------------


@given(walks(), st.integers(1, 9))
def test_pinned_words_stay_whatever_the_length(drawn: tuple[Walk, list[int]], count: int) -> None:
    walk, hard_keep = drawn
    result = shorten(walk, at_most(count), hard_keep=hard_keep)
    assert all(result.actions[index] is KEEP for index in hard_keep)
    assert len(left(result.actions)) == max(len(hard_keep), min(count, walk.length))


@given(walks(), st.integers(1, 9))
def test_precious_words_stay_as_far_as_they_fit_the_first_of_them_first(
    drawn: tuple[Walk, list[int]], count: int
) -> None:
    walk, soft_keep = drawn
    result = shorten(walk, at_most(count), soft_keep=soft_keep)
    assert {index for index in soft_keep if result.actions[index] is KEEP} == set(soft_keep[:count])
    assert len(left(result.actions)) == min(count, walk.length)


def test_pinned_comes_before_precious_and_precious_before_the_walk() -> None:
    walk = walk_of(4, (1, KEEP), (3, KEEP))
    results = [left(shorten(walk, at_most(count), hard_keep=[2], soft_keep=[0]).actions) for count in (1, 2, 3, 4)]
    assert results == [[2], [0, 2], [0, 1, 2], [0, 1, 2, 3]]


def test_a_precious_word_that_does_not_fit_makes_room_for_the_next_one() -> None:
    walk = walk_of(3, (2, REMOVE))
    assert left(shorten(walk, weighing_at_most(3, [5, 2, 9]), soft_keep=[0, 1]).actions) == [1]


# Never nothing --------------------------------------------------------------------------------------------------------


def test_the_word_given_up_last_comes_back_if_all_would_be_gone() -> None:
    walk = walk_of(3, (0, REMOVE), (2, REMOVE), (1, REMOVE))
    assert left(shorten(walk, weighing_at_most(1, [1, 5, 1])).actions) == [2]


def test_if_no_word_fits_one_is_left_for_the_caller_to_cut() -> None:
    walk = walk_of(3, (0, REMOVE), (2, KEEP), (1, REMOVE))
    assert len(left(shorten(walk, weighing_at_most(1, [5, 5, 5])).actions)) == 1


def test_a_mark_alone_is_not_enough() -> None:
    """The mark is soft_keep, so it is kept first; the word given up last joins it."""
    walk = walk_of(3, (0, REMOVE), (1, REMOVE))
    result = shorten(walk, weighing_at_most(3, [2, 9, 1]), soft_keep=[2], punctuation=[2])
    assert left(result.actions) == [0, 2]


def test_a_mark_gives_way_to_a_word() -> None:
    walk = walk_of(2, (0, REMOVE))
    assert left(shorten(walk, weighing_at_most(2, [2, 1]), soft_keep=[1], punctuation=[1]).actions) == [0]


def test_marks_alone_are_enough_where_there_is_nothing_else() -> None:
    walk = walk_of(3, (0, REMOVE), (1, REMOVE), (2, REMOVE))
    assert len(left(shorten(walk, at_most(1), punctuation=[0, 1, 2]).actions)) == 1


@pytest.mark.parametrize("undecided", [1, 2])
def test_an_undecided_mark_alone_is_not_enough(undecided: int) -> None:
    words = [0, 3]
    walk = walk_of(4, *((index, REMOVE) for index in words), (1, REMOVE), (2, REMOVE))
    result = shorten(walk, at_most(undecided), punctuation=[1, 2])
    assert set(left(result.actions)) & set(words)


def test_a_pinned_mark_is_not_given_up_for_a_word() -> None:
    walk = walk_of(2, (0, REMOVE))
    assert shorten(walk, weighing_at_most(2, [2, 1]), hard_keep=[1], punctuation=[1]).actions[1] is KEEP


def test_a_sentence_of_one_word_keeps_it() -> None:
    assert left(shorten(walk_of(1, (0, REMOVE)), at_most(1)).actions) == [0]
    assert left(shorten(walk_of(1, (0, REMOVE)), at_most(0)).actions) == [0]


def test_a_walk_without_steps_changes_nothing_that_fits() -> None:
    result = shorten(walk_of(2), at_most(2), hard_keep=[0, 1])
    assert (result.step, result.actions) == (0, (KEEP, KEEP))
    assert shorten(walk_of(0), at_most(1)).actions == ()


# Parts of the best balance --------------------------------------------------------------------------------------------


def balanced(length: int, *decisions: tuple[int, Action], best: int, every_length: bool = False) -> BalancedWalk:
    return BalancedWalk(walk_of(length, *decisions), best, every_length=every_length)


NEWS = "the old bridge in the town will close".split()
DECISIONS = ((4, REMOVE), (6, REMOVE), (1, REPLACE), (7, REMOVE), (0, KEEP), (2, KEEP), (3, KEEP), (5, KEEP))
OLD_BRIDGE = balanced(8, *DECISIONS, best=3)
"""Its best balance is "the NEW bridge in town close"."""


def words_left(limit: int, **pins: Any) -> str:
    """Under pins, on which a walk does not decide."""
    pinned = {index for pin in pins.values() for index in pin}
    walk = walk_of(8, *(decision for decision in DECISIONS if decision[0] not in pinned))
    best = len([word for word in (4, 6, 1) if word not in pinned])
    actions = shorten_balanced(BalancedWalk(walk, best), NEWS, at_most(limit), **pins).actions
    return " ".join(NEWS[index] for index in left(actions))


def test_the_best_balance_stays_whole_where_it_fits() -> None:
    for limit in (6, 7):
        result = shorten_balanced(OLD_BRIDGE, NEWS, at_most(limit))
        assert (result.step, result.actions) == (3, OLD_BRIDGE.walk.actions_after(3))
    assert shorten_balanced(OLD_BRIDGE, NEWS, at_most(8)).actions == (KEEP,) * 8


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(5, "the old bridge town close"), (4, "old bridge town close"), (3, "old bridge town"), (1, "old")],
)
def test_stop_words_go_first_then_the_last_words_and_no_new_word_stays(limit: int, expected: str) -> None:
    assert words_left(limit) == expected
    assert REPLACE not in shorten_balanced(OLD_BRIDGE, NEWS, at_most(limit)).actions


def test_pins_hold_in_a_part_of_the_best_balance() -> None:
    assert words_left(2, hard_keep={7}) == "old close"
    assert words_left(1, hard_keep={7, 0}) == "the close"
    assert words_left(3, soft_keep=[7, 0]) == "the old close"
    assert words_left(1, soft_keep=[7, 0]) == "close"


def test_dependents_go_with_their_heads_from_the_best_balance_on() -> None:
    assert words_left(6, dependents={3: 4}) == "the old bridge town close"
    assert words_left(3, dependents={1: 2}) == "old bridge town"
    assert words_left(1, dependents={1: 2}) == "town"  # neither of the two alone


def test_on_a_curve_the_steps_before_the_best_balance_are_lengths_too() -> None:
    curve = balanced(4, (3, REMOVE), (0, KEEP), (1, REMOVE), (2, REMOVE), best=3, every_length=True)
    found = [shorten_balanced(curve, list("abcd"), at_most(limit)) for limit in (4, 3, 2, 1)]
    assert [left(result.actions) for result in found] == [[0, 1, 2, 3], [0, 1, 2], [0, 2], [2]]
    assert [result.step for result in found] == [0, 1, 3, 3]


@given(walks(), st.integers(0, 8), st.integers(1, 8), st.booleans())
def test_a_part_of_the_best_balance_fits_and_is_a_part(
    given_walk: tuple[Walk, list[int]], best: int, limit: int, every_length: bool
) -> None:
    walk, locked = given_walk
    step = min(best, len(walk.steps))
    words = [f"word{index}" for index in range(walk.length)]
    result = shorten_balanced(BalancedWalk(walk, step, every_length), words, at_most(limit), soft_keep=locked)
    assert 1 <= len(left(result.actions)) <= limit
    within = left(walk.actions_after(step))
    if limit < walk.length and within and not every_length:
        assert set(left(result.actions)) <= set(within)
