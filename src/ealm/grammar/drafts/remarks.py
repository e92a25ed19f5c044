"""What is written where a condition does not fit: a few words in its place that leave it open.

"The minister may exempt vessels if conditions are met".
"""

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

from ealm.grammar import rule_words, rules
from ealm.grammar.trees.rearranging import ROOT, Tree
from ealm.grammar.trees.statements import asks, commands

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
    if tree.root is None or asks(tree) or commands(tree, tree.root) or _forbids(tree, tree.root):
        return None  # whoever is told what to do must know when
    if any(tree.lower[i] in rule_words.FEELING for i in tree.children(tree.root, "acomp")):
        return None  # "we would be glad if you could …" asks
    if not any(tree.lower[i] in rule_words.RULING for i in tree.children(tree.root, "aux")):
        return None  # "costs could explode if conditions are met": of what may come, the condition is the news
    subjects = tree.children(tree.root, "nsubj", "nsubjpass")
    if any(tree.lower[j] in rules.NEGATORS for i in subjects for j in (i, *tree.children(i))):
        return None  # "nothing is valid unless exceptions apply"
    found = [i for i in range(len(tree.words)) if required[i] and _is_condition(tree, i)]
    inside = {j for i in found for j in tree.subtree(i)}
    if not found or tree.root in inside:
        return None
    place, end = min(tree.subtree(found[0])), max(tree.subtree(found[0]))
    if 0 < place < tree.root:
        return None  # "the owner if conditions are met would"
    if place == 0 and place != found[0] and tree.lower[end + 1 : end + 2] != [","]:
        return None  # nobody knows where the condition ends
    comma = "," if place == 0 and place != found[0] else ""
    shorter = deepcopy(tree)
    shorter.remove(inside)
    shorter.is_word[place] = True
    shorter.move(place, tree.root, REMARK)
    shorter.lower[place] = REMARK
    shorter.conditional -= inside
    written = {place: _remark_text(tree, place) + comma}
    return Remark(place, {**written, **_antecedents(tree, inside, _pronouns(shorter, place))}, shorter)


def _forbids(tree: Tree, verb: int) -> bool:
    """ "Do not take it if …"."""
    helping = {tree.lower[i] for i in tree.children(verb, "aux")}
    return bool(helping & {"do", "don't", "dont"}) and not tree.children(verb, "nsubj", "nsubjpass")


def _remark_text(tree: Tree, place: int) -> str:
    """The conjunction of the source, and few words for what follows."""
    end = place
    while tree.lower[end] in rules.SUPPOSING | rules.BEFORE_CONDITION:
        end += 1
    first = tree.lower[place]
    if first in _REMARKS:
        return _REMARKS[first]
    opening = " ".join(tree.lower[place:end]) or "if"
    return f"{'only if' if opening == 'only' else opening} conditions are met"


def _pronouns(tree: Tree, place: int) -> list[int]:
    """Pronouns behind a place."""
    pronouns = rules.THIRD_PERSON | rules.THIRD_PERSON_OBJECTS | rules.POSSESSIVES | rules.DEMONSTRATIVES
    behind = range(place + 1, len(tree.words))
    return [
        i
        for i in behind
        if tree.is_word[i] and tree.lower[i] in pronouns and tree.tags[i] in ("PRP", "PRP$", "DT")
        if not (tree.relations[i] == "det" and tree.words[tree.heads[i]][:1].isupper())  # "this Agreement"
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
