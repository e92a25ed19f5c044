"""The plan of one sentence: of each length the draft to write, and the walk that leads there."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ealm.goal_agent.tree_planning import Draft, NestedDrafts, UnitTree
from ealm.grammar.rearranging import ROOT
from ealm.grammar.structure import Structure
from ealm.paper.edits import Action
from ealm.paper.rollout import Step, Walk

Fits = Callable[[Sequence[int]], bool]
"""Whether the words at these indices (ascending) are short enough together."""

Punctuated = Callable[[Collection[int]], set[int]]
"""Indices of the punctuation that stays with these words."""

_INNER = frozenset({"compound", "designator", "nmod", "poss", "title", "amod", "nummod"})
"""Relations of nouns that are no phrase by themselves."""

_CLAUSES = frozenset({"relcl", "acl", "advcl", "ccomp", "xcomp", "parataxis", "attribution", "conj"})


@dataclass(frozen=True, slots=True)
class TreePlanSettings:
    """How words are valued and drafts are chosen."""

    base: float = 0.25
    """Added to the importance of each word: how much it counts to fill the length."""
    adjacency: float = 0.0
    spare: float = -1.0
    """Value of a word that a headline does without."""
    nested: bool = True


@dataclass(frozen=True, slots=True)
class PlannedDraft:
    """What is left of a sentence."""

    kept: tuple[int, ...]
    """Indices of words and punctuation."""
    complete: bool
    """Whether it is a statement; a phrase, where no true statement fits."""


class TreePlan:
    """Finds drafts of one sentence."""

    def __init__(
        self,
        structure: Structure,
        importance: Sequence[float],
        sizes: Sequence[int],
        *,
        punctuation: Punctuated,
        is_noun: Sequence[bool],
        settings: TreePlanSettings,
    ) -> None:
        """`importance` and `sizes` (in words, 0 for what is no word of its own) are those of the words."""
        self._structure = structure
        self._values = [own + settings.base for own in importance]
        for i in structure.spare:
            self._values[i] = settings.spare
        self._sizes = sizes
        self._punctuation = punctuation
        self._is_noun = is_noun
        self._settings = settings
        self._tree = UnitTree(structure, self._values, sizes, adjacency=settings.adjacency)
        self._chains: dict[frozenset[int], NestedDrafts] = {}

    def draft(self, fits: Fits, *, keep: Collection[int] = ()) -> PlannedDraft:
        """The best draft that fits and holds the words to keep; where no statement fits, a phrase."""
        chain = self._chain(frozenset(keep))
        found = chain.longest_fitting(lambda draft: fits(self._indices(self._tree.words(draft))))
        if found is not None:
            if not self._settings.nested:
                found = self._exact(found, chain, fits)
            return PlannedDraft(tuple(self._indices(self._tree.words(found))), True)
        if keep:
            return PlannedDraft(tuple(self._kept_words(keep, fits)), False)
        return self._other_statement(fits) or PlannedDraft(tuple(self._phrase(fits)), False)

    def _kept_words(self, keep: Collection[int], fits: Fits) -> list[int]:
        """The words to keep with what they need below them, or if that does not fit, just these words."""
        required = self._structure.required
        optional = {relation for i, relation in enumerate(self._structure.relations) if not required[i]}
        whole = {j for i in keep for j in _below(self._structure, i, optional)}
        indices = self._indices(whole)
        return indices if fits(indices) else sorted(keep)

    def _other_statement(self, fits: Fits) -> PlannedDraft | None:
        """Another clause of the sentence that says something by itself."""
        for clause in self._clauses:
            inside = _below(self._structure, clause, frozenset()) - self._openers(clause)
            tree = UnitTree(_restricted(self._structure, clause, inside), self._values, self._sizes, adjacency=0.0)
            found = self._longest(tree, fits)
            if found is not None:
                return PlannedDraft(tuple(self._indices(tree.words(found))), True)
        return None

    def _openers(self, clause: int) -> set[int]:
        """Words that join a clause to the one before."""
        structure = self._structure
        return {
            i
            for i, head in enumerate(structure.heads)
            if head == clause
            and (structure.relations[i] == "cc" or (structure.relations[i] == "advmod" and i < clause))
        }

    def _longest(self, tree: UnitTree, fits: Fits) -> Draft | None:
        """The longest draft of a part of the sentence that fits."""
        chain = NestedDrafts(tree, spare=self._structure.spare)
        return chain.longest_fitting(lambda draft: fits(self._indices(tree.words(draft))))

    @cached_property
    def _clauses(self) -> list[int]:
        """Heads of other main clauses: with a subject of their own, beside the root."""
        relations, heads = self._structure.relations, self._structure.heads
        if self._structure.conditional:
            return []
        subordinate = {heads[i] for i, relation in enumerate(relations) if relation == "mark"}
        subjects = {
            heads[i] for i, relation in enumerate(relations) if relation in ("nsubj", "nsubjpass") and self._is_noun[i]
        }
        return [
            i
            for i, relation in enumerate(relations)
            if relation == "conj" and i not in subordinate and heads[i] == self._root and i in subjects
        ]

    def closure(self, keep: Collection[int]) -> list[int]:
        """The shortest statement that holds these words."""
        return self._indices(self._tree.words(self._chain(frozenset(keep)).shortest))

    def _chain(self, keep: frozenset[int]) -> NestedDrafts:
        if keep not in self._chains:
            self._chains[keep] = NestedDrafts(self._tree, keep=keep, spare=self._structure.spare)
        return self._chains[keep]

    def _exact(self, found: Draft, chain: NestedDrafts, fits: Fits) -> Draft:
        """The best draft of this length by itself, whatever drafts of other lengths hold."""
        for size in range(self._tree.size(found) + 4, self._tree.size(chain.shortest), -1):
            best = self._tree.best(size, least=chain.shortest, most=chain.longest)
            if fits(self._indices(self._tree.words(best))):
                return best
        return found

    def _indices(self, words: Collection[int]) -> list[int]:
        return sorted({*words, *self._punctuation(words)})

    def _phrase(self, fits: Fits) -> list[int]:
        """What the sentence is about, as far as it fits: a phrase states nothing, so nothing untrue."""
        for head in self._topics:
            inside = _below(self._structure, head, _CLAUSES)
            tree = UnitTree(_restricted(self._structure, head, inside), self._values, self._sizes, adjacency=0.0)
            found = self._longest(tree, fits)
            if found is not None:
                return self._indices(tree.words(found))
        return []

    @cached_property
    def _topics(self) -> list[int]:
        """Heads of noun phrases: the subject first, then the others by importance."""
        relations, heads = self._structure.relations, self._structure.heads
        nouns = [i for i, noun in enumerate(self._is_noun) if noun and relations[i] not in _INNER]
        subject = [i for i in nouns if relations[i] in ("nsubj", "nsubjpass") and heads[i] == self._root]
        plain = [i for i in subject if not self._is_quantified(i)]
        return [*plain, *sorted(set(nouns) - set(plain), key=lambda i: (self._is_limited(i), -self._values[i]))]

    def _is_limited(self, noun: int) -> bool:
        """Whether it is said of how many, or what is said of it is denied."""
        heads, relations = self._structure.heads, self._structure.relations
        denied = any(heads[i] == heads[noun] and relation == "neg" for i, relation in enumerate(relations))
        return denied or self._is_quantified(noun)

    def _is_quantified(self, noun: int) -> bool:
        """Whether a phrase says of how many: alone, that would be a statement."""
        structure = self._structure
        return any(
            head == noun
            and structure.required[i]
            and structure.relations[i] in ("det", "amod", "advmod", "predet", "neg", "preconj", "idiom")
            for i, head in enumerate(structure.heads)
        )

    @cached_property
    def _root(self) -> int:
        heads, is_word = self._structure.heads, self._structure.is_word
        return next((i for i, head in enumerate(heads) if head == ROOT and is_word[i]), ROOT)

    def walk_to(self, goal: int) -> Walk:
        """A walk to the last word, through the best draft of at most `goal` words."""
        return self.walk(self.draft(lambda kept: sum(self._sizes[i] for i in kept) <= goal).kept)[0]

    def walk(self, kept: Collection[int]) -> tuple[Walk, int]:
        """A walk through this draft, and its step there: all else goes first, the least valuable first."""
        length = len(self._values)
        order = sorted(
            range(length), key=lambda i: (i in kept, self._structure.is_word[i], self._depth(i), self._values[i])
        )
        steps = tuple(Step(i, Action.REMOVE, (-self._values[i], 0.0)) for i in order)
        return Walk(length, steps), length - len(kept)

    def _depth(self, i: int) -> int:
        """Below 0: the deepest word goes first."""
        depth = 0
        while self._structure.heads[i] != ROOT and depth > -len(self._values):
            i, depth = self._structure.heads[i], depth - 1
        return depth


def _below(structure: Structure, head: int, without: Collection[str]) -> set[int]:
    """A word and all below it, but for these relations."""
    inside = {head}
    for _ in structure.heads:
        more = {
            i
            for i, above in enumerate(structure.heads)
            if above in inside and i not in inside and structure.relations[i] not in without
        }
        if not more:
            break
        inside |= more
    return inside


def _restricted(structure: Structure, head: int, inside: Collection[int]) -> Structure:
    """The structure of a part of the sentence with its own root."""
    return replace(
        structure,
        heads=tuple(above if i in inside and i != head else ROOT for i, above in enumerate(structure.heads)),
        is_word=tuple(own and i in inside for i, own in enumerate(structure.is_word)),
    )
