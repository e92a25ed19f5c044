"""Attachments that marks and neighbours decide, whatever a parser says: what commas enclose, and what "than" needs."""

from ealm.grammar import rules
from ealm.grammar.rearranging import ROOT, Tree


def mend_boundaries(tree: Tree) -> None:
    """Hang words where commas and their neighbours show that they belong."""
    mend_negations(tree)
    mend_enclosed(tree)
    mend_comparisons(tree)
    mend_counterparts(tree)
    mend_comments(tree)
    mend_asides(tree)
    mend_measures(tree)
    mend_next_steps(tree)


def mend_negations(tree: Tree) -> None:
    """ "Pipes that are not insulated": what is denied is the verb, and not its auxiliary."""
    for i, relation in enumerate(tree.relations):
        auxiliary = tree.heads[i]
        if relation == "neg" and auxiliary != ROOT and tree.relations[auxiliary] in ("aux", "auxpass"):
            tree.attach(i, tree.heads[auxiliary])


def mend_enclosed(tree: Tree) -> None:
    """ "The fair, which was moved after rain flooded the site, opens": all between the commas is told of the fair."""
    for clause in range(len(tree.words)):
        noun = tree.heads[clause]
        if tree.relations[clause] != "relcl" or tree.relations[noun] not in ("nsubj", "nsubjpass"):
            continue
        verb = tree.heads[noun]
        start = min((i for i in (verb, *tree.children(verb, "aux", "auxpass")) if i > clause), default=0)
        pronoun = min(tree.subtree(clause))
        enclosed = noun < pronoun < clause < start and tree.words[start - 1] == tree.words[pronoun - 1] == ","
        if enclosed and tree.tags[pronoun].startswith("W"):
            span = range(pronoun, start - 1)
            for i in span:
                if tree.is_word[i] and i != clause and tree.heads[i] not in span and clause not in tree.subtree(i):
                    tree.attach(i, clause)


def mend_comparisons(tree: Tree) -> None:
    """ "Less likely to fall ill than those who do not": "than" belongs to what is compared, not to a plain noun."""
    for i, word in enumerate(tree.lower):
        noun = tree.heads[i]
        if word != "than" or tree.relations[i] != "prep" or noun == ROOT or not tree.tags[noun].startswith("NN"):
            continue
        if any(_is_comparative(tree, j) for j in tree.subtree(noun)):
            continue
        compared = [j for j in range(noun) if _is_comparative(tree, j)]
        if compared and compared[-1] not in tree.subtree(i) and noun not in tree.subtree(compared[-1]):
            tree.attach(i, compared[-1])


def _is_comparative(tree: Tree, i: int) -> bool:
    return tree.tags[i] in ("JJR", "RBR") or tree.lower[i] in ("more", "less", "fewer")


def mend_counterparts(tree: Tree) -> None:
    """ "At seven instead of six": what is meant instead stands right before it."""
    for i in range(1, len(tree.words) - 2):
        if tree.lower[i : i + 2] != ["instead", "of"] or tree.heads[i] == i - 1:
            continue
        same = tree.tags[i - 1][:2] == tree.tags[i + 2][:2] and tree.tags[i - 1][:2] in ("CD", "NN")
        if same and tree.relations[i - 1] == "pobj" and i - 1 not in tree.subtree(i):
            tree.move(i, i - 1, "prep")
            tree.move(i + 1, i, "prep")


def mend_comments(tree: Tree) -> None:
    """ "It freezes, which is why pipes burst": a clause that comments on another one is told besides."""
    for i in range(1, len(tree.words)):
        clause = tree.heads[i]
        if tree.lower[i] == "which" and tree.words[i - 1] == "," and tree.relations[clause] == "ccomp" and clause > i:
            tree.relations[clause] = "parataxis"


def mend_asides(tree: Tree) -> None:
    """ "Ten countries, more than any other river" tells of the countries; ", in which case …" is no condition."""
    for i in range(2, len(tree.words) - 2):
        if tree.words[i - 1] != "," or tree.root is None:
            continue
        more = tree.lower[i] in ("more", "less", "fewer") and tree.lower[i + 1] == "than"
        if more and tree.tags[i - 2].startswith("NN") and i - 2 not in tree.subtree(i):
            tree.move(i, i - 2, "appos")
        clause = tree.heads[i]
        if tree.lower[i : i + 3] == ["in", "which", "case"] and tree.relations[clause] in ("conj", "advcl", "relcl"):
            tree.move(clause, tree.root, "parataxis")


def bind_results(tree: Tree) -> None:
    """ "It came late and a leg was missing, so I sent it back": a result hangs on the last of its reasons."""
    for i in range(len(tree.words)):
        if tree.relations[i] == "conj" and any(tree.lower[j] == "so" for j in tree.children(i, "cc")):
            reasons = [j for j in tree.children(tree.heads[i], "conj") if j < i]
            if reasons:
                tree.attach(i, reasons[-1])


def mend_measures(tree: Tree) -> None:
    """ "Cancelled like ten minutes before it began": the minutes are those of the clause behind them."""
    for i in range(1, len(tree.words) - 1):
        measure, clause = i - 1, tree.heads[i]
        if tree.lower[i] not in ("before", "after") or tree.relations[i] != "mark" or not clause > i:
            continue
        if tree.lower[measure].removesuffix("s") not in rules.SPANS or not tree.children(measure, "nummod"):
            continue
        above = tree.heads[measure]
        top = above if tree.relations[measure] == "pobj" and tree.lower[above] in ("like", "about") else measure
        if tree.heads[top] == tree.heads[clause] != ROOT:
            tree.move(top, clause, "npadvmod")


def mend_next_steps(tree: Tree) -> None:
    """ "Hold it until the light goes off, then let go": what to do then is the next command, not a part of "until"."""
    root = tree.root
    if root is None or tree.tags[root] != "VB" or tree.children(root, "nsubj", "aux"):
        return
    for i in range(1, len(tree.words) - 1):
        step = i + 1
        if tree.lower[i] != "then" or tree.words[i - 1] != "," or tree.tags[step] != "VB":
            continue
        if tree.relations[step] in ("conj", "advcl", "ccomp") and tree.heads[step] not in (ROOT, root):
            tree.move(step, root, "conj")
        if tree.heads[step] == root:
            tree.move(i, step, "advmod")
