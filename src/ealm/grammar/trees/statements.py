"""What a sentence states: what somebody plainly says is free to stand alone, and so are some other clauses."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ealm.grammar import rule_words, rules
from ealm.grammar.trees.openings import announced, is_plain
from ealm.grammar.trees.rearranging import ROOT, Tree


def free_statements(tree: Tree) -> None:
    """What somebody plainly says stands by itself, and "X said" hangs on it, unless it speaks of the speaker."""
    while tree.root is not None:
        speech = tree.root
        own = announced(tree, speech)
        content = _said(tree, speech) if own is None else own
        if content is None:
            return
        subject = next(iter(tree.children(content, "nsubj", "nsubjpass")), None)
        speaker = next(iter(tree.children(speech, "nsubj", *(["nsubjpass"] if own is not None else []))), None)
        empty = subject is not None and tree.lower[subject] == "it" and _is_empty(tree, content)
        pronoun = subject is not None and tree.lower[subject] in rules.THIRD_PERSON and not empty
        antecedent = pronoun and speaker is not None and _is_speaker(tree, subject or 0, speaker)
        named = speaker is not None and not _is_pronoun(tree, speaker)
        claimed = named and tree.lower[speaker or 0] in rule_words.CLAIMANTS
        if own is None and named and speaker is not None and not (antecedent and named):
            opinion = _judges(tree, content) and not _speaks_for_it(tree, speaker)
            claimed = claimed or is_anonymous(tree, speaker) or is_medium(tree, speaker) or opinion
        dependent = (
            claimed or (own is None and _speaks_of_speaker(tree, content)) or (pronoun and not (antecedent and named))
        )
        tree.move(content, ROOT, "ROOT")
        if own is not None:
            tree.announced = True
            _take_over(tree, speech, content)
        finite = tree.tags[speech].startswith("VB")  # "he said that", where "that" may go, and "a reminder that"
        for mark in tree.children(content, "mark"):
            tree.move(mark, speech, "complementizer" if finite else "mark")
        marks = [j for i in tree.children(content) for j in tree.children(i, "mark") if tree.lower[j] == "that"]
        joined = {i for i in marks if tree.relations[i - 1] == "cc"}  # "and that"
        tree.opening |= joined
        if (
            pronoun
            and antecedent
            and named
            and not claimed
            and speaker is not None
            and subject is not None
            and speaker < subject
        ):
            _remember_tense(tree, speech, content)
            tree.move(speaker, content, "nsubj")
            tree.move(subject, speech, "nsubj")
            tree.move(speech, content, "attribution")
        else:
            relation = "attribution" if finite else "discourse"
            tree.move(speech, content, "attribution-whole" if dependent or pronoun else relation)
        tree.root = content


def _take_over(tree: Tree, frame: int, content: int) -> None:
    """ "If you drive, please note that the pass is closed": conditions and further clauses belong to what is told."""
    for i in tree.children(frame, "advcl", "conj", "cc", "parataxis"):
        told = i > content or tree.relations[i] == "advcl"
        if told and content not in tree.subtree(i) and tree.lower[i] not in rule_words.TELLING:
            tree.attach(i, content)


def _remember_tense(tree: Tree, speech: int, content: int) -> None:
    """ "The airline said it would cut jobs": the airline will cut jobs, unless something else comes before."""
    if tree.tags[speech] == "VBD" and not set(tree.lower) & (rules.CONDITIONS | rules.NEGATORS | {"like", "rather"}):
        would = [i for i in tree.children(content, "aux") if tree.lower[i] == "would"]
        tree.backshifted.update(dict.fromkeys(would, speech))


def _is_empty(tree: Tree, clause: int) -> bool:
    """ "It is likely that …": whether "it" stands for nothing but a clause."""
    complements = tree.children(clause, "acomp", "attr")
    if tree.lower[clause] in ("seems", "seemed", "appears", "appeared", "takes", "took"):
        return True
    if tree.lower[clause + 1 : clause + 3] == ["up", "to"]:
        return True  # "it is up to the council"
    held = [j for i in (clause, *complements) for j in tree.children(i, "ccomp", "xcomp", "csubj", "advcl", "acl")]
    return bool(complements) and any(j > clause for j in held)


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
    if any(tree.lower[i] in rules.CONDITIONS for i in tree.children(verb, "mark")):
        return None  # "if the program reports that …"
    if not speakers or (tree.lower[speakers[0]] in rules.NOBODY_IN_PARTICULAR and not _knows(tree, speakers[0])):
        return None
    others = [i for i in tree.children(verb, "conj", "conj-whole") if tree.children(i, "nsubj")]
    if others or any(tree.lower[i] == "but" for i in tree.children(verb, "cc")):
        return None  # another voice answers
    for clause in tree.children(verb, "ccomp"):
        if is_plain(tree, clause):
            return clause
    return None


def is_anonymous(tree: Tree, speaker: int) -> bool:
    """ "Sources said", "a person close to the talks said"."""
    return tree.lower[speaker] in rule_words.SOURCES or _knows(tree, speaker)


def is_medium(tree: Tree, speaker: int) -> bool:
    """ "The Lerwick Times reported": who tells what he heard of others; but a report shows what was counted."""
    if tree.lower[tree.heads[speaker]] in ("showed", "shows", "found", "finds"):
        return False
    return any(tree.lower[i] in rule_words.MEDIA for i in (speaker, *tree.children(speaker, "compound", "appos")))


def _speaks_for_it(tree: Tree, speaker: int) -> bool:
    """ "The board is unwilling to pay, its chairman said": of itself, and no opinion of another."""
    own = any(tree.tags[i] == "PRP$" for i in tree.children(speaker, "poss"))
    return own or tree.lower[speaker] in rule_words.SPEAKING_FOR


def _judges(tree: Tree, clause: int) -> bool:
    """Whether it is an opinion, a demand or a forecast: "is a major step", "needs to", "should", "is likely to"."""
    helping = {tree.lower[i] for i in tree.children(clause, "aux")}
    if tree.lower[clause] in ("needs", "need") or helping & {"should", "must", "could", "might"}:
        return True
    being = tree.lower[clause] in rules.BE_PRESENT | rules.BE_PAST
    return being and any(tree.tags[i][:2] in ("JJ", "NN", "RB") for i in tree.children(clause, "acomp", "attr"))


def _knows(tree: Tree, speaker: int) -> bool:
    """ "Two people familiar with the matter said": sources."""
    described = {tree.lower[i] for i in tree.children(speaker, "amod", "acl", "relcl")}
    return tree.lower[speaker] in ("people", "person") and bool(
        described & {"familiar", "close", "briefed", "involved"}
    )


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


def _is_speaker(tree: Tree, pronoun: int, speaker: int) -> bool:
    """Whether a pronoun in what is said means the speaker: not in "her teacher told her that she would fail"."""
    others = {"he": ("his", "him"), "she": ("her",), "it": ("its",), "they": ("their", "them")}[tree.lower[pronoun]]
    named = tree.children(speaker, "poss") + tree.children(tree.heads[speaker], "dobj", "dative")
    return _agree(tree, pronoun, speaker) and not any(tree.lower[i] in others for i in named)


def _agree(tree: Tree, pronoun: int, noun: int) -> bool:
    if tree.tags[noun].startswith("NNP") and tree.lower[pronoun] in ("it", "they"):
        return True  # of a company both are said
    said = tree.lower[pronoun]
    if said in ("he", "she"):
        others = rules.FRACTIONS | rules.UNITS | rules.GROUPS | (rules.FEMALE if said == "he" else rules.MALE)
        return tree.lower[noun] not in others and tree.tags[noun] in ("NN", "NNP")
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
    objects = [i for i in tree.children(verb, "dobj") if tree.lower[i] in ("it", "them")]
    if objects and subject is None:
        _keep_antecedent(tree, verb, objects[0])  # "to remove a stain, cover it with salt"
    if subject is None or tree.lower[subject] not in rules.THIRD_PERSON:
        return
    for clause in tree.children(verb, "advcl"):
        marks = {tree.lower[i] for i in tree.children(clause, "mark", "advmod")}
        before = next(iter(tree.children(clause, "nsubj", "nsubjpass")), None)
        if before is None or before > subject or marks & (rules.CONDITIONS | rules.WHEN):
            continue
        if not _is_pronoun(tree, before) and _agree(tree, subject, before) and not _is_rivalled(tree, clause, subject):
            tree.move(before, verb, "nsubj")
            tree.move(subject, clause, "nsubj")
            return
    _keep_antecedent(tree, verb, subject)


def _is_rivalled(tree: Tree, clause: int, pronoun: int) -> bool:
    """ "Although Ann found the particle, it was not seen": whether "it" may stand for another noun of the clause."""
    subjects = tree.children(clause, "nsubj", "nsubjpass")
    if tree.lower[pronoun] != "it" or not any(tree.tags[i] == "NNP" for i in subjects):
        return False
    return any(tree.tags[i] == "NN" and tree.relations[i] in ("dobj", "pobj") for i in tree.subtree(clause))


def _keep_antecedent(tree: Tree, verb: int, pronoun: int) -> None:
    """A phrase before a pronoun that has a noun stays: whoever is meant stands there."""
    for before in tree.children(verb, "advcl", "prep"):
        if before < pronoun and any(tree.tags[i].startswith("NN") for i in tree.subtree(before)):
            tree.relations[before] += "-whole"


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that says something by itself, where the sentence as a whole has no statement that fits."""

    head: int
    words: frozenset[int]
    subject: int | None = None
    """The noun that a relative clause is about: its subject, in place of the pronoun."""
    written: Mapping[int, str] = field(default_factory=dict)
    """The noun for a pronoun that stands for it."""


def other_clauses(tree: Tree) -> tuple[Clause, ...]:
    """Other main clauses, reasons and concessions, and what is told of somebody in passing."""
    if tree.root is None or asks(tree):
        return ()
    found = (_clause(tree, i, relation) for i, relation in enumerate(tree.relations) if tree.is_word[i])
    return tuple(clause for clause in found if clause is not None)


def _clause(tree: Tree, i: int, relation: str) -> Clause | None:
    if relation in ("conj", "parataxis") and tree.heads[i] == tree.root:
        return _main_clause(tree, i, relation)
    if relation == "advcl" and tree.heads[i] == tree.root:
        return _reason(tree, i)
    if relation == "ccomp":
        return _reported(tree, i)
    return _told_in_passing(tree, i) if relation == "relcl" else None


def _reported(tree: Tree, i: int) -> Clause | None:
    """ "I rang the garage, and they say the car is ready", "we looked and found that the pipe leaks"."""
    verb = tree.heads[i]
    beside = tree.relations[verb] == "conj" and tree.heads[verb] == tree.root
    if not beside and not (tree.relations[verb] == "relcl" and is_framing(tree) and _tells_of_meeting(tree, verb)):
        return None
    inside = tree.subtree(i)
    if any(word in rule_words.CONTRADICTING for j, word in enumerate(tree.lower) if j not in inside):
        return None
    if _is_conditional(tree) and not (is_framing(tree) and _holds_conditions(tree, inside)):
        return None
    found = tree.lower[verb] in rule_words.FINDING and tree.tags[verb] == "VBD" and not tree.children(verb, "neg")
    subjects = tree.children(i, "nsubj", "nsubjpass")
    if not (found and is_plain(tree, i)) and _said(tree, verb) != i:
        return None
    if not subjects or not _is_understood(tree, subjects[0]) or _speaks_of_speaker(tree, i):
        return None
    return Clause(i, frozenset(inside - set(tree.children(i, "mark"))))


def _tells_of_meeting(tree: Tree, verb: int) -> bool:
    """ "I rang Ann, who says …": whether somebody whom the main clause names says it, behind a comma."""
    pronouns = [i for i in tree.children(verb, "nsubj") if tree.lower[i] == "who"]
    return bool(pronouns) and tree.words[pronouns[0] - 1] == "," and not tree.children(tree.root or 0, "conj")


def _holds_conditions(tree: Tree, inside: set[int]) -> bool:
    """Whether all conditions of the sentence stand in these words."""
    return not tree.conditional - inside and all(
        i in inside for i, own in enumerate(tree.lower) if own in rules.CONDITIONS
    )


def is_framing(tree: Tree) -> bool:
    """ "I spoke to the landlord, and he says …": whether the main clause only leads to what is told."""
    root = tree.root
    if root is None or tree.lower[root] not in rule_words.FRAMING:
        return False
    subjects = [tree.lower[i] for i in tree.children(root, "nsubj")]
    return any(word.split("'")[0] in ("i", "we") for word in subjects)


def asks(tree: Tree) -> bool:
    """Whether a sentence is a question."""
    return any(word == "?" for word in tree.words)


def _main_clause(tree: Tree, i: int, relation: str) -> Clause | None:
    """A clause beside the root, with a subject that is understood; a condition may reach as far as a semicolon."""
    content = [j for j in tree.children(i, "ccomp", "dobj", "xcomp") if tree.tags[j] != "VBG"]
    if tree.lower[i] in rules.THINKING | rules.SAYING and not content:
        return None  # "he promised", "the paper said, citing sources"
    if tree.children(i, "mark") or (_is_conditional(tree) and ";" not in tree.words[min(i, tree.root or 0) : i]):
        return None
    subjects = tree.children(i, "nsubj", "nsubjpass")
    root_commands = tree.root is not None and commands(tree, tree.root)
    command = commands(tree, i) and (relation == "parataxis" or root_commands)
    written = _named(tree, subjects[0]) if subjects else {}
    if not command and not written and not (subjects and _is_understood(tree, subjects[0])):
        return None
    inside = tree.subtree(i)
    openers = {j for j in tree.children(i, "cc", "advmod", "intj") if j < i and _opens(tree, j, subjects)}
    joined = {tree.lower[j] for j in tree.children(i, "cc")}
    first = min(inside - openers)
    if max(inside) != i and tree.lower[max(inside)] in rules.BE_PRESENT | rules.BE_PAST | {"did", "does", "do"}:
        return None  # "tests showed that it was"
    denied = joined & rules.ALTERNATIVES or (first > 0 and tree.lower[first - 1] in rules.NEGATORS)
    if denied or any(tree.lower[j] in rule_words.CONTRADICTING | {"else", "instead"} for j in inside):
        return None
    unknown = any(tree.lower[j] in rules.THIRD_PERSON_OBJECTS for j in inside - {*written})
    if unknown and (written or not _names_before(tree, inside)):
        return None
    return Clause(i, frozenset(inside - openers), written=written)


def _opens(tree: Tree, i: int, subjects: list[int]) -> bool:
    """Whether a word leads to a clause and limits nothing in it: not "they are only kept here"."""
    limits = rules.NEGATORS | rules.HEDGES
    inside = bool(subjects) and subjects[0] < i
    return tree.lower[i] not in (limits | rules.LIMITERS if inside else limits)


def _named(tree: Tree, pronoun: int) -> dict[int, str]:
    """The subject of the main clause for a pronoun that can stand for nothing else there."""
    root = tree.root
    subject = next(iter(tree.children(root, "nsubj", "nsubjpass")), None) if root is not None else None
    if root is None or subject is None or tree.lower[pronoun] not in rules.THIRD_PERSON:
        return {}
    phrases = [root, *tree.children(root, "prep", "acomp", "xcomp")]
    others = [i for j in phrases for i in tree.children(j, "dobj", "attr", "pobj")]
    named = [i for i in range(subject + 1, pronoun) if tree.tags[i].startswith("NN")]
    others += [i for i in named if tree.relations[i].startswith("nsubj")]
    first = tree.children(subject, "conj", "conj-whole", "cc")
    if first or not tree.tags[subject].startswith("NN") or any(_agree(tree, pronoun, i) for i in others):
        return {}
    before = [i for i in tree.children(subject, "det", "compound", "amod", "nummod", "poss") if i < subject]
    owners = any(tree.children(i) or tree.lower[i] in rules.NEGATORS | rules.QUANTIFIERS for i in before)
    if owners or not _agree(tree, pronoun, subject):
        return {}
    first_word = min((i for i, own in enumerate(tree.is_word) if own), default=0)
    words = [tree.lower[i] if i == first_word and tree.tags[i] == "DT" else tree.words[i] for i in (*before, subject)]
    return {pronoun: " ".join(words)}


def commands(tree: Tree, verb: int) -> bool:
    """Whether a verb says what to do."""
    return tree.tags[verb] == "VB" and not tree.children(verb, "nsubj", "nsubjpass", "expl", "aux", "auxpass")


def _names_before(tree: Tree, inside: set[int]) -> bool:
    """Whether a noun stands before the first pronoun that needs one."""
    pronoun = min(j for j in inside if tree.lower[j] in rules.THIRD_PERSON_OBJECTS)
    return any(tree.tags[j].startswith("NN") for j in inside if j < pronoun)


def _is_conditional(tree: Tree) -> bool:
    """Whether a condition stands in the sentence, in any form."""
    inverted = any(
        tree.lower[i] in rules.INVERTED and tree.relations[i] in ("aux", "auxpass") and i < j
        for i, head in enumerate(tree.heads)
        for j in tree.children(head, "nsubj", "nsubjpass")
    )
    return inverted or bool(tree.conditional) or any(word in rules.CONDITIONS for word in tree.lower)


def _is_understood(tree: Tree, subject: int) -> bool:
    """Whether a subject needs no sentence before it."""
    return tree.tags[subject].startswith("NN") or tree.lower[subject] in rules.SPEAKERS


def _reason(tree: Tree, i: int) -> Clause | None:
    """ "Although bats are the only mammals that can fly, …"."""
    marks = tree.children(i, "mark")
    subjects = tree.children(i, "nsubj", "nsubjpass")
    if len(marks) != 1 or tree.lower[marks[0]] not in rules.FACTUAL_MARKS or not subjects:
        return None
    if _turns_round(tree, tree.lower[marks[0]]):
        return None
    denied = tree.children(i, "neg") and tree.children(i, "neg")[0] < marks[0]
    limited = marks[0] > 0 and tree.lower[marks[0] - 1] in rules.NEGATORS | rules.LIMITERS | rules.HEDGES
    root_denied = tree.lower[marks[0]] == "because" and tree.root is not None and bool(tree.children(tree.root, "neg"))
    if denied or limited or root_denied or not _is_understood(tree, subjects[0]):
        return None
    return Clause(i, frozenset(tree.subtree(i) - set(marks)))


def _turns_round(tree: Tree, mark: str) -> bool:
    """Whether a reason or concession alone would hide what is asked, forbidden or demanded."""
    root = tree.root or 0
    auxiliaries, subjects = tree.children(root, "aux", "auxpass"), tree.children(root, "nsubj", "nsubjpass")
    asked = commands(tree, root) or (auxiliaries and subjects and auxiliaries[0] < subjects[0])
    denied = tree.children(root, "neg") or any(tree.lower[i].endswith("n't") for i in auxiliaries)
    demanded = any(tree.lower[i] in ("should", "must", "shall") for i in auxiliaries)
    return bool(asked or (mark in ("although", "though", "while") and (denied or demanded)))


def _told_in_passing(tree: Tree, i: int) -> Clause | None:
    """ "The airline, which filed for protection in March, …": a relative clause behind a comma tells a fact."""
    noun = tree.heads[i]
    inside = tree.subtree(i)
    pronouns = [j for j in tree.children(i, "nsubj", "nsubjpass") if tree.lower[j] in ("who", "which")]
    plain = tree.relations[noun] in ("nsubj", "nsubjpass") and _is_main(tree, tree.heads[noun])
    comma = min(inside) > 0 and not tree.is_word[min(inside) - 1]
    if not (pronouns and plain and comma and min(inside) == pronouns[0] and _is_definite(tree, noun)):
        return None
    phrase = tree.subtree(noun) - {j for k in tree.children(noun, "relcl", "appos") for j in tree.subtree(k)}
    return Clause(i, frozenset(phrase | inside - {pronouns[0]}), noun)


def _is_main(tree: Tree, verb: int) -> bool:
    """Whether it is the verb of the main clause, or of who says that."""
    return verb == tree.root or (tree.relations[verb] == "attribution" and tree.heads[verb] == tree.root)


def _is_definite(tree: Tree, noun: int) -> bool:
    determiners = {tree.lower[j] for j in tree.children(noun, "det", "poss")}
    if determiners & rules.QUANTIFIERS or tree.children(noun, "neg"):
        return False
    return tree.tags[noun].startswith("NNP") or bool(determiners)
