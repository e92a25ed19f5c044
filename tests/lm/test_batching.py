"""Grouping into batches: nothing lost, nothing doubled, never over the budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.lm.batching import rows_by_length

LENGTHS = st.lists(st.integers(0, 30), max_size=40)


@given(LENGTHS, st.integers(1, 100))
def test_every_row_is_in_exactly_one_batch(lengths: list[int], budget: int) -> None:
    rows = [row for batch in rows_by_length(lengths, budget) for row in batch]
    assert sorted(rows) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 100))
def test_a_batch_exceeds_the_budget_only_if_it_is_a_single_long_row(lengths: list[int], budget: int) -> None:
    for batch in rows_by_length(lengths, budget):
        assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= budget


@given(LENGTHS, st.integers(1, 100))
def test_rows_come_in_rising_length_so_that_little_is_padded(lengths: list[int], budget: int) -> None:
    rows = [row for batch in rows_by_length(lengths, budget) for row in batch]
    assert [lengths[row] for row in rows] == sorted(lengths)


@given(LENGTHS, st.integers(1, 40))
def test_a_batch_that_has_enough_is_padded_by_a_tenth_at_most(lengths: list[int], enough: int) -> None:
    for batch in rows_by_length(lengths, 100_000, enough=enough):
        padded = len(batch) * max(lengths[row] for row in batch)
        before_last = sum(lengths[row] for row in batch[:-1])
        assert before_last < enough or padded <= 1.1 * sum(lengths[row] for row in batch) + 1e-9


def test_rows_of_very_different_length_are_kept_apart_once_there_is_enough() -> None:
    assert list(rows_by_length([4, 4, 9, 9], 100, enough=8)) == [[0, 1], [2, 3]]
    assert list(rows_by_length([4, 4, 9, 9], 100, enough=18)) == [[0, 1, 2, 3]]


@pytest.mark.parametrize(
    ("lengths", "budget", "expected"),
    [
        ([], 10, []),
        ([5], 1, [[0]]),
        ([3, 1, 2], 9, [[1, 2, 0]]),
        ([3, 1, 2], 8, [[1, 2], [0]]),
        ([2, 2, 2, 2], 4, [[0, 1], [2, 3]]),
        ([50, 1, 50], 10, [[1], [0], [2]]),
    ],
)
def test_batches_are_as_large_as_the_budget_allows(lengths: list[int], budget: int, expected: list[list[int]]) -> None:
    assert list(rows_by_length(lengths, budget)) == expected
