"""Paraphrases: shorter words for the phrases of a sentence (option `reword`; docs/goal-agent.md).

A lexicon and a few rules, no language model: words that it takes to be alike may say the opposite ("rose", "fell").
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ealm.text.inflection import finite_forms
from ealm.text.paraphrase_lexicon import is_digits, lexicon, longest_phrase
from ealm.text.protected_words import protected_indices
from ealm.text.word_lists import (
    ACTIVITY_NOUNS,
    CONTRACTED_ENDINGS,
    FUTURE_ADJECTIVES,
    INFINITIVES,
    PRONOUNS_BEFORE_PROGRESSIVES,
    SPOKEN_ACRONYMS,
)


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """The words of a sentence from `start` up to `end` become one word."""

    start: int
    end: int
    word: str


def paraphrases(words: Sequence[str], untouchable: Collection[int] = frozenset()) -> list[Paraphrase]:
    """Paraphrases of a sentence from left to right, the longest phrase first; none of them overlap.

    Words that are `untouchable` (by index) stay as they are, and so do negations, but for "not able to".
    """
    negations, fixed = protected_indices(words, ["negation"]), frozenset(untouchable)
    text = _Words(words)
    found: list[Paraphrase] = []
    for start in range(len(words)):
        if found and start < found[-1].end:
            continue
        candidates = [each for rule in _RULES for each in rule(text, start)]
        allowed = [
            each
            for each in candidates
            if fixed.isdisjoint(range(start, each.end))
            if each.word.lower() in _INABILITY or negations.isdisjoint(range(start, each.end))
        ]
        if allowed:
            found.append(max(allowed, key=lambda each: each.end))
    return found


class _Words:
    """The words of a sentence, and how they are written."""

    def __init__(self, words: Sequence[str]) -> None:
        self.written = words
        self.lower = [word.lower() for word in words]
        self._first = next((index for index, word in enumerate(words) if any(map(str.isalnum, word))), 0)
        self._without_capitals = all(word == lower for word, lower in zip(words, self.lower, strict=True))

    def plain(self, start: int, end: int) -> bool:
        """Whether no word there has a capital that the beginning of the sentence does not explain."""
        pairs = zip(self.written[start:end], self.lower[start:end], strict=True)
        return all(
            word == lower or (start + number == self._first and word == lower.capitalize())
            for number, (word, lower) in enumerate(pairs)
        )

    def cased(self, word: str, start: int) -> str:
        """A new word with the case of the word that it replaces; in text without capitals it has none either."""
        first = self.written[start]
        if self._without_capitals:
            return word.lower()
        if word != word.lower():  # an acronym has its own
            return word
        if len(first) > 1 and first.isupper():
            return word.upper()
        return word[0].upper() + word[1:] if first[0].isupper() else word

    def takes(self, word: str, start: int, end: int) -> bool:
        """Whether a new word goes with the article before it and with what is behind it."""
        article = self.lower[start - 1] if start else ""
        if article in ("a", "an") and article != indefinite_article(word):
            return False
        behind = self.lower[end : end + 3]
        if word.lower() in behind and ("(" in behind or "-lrb-" in behind):  # "European Central Bank (ECB)"
            return False
        return not (behind[:1] in (["'"], ["’"]) and self.lower[end - 1].endswith("s"))  # "the United States' role"


_LETTERS_WITH_AN = "aefhilmnorsx"
"""Their names begin with a vowel: "an FBI agent"."""


_SILENT = ("hour", "honest", "honour", "honor", "heir", "un", "um", "up", "ul", "ur")
_WITH_A = ("one", "once", "euro", "ewe", "uni", "ura", "uro")
"""First letters that are not spoken as they are written: "an hour", "a unit"."""


def indefinite_article(word: str) -> str:
    """ "a" or "an", as it is spoken before a word."""
    lower = word.lower()
    spelled = word != lower and lower not in SPOKEN_ACRONYMS and word != word.capitalize()
    if spelled:
        return "an" if lower[0] in _LETTERS_WITH_AN else "a"
    if lower.startswith(_WITH_A) and not lower.startswith(("unin", "unim")):
        return "a"
    return "an" if lower[0] in "aeio8" or lower.startswith(_SILENT) else "a"


def contraction(first: str, second: str) -> str | None:
    """The short form of a pronoun and a verb: "you're"; a negation stays as it is written."""
    ending, pronouns = CONTRACTED_ENDINGS.get(second.lower(), ("", frozenset()))
    return first + ending if first.lower() in pronouns else None


def agreeing_articles(words: Sequence[str], kept: Collection[int], written: Mapping[int, str]) -> dict[int, str]:
    """ "A dedicated account manager" without "dedicated" has "an"."""
    found = {}
    ordered = sorted(kept)
    for i, following in pairwise(ordered):
        if words[i].lower() in ("a", "an") and following != i + 1 and words[following][:1].isalnum():
            article = indefinite_article(written.get(following, words[following]))
            if article != words[i].lower():
                found[i] = article.capitalize() if words[i][:1].isupper() else article
    return found


def _phrases(text: _Words, start: int) -> Iterator[Paraphrase]:
    """What the lexicon has for the words from here on."""
    entries = lexicon()
    for end in range(start + 1, min(start + longest_phrase(), len(text.lower)) + 1):
        for entry in entries.get(tuple(text.lower[start:end]), ()):
            meant = entry.fits(text.lower, start, end) and (entry.is_name or text.plain(start, end))
            if meant and text.takes(entry.word, start, end):
                yield Paraphrase(start, end, text.cased(entry.word, start))


def _percentages(text: _Words, start: int) -> Iterator[Paraphrase]:
    """ "7.4 percent" is "7.4%"."""
    if is_digits(text.written[start]):
        for sign in (["percent"], ["per", "cent"], ["pct"]):
            end = start + 1 + len(sign)
            if text.lower[start + 1 : end] == sign:
                yield Paraphrase(start, end, text.written[start] + "%")


def _progressives(text: _Words, start: int) -> Iterator[Paraphrase]:
    """ "Is considering" is "considers", "were planning" is "planned"."""
    pair = tuple(text.lower[start : start + 2])
    verb = finite_forms().get(pair) if len(pair) == 2 else None
    if verb is None or start == 0 or text.lower[start - 1] in PRONOUNS_BEFORE_PROGRESSIVES | ACTIVITY_NOUNS:
        return
    past = pair[0] in ("was", "were")
    if past and not {"when", "while", "as"}.isdisjoint(text.lower):  # it went on while something else happened
        return
    if text.plain(start, start + 2) and not _another_follows(text.lower[start + 2 :]):
        yield Paraphrase(start, start + 2, text.cased(verb, start))


def _another_follows(words: Sequence[str]) -> bool:
    """Whether an auxiliary has a second verb: of "is buying and selling" nothing is left if it goes."""
    return any(word in ("and", "or", "but") and following.endswith("ing") for word, following in pairwise(words))


def _futures(text: _Words, start: int) -> Iterator[Paraphrase]:
    """ "Is going to meet" is "will meet"; the verb tells it from "is going to Paris"."""
    words = text.lower[start : start + 5]
    if len(words) < 4 or words[0] not in ("is", "are") or words[1] not in FUTURE_ADJECTIVES or words[2] != "to":
        return
    noun = words[4:] and words[4] in ("of", "from", "for", "in")  # "is due to demand for"
    if words[3] in INFINITIVES and not noun and text.plain(start, start + 4):
        yield Paraphrase(start, start + 3, text.cased("will", start))


def _inabilities(text: _Words, start: int) -> Iterator[Paraphrase]:
    """ "Will not be able to" is "cannot", "won't be able to" is "can't"."""
    for end in (start + 4, start + 5):
        if tuple(text.lower[start:end]) in _UNABLE and text.plain(start, end):
            yield Paraphrase(start, end, text.cased(_INABILITY[text.lower[start] == "won't"], start))


_INABILITY = ("cannot", "can't")
_UNABLE = frozenset(
    [
        ("will", "not", "be", "able", "to"),
        ("won't", "be", "able", "to"),
        *((form, "not", "able", "to") for form in ("am", "is", "are")),
    ]
)


_RULES: tuple[Callable[[_Words, int], Iterator[Paraphrase]], ...] = (
    _phrases,
    _percentages,
    _progressives,
    _futures,
    _inabilities,
)
