"""What a sentence may lose without a loss of grammar or truth: what marks set apart, an opening, a day.

Nothing else of it changes. A trim is found by its marks and by the parse, and only where both agree.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ealm.grammar import rule_words, rules
from ealm.grammar.protocol import NO_HEAD, Parse
from ealm.text.word_lists import CONDITIONS, NEGATIONS, PERSON_PRONOUNS


@dataclass(frozen=True, slots=True)
class Trim:
    """Words that may go together, with their marks."""

    gone: frozenset[int]
    loss: float
    """What they say beside as many words of a statement: a clause as much, an opening nothing."""


_LIMITING = CONDITIONS | NEGATIONS | rule_words.LIMITS
"""Words by which what is set apart may limit the rest."""

_RELATIVES = frozenset(["which", "who", "whom", "whose", "where"])

_KNOWN_ALREADY = frozenset(["know", "heard", "mentioned", "discussed", "announced", "agreed", "read", "seen", "said"])
"""Verbs of "as some of you have heard already, …"."""

_LONGEST_OPENING = 10

_QUOTES = frozenset(['"', "“", "”", "''", "``"])
_ENDS = frozenset([".", "!", "?", ";", "…"])
_DASHES = frozenset(["—", "–", "--"])
_PARTS_OF_DAY = frozenset(["morning", "afternoon", "evening", "night"])

_FEWEST_IN_CLAUSE = 3
"""Words of a last clause."""

_ASIDE, _PHRASE, _CLAUSE, _DAY, _NOTHING = 0.5, 0.8, 1.0, 0.3, 0.0
"""What is lost with an aside, a phrase behind a comma, a clause, a day and an opening."""


def trims(words: Sequence[str], parse: Parse, is_word: Sequence[bool]) -> list[Trim]:
    """All that may go, each by itself."""
    return list(_Sentence(words, parse, is_word).trims())


class _Sentence:
    def __init__(self, words: Sequence[str], parse: Parse, is_word: Sequence[bool]) -> None:
        self.words, self.parse, self.is_word = words, parse, is_word
        self.lower = [word.lower().replace("’", "'") for word in words]
        self.end = max((i for i, own in enumerate(is_word) if own), default=-1) + 1
        """Behind the last word."""

    def trims(self) -> Iterator[Trim]:
        for first, last, loss in self._spans():
            gone = frozenset(range(first, last + 1))
            if last - first + 1 < len(self.words) and self._is_plain(gone):
                yield Trim(gone, loss)

    def _spans(self) -> Iterator[tuple[int, int, float]]:
        yield from self._opening()
        yield from self._brackets()
        yield from self._dashes()
        yield from self._set_apart()
        yield from self._last_clause()
        yield from self._days()

    def _is_plain(self, gone: Collection[int]) -> bool:
        """Whether nothing of a quotation goes."""
        quotes = [i for i, word in enumerate(self.words) if word in _QUOTES]
        return not any(i in gone for i in quotes) and sum(i < min(gone) for i in quotes) % 2 == 0

    def _limits(self, first: int, last: int) -> bool:
        return not _LIMITING.isdisjoint(self.lower[first : last + 1])

    def _opening(self) -> Iterator[tuple[int, int, float]]:
        comma = next((i for i, word in enumerate(self.words[:_LONGEST_OPENING]) if word == ","), 0)
        before = tuple(self.lower[:comma])
        tells = before[:1] == ("as",) and not _KNOWN_ALREADY.isdisjoint(before) and "you" in before
        if comma and (before in rule_words.LEADING_ON or tells):
            yield 0, comma, _NOTHING

    def _brackets(self) -> Iterator[tuple[int, int, float]]:
        opened = -1
        for i, word in enumerate(self.words):
            if word == "(":
                opened = i if opened < 0 else len(self.words)
            elif word == ")" and 0 < opened < i:
                inside = [j for j in range(opened + 1, i) if self.is_word[j]]
                short_name = len(inside) == 1 and self.words[inside[0]].isupper()
                measured = any(any(map(str.isdigit, self.words[j])) for j in inside)  # "(30 grams in a litre)"
                if inside and not short_name and not measured and not self._limits(opened, i):
                    yield opened, i, _ASIDE
                opened = -1

    def _dashes(self) -> Iterator[tuple[int, int, float]]:
        dashes = [i for i, word in enumerate(self.words) if word in _DASHES]
        if len(dashes) == 2 and dashes[0] > 0 and not self._limits(*dashes):
            yield dashes[0], dashes[1], _ASIDE

    def _set_apart(self) -> Iterator[tuple[int, int, float]]:
        """What stands between two commas, or behind the last one."""
        for comma, word in enumerate(self.words[:-1]):
            if word != "," or comma == 0:
                continue
            for top in self._tops(comma + 1):
                first, last = self._bounds(top)
                if first == comma + 1 and (loss := self._aside(top, first, last, comma)) is not None:
                    closing = self._closing(last)
                    if closing is not None:
                        yield comma, min(closing, last) if self._opens_for(top, last) else closing, loss
                        break

    def _tops(self, start: int) -> Iterator[int]:
        """Words that what begins here may hang on, the highest first."""
        found = [start, *self.parse.ancestors(start)]
        return (i for i in reversed(found) if self.parse.heads[i] != NO_HEAD)

    def _bounds(self, top: int) -> tuple[int, int]:
        """The first and the last word below a word; an empty stretch where others lie between them."""
        inside = [i for i in self.parse.subtree(top) if self.is_word[i]]
        if not inside:
            return 0, -1
        between = range(inside[0], inside[-1] + 1)
        return (inside[0], inside[-1]) if all(i in inside for i in between if self.is_word[i]) else (0, -1)

    def _closing(self, last: int) -> int | None:
        """The last mark that goes with an aside; None where the rest would not join."""
        if last + 1 >= self.end or self.words[last + 1] in _ENDS:
            return last
        if self.words[last + 1] != ",":
            return None
        following = self.lower[last + 2 : last + 3]
        if following and following[0] in ("and", "or"):
            return None
        return last if following and following[0] in ("but", "so", "yet", "while", "because") else last + 1

    def _opens_for(self, top: int, last: int) -> bool:
        """Whether what it hangs on is in a clause or phrase before the main one, which keeps its comma."""
        above = self.parse.ancestors(top)
        return any(self.parse.relations[i] in ("advcl", "prep") and self.parse.heads[i] > last for i in above)

    def _aside(self, top: int, first: int, last: int, comma: int) -> float | None:
        """What is lost with what hangs on a word and stands behind a comma; None if it must stay."""
        head, relation = self.parse.heads[top], self.parse.relations[top]
        if head > comma or self._limits(first, last) or self._speaks_of_it(first, last):
            return None
        if relation == "relcl":
            opening, told = self.lower[first : first + 4], "now" in self.lower[first : last + 1]
            ends = last + 1 >= self.end  # it may go on with the story: "libraries, which then failed"
            plain = not told and not _RELATIVES.isdisjoint(opening) and self._is_noun(head)
            return (_PHRASE if ends else _ASIDE) if plain else None
        if relation == "appos":
            return _ASIDE if self._is_apposition(top, first, last) else None
        if relation in ("acl", "advcl") and self.parse.tags[first] in ("VBG", "VBN"):
            return _PHRASE if self._is_noun(head) or last + 1 >= self.end else None
        return None

    def _is_noun(self, i: int) -> bool:
        return self.parse.tags[i].startswith(("NN", "PRP"))

    def _is_apposition(self, top: int, first: int, last: int) -> bool:
        """Whether it is no item of a list, and more than a part of an address."""
        head = self.parse.heads[top]
        listed = self.parse.related(top, "conj", "cc") or self.parse.related(head, "conj", "cc")
        several = len(self.parse.related(head, "appos")) > 1 or self.parse.related(top, "appos")
        age = first == last and self.parse.tags[first] == "CD" and self.parse.tags[first - 2].startswith("NNP")
        name = first == last or not self._is_noun(top)
        return age or not (listed or several or name or "or" in self.lower[first : first + 1])

    def _speaks_of_it(self, first: int, last: int) -> bool:
        """Whether somebody is named there whom the rest may mean by "he" or "she"."""
        named = any(self.parse.tags[i].startswith("NNP") for i in range(first, last + 1))
        return named and not PERSON_PRONOUNS.isdisjoint(self.lower[last + 1 :])

    def _last_clause(self) -> Iterator[tuple[int, int, float]]:
        """What follows the last semicolon."""
        last = max((i for i, word in enumerate(self.words[: self.end]) if word == ";"), default=self.end)
        behind = range(last + 1, self.end)
        if len(behind) >= _FEWEST_IN_CLAUSE and self._is_clause(behind) and not self._limits(last, self.end - 1):
            yield last, self.end - 1, _CLAUSE

    def _is_clause(self, inside: range) -> bool:
        """Whether it has a subject right at its beginning, whose verb is in it."""
        for i in inside:
            if self.parse.relations[i].startswith("nsubj"):
                verb = self.parse.heads[i]
                own = self._bounds(i)[0]
                return verb in inside and own == inside[0] and self.parse.relations[verb] != "relcl"
            if self.parse.tags[i].startswith(("VB", "MD")) or self.words[i] == ",":
                return False
        return False

    def _days(self) -> Iterator[tuple[int, int, float]]:
        """ "On Tuesday evening" of what was said or done."""
        days = [i for i, (on, word) in enumerate(pairwise(self.lower), 1) if on == "on" and word in rules.WEEKDAYS]
        if len(days) != 1:
            return
        first = days[0] - 1
        last = days[0] + (self.lower[days[0] + 1 : days[0] + 2] != [] and self.lower[days[0] + 1] in _PARTS_OF_DAY)
        verb = self.parse.heads[first]
        if first == 0 or verb == NO_HEAD or self.parse.tags[verb] != "VBD" or verb > first:
            return
        says = self.parse.related(verb, "dobj", "ccomp") or self.parse.relations[verb] in ("parataxis", "ccomp")
        said = self.lower[verb] in ("said", "announced", "told", "reported", "warned", "added")
        if (says or said) and (last + 1 >= self.end or self.is_word[last + 1] or self.words[last + 1] in (",", ".")):
            yield first, last, _DAY
