"""A parse, rearranged where leaving out follows other lines than syntax.

The last member of a coordination carries the others and the conjunction; "from A to B" is one phrase; "X said that"
hangs on what X said, so that it may go; titles and company designators hang on the name.
"""

from bisect import insort
from collections.abc import Collection, Sequence

from ealm.grammar import rules
from ealm.grammar.protocol import Parse
from ealm.text.words import straight_apostrophes

ROOT = -1
"""The head of the root."""


class Tree:
    """A parse that can be rearranged."""

    def __init__(self, words: Sequence[str], parse: Parse, is_word: Sequence[bool]) -> None:
        self.words = words
        self.parse = parse
        """As it was before anything is rearranged."""
        self.lower = [straight_apostrophes(word).lower() for word in words]
        self.heads = [ROOT if head in (ROOT, i) else head for i, head in enumerate(parse.heads)]
        self.relations = list(parse.relations)
        self.tags = parse.tags
        self.is_word = list(is_word)
        roots = [i for i, head in enumerate(self.heads) if head == ROOT and is_word[i]]
        self.root = roots[0] if roots else self._first_word()
        self.source_heads = list(self.heads)
        self.conditional: set[int] = set()
        """Clauses on which the truth of their head hangs, by an idiom."""
        self.concessive: set[int] = set()
        """Clauses on which it does not hang, although they have an "if"."""
        self.opening: frozenset[int] = frozenset()
        """Words that only the whole sentence has: an address before it, "that" of the second clause that is told."""
        self.announced = False
        """Whether a frame tells the reader what follows."""
        self.backshifted: dict[int, int] = {}
        """ "Would" of what somebody said of his own plans, and the verb of saying: without that, it is "will"."""
        self._children: list[list[int]] = [[] for _ in words]
        for i, head in enumerate(self.heads):
            if head != ROOT and is_word[i]:
                self._children[head].append(i)
        for other in roots[1:]:
            self.move(other, roots[0], "parataxis")

    def _first_word(self) -> int | None:
        """Where punctuation is the root, the first word takes its place."""
        return next((i for i, own in enumerate(self.is_word) if own), None)

    def move(self, index: int, head: int, relation: str) -> None:
        self.attach(index, head)
        self.relations[index] = relation

    def attach(self, index: int, head: int) -> None:
        """Hang a word on another one, with the relation that it has."""
        if self.is_word[index]:
            if self.heads[index] != ROOT:
                self._children[self.heads[index]].remove(index)
            if head != ROOT:
                insort(self._children[head], index)
        self.heads[index] = head

    def children(self, index: int, *relations: str) -> list[int]:
        """Words that hang on a word, from left to right."""
        own = self._children[index]
        return [i for i in own if self.relations[i] in relations] if relations and own else own[:]

    def subtree(self, index: int) -> set[int]:
        found, waiting = {index}, [index]
        while waiting:
            for child in self._children[waiting.pop()]:
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        return found

    def remove(self, words: Collection[int]) -> None:
        """Take words out of the tree, with nothing of them left that another word could need."""
        for i in words:
            self.attach(i, ROOT)
            self.is_word[i] = False

    def bracketed(self) -> set[int]:
        """Words in brackets."""
        found, start = set(), None
        for i, word in enumerate(self.words):
            if word in ("(", "["):
                start = i
            elif word in (")", "]") and start is not None:
                found |= set(range(start + 1, i))
                start = None
        return found

    def compounds(self) -> set[int]:
        """Common nouns right before the noun that they belong to: "retirement age", "room temperature"."""
        common = ("NN", "NNS")
        return {
            i
            for i, head in enumerate(self.heads)
            if self.relations[i] == "compound" and head == i + 1
            if self.tags[i] in common and self.tags[head] in common
        }

    def loose_compounds(self) -> set[int]:
        """Those that may go if need be: a tax reform is a reform, but a car park is no park."""
        defined = self.root is not None and bool(self.children(self.root, "attr"))  # "a hash table is a structure"
        if defined or any(word in rules.NEGATORS or word.endswith("n't") for word in self.lower):
            return set()
        return {
            i
            for i in self.compounds()
            if not self.children(i) and (self.lower[i], self.lower[i + 1]) not in rules.FIXED_COMPOUNDS
            if self.lower[i + 1] not in rules.EMPTY_NOUNS
            if self.relations[i + 1] in ("nsubj", "nsubjpass", "dobj", "pobj", "attr")
        }

    def loose_adjectives(self) -> set[int]:
        """Who may not sell without prior written consent may not sell without consent."""
        return {
            i
            for i, head in enumerate(self.heads)
            if self.relations[i] == "amod" and self.relations[head] == "pobj" and not self.children(i)
            if self.lower[self.heads[head]] == "without" and self._is_negated(self.heads[self.heads[head]])
        }

    def lift_from_punctuation(self) -> None:
        """What hangs on a punctuation mark hangs on its head."""
        for i, own in enumerate(self.is_word):
            if not own:
                self.attach(i, ROOT)
                continue
            head, steps = self.heads[i], 0
            while head != ROOT and not self.is_word[head] and steps < len(self.heads):
                head, steps = self.source_heads[head], steps + 1
            if i == self.root:
                self.attach(i, ROOT)
            elif head in (ROOT, i) or not self.is_word[head]:
                self.attach(i, self.root if self.root is not None else ROOT)
            else:
                self.attach(i, head)

    def mend_coordinations(self) -> None:
        """A clause behind "and" that a parser took for a complement is a conjunct."""
        for i in range(1, len(self.words)):
            if self.relations[i] == "ccomp" and self.is_word[i] and self.heads[i] < i:
                start = min(self.subtree(i))
                before = next((j for j in range(start - 1, -1, -1) if self.is_word[j]), None)
                if before is not None and self.relations[before] == "cc":
                    self.move(i, self.heads[i], "conj")
                    self.move(before, i, "cc")

    def join_coordinations(self) -> None:
        """ "A, B and C": C hangs on A and takes "and" with it, B hangs on C; what is left is "A and C", or "A"."""
        for head in range(len(self.words)):
            if self.is_word[head] and self.relations[head] != "conj":
                members = self._members(head)
                if members and self.tags[head].startswith("VB"):
                    self._join_clauses(head, members)
                elif members:
                    self._join(head, members)

    def _members(self, head: int) -> list[int]:
        found, waiting = [], [head]
        while waiting:
            new = [i for i in self.children(waiting.pop(), "conj") if i not in found]
            found += new
            waiting += new
        return sorted(found)

    def _join(self, head: int, members: list[int]) -> None:
        conjunctions = [cc for member in (head, *members) for cc in self.children(member, "cc")]
        last = members[-1]
        whole = self._is_whole(head, members, conjunctions) or "&" in self.words[head + 1 : last]
        for member in members[:-1]:
            self.move(member, last, "conj-whole" if whole else "conj")
        self.move(last, head, "conj-whole" if whole else "conj")
        for cc in conjunctions:
            behind = next((member for member in members if member > cc), last)
            self.move(cc, behind, "cc")

    def _join_clauses(self, head: int, members: list[int]) -> None:
        """Each clause hangs on the first one, or a predicate on the clause whose subject it shares, with its own "and".

        Alternatives hang on the first of them, and none may go.
        """
        conjunctions = sorted(cc for member in (head, *members) for cc in self.children(member, "cc"))
        owner, before, first, waiting = head, head, head, list[int]()
        for member in members:
            own = [cc for cc in conjunctions if before < cc < member]
            independent = bool(self.children(member, "nsubj", "nsubjpass", "expl"))
            above = head if independent else owner
            alternative = bool({self.lower[cc] for cc in own} & rules.ALTERNATIVES)
            if alternative and not (independent and self._asks(member)) and self._is_whole(above, [member], own):
                for i in (*waiting, member):
                    self.move(i, first, "conj-whole")
            else:
                contrast = bool(own) and not independent and self._is_whole(above, [member], own)
                whole = contrast or self._shares_object(before, member) or self._shares_negation(above, member)
                self.move(member, above, "conj-whole" if whole else "conj")
                if own:
                    first, waiting = member, []
                else:
                    waiting.append(member)
            for cc in own:
                self.move(cc, member, "cc")
            self._share_consent(member, above)
            self._share_end(member, above)
            if len(members) == 1:  # of more, the last one is meant: "do A, do B and do C if …"
                self._share_condition(member, above)
            owner, before = member if independent else owner, member

    def _share_consent(self, member: int, above: int) -> None:
        """ "Must not sell or lend it without consent": what limits the last prohibition limits all."""
        if self.tags[above] == "VB" and self._is_negated(above) and not self._is_negated(member):
            for phrase in self.children(member, "prep"):
                if phrase > member and self.lower[phrase] in rules.LIMITING_PREPOSITIONS:
                    self.attach(phrase, above)

    def _share_end(self, member: int, above: int) -> None:
        """ "You may eat and drink until midnight"."""
        for phrase in self.children(member, "prep"):
            if member == above + 2 and phrase > member and self.lower[phrase] in ("until", "till"):
                self.attach(phrase, above)

    def _share_condition(self, member: int, above: int) -> None:
        """ "Stop and call us if it hurts": without a comma, the condition is that of both."""
        start = min(self.subtree(member)) - 1
        while start > above and self.relations[start] in ("cc", "discourse"):
            start -= 1
        helped = self.children(above, "nsubj", "nsubjpass") and self.children(member, "aux", "auxpass")
        if not self.is_word[start] or helped or self.children(member, "nsubj", "nsubjpass", "expl"):
            return
        shared = rules.CONDITIONS - (
            {"until", "till"} if self.tags[above] == "VBD" else set()
        )  # "bought it and used it"
        for clause in self.children(member, "advcl"):
            if clause > member and {self.lower[i] for i in self.children(clause, "mark")} & shared:
                self.attach(clause, above)

    def _asks(self, clause: int) -> bool:
        """Whether a clause is a question by the order of its words."""
        subjects = self.children(clause, "nsubj", "nsubjpass", "expl")
        auxiliaries = self.children(clause, "aux", "auxpass")
        return bool(auxiliaries) and auxiliaries[0] < subjects[0]

    def _shares_negation(self, verb: int, member: int) -> bool:
        """ "Do not drink and drive": without a comma, only both together are denied."""
        denied = self._is_negated(verb) and not self._is_negated(member)
        return (
            denied and self.tags[verb] == self.tags[member] == "VB" and verb < member and all(self.is_word[verb:member])
        )

    def _shares_object(self, verb: int, member: int) -> bool:
        """ "Peel and dice the potatoes": the first verb has its object behind the second."""
        return member == verb + 2 and bool(self.children(member, "dobj")) and not self.children(verb, "dobj")

    def _is_whole(self, head: int, members: list[int], conjunctions: list[int]) -> bool:
        """Whether a member left out makes it untrue: alternatives, "between A and B", "not A but B"."""
        joined = {self.lower[cc] for cc in conjunctions}
        if self.relations[head] in ("nmod", "compound"):
            return True  # "the bank and securities regulators"
        if self.tags[head].startswith("NN") and any(self.tags[i] == "JJ" for i in members[:-1]):
            return True  # "jobs, factory and retail sales"
        last = members[-1]
        plural = any(self.tags[i] == "VBP" or self.lower[i] == "were" for i in self._verb_of(head))
        if plural and self.tags[head] in ("NN", "NNP"):
            return True  # "nausea and dizziness were common"
        if self.lower[last] in ("half", "quarter"):
            return True  # "a year and a half"
        joins = self.tags[head] == "NN" and bool(conjunctions) and conjunctions[-1] == head + 1
        if joins and self.children(last, "compound") and min(self.subtree(last)) == head + 2:
            return True  # "profit and market share forecasts"
        if (
            joined == {"or"}
            and len(members) == 1
            and not self.is_word[conjunctions[0] - 1]
            and not self._is_negated(head)
            and "only" not in self.lower[: conjunctions[0]]
        ):
            return False  # "575 jobs, or 7 percent": the same in other words, or another offer
        forbidden = self.tags[head] == "VB" and self._is_negated(head)
        if joined == {"or"} and (forbidden or self._is_supposed(head) or self._is_denied(head)):
            return False  # what holds if A or B holds if A; who does neither A nor B does not A
        if joined & (rules.ALTERNATIVES | {"&"}) or self._has_both(head):
            return True
        if self.tags[head] == "CD" or (self.tags[head] == "JJ" and self.tags[members[-1]] in ("NN", "NNS")):
            return True  # "they are 9 and 12", "the German and the English version"
        above = self.heads[head]
        if self.tags[head] == "JJ" and above != ROOT and self._is_denied(above):
            return True  # "do not mix old and new batteries"
        if above != ROOT and self.lower[above] in ("between", "among") and self.relations[head] == "pobj":
            return True
        first = min(self.subtree(head))
        if "between" in (self.lower[first], self.lower[first - 1] if first else ""):
            return True
        universal = self.lower[head] in rules.GENERIC_HEADS | {"nothing", "everything", "all", "none"}
        if "but" in joined and universal:
            return True
        if "but" in joined and self.lower[last] in ("that", "those") and self._is_negated(last):
            return True  # "the cost of repairs, but not that of repairs which …"
        negated = any(self.lower[i] in rules.NEGATORS for i in self.children(head, "neg", "advmod", "det", "preconj"))
        return "but" in joined and negated

    def _has_both(self, noun: int) -> bool:
        """ "Both A and B", "either A or B"."""
        both = any(self.lower[i] == "both" for i in self.children(noun, "det", "predet", "amod"))
        return both or bool(self.children(noun, "preconj"))

    def _verb_of(self, noun: int) -> list[int]:
        """The verb of which a noun is the subject, with its auxiliaries."""
        if self.relations[noun] not in ("nsubj", "nsubjpass") or self.heads[noun] == ROOT:
            return []
        return [self.heads[noun], *self.children(self.heads[noun], "aux", "auxpass")]

    def _is_denied(self, noun: int) -> bool:
        """Whether a noun is what a negated verb is about: "did not see A or B", "is not liable for A or B"."""
        if self.relations[noun] == "pobj":
            adjective = self.heads[self.heads[noun]]
            return (
                adjective != ROOT and self.relations[adjective] == "acomp" and self._is_negated(self.heads[adjective])
            )
        return self.relations[noun] in ("dobj", "attr") and self._is_negated(self.heads[noun])

    def _is_supposed(self, index: int) -> bool:
        """Whether it stands in a clause with "if"."""
        while index != ROOT and self.relations[index] not in ("ccomp", "relcl", "ROOT"):
            marks = [i for i in self.children(index) if self.lower[i] == "if"]
            if marks:
                return marks[0] == 0 or self.lower[marks[0] - 1] not in ("only", "even", "as")
            index = self.heads[index]
        return False

    def _is_negated(self, index: int) -> bool:
        return any(self.lower[i] in rules.NEGATORS or self.lower[i].endswith("n't") for i in self.children(index))

    def settle_conjunctions(self) -> None:
        """A conjunction without a conjunct hangs on the phrase behind it, or may go."""
        for i, word in enumerate(self.lower):
            if self.relations[i] != "cc" or not self.is_word[i] or self._opens_conjunct(i):
                continue
            joined = [
                j for j in range(i + 1, len(self.words)) if self.relations[j] == "conj" and self._starts(j, i + 1)
            ]
            if joined and not self.children(joined[0], "cc"):
                self.move(i, joined[0], "cc")
                continue
            behind = [j for j in range(i + 1, len(self.words)) if self.is_word[j] and self.heads[j] == self.heads[i]]
            if behind and word != "&" and not (i < behind[0] and self.heads[i] == self.root and i < self.heads[i]):
                self.move(i, behind[0], "cc")
            elif word != "&":
                self.relations[i] = "discourse"

    def _opens_conjunct(self, cc: int) -> bool:
        return self.relations[self.heads[cc]].startswith("conj") and cc < self.heads[cc]

    def _starts(self, phrase: int, index: int) -> bool:
        """Whether a phrase begins there."""
        return self.is_word[phrase] and min(self.subtree(phrase)) == index

    def mend(self) -> None:
        """What rearranging may have cut off hangs on the root: no word is ever lost."""
        if self.root is None:
            return
        reached = self.subtree(self.root)
        for i, own in enumerate(self.is_word):
            if own and i not in reached:
                self.move(i, self.root, "dep")
                reached |= self.subtree(i)
