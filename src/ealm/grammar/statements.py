"""What a sentence states: clauses side by side, and what somebody plainly says, each free to stand alone."""

from ealm.grammar import rules
from ealm.grammar.rearranging import ROOT, Tree


def split_clauses(tree: Tree) -> None:
    """Clauses side by side ("do not use bleach; wipe it"): the first is the sentence, the others may go."""
    root = tree.root
    if root is None or tree.lower[root] in rules.SAYING | rules.THINKING or not tree.tags[root].startswith("VB"):
        return
    before = [i for i in tree.children(root, "ccomp", "advcl", "dep") if i < root and _stands_alone(tree, i)]
    if not before:
        return
    first = before[0]
    between = range(max(tree.subtree(first)) + 1, root)
    if not any(tree.words[i] in (";", ",", ":", "-", "–", "—") for i in between):
        return
    tree.move(first, ROOT, "ROOT")
    tree.move(root, first, "parataxis")
    tree.root = first


def _stands_alone(tree: Tree, clause: int) -> bool:
    """Whether a clause could be a sentence: no conjunction, and a subject unless it is a command."""
    if any(tree.lower[i] in ("rather", "instead", "than") for i in tree.subtree(clause)):
        return False
    auxiliaries, subjects = tree.children(clause, "aux", "auxpass"), tree.children(clause, "nsubj", "nsubjpass")
    if auxiliaries and subjects and auxiliaries[0] < subjects[0] and tree.lower[auxiliaries[0]] in rules.INVERTED:
        return False
    if tree.children(clause, "mark") or tree.tags[clause] not in ("VB", "VBD", "VBZ", "VBP", "VBN", "VBG"):
        return False
    if any(tree.tags[i].startswith("W") for i in tree.children(clause, "advmod", "nsubj", "dobj")):
        return False
    return bool(tree.children(clause, "nsubj", "nsubjpass")) or (
        tree.tags[clause] == "VB" and not any(tree.lower[i] == "to" for i in tree.children(clause, "aux"))
    )


def free_statements(tree: Tree) -> None:
    """What somebody plainly says stands by itself, and "X said" hangs on it, unless it speaks of the speaker."""
    while tree.root is not None and (content := _said(tree, tree.root)) is not None:
        speech = tree.root
        subject = next(iter(tree.children(content, "nsubj", "nsubjpass")), None)
        speaker = next(iter(tree.children(speech, "nsubj")), None)
        pronoun = subject is not None and tree.lower[subject] in rules.THIRD_PERSON
        antecedent = pronoun and speaker is not None and _agree(tree, subject or 0, speaker)
        named = speaker is not None and not _is_pronoun(tree, speaker)
        dependent = _speaks_of_speaker(tree, content) or (pronoun and not (antecedent and named))
        tree.move(content, ROOT, "ROOT")
        for mark in tree.children(content, "mark"):
            tree.move(mark, speech, "complementizer")
        if pronoun and antecedent and named and speaker is not None and subject is not None and speaker < subject:
            tree.move(speaker, content, "nsubj")
            tree.move(subject, speech, "nsubj")
            tree.move(speech, content, "attribution")
        else:
            tree.move(speech, content, "attribution-whole" if dependent or pronoun else "attribution")
        tree.root = content


def _said(tree: Tree, verb: int) -> int | None:
    """The content of a plain statement: a finite clause that is said, and not asked, denied or supposed."""
    if tree.lower[verb] not in rules.SAYING or tree.tags[verb] not in ("VBD", "VBZ", "VBP", "VBN"):
        return None
    if any(
        tree.lower[i] in rules.NEGATORS or tree.tags[i] == "MD" for i in tree.children(verb, "aux", "neg", "advmod")
    ):
        return None
    if any(tree.lower[i].endswith("n't") for i in tree.children(verb, "aux")):
        return None
    if any(tree.lower[i] in rules.FALSELY for i in tree.children(verb, "advmod")):
        return None
    speakers = tree.children(verb, "nsubj")
    if not speakers or tree.lower[speakers[0]] in rules.NOBODY_IN_PARTICULAR:
        return None
    others = [i for i in tree.children(verb, "conj", "conj-whole") if tree.children(i, "nsubj")]
    if others or any(tree.lower[i] == "but" for i in tree.children(verb, "cc")):
        return None  # another voice answers
    for clause in tree.children(verb, "ccomp"):
        marks = {tree.lower[i] for i in tree.children(clause, "mark", "advmod")}
        if tree.children(clause, "nsubj", "nsubjpass", "expl") and not marks & {"whether", "if", "how", "why"}:
            return clause
    return None


def _speaks_of_speaker(tree: Tree, clause: int) -> bool:
    """Whether a statement has words that only its speaker explains: "we", "his brother", an object "it"."""
    inside = tree.subtree(clause)
    if any(tree.lower[i] in rules.FIRST_PERSON for i in inside):
        return True
    subjects = tree.children(clause, "nsubj", "nsubjpass")
    owned = [j for i in subjects for j in tree.children(i, "poss")]
    if any(tree.lower[j] in ("his", "her", "their") for j in owned):
        return True
    objects = [
        i for i in tree.children(clause, "dobj", "pobj", "dative") if tree.lower[i] in rules.THIRD_PERSON_OBJECTS
    ]
    return bool(objects) and not any(
        tree.tags[i].startswith("NN") and i < min(objects) for i in inside if i not in objects
    )


def _agree(tree: Tree, pronoun: int, noun: int) -> bool:
    if tree.tags[noun].startswith("NNP") and tree.lower[pronoun] in ("it", "they"):
        return True  # of a company both are said
    said = tree.lower[pronoun]
    if said in ("he", "she"):
        others = rules.FEMALE if said == "he" else rules.MALE
        return tree.lower[noun] not in others | rules.GROUPS and tree.tags[noun] in ("NN", "NNP")
    plural = tree.tags[noun] in ("NNS", "NNPS") or bool(tree.children(noun, "conj", "conj-whole"))
    return plural == (tree.lower[pronoun] in rules.PLURAL_PRONOUNS)


def _is_pronoun(tree: Tree, index: int) -> bool:
    return tree.lower[index] in rules.PRONOUNS


def free_antecedents(tree: Tree) -> None:
    """ "After the firm lost, it appealed": the pronoun hangs on the clause, and "the firm" is the subject without."""
    verb = tree.root
    if verb is None:
        return
    subject = next(iter(tree.children(verb, "nsubj", "nsubjpass")), None)
    if subject is None or tree.lower[subject] not in rules.THIRD_PERSON:
        return
    for clause in tree.children(verb, "advcl"):
        marks = {tree.lower[i] for i in tree.children(clause, "mark", "advmod")}
        before = next(iter(tree.children(clause, "nsubj", "nsubjpass")), None)
        if before is None or before > subject or marks & (rules.CONDITIONS | rules.WHEN):
            continue
        if not _is_pronoun(tree, before) and _agree(tree, subject, before):
            tree.move(before, verb, "nsubj")
            tree.move(subject, clause, "nsubj")
            return
    for before in tree.children(verb, "advcl", "prep"):
        if before < subject and any(tree.tags[i].startswith("NN") for i in tree.subtree(before)):
            tree.relations[before] += "-whole"  # whoever is meant stands there
