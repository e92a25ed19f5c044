"""Texts as users pass them, and what they are told if it is no text."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from summarizers import SENTENCE, various

from ealm.common.errors import EalmWarning, TextError, TextTypeError
from ealm.summarize.inputs import LONGEST_WORD, as_list, check_text

TEXTS = [SENTENCE, "Zebra rises", ""]


def pandas() -> Any:
    return pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")


def pyarrow() -> Any:
    return pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")


LISTS = {
    "list": lambda: TEXTS,
    "tuple": lambda: tuple(TEXTS),
    "array": lambda: np.array(TEXTS),
    "objects": lambda: np.array(TEXTS, dtype=object),
    "series": lambda: pandas().Series(TEXTS, index=[7, 8, 9]),
    "index": lambda: pandas().Index(TEXTS),
    "arrow": lambda: pyarrow().array(TEXTS),
    "chunked": lambda: pyarrow().chunked_array([TEXTS[:1], TEXTS[1:]]),
}


@pytest.mark.parametrize("kind", LISTS)
def test_what_has_a_length_gives_a_list_in_order(kind: str) -> None:
    found = as_list(LISTS[kind]())
    assert found == TEXTS
    assert all(type(text) is str for text in found or [])


def test_a_series_is_summarized_like_a_list() -> None:
    expected = various().summarize(TEXTS, words=2)
    assert various().summarize(pandas().Series(TEXTS), words=2) == expected
    assert various().summarize(np.array(TEXTS), words=2) == expected


class Texts:
    """An iterable without a length, such as a data set that is read again each time."""

    def __iter__(self) -> Iterator[str]:
        return iter(TEXTS)


@pytest.mark.parametrize("texts", [iter(TEXTS), (text for text in TEXTS), map(str, TEXTS), Texts()])
def test_iterators_give_a_stream(texts: Any) -> None:
    found = various().summarize(texts, words=2)
    assert isinstance(found, Iterator)
    assert [str(summary) for summary in found] == [str(each) for each in various().summarize(TEXTS, words=2)]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (None, "got NoneType"),
        (5, "got int"),
        (2.5, "got float"),
        (b"river", r"got bytes\. Decode it first"),
        ({"a": "river"}, r"got dict\. Pass list\(texts\.values\(\)\)"),
        ({"river"}, r"got set\. A set has no order"),
        (np.array([["river"]]), r"one-dimensional, got an array of shape \(1, 1\)"),
        (np.array("river"), "one-dimensional"),
    ],
)
def test_anything_else_is_an_error_that_says_what_to_pass(texts: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message) as caught:
        various().summarize(texts)
    assert isinstance(caught.value, TextTypeError)
    assert "texts must be" in str(caught.value)


def test_of_a_data_frame_one_column_is_asked_for() -> None:
    with pytest.raises(TypeError, match=r"got DataFrame\. Pass one column of it"):
        various().summarize(pandas().DataFrame({"text": TEXTS}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"texts\[1\] must be a string, got NoneType\. Leave missing values out first"),
        (float("nan"), r"texts\[1\] must be a string, got float \(nan\)\. Leave missing"),
        (7, r"texts\[1\] must be a string, got int \(7\)\.$"),
        (b"river", r"texts\[1\] must be a string, got bytes"),
        (["river"], r"texts\[1\] must be a string, got list"),
    ],
)
def test_an_element_that_is_no_string_is_named_by_its_index(text: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        various().summarize(["river rises", text])
    with pytest.raises(TypeError, match=message):
        list(various().summarize(iter(["river rises", text])))


def test_a_column_of_summaries_prints_as_text() -> None:
    frame = pandas().DataFrame({"text": TEXTS}, index=[7, 3, 5])
    frame["short"] = various().summarize(frame["text"], words=2)
    texts = [str(summary) for summary in various().summarize(TEXTS, words=2)]
    assert frame["short"].astype(str).tolist() == texts
    assert [line.rpartition(",")[2].strip('"') for line in frame.to_csv().splitlines()[1:]] == texts
    assert frame.loc[3, "short"].edits


def test_a_missing_value_of_pandas_is_named_too() -> None:
    with pytest.raises(TypeError, match=r"texts\[0\] must be a string, got NAType.*Leave missing"):
        various().summarize([pandas().NA])


def test_a_single_text_has_no_number() -> None:
    with pytest.raises(TypeError, match=r"^text must be a string, got int"):
        various().curve(5)  # type: ignore[arg-type]
    with pytest.raises(TextError, match=r"^The text is not valid Unicode"):
        check_text("river \udcff", None)


# Words to keep that are not there -------------------------------------------------------------------------------------


def test_a_word_to_keep_that_does_not_occur_is_a_warning() -> None:
    with pytest.warns(EalmWarning, match=r"keep= names 'boat', 'tram', not found in the text\.") as caught:
        various().summarize(SENTENCE, keep=["tram", "BRIDGE", "boat"])
    assert caught[0].filename == __file__
    with pytest.warns(EalmWarning, match=r"'tram', not found in any of the 2 texts") as caught:
        various().summarize([SENTENCE, "Zebra rises"], keep="tram")
    assert caught[0].filename == __file__
    with pytest.warns(EalmWarning, match="tram") as caught:
        list(various().summarize(iter([SENTENCE]), keep="tram"))
    assert caught[0].filename == __file__


@pytest.mark.filterwarnings("error")
def test_a_word_that_one_of_the_texts_has_is_no_warning() -> None:
    various().summarize(["It burns.", SENTENCE], keep=["burns", "Bridge", "zebra"])
    various().summarize([], keep="tram")


def test_long_words_are_counted_once() -> None:
    """From each of their letters anew, it took ten seconds for a megabyte."""
    text = ("x" * LONGEST_WORD + " ") * 30
    started = time.process_time()
    assert check_text(text, None) == text
    assert time.process_time() - started < 1
    with pytest.raises(TextError, match="characters without a space"):
        check_text(text + "x" * (LONGEST_WORD + 1), None)
