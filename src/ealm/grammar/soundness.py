"""Signs of a broken draft that do not depend on a parse: they tell where a parser was wrong."""

from collections.abc import Collection, Sequence

from ealm.grammar import rules
from ealm.grammar.rearranging import ROOT, Tree

_OPEN_TAGS = frozenset({"IN", "CC", "MD", "TO", "PRP$", "WDT"})
"""Tags of words that something must follow."""

_OPEN_NOUNS = frozenset("sign fact claim indication evidence idea belief".split())
"""Nouns that a clause must follow."""

_QUOTES = frozenset("\"“”‘’'«»„")

_BE = rules.BE_PRESENT | rules.BE_PAST | {"be", "been", "being"}


def is_sound(tree: Tree, kept: Collection[int]) -> bool:
    """Whether a draft of these words has an end and a subject."""
    words = sorted(i for i in kept if tree.is_word[i])
    if not words or _hangs(tree, words[-1]) or _lacks_subject(tree, set(words)):
        return False
    torn = any(_lacks_infinitive(tree, i, kept) or _lacks_link(tree, i, kept) for i in words)
    return not torn and not _lacks_speaker(tree, words)


def _lacks_link(tree: Tree, i: int, kept: Collection[int]) -> bool:
    """ "Bank America" of "Bank of America": neighbours on both sides of a preposition or conjunction that is gone."""
    link = i + 1
    if link + 1 not in kept or link in kept or not (tree.is_word[link] and tree.is_word[link + 1]):
        return False
    return tree.tags[link] in ("IN", "CC") and tree.lower[link] != "that" and tree.relations[link] != "mark"


def _lacks_infinitive(tree: Tree, i: int, kept: Collection[int]) -> bool:
    """ "Banks will have" of "banks will have to pay"."""
    needing = ("have", "has", "had", "going", "able", "unable", "used", "ought", "likely", "unlikely")
    return tree.lower[i] in needing and tree.lower[i + 1 : i + 2] == ["to"] and i + 1 not in kept


def _lacks_speaker(tree: Tree, words: Sequence[int]) -> bool:
    """ "It kept us dry, says"."""
    return tree.lower[words[-1]] in rules.SAYING and len(words) > 1 and words[-2] != words[-1] - 1


def _hangs(tree: Tree, last: int) -> bool:
    """Whether the last word needs another one, which stood right behind it."""
    behind = next((i for i in range(last + 1, len(tree.words)) if tree.words[i] not in _QUOTES), len(tree.words))
    if behind >= len(tree.words) or not tree.is_word[behind]:
        return tree.lower[last] in _BE and tree.heads[last] == ROOT and last + 2 < len(tree.words)
    if tree.tags[last] in _OPEN_TAGS:
        return tree.relations[last] not in ("prt", "advmod", "pobj", "dobj")
    if tree.tags[last] in ("DT", "WP", "WRB"):
        return tree.relations[last] in ("det", "nsubj", "advmod") and tree.lower[last] not in ("why", "how")
    if tree.lower[last] in _BE | _OPEN_NOUNS:
        return True
    return tree.lower[last] in ("told", "tells", "has", "have", "had", "than", "as")


def _lacks_subject(tree: Tree, words: Collection[int]) -> bool:
    """Whether a finite verb has lost its subject; there was one if a noun or pronoun stood before it."""
    root = tree.root
    if root is None or root not in words or min(words) == 0:
        return False
    verbs = [root, *(i for i in tree.children(root, "aux", "auxpass") if i in words)]
    if not any(tree.tags[i] in ("VBD", "VBZ", "VBP", "MD") for i in verbs):
        return False
    subjects = tree.children(root, "nsubj", "nsubjpass", "csubj", "expl", "attr", "ccomp")
    contracted = any("'" in tree.lower[i] for i in verbs)
    before = any(tree.tags[i][:2] in ("NN", "PR") for i in range(min(verbs)) if tree.is_word[i])
    return before and not contracted and not any(i in words for i in subjects)
