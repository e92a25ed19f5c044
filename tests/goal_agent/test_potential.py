"""The potential of selections, and the best selection of a size."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.goal_agent.potential import SentencePotential, best_selection, standardized

FLOATS = st.floats(-5, 5, width=32)


@st.composite
def potentials(draw: st.DrawFn) -> SentencePotential:
    length = draw(st.integers(1, 8))
    words = draw(st.lists(FLOATS, min_size=length, max_size=length))
    pairs = draw(st.lists(FLOATS, min_size=length - 1, max_size=length - 1))
    row = np.array(words, np.float32)
    return SentencePotential(row, np.array(pairs, np.float32), row)


def mask(indices: Sequence[int], length: int) -> np.ndarray:
    return np.isin(np.arange(length), list(indices))


def test_a_selection_has_the_value_of_its_words_and_of_neighbours_that_are_both_kept() -> None:
    row = np.array([1, 2, 4, 8], np.float32)
    potential = SentencePotential(row, np.array([10, 20, 40], np.float32), row)
    assert potential.value(mask([0, 1, 3], 4)) == pytest.approx(1 + 2 + 8 + 10)
    assert potential.value(np.stack([mask([2, 3], 4), mask([], 4)])) == pytest.approx([12 + 40, 0])


@given(potentials(), st.integers(1, 8), st.sets(st.integers(0, 7)))
def test_the_best_selection_is_better_than_every_other_of_its_length(
    potential: SentencePotential, size: int, must_stay: set[int]
) -> None:
    length = len(potential.unary)
    stay = {index for index in must_stay if index < length}
    size = min(max(size, len(stay)), length)
    best = best_selection(potential, size, [index not in stay for index in range(length)])
    assert best.sum() == size
    assert all(best[index] for index in stay)
    others = (kept for kept in combinations(range(length), size) if stay <= set(kept))
    assert potential.value(best) == pytest.approx(
        max(float(potential.value(mask(kept, length))) for kept in others), abs=1e-4
    )


def test_standardized_values_have_mean_zero_and_deviation_one_over_the_words() -> None:
    row = standardized([1, 5, 100, 9], [True, True, False, True])
    assert row[[0, 1, 3]].mean() == pytest.approx(0, abs=1e-6)
    assert row[[0, 1, 3]].std() == pytest.approx(1)
    assert row[2] == 0
    assert standardized([3, 3], [True, True]).tolist() == [0, 0]
    assert standardized([3, 4], [False, False]).tolist() == [0, 0]
