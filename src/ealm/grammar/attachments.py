"""What parsers often hang on the wrong word: relative clauses, objects, measures and times."""

from ealm.grammar import rules
from ealm.grammar.rearranging import ROOT, Tree


def mend_attachments(tree: Tree) -> None:
    """Phrases hang on the words that they belong to."""
    mend_relatives(tree)
    mend_objects(tree)
    mend_measures(tree)
    mend_rates(tree)
    mend_times(tree)
    mend_fronted(tree)


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


def mend_rates(tree: Tree) -> None:
    """ "Four centimetres a year": an amount belongs to its time."""
    for i in range(1, len(tree.words) - 1):
        unit = tree.lower[i - 1] in rules.UNITS or tree.tags[i - 1] == "CD"
        rate = tree.lower[i] in ("a", "per", "each", "every") and tree.lower[i + 1] in rules.SPANS
        if unit and rate and tree.is_word[i - 1] and i - 1 not in tree.subtree(i + 1):
            tree.move(i + 1, i - 1, "idiom")
            tree.move(i, i + 1, "idiom")


def mend_times(tree: Tree) -> None:
    """ "To Wednesday at 3", "on Fridays in April": the hour belongs to the day, and the day to the month."""
    for i in range(1, len(tree.words)):
        if tree.relations[i] != "prep" or tree.lower[i] not in ("at", "in", "of") or tree.heads[i] == i - 1:
            continue
        times = any(tree.tags[j] == "CD" or tree.lower[j] in rules.TIMES for j in tree.children(i, "pobj"))
        day = tree.lower[i - 1].removesuffix("s") in rules.TIMES and tree.tags[i - 1].startswith("NN")
        if times and day and i - 1 not in tree.subtree(i):
            tree.attach(i, i - 1)


def mend_fronted(tree: Tree) -> None:
    """ "Soft and light, this scarf …": an adjective before the determiner is a phrase of its own."""
    for i in range(len(tree.words)):
        noun = tree.heads[i]
        if tree.relations[i] == "amod" and any(i < j < noun for j in tree.children(noun, "det")):
            verb = tree.heads[noun]
            if tree.relations[noun] in ("nsubj", "nsubjpass") and verb != ROOT:
                tree.move(i, verb, "advcl")
