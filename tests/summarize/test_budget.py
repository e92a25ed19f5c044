"""A budget for several sentences, against all ways to spend it."""

import random
import time
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ealm.summarize.budget import Choice, allocate

Curves = list[list[Choice]]


def curve(*points: tuple[int, float]) -> list[Choice]:
    return [Choice(cost, value) for cost, value in points]


def rising(steps: list[tuple[int, int]]) -> list[Choice]:
    """From nothing, by steps of more cost and more value."""
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

WITH_A_LEAST = st.tuples(st.integers(0, 4), RISING).map(
    lambda drawn: [Choice(choice.cost + drawn[0], choice.value) for choice in drawn[1]]
)
"""Sentences with words that must stay."""


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


CONCAVE_CASE = [curve(*enumerate(values)) for values in ((0, 2, 4, 5), (0, 2, 4, 6, 8), (0, 2, 4))]
"""Equal first steps, where a step that fits early blocks a better combination."""


@settings(max_examples=300, derandomize=False)
@example(CONCAVE_CASE, 7)
@given(st.lists(CONCAVE, min_size=1, max_size=4), st.integers(0, 24))
def test_concave_curves_are_shared_in_the_best_way(curves: Curves, budget: int) -> None:
    assert worth(curves, allocate(curves, budget)) == best(curves, budget)


@settings(max_examples=300, derandomize=False)
@example([curve((0, 0.0), (1, 2.0)), curve((0, 0.0), (9, 9.0))], 9)
@example([curve((0, 0.0), (30, 90.0), (31, 91.0)), curve((0, 0.0), (1, 4.0))], 30)
@example([curve((2, 0.0), (2, 1.0)), curve((1, 0.0), (4, 4.0))], 3)
@given(st.lists(st.one_of(RISING, UNEVEN, CONCAVE, WITH_A_LEAST), min_size=1, max_size=4), st.integers(0, 45))
def test_any_curves_are_shared_in_the_best_way(curves: Curves, budget: int) -> None:
    assume(spent(curves, [0] * len(curves)) <= budget)
    assert worth(curves, allocate(curves, budget)) == best(curves, budget)


def test_a_case_in_which_greed_loses() -> None:
    assert worth(CONCAVE_CASE, allocate(CONCAVE_CASE, 7)) == 14


def test_two_hundred_sentences_take_no_time() -> None:
    rng = random.Random(0)
    curves = [rising([(rng.randint(5, 60), rng.randint(0, 9)) for _ in range(8)]) for _ in range(200)]
    start = time.perf_counter()
    chosen = allocate(curves, 12_000)
    assert time.perf_counter() - start < 5  # 0.1 on an idle machine
    assert 11_900 < spent(curves, chosen) <= 12_000


def test_too_large_a_table_is_made_coarser(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    curves = [rising([(rng.randint(5, 60), rng.randint(1, 9)) for _ in range(6)]) for _ in range(40)]
    exact = worth(curves, allocate(curves, 2_000))
    monkeypatch.setattr("ealm.summarize.budget._LARGEST_TABLE", 16_000)
    chosen = allocate(curves, 2_000)
    assert spent(curves, chosen) <= 2_000
    assert 0.9 * exact < worth(curves, chosen) <= exact


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
