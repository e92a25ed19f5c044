"""What is written where a condition does not fit: a few words in its place, or just when something holds.

"The minister may exempt vessels if conditions are met", "when to see a doctor": both leave the condition open.
"""

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

from ealm.grammar import rules
from ealm.grammar.rearranging import ROOT, Tree
from ealm.grammar.statements import asks, commands

_REMARKS = {
    "unless": "unless exceptions apply",
    "except": "except in some cases",
    "but": "but not in all cases",
    "subject": "subject to conditions",
}
"""What is written for an exception that does not fit; for a condition, its conjunction and "conditions are
met"."""

REMARK = "remark"
"""The relation of the words that stand for a condition."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A few words for conditions and exceptions that do not fit: "under certain conditions"."""

    place: int
    """The word in whose place they stand."""
    written: Mapping[int, str]
    """The remark, and nouns of the conditions in the place of pronouns that stand for them."""
    tree: Tree
    """Of the sentence with the remark instead of the conditions."""

    def leaves_open(self, kept: Collection[int]) -> bool:
        """Whether a pronoun is left that may stand for a noun of the conditions."""
        return any(i in kept and i not in self.written for i in _pronouns(self.tree, self.place))


def remark(tree: Tree, required: Sequence[bool]) -> Remark | None:
    """The sentence with a remark in place of the conditions that it needs; none in questions and commands."""
    if tree.root is None or asks(tree) or commands(tree, tree.root):
        return None  # whoever is told what to do must know when
    found = [i for i in range(len(tree.words)) if required[i] and _is_condition(tree, i)]
    inside = {j for i in found for j in tree.subtree(i)}
    if not found or tree.root in inside:
        return None
    place = min(tree.subtree(found[0]))
    comma = "," if place == 0 and place != found[0] else ""
    shorter = deepcopy(tree)
    shorter.remove(inside)
    shorter.is_word[place] = True
    shorter.move(place, tree.root, REMARK)
    shorter.lower[place] = REMARK
    shorter.conditional -= inside
    written = {place: _remark_text(tree, place) + comma}
    return Remark(place, {**written, **_antecedents(tree, inside, _pronouns(shorter, place))}, shorter)


def _remark_text(tree: Tree, place: int) -> str:
    """The conjunction of the source, and few words for what follows."""
    end = place
    while tree.lower[end] in rules.SUPPOSING | rules.BEFORE_CONDITION:
        end += 1
    first = tree.lower[place]
    if first in _REMARKS:
        return _REMARKS[first]
    return f"{' '.join(tree.lower[place:end]) or 'if'} conditions are met"


def _pronouns(tree: Tree, place: int) -> list[int]:
    """Pronouns behind a place."""
    pronouns = rules.THIRD_PERSON | rules.THIRD_PERSON_OBJECTS | rules.POSSESSIVES | rules.DEMONSTRATIVES
    behind = range(place + 1, len(tree.words))
    return [
        i for i in behind if tree.is_word[i] and tree.lower[i] in pronouns and tree.tags[i] in ("PRP", "PRP$", "DT")
    ]


def _antecedents(tree: Tree, inside: Collection[int], pronouns: Sequence[int]) -> dict[int, str]:
    """For "it" and "they", the only noun of the conditions that they can stand for."""
    units = rules.TIMES | rules.UNITS
    nouns = [i for i in inside if tree.tags[i] in ("NN", "NNS") and tree.relations[i] in _ARGUMENTS]
    things = [i for i in nouns if tree.lower[i] not in units]
    found = {}
    for i in pronouns:
        plural = tree.lower[i] in ("they", "them")
        agreeing = [j for j in things if (tree.tags[j] == "NNS") == plural]
        if (plural or tree.lower[i] == "it") and len(agreeing) == 1:
            before = tree.children(agreeing[0], "compound", "amod")
            found[i] = " ".join(tree.words[j] for j in sorted([*before, agreeing[0]]) if j <= agreeing[0])
    return found


_ARGUMENTS = ("nsubj", "nsubjpass", "dobj", "pobj")


def _is_condition(tree: Tree, i: int) -> bool:
    """Whether it is a condition or an exception of the main clause."""
    above = tree.heads[i]
    while above not in (ROOT, tree.root):
        if tree.relations[above] in ("relcl", "acl", "conj", "conj-whole", "ccomp", "parataxis", "advcl"):
            return False
        above = tree.heads[above]
    if any(tree.lower[j] in rules.ALTERNATIVES for j in tree.children(i, "cc")):
        return False
    if tree.heads[i] != ROOT and tree.lower[tree.heads[i]] in rules.WONDERING:
        return False  # "not sure if it works"
    first = min(tree.subtree(i))
    cases = tree.lower[first + 2 : first + 3] in (["for"], ["in"], ["to"], ["on"], ["at"], ["that"], ["those"])
    if tree.lower[i] == "except" or (tree.lower[first : first + 2] == ["but", "not"] and cases):
        return True  # "but not for second homes"
    if i in tree.concessive or not tree.relations[i].startswith(("advcl", "prep")):
        return False
    if tree.relations[i] == "prep":
        return tree.lower[i] in rules.SUPPOSING
    marks = {tree.lower[j] for j in tree.children(i, "mark", "advmod") if j < i}
    return i in tree.conditional or tree.lower[i] == "subject" or bool(marks & (rules.SUPPOSING | {"unless"}))


def without_limits(tree: Tree, required: Sequence[bool]) -> Tree | None:
    """The main clause without what limits it, to be written behind "when": "when a will is invalid".

    Only of rules, advice and lasting facts, and only where a condition is what limits them.
    """
    root = tree.root
    if root is None or asks(tree) or not (commands(tree, root) or _is_rule(tree, root)):
        return None
    limits = [i for i in tree.children(root) if required[i] and _limits(tree, i)]
    subjects = tree.children(root, "nsubj", "nsubjpass")
    narrowing = [j for i in subjects for j in tree.children(i, "relcl", "acl", "prep") if required[j] and j > i]
    clauses = [i for i in narrowing if tree.relations[i] == "relcl" and not _tells_future(tree, i)]
    conditions = [i for i in limits if tree.relations[i] != "prep" or tree.lower[i] in rules.CONDITIONS - {"except"}]
    moved = any(tree.source_heads[i] != root for i in subjects)  # in the place of a pronoun
    if moved or not (clauses or conditions) or any(tree.lower[i] in rules.GENERIC_HEADS for i in subjects):
        return None
    shorter = deepcopy(tree)
    gone = {j for i in (*limits, *(narrowing if clauses else ())) for j in tree.subtree(i)}
    shorter.remove({*gone, *_beside(tree, root)})
    unknown = rules.THIRD_PERSON | rules.THIRD_PERSON_OBJECTS | rules.POSSESSIVES | rules.FIRST_PERSON
    core = {root, *(j for i in shorter.children(root) if required[i] for j in shorter.subtree(i))}
    return None if any(tree.lower[i] in unknown for i in core) else shorter


def _tells_future(tree: Tree, clause: int) -> bool:
    """ "A deal which will see …": one of which something is told, and no kind."""
    return any(tree.lower[i] in ("will", "would") for i in tree.children(clause, "aux"))


def _is_rule(tree: Tree, root: int) -> bool:
    """Whether a clause says what may, must or always is."""
    first = next(iter(tree.children(root, "aux", "auxpass")), root)
    modal = tree.lower[first] in rules.NORMATIVE | {"cannot"}
    passive = tree.relations[first] == "auxpass"
    lasting = tree.lower[first] in ("is", "are") and (passive or bool(tree.children(root, "acomp")))
    going_on = tree.tags[root] == "VBG"  # "investors may be losing money"
    return (modal or lasting) and not going_on and bool(tree.children(root, "nsubj", "nsubjpass"))


def _limits(tree: Tree, i: int) -> bool:
    """Whether it is a condition, an exception or a time limit, and no complement."""
    if not tree.relations[i].startswith(("advcl", "prep", "npadvmod", "idiom")):
        return False
    first = tree.lower[min(tree.subtree(i))]
    words = {first, tree.lower[i], *(tree.lower[j] for j in tree.children(i, "mark", "advmod") if j < i)}
    opening = rules.CONDITIONS | rules.SUPPOSING | rules.WHEN | {"only", "except", "without"}
    return i in tree.conditional or bool(words & opening)


def _beside(tree: Tree, root: int) -> set[int]:
    """What is said beside the main clause, and adverbs that limit it."""
    relations = ("conj", "parataxis", "attribution", "discourse", "intj", "cc")
    loose = [i for i in tree.children(root, "advmod") if tree.lower[i] in ("only", "then", "otherwise", "please")]
    return {j for i in (*tree.children(root, *relations), *loose) for j in tree.subtree(i)}


def asked_when(tree: Tree, kept: Collection[int]) -> dict[int, str]:
    """What is written so that a clause says when something holds, or when to do something."""
    words = sorted(i for i in kept if tree.is_word[i])
    root = tree.root
    if not words or root is None:
        return {}
    first = words[0]
    written = tree.words[first] if tree.tags[first].startswith("NNP") else tree.lower[first]
    if not commands(tree, root) and not _is_prohibition(tree, first, root):
        return {first: f"when {written}"}
    if tree.lower[first] == "do" and tree.lower[first + 1] == "not":
        return {first: "when", first + 1: "not to"}
    return {first: "when not to" if tree.lower[first] == "don't" else f"when to {written}"}


def _is_prohibition(tree: Tree, first: int, root: int) -> bool:
    return tree.lower[first] in ("do", "don't") and not tree.children(root, "nsubj", "nsubjpass")
