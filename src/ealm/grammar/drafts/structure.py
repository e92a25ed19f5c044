"""From a dependency parse to the tree of what may be removed: closed sets of words are the drafts that may be written.

`mending`, `rearranging` and `statements` change the parse where a parser errs or leaving out follows other lines than
syntax, `needs` says which dependents a head needs and what the others cost, `rules` has the tables.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ealm.common.caching import cached_property
from ealm.grammar.drafts.costs import Costs
from ealm.grammar.drafts.headlines import (
    Topic,
    copulas,
    demonstratives,
    first_names,
    is_report,
    is_spoken,
    name_tails,
    spare_words,
    topics_of,
    wholes,
)
from ealm.grammar.drafts.loosening import loosened
from ealm.grammar.drafts.remarks import Remark, remark
from ealm.grammar.drafts.soundness import is_sound
from ealm.grammar.drafts.sources import sourced
from ealm.grammar.protocol import Parse
from ealm.grammar.trees.boundaries import bind_contradictions, bind_results
from ealm.grammar.trees.ellipsis import elide_pronouns, elide_subjects
from ealm.grammar.trees.mending import mend_clauses
from ealm.grammar.trees.openings import cut_openings, set_apart
from ealm.grammar.trees.phrases import join_phrases
from ealm.grammar.trees.rearranging import ROOT, Tree
from ealm.grammar.trees.statements import (
    Clause,
    free_antecedents,
    free_statements,
    is_framing,
    other_clauses,
)


@dataclass(frozen=True)
class Structure:
    """Which words need which others: a word needs its head, and a head its required dependents."""

    heads: tuple[int, ...]
    """Of each word after rearranging; `ROOT` for the root, and for punctuation, which needs no place in the tree."""
    required: tuple[bool, ...]
    """Whether the head needs the word."""
    costs: tuple[float, ...]
    """What it costs to leave the word out while its head stays."""
    spare: frozenset[int]
    """Words that a headline does without."""
    is_word: tuple[bool, ...]
    relations: tuple[str, ...]
    dispensable: tuple[frozenset[int], ...] = ()
    """Words that the shortest statement may do without where it does not fit: some, or if need be more."""
    tree: Tree | None = None
    headline: bool = True

    @cached_property
    def condensed(self) -> "tuple[Structure, Remark] | None":
        """The structure with a remark in place of the conditions that the sentence needs."""
        found = None if self.tree is None else remark(self.tree, self.required)
        return None if found is None else (_structure(found.tree, headline=self.headline), found)

    @cached_property
    def sourced(self) -> "tuple[Structure, Remark] | None":
        """The structure with a word for whoever says what it states."""
        found = None if self.tree is None else sourced(self.tree)
        return None if found is None else (_structure(found.tree, headline=self.headline), found)

    @cached_property
    def loosened(self) -> "Structure | None":
        """The structure of a report that may leave out what narrows no statement; None where nothing does."""
        told = self.tree is not None and self.headline and is_report(self.tree)
        found = loosened(self.tree, self.required) if self.tree is not None and told else None
        if found is None:
            return None
        moved, loose = found
        return replace(
            self,
            heads=tuple(moved.get(i, head) for i, head in enumerate(self.heads)),
            required=tuple(own and i not in loose for i, own in enumerate(self.required)),
        )

    def is_spoken(self, kept: Collection[int]) -> bool:
        """Whether in these words somebody speaks to somebody: articles stay as long as anything else fits."""
        return self.tree is not None and is_spoken(self.tree, kept)

    def is_sound(self, kept: Collection[int]) -> bool:
        """Whether a draft of the main statement shows no sign of a wrong parse."""
        return self.tree is None or is_sound(self.tree, kept)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Other statements of the sentence, each true by itself."""
        return () if self.tree is None else other_clauses(self.tree)

    @property
    def is_framing(self) -> bool:
        """Whether the main statement only leads to another one."""
        return self.tree is not None and is_framing(self.tree)

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """Phrases that may stand alone where no statement fits."""
        return () if self.tree is None else topics_of(self.tree, self.required)


def structure_of(words: Sequence[str], parse: Parse, is_word: Sequence[bool], *, headline: bool) -> Structure:
    """The tree of a sentence; in the style of headlines, articles and some auxiliaries are spare."""
    tree = Tree(words, parse, is_word)
    if tree.root is None:
        return _flat(len(words), is_word)
    tree.lift_from_punctuation()
    cut_openings(tree)
    set_apart(tree)
    join_phrases(tree)
    mend_clauses(tree)
    tree.mend_coordinations()
    tree.join_coordinations()
    tree.settle_conjunctions()
    bind_contradictions(tree)
    bind_results(tree)
    free_statements(tree)
    free_antecedents(tree)
    elide_subjects(tree)
    elide_pronouns(tree)
    tree.mend()
    return _structure(tree, headline=headline)


def _structure(tree: Tree, *, headline: bool) -> Structure:
    plain = headline and not is_report(tree)  # "I spoke to the landlord", "bats are the only mammals that fly"
    articles = spare_words(tree) | demonstratives(tree) if plain else set()
    loose = tree.loose_compounds() | tree.loose_adjectives()
    report = headline and not plain
    shorter = copulas(tree) | first_names(tree) | name_tails(tree) | wholes(tree) if report else set()
    needs = Costs(tree, headline=headline and not plain)
    count = range(len(tree.words))
    needs.spare |= tree.opening
    needs_word = [tree.heads[i] != ROOT and needs.required(i) for i in count]
    costs = [0.0 if needs_word[i] else needs.cost(i) for i in count]
    return Structure(
        heads=tuple(tree.heads),
        required=tuple(needs_word),
        costs=tuple(costs),
        spare=frozenset(needs.spare),
        dispensable=(
            frozenset(articles | shorter),
            frozenset(articles | shorter | loose),
        ),
        is_word=tuple(tree.is_word),
        relations=tuple(tree.relations),
        tree=tree,
        headline=headline,
    )


def _flat(length: int, is_word: Sequence[bool]) -> Structure:
    return Structure(
        heads=(ROOT,) * length,
        required=(False,) * length,
        costs=(0.0,) * length,
        spare=frozenset(),
        is_word=tuple(is_word),
        relations=("dep",) * length,
    )


def below(structure: Structure, head: int, without: Collection[str]) -> set[int]:
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


def restricted(structure: Structure, head: int, inside: Collection[int], *, subject: int | None = None) -> Structure:
    """The structure of a part of the sentence with its own root, and a subject that hung elsewhere."""
    heads = [above if i in inside and i != head else ROOT for i, above in enumerate(structure.heads)]
    if subject is not None:
        heads[subject] = head
    return replace(
        structure,
        heads=tuple(heads),
        is_word=tuple(own and i in inside for i, own in enumerate(structure.is_word)),
    )
