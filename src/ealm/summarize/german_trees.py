"""German sentences: which parts may go without a change of what is said.

The labels are those of spaCy's German pipelines (the TIGER treebank). Only what is known to be safe may go, and only
whole: some adverbials, attributes, appositions and clauses. Everything else stays, and nothing goes out of a clause
that denies or restricts something.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise

from ealm.common.caching import cached_property
from ealm.grammar.drafts.structure import Structure
from ealm.grammar.protocol import NO_HEAD, Parse
from ealm.grammar.trees.rearranging import ROOT
from ealm.text import german_words

LANGUAGE = "de"


def german_structure(words: Sequence[str], parse: Parse, is_word: Sequence[bool]) -> Structure:
    """The tree of a sentence in which only what may go is optional."""
    tree = _GermanTree(words, parse, is_word)
    count = range(len(words))
    heads = tuple(ROOT if not is_word[i] or parse.heads[i] == NO_HEAD else tree.head(i) for i in count)
    required = tuple(heads[i] != ROOT and not tree.may_go(i) for i in count)
    return Structure(heads, required, (0.0,) * len(words), frozenset(), tuple(is_word), parse.relations)


class _GermanTree:
    def __init__(self, words: Sequence[str], parse: Parse, is_word: Sequence[bool]) -> None:
        self._words = [word.lower() for word in words]
        self._parse = parse
        self._is_word = is_word

    def head(self, i: int) -> int:
        """The next word above, past marks."""
        above = self._parse.heads[i]
        while not self._is_word[above] and self._parse.heads[above] != NO_HEAD:
            above = self._parse.heads[above]
        return above if self._is_word[above] else self._root

    @cached_property
    def _root(self) -> int:
        """A word that all others hang on, should the parser have taken a mark for the root."""
        return next((i for i, own in enumerate(self._is_word) if own), 0)

    @cached_property
    def _is_marked(self) -> bool:
        """Whether it has marks that come in pairs, or cut it in two."""
        return any(
            not own and word in german_words.QUOTES for own, word in zip(self._is_word, self._words, strict=True)
        )

    @cached_property
    def _fixed(self) -> set[int]:
        """Clauses that deny or restrict something or depend on a condition, by their verb."""
        found = {
            self._clause(i)
            for i, word in enumerate(self._words)
            if word in german_words.RESTRICTING or word in german_words.NO
        }
        conditions = [self._clause(i) for i, word in enumerate(self._words) if word in german_words.CONDITIONS]
        return found.union(conditions, (self._clause(self._parse.heads[i]) for i in conditions))

    def _clause(self, i: int) -> int:
        """The finite verb above a word, or the root."""
        for _ in self._words:
            if self._tag(i).endswith("FIN") or self._parse.heads[i] == NO_HEAD:
                break
            i = self._parse.heads[i]
        return i

    def _tag(self, i: int) -> str:
        return self._parse.tags[i]

    def _children(self, i: int) -> list[int]:
        return [j for j, head in enumerate(self._parse.heads) if head == i]

    def may_go(self, i: int) -> bool:
        """Whether a word can go, with all below it."""
        head, relation = self._parse.heads[i], self._parse.relations[i]
        if self._is_marked or (relation in ("rc", "app") and not self._is_definite(head)):
            return False
        if relation in ("rc", "app"):  # what is denied of the mayor is denied of him, whatever else is told of him
            return True
        if self._clause(head) in self._fixed or self._is_before_its_verb(i) or self._is_told_by_being(i):
            return False
        if relation == "mo":
            return self._is_adverbial(i)
        if relation == "nk":
            return self._is_attribute(i)
        if relation == "cd":
            return self._words[i] == "und" and self._tag(head).endswith("FIN")
        return (relation == "mnr" and self._is_phrase(i, german_words.ATTRIBUTES)) or (
            relation == "ag" and self._is_definite(head)
        )

    def _is_before_its_verb(self, i: int) -> bool:
        """In a main clause the verb is second: without what is first, it would be a question."""
        head = self._parse.heads[i]
        subordinate = any(self._parse.relations[j] == "cp" for j in self._children(head))
        return i < head and self._tag(head).endswith("FIN") and not subordinate

    def _is_told_by_being(self, i: int) -> bool:
        """What stands with "is" alone: "sie ist im Amt"."""
        head = self._parse.heads[i]
        told = any(self._parse.relations[j] in ("oc", "pd") for j in self._children(head))
        return self._tag(head).startswith("VA") and not told

    def _is_adverbial(self, i: int) -> bool:
        if self._tag(i) == "ADV":
            return self._words[i] in german_words.ADVERBS
        if self._tag(i).endswith("FIN"):
            return any(
                self._words[j] in german_words.REASONS and self._parse.relations[j] == "cp" for j in self._children(i)
            )
        return self._is_phrase(i, german_words.ADVERBIALS)

    def _is_phrase(self, i: int, prepositions: Collection[str]) -> bool:
        inside = self._children(i)
        vouched = any(self._words[j].startswith(german_words.SOURCES) for j in inside)
        return self._words[i] in prepositions and bool(inside) and not vouched

    def _is_attribute(self, i: int) -> bool:
        """An adjective, where an article tells what the noun means without it."""
        changes = any(self._words[i].startswith(own) for own in german_words.CHANGING)
        return self._tag(i) == "ADJA" and not changes and self._is_definite(self._parse.heads[i])

    def _is_definite(self, noun: int) -> bool:
        """Whether it names one thing: "all" or "most" are nowhere meant."""
        if self._tag(noun) == "NE":
            return True
        return any(self._tag(j) == "ART" and self._words[j] in german_words.SINGULAR for j in self._children(noun))


class GermanMarks:
    """Commas stay between clauses, and go with what they set off; what ends the sentence stays."""

    def __init__(self, words: Sequence[str], parse: Parse, is_word: Sequence[bool], final: Collection[int]) -> None:
        self._words, self._tags, self._is_word, self._final = words, parse.tags, is_word, set(final)

    def joined(self, _kept: Collection[int]) -> int | None:
        """Nothing is written."""
        return None

    def __call__(self, words: Collection[int]) -> set[int]:
        kept = sorted(i for i in words if self._is_word[i])
        found = set(self._final)
        for before, behind in pairwise(kept):
            marks = [i for i in range(before + 1, behind) if not self._is_word[i]]
            if len(marks) == 1 or (marks and behind - before - 1 == len(marks)):
                found |= set(marks)
            elif marks and self._tags[behind] in german_words.OPENERS:
                found.add(marks[-1])
        return found
