"""What parsers often hang on the wrong word: relative clauses, objects, measures and times."""

from ealm.grammar import rules
from ealm.grammar.rearranging import ROOT, Tree


def mend_attachments(tree: Tree) -> None:
    """Phrases hang on the words that they belong to."""
    mend_relatives(tree)
    mend_objects(tree)
    mend_measures(tree)
    mend_times(tree)


def mend_relatives(tree: Tree) -> None:
    """ "Adults with asthma who have not recovered": a relative clause hangs on a noun that agrees with its verb."""
    for clause in range(len(tree.words)):
        pronouns = [i for i in tree.children(clause, "nsubj", "nsubjpass") if tree.lower[i] in ("who", "which", "that")]
        if tree.relations[clause] != "relcl" or not pronouns or _agrees(tree, clause, tree.heads[clause]):
            continue
        noun, steps = tree.heads[clause], 0
        while noun != ROOT and not _agrees(tree, clause, noun) and steps < len(tree.words):
            above = tree.heads[noun]
            noun, steps = (tree.heads[above] if above != ROOT and tree.relations[above] == "prep" else ROOT), steps + 1
        if noun != ROOT and tree.tags[noun].startswith("NN"):
            tree.attach(clause, noun)


def _agrees(tree: Tree, clause: int, noun: int) -> bool:
    """Whether a noun has the number of a verb, as far as the verb tells."""
    verbs = [i for i in (*tree.children(clause, "aux", "auxpass"), clause) if tree.tags[i].startswith("VB")]
    plural = bool(verbs) and (tree.tags[verbs[0]] == "VBP" or tree.lower[verbs[0]] == "were")
    return not plural or tree.tags[noun] not in ("NN", "NNP") or bool(tree.children(noun, "conj"))


def mend_objects(tree: Tree) -> None:
    """An object hangs on a verb, not on a noun ("pay on demand any amount"; "please find below the dates")."""
    for i in range(len(tree.words)):
        noun = tree.heads[i]
        if tree.relations[i] == "dobj" and noun != ROOT and tree.tags[noun] in ("NN", "NNS"):
            verb = noun
            while verb != ROOT and not tree.tags[verb].startswith("VB"):
                verb = tree.heads[verb]
            if verb != ROOT and verb < noun < i and not tree.children(verb, "dobj"):
                tree.attach(i, verb)
        elif tree.relations[i] == "dobj" and noun != ROOT and tree.children(noun, "auxpass"):
            if any(tree.lower[j] in rules.TIMES for j in tree.subtree(i)):
                tree.relations[i] = "npadvmod"  # "will be closed all of next week"
        elif tree.relations[i] == "pobj" and tree.lower[noun] == "below" and tree.lower[noun - 1] == "find":
            tree.move(i, tree.heads[noun], "dobj")
            tree.relations[noun] = "advmod"


def mend_measures(tree: Tree) -> None:
    """ "41 miles from the coast": the measure belongs to the preposition behind it."""
    for i in range(1, len(tree.words)):
        measured = tree.relations[i - 1] == "npadvmod" and tree.lower[i - 1] in rules.UNITS
        where = tree.relations[i] == "prep" and tree.lower[i] in rules.MEASURED
        if measured and where and tree.heads[i] == tree.heads[i - 1]:
            tree.attach(i - 1, i)


def mend_times(tree: Tree) -> None:
    """ "To Wednesday at 3": the hour belongs to the day."""
    for i in range(1, len(tree.words)):
        hours = [j for j in tree.children(i, "pobj") if tree.tags[j] == "CD"]
        day = tree.lower[i - 1] in rules.TIMES and tree.is_word[i - 1]
        if tree.lower[i] == "at" and tree.relations[i] == "prep" and hours and day and tree.heads[i] != i - 1:
            tree.attach(i, i - 1)
