"""Texts as users pass them: one, a list, an array, a column of a data frame, or a stream."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Concatenate, ParamSpec, Protocol, cast, overload

from ealm.common.errors import TextError, TextTypeError
from ealm.summarize.result import Summary

Keywords = ParamSpec("Keywords")

LONGEST_WORD = 10_000
"""Characters without white space between them; more are data, not a word, and would take seconds."""

_ENDLESS_WORD = re.compile(rf"(?<!\S)\S{{{LONGEST_WORD + 1}}}")  # from where a word begins, not from each letter

_MISSING = {"NoneType", "float", "NAType"}
"""Types of what stands for a missing value, in Python, NumPy and pandas."""


class TextArray(Protocol):
    """A NumPy array or a pandas Series."""

    def tolist(self) -> Any:
        """The elements as Python's own objects."""


class SummarizeMethod(Protocol[Keywords]):
    """What `Summarizer.summarize` gives back for which texts; its keywords are those that it is written with."""

    @overload
    def __call__(  # type: ignore[overload-overlap]  # a str is a sequence of str too, but never meant as one
        self, texts: str, *args: Keywords.args, **options: Keywords.kwargs
    ) -> Summary: ...

    @overload
    def __call__(  # type: ignore[overload-overlap]  # a sequence is an iterable too, but gives a list
        self, texts: Sequence[str] | TextArray, *args: Keywords.args, **options: Keywords.kwargs
    ) -> list[Summary]: ...

    @overload
    def __call__(self, texts: Iterable[str], *args: Keywords.args, **options: Keywords.kwargs) -> Iterator[Summary]: ...


def by_shape_of_texts(method: Callable[Concatenate[Any, Any, Keywords], object]) -> SummarizeMethod[Keywords]:
    """Tell type checkers that the result has the shape of the texts; the method itself stays as it is."""
    return cast("SummarizeMethod[Keywords]", method)


def as_list(texts: object) -> list[Any] | None:
    """Texts that have a length as a list; None for an iterator. Anything else raises a `TextTypeError`."""
    if isinstance(texts, bytes | bytearray | memoryview | Mapping | Set) or hasattr(texts, "columns"):
        raise TextTypeError(_advice(texts))
    if isinstance(texts, Sequence):
        return list(texts)
    for method in ("to_pylist", "tolist", "to_list"):  # of Arrow, of NumPy and pandas, of Polars
        if hasattr(texts, method):
            found = getattr(texts, method)()
            if not isinstance(found, list) or any(isinstance(row, list) for row in found):
                raise TextTypeError(f"texts must be one-dimensional, got an array of shape {texts.shape}.")  # type: ignore[attr-defined]
            return found
    if isinstance(texts, Iterable):
        return None
    raise TextTypeError(_advice(texts))


def check_text(text: object, index: int | None) -> str:
    """The text if it can be used; `index` counts the texts from 0 and is None for a single one."""
    if isinstance(text, str):
        if not text.isascii() and not _is_unicode(text):
            raise TextError(f"{text_name(index)} is not valid Unicode: it was not UTF-8 where it came from.")
        if len(text) > LONGEST_WORD and _ENDLESS_WORD.search(text):
            raise TextError(
                f"{text_name(index)} has more than {LONGEST_WORD:,} characters without a space. Remove them."
            )
        return text
    shown = "" if text is None else f" ({text!r:.40})"
    missing = " Leave missing values out first." if type(text).__name__ in _MISSING else ""
    argument = "text" if index is None else f"texts[{index}]"
    raise TextTypeError(f"{argument} must be a string, got {type(text).__name__}{shown}.{missing}")


def text_name(index: int | None) -> str:
    """How messages call a text."""
    return "The text" if index is None else f"Text {index + 1}"


def _advice(texts: object) -> str:
    expected = "texts must be a string, a list of strings, or an iterator over strings"
    hints: tuple[tuple[Any, str], ...] = (
        (bytes | bytearray | memoryview, "Decode it first: texts.decode()."),
        (Mapping, "Pass list(texts.values()), or one column."),
        (Set, "A set has no order: pass sorted(texts)."),
    )
    hint = next((hint for kind, hint in hints if isinstance(texts, kind)), None)
    if hint is None and hasattr(texts, "columns"):
        hint = "Pass one column of it, such as texts['text']."
    return f"{expected}, got {type(texts).__name__}." + (f" {hint}" if hint else "")


def _is_unicode(text: str) -> bool:
    """False for the lone surrogates that Python makes of bytes that it could not decode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
