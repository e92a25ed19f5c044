"""What parsers often get wrong about clauses, put right by marks and conjunctions that do not depend on a parse."""

from ealm.grammar import rules
from ealm.grammar.trees.attachments import mend_attachments
from ealm.grammar.trees.boundaries import mend_boundaries, mend_results
from ealm.grammar.trees.openings import mend_reminders
from ealm.grammar.trees.rearranging import ROOT, Tree

_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "expl")
_COMPLEMENTS = ("dobj", "attr", "acomp", "xcomp", "ccomp")
_BOUNDARIES = frozenset({";", ":"})
_DASHES = frozenset({"-", "–", "—", "--"})
_PAUSES = _DASHES | frozenset({";", ",", ":", "("})


def mend_clauses(tree: Tree) -> None:
    """Clauses hang where their marks and conjunctions say."""
    mend_reminders(tree)
    mend_boundaries(tree)
    mend_predicate(tree)
    mend_relative_root(tree)
    mend_attachments(tree)
    mend_subordination(tree)
    mend_results(tree)
    mend_openings(tree)
    mend_subjects(tree)
    mend_alternatives(tree)
    mend_arguments(tree)
    cut_at_boundaries(tree)
    split_clauses(tree)


def mend_predicate(tree: Tree) -> None:
    """Where a noun is the root, a finite verb without a subject behind it is its predicate ("data that … must be")."""
    noun = tree.root
    if noun is None or not tree.tags[noun].startswith("NN"):
        return
    for verb in range(noun + 1, len(tree.words)):
        if tree.relations[verb] in ("relcl", "advcl", "ccomp") and _is_finite(tree, verb):
            if _has_subject(tree, verb) or _is_subordinate(tree, verb) or _has_pronoun(tree, verb):
                continue
            tree.move(verb, ROOT, "ROOT")
            tree.move(noun, verb, "nsubj")
            tree.root = verb
            return


def mend_relative_root(tree: Tree) -> None:
    """ "The treaty, which they signed, divided the land": the root has no relative pronoun before its own subject."""
    root = tree.root
    if root is None:
        return
    subjects = tree.children(root, "nsubj", "nsubjpass")
    pronouns = [i for i in tree.children(root) if tree.tags[i] in ("WDT", "WP") and i < root]
    if not (subjects and pronouns and subjects[0] < pronouns[0] and tree.words[pronouns[0] - 1] == ","):
        return
    behind = [
        i for i in range(root + 1, len(tree.words)) if tree.tags[i] in ("VBD", "VBZ") and tree.words[i - 1] == ","
    ]
    verb = next((i for i in behind if not _has_subject(tree, i)), None)
    if verb is not None:
        tree.move(verb, ROOT, "ROOT")
        tree.move(root, subjects[0], "relcl")
        tree.move(subjects[0], verb, "nsubj")
        tree.root = verb


def _is_finite(tree: Tree, verb: int) -> bool:
    finite = ("VBD", "VBZ", "VBP", "MD")
    return tree.tags[verb] in finite or any(tree.tags[i] in finite for i in tree.children(verb, "aux", "auxpass"))


def _has_pronoun(tree: Tree, clause: int) -> bool:
    """Whether a relative pronoun stands in a clause, also in a phrase before the verb ("for which")."""
    before = [i for i in tree.children(clause) if i < clause]
    return any(tree.tags[j].startswith("W") for i in before for j in tree.subtree(i))


def mend_subjects(tree: Tree) -> None:
    """A finite verb takes as its subject the noun before it that a parser took for a part of the clause before."""
    for verb in range(1, len(tree.words)):
        relation = tree.relations[verb]
        if relation not in ("conj", "relcl", "advcl") or not _is_finite(tree, verb) or _has_subject(tree, verb):
            continue
        if relation == "advcl":
            _take_sibling(tree, verb)
        elif relation == "relcl":
            _take_pronoun(tree, verb)
        elif not _take_conjunct(tree, verb):
            _take_object(tree, verb)


def _take_pronoun(tree: Tree, verb: int) -> None:
    """ "Three hearts, two of which pump blood"."""
    for i in tree.children(tree.heads[verb], "appos"):
        if (
            i < verb
            and max(tree.subtree(i)) == min(tree.subtree(verb)) - 1
            and any(tree.tags[j].startswith("W") for j in tree.subtree(i))
        ):
            tree.move(i, verb, "nsubj")
            return


def _take_conjunct(tree: Tree, verb: int) -> bool:
    """ "He resigned on Monday and his deputy was dismissed"."""
    first = min((i for i in tree.children(verb) if i < verb), default=verb)
    for noun in range(first - 1, tree.heads[verb], -1):
        if tree.relations[noun] != "conj" or not tree.tags[noun].startswith("NN"):
            continue
        inside = tree.subtree(noun)
        if any(tree.is_word[i] and i not in inside for i in range(noun, first)):
            return False
        joining = [i for i in tree.children(tree.heads[noun], "cc") if i < min(inside)]
        if joining and not tree.children(verb, "cc"):
            tree.move(noun, verb, "nsubj")
            tree.move(joining[-1], tree.heads[verb], "cc")
            return True
    return False


def _take_object(tree: Tree, verb: int) -> None:
    """ "After the winner had been disqualified": the preposition is a conjunction, and its object the subject."""
    for i in tree.children(verb, "prep"):
        objects = tree.children(i, "pobj")
        if i == min(tree.subtree(verb)) and objects and tree.lower[i] in ("after", "before", "since", "until", "till"):
            tree.move(objects[0], verb, "nsubj")
            tree.relations[i], tree.relations[verb] = "mark", "advcl"


def _take_sibling(tree: Tree, verb: int) -> None:
    """ "Required before any photo that shows it is printed": the same, where both hang on another verb."""
    first = min(tree.subtree(verb))
    for i in tree.children(tree.heads[verb], "prep"):
        objects = tree.children(i, "pobj")
        opens = tree.lower[i] in ("after", "before", "since", "until", "till", "as") and not tree.children(verb, "mark")
        if opens and objects and max(tree.subtree(i)) == first - 1:
            tree.move(objects[0], verb, "nsubj")
            tree.move(i, verb, "mark")
            return
    if first == verb and tree.words[verb - 1] == "," and tree.tags[verb] in ("VBZ", "VBD"):
        tree.relations[verb] = "conj"  # "the cream is mild, contains no scent"


def mend_subordination(tree: Tree) -> None:
    """A clause with "because" or "although" is an adjunct, whatever a parser took it for."""
    for i, word in enumerate(tree.lower):
        if word in ("when", "as") and tree.relations[tree.heads[i]] == "ccomp" and i < tree.heads[i]:
            clause = tree.heads[i]  # "when he asked, she laughed"
            if clause < tree.heads[clause] and min(tree.subtree(clause)) == i:
                tree.relations[clause] = "advcl"
        if (
            tree.lower[i - 2 : i] == ["but", "only"]
            and word in rules.CONDITIONS | rules.WHEN
            and tree.relations[tree.heads[i]] == "conj"
        ):
            tree.relations[tree.heads[i]] = "advcl"
        if tree.lower[i - 1 : i + 1] == ["so", "that"] and i < tree.heads[i]:
            clause = tree.heads[i]  # "let me know when you land so that we can meet you"
            if tree.relations[clause] in ("conj", "parataxis"):
                tree.relations[clause] = "advcl"
            if tree.relations[clause] == "ccomp" and any(
                j < i for j in tree.children(tree.heads[clause], "dobj", "ccomp")
            ):
                tree.relations[clause] = "advcl"
        if word not in rules.ADJUNCT_MARKS or tree.heads[i] == ROOT:
            continue
        clause = tree.heads[i]
        if tree.relations[i] == "mark" and i < clause and not tree.children(i):
            if tree.relations[clause] in ("ccomp", "xcomp", "conj", "dep") and tree.heads[clause] != ROOT:
                tree.relations[clause] = "advcl"
        elif tree.relations[i] == "prep" and not tree.children(i):
            behind = [j for j in tree.children(clause, "ccomp", "advcl", "conj") if j > i and _has_subject(tree, j)]
            if behind:
                for j in tree.children(clause):
                    if i <= j < behind[0]:
                        tree.attach(j, behind[0])
                tree.relations[i], tree.relations[behind[0]] = "mark", "advcl"


def mend_openings(tree: Tree) -> None:
    """ "…, but if it rains, stay in": a clause that opens behind a conjunction belongs to the clause that follows."""
    for i, word in enumerate(tree.lower):
        opens = tree.relations[i] == "mark" or (tree.relations[i] == "advmod" and word in rules.WHEN)
        if not opens or i == 0 or tree.relations[i - 1] != "cc":
            continue
        clause = tree.heads[i]
        head = tree.heads[clause]
        if word == "that" or tree.relations[clause] != "advcl" or head == ROOT or head > i:
            continue
        inner = [j for j in tree.children(clause, "ccomp") if j > clause and _has_subject(tree, j)]
        outer = [j for j in tree.children(head, "conj") if j > clause] or _next_clause(tree, clause, head)
        if inner:
            tree.move(inner[0], head, "conj")
            tree.attach(clause, inner[0])
        elif outer:
            tree.attach(clause, outer[0])


def _next_clause(tree: Tree, clause: int, head: int) -> list[int]:
    """The clause behind another one that a parser hung on something before both."""
    behind = range(max(tree.subtree(clause)) + 1, len(tree.words))
    above = {head}
    while tree.heads[head] != ROOT:
        head = tree.heads[head]
        above.add(head)
    return [j for j in behind if tree.heads[j] in above and _has_subject(tree, j)][:1]


def mend_alternatives(tree: Tree) -> None:
    """ "If A, if B, or if C": clauses with the same conjunction behind commas are members of one list."""
    for clause in range(len(tree.words)):
        if tree.relations[clause] != "advcl" or not any(tree.lower[i] == "if" for i in tree.children(clause, "mark")):
            continue
        before = [i for i in tree.children(tree.heads[clause], "advcl") if i < clause]
        listed = [i for i in before if any(tree.lower[j] == "if" for j in tree.children(i, "mark"))]
        if listed and tree.children(clause, "cc") and _apart(tree, clause):
            tree.move(clause, listed[0], "conj")


def mend_arguments(tree: Tree) -> None:
    """A verb has one subject and one object; what stands apart from them is no argument."""
    for verb in range(len(tree.words)):
        if tree.tags[verb].startswith("JJ"):  # "make sure that it works, otherwise they complain"
            for i in tree.children(verb, "ccomp")[1:]:
                if _apart(tree, i) and _has_subject(tree, i):
                    tree.move(i, tree.heads[verb], "parataxis")
        if not tree.tags[verb].startswith("VB"):
            continue
        subjects = tree.children(verb, "nsubj", "nsubjpass")
        _free_fragment(tree, verb, subjects)
        for i in subjects[1:]:
            if i > verb and any(tree.relations[j] == "cc" for j in range(verb, i)):
                tree.relations[i] = "discourse"
        objects = tree.children(verb, "dobj")
        if len(objects) > 1:
            near = min(objects, key=lambda i: (i < verb, i))
            for i in objects:
                if i != near and (i < verb or _apart(tree, i)):
                    tree.relations[i] = "discourse" if i < verb else "parataxis"
        for i in tree.children(verb, "npadvmod"):
            behind = max(tree.subtree(i)) + 1
            if subjects and i < subjects[0] and tree.words[behind] == "," and tree.lower[i] not in rules.TIMES:
                tree.relations[i] = "discourse"  # "quick question, …"
        complements = tree.children(verb, "attr", "acomp")
        if len(complements) > 1 and subjects and complements[0] < subjects[0]:
            tree.relations[complements.pop(0)] = "advcl"  # "light and soft, the scarf is warm"
        for i in complements[1:]:
            _mend_complement(tree, verb, i)
        for i in objects[:1]:
            if i > verb and tree.words[min(tree.subtree(i)) - 1] in _DASHES:
                tree.relations[i] = "parataxis"  # "he quit - a change that surprised many"
        for i in tree.children(verb, "ccomp"):
            if i < verb or not _apart(tree, i):
                continue
            opens = tree.lower[verb] not in rules.SAYING | rules.THINKING  # "didn't answer, my phone died"
            if _stands_alone(tree, i) and (opens or _has_complement_before(tree, verb, i)):
                tree.relations[i] = "parataxis"
            elif tree.tags[i] in ("VBZ", "VBD") and min(tree.subtree(i)) == i and subjects:
                tree.relations[i] = "conj"  # "the lake lies high, has no outlet"


def _free_fragment(tree: Tree, verb: int, subjects: list[int]) -> None:
    """ "Great shoes, although the heel came off": the first of two subjects is a sentence without a verb."""
    if verb != tree.root or len(subjects) < 2 or subjects[1] > verb:
        return
    between = range(max(j for j in tree.subtree(subjects[0]) if j < subjects[1]), subjects[1])
    if any(tree.relations[i] == "mark" and tree.words[i - 1] == "," for i in between):
        _make_first(tree, subjects[0], verb, "parataxis")


def _mend_complement(tree: Tree, verb: int, i: int) -> None:
    """ "Delivery was quick and the courier friendly", "the first to cross it, a journey of 40 days"."""
    if _has_subject(tree, i):
        for cc in tree.children(tree.children(verb, "attr", "acomp")[0], "cc"):
            tree.move(cc, i, "cc")
        tree.relations[i] = "conj"
    elif i > verb and _apart(tree, i):
        tree.relations[i] = "appos"


def _has_complement_before(tree: Tree, verb: int, clause: int) -> bool:
    return any(verb < j < clause for j in tree.children(verb, *_COMPLEMENTS))


def _apart(tree: Tree, i: int) -> bool:
    """Whether punctuation stands before a phrase."""
    start = min(tree.subtree(i))
    return start > 0 and tree.words[start - 1] in _PAUSES


def _has_subject(tree: Tree, clause: int) -> bool:
    return bool(tree.children(clause, *_SUBJECTS))


def cut_at_boundaries(tree: Tree) -> None:
    """Clauses on both sides of a semicolon or colon: the first is the sentence, the others may go."""
    if tree.root is None:
        return
    starts = [0]
    for i, word in enumerate(tree.words):
        if word in _BOUNDARIES and not tree.is_word[i]:
            before, behind = range(starts[-1], i), range(i + 1, _next_boundary(tree, i))
            if _main(tree, before) is not None and _main(tree, behind) is not None:
                starts.append(i + 1)
    spans = [range(start, end) for start, end in zip(starts, [*starts[1:], len(tree.words)], strict=True)]
    clauses = [(main, span) for span in spans if (main := _main(tree, span)) is not None]
    if len(clauses) < 2:
        return
    tops = [(main, [i for i in span if tree.is_word[i] and tree.heads[i] not in span]) for main, span in clauses]
    for main, above in tops:
        for i in above:
            if i != main:
                tree.move(i, main, "parataxis" if tree.relations[i] in ("ccomp", "ROOT") else tree.relations[i])
    tree.root = clauses[0][0]
    for main, _ in clauses[1:]:
        tree.move(main, tree.root, "parataxis")
    tree.move(tree.root, ROOT, "ROOT")


def _next_boundary(tree: Tree, i: int) -> int:
    return next((j for j in range(i + 1, len(tree.words)) if tree.words[j] in _BOUNDARIES), len(tree.words))


def _main(tree: Tree, span: range) -> int | None:
    """The main clause of a part of the sentence."""
    tops = [i for i in span if tree.is_word[i] and tree.heads[i] not in span]
    return next((i for i in tops if _is_clause(tree, i)), None)


def _is_clause(tree: Tree, i: int) -> bool:
    if not tree.tags[i].startswith("VB") or tree.children(i, "mark"):
        return False
    return _has_subject(tree, i) or (tree.tags[i] == "VB" and not _is_infinitive(tree, i))


def _is_infinitive(tree: Tree, i: int) -> bool:
    return any(tree.lower[j] == "to" for j in tree.children(i, "aux"))


def split_clauses(tree: Tree) -> None:
    """Clauses side by side ("do not use bleach, wipe it"): the first is the sentence, the others may go."""
    root = tree.root
    if root is None or not tree.tags[root].startswith("VB"):
        return
    before = [i for i in tree.children(root, "ccomp", "advcl", "dep") if i < root]
    joined = [i for i in before if tree.relations[i] == "ccomp" and any(i < j < root for j in tree.children(i, "cc"))]
    if joined:
        _make_first(tree, joined[0], root, "conj")
        return
    complete = bool([i for i in tree.children(root, "ccomp", "xcomp") if i > root])
    if tree.lower[root] in rules.SAYING | rules.THINKING and not complete:
        return
    first = next((i for i in before if _stands_alone(tree, i)), None)
    if first is None:
        for i in before:
            pause = any(tree.words[j] in _PAUSES for j in range(i, root))
            if tree.relations[i] == "ccomp" and complete and pause and not _is_subordinate(tree, i):
                tree.relations[i] = "parataxis"
    elif any(tree.words[i] in _PAUSES for i in range(first, root)):
        _make_first(tree, first, root, "parataxis")


def _is_subordinate(tree: Tree, clause: int) -> bool:
    opened = any(tree.tags[i].startswith("W") for i in tree.children(clause, "advmod", "nsubj", "dobj"))
    return opened or bool(tree.children(clause, "mark"))


def _make_first(tree: Tree, first: int, root: int, relation: str) -> None:
    tree.move(first, ROOT, "ROOT")
    tree.move(root, first, relation)
    tree.root = first


def _stands_alone(tree: Tree, clause: int) -> bool:
    """Whether a clause could be a sentence: no conjunction, and a subject unless it is a command."""
    if any(tree.lower[i] in ("rather", "instead", "than") for i in tree.subtree(clause)):
        return False
    auxiliaries, subjects = tree.children(clause, "aux", "auxpass"), tree.children(clause, "nsubj", "nsubjpass")
    if auxiliaries and subjects and auxiliaries[0] < subjects[0] and tree.lower[auxiliaries[0]] in rules.INVERTED:
        return False
    if not tree.tags[clause].startswith("VB") or _is_subordinate(tree, clause):
        return False
    contracted = tree.lower[clause].partition("'")[0] in rules.PRONOUNS  # "they're"
    return bool(subjects) or contracted or (tree.tags[clause] == "VB" and not _is_infinitive(tree, clause))
