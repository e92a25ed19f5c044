"""Words that a headline does without, where neither voice nor mood is lost: "will be closed" is not "will closed"."""

from ealm.grammar import rules
from ealm.grammar.rearranging import Tree


def spare_words(tree: Tree) -> set[int]:
    """Indices of articles, possessive pronouns and auxiliaries that a headline does without."""
    spare = {i for i in range(len(tree.lower)) if _is_spare(tree, i)}
    # "has been closed": both go, or none.
    spare = {i for i in spare if not tree.children(i)}
    for i in sorted(spare):
        if tree.relations[i] in ("aux", "auxpass"):
            both = tree.children(tree.heads[i], "aux", "auxpass")
            if not set(both) <= spare:
                spare -= set(both)
    for i in sorted(spare):
        if tree.relations[i] == "auxpass":
            for j in tree.children(tree.heads[i], "aux"):
                tree.move(j, i, "aux-chain")
    return {i for i in spare if tree.relations[i] != "aux-chain"}


def _is_spare(tree: Tree, i: int) -> bool:
    word, relation = tree.lower[i], tree.relations[i]
    if relation == "det" and word in rules.ARTICLES:
        capital = i > 0 and tree.words[i][:1].isupper()
        following = tree.lower[i + 1] if i + 1 < len(tree.lower) else ""
        if tree.relations[tree.heads[i]] == "npadvmod":  # "$4 a month"
            return False
        return not capital and following not in rules.NEED_ARTICLE
    if relation == "poss":
        return word in rules.POSSESSIVES
    if relation in ("aux", "auxpass"):
        return _is_spare_auxiliary(tree, i)
    return False


def _is_spare_auxiliary(tree: Tree, i: int) -> bool:
    word, verb = tree.lower[i], tree.heads[i]
    if tree.relations[verb] != "ROOT" and not (tree.relations[verb] == "conj" and tree.heads[verb] == tree.root):
        return False  # in a clause of another, the auxiliary tells the verb from a participle
    subjects = tree.children(verb, "nsubj", "nsubjpass")
    others = tree.children(verb, "aux", "auxpass", "neg")
    if not subjects or subjects[0] > i or tree.lower[subjects[0]] in rules.PRONOUNS:
        return False
    if tree.tags[subjects[0]].startswith("W") or any(tree.tags[j] in ("MD", "TO") for j in others):
        return False
    if tree.children(verb, "neg") or any(tree.lower[j].endswith("n't") for j in others):
        return False
    if word in rules.HAVE:
        return tree.tags[verb] == "VBN"
    if tree.relations[i] == "auxpass":
        return (
            tree.tags[verb] == "VBN"
            and word in rules.BE_PRESENT | rules.BE_PAST | {"been"}
            and not tree.children(verb, "dobj")
        )
    return tree.tags[verb] == "VBG" and word in rules.BE_PRESENT and word.isalpha()
