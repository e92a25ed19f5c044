"""Which words may not be touched: those that a user names, and kinds of words that carry the meaning."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import regex

from ealm.common.errors import SettingsError
from ealm.text.tokenizer import TAG
from ealm.text.word_lists import STOP_WORDS
from ealm.text.words import straight_apostrophes

_NEGATIONS = frozenset(
    "no not nor never none nobody nothing nowhere neither without cannot can't don't doesn't didn't won't wouldn't "
    "isn't aren't wasn't weren't hasn't haven't hadn't shouldn't couldn't mustn't mightn't needn't ain't shan't n't "
    "no-one oughtn't daren't hardly scarcely barely".split()
)


def _is_negation(word: str, first: bool) -> bool:  # noqa: ARG001 - the same for all kinds
    return word.lower().replace("’", "'") in _NEGATIONS


def _is_number(word: str, first: bool) -> bool:  # noqa: ARG001 - the same for all kinds
    """A digit of any script, or a hidden one; a hashtag has letters right behind its sign."""
    return bool(regex.search(r"\p{N}|#(?!\p{L})", word)) and word != "#" and not TAG.fullmatch(word)


def _is_name(word: str, first: bool) -> bool:
    """A capital inside the sentence; at its start every word has one."""
    return not first and bool(regex.match(r"\p{Lu}", word))


KINDS: dict[str, Callable[[str, bool], bool]] = {"negation": _is_negation, "numbers": _is_number, "names": _is_name}
"""Kinds of words that can be protected, the most precious first."""

DEFAULT_KINDS = ("negation",)
"""Dropping "not" turns the meaning round."""


def check_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """The kinds in order of value; raises for one that does not exist."""
    wanted = set(kinds) - {"none"}
    unknown = sorted(wanted - KINDS.keys())
    if unknown:
        raise SettingsError(f"There is no kind of words {unknown[0]!r} to protect. Kinds: {', '.join(KINDS)}, or none.")
    return tuple(kind for kind in KINDS if kind in wanted)


DOUBTS = frozenset("may might could".split())
"""In lower case: a May is a month, a Might a force."""

_CURRENCY = regex.compile(r"\p{Sc}")
_BEHIND_NUMBERS = frozenset("% ‰ °".split())

_REACH = 4
"""Words after a negation among which the one that it negates is looked for."""


def negated_places(words: Sequence[str]) -> dict[int, int]:
    """For each negation the word that it negates: the next one that is no function word, in the same clause."""
    return _heads(words, [place for place, word in enumerate(words) if _is_negation(word, first=False)])


def doubted_places(words: Sequence[str]) -> dict[int, int]:
    """For each "may", "might" and "could" the verb that it puts in doubt; a negation there would tell more."""
    doubts = [
        place
        for place, (word, following) in enumerate(pairwise(words))
        if word in DOUBTS and not _is_negation(following, first=False)
    ]
    return _heads(words, doubts)


def _heads(words: Sequence[str], places: Iterable[int]) -> dict[int, int]:
    """For each place the next one of no function word in the same clause, if it is near."""
    found = {}
    for place in places:
        for after in range(place + 1, min(place + 1 + _REACH, len(words))):
            if not _is_spoken(words[after]):
                break
            if words[after].lower() not in STOP_WORDS:
                found[place] = after
                break
    return found


def sign_places(words: Sequence[str]) -> dict[int, int]:
    """For each sign that belongs to a number, such as "$" and "%", the place of the number."""
    found = {}
    for place, (word, following) in enumerate(pairwise(words)):
        if _CURRENCY.fullmatch(word) and _is_number(following, first=False):
            found[place] = place + 1
        if following in _BEHIND_NUMBERS and _is_number(word, first=False):
            found[place + 1] = place
    return found


def named_places(words: Sequence[str], keep: Iterable[str]) -> frozenset[int]:
    """Places of the words that a user wants kept, however they are written."""
    wanted = {_plain(word) for word in keep}
    return frozenset(place for place, word in enumerate(words) if _plain(word) in wanted)


def _plain(word: str) -> str:
    return unicodedata.normalize("NFC", straight_apostrophes(word)).casefold()


def _is_spoken(word: str) -> bool:
    return bool(regex.search(r"[\p{L}\p{N}]", word)) and not TAG.fullmatch(word)


def protected_places(words: Sequence[str], kinds: Sequence[str]) -> frozenset[int]:
    """Places of all words of these kinds."""
    first = next((place for place, word in enumerate(words) if _is_spoken(word)), 0)
    return frozenset(
        place for place, word in enumerate(words) if any(KINDS[kind](word, place <= first) for kind in kinds)
    )
