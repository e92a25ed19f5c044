"""Lengths as users ask for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.text.lengths import UNITS, Limit, Unit, measure, share_limit

TEXT = "Zürich is  late.\n日本 👍"


@pytest.mark.parametrize(("unit", "expected"), [("words", 5), ("chars", 21), ("bytes", 29)])
def test_measures(unit: Unit, expected: int) -> None:
    assert measure(TEXT, unit) == expected
    assert measure("", unit) == 0


@pytest.mark.parametrize("text", ["a b", " a\tb\n", "a\u00a0b", "a\u3000b", "a, b."])
def test_words_are_what_white_space_separates(text: str) -> None:
    assert measure(text, "words") == 2


@pytest.mark.parametrize(
    ("text", "chars", "bytes_"), [("é", 1, 2), ("e\u0301", 2, 3), ("日", 1, 3), ("👨‍👩‍👧", 5, 18), ("\x00", 1, 1)]
)
def test_characters_are_code_points_and_bytes_are_utf8(text: str, chars: int, bytes_: int) -> None:
    assert measure(text, "chars") == chars
    assert measure(text, "bytes") == bytes_


@given(st.text(max_size=20), st.sampled_from([unit for unit in UNITS if unit != "tokens"]), st.integers(1, 30))
def test_a_limit_allows_up_to_its_size(text: str, unit: Unit, size: int) -> None:
    assert Limit(size, unit).allows(text) == (measure(text, unit) <= size)


@pytest.mark.parametrize(
    ("ratio", "words", "expected"),
    [(0.5, 10, 5), (0.5, 11, 5), (1.0, 7, 7), (0.3, 10, 3), (0.1, 10, 1), (0.01, 10, 1), (0.7, 10, 7), (0.29, 100, 29)],
)
def test_a_ratio_is_a_share_of_the_words_rounded_down_but_at_least_one(ratio: float, words: int, expected: int) -> None:
    """0.29 * 100 is a little less than 29 in floating point."""
    assert share_limit("river " * words, ratio) == Limit(expected, "words")


@given(st.integers(1, 100), st.integers(1, 300))
def test_a_ratio_in_percent_is_exact(percent: int, words: int) -> None:
    assert share_limit("x " * words, percent / 100) == Limit(max(1, percent * words // 100), "words")


def test_a_ratio_of_an_empty_text_is_still_a_limit() -> None:
    assert share_limit(" \n", 0.5) == Limit(1, "words")
