"""What stands in the scope of what: negations, conditions, bounds, and what is told as past."""

from ealm.grammar import rule_words, rules
from ealm.grammar.trees.rearranging import ROOT, Tree

_CONTAINERS = frozenset({"relcl", "acl", "conj", "attribution", "parataxis", "ccomp"})
"""Relations of clauses that may go as a whole, with the conditions in them."""

COMPLEMENTS = ("dobj", "attr", "acomp", "xcomp", "ccomp", "oprd")


class Scope:
    """Answers questions about a tree."""

    def __init__(self, tree: Tree, *, spare: set[int]) -> None:
        """`spare`: words that a headline does without."""
        self._tree = tree
        self._lower, self._tags, self._relations = tree.lower, tree.tags, tree.relations
        self._heads = tree.heads
        self.spare = spare
        self._children: list[list[int]] = [[] for _ in tree.words]
        for i, head in enumerate(tree.heads):
            if head != ROOT:
                self._children[head].append(i)
        self._subtrees: dict[int, set[int]] = {}
        self._narrowing = self._narrowing_words() | self._condition_paths()

    def _narrowing_words(self) -> set[int]:
        """Words of clauses that say of whom something holds: "anyone who arrived before 2005"."""
        found: set[int] = set()
        for i, relation in enumerate(self._relations):
            head = self._heads[i]
            superlative = head != ROOT and any(self._tags[j] == "JJS" for j in self._of(head, "amod"))
            if relation not in ("relcl", "acl") or head == ROOT or (self._is_purpose(i) and not superlative):
                continue
            if (self._is_universal(head) or superlative) and not self._after_comma(i):
                found |= self._subtree(i) - self._added(i) - self.spare
        return found

    def _added(self, clause: int) -> set[int]:
        """What a clause tells besides, behind commas."""
        inside = self._subtree(clause)
        besides = [i for i in inside if self._relations[i] in ("relcl", "appos") and self._after_comma(i)]
        return {j for i in besides for j in self._subtree(i)}

    def _condition_paths(self) -> set[int]:
        """From each "if" and "unless" up to the clause that hangs on it: whatever a parser took it for, it stays."""
        found: set[int] = set()
        for i, word in enumerate(self._lower):
            hard = word in rules.HARD_CONDITIONS and self._heads[i] not in self._tree.concessive
            j = i if hard and self._relations[i] in ("mark", "prep", "advmod", "dep") else ROOT
            while j != ROOT and self._heads[j] != ROOT and self._relations[j] not in _CONTAINERS:
                if self._is_reason_for(j, i) or self._is_added(j, i):
                    break
                found.add(j)
                j = self._heads[j]
        return found

    def _is_reason_for(self, clause: int, condition: int) -> bool:
        """ "It was void because it left her without a remedy if the goods were bad": the condition is the reason's."""
        marks = [j for j in self._of(clause, "mark") if self._lower[j] in rules.ADJUNCT_MARKS and j < condition]
        return bool(marks) and all(self._tree.is_word[marks[0] : condition])

    def _is_added(self, clause: int, condition: int) -> bool:
        """ "It extends its hours, staying open until ten": behind a comma, a participle goes with its condition."""
        return self._tags[clause] == "VBG" and clause < condition and self._after_comma(clause)

    def _is_there(self, noun: int) -> bool:
        """ "The update mends a fault that …": of one thing that is there, more need not be said."""
        verb = self._heads[noun]
        one = self._tags[noun] == "NN" and any(self._lower[j] in ("a", "an") for j in self._of(noun, "det"))
        stated = verb == self._tree.root and self._relations[noun] == "dobj" and self._of(verb, "nsubj")
        helping = {self._lower[j] for j in self._of(verb, "aux")}
        denied = self._is_negated(verb) or self._has_negative_subject(verb)
        return one and bool(stated) and not helping - {"will", "has", "have", "had"} and not denied

    def _is_excluding(self, i: int) -> bool:
        """Whether it is a phrase that says what is meant not: "the plants, just not the cactus"."""
        if self._relations[i] not in ("appos", "conj", "dep", "npadvmod", "nmod") or self._tags[i].startswith("VB"):
            return False
        first = sorted(self._subtree(i))[:3]
        if self._lower[i : i + 2] == ["enough", "to"] and self._reports(self._heads[i]):
            return False  # "costs fell, but not enough to please lenders"
        return any(self._lower[j] == "not" for j in first)

    def _in_condition(self, i: int) -> bool:
        """Whether it stands in a clause with "if" or "unless"."""
        while (i := self._heads[i]) != ROOT:
            if any(self._lower[j] in rules.HARD_CONDITIONS for j in self._children[i]):
                return True
        return False

    def _is_part_of_condition(self, i: int) -> bool:
        """ "If A and B": what holds then need not hold if A; but what holds if A or B does."""
        members = self._of(self._heads[i], "conj")
        if any(self._lower[k] in rules.ALTERNATIVES for j in members for k in self._of(j, "cc")):
            return False
        while (i := self._heads[i]) != ROOT and self._relations[i] not in _CONTAINERS - {"conj"}:
            if i in self._tree.conditional or any(self._lower[j] in rules.HARD_CONDITIONS for j in self._of(i, "mark")):
                return True
        return False

    def _is_denied_reason(self, i: int, marks: set[str]) -> bool:
        """ "He did not resign because he was ill": he may have; not so with a comma, "cannot" or "not entitled"."""
        head = self._heads[i]
        modal = any(self._tags[j] == "MD" or self._lower[j] == "cannot" for j in self._of(head, "aux", "neg"))
        command = not self._of(head, "nsubj", "nsubjpass") or self._lower[head] in rule_words.RIGHTS
        return bool(marks & {"because", "since"}) and not (modal or command or self._after_comma(i))

    def _has_number(self, i: int) -> bool:
        return any(self._tags[j] == "CD" for j in self._subtree(i))

    def _lacks_pronoun(self, clause: int) -> bool:
        """Whether a relative clause with a finite verb has no relative pronoun: then it is kept or left as it is."""
        finite = self._tags[clause] in ("VBZ", "VBP", "VBD")
        return finite and not any(self._tags[j].startswith("W") for j in self._children[clause])

    def _is_denied(self, noun: int) -> bool:
        """Whether a noun is what a negated verb, or one of which only somebody is the subject, is about."""
        if self._relations[noun] not in ("dobj", "attr", "pobj"):
            return False
        verb = self._heads[noun]
        if self._relations[noun] == "pobj":  # "not suitable for children under three", "not work with bags of others"
            above = self._heads[verb]
            denied = above != ROOT and (self._tags[above] == "JJ" or self._completes(verb))
            verb = above if denied else ROOT
            if verb == ROOT:
                return False
        subjects = self._of(verb, "nsubj", "nsubjpass")
        only = {"only", "no", "nobody", "none", "few", "nothing", "neither"}
        exclusive = any(
            self._lower[j] in only or any(self._lower[k] in only for k in self._children[j]) for j in subjects
        )
        return exclusive or self._is_negated(verb)

    def _of(self, index: int, *relations: str) -> list[int]:
        own = self._children[index]
        return [i for i in own if self._relations[i] in relations] if own else own

    def _subtree(self, index: int) -> set[int]:
        """A word and all below it; many questions ask for the same one, and the tree does not change any more."""
        if index not in self._subtrees:
            self._subtrees[index] = self._tree.subtree(index)
        return self._subtrees[index]

    def _is_share(self, i: int) -> bool:
        """ "Nine of the twelve", "one in four"."""
        return self._lower[i] == "of" or any(self._tags[j] == "CD" for j in self._subtree(i))

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
        inside = self._subtree(i)
        first = min(inside)
        if self._relations[i] == "advcl" and self._lower[first] in rules.ADJUNCT_MARKS:
            return first > 0 and self._lower[first - 1] in rules.FOCUS  # "since they will only pay on Monday"
        if any(self._lower[j] in rules.FOCUS for j in inside if self._relations[j] not in ("nsubj", "dobj")):
            return True
        return any(
            self._lower[j] in rules.NEGATORS
            and self._relations[self._heads[j]] == "conj"
            and not self._tags[self._heads[j]].startswith("VB")
            for j in inside
            if j != i
        )

    def _is_limited(self, i: int) -> bool:
        """Whether an adverb, adjective or number has a limiting word of its own: "less well", "hardly ever"."""
        return any(
            self._lower[j] in rules.NEGATORS | rules.DEGREES or (self._relations[j] == "prep" and self._tags[i] == "CD")
            for j in self._children[i]
        )

    def _has_than(self, i: int) -> bool:
        return any(self._lower[child] == "than" for child in self._children[i])

    def _has_negative_subject(self, verb: int) -> bool:
        subjects = self._of(verb, "nsubj", "nsubjpass")
        return any(self._lower[k] in rules.NEGATORS for j in subjects for k in (j, *self._children[j]))

    def _is_bounded(self, i: int) -> bool:
        """ "Free for up to three users": a bound on what holds, and not on what has happened."""
        inside = self._subtree(i)
        if self._lower[i] == "with" and i < self._heads[i]:
            return False  # "with up to 30 hours of light, the lamp …" describes
        bound = any(self._lower[j] == "up" and self._lower[j + 1 : j + 2] == ["to"] for j in inside)
        kind = self._tags[self._heads[i]] == "NNS" and not self._told_as_past(i)  # "rooms of up to 40 square metres"
        holds = self._tags[self._heads[i]][:2] in ("JJ", "VB") and not self._reports(self._clause_above(i))
        return bound and (kind or holds)

    def _clause_above(self, i: int) -> int:
        """The verb above a word, or the word below the root."""
        while (i := self._heads[i]) != ROOT and not self._tags[i].startswith("VB") and self._heads[i] != ROOT:
            pass
        return i

    def _is_negated(self, i: int) -> bool:
        """Whether a verb is negated, or the verb of an adjective."""
        verbs = (self._heads[i], i) if self._relations[i] == "acomp" else (i,)
        beside = [self._lower[j] for verb in verbs for j in self._children[verb]]
        return any(word in rules.NEGATORS or word.endswith("n't") for word in beside)

    def _reports(self, verb: int) -> bool:
        """Whether a clause tells what has happened, and not what holds or shall be done."""
        auxiliaries = [self._lower[j] for j in self._of(verb, "aux", "auxpass")]
        if any(self._tags[j] == "MD" for j in self._of(verb, "aux")):
            return False
        past = {"was", "were", "had", "did", "has", "have", "been"}
        contracted = any(self._lower[j].endswith(("'ve", "'d")) for j in self._of(verb, "nsubj", "nsubjpass"))
        return self._tags[verb] == "VBD" or contracted or any(word in past for word in auxiliaries)

    def _told_as_past(self, i: int) -> bool:
        """Whether a clause above reports what has happened: then one thing or person is meant, and no kind."""
        while (i := self._heads[i]) != ROOT:
            if self._reports(i):
                return True
        return False

    def _after_comma(self, i: int) -> bool:
        start = min(self._subtree(i))
        return start > 0 and not self._tree.is_word[start - 1]

    def _is_purpose(self, i: int) -> bool:
        return self._tags[i] == "VB" and any(self._lower[j] == "to" for j in self._of(i, "aux"))

    def _is_time(self, i: int) -> bool:
        """Whether a word or phrase says when."""
        words = [i, *self._of(i, "pobj")]
        return any(self._lower[j] in rules.TIMES for j in words)

    def _tells_of_time(self, clause: int) -> bool:
        """ "On Sunday morning, when streets will be closed": behind a time and a comma, "when" is no condition."""
        start = min(self._subtree(clause))
        before = start - 2
        return (
            before >= 0
            and self._after_comma(clause)
            and (self._lower[before].removesuffix("s") in rules.TIMES or self._tags[before] == "CD")
        )

    def _is_exchanged(self, i: int) -> bool:
        """Whether a verb, or the verb of an object, says something else without its phrase."""
        verb = self._heads[i] if self._relations[i] == "dobj" else i
        return self._lower[verb] in rules.EXCHANGES and not self._of(verb, "prt")

    def _is_substituted(self, i: int) -> bool:
        """Whether it is what something else is done instead of."""
        return any(self._lower[j] in ("rather", "instead") for j in self._of(i, "idiom"))

    def _is_rumour(self, i: int) -> bool:
        told = rules.RUMOURS | rule_words.CLAIMANTS | rule_words.SOURCES
        return any(self._lower[j] in told for j in self._subtree(i)) and not self._of(i, "pcomp")

    def _is_inverted(self, i: int) -> bool:
        """ "Should it rain", "had he known": a condition without its conjunction."""
        subjects = self._of(i, "nsubj", "nsubjpass")
        return any(
            self._lower[j] in ("should", "had", "were") and subjects and j < subjects[0]
            for j in self._of(i, "aux", "auxpass")
        )

    def _first_behind(self, i: int, *relations: str) -> bool:
        head = self._heads[i]
        return i > head and i == min((j for j in self._of(head, *relations) if j > head), default=i)

    def _completes(self, i: int) -> bool:
        """Whether it is the first phrase behind a verb that has nothing else behind it."""
        head = self._heads[i]
        if not self._tags[head].startswith("VB") or self._of(head, *COMPLEMENTS):
            return False
        behind = [
            j
            for j in self._of(head, "prep", "npadvmod", "advmod", "advcl", "dative")
            if j > head and not self._is_time(j)
        ]
        return bool(behind) and i == behind[0]

    def _is_measure(self, noun: int) -> bool:
        """ "28 days of leave"."""
        above = self._heads[noun]
        argument = self._relations[noun] in ("dobj", "attr") or (above != ROOT and self._lower[above] == "to")
        return argument and self._lower[noun] in rules.UNITS and bool(self._of(noun, "nummod"))

    def _is_part(self, preposition: int) -> bool:
        """Whether a preposition stands behind a number: "nine of", "one in"."""
        while preposition != ROOT and self._relations[preposition] in ("prep", "pobj"):
            preposition = self._heads[preposition]
            if preposition != ROOT and self._tags[preposition] == "CD":
                return True
        return False

    def _says_for_what(self, i: int) -> bool:
        """Whether it is the first phrase behind a verb or its object that says neither when nor of what."""
        head = self._heads[i]
        others = self._relations[head] == "dobj"
        phrases = [j for j in self._of(head, "prep") if j > head and not self._is_time(j)]
        phrases = [j for j in phrases if not (others and self._lower[j] == "of")]
        return i in phrases[:1]

    def _is_counterpart(self, i: int) -> bool:
        """ "For repairs but not for new houses": what is denied says which other is meant."""
        others = [j for j in self._of(self._heads[i], "conj", "conj-whole") if self._lower[j] == self._lower[i]]
        return any(self._lower[k] in rules.NEGATORS for j in others for k in self._children[j])

    def _is_contrasted_number(self) -> bool:
        """ "Four strains instead of two"."""
        return any(
            word in ("instead", "rather") and "CD" in self._tags[i + 1 : i + 3] for i, word in enumerate(self._lower)
        )

    def _is_left_doing(self, i: int) -> bool:
        """ "He left the bath running"."""
        if (
            self._tags[i] not in ("VBG", "VBN")
            or self._after_comma(i)
            or self._relations[i] not in ("acl", "advcl", "xcomp")
        ):
            return False
        head = self._heads[i]
        verb = self._heads[head] if self._relations[head] == "dobj" else head
        return verb != ROOT and self._lower[verb] in rule_words.LEAVING and bool(self._of(verb, "dobj"))

    def _says_more_than_pronoun(self, i: int) -> bool:
        """ "Because it reached us three days late": in a reason, what follows "us" is what matters."""
        clause = self._heads[i]
        marks = {self._lower[j] for j in self._of(clause, "mark")}
        objects = [j for j in self._of(clause, "dobj") if self._tags[j] == "PRP" and clause < j < i]
        behind = [j for j in self._of(clause, "prep", "npadvmod", "advmod") if objects and j > objects[0]]
        return bool(marks & rules.ADJUNCT_MARKS) and bool(behind) and behind[0] == i

    def _is_of_some(self, i: int) -> bool:
        """ "It lowers the risk in people over 65": of whom a finding holds."""
        if self._lower[i] not in ("in", "among", "for"):
            return False
        shares = [j for j in self._of(i, "pobj") if self._lower[j] in ("percent", "half") or self._lower[j][-1] == "%"]
        shares = [j for j in shares if not any(self._lower[k] in ("first", "second") for k in self._of(j, "amod"))]
        if any(self._of(j, "prep") for j in shares):
            return True  # "halved the attacks in 40 percent of patients"
        if self._told_as_past(self._heads[i]):
            return False
        people = [j for j in self._of(i, "pobj") if self._lower[j] in rules.PEOPLE]
        return any(self._of(j, "prep", "relcl", "acl", "amod", "nummod") for j in people)

    def _is_fixed(self, i: int) -> bool:
        """ "Brought the fire under control": a bare noun that makes one verb with the verb before it."""
        objects = [j for j in self._of(i, "pobj") if self._lower[j] in rules.LIGHT_NOUNS and not self._children[j]]
        return bool(objects) and i < objects[0] and self._tags[self._heads[i]].startswith("VB")
