"""Which words may not be touched: those that a user names, and kinds of words that carry the meaning."""

from collections.abc import Callable, Iterable, Sequence

import regex

from ealm.errors import SettingsError

_NEGATIONS = frozenset(
    "no not nor never none nobody nothing nowhere neither without cannot can't don't doesn't didn't won't wouldn't "
    "isn't aren't wasn't weren't hasn't haven't hadn't shouldn't couldn't mustn't mightn't needn't ain't shan't n't "
    "hardly scarcely barely".split()
)


def _is_negation(word: str, place: int) -> bool:  # noqa: ARG001 - the same for all kinds
    return word.lower().replace("’", "'") in _NEGATIONS


def _is_number(word: str, place: int) -> bool:  # noqa: ARG001 - the same for all kinds
    return bool(regex.search(r"[\d#]", word))


def _is_name(word: str, place: int) -> bool:
    """A capital inside the sentence; at its start every word has one."""
    return place > 0 and bool(regex.match(r"\p{Lu}", word))


KINDS: dict[str, Callable[[str, int], bool]] = {"negation": _is_negation, "numbers": _is_number, "names": _is_name}
"""Kinds of words that can be protected, the most precious first."""

DEFAULT_KINDS = ("negation",)
"""Dropping "not" turns the meaning round."""


def check_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """The kinds in order of value; raises for one that does not exist."""
    wanted = set(kinds)
    unknown = sorted(wanted - KINDS.keys())
    if unknown:
        raise SettingsError(f"There is no kind of words {unknown[0]!r} to protect. Kinds: {', '.join(KINDS)}, or none.")
    return tuple(kind for kind in KINDS if kind in wanted)


def named_places(words: Sequence[str], keep: Iterable[str]) -> frozenset[int]:
    """Places of the words that a user wants kept, whatever their case."""
    wanted = {word.casefold() for word in keep}
    return frozenset(place for place, word in enumerate(words) if word.casefold() in wanted)


def protected_places(words: Sequence[str], kinds: Sequence[str]) -> frozenset[int]:
    """Places of all words of these kinds."""
    return frozenset(place for place, word in enumerate(words) if any(KINDS[kind](word, place) for kind in kinds))
