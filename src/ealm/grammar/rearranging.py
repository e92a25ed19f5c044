"""A parse, rearranged where leaving out follows other lines than syntax.

The last member of a coordination carries the others and the conjunction; "from A to B" is one phrase; "X said that"
hangs on what X said, so that it may go; titles and company designators hang on the name.
"""

from bisect import insort
from collections.abc import Sequence

from ealm.grammar import rules
from ealm.grammar.protocol import Parse
from ealm.text.words import straight_apostrophes

ROOT = -1
"""The head of the root."""


class Tree:
    """A parse that can be rearranged."""

    def __init__(self, words: Sequence[str], parse: Parse, is_word: Sequence[bool]) -> None:
        self.words = words
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
        return [i for i in own if self.relations[i] in relations] if relations else own[:]

    def subtree(self, index: int) -> set[int]:
        found, waiting = {index}, [index]
        while waiting:
            for child in self._children[waiting.pop()]:
                if child not in found:
                    found.add(child)
                    waiting.append(child)
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
        if any(word in rules.NEGATORS or word.endswith("n't") for word in self.lower):
            return set()
        return {
            i
            for i in self.compounds()
            if not self.children(i) and (self.lower[i], self.lower[i + 1]) not in rules.FIXED_COMPOUNDS
            if self.relations[i + 1] in ("nsubj", "nsubjpass", "dobj", "pobj", "attr")
        }

    def give_objects(self) -> None:
        """A preposition without an object takes the noun behind it that a parser hung elsewhere ("rose by a third")."""
        for i in range(len(self.words) - 1):
            if self.relations[i] != "prep" or not self.is_word[i] or self.children(i):
                continue
            behind = [j for j in range(i + 1, min(i + 7, len(self.words))) if self.heads[j] == self.heads[i]]
            noun = behind and self.is_word[behind[0]] and self.tags[behind[0]][:2] in ("NN", "CD", "JJ")
            if noun and min(self.subtree(behind[0])) == i + 1:
                self.move(behind[0], i, "pobj")
            elif not behind and self.tags[i + 1] in ("NN", "CD") and self.subtree(i + 1) == {i + 1}:
                self.move(i + 1, i, "pobj")  # "by half between 1350 and 1400"

    def join_idioms(self) -> None:
        """Words that say something else apart ("at least", "all but") hang on the topmost of them."""
        for length in (3, 2):
            for start in range(len(self.words) - length + 1):
                span = range(start, start + length)
                if tuple(self.lower[i] for i in span) in rules.IDIOMS and all(self.is_word[i] for i in span):
                    self._join_idiom(list(span))

    def _join_idiom(self, span: list[int]) -> None:
        last = span[-1]
        if self.relations[last] in ("mark", "prep") and self.heads[last] not in span and self.heads[last] > last:
            clause = self.heads[last]
            if self.heads[clause] in span:
                above = next((self.heads[i] for i in span if self.heads[i] not in (*span, clause)), ROOT)
                if above == ROOT:
                    return
                self.move(clause, above, "advcl")
            for i in span[:-1]:
                self.move(i, last, "idiom")
            self.relations[last] = "idiom"
            if tuple(self.lower[i] for i in span) in rules.CONDITIONAL_IDIOMS:
                self.conditional.add(clause)
            if tuple(self.lower[i] for i in span) in rules.CONCESSIVE_IDIOMS:
                self.concessive.add(clause)
            return
        outside = [i for i in span if self.heads[i] not in span]
        top = outside[0] if outside else span[0]
        if self.heads[top] == ROOT:
            return
        for i in span:
            if i != top:
                self.move(i, top, "idiom")
        if self.relations[top] in ("advmod", "quantmod", "amod", "npadvmod", "det", "predet", "mark", "cc", "appos"):
            self.relations[top] = "idiom"

    def join_substitutions(self) -> None:
        """ "Rather than B" is one phrase, whatever B is."""
        for start in range(len(self.words) - 2):
            if (self.lower[start], self.lower[start + 1]) != ("rather", "than"):
                continue
            spans = {i: self.subtree(i) for i in range(start + 2, len(self.words)) if self.is_word[i]}
            heads = [i for i, inside in spans.items() if min(inside - {start, start + 1}) == start + 2]
            if heads:
                phrase = max(heads, key=lambda i: len(spans[i]))
                for i in (start, start + 1):
                    if self.heads[i] != ROOT and i not in (phrase, self.heads[phrase]):
                        self.move(i, phrase, "idiom")

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

    def free_designators(self) -> None:
        """ "Norvik Corp" hangs on "Norvik"; "Merck & Co's drug" may become "Merck's drug"."""
        for i, word in enumerate(self.lower):
            if word not in rules.DESIGNATORS or not self.is_word[i]:
                continue
            if self.relations[i] == "conj":
                head = self.heads[i]
                signs = [j for j in self.children(head, "cc") + self.children(i, "cc") if self.lower[j] in ("&", "and")]
                for sign in signs:
                    self.move(sign, i, "cc")
                for ending in self.children(i, "case"):
                    self.move(ending, head, "case")
                self.move(i, head, "designator")
                continue
            names = [j for j in self.children(i, "compound", "nmod") if j < i]
            if names and names[-1] >= i - 2 and self.tags[names[-1]].startswith("NNP"):
                self._swap(i, names[-1])

    def _swap(self, head: int, name: int) -> None:
        """The name takes the place of its head, and what hung on that."""
        above, relation = self.heads[head], self.relations[head]
        for child in self.children(head):
            if child != name:
                self.attach(child, name)
        self.move(name, above, relation)
        self.move(head, name, "designator")
        if self.root == head:
            self.root = name

    def free_titles(self) -> None:
        """ "Norvik Corp Chief Executive Ann Lee": all up to the title may go, and with it "former"."""
        for name in range(len(self.words)):
            if not self.is_word[name] or not self.tags[name].startswith("NNP"):
                continue
            before = [i for i in self.children(name, "compound", "nmod", "amod", "poss") if i < name]
            titles = [i for i in before if self._is_title(i, name)]
            if titles:
                title = titles[-1]
                for i in before:
                    if i < title:
                        self.attach(i, title)
                self.move(title, name, "title")

    def _is_title(self, index: int, name: int) -> bool:
        if self.relations[index] not in ("compound", "nmod") or index >= name:
            return False
        return self.lower[index] in rules.TITLES or self.tags[index] in ("NN", "NNS")

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
        whole = self._is_whole(head, members, conjunctions)
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
                whole = contrast or self._shares_object(before, member)
                self.move(member, above, "conj-whole" if whole else "conj")
                if own:
                    first, waiting = member, []
                else:
                    waiting.append(member)
            for cc in own:
                self.move(cc, member, "cc")
            self._share_condition(member, above)
            owner, before = member if independent else owner, member

    def _share_condition(self, member: int, above: int) -> None:
        """ "Stop and call us if it hurts": without a comma, the condition is that of both."""
        start = min(self.subtree(member)) - 1
        while start > above and self.relations[start] in ("cc", "discourse"):
            start -= 1
        if not self.is_word[start] or self.children(member, "nsubj", "nsubjpass", "expl"):
            return
        for clause in self.children(member, "advcl"):
            if clause > member and {self.lower[i] for i in self.children(clause, "mark")} & rules.CONDITIONS:
                self.attach(clause, above)

    def _asks(self, clause: int) -> bool:
        """Whether a clause is a question by the order of its words."""
        subjects = self.children(clause, "nsubj", "nsubjpass", "expl")
        auxiliaries = self.children(clause, "aux", "auxpass")
        return bool(auxiliaries) and auxiliaries[0] < subjects[0]

    def _shares_object(self, verb: int, member: int) -> bool:
        """ "Peel and dice the potatoes": the first verb has its object behind the second."""
        return member == verb + 2 and bool(self.children(member, "dobj")) and not self.children(verb, "dobj")

    def _is_whole(self, head: int, members: list[int], conjunctions: list[int]) -> bool:
        """Whether a member left out makes it untrue: alternatives, "between A and B", "not A but B"."""
        joined = {self.lower[cc] for cc in conjunctions}
        if (
            joined == {"or"}
            and len(members) == 1
            and not self.is_word[conjunctions[0] - 1]
            and not self._is_negated(head)
        ):
            return False  # "575 jobs, or 7 percent": the same in other words, or another offer
        if joined == {"or"} and (self._is_supposed(head) or self._is_denied(head)):
            return False  # what holds if A or B holds if A; who does neither A nor B does not A
        if joined & (rules.ALTERNATIVES | {"&"}) or self.children(head, "preconj"):
            return True
        if self.tags[head] == "CD" or (self.tags[head] == "JJ" and self.tags[members[-1]] in ("NN", "NNS")):
            return True  # "they are 9 and 12", "the German and the English version"
        above = self.heads[head]
        if above != ROOT and self.lower[above] in ("between", "among") and self.relations[head] == "pobj":
            return True
        first = min(self.subtree(head))
        if "between" in (self.lower[first], self.lower[first - 1] if first else ""):
            return True
        universal = self.lower[head] in rules.GENERIC_HEADS | {"nothing", "everything", "all", "none"}
        if "but" in joined and universal:
            return True
        negated = any(self.lower[i] in rules.NEGATORS for i in self.children(head, "neg", "advmod", "det", "preconj"))
        return "but" in joined and negated

    def _is_denied(self, noun: int) -> bool:
        """Whether a noun is what a negated verb is about."""
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
            if self.relations[i] != "cc" or not self.is_word[i] or self.relations[self.heads[i]].startswith("conj"):
                continue
            behind = [j for j in range(i + 1, len(self.words)) if self.is_word[j] and self.heads[j] == self.heads[i]]
            if behind and word != "&" and not (i < behind[0] and self.heads[i] == self.root and i < self.heads[i]):
                self.move(i, behind[0], "cc")
            elif word != "&":
                self.relations[i] = "discourse"

    def join_ranges(self) -> None:
        """ "From A to B" is one phrase."""
        for start in range(len(self.words)):
            if self.lower[start] != "from" or self.relations[start] not in ("prep", "conj"):
                continue
            near = {self.heads[start], start, *self.children(start, "pobj")}
            ends = [
                i
                for i in range(start + 1, len(self.words))
                if self.lower[i] in ("to", "until", "till", "through", "into") and self.relations[i] in ("prep", "pobj")
                if self.heads[i] in near
            ]
            if ends and not any(self.words[i] == "," for i in range(start, ends[0])):
                self.move(ends[0], start, "range-end")

    def mend(self) -> None:
        """What rearranging may have cut off hangs on the root: no word is ever lost."""
        if self.root is None:
            return
        reached = self.subtree(self.root)
        for i, own in enumerate(self.is_word):
            if own and i not in reached:
                self.move(i, self.root, "dep")
                reached |= self.subtree(i)
