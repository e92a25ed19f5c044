"""Signs of a broken draft that do not depend on a parse: they tell where a parser was wrong."""

from collections.abc import Collection

from ealm.grammar import rules
from ealm.grammar.rearranging import ROOT, Tree

_OPEN_TAGS = frozenset({"IN", "CC", "MD", "TO", "PRP$", "WDT"})
"""Tags of words that something must follow."""

_BE = rules.BE_PRESENT | rules.BE_PAST | {"be", "been", "being"}


def is_sound(tree: Tree, kept: Collection[int]) -> bool:
    """Whether a draft of these words has an end and a subject."""
    words = sorted(i for i in kept if tree.is_word[i])
    return bool(words) and not _hangs(tree, words[-1]) and not _lacks_subject(tree, set(words))


def _hangs(tree: Tree, last: int) -> bool:
    """Whether the last word needs another one, which stood right behind it."""
    if last + 1 >= len(tree.words) or not tree.is_word[last + 1]:
        return tree.lower[last] in _BE and tree.heads[last] == ROOT and last + 2 < len(tree.words)
    if tree.tags[last] in _OPEN_TAGS:
        return tree.relations[last] not in ("prt", "advmod", "pobj", "dobj")
    if tree.tags[last] in ("DT", "WP", "WRB"):
        return tree.relations[last] in ("det", "nsubj", "advmod") and tree.lower[last] not in ("why", "how")
    return tree.lower[last] in _BE or tree.lower[last] in ("told", "tells", "has", "have", "had", "than", "as")


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
