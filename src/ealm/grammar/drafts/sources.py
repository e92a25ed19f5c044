"""Whose word it is, in as few words as a headline has for it: "Norvik plans to sell its ferries: source".

What somebody unnamed says, what a newspaper reports of others and what is an opinion is not told as a fact. Where
"a source familiar with the matter said" does not fit, one word behind a colon stands for it, or one before it.
"""

from copy import deepcopy

from ealm.grammar import rule_words, rules
from ealm.grammar.drafts.remarks import Remark
from ealm.grammar.trees.rearranging import Tree
from ealm.grammar.trees.statements import is_anonymous, is_medium


def sourced(tree: Tree) -> Remark | None:
    """The sentence with a word for whoever says it; None where nobody must be named."""
    if tree.root is None:
        return None
    speeches = tree.children(tree.root, "attribution-whole")
    speeches += [i for i in tree.children(tree.root, "prep") if tree.lower[i] == "according"]
    told = [(speech, *tree.children(speech, "prep")) for speech in speeches]
    speakers = [j for own in told for i in own for j in tree.children(i, "nsubj", "pobj")]
    speakers = [i for i in speakers if tree.tags[i].startswith("NN") and tree.lower[i] not in rules.TIMES]
    if len(speeches) != 1 or len(speakers) != 1:
        return None
    speaker, around = speakers[0], tree.subtree(speeches[0])
    others = [i for i in tree.subtree(tree.root) - around if tree.is_word[i]]
    if not others or min(others) < speaker < max(others):
        return None  # said in the middle
    office = tree.tags[speaker] == "NN" and any(tree.lower[i] == "of" for i in tree.children(speaker, "prep"))
    if office and not is_anonymous(tree, speaker):
        return None  # "the head of the office said"
    name = _name(tree, speaker)
    first = speaker < min(others)
    shorter = deepcopy(tree)
    shorter.remove(around)
    shorter.is_word[speaker] = True
    shorter.move(speaker, tree.root, "attribution-whole")
    return Remark(speaker, {speaker: f"{name[:1].upper()}{name[1:]}:" if first else f": {name}"}, shorter)


def _name(tree: Tree, speaker: int) -> str:
    plural = tree.tags[speaker] in ("NNS", "NNPS")
    if is_anonymous(tree, speaker):
        return "sources" if plural else "source"
    if is_medium(tree, speaker):
        return "report"
    before = [i for i in tree.children(speaker, "compound") if tree.tags[i].startswith("NNP") and i < speaker]
    if before and tree.lower[before[0]] in rule_words.FIRST_NAMES:
        before = []
    return " ".join(tree.words[i] for i in (*before, speaker))
