"""Where the clauses of a text without any punctuation begin, so that it is cut there and nowhere else."""

from collections.abc import Callable, Sequence

from ealm.grammar.protocol import NO_HEAD, Parse
from ealm.grammar.rules import SAYING, THINKING
from ealm.text.word_lists import DEPENDING, JOINING, TELLING, WHEN_AND_WHY

_WINDOW = 60
"""Words that are parsed together."""

_STRIDE = 40
"""Words from one window to the next: near the edges of a window its tree is unsure."""

_SUBJECTS = ("nsubj", "nsubjpass", "expl")
_FINITE = ("VBD", "VBZ", "VBP", "MD")


def clause_beginnings(words: Sequence[str], parse: Callable[[list[Sequence[str]]], Sequence[Parse]]) -> set[int]:
    """Places in a long stretch of words at which a statement begins that says nothing about the one before it."""
    starts = range(0, max(1, len(words) - (_WINDOW - _STRIDE)), _STRIDE)
    windows = [words[start : start + _WINDOW] for start in starts]
    edge = (_WINDOW - _STRIDE) // 2
    found: set[int] = set()
    for start, own, tree in zip(starts, windows, parse(windows), strict=True):
        first = edge if start else 1
        last = len(own) if start == starts[-1] else _WINDOW - edge
        found |= {start + at for at in beginnings_in(own, tree) if first <= at < last}
    return _without_main_clauses([word.lower() for word in words], sorted(found))


def _without_main_clauses(lower: Sequence[str], places: Sequence[int]) -> set[int]:
    """Leave out places at which only the main clause of what stands before them begins: "if it rains | we stay"."""
    kept: list[int] = []
    start = 0
    for at in places:
        opening = next((word for word in lower[start:at] if word not in JOINING), "")
        if opening not in DEPENDING:
            kept.append(at)
        start = at
    return set(kept)


def beginnings_in(words: Sequence[str], tree: Parse) -> set[int]:
    """The same for one window and its tree."""
    lower = [word.lower() for word in words]
    found = set()
    for subject, relation in enumerate(tree.relations):
        verb = tree.heads[subject]
        if relation in _SUBJECTS and verb > subject and _is_finite(tree, subject, verb):
            start = min(tree.subtree(subject))
            while start and lower[start - 1] in JOINING:
                start -= 1
            if start and _is_statement(tree, lower, verb, start):
                found.add(start)
    return found


def _is_finite(tree: Parse, subject: int, verb: int) -> bool:
    return any(tree.tags[i] in _FINITE for i in (verb, *tree.children[verb]) if subject < i <= verb)


def _is_statement(tree: Parse, lower: Sequence[str], verb: int, start: int) -> bool:
    """Whether nothing before a clause says on what it depends, who says it, or what it is about."""
    told_before = lower[verb] in SAYING | THINKING and any(i < start for i in tree.related(verb, "ccomp"))
    if lower[start - 1] in DEPENDING or told_before:
        return False
    while (head := tree.heads[verb]) != NO_HEAD:
        if not _stands_apart(tree, lower, verb, start) or any(
            lower[i] not in JOINING for i in tree.related(verb, "mark")
        ):
            return False
        verb = head
    return True


def _stands_apart(tree: Parse, lower: Sequence[str], verb: int, start: int) -> bool:
    """Whether a clause only hangs on its head because there is no full stop between them."""
    head, relation = tree.heads[verb], tree.relations[verb]
    if relation in ("conj", "parataxis"):
        return True
    if relation == "relcl":
        opened = any(tree.tags[i].startswith("W") or lower[i] == "that" for i in tree.subtree(verb) if i < verb)
        return not opened and bool(tree.related(verb, "dobj")) and lower[head] not in WHEN_AND_WHY
    return relation in ("ccomp", "advcl") and (head > verb or _is_full(tree, lower, head, start))


def _is_full(tree: Parse, lower: Sequence[str], verb: int, start: int) -> bool:
    """Whether a verb has all that it asks for before a place: what follows was only taken for its complement."""
    if lower[verb] in TELLING | THINKING:
        return False
    enough = ("dobj",) if lower[verb] in SAYING else ("dobj", "prep", "attr", "acomp", "advmod", "npadvmod")
    return any(verb < i < start for i in tree.related(verb, *enough))
