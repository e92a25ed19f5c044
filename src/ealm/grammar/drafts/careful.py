"""What may go out of a sentence that stands among others: only what it is as readable without.

A single sentence that must have eight words gives up what it can. A sentence of a text need not: it has neighbours that
may give more, or go as a whole. So its noun phrases stay whole, but for what commas, dashes or brackets set apart, and
so does who vouches for something, what "but" joins and what a verb without an object needs to say something.
"""

from dataclasses import replace

from ealm.grammar.drafts.structure import Structure
from ealm.grammar.trees.rearranging import ROOT, Tree

_MARKS = frozenset([",", ";", ":", "-", "--", "–", "—", "(", ")"])

_BESIDE = frozenset(["intj", "parataxis"])
"""What hangs loosely on a sentence, with marks or without."""

_ADVERBIALS = frozenset(["advmod", "npadvmod", "prep", "advcl"])

_OBJECTS = ("dobj", "ccomp", "xcomp", "oprd", "dative")

_CONTRASTS = frozenset(["but", "yet"])

_KEPT = frozenset(["because", "to", "into", "onto", "from", "against"])
"""Prepositions of reasons and directions."""

_LIGHT_ADVERBS = frozenset(["now", "already", "still", "just", "also", "too", "therefore", "then", "soon"])


def careful(structure: Structure) -> Structure:
    """The same, with more that a head needs."""
    tree = structure.tree
    if tree is None:
        return structure
    count = range(len(structure.required))
    optional = {i for i in count if not structure.required[i] and (i in structure.spare or _is_light(tree, i))}
    return replace(structure, required=tuple(structure.heads[i] != ROOT and i not in optional for i in count))


def _is_light(tree: Tree, i: int) -> bool:
    """Whether a sentence reads as well without a word and what hangs on it."""
    relation, head = tree.relations[i], tree.heads[i]
    if head == ROOT or not tree.is_word[i] or relation in _BESIDE:
        return True
    if relation == "attribution":
        return False
    if relation.startswith("conj"):
        return _is_clause(tree, i) and not _contrasts(tree, i)
    if _is_set_apart(tree, i):
        return True
    if relation == "advmod" and not tree.children(i):
        return _is_verb(tree, head) and (tree.lower[i].endswith("ly") or tree.lower[i] in _LIGHT_ADVERBS)
    if relation not in ("advmod", "npadvmod", "prep") or not _is_verb(tree, head) or tree.lower[i] in _KEPT:
        return False
    return not _says_what_happens(tree, i) and not any(tree.tags[j] == "CD" for j in tree.subtree(i))


def _is_verb(tree: Tree, i: int) -> bool:
    return tree.tags[i].startswith(("VB", "MD"))


def _is_clause(tree: Tree, i: int) -> bool:
    return _is_verb(tree, i) or bool(tree.children(i, "nsubj", "nsubjpass"))


def _contrasts(tree: Tree, i: int) -> bool:
    beside = tree.children(i, "cc") + tree.children(tree.heads[i], "cc")
    return any(tree.lower[j] in _CONTRASTS for j in beside)


def _says_what_happens(tree: Tree, i: int) -> bool:
    """Whether a verb without an object needs it, as its first phrase: "she collided with a barrier"."""
    verb = tree.heads[i]
    behind = [j for j in tree.children(verb, *_ADVERBIALS) if j > verb]
    phrases = [j for j in behind if tree.relations[j] == "prep"]
    return i in (*behind[:1], *phrases[:1]) and not tree.children(verb, *_OBJECTS)


def _is_set_apart(tree: Tree, i: int) -> bool:
    """Whether marks part it from its head."""
    inside = tree.subtree(i)
    first, last, head = min(inside), max(inside), tree.heads[i]
    beside = first - 1 if head < first else last + 1
    return 0 <= beside < len(tree.words) and tree.words[beside] in _MARKS
