"""What a report may leave out at last, though it narrows what is told: where less is said, nothing untrue is.

Who will suspend a fine that he had levied will suspend a fine: of one thing that nothing was said of yet, a report
needs no more, unless something is denied, bound to a condition or said of all. Rules and advice are no reports.
"""

from collections.abc import Sequence

from ealm.grammar import rule_words, rules
from ealm.grammar.drafts.valency import belongs
from ealm.grammar.trees.rearranging import ROOT, Tree


def loosened(tree: Tree, required: Sequence[bool]) -> tuple[dict[int, int], set[int]] | None:
    """New heads of words, and the words that their heads do not need any more; None if there are none."""
    heads: dict[int, int] = {}
    loose: set[int] = set()
    for i, needed in enumerate(required):
        if not needed or not _is_asserted(tree, tree.heads[i]):
            continue
        if (
            _describes_one(tree, i)
            or _describes_some(tree, i)
            or _is_owners_aim(tree, i)
            or _is_amount(tree, i)
            or _is_aim(tree, i)
            or _is_added(tree, i)
        ):
            loose.add(i)
        elif _is_record(tree, i):
            loose.add(i)
            heads |= {j: i for j in tree.children(tree.heads[i], "prep") if j > tree.heads[i]}
    return (heads, loose) if loose else None


def _is_asserted(tree: Tree, i: int) -> bool:
    """Whether nothing above a word denies, limits or asks: then less may be said of it."""
    while i != ROOT:
        beside = {tree.lower[j] for j in (i, *tree.children(i)) if not tree.relations[j].startswith("conj")}
        if beside & _LIMITING or any(word.endswith("n't") for word in beside):
            return False
        i = tree.heads[i]
    return True


_LIMITING = (
    rules.NEGATORS
    | rules.CONDITIONS
    | rules.LIMITING_PREPOSITIONS
    | rules.FOCUS
    | rules.UNIVERSAL
    | rules.PROPORTIONS
    | rules.NORMATIVE
    | rule_words.STOPPING
    | rule_words.AGAINST
)


def _describes_one(tree: Tree, i: int) -> bool:
    """ "Suspend a fine it had levied": a clause behind one thing that nothing was said of yet."""
    noun = tree.heads[i]
    if tree.relations[i] not in ("relcl", "acl") or not _is_argument(tree, noun):
        return False
    one = tree.tags[noun] == "NN" and any(tree.lower[j] in ("a", "an") for j in tree.children(noun, "det"))
    meant = tree.tags[i] == "VB" and tree.lower[noun] in rules.NEED_INFINITIVE
    return one and not meant and tree.lower[noun] not in rule_words.OPEN_NOUNS


def _describes_some(tree: Tree, i: int) -> bool:
    """ "Accept terms offered by Norvik", "face more rain that could flood fields": what is told of some there are."""
    noun = tree.heads[i]
    if tree.relations[i] not in ("relcl", "acl") or not _is_argument(tree, noun):
        return False
    known = tree.relations[i] == "acl" and tree.tags[noun] == "NNS" and tree.tags[i] == "VBN"
    by_whom = known and any(
        tree.words[k][:1].isupper() for j in tree.children(i, "agent") for k in tree.children(j, "pobj")
    )
    more = tree.tags[noun] == "NN" and any(tree.lower[j] == "more" for j in tree.children(noun, "amod"))
    return by_whom or more


def _is_owners_aim(tree: Tree, i: int) -> bool:
    """ "Norvik's deal to buy a rival comes at a price": it is known whose."""
    noun = tree.heads[i]
    owned = any(tree.words[j][:1].isupper() for j in tree.children(noun, "poss"))
    aims = tree.relations[i] in ("acl", "relcl") and tree.tags[i] == "VB" and tree.children(i, "aux")
    return owned and bool(aims) and tree.relations[noun] == "nsubj" and tree.heads[noun] == tree.root


def _is_argument(tree: Tree, noun: int) -> bool:
    """Whether something is done with it: not "in a move to …", "by a firm that …"."""
    above = tree.lower[tree.heads[noun]]
    return tree.relations[noun] == "dobj" or (tree.relations[noun] == "pobj" and above in ("for", "to", "of", "with"))


def _is_aim(tree: Tree, i: int) -> bool:
    """ "Unveiled a plan to pump money": of what was done with it, not of what it leads to."""
    noun = tree.heads[i]
    described = bool(tree.children(noun, "amod", "compound", "nummod")) or tree.lower[noun] == "plan"
    aims = tree.relations[i] in ("acl", "relcl") and tree.lower[noun] in rules.NEED_INFINITIVE
    return aims and tree.tags[noun] == "NN" and _is_argument(tree, noun) and described


def _is_amount(tree: Tree, i: int) -> bool:
    """ "Post an operating loss of 175 billion yen"."""
    noun = tree.heads[i]
    if tree.lower[i] != "of" or tree.relations[noun] != "dobj" or tree.lower[noun] != "loss":
        return False
    return any(tree.tags[j] == "CD" for j in tree.subtree(i))


def _is_added(tree: Tree, i: int) -> bool:
    """ "Plans to add flights to Oslo": a phrase that mostly stands with its verb, but only says more of it."""
    noun = tree.heads[i]
    verb = tree.heads[noun] if tree.relations[noun] == "dobj" else noun
    if verb == ROOT or tree.relations[i] != "prep" or not tree.children(verb, "dobj"):
        return False
    numbered = any(tree.tags[j] == "CD" for j in tree.subtree(i))
    learned = tree.lower[verb] not in rules.EXCHANGES | rule_words.MOVING and belongs(
        tree.lower[verb], "object", tree.lower[i]
    )
    return learned and not numbered


def _is_record(tree: Tree, i: int) -> bool:
    """ "Suffered its biggest loss in six months": who suffers the biggest suffers a loss."""
    noun = tree.heads[i]
    own = any(tree.lower[j] in rules.POSSESSIVES for j in tree.children(i, "idiom"))
    told = tree.relations[i] == "amod" and tree.tags[i] == "JJS" and tree.relations[noun] == "dobj"
    return told and own and not tree.children(noun, "relcl", "acl")
