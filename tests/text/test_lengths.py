"""Lengths as users ask for them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.common.errors import SettingsError
from ealm.text.lengths import LengthRequest, Limit, Unit, measure

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


@given(st.text(max_size=20), st.sampled_from(("words", "chars", "bytes")), st.integers(1, 30))
def test_a_limit_allows_up_to_its_size(text: str, unit: Unit, size: int) -> None:
    assert Limit(size, unit).allows(text) == (measure(text, unit) <= size)


@pytest.mark.parametrize("unit", ["words", "chars", "bytes"])
def test_a_number_is_the_limit_whatever_the_source(unit: Unit) -> None:
    request = LengthRequest(**{unit: 7})
    assert request.limit("") == request.limit(TEXT) == Limit(7, unit)


def test_no_length_is_no_limit() -> None:
    assert LengthRequest().limit(TEXT) is None


@pytest.mark.parametrize(
    ("ratio", "words", "expected"),
    [(0.5, 10, 5), (0.5, 11, 5), (1.0, 7, 7), (0.3, 10, 3), (0.1, 10, 1), (0.01, 10, 1), (0.7, 10, 7), (0.29, 100, 29)],
)
def test_a_ratio_is_a_share_of_the_words_rounded_down_but_at_least_one(ratio: float, words: int, expected: int) -> None:
    """0.29 * 100 is a little less than 29 in floating point."""
    assert LengthRequest(ratio=ratio).limit("river " * words) == Limit(expected, "words")


@given(st.integers(1, 100), st.integers(1, 300))
def test_a_ratio_in_percent_is_exact(percent: int, words: int) -> None:
    limit = LengthRequest(ratio=percent / 100).limit("x " * words)
    assert limit == Limit(max(1, percent * words // 100), "words")


def test_a_ratio_of_an_empty_text_is_still_a_limit() -> None:
    assert LengthRequest(ratio=0.5).limit(" \n") == Limit(1, "words")


@pytest.mark.parametrize("unit", ["words", "chars", "bytes"])
@pytest.mark.parametrize("value", [0, -1, 1.5, 3.0, "3", True, False])
def test_a_number_that_is_none_is_refused(unit: str, value: object) -> None:
    with pytest.raises(SettingsError, match=rf"{unit} must be a whole number of at least 1, got {value!r}"):
        LengthRequest(**{unit: value})


@pytest.mark.parametrize("value", [0, 0.0, -0.5, 1.01, 500, math.nan, math.inf, -math.inf])
def test_a_ratio_outside_its_range_is_refused(value: float) -> None:
    with pytest.raises(SettingsError, match=r"ratio must be above 0 and at most 1, got"):
        LengthRequest(ratio=value)


@pytest.mark.parametrize(("value", "hint"), [(30, "0.3"), (1.5, "0.015"), (100, "1")])
def test_a_percentage_gets_a_hint(value: float, hint: str) -> None:
    with pytest.raises(SettingsError, match=rf"Did you mean {hint}\?"):
        LengthRequest(ratio=value)


@pytest.mark.parametrize("value", ["0.5", True, [0.5]])
def test_a_ratio_that_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(SettingsError, match="ratio"):
        LengthRequest(ratio=value)


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"words": 3, "chars": 20}, "Give one length, not 2: words and chars"),
        ({"words": 3, "ratio": 0.5}, "Give one length, not 2: words and ratio"),
        ({"words": 3, "chars": 20, "bytes": 9, "ratio": 0.5}, "Give one length, not 4"),
    ],
)
def test_only_one_length_can_be_given(wishes: dict[str, float], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        LengthRequest(**wishes)
