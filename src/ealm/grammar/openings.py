"""What stands before a sentence and is no part of it: an address ("Hi all, …"), a caption in capitals."""

from ealm.grammar import rule_words
from ealm.grammar.rearranging import ROOT, Tree

_LONGEST_ADDRESS = 5
"""Words before the comma."""


def cut_openings(tree: Tree) -> None:
    """Hang the opening on the sentence, and remember its words: only the whole sentence has them."""
    _free_fillers(tree)
    end = _address(tree) or _caption(tree) or _admission(tree)
    if not end or not any(tree.is_word[i] for i in range(end, len(tree.words))):
        return
    opening = [i for i in range(end) if tree.is_word[i]]
    behind = [i for i in range(end, len(tree.words)) if tree.is_word[i] and tree.heads[i] in {ROOT, *opening}]
    main = next((i for i in behind if tree.tags[i].startswith("VB")), behind[0])
    for i in behind:
        if i != main and tree.heads[i] != ROOT:
            tree.attach(i, main)
    if tree.heads[main] != ROOT:
        tree.move(main, ROOT, "ROOT")
    tree.root = main
    for i in opening:
        tree.move(i, main, "discourse")
    tree.opening = frozenset(opening)


def _free_fillers(tree: Tree) -> None:
    """ "omg", "lol" and the like hang loosely on the sentence."""
    for i, word in enumerate(tree.lower):
        if word in rule_words.FILLERS and tree.is_word[i] and not tree.children(i) and tree.root not in (None, i):
            tree.move(i, tree.root or 0, "discourse")


def _admission(tree: Tree) -> int:
    """ "Not gonna lie the second season is slow": where the sentence begins."""
    start = 1 if tree.lower[:1] == ["i'm"] else 0
    return start + 3 if tree.lower[start : start + 3] == ["not", "gonna", "lie"] else 0


def _address(tree: Tree) -> int:
    """Where an address ends, with its comma; 0 if there is none."""
    if tree.lower[0] not in rule_words.GREETINGS:
        return 0
    comma = next((i for i in range(1, min(_LONGEST_ADDRESS + 1, len(tree.words))) if tree.words[i] in ",!"), 0)
    called = not any(tree.tags[i].startswith("VB") for i in range(1, comma))  # "hi, I am here"
    return comma + 1 if comma and called else 0


def _caption(tree: Tree) -> int:
    """Where a caption ends: "SIGNS OF HOPE The market …"; 0 if there is none."""
    end = 0
    while end < len(tree.words) and tree.words[end].isalpha() and tree.words[end].isupper() and tree.is_word[end]:
        end += 1
    following = tree.words[end : end + 1]
    opens = bool(following) and following[0].istitle() and tree.tags[end] in ("DT", "IN", "PRP", "PRP$", "RB")
    return end if end > 1 and opens else 0
