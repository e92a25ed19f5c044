"""The paraphrase lexicon: phrases, each with one word that says the same in practically every context.

`paraphrase_lexicon.json` has groups of them. A group may name the words beside which its phrases are meant
("only_before", "unless_after" and so on; `<number>` is any number, also behind a currency sign, and `<owner>` a word
with "'s"), or words that must not be anywhere in the sentence ("unless_with"), and whether its phrases are names or
titles, which may be written with capitals.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import regex

from ealm.text.word_lists import COUNTS

_FILE = Path(__file__).parent / "paraphrase_lexicon.json"
_ANY_NUMBER = "<number>"
_ANY_OWNER = "<owner>"
_DIGITS = regex.compile(r"[-+]?[\p{Nd}#]+(?:[.,:/-][\p{Nd}#]+)*")
_CURRENCY = regex.compile(r"(?:\p{Lu}{1,3}|\p{Ll}{1,3})?\p{Sc}")


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """One word for a phrase, and where it is meant."""

    word: str
    is_name: bool
    only_before: frozenset[str]
    only_after: frozenset[str]
    unless_before: frozenset[str]
    unless_after: frozenset[str]
    unless_with: frozenset[str]

    def fits(self, words: Sequence[str], start: int, end: int) -> bool:
        """Whether it is meant between these neighbours; `words` are in lower case."""
        if not self.unless_with.isdisjoint(words):
            return False
        before, behind = _kinds(words, start - 1, step=-1), _kinds(words, end, step=1)
        if before & self.unless_after or behind & self.unless_before:
            return False
        return (not self.only_after or bool(before & self.only_after)) and (
            not self.only_before or bool(behind & self.only_before)
        )


@cache
def lexicon() -> dict[tuple[str, ...], list[LexiconEntry]]:
    """What may stand for each phrase, by its words in lower case."""
    found: dict[tuple[str, ...], list[LexiconEntry]] = {}
    for group in json.loads(_FILE.read_text(encoding="utf-8")):
        conditions = {
            name: frozenset(str(group.get(name, "")).split())
            for name in ("only_before", "only_after", "unless_before", "unless_after", "unless_with")
        }
        for phrase, word in group["words"].items():
            entry = LexiconEntry(word, bool(group.get("names", False)), **conditions)
            found.setdefault(tuple(phrase.split()), []).append(entry)
    return found


@cache
def longest_phrase() -> int:
    """Words of the longest phrase."""
    return max(map(len, lexicon()))


def is_digits(word: str) -> bool:
    """Whether a word is a number in digits, which may be hidden ("##.#")."""
    return _DIGITS.fullmatch(word) is not None


def _kinds(words: Sequence[str], index: int, *, step: int) -> set[str]:
    """The word at an index, and whether it is, or begins, a number, and whether it owns what follows."""
    if not 0 <= index < len(words):
        return set()
    word, following = words[index], words[index + 1] if index + 1 < len(words) else ""
    kinds = {word}
    if is_digits(word) or word in COUNTS or (step > 0 and _CURRENCY.fullmatch(word) and is_digits(following)):
        kinds.add(_ANY_NUMBER)
    if following in ("'s", "’s"):
        kinds.add(_ANY_OWNER)
    return kinds
