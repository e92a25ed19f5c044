"""Which dependents a head needs."""

from collections.abc import Callable

from ealm.grammar import rules
from ealm.grammar.headlines import spare_words
from ealm.grammar.rearranging import ROOT, Tree

_CLAUSES = frozenset({"advcl", "relcl", "acl", "ccomp", "xcomp", "conj", "parataxis", "csubj", "pcomp"})

_CONTAINERS = frozenset({"relcl", "acl", "conj", "attribution", "parataxis", "ccomp"})
"""Relations of clauses that may go as a whole, with the conditions in them."""

_COMPLEMENTS = ("dobj", "attr", "acomp", "xcomp", "ccomp", "oprd")

_Rule = Callable[["Needs", int], bool]


class Needs:
    """Tells which dependents a head needs."""

    def __init__(self, tree: Tree, *, headline: bool) -> None:
        self._tree = tree
        self._lower, self._tags, self._relations = tree.lower, tree.tags, tree.relations
        self._heads = tree.heads
        self._children: list[list[int]] = [[] for _ in tree.words]
        for i, head in enumerate(tree.heads):
            if head != ROOT:
                self._children[head].append(i)
        self.spare = spare_words(tree) if headline else set()
        self._narrowing = self._narrowing_words() | self._condition_paths()

    def _narrowing_words(self) -> set[int]:
        """Words of clauses that say of whom something holds: "anyone who arrived before 2005"."""
        found: set[int] = set()
        for i, relation in enumerate(self._relations):
            head = self._heads[i]
            if relation not in ("relcl", "acl") or head == ROOT or self._is_purpose(i):
                continue
            if self._is_universal(head) and not self._after_comma(i):
                found |= {j for j in self._tree.subtree(i) if j not in self.spare}
        return found

    def _condition_paths(self) -> set[int]:
        """From each "if" and "unless" up to the clause that hangs on it: whatever a parser took it for, it stays."""
        found: set[int] = set()
        for i, word in enumerate(self._lower):
            hard = word in rules.HARD_CONDITIONS and self._heads[i] not in self._tree.concessive
            j = i if hard and self._relations[i] in ("mark", "prep", "advmod", "dep") else ROOT
            while j != ROOT and self._heads[j] != ROOT and self._relations[j] not in _CONTAINERS:
                found.add(j)
                j = self._heads[j]
        return found

    def _is_excluding(self, i: int) -> bool:
        """Whether it is a phrase that says what is meant not: "the plants, just not the cactus"."""
        if self._relations[i] not in ("appos", "conj", "dep", "npadvmod", "nmod") or self._tags[i].startswith("VB"):
            return False
        first = sorted(self._tree.subtree(i))[:3]
        return any(self._lower[j] == "not" for j in first)

    def _in_condition(self, i: int) -> bool:
        """Whether it stands in a clause with "if" or "unless"."""
        while (i := self._heads[i]) != ROOT:
            if any(self._lower[j] in rules.HARD_CONDITIONS for j in self._children[i]):
                return True
        return False

    def _is_part_of_condition(self, i: int) -> bool:
        """ "If A and B": what holds then need not hold if A; but what holds if A or B does."""
        if any(self._lower[j] in rules.ALTERNATIVES for j in self._of(i, "cc")):
            return False
        while (i := self._heads[i]) != ROOT and self._relations[i] not in _CONTAINERS - {"conj"}:
            if any(self._lower[j] in rules.HARD_CONDITIONS for j in self._of(i, "mark")):
                return True
        return False

    def _has_number(self, i: int) -> bool:
        return any(self._tags[j] == "CD" for j in self._tree.subtree(i))

    def _lacks_pronoun(self, clause: int) -> bool:
        """Whether a relative clause with a finite verb has no relative pronoun: then it is kept or left as it is."""
        finite = self._tags[clause] in ("VBZ", "VBP", "VBD")
        return finite and not any(self._tags[j].startswith("W") for j in self._children[clause])

    def _is_denied(self, noun: int) -> bool:
        """Whether a noun is what a negated verb, or one of which only somebody is the subject, is about."""
        if self._relations[noun] not in ("dobj", "attr"):
            return False
        verb = self._heads[noun]
        subjects = self._of(verb, "nsubj", "nsubjpass")
        only = {"only", "no", "nobody", "none", "few"}
        exclusive = any(
            self._lower[j] in only or any(self._lower[k] in only for k in self._children[j]) for j in subjects
        )
        return exclusive or self._is_negated(verb)

    def _of(self, index: int, *relations: str) -> list[int]:
        return [i for i in self._children[index] if self._relations[i] in relations]

    def required(self, i: int) -> bool:
        """Whether the head of a word needs it."""
        if i in self.spare:
            return False
        word, relation, tag = self._lower[i], self._relations[i], self._tags[i]
        head = self._heads[i]
        if relation in ("cc", "range-end", "idiom") or relation.endswith("-whole") or i in self._narrowing:
            return True
        if (word in rules.FRACTIONS and relation not in _CLAUSES) or self._is_excluding(i):
            return True
        if relation in ("prep", "npadvmod", "amod") and self._in_condition(i) and self._has_number(i):
            return True
        if (
            self._relations[head] == "relcl"
            and self._lacks_pronoun(head)
            and relation not in ("prep", "advcl", "advmod")
        ):
            return True
        if word in rules.CONDITIONS and relation in ("prep", "mark", "advmod"):
            return True
        if relation in ("advcl", "ccomp", "prep") and self._relations[head] == "idiom":
            return True
        if relation in ("prep", "amod", "relcl", "acl") and self._is_denied(head) and not self._after_comma(i):
            return True
        if relation == "complementizer" or (relation == "mark" and word == "that" and self._relations[head] == "ccomp"):
            return False
        if relation == "conj" and self._is_part_of_condition(i):
            return True
        if relation in ("conj", "attribution", "parataxis", "intj", "appos", "designator", "title"):
            return False
        if word in rules.NEGATORS or word.endswith("n't") or (tag.startswith("W") and relation not in _CLAUSES):
            return True
        if self._tags[head] == "CD" and relation not in _CLAUSES and (relation != "prep" or self._is_share(i)):
            return True
        if relation in ("prep", "amod", "acl", "relcl") and self._is_universal(head) and not self._after_comma(i):
            return True
        if relation in ("prep", "advcl", "npadvmod", "advmod") and self._is_focused(i):
            return True
        if relation == "conj" and tag == "IN" and self._is_focused(i):
            return True  # "but only in strong wind"
        if relation == "agent" and self._relations[head] == "acl":
            return True  # "damage caused by misuse"
        if self._relations[head] == "prep" and not self._of(head, "pobj", "pcomp"):
            return True  # whatever a parser took the object for
        if relation in ("advmod", "amod", "nummod", "npadvmod") and self._is_limited(i):
            return True
        special = _SPECIAL.get(relation)
        return special(self, i) if special is not None else relation in rules.REQUIRED

    # Relations whose words decide -----------------------------------------------------------------------------------

    def _is_share(self, i: int) -> bool:
        """ "Nine of the twelve", "one in four"."""
        return self._lower[i] == "of" or any(self._tags[j] == "CD" for j in self._tree.subtree(i))

    def _is_universal(self, noun: int) -> bool:
        """Whether something is said of all or none: then nothing that narrows it may go."""
        if self._lower[noun] in rules.GENERIC_HEADS:
            return True
        limits = {self._lower[j] for j in self._of(noun, "det", "predet", "advmod", "amod", "neg", "idiom")}
        if self._relations[noun] not in ("nsubj", "nsubjpass"):
            limits -= {"any", "each", "all", "every"}
        return bool(limits & rules.UNIVERSAL)

    def _is_focused(self, i: int) -> bool:
        """Whether a phrase has "only" or an exception in it: without it, more would be said."""
        inside = self._tree.subtree(i)
        if any(self._lower[j] in rules.FOCUS for j in inside if self._relations[j] not in ("nsubj", "dobj")):
            return True
        return any(
            self._lower[j] in rules.NEGATORS for j in inside if self._relations[self._heads[j]] == "conj" and j != i
        )

    def _is_limited(self, i: int) -> bool:
        """Whether an adverb, adjective or number has a limiting word of its own: "less well", "hardly ever"."""
        return any(
            self._lower[j] in rules.NEGATORS | rules.DEGREES or (self._relations[j] == "prep" and self._tags[i] == "CD")
            for j in self._children[i]
        )

    def _limits(self, i: int) -> bool:
        if self._lower[i] in rules.LIMITERS | rules.HEDGES or self._has_than(i) or self._needs_phrase(i):
            return True
        head = self._heads[i]  # "will be off"
        being = self._lower[head] in rules.BE_PRESENT | rules.BE_PAST | {"be", "been"}
        return being and not self._of(head, *_COMPLEMENTS) and self._first_behind(i, "advmod", "prep")

    def _has_than(self, i: int) -> bool:
        return any(self._lower[child] == "than" for child in self._children[i])

    def _det(self, i: int) -> bool:
        word = self._lower[i]
        if word in rules.ARTICLES:
            return True  # a spare one was told before
        return word in rules.QUANTIFIERS

    def _amod(self, i: int) -> bool:
        word = self._lower[i]
        if word in rules.PRIVATIVE | rules.QUANTIFIERS or self._has_than(i):
            return True
        if self._lower[self._heads[i]] in rules.UNITS and self._of(self._heads[i], "nummod"):
            return True  # "40 light years"
        comparative = self._tags[i] in ("JJR", "RBR")
        return comparative and any(self._lower[j] == "than" for j in self._children[self._heads[i]])

    def _nummod(self, i: int) -> bool:
        above = self._lower[self._heads[i]]
        return above in rules.UNITS | rules.MONTHS or not above[:1].isalpha()

    def _prep(self, i: int) -> bool:
        word, head = self._lower[i], self._heads[i]
        above = self._lower[head]
        if word in rules.LIMITING_PREPOSITIONS or (self._is_exchanged(head) and not self._is_time(i)):
            return True
        if self._relations[head] == "prep" or self._tags[head] == "IN":
            return True  # "out of", "because of"
        if self._completes(i) and any(self._lower[j] in rules.NEGATORS for j in self._tree.subtree(i)):
            return True
        objects = {self._lower[j] for j in self._of(i, "pobj")}
        if (
            above in ("half", "quarter")
            or objects & rules.CONDITION_NOUNS
            or (word == "according" and self._is_rumour(i))
        ):
            return True
        if self._is_negated(head) and (word in ("before", "after", "until", "because") or self._tags[head] == "JJ"):
            return True
        if word == "as" and any(self._lower[j] in ("as", "so", "such", "same") for j in self._children[head]):
            return True
        if word == "of":
            return above in rules.PARTITIVES or self._tags[head] in ("CD", "DT", "JJR", "JJS")
        if self._is_time(i) and self._relations[head] == "relcl" and not self._of(head, *_COMPLEMENTS):
            return True  # "which began on Wednesday"
        if self._bare_participle(i) or self._before_infinitive(i) or self._needs_phrase(i):
            return True
        if above in rules.BE_PRESENT | rules.BE_PAST | {"be", "been"}:
            return not self._of(head, "attr", "acomp", "advmod") and self._first_behind(i, "prep")
        return False

    def _needs_phrase(self, i: int) -> bool:
        """Whether it is the phrase without which a verb or an adjective says nothing."""
        head = self._heads[i]
        if self._lower[head] not in rules.NEED_PHRASE or self._of(head, *_COMPLEMENTS, "prt"):
            return False
        return self._completes(i) or (self._tags[head][:2] == "JJ" and self._first_behind(i, "prep"))

    def _before_infinitive(self, i: int) -> bool:
        """ "Called on the government to act": who acts stands between the verb and its infinitive."""
        head = self._heads[i]
        return not self._is_time(i) and any(head < i < j for j in self._of(head, "xcomp"))

    def _is_exchanged(self, i: int) -> bool:
        """Whether a verb, or the verb of an object, says something else without its phrase."""
        verb = self._heads[i] if self._relations[i] == "dobj" else i
        return self._lower[verb] in rules.EXCHANGES and not self._of(verb, "prt")

    def _is_rumour(self, i: int) -> bool:
        return any(self._lower[j] in rules.RUMOURS for j in self._tree.subtree(i))

    def _is_negated(self, i: int) -> bool:
        """Whether a verb is negated, or the verb of an adjective."""
        verb = self._heads[i] if self._relations[i] == "acomp" else i
        return any(self._lower[j] in rules.NEGATORS or self._lower[j].endswith("n't") for j in self._children[verb])

    def _first_behind(self, i: int, *relations: str) -> bool:
        head = self._heads[i]
        return i > head and i == min((j for j in self._of(head, *relations) if j > head), default=i)

    def _compound(self, i: int) -> bool:
        head = self._heads[i]
        if self._lower[i] in rules.TIMES:  # "Tuesday night"
            return True
        proper = self._tags[i].startswith("NNP") and self._tags[head].startswith("NNP")
        return proper and self._lower[i] not in rules.TITLES

    def _advcl(self, i: int) -> bool:
        if i in self._tree.concessive:
            return False
        marks = {self._lower[j] for j in self._of(i, "mark", "advmod", "prep", "det") if j < i}
        if marks & (rules.CONDITIONS | rules.LIMITING_PREPOSITIONS) or self._lower[i] in rules.CONDITIONS:
            return True
        if self._is_inverted(i) or i in self._tree.conditional:
            return True
        head = self._heads[i]
        if self._is_negated(head) and (marks & {"before"} or self._is_purpose(i) or self._is_denied_reason(i, marks)):
            return True
        told = self._reports(head) or (self._is_purpose(head) and self._told_as_past(head))
        return bool(marks & {"when", "whenever", "where", "wherever"}) and not told

    def _is_denied_reason(self, i: int, marks: set[str]) -> bool:
        """ "He did not resign because he was ill": he may have resigned; not so with a comma or "cannot"."""
        head = self._heads[i]
        modal = any(self._tags[j] == "MD" for j in self._of(head, "aux"))
        command = not self._of(head, "nsubj", "nsubjpass")
        return bool(marks & {"because", "since"}) and not (modal or command or self._after_comma(i))

    def _is_inverted(self, i: int) -> bool:
        """ "Should it rain", "had he known": a condition without its conjunction."""
        subjects = self._of(i, "nsubj", "nsubjpass")
        return any(
            self._lower[j] in ("should", "had", "were") and subjects and j < subjects[0]
            for j in self._of(i, "aux", "auxpass")
        )

    def _reports(self, verb: int) -> bool:
        """Whether a clause tells what has happened, and not what holds or shall be done."""
        auxiliaries = [self._lower[j] for j in self._of(verb, "aux", "auxpass")]
        if any(self._tags[j] == "MD" for j in self._of(verb, "aux")):
            return False
        past = {"was", "were", "had", "did", "has", "have", "been"}
        return self._tags[verb] == "VBD" or any(word in past for word in auxiliaries)

    def _clause_of_noun(self, i: int) -> bool:
        """Whether a relative clause says of whom something holds: "those who", "all that", "firms that fail pay"."""
        head = self._heads[i]
        if head == self._tree.root:
            return True
        if self._after_comma(i):
            return False
        limits = {self._lower[j] for j in self._of(head, "det", "amod", "predet")}
        if self._lower[head] in rules.GENERIC_HEADS or limits & rules.PROPORTIONS:
            return True
        if self._relations[head] not in ("nsubj", "nsubjpass", "dobj", "pobj"):
            return False
        if self._is_purpose(i):
            return False
        determiners = {self._lower[j] for j in self._of(head, "det", "poss", "nummod")}
        indefinite = not determiners or bool(determiners & {"a", "an", "any"})
        indefinite = indefinite and not self._tags[head].startswith("NNP")
        return indefinite and not self._told_as_past(head)

    def _told_as_past(self, i: int) -> bool:
        """Whether a clause above reports what has happened: then one thing or person is meant, and no kind."""
        while (i := self._heads[i]) != ROOT:
            if self._reports(i):
                return True
        return False

    def _after_comma(self, i: int) -> bool:
        start = min(self._tree.subtree(i))
        return start > 0 and not self._tree.is_word[start - 1]

    def _xcomp(self, i: int) -> bool:
        """Behind an object, an infinitive says what for, unless the verb needs it."""
        head = self._heads[i]
        if self._tags[i] == "VBG" and self._after_comma(i):
            return False
        if self._is_negated(head):
            return True
        return not (self._is_purpose(i) and self._of(head, "dobj") and self._lower[head] not in rules.CONTROL)

    def _is_purpose(self, i: int) -> bool:
        return self._tags[i] == "VB" and any(self._lower[j] == "to" for j in self._of(i, "aux"))

    def _npadvmod(self, i: int) -> bool:
        return self._tags[self._heads[i]][:2] in ("JJ", "RB", "IN")

    def _poss(self, i: int) -> bool:
        return self._tags[i].startswith("W")

    def _is_time(self, i: int) -> bool:
        """Whether a word or phrase says when."""
        words = [i, *self._of(i, "pobj")]
        return any(self._lower[j] in rules.TIMES for j in words)

    def _dative(self, i: int) -> bool:
        return not (self._of(i, "pobj") or self._tags[i] in ("IN", "TO"))

    def _bare_participle(self, i: int) -> bool:
        """Whether it is the only thing behind a participle or infinitive that is a clause by itself."""
        head = self._heads[i]
        return (
            self._relations[head] in ("advcl", "acl", "pcomp", "conj")
            and self._tags[head] in ("VBG", "VBN")
            and self._completes(i)
        )

    def _completes(self, i: int) -> bool:
        """Whether it is the first phrase behind a verb that has nothing else behind it."""
        head = self._heads[i]
        if not self._tags[head].startswith("VB") or self._of(head, *_COMPLEMENTS):
            return False
        behind = [
            j
            for j in self._of(head, "prep", "npadvmod", "advmod", "advcl", "dative")
            if j > head and not self._is_time(j)
        ]
        return bool(behind) and i == behind[0]


_SPECIAL: dict[str, _Rule] = {
    "det": Needs._det,
    "amod": Needs._amod,
    "advmod": Needs._limits,
    "nummod": Needs._nummod,
    "prep": Needs._prep,
    "compound": Needs._compound,
    "advcl": Needs._advcl,
    "relcl": Needs._clause_of_noun,
    "acl": Needs._clause_of_noun,
    "npadvmod": Needs._npadvmod,
    "poss": Needs._poss,
    "dative": Needs._dative,
    "xcomp": Needs._xcomp,
    "aux-chain": lambda needs, i: True,  # noqa: ARG005
}
