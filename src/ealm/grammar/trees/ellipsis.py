"""What a clause may leave unsaid: "do not take it if (you are) allergic to it", "a will (that is) not signed"."""

from ealm.grammar import rules
from ealm.grammar.trees.rearranging import ROOT, Tree
from ealm.grammar.trees.statements import commands

UNSAID = "unsaid"
"""The relation of a subject that a clause may leave out, with its "is"."""

_MARKS = frozenset({"if", "when", "unless", "until", "while", "once", "although", "though", "where"})
_BE = rules.BE_PRESENT | rules.BE_PAST


def elide_subjects(tree: Tree) -> None:
    """In a clause whose subject is that of the main clause, the predicate is the head, and "you are" may go."""
    if tree.root is None:
        return
    for clause in range(len(tree.words)):
        if tree.relations[clause].startswith("advcl") and tree.heads[clause] != ROOT:
            predicate = _predicate(tree, clause)
            subject = next(iter(tree.children(clause, "nsubj", "nsubjpass")), None)
            if predicate is not None and subject is not None and _is_shared(tree, clause, subject):
                _elide(tree, clause, predicate, subject)


def elide_pronouns(tree: Tree) -> None:
    """ "A will that is not signed is invalid": "that is" may go before a participle."""
    for clause in range(len(tree.words)):
        pronoun = _relative_pronoun(tree, clause)
        helping = tree.children(clause, "aux", "auxpass")
        if pronoun is None or helping != [pronoun + 1] or tree.tags[clause] not in ("VBN", "VBG"):
            continue
        if tree.lower[pronoun + 1] in _BE:
            tree.move(pronoun, clause, UNSAID)
            tree.move(pronoun + 1, pronoun, "unsaid-whole")


def _relative_pronoun(tree: Tree, clause: int) -> int | None:
    """The subject of a relative clause that stands right behind its noun."""
    pronouns = tree.children(clause, "nsubj", "nsubjpass")
    if tree.relations[clause] != "relcl" or len(pronouns) != 1 or pronouns[0] != tree.heads[clause] + 1:
        return None
    first = min(tree.subtree(clause)) == pronouns[0]
    return pronouns[0] if first and tree.lower[pronouns[0]] in ("who", "which", "that") else None


def _predicate(tree: Tree, clause: int) -> int | None:
    """What is said of the subject by "is": an adjective or a participle, behind a mark."""
    marks = tree.children(clause, "mark", "advmod")
    if not any(tree.lower[i] in _MARKS and i < clause for i in marks) or tree.children(clause, "aux", "neg"):
        return None
    if tree.lower[clause] in _BE:
        adjectives = tree.children(clause, "acomp")
        return adjectives[0] if len(adjectives) == 1 and adjectives[0] > clause else None
    passive = tree.children(clause, "auxpass")
    return clause if len(passive) == 1 and tree.lower[passive[0]] in _BE and tree.tags[clause] == "VBN" else None


def _is_shared(tree: Tree, clause: int, subject: int) -> bool:
    """Whether the main clause has the same subject, and a reader takes it for the same."""
    head, word = tree.heads[clause], tree.lower[subject]
    if tree.children(subject) or head != tree.root:
        return False
    told = commands(tree, head) or [tree.lower[i] for i in tree.children(head, "aux")] in (["do"], ["don't"])
    subjects = [tree.lower[i] for i in tree.children(head, "nsubj", "nsubjpass")]
    return word == "you" and ((told and not subjects) or subjects == ["you"])


def _elide(tree: Tree, clause: int, predicate: int, subject: int) -> None:
    being = clause if predicate != clause else tree.children(clause, "auxpass")[0]
    if predicate != clause:
        tree.move(predicate, tree.heads[clause], tree.relations[clause])
        for i in tree.children(clause):
            if i != subject:
                tree.attach(i, predicate)
        for own in (tree.conditional, tree.concessive):
            if clause in own:
                own.add(predicate)
    tree.move(subject, predicate, UNSAID)
    tree.move(being, subject, "unsaid-whole")
