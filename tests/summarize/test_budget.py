"""A budget for several sentences, against all ways to spend it."""

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ealm.summarize.budget import Choice, allocate

Curves = list[list[Choice]]


def curve(*points: tuple[int, float]) -> list[Choice]:
    return [Choice(cost, value) for cost, value in points]


def rising(steps: list[tuple[int, int]]) -> list[Choice]:
    """From nothing, by steps of more cost and more or less value."""
    cost, value = 0, 0
    choices = [Choice(0, 0.0)]
    for more, gain in steps:
        cost, value = cost + more, value + gain
        choices.append(Choice(cost, float(value)))
    return choices


def spent(curves: Curves, chosen: Sequence[int]) -> int:
    return sum(choices[number].cost for choices, number in zip(curves, chosen, strict=True))


def worth(curves: Curves, chosen: Sequence[int]) -> float:
    return sum(choices[number].value for choices, number in zip(curves, chosen, strict=True))


def best(curves: Curves, budget: int) -> float:
    """The greatest value of all combinations that the budget allows."""
    ways = product(*(range(len(choices)) for choices in curves))
    return max(worth(curves, way) for way in ways if spent(curves, way) <= budget)


RISING = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), max_size=4).map(rising)
CURVES = st.lists(RISING, min_size=1, max_size=4)
UNEVEN = st.lists(st.tuples(st.integers(1, 30), st.integers(0, 40)), min_size=1, max_size=2).map(rising)
"""Steps of very unlike size."""

CONCAVE = st.lists(st.integers(0, 9), max_size=6).map(
    lambda gains: rising([(1, gain) for gain in sorted(gains, reverse=True)])
)


# Always ---------------------------------------------------------------------------------------------------------------


@given(CURVES, st.integers(0, 40))
def test_the_budget_is_never_exceeded(curves: Curves, budget: int) -> None:
    chosen = allocate(curves, budget)
    assert len(chosen) == len(curves)
    assert all(0 <= number < len(choices) for number, choices in zip(chosen, curves, strict=True))
    assert spent(curves, chosen) <= budget


@given(CURVES, st.integers(0, 40))
def test_nothing_that_would_still_gain_fits_into_what_is_left(curves: Curves, budget: int) -> None:
    chosen = allocate(curves, budget)
    left = budget - spent(curves, chosen)
    for choices, at in zip(curves, chosen, strict=True):
        for later in choices[at + 1 :]:
            assert later.cost - choices[at].cost > left or later.value <= choices[at].value


@given(CURVES)
def test_with_room_for_all_every_sentence_gets_its_best(curves: Curves) -> None:
    budget = sum(choices[-1].cost for choices in curves)
    assert worth(curves, allocate(curves, budget)) == sum(max(choice.value for choice in curve) for curve in curves)


@given(CURVES, st.integers(0, 40))
def test_the_same_question_has_the_same_answer(curves: Curves, budget: int) -> None:
    assert allocate(curves, budget) == allocate([list(choices) for choices in curves], budget)


@settings(max_examples=200)
@given(st.lists(CONCAVE, min_size=1, max_size=4), st.integers(0, 24))
def test_curves_that_flatten_word_by_word_are_shared_in_the_best_way(curves: Curves, budget: int) -> None:
    assert worth(curves, allocate(curves, budget)) == best(curves, budget)


def test_what_must_stay_stays_even_if_there_is_no_budget_for_it() -> None:
    """The caller finds out, and says so."""
    curves = [curve((3, 1.0), (5, 9.0)), curve((0, 0.0), (1, 1.0))]
    assert allocate(curves, 2) == [0, 0]


@pytest.mark.parametrize(
    ("curves", "budget", "expected"),
    [
        ([], 5, []),
        ([curve((0, 0.0))], 5, [0]),
        ([curve((0, 0.0), (3, 2.0))], 2, [0]),
        ([curve((0, 0.0), (3, 2.0))], 3, [1]),
        ([curve((0, 0.0), (3, 2.0)), curve((0, 0.0), (3, 4.0))], 3, [0, 1]),
        ([curve((0, 0.0), (3, 2.0)), curve((0, 0.0), (3, 2.0))], 3, [1, 0]),  # a tie goes to the first
        ([curve((0, 0.0), (2, 1.0), (4, 9.0))], 4, [2]),  # over the dent
        ([curve((0, 0.0), (2, 1.0), (4, 9.0))], 3, [1]),  # the hull's step does not fit, a smaller one does
        ([curve((0, 0.0), (2, 0.0), (4, 0.0))], 9, [0]),  # longer is not better
        ([curve((0, 5.0), (2, 3.0), (4, 6.0))], 9, [2]),
        ([curve((1, 1.0), (2, 2.0)), curve((1, 1.0), (2, 3.0))], 3, [0, 1]),  # both must stay
        ([curve((0, 0.0), (2, 2.0), (2, 3.0))], 2, [2]),  # two that cost the same
    ],
)
def test_small_cases(curves: Curves, budget: int, expected: list[int]) -> None:
    assert allocate(curves, budget) == expected


# Against the best -----------------------------------------------------------------------------------------------------


def test_a_small_gain_does_not_spoil_a_great_one() -> None:
    curves = [curve((0, 0.0), (1, 1.5)), curve((0, 0.0), (10, 10.0))]
    assert worth(curves, allocate(curves, 10)) == best(curves, 10)


@settings(max_examples=200)
@example([curve((0, 0.0), (1, 2.0)), curve((0, 0.0), (9, 9.0))], 9)
@example([curve((0, 0.0), (30, 90.0), (31, 91.0)), curve((0, 0.0), (1, 4.0))], 30)
@given(st.lists(UNEVEN, min_size=2, max_size=3), st.integers(1, 40))
def test_at_least_half_of_the_best_is_had(curves: Curves, budget: int) -> None:
    assert worth(curves, allocate(curves, budget)) >= best(curves, budget) / 2


@settings(max_examples=200)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=4).map(rising),
        min_size=2,
        max_size=4,
    ),
    st.integers(6, 30),
)
def test_on_curves_that_resemble_sentences_three_quarters_of_the_best_is_had(curves: Curves, budget: int) -> None:
    """A word more is worth one to three, and one step is never more than half of the budget."""
    assert worth(curves, allocate(curves, budget)) >= 0.75 * best(curves, budget)
