"""How words are written: what the uncased encoder does not see, as numbers for the parser."""

from collections.abc import Callable, Sequence

from ealm.common.caching import remember_short

_ENDINGS = ("s", "ed", "ing", "ly", "er", "n't", "'s", "'re", "'ve", "'ll", "'d")

_CASE: tuple[Callable[[str], bool], ...] = (
    lambda word: word[:1].isupper(),
    lambda word: len(word) > 1 and word.isupper(),
    lambda word: word[:1].islower() and not word.islower(),
)
CASE_SHAPES = len(_CASE)
"""The first numbers tell about capitals: all 0 in lower-case text."""

_FORMS: tuple[Callable[[str], bool], ...] = (
    lambda word: any(character.isdigit() or character == "#" for character in word),
    lambda word: not any(character.isalnum() or character == "#" for character in word),
    lambda word: "-" in word[1:-1],
    lambda word: "." in word[:-1],
)

SHAPES = CASE_SHAPES + len(_FORMS) + len(_ENDINGS) + 2
"""Numbers of a word."""


def word_shapes(words: Sequence[str]) -> list[list[float]]:
    """`SHAPES` numbers for each word of a sentence, 0 or 1; the last two mark its first and its last word."""
    last = len(words) - 1
    return [[*_shape(word), float(index == 0), float(index == last)] for index, word in enumerate(words)]


@remember_short(10_000)  # most words of a text are frequent ones
def _shape(word: str) -> tuple[float, ...]:
    plain = word.replace("’", "'")
    lower = plain.lower()
    return (
        *(float(test(plain)) for test in _CASE + _FORMS),
        *(float(len(lower) > len(ending) and lower.endswith(ending)) for ending in _ENDINGS),
    )
