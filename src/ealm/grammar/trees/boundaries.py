"""Attachments that marks and neighbours decide, whatever a parser says: what commas enclose, and what "than" needs."""

from ealm.grammar import rule_words, rules
from ealm.grammar.trees.rearranging import ROOT, Tree


def mend_boundaries(tree: Tree) -> None:
    """Hang words where commas and their neighbours show that they belong."""
    mend_negations(tree)
    mend_duties(tree)
    mend_pairs(tree)
    mend_objects(tree)
    mend_enclosed(tree)
    mend_comparisons(tree)
    mend_counterparts(tree)
    mend_contents(tree)
    mend_explanations(tree)
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


def mend_duties(tree: Tree) -> None:
    """ "Ask whether it has to be signed": what has to be done hangs on "has"."""
    for i in range(len(tree.words) - 2):
        verb = tree.heads[i + 1]
        duty = tree.lower[i] in ("has", "have") and tree.lower[i + 1] == "to" and tree.relations[i + 1] == "aux"
        beside = verb > i + 1 and tree.heads[verb] not in (i, ROOT) and tree.heads[i] != verb
        clauses = tree.relations[i] in ("ccomp", "ROOT", "conj") and tree.relations[verb] in ("ccomp", "xcomp")
        if duty and beside and clauses:
            tree.move(verb, i, "xcomp")


def mend_pairs(tree: Tree) -> None:
    """ "Both foreign and local firms": "both" belongs to the adjectives; "20 percent to 25 percent": to the first."""
    for i in range(1, len(tree.words) - 1):
        behind = i + 1
        paired = tree.relations[behind] == "amod" and tree.children(behind, "conj") and tree.heads[i] != ROOT
        if tree.lower[i] == "both" and paired and not tree.children(i):
            tree.move(i, behind, "preconj")
        amounts = {tree.lower[j] for j in tree.children(i, "pobj")}
        unit = tree.lower[i] == "to" and tree.lower[i - 1] in rules.UNITS & amounts
        if unit and tree.heads[i] != i - 1 and i - 1 not in tree.subtree(i):
            tree.attach(i, i - 1)


def mend_objects(tree: Tree) -> None:
    """ "Its inability to take quick, firm decisions hurt it": behind an infinitive, a second subject is its object."""
    for noun, relation in enumerate(tree.relations):
        verb = tree.heads[noun]
        first = next(iter(tree.children(verb, "nsubj")), noun) if relation == "nsubj" and verb != ROOT else noun
        if first >= noun or noun > verb:
            continue
        inside = [i for i in tree.subtree(first) if i < noun and tree.lower[i - 1 : i] == ["to"]]
        infinitive = next((i for i in inside if tree.tags[i] == "VB" and not tree.children(i, "dobj")), noun)
        between = range(infinitive + 1, noun)
        if infinitive < noun and all(tree.tags[i] in ("JJ", "DT", "RB", "CD", ",") for i in between):
            tree.move(noun, infinitive, "dobj")
            for i in tree.children(infinitive, "acomp"):
                tree.move(i, noun, "amod")


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


def mend_contents(tree: Tree) -> None:
    """ "Announced on his website that he will run": a clause with "that" behind a phrase is what was announced."""
    for i, word in enumerate(tree.lower):
        clause = tree.heads[i]
        if word != "that" or tree.relations[i] != "mark" or clause == ROOT or tree.relations[clause] != "acl":
            continue
        verb = tree.heads[clause]
        while verb != ROOT and tree.relations[verb] in ("pobj", "prep"):
            verb = tree.heads[verb]
        telling = rules.RUMOURS | rules.REMINDERS | rule_words.OPEN_NOUNS  # "rumours that …"
        told = verb != ROOT and tree.lower[verb] in rules.SAYING and tree.lower[tree.heads[clause]] not in telling
        if told and verb != tree.heads[clause] and not tree.children(verb, "dobj", "ccomp"):
            tree.move(clause, verb, "ccomp")


def mend_explanations(tree: Tree) -> None:
    """ "The process by which plants grow", "no bleach, as it may harm it": clauses that are no second statement."""
    for i in range(1, len(tree.words) - 1):
        clause = tree.heads[i]
        if clause == ROOT or tree.relations[clause] not in ("conj", "conj-whole"):
            continue
        noun = i - 1
        if tree.relations[i] == "prep" and tree.lower[i + 1] == "which" and tree.tags[noun].startswith("NN"):
            if noun not in tree.subtree(clause):
                tree.move(clause, noun, "relcl")
        elif tree.lower[i] == "as" and tree.relations[i] == "mark" and tree.words[noun] == ",":
            tree.relations[clause] = "advcl"


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
        more = more and tree.lower[i + 2] in ("any", "all", "every", "the", "its")  # not "fewer than half had …"
        if more and tree.tags[i - 2].startswith("NN") and i - 2 not in tree.subtree(i):
            tree.move(i, i - 2, "appos")
        clause = tree.heads[i]
        if tree.lower[i : i + 3] == ["in", "which", "case"] and tree.relations[clause] in ("conj", "advcl", "relcl"):
            tree.move(clause, tree.root, "parataxis")


def mend_results(tree: Tree) -> None:
    """ "The water will be off, so if you want a shower, hurry": behind a comma, "so" opens a clause of its own."""
    for i in range(1, len(tree.words) - 1):
        clause = tree.heads[i]
        opens = tree.words[i - 1] == "," and tree.lower[i] == "so" and tree.lower[i + 1] not in ("that", "as")
        if opens and ROOT < clause < i:  # "can't come, so please wait"
            behind = [j for j in tree.children(clause, "conj") if min(tree.subtree(j)) == i + 1]
            for j in behind[:1]:
                tree.move(i, j, "cc")
            continue
        if not opens or tree.relations[i] not in ("mark", "advmod", "cc") or clause in (ROOT, tree.root) or clause < i:
            continue
        if tree.heads[clause] < i and tree.relations[clause] in ("advcl", "ccomp", "conj"):
            tree.relations[clause] = "conj"
            tree.move(i, clause, "cc")


def bind_contradictions(tree: Tree) -> None:
    """ "It was once thought that …, but it is wrong": a clause that takes back another one stays with it."""
    for verb in range(len(tree.words)):
        clauses = [i for i in tree.children(verb, "conj", "parataxis") if _is_contrast(tree, i)]
        believed = tree.lower[verb] in rules.THINKING | {"assumed", "held", "seen"}
        over = believed and any(tree.lower[i] in rule_words.FORMERLY for i in tree.children(verb, "advmod"))
        for i in clauses:
            if over or any(tree.lower[j] in rule_words.CONTRADICTING for j in tree.subtree(i)):
                beside = [j for j in tree.children(verb, "conj") if j < i]
                tree.move(i, beside[-1] if beside else verb, "conj-whole")


def _is_contrast(tree: Tree, clause: int) -> bool:
    return any(tree.lower[i] in ("but", "yet") for i in tree.children(clause, "cc"))


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
