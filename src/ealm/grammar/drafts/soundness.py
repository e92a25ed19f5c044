"""Signs of a broken draft that do not depend on a parse: they tell where a parser was wrong."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from ealm.grammar import rule_words, rules
from ealm.grammar.drafts.valency import is_never_bare
from ealm.grammar.trees.rearranging import ROOT, Tree

_OPEN_TAGS = frozenset({"IN", "CC", "MD", "TO", "PRP$", "WDT"})
"""Tags of words that something must follow."""

_QUOTES = frozenset("\"“”‘’'«»„")

_BE = rules.BE_PRESENT | rules.BE_PAST | {"be", "been", "being"}


def is_sound(tree: Tree, kept: Collection[int]) -> bool:
    """Whether a draft of these words has an end and a subject."""
    words = sorted(i for i in kept if tree.is_word[i])
    if _loses_correction(tree, kept) or not words or _hangs(tree, words[-1]) or _lacks_subject(tree, set(words)):
        return False
    torn = any(
        _lacks_infinitive(tree, i, kept) or _lacks_link(tree, i, kept) or _lacks_complement(tree, i, kept)
        for i in words
    )
    if torn or _lacks_speaker(tree, words) or _lacks_partner(tree, words) or _lacks_finite_verb(tree, words):
        return False
    if (
        _is_subordinate(tree, kept)
        or _ends_before_clause(tree, words)
        or any(_lacks_clause(tree, i, kept) or _loses_denial(tree, i, kept) for i in words)
    ):
        return False
    if any(_is_stub(tree, i, kept) for i in words):
        return False
    return not any(_meets(tree, *pair, kept) for pair in pairwise(words)) and not _is_turned(tree, words[0])


def _loses_correction(tree: Tree, kept: Collection[int]) -> bool:
    """ "The train has no timetable" of "… no timetable, or rather it has one that nobody reads"."""
    places = (i for i, pair in enumerate(pairwise(tree.lower)) if pair == ("or", "rather"))
    return any(i + 1 not in kept and any(j in kept for j in range(i)) for i in places)


def _is_stub(tree: Tree, i: int, kept: Collection[int]) -> bool:
    """ "And other countries" of "and other countries should pay", "stores open" of "open for a year", "the first"."""
    behind = i + 1
    if behind >= len(tree.words) or behind in kept or not tree.is_word[behind]:
        return False
    if tree.relations[i].startswith("conj") and tree.tags[i].startswith("NN"):
        return tree.tags[behind] == "MD" and any(j in kept for j in tree.children(i, "cc"))
    if tree.relations[i] == "amod" and -1 < tree.heads[i] == i - 1 and tree.tags[i] == "JJ":
        return tree.tags[behind] not in _FINITE
    ranked = tree.lower[i] in rule_words.RANKS and tree.tags[i] == "JJ" and tree.lower[i - 1] == "the"
    return ranked and i > 0 and tree.lower[behind] == "of"


_FINITE = ("VBZ", "VBD", "VBP", "MD")


def _skips_infinitive(tree: Tree, before: int, behind: int) -> bool:
    """ "Inability decisions" of "inability to take decisions": the verb is gone that the noun was the object of."""
    to = before + 1
    if tree.lower[to] != "to" or tree.tags[to + 1] != "VB" or behind < to + 2 or tree.lower[behind] in rules.TIMES:
        return False
    between = [i for i in range(to + 2, behind) if tree.is_word[i]]
    object_like = ("JJ", "JJR", "JJS", "NN", "NNS", "RB", "VBN")
    near = all(tree.tags[i] in ("JJ", "JJR", "DT", "PRP$", "RB", "CD", "NN") for i in between)
    return near and tree.tags[behind] in object_like and tree.tags[before].startswith(("NN", "JJ"))


def _is_subordinate(tree: Tree, kept: Collection[int]) -> bool:
    """ "After the adviser resigned": a clause that a parser took for the main one."""
    marks = [] if tree.root is None else tree.children(tree.root, "mark")
    return any(i in kept and tree.lower[i] in rule_words.CONJUNCTIONS - {"that"} for i in marks)


def _ends_before_clause(tree: Tree, words: Sequence[int]) -> bool:
    """ "It took nine days, and when it arrived": a clause is announced that does not come."""
    for i, behind in pairwise(words):
        opened = tree.lower[i] in ("and", "but") and tree.lower[behind] in ("when", "if", "while", "after", "once")
        if opened and tree.heads[behind] != ROOT and words[-1] in tree.subtree(tree.heads[behind]):
            return tree.relations[tree.heads[behind]].startswith("advcl") and tree.heads[tree.heads[behind]] < i
    return False


def _lacks_clause(tree: Tree, verb: int, kept: Collection[int]) -> bool:
    """ "Doctors found children" of "found that children who … score lower", where no verb was seen behind "that"."""
    that = verb + 1
    if tree.lower[that : that + 1] != ["that"] or tree.relations[that] != "mark":
        return False
    missed = tree.relations[tree.heads[that]] == "conj" or not any(i > that for i in kept)
    return missed or any(i in kept and i > that for i in tree.children(verb, "dobj"))


def _loses_denial(tree: Tree, i: int, kept: Collection[int]) -> bool:
    """Whether "not" is gone that stood right before this word."""
    return i > 0 and tree.lower[i - 1] in ("not", "never", "cannot") and tree.is_word[i - 1] and i - 1 not in kept


def _meets(tree: Tree, before: int, behind: int, kept: Collection[int]) -> bool:
    """Whether words meet that cannot: "when cools", "invested he", a clause without its conjunction."""
    if behind == before + 1 or any(i in kept for i in range(before + 1, behind)):
        return False
    if _skips_infinitive(tree, before, behind) or (tree.relations[before] == "ROOT" and tree.tags[behind] == "MD"):
        return tree.tags[before] in ("VBD", "VBZ", "VBP") or tree.tags[behind] != "MD"  # "rose may hurt"
    names = tree.tags[before].startswith("NNP") and tree.tags[behind].startswith("NNP")
    if names and any(tree.tags[i] == "CC" for i in range(before + 1, behind)):
        return True  # "Norvik Seabed are in talks" of "Norvik Inc and Seabed"
    if tree.lower[before] in rules.SAYING and tree.relations[behind] == "conj" and tree.tags[behind] in _FINITE:
        return not tree.children(behind, "nsubj", "nsubjpass")  # "the firm said, posted a loss"
    linked = tree.tags[behind] in ("PRP", "MD") and tree.lower[behind - 1] == "or"
    if linked and before < behind - 1:
        return True  # "are we still on should I tell"
    if tree.lower[before] in ("and", "but") and tree.lower[behind] in rules.ADJUNCT_MARKS | {"if", "when"}:
        return True  # "I bought it and, although it is loud"
    finite = tree.tags[behind] in ("VBZ", "VBD", "VBP")
    opens = tree.lower[before] in rule_words.CONJUNCTIONS and tree.relations[before] in ("mark", "advmod")
    if opens and (finite or tree.tags[behind] == "VB"):
        return True
    verb = tree.tags[before].startswith("VB") and tree.lower[before] not in rules.SAYING | rules.THINKING
    if verb and tree.lower[behind] in ("i", "he", "she", "we", "they") and tree.relations[behind] == "nsubj":
        return True
    clauses = [i for i in range(behind, len(tree.words)) if i in kept and tree.relations[i] in ("conj", "advcl")]
    return any(_opens(tree, i, behind, kept) for i in clauses)


def _opens(tree: Tree, clause: int, first: int, kept: Collection[int]) -> bool:
    """Whether a clause with a subject of its own begins with this word, and with no conjunction."""
    subjects = [i for i in tree.children(clause, "nsubj", "nsubjpass") if i in kept]
    words = [i for i in tree.subtree(clause) if i in kept]
    linked = tree.relations[first] in ("mark", "cc", "prep", "idiom") or tree.tags[first][0] in "WI"
    return bool(subjects) and min(words) == first and not linked and tree.tags[clause] != "VBG"


def _lacks_partner(tree: Tree, words: Sequence[int]) -> bool:
    """ "Talks between Ann" of "between Ann and Bo"; "Bed Bath" of "Bed Bath & Beyond"."""
    for i in words:
        if tree.lower[i] == "between" and "and" in tree.lower[i:]:
            objects = [j for j in tree.children(i, "pobj") if j in words]
            if all(tree.tags[j] in ("NN", "NNP") for j in objects) and not any(tree.lower[j] == "and" for j in words):
                return True
        sign = tree.words[i + 1 : i + 2] == ["&"] and i + 1 not in words
        if sign and tree.lower[i + 2] not in rules.DESIGNATORS:
            return True
    return False


def _is_turned(tree: Tree, first: int) -> bool:
    """ "Are the demonstrators" of "on the other front are the demonstrators"."""
    spoken = tree.tags[first + 1 : first + 2] in ((), ("PRP",))  # "hey are you coming"
    return first > 0 and tree.lower[first] in _BE and "?" not in tree.words and not spoken


def _lacks_link(tree: Tree, i: int, kept: Collection[int]) -> bool:
    """ "Bank America" of "Bank of America": neighbours on both sides of a preposition or conjunction that is gone."""
    link = i + 1
    if link + 1 not in kept or link in kept or not (tree.is_word[link] and tree.is_word[link + 1]):
        return False
    return tree.tags[link] in ("IN", "CC") and tree.lower[link] != "that" and tree.relations[link] != "mark"


def _lacks_infinitive(tree: Tree, i: int, kept: Collection[int]) -> bool:
    """ "Banks will have" of "banks will have to pay"."""
    needing = ("have", "has", "had", "going", "able", "unable", "used", "ought", "likely", "unlikely")
    opened = tree.lower[i + 1 : i + 2] == ["for"] and i + 1 not in kept
    if tree.lower[i] in ("called", "calls") and opened:
        return True  # "the minister called" of "called for banks to act"
    if tree.lower[i] == "let":
        return i + 1 not in kept  # "let go"
    return tree.lower[i] in needing and tree.lower[i + 1 : i + 2] == ["to"] and i + 1 not in kept


def _lacks_finite_verb(tree: Tree, words: Sequence[int]) -> bool:
    """ "The court held that the defendant, having received notice", "The bridge, once hailed as a symbol"."""
    for i in words:
        clause = tree.heads[i]
        that = tree.lower[i] == "that" and tree.relations[i] in ("mark", "complementizer") and clause != ROOT
        if that and tree.tags[clause] in ("VBG", "VBN") and not tree.children(clause, "aux", "auxpass"):
            return True
    root = tree.root
    if root is None or root not in words or tree.tags[root] != "VBN" or tree.children(root, "aux", "auxpass"):
        return False
    subject = next(iter(tree.children(root, "nsubj", "nsubjpass")), root)
    commas = [i for i in range(subject, root) if tree.words[i] == ","]
    finite = any(tree.tags[i] in ("VBZ", "VBD", "VBP", "MD") for i in range(root, len(tree.words)))
    return len(commas) == 1 and finite


def _lacks_complement(tree: Tree, verb: int, kept: Collection[int]) -> bool:
    """ "Crows can remember" of "can remember for years who …": a verb is bare that hardly ever is."""
    if not tree.tags[verb].startswith("VB") or tree.relations[verb] not in _STATING:
        return False
    behind = [i for i in tree.children(verb) if i > verb and tree.relations[i] not in _BESIDE]
    times = [i for i in behind if any(tree.lower[j] in rules.TIMES for j in (i, *tree.children(i, "pobj")))]
    behind = [i for i in behind if i not in times]  # "stocks jumped on Monday"
    behind = [i for i in behind if tree.lower[i] not in rule_words.CIRCUMSTANCES]  # "stocks tumbled amid fears"
    for i in tree.children(verb, "advcl"):  # "will cost 40 euros more than planned"
        first = min(tree.subtree(i))
        opened = tree.relations[first] == "mark" or tree.tags[first][0] == "W"
        behind += [i] if first == verb + 1 and not opened else []
    before = tree.children(verb, "ccomp", "dobj")
    passive = bool(tree.children(verb, "nsubjpass", "auxpass"))
    if not behind or any(i in kept for i in (*behind, *before)):
        return False
    return is_never_bare(tree.lower[verb], passive=passive)


_STATING = frozenset({"ROOT", "conj", "ccomp", "advcl"})
_BESIDE = frozenset({"conj", "conj-whole", "cc", "advcl", "parataxis", "attribution", "punct", "discourse", "intj"})


def _lacks_speaker(tree: Tree, words: Sequence[int]) -> bool:
    """ "It kept us dry, says"."""
    return tree.lower[words[-1]] in rules.SAYING and len(words) > 1 and words[-2] != words[-1] - 1


def _hangs(tree: Tree, last: int) -> bool:
    """Whether the last word needs another one, which stood right behind it."""
    behind = next((i for i in range(last + 1, len(tree.words)) if tree.words[i] not in _QUOTES), len(tree.words))
    if behind >= len(tree.words) or not tree.is_word[behind]:
        return tree.lower[last] in _BE and tree.heads[last] == ROOT and last + 2 < len(tree.words)
    if tree.lower[last] in rule_words.EASE and tree.lower[last - 1] == "it":
        return tree.lower[behind] in ("for", "to")  # "makes it easier"
    if tree.tags[last] in _OPEN_TAGS:
        return tree.relations[last] not in ("prt", "advmod", "pobj", "dobj")
    if tree.tags[last] in ("DT", "WP", "WRB"):
        return tree.relations[last] in ("det", "nsubj", "advmod") and tree.lower[last] not in ("why", "how")
    if tree.lower[last] in rule_words.OPEN_NOUNS:
        return any(i > last for i in tree.children(last))  # "the claim that …", not "the claim because …"
    if tree.lower[last] in _BE:
        return True
    return tree.lower[last] in ("told", "tells", "has", "have", "had", "than", "as")


def _lacks_subject(tree: Tree, words: Collection[int]) -> bool:
    """Whether a finite verb has lost its subject; there was one if a noun or pronoun stood before it."""
    told = [i for i in words if tree.relations[i] == "ccomp" and any(j < i for j in tree.children(i, "mark"))]
    if any(not tree.children(i, "nsubj", "nsubjpass", "csubj", "expl") for i in told):
        return True  # "we regret that will no longer be allowed"
    root = tree.root
    if root is None or root not in words or min(words) == 0:
        return False
    verbs = [root, *(i for i in tree.children(root, "aux", "auxpass") if i in words)]
    if not any(tree.tags[i] in ("VBD", "VBZ", "VBP", "MD") for i in verbs):
        return False
    subjects = tree.children(root, "nsubj", "nsubjpass", "csubj", "expl", "attr", "ccomp")
    contracted = any("'" in tree.lower[i] for i in verbs)
    before = any(tree.tags[i][:2] in ("NN", "PR") for i in range(min(verbs)) if tree.is_word[i])
    return before and not contracted and not any(i in words for i in subjects)
