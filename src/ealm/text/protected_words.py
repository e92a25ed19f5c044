"""Protected words: those that a user names, and kinds of words that carry the meaning."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import regex

from ealm.common.errors import SettingsError
from ealm.text.tokenizer import TAG
from ealm.text.word_lists import HEDGES, LIGHT_WORDS, NEGATIONS, SCALES, STOP_WORDS
from ealm.text.words import straight_apostrophes


def _is_negation(word: str, first: bool) -> bool:  # noqa: ARG001 - the same for all kinds
    return word.lower().replace("’", "'") in NEGATIONS


def _is_number(word: str, first: bool) -> bool:  # noqa: ARG001 - the same for all kinds
    """A digit of any script, or a hidden one; a hashtag has letters right behind its sign."""
    return bool(regex.search(r"\p{N}|#(?!\p{L})", word)) and word != "#" and not TAG.fullmatch(word)


def _is_name(word: str, first: bool) -> bool:
    """A capital inside the sentence, where every word has one at its start, and "I" and "Monday" have one anywhere."""
    ordinary = word.lower() in STOP_WORDS and (len(word) == 1 or not word.isupper())
    return not first and not ordinary and bool(regex.match(r"\p{Lu}", word))


KINDS: dict[str, Callable[[str, bool], bool]] = {"negation": _is_negation, "numbers": _is_number, "names": _is_name}
"""Kinds of words that can be protected, in order of value."""

DEFAULT_KINDS = {"goal": ("negation",), "paper": ("negation", "numbers", "names")}
"""By method. Removing "not" reverses the meaning; and where no grammar holds names and numbers together, half of one is
another."""


def check_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """The kinds in order of value; raises for one that does not exist."""
    wanted = set(kinds) - {"none"}
    unknown = sorted(wanted - KINDS.keys())
    if unknown:
        raise SettingsError(f"There is no kind of words {unknown[0]!r} to protect. Kinds: {', '.join(KINDS)}, or none.")
    return tuple(kind for kind in KINDS if kind in wanted)


_CURRENCY = regex.compile(r"\p{Sc}")
_BEHIND_NUMBERS = frozenset("% ‰ °".split())

_REACH = 4
"""Words after a negation among which the one that it negates is looked for."""


def negated_indices(words: Sequence[str]) -> dict[int, int]:
    """For each negation the word that it negates: the next one that is no function word, in the same clause."""
    return _heads(words, [index for index, word in enumerate(words) if _is_negation(word, first=False)])


def hedged_indices(words: Sequence[str]) -> dict[int, int]:
    """For each "may", "might" and "could" the verb that it hedges; a negation there says more."""
    hedges = [
        index
        for index, (word, following) in enumerate(pairwise(words))
        if word in HEDGES and not _is_negation(following, first=False)
    ]
    return _heads(words, hedges)


def _heads(words: Sequence[str], indices: Iterable[int]) -> dict[int, int]:
    """For each index the next one that is no function word in the same clause, if it is near."""
    found = {}
    for index in indices:
        for after in range(index + 1, min(index + 1 + _REACH, len(words))):
            if not _is_word(words[after]):
                break
            if words[after].lower() not in LIGHT_WORDS:
                found[index] = after
                break
    return found


def sign_indices(words: Sequence[str]) -> dict[int, int]:
    """For each sign that belongs to a number, such as "$" and "%", the index of the number."""
    found = {}
    for index, (word, following) in enumerate(pairwise(words)):
        if _CURRENCY.fullmatch(word) and _is_number(following, first=False):
            found[index] = index + 1
        if following in _BEHIND_NUMBERS and _is_number(word, first=False):
            found[index + 1] = index
    return found


def named_indices(words: Sequence[str], keep: Iterable[str]) -> frozenset[int]:
    """Indices of the words that a user wants kept, however they are written."""
    wanted = {_plain(word) for word in keep}
    return frozenset(index for index, word in enumerate(words) if _plain(word) in wanted)


def _plain(word: str) -> str:
    return unicodedata.normalize("NFC", straight_apostrophes(word)).casefold()


def _is_word(word: str) -> bool:
    return bool(regex.search(r"[\p{L}\p{N}]", word)) and not TAG.fullmatch(word)


def protected_indices(words: Sequence[str], kinds: Sequence[str]) -> frozenset[int]:
    """Indices of all words of these kinds."""
    first = next((index for index, word in enumerate(words) if _is_word(word)), 0)
    found = {index for index, word in enumerate(words) if any(KINDS[kind](word, index <= first) for kind in kinds)}
    for index in range(1, len(words)):
        scale = "numbers" in kinds and words[index].lower() in SCALES and _is_number(words[index - 1], first=False)
        no_longer = "negation" in kinds and words[index].lower() == "longer" and words[index - 1].lower() == "no"
        if scale or no_longer:
            found.add(index)
    return frozenset(found)
