"""The plan of one sentence: of each length the draft to write, and the walk that leads there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Protocol

from ealm.common.caching import cached_property
from ealm.common.pieces import between_pieces
from ealm.goal_agent.tree_planning import Draft, NestedDrafts, UnitTree
from ealm.grammar.drafts.careful import careful
from ealm.grammar.drafts.remarks import Remark
from ealm.grammar.drafts.structure import Structure, below, restricted
from ealm.grammar.drafts.trims import Trim, trims
from ealm.grammar.trees.rearranging import ROOT
from ealm.paper.edits import Action
from ealm.paper.rollout import Step, Walk
from ealm.text.paraphrase import agreeing_articles, contraction


class Fits(Protocol):
    """Whether the words at these indices (ascending) are short enough together, some of them written otherwise."""

    def __call__(self, indices: Sequence[int], written: Mapping[int, str] | None = None, /) -> bool: ...


class Punctuated(Protocol):
    """The punctuation of a sentence."""

    def __call__(self, words: Collection[int], /) -> set[int]:
        """Indices of the punctuation that stays with these words."""

    def joined(self, kept: Collection[int], /) -> int | None:
        """The comma in whose place "and" belongs, where a list of clauses has lost its end."""


_NEVER = float("-inf")

_PHRASE_WORD = 0.5
"""What each word of a phrase is worth beside its importance: a longer phrase says more."""


@dataclass(frozen=True, slots=True)
class TreePlanSettings:
    """How words are valued and drafts are chosen."""

    base: float = 1.0
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
    written: Mapping[int, str] = field(default_factory=dict)
    """What is written in the place of words."""


class TreePlan:
    """Finds drafts of one sentence."""

    def __init__(
        self,
        structure: Structure,
        importance: Sequence[float],
        sizes: Sequence[int],
        *,
        punctuation: Punctuated,
        settings: TreePlanSettings,
        main_only: bool = False,
    ) -> None:
        """`importance` and `sizes` (in words, 0 for what is no word of its own) are those of the words.

        With `main_only`, no other clause stands in place of the main one, and nothing is contracted.
        """
        self._structure, self._importance, self._main_only = structure, importance, main_only
        self._values = [own + settings.base for own in importance]
        for i in structure.spare:
            self._values[i] = settings.spare
        for articles in structure.dispensable[:1]:  # an article is no reason to leave out a noun
            for i in articles:
                self._values[i] = max(self._values[i], 0.0)
        self._sizes = sizes
        self._punctuation = punctuation
        self._settings = settings
        short = [0 if i in self._signs else size for i, size in enumerate(sizes)]
        self._tree = UnitTree(structure, self._values, short, adjacency=settings.adjacency)
        self._chains: dict[frozenset[int], NestedDrafts] = {}

    @cached_property
    def careful(self) -> "TreePlan":
        """The same for a sentence of a text: it has neighbours that may give more, so it gives what it can spare."""
        own = careful(self._structure)
        marks, settings = self._punctuation, self._settings
        return TreePlan(own, self._importance, self._sizes, punctuation=marks, settings=settings, main_only=True)

    @property
    def values(self) -> Sequence[float]:
        """What each word is worth."""
        return self._values

    @property
    def tags(self) -> tuple[str, ...]:
        """Parts of speech of all words; none where there is no tree."""
        tree = self._structure.tree
        return () if tree is None else tree.tags

    @cached_property
    def trims(self) -> Sequence[Trim]:
        """What the sentence may lose where another sentence takes its place."""
        tree = self._structure.tree
        return () if tree is None else trims(tree.words, tree.parse, tree.is_word)

    @cached_property
    def subjects(self) -> frozenset[int]:
        """The subjects of the main clause, as parsed."""
        tree = self._structure.tree
        if tree is None or tree.root is None:
            return frozenset()
        heads = tree.source_heads
        top = next((i for i, head in enumerate(heads) if head == ROOT), tree.root)
        return frozenset(i for i, own in enumerate(tree.relations) if heads[i] == top and own.startswith("nsubj"))

    def draft(self, fits: Fits, *, keep: Collection[int] = (), rephrase: bool = True) -> PlannedDraft:
        """The best draft that fits and holds the words to keep; where no statement fits, a phrase.

        With `rephrase`, a remark may stand for conditions that do not fit.
        """
        between_pieces()
        own_fits = fits
        if rephrase:
            fits = self._with_signs(self._with_joints(fits), self._signs)
        frames = self._structure.is_framing and not keep and not self._main_only
        found = self._told(fits, rephrase=rephrase) if frames else None
        found = found or self._planned(fits, keep=keep) or self._less_than_planned(fits, keep=keep, rephrase=rephrase)
        if found is None and rephrase and self._contractions:
            contracted = self._with_signs(fits, self._contractions)
            found = self._planned(contracted, keep=keep) or self._bare(contracted, keep=keep)
        if found is None:
            found = PlannedDraft(tuple(self._kept_words(keep, fits) if keep else self._phrase(fits)), False)
        return self._written(found, own_fits) if rephrase else found

    @cached_property
    def _signs(self) -> dict[int, str]:
        """Of each "percent" behind digits, what is written instead of both: "14%"."""
        tree = self._structure.tree
        words = () if tree is None else tree.words
        behind = [i for i, word in enumerate(words) if i and word.lower() in ("percent", "pct") and self._sizes[i]]
        return {i: f"{words[i - 1]}%" for i in behind if words[i - 1].replace(".", "").replace(",", "").isdigit()}

    @cached_property
    def _contractions(self) -> dict[int, str]:
        """Of each "are" behind a pronoun, what may be written instead of both: "you're"."""
        tree = self._structure.tree
        words = () if tree is None or self._main_only else tree.words
        pairs = ((i, contraction(*pair)) for i, pair in enumerate(pairwise(words), start=1))
        return {i: text for i, text in pairs if text is not None}

    def _with_signs(self, fits: Fits, signs: Mapping[int, str]) -> Fits:
        """The same, with "%" for "percent", or other short forms of two words."""
        if not signs:
            return fits

        def signed(kept: Sequence[int], written: Mapping[int, str] | None = None) -> bool:
            if fits(kept, written):
                return True
            left, own = _signed(kept, signs)
            return fits(left, {**own, **(written or {})})

        return signed

    def _told(self, fits: Fits, *, rephrase: bool) -> PlannedDraft | None:
        """Of "I spoke to him and he says …", what he says; unless all fits."""
        if fits(self._indices([i for i, own in enumerate(self._structure.is_word) if own])):
            return None
        return self._other_statement(fits, rephrase=rephrase)

    def _with_joints(self, fits: Fits) -> Fits:
        """The same, with the "and" that is written where a list has lost its end."""

        def joined(kept: Sequence[int], written: Mapping[int, str] | None = None) -> bool:
            comma = None if written or not fits(kept) else self._punctuation.joined(kept)
            return fits(kept, written if comma is None else {comma: "and"})

        return joined

    def _planned(self, fits: Fits, *, keep: Collection[int]) -> PlannedDraft | None:
        """The best draft of the main statement."""
        chain = self._chain(frozenset(keep))
        pair = chain.around(lambda draft: fits(self._indices(self._tree.words(draft))))
        if pair is None:
            return None
        found: Draft | None = pair[0] if self._settings.nested else self._exact(pair[0], chain, fits)
        if found is not None and not keep:
            found = self._sound(found, chain)
        if found is None:
            return None
        words = self._tree.words(found)
        more = self._loosened(fits, words, self._tree.words(pair[1])) if found == pair[0] else None
        return PlannedDraft(tuple(more or self._indices(words)), True)

    def _loosened(self, fits: Fits, least: Collection[int], most: Collection[int]) -> list[int] | None:
        """The longest draft between two of the chain that a report may leave out more for."""
        loose = None if self._main_only or least == most else self._structure.loosened
        if loose is None:
            return None
        part = replace(loose, is_word=tuple(own and i in most for i, own in enumerate(loose.is_word)))
        tree = UnitTree(part, self._values, self._sizes, adjacency=0.0)
        chain = NestedDrafts(tree, keep=least, spare=self._structure.spare)
        pair = chain.around(lambda draft: fits(self._indices(tree.words(draft))))
        found = None if pair is None else self._indices(tree.words(pair[0]))
        return found if found and self._structure.is_sound(found) else None

    def _less_than_planned(self, fits: Fits, *, keep: Collection[int], rephrase: bool) -> PlannedDraft | None:
        """Where the shortest statement does not fit: without articles, or another one; whoever speaks has articles."""
        if self._main_only:
            return None
        bare = self._bare(fits, keep=keep)
        if keep or (bare is not None and not self._structure.is_spoken(bare.kept)):
            return bare
        loose = self._loosened(fits, (), range(len(self._values)))
        if loose is not None:
            return PlannedDraft(tuple(loose), True)
        other = self._instead(fits, rephrase=rephrase)
        return other or bare

    def _bare(self, fits: Fits, *, keep: Collection[int] = ()) -> PlannedDraft | None:
        """The shortest statement, without articles."""
        chain = self._chain(frozenset(keep))
        for dispensable in self._structure.dispensable:
            whole = self._tree.words(chain.shortest)
            shortest = self._indices(whole - (dispensable - set(keep)))
            if fits(shortest) and (keep or self._structure.is_sound(shortest)):
                return PlannedDraft(tuple(self._with_more(shortest, whole, fits)), True)
        return None

    def _with_more(self, kept: list[int], whole: frozenset[int], fits: Fits) -> list[int]:
        """The shortest statement with those parts of its nouns that there is room for, such as first names."""
        relations = self._structure.relations
        parts = [i for i in whole - set(kept) if relations[i] in ("compound", "amod") and i + 1 in whole]
        for i in sorted(parts, key=self._values.__getitem__, reverse=True):
            more = self._indices([*kept, i])
            if i + 1 in kept and fits(more):
                kept = more
        return kept

    def _sound(self, found: Draft, chain: NestedDrafts) -> Draft | None:
        """The draft, or the next shorter one that shows no sign of a wrong parse."""
        if found == chain.longest or self._structure.is_sound(self._indices(self._tree.words(found))):
            return found
        shorter = (draft for draft in chain.all() if draft < found)
        return next(
            (draft for draft in shorter if self._structure.is_sound(self._indices(self._tree.words(draft)))), None
        )

    def _instead(self, fits: Fits, *, rephrase: bool) -> PlannedDraft | None:
        """A statement in place of the main one, which does not fit."""
        briefer = (self._structure.sourced, self._structure.condensed) if rephrase else ()
        found = (self._condensed(fits, *own) for own in briefer if own is not None)
        return next(filter(None, found), None) or self._other_statement(fits, rephrase=rephrase)

    def _written(self, draft: PlannedDraft, fits: Fits) -> PlannedDraft:
        """With "and" where a list has lost its end, and "a" or "an" as the next word has it."""
        written = dict(draft.written)
        whole = draft.kept
        for known in (self._signs, {**self._signs, **self._contractions}):
            if not fits(draft.kept, written):  # only where the limit asks for it
                left, signs = _signed(whole, known)
                draft, written = replace(draft, kept=tuple(left)), {**signs, **draft.written}
        comma = self._punctuation.joined(draft.kept) if draft.complete and not draft.written else None
        if comma is not None:
            written[comma] = "and"
        tree = self._structure.tree
        if tree is not None:
            written |= {i: "will" for i, said in tree.backshifted.items() if i in draft.kept and said not in draft.kept}
            articles = agreeing_articles(tree.words, draft.kept, written)
            written |= articles if fits(draft.kept, {**written, **articles}) else {}
        return replace(draft, written=written)

    def _condensed(self, fits: Fits, structure: Structure, remark: Remark) -> PlannedDraft | None:
        """The statement with a remark for its conditions, or a word for its source: "… if conditions are met"."""
        sizes = list(self._sizes)
        for place, text in remark.written.items():
            sizes[place] = len(text.strip(": ").split())
        words: list[int] = []
        for own in filter(None, (structure, structure.loosened)):
            words = words or self._best_part(own, lambda kept, _=None: fits(kept, remark.written), sizes)[1]
        if not words:
            least = _shortest(structure, self._values, sizes) - structure.dispensable[0]
            words = self._indices(least) if fits(self._indices(least), remark.written) else []
        if not words or remark.leaves_open(words) or not structure.is_sound(words):
            return None
        if remark.written[remark.place].startswith(":"):  # and no comma before it
            before = max((i for i in words if structure.is_word[i] and i < remark.place), default=0)
            words = [i for i in words if not before < i < remark.place]
        behind = next((i for i in words if i > remark.place), None)
        if behind is not None and not structure.is_word[behind] and remark.written[remark.place].endswith(","):
            words = [i for i in words if i != behind]
        return PlannedDraft(tuple(words), True, {i: text for i, text in remark.written.items() if i in words})

    def _kept_words(self, keep: Collection[int], fits: Fits) -> list[int]:
        """The words to keep with what they need below them, or if that does not fit, just these words."""
        required = self._structure.required
        optional = {relation for i, relation in enumerate(self._structure.relations) if not required[i]}
        whole = {j for i in keep for j in below(self._structure, i, optional)}
        indices = self._indices(whole)
        return indices if fits(indices) else sorted(keep)

    def _other_statement(self, fits: Fits, *, rephrase: bool) -> PlannedDraft | None:
        """The best of the other clauses of the sentence that say something by themselves."""
        best: tuple[float, PlannedDraft | None] = (_NEVER, None)
        for clause in self._structure.clauses:
            if clause.written and not rephrase:
                continue
            part = restricted(self._structure, clause.head, clause.words, subject=clause.subject)
            value, words = self._best_part(part, lambda kept, _=None, own=clause.written: fits(kept, own))
            if clause.subject is not None:  # no comma between a subject and its verb
                words = [i for i in words if self._structure.is_word[i] or not clause.subject < i < clause.head]
            if words and value > best[0]:
                best = value, PlannedDraft(tuple(words), True, clause.written)
        return best[1]

    def _best_part(self, part: Structure, fits: Fits, sizes: Sequence[int] | None = None) -> tuple[float, list[int]]:
        """The longest draft of a part of the sentence that fits, with its value."""
        between_pieces()
        tree = UnitTree(part, self._values, sizes or self._sizes, adjacency=0.0)
        chain = NestedDrafts(tree, spare=self._structure.spare)
        found = chain.longest_fitting(lambda draft: fits(self._indices(tree.words(draft))))
        if found is None:
            return _NEVER, []
        words = tree.words(found)
        return sum(max(self._values[i], 0.0) for i in words), self._indices(words)

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
        """The phrase that says most of what the sentence is about: it states nothing, so nothing untrue."""
        best: tuple[float, list[int]] = (_NEVER, [])
        for topic in self._structure.topics:
            value, words = self._best_part(restricted(self._structure, topic.head, topic.words), fits)
            value += topic.bonus + _PHRASE_WORD * len(words)
            best = max(best, (value, words), key=lambda own: own[0])
        return best[1] or self._single_word(fits)

    def _single_word(self, fits: Fits) -> list[int]:
        """Where not even a phrase fits: a noun, or else any word; without a tree, nothing is known to be safe."""
        words = [i for i, own in enumerate(self._structure.is_word) if own and self.tags and fits([i])]
        nouns = [i for i in words if self.tags[i].startswith("NN")]
        return [max(nouns or words, key=self._values.__getitem__)] if words else []

    def walk_to(self, goal: int) -> Walk:
        """A walk to the last word, through the best draft of at most `goal` words."""
        return self.walk(self.draft(lambda kept, _=None: sum(self._sizes[i] for i in kept) <= goal).kept)[0]

    def walk(self, kept: Collection[int]) -> tuple[Walk, int]:
        """A walk through this draft, and its step there: all else goes first, the least valuable first."""
        length, left, is_word = len(self._values), frozenset(kept), self._structure.is_word
        order = sorted(range(length), key=lambda i: (i in left, is_word[i], self._depths[i], self._values[i]))
        steps = tuple(Step(i, Action.REMOVE, (-self._values[i], 0.0)) for i in order)
        return Walk(length, steps), length - len(kept)

    @cached_property
    def _depths(self) -> list[int]:
        """Below 0: the deepest word goes first."""
        return [self._depth(i) for i in range(len(self._values))]

    def _depth(self, i: int) -> int:
        depth = 0
        while self._structure.heads[i] != ROOT and depth > -len(self._values):
            i, depth = self._structure.heads[i], depth - 1
        return depth


def _signed(kept: Sequence[int], signs: Mapping[int, str]) -> tuple[list[int], dict[int, str]]:
    """The draft with "14%" for "14 percent": what is left of it, and what is written there."""
    found = {i: text for i, text in signs.items() if i in kept and i - 1 in kept}
    return [i for i in kept if i not in found], {i - 1: text for i, text in found.items()}


def _shortest(structure: Structure, values: Sequence[float], sizes: Sequence[int]) -> frozenset[int]:
    """The words of the shortest statement."""
    tree = UnitTree(structure, values, sizes, adjacency=0.0)
    return tree.words(tree.closed(()))
