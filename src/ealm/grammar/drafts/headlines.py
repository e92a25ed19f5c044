"""Headlines: the words that they do without, and the phrases that may stand as one where no statement fits.

Words go where neither voice nor mood is lost: "will be closed" is not "will closed". A phrase states nothing, so
nothing untrue: "flights between Bergen and Oslo", "how she would pay".
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ealm.grammar import rule_words, rules
from ealm.grammar.trees.rearranging import ROOT, Tree

_INNER = frozenset({"compound", "designator", "nmod", "poss", "title", "amod", "nummod", "npadvmod"})
"""Relations of nouns that are no phrase by themselves."""

_BESIDE = frozenset({"parataxis", "attribution", "attribution-whole", "advcl", "discourse", "intj"})
"""Relations of what stands beside a phrase and not in it."""

_SET_APART = frozenset({"relcl", "acl", "appos", "prep", "conj"})


@dataclass(frozen=True, slots=True)
class Topic:
    """A phrase that says what a sentence is about."""

    head: int
    words: frozenset[int]
    """Of the whole phrase."""
    bonus: float
    """What it is worth beside its words."""


def topics_of(tree: Tree, required: Sequence[bool]) -> tuple[Topic, ...]:
    """Noun phrases and questions within the sentence."""
    found = []
    unsure = any(word in rules.HARD_CONDITIONS for word in tree.lower)
    bracketed = tree.bracketed()
    for i, tag in enumerate(tree.tags):
        if not tree.is_word[i] or i in bracketed or (unsure and _is_denied(tree, i)) or _is_asked(tree, i):
            continue
        if tag.startswith("N") and tree.relations[i] not in _INNER and not _is_pronominal(tree, i):
            phrase = _phrase(tree, i)
            found.append(Topic(i, phrase, _bonus(tree, i, required) - _unexplained(tree, phrase)))
        elif tree.relations[i] == "pcomp" and tag == "VBG" and _is_free(tree, i):
            found.append(Topic(i, frozenset(tree.subtree(i)), -_doubt(tree, i) - _unexplained(tree, tree.subtree(i))))
        elif tree.relations[i] in ("ccomp", "pcomp", "csubj") and _is_question(tree, i):
            found.append(Topic(i, frozenset(tree.subtree(i)), rules.QUESTION_TOPIC))
    return tuple(found)


def _is_pronominal(tree: Tree, noun: int) -> bool:
    """ "Ann or I": says nothing by itself."""
    return any(tree.lower[i] in rules.PRONOUNS for i in (noun, *tree.children(noun, "conj", "conj-whole")))


def _is_free(tree: Tree, gerund: int) -> bool:
    """Whether a gerund may stand alone: "working for others", and not behind "without" or "rather than"."""
    excluded = rules.LIMITING_PREPOSITIONS | {"rather", "instead", "after", "before"}
    if not rules.NEGATORS & set(tree.lower):
        excluded |= {"from"}  # "stopped the fire from spreading"
    around = {gerund, tree.heads[gerund], *tree.children(gerund), *tree.children(tree.heads[gerund])}
    return len(tree.children(gerund)) > 0 and not any(tree.lower[i] in excluded for i in around)


def _unexplained(tree: Tree, phrase: Collection[int]) -> float:
    """ "The purpose for which it was collected": what a pronoun without its noun costs."""
    unknown = rules.THIRD_PERSON | rules.THIRD_PERSON_OBJECTS | {"his", "its", "their"}
    return rules.UNKNOWN_TOPIC * any(tree.lower[i] in unknown for i in phrase)


def _is_denied(tree: Tree, noun: int) -> bool:
    """Whether a phrase holds a negation, which a condition elsewhere in the sentence may limit."""
    return any(tree.lower[i] in rules.NEGATORS or tree.lower[i].endswith("n't") for i in _phrase(tree, noun))


def _is_asked(tree: Tree, noun: int) -> bool:
    """ "Which of the quotes we accepted": not all of them."""
    above = tree.heads[noun]
    asked = above != ROOT and tree.lower[above] == "of" and tree.tags[tree.heads[above]].startswith("W")
    return asked or any(tree.tags[i].startswith("W") for i in tree.children(noun, "poss", "det"))


def _is_question(tree: Tree, clause: int) -> bool:
    """Whether a clause asks: "whether he knew", "how they would pay"."""
    first = tree.lower[min(tree.subtree(clause))]
    if tree.tags[clause] in ("VBN", "VBG") and not tree.children(clause, "aux", "auxpass"):
        return False  # "when the path, closed in May"
    return first in rules.ASKING and (first not in ("when", "where") or tree.relations[clause] == "ccomp")


def _phrase(tree: Tree, noun: int) -> frozenset[int]:
    """A noun and what belongs to it, without what is set apart by a comma."""
    inside, waiting = {noun}, [noun]
    while waiting:
        head = waiting.pop()
        for i in tree.children(head):
            apart = tree.relations[i] in _SET_APART and not tree.is_word[max(min(tree.subtree(i)) - 1, 0)]
            loose = tree.lower[i] in rules.LOOSE_LIMITS and not tree.children(i)
            loose = loose or (head == noun and tree.relations[i] == "cc")
            if i not in inside and tree.relations[i] not in _BESIDE and not apart and not loose:
                inside.add(i)
                waiting.append(i)
    return frozenset(inside)


def _bonus(tree: Tree, noun: int, required: Sequence[bool]) -> float:
    numbers = [i for i in tree.children(noun, "nummod") if not tree.children(i)]
    measured = (
        bool(numbers)
        and tree.relations[noun] != "pobj"
        and bool(tree.children(noun, "prep"))
        and not tree.children(noun, "idiom", "advmod")
    )
    measures = rules.TIMES | rules.UNITS | rules.MONTHS
    if tree.lower[noun] in measures and not measured:
        return -rules.LIMITED_TOPIC * (1 + (tree.relations[noun] == "pobj"))
    above = tree.heads[noun]
    while above != ROOT and tree.lower[above] not in measures:
        above = tree.heads[above]
    if above != ROOT:
        return -rules.LIMITED_TOPIC  # "within ten days of receiving the invoice"
    limits = ("det", "amod", "advmod", "predet", "neg", "preconj", "idiom")
    loose = rules.LOOSE_LIMITS | rules.ARTICLES | rules.DEMONSTRATIVES
    quantified = any(  # alone, that would be a statement
        required[i] and tree.lower[i] not in loose for i in tree.children(noun, *limits)
    )
    if tree.relations[noun] in ("nsubj", "nsubjpass") and tree.heads[noun] == tree.root:
        return rules.SUBJECT_TOPIC - rules.LIMITED_TOPIC * quantified
    if quantified or tree.relations[noun].startswith("conj-"):
        return -rules.LIMITED_TOPIC
    stated = tree.relations[noun] == "dobj" and tree.heads[noun] == tree.root and not tree.children(tree.root, "neg")
    return rules.SUBJECT_TOPIC / 2 * stated - _doubt(tree, noun)


def _doubt(tree: Tree, noun: int) -> float:
    """How far a noun stands in the scope of what is rejected, believed or asked, or of a negation or condition."""
    doubt, above = 0.0, tree.heads[noun]
    while above != ROOT:
        words = {tree.lower[i] for i in (above, *tree.children(above, "neg", "mark", "advmod", "aux", "det", "nsubj"))}
        if (
            words & (rules.THINKING | rules.DENYING | rules.EXCHANGES | rules.ASKING)
            or tree.relations[above] == "conj-whole"
        ):
            return rules.LIMITED_TOPIC
        if words & rules.LIMITING_PREPOSITIONS:
            return rules.LIMITED_TOPIC
        if words & (rules.NEGATORS | rules.CONDITIONS) or _has_ending(words):
            denied = above == tree.heads[noun] and tree.relations[noun] == "attr"  # "is not the product of two numbers"
            doubt = max(doubt, rules.LIMITED_TOPIC if denied else rules.UNSURE_TOPIC)
        above = tree.heads[above]
    return doubt


def _has_ending(words: set[str]) -> bool:
    return any(word.endswith("n't") for word in words)


def demonstratives(tree: Tree) -> set[int]:
    """ "This", "those" and the like before a subject: "this licence permits"."""
    return {
        i
        for i, word in enumerate(tree.lower)
        if word in rules.DEMONSTRATIVES and tree.relations[i] == "det"
        if tree.relations[tree.heads[i]] in ("nsubj", "nsubjpass", "dobj")
    }


def copulas(tree: Tree) -> set[int]:
    """ "Is" of a headline such as "Bank (is) reluctant to lend", "Airline (is) in talks with unions"."""
    root = tree.root
    if root is None or tree.lower[root] not in ("is", "are") or tree.children(root, "aux", "neg", "expl", "attr"):
        return set()
    subjects = tree.children(root, "nsubj")
    named = len(subjects) == 1 and subjects[0] < root and tree.tags[subjects[0]].startswith("NN")
    behind = [i for i in tree.children(root) if i > root and tree.relations[i] != "advmod"]
    phrase = bool(behind) and behind[0] <= root + 3 and tree.relations[behind[0]] in ("acomp", "prep")
    return {root} if named and phrase and any(tree.children(i) for i in behind[:1]) else set()


def first_names(tree: Tree) -> set[int]:
    """ "Investor Ann Lee": whoever has a title or a common first name is a person, and the surname is enough."""
    titles = [i for i, own in enumerate(tree.relations) if own == "title" and tree.is_word[i]]
    persons = {tree.heads[i] for i in titles if tree.lower[i] in rules.TITLES | rule_words.PERSONS}
    found = {
        i
        for person in persons
        for i in tree.children(person, "compound")
        if i == person - 1 and tree.tags[i] == "NNP" and not tree.children(i)
    }
    for name, tag in enumerate(tree.tags):
        before = [i for i in tree.children(name, "compound") if i < name] if tag == "NNP" and tree.is_word[name] else []
        own = before and before[-1] == name - 1 and len(before) < 3 and not tree.children(name, "designator")
        if own and all(tree.tags[i] == "NNP" and not tree.children(i) for i in before):
            found |= set(before) if tree.lower[before[0]] in rule_words.FIRST_NAMES else set()
    return found


def name_tails(tree: Tree) -> set[int]:
    """ "Carlyle Group", "Lehman Brothers Holdings": what a report may leave out of the name of a firm."""
    return {
        i
        for i in range(1, len(tree.words))
        if tree.lower[i] in rule_words.NAME_TAILS and tree.words[i][:1].isupper() and tree.is_word[i]
        if tree.relations[i - 1] in ("compound", "nmod") and tree.heads[i - 1] == i
        if tree.tags[i - 1] == "NNP" and not tree.lower[i - 1].endswith(rule_words.OF_A_NATION)
    }


def wholes(tree: Tree) -> set[int]:
    """ "Of its" in "three of its ferries", "of the city's biggest" in "five of the city's biggest banks"."""
    found: set[int] = set()
    for of in range(1, len(tree.words) - 1):
        number = tree.heads[of]
        nouns = tree.children(of, "pobj")
        if tree.lower[of] != "of" or number != of - 1 or tree.tags[number] != "CD" or len(nouns) != 1:
            continue
        noun = nouns[0]
        owned = [i for i in tree.children(noun, "poss") if i < noun]
        counted = tree.children(noun, "nummod") or tree.children(number, "quantmod", "nummod")
        if tree.tags[noun] not in ("NNS", "NNPS") or not owned or counted or tree.lower[number] in ("one", "1"):
            continue
        inside = {of} | {j for i in tree.children(noun, "poss", "det", "amod") if i < noun for j in tree.subtree(i)}
        found |= inside if inside == set(range(of, max(inside) + 1)) else set()
    return found


def is_spoken(tree: Tree, kept: Collection[int]) -> bool:
    """Whether in these words somebody speaks to somebody, or of himself."""
    return any(tree.lower[i] in rules.SPEAKERS | rules.SPEAKERS_OWN for i in kept)


def is_report(tree: Tree) -> bool:
    """Whether it tells news: nobody speaks to anybody or says what to do, and it is no rule and no lasting fact."""
    if tree.announced or is_spoken(tree, range(len(tree.words))):
        return False
    root = tree.root
    if root is None:
        return True
    command = tree.tags[root] == "VB" and not tree.children(root, "nsubj", "nsubjpass", "aux")
    if command and any(mark in (".", "!") for mark in tree.words[-1:]):
        return False
    return not _holds_always(tree, root)


def _holds_always(tree: Tree, root: int) -> bool:
    """Whether the main clause stands in the present, or says what may or must be."""
    if tree.children(root, "attribution", "attribution-whole") or tree.lower[root] in rules.SAYING | rules.THINKING:
        return False
    auxiliaries = tree.children(root, "aux", "auxpass")
    if not auxiliaries:
        return tree.tags[root] in ("VBZ", "VBP") and not _is_news(tree, root)
    first = tree.lower[auxiliaries[0]]
    passive = tree.relations[auxiliaries[0]] == "auxpass" and first in rules.BE_PRESENT
    return passive or first in rules.NORMATIVE or (first in ("do", "does") and bool(tree.children(root, "neg")))


def _is_news(tree: Tree, root: int) -> bool:
    """ "Norvik plans to sell its ferries": of somebody who has a name, that is told of today."""
    subjects = [j for i in tree.children(root, "nsubj") for j in tree.subtree(i)]
    return tree.lower[root] in rule_words.INTENDING and any(tree.tags[j].startswith("NNP") for j in subjects)


def spare_words(tree: Tree) -> set[int]:
    """Indices of articles, possessive pronouns and auxiliaries that a headline does without."""
    spare = {i for i in range(len(tree.lower)) if _is_spare(tree, i)}
    # "has been closed": both go, or none.
    spare = {i for i in spare if not tree.children(i)}
    for i in sorted(spare):
        if tree.relations[i] in ("aux", "auxpass"):
            both = tree.children(tree.heads[i], "aux", "auxpass")
            if not set(both) <= spare:
                spare -= set(both)
    for i in sorted(spare):
        if tree.relations[i] == "auxpass":
            for j in tree.children(tree.heads[i], "aux"):
                tree.move(j, i, "aux-chain")
    return {i for i in spare if tree.relations[i] != "aux-chain"}


def _is_spare(tree: Tree, i: int) -> bool:
    word, relation = tree.lower[i], tree.relations[i]
    if relation == "det" and word in rules.ARTICLES:
        capital = i > 0 and tree.words[i][:1].isupper() and i - 1 not in tree.opening
        following = tree.lower[i + 1] if i + 1 < len(tree.lower) else ""
        if tree.relations[tree.heads[i]] == "npadvmod" or _is_share(tree, tree.heads[i]):  # "$4 a month"
            return False
        after_half = i > 0 and tree.lower[i - 1] == "half"  # "half an hour"
        predicate = tree.relations[tree.heads[i]] == "attr" and tree.lower[i] != "the"  # "was an English botanist"
        return not (capital or after_half or predicate) and following not in rules.NEED_ARTICLE
    if relation == "poss":
        if _is_share(tree, tree.heads[i]):
            return False  # "900 of its vans"
        return word in rules.POSSESSIVES and tree.lower[i + 1 : i + 2] not in (["only"], ["own"], ["first"], ["last"])
    if relation in ("aux", "auxpass"):
        return _is_spare_auxiliary(tree, i)
    return False


def _is_share(tree: Tree, noun: int) -> bool:
    """ "One of the candidates", "a third of the differences"."""
    of = tree.heads[noun]
    if of == ROOT or tree.lower[of] != "of" or tree.heads[of] == ROOT:
        return False
    share = tree.heads[of]
    return tree.tags[share] in ("CD", "DT") or tree.lower[share] in rules.SHARES


def _is_spare_auxiliary(tree: Tree, i: int) -> bool:
    word, verb = tree.lower[i], tree.heads[i]
    if tree.relations[verb] != "ROOT" and not (tree.relations[verb] == "conj" and tree.heads[verb] == tree.root):
        return False  # in a clause of another, the auxiliary tells the verb from a participle
    subjects = tree.children(verb, "nsubj", "nsubjpass")
    others = tree.children(verb, "aux", "auxpass", "neg")
    if not subjects or subjects[0] > i or tree.lower[subjects[0]] in rules.PRONOUNS:
        return False
    if tree.tags[subjects[0]].startswith("W") or any(tree.tags[j] in ("MD", "TO") for j in others):
        return False
    if tree.children(verb, "neg") or any(tree.lower[j].endswith("n't") for j in others):
        return False
    told = any(tree.tags[j] == "VBD" for j in tree.children(verb, "attribution", "attribution-whole"))
    if word in rules.HAVE or (word == "had" and told):  # "the ministry said it had approved it"
        past = tree.lower[verb].endswith("ed") or tree.lower[verb] in rules.SAME_PAST
        passive = bool(tree.children(verb, "auxpass"))
        return tree.tags[verb] == "VBN" and (past or passive)
    if tree.relations[i] == "auxpass":
        return (
            tree.tags[verb] == "VBN"
            and word in rules.BE_PRESENT | rules.BE_PAST | {"been"}
            and not (word in rules.BE_PAST and tree.lower[verb] in rules.LASTING)
            and not tree.children(verb, "dobj")
        )
    return tree.tags[verb] == "VBG" and word in rules.BE_PRESENT and word.isalpha()
