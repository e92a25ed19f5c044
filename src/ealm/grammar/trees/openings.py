"""What comes before a statement and is no part of it, or only announces it: addresses, labels, apologies, frames."""

from collections.abc import Collection, Iterator

from ealm.grammar import rule_words, rules
from ealm.grammar.trees.rearranging import ROOT, Tree

_LONGEST_ADDRESS = 5
"""Words before the comma."""


def cut_openings(tree: Tree) -> None:
    """Hang the opening on the sentence, and remember its words: only the whole sentence has them."""
    _free_fillers(tree)
    end = _dateline(tree) or _starter(tree) or _address(tree) or _caption(tree)
    end = end or _admission(tree) or _apology(tree) or _label(tree)
    if not end or not any(tree.is_word[i] for i in range(end, len(tree.words))):
        return
    opening = [i for i in range(end) if tree.is_word[i]]
    behind = [i for i in range(end, len(tree.words)) if tree.is_word[i] and tree.heads[i] in {ROOT, *opening}]
    main = next((i for i in behind if tree.tags[i].startswith("VB")), behind[0])
    for i in behind:
        if i != main and tree.heads[i] != ROOT:
            tree.attach(i, main)
    if tree.heads[main] != ROOT:
        tree.move(main, ROOT, "ROOT")
    tree.root = main
    for i in opening:
        tree.move(i, main, "discourse")
    tree.opening = frozenset(opening)


def _free_fillers(tree: Tree) -> None:
    """ "omg", "lol" and the like hang loosely on the sentence."""
    for i, word in enumerate(tree.lower):
        if word in rule_words.FILLERS and tree.is_word[i] and not tree.children(i) and tree.root not in (None, i):
            tree.move(i, tree.root or 0, "discourse")


def _admission(tree: Tree) -> int:
    """ "Not gonna lie the second season is slow": where the sentence begins."""
    start = 1 if tree.lower[:1] == ["i'm"] else 0
    return start + 3 if tree.lower[start : start + 3] == ["not", "gonna", "lie"] else 0


def _apology(tree: Tree) -> int:
    """ "Sorry for the late reply, but …", "idk if this helps but …", "guess what, …": where the sentence begins."""
    if tree.lower[:2] == ["guess", "what"] and len(tree.words) > 2 and tree.words[2] in (",", ":", "!"):
        return 3
    but = next((i for i, word in enumerate(tree.lower[: 2 * _LONGEST_ADDRESS]) if word == "but"), 0)
    unsure = any(tree.lower[: len(own)] == list(own) for own in rule_words.UNSURE_OF_HELP)
    sorry = tree.lower[0] in rule_words.APOLOGIES and tree.lower[1:2] in (["for"], ["about"])
    return but + 1 if but and (unsure or sorry) else 0


def _label(tree: Tree) -> int:
    """ "Known issue: …": where the sentence behind a label begins, unless that is a speaker or a doubt."""
    colon = next((i for i in range(1, min(_LONGEST_ADDRESS, len(tree.words))) if tree.words[i] == ":"), 0)
    label = range(colon)
    plain = all(tree.tags[i] in ("NN", "NNS", "JJ", "VBN") and tree.is_word[i] for i in label)
    words = {tree.lower[i] for i in label}
    stated = any(tree.tags[i] in ("VBZ", "VBP", "VBD", "MD") for i in range(colon, len(tree.words)))
    named = any(tree.words[i][:1].isupper() for i in label if i)
    if words & rule_words.DOUBTFUL_LABELS and tree.root is not None and tree.root > colon:
        tree.move(colon - 1, tree.root, "label-whole")
        return 0
    return colon + 1 if colon and plain and stated and not named else 0


def _address(tree: Tree) -> int:
    """Where an address ends, with its comma; 0 if there is none."""
    if tree.lower[0] not in rule_words.GREETINGS:
        return 0
    comma = next((i for i in range(1, min(_LONGEST_ADDRESS + 1, len(tree.words))) if tree.words[i] in ",!"), 0)
    called = not any(tree.tags[i].startswith("VB") for i in range(1, comma))  # "hi, I am here"
    return comma + 1 if comma and called else 0


def _starter(tree: Tree) -> int:
    """ "ok so the landlord called": where the sentence begins."""
    end = 0
    while tree.lower[end : end + 1] and (tree.lower[end] in rule_words.STARTERS or (end and tree.lower[end] == ",")):
        end += 1
    subject = tree.tags[end : end + 1] in (("PRP",), ("DT",), ("PRP$",), ("NNP",), ("EX",))
    return end if subject else 0


def _dateline(tree: Tree) -> int:
    """ "June 5 (Elmby) - The council …": where the sentence begins."""
    dash = next((i for i in range(1, min(_LONGEST_DATELINE, len(tree.words) - 1)) if tree.words[i] in _DASHES), 0)
    named = all(own[:1].isupper() or not own.isalpha() for own in tree.words[:dash])
    set_off = any(own == "(" or own.lower() in rules.MONTHS for own in tree.words[:dash])
    return dash + 1 if dash and named and set_off and tree.words[dash + 1][:1].isupper() else 0


_LONGEST_DATELINE = 10
_DASHES = ("-", "--", "–", "—")


def _caption(tree: Tree) -> int:
    """Where a caption ends: "SIGNS OF HOPE The market …"; 0 if there is none."""
    end = 0
    while end < len(tree.words) and tree.words[end].isalpha() and tree.words[end].isupper() and tree.is_word[end]:
        end += 1
    following = tree.words[end : end + 1]
    opens = bool(following) and following[0].istitle() and tree.tags[end] in ("DT", "IN", "PRP", "PRP$", "RB")
    return end if end > 1 and opens else 0


def set_apart(tree: Tree) -> None:
    """What is in brackets or between commas is no argument of the verb."""
    _free_brackets(tree)
    _free_appositions(tree)


def _free_brackets(tree: Tree) -> None:
    """What stands in brackets is no subject or object: it hangs on the word before, and stays or goes as a whole."""
    inside = tree.bracketed()
    for i in sorted(inside):
        head = tree.heads[i]
        if not tree.is_word[i] or head == ROOT or head in inside:
            continue
        letter = len(tree.words[i]) == 1 and tree.words[i].isalpha()  # "a 401(k) plan"
        if letter or any(tree.lower[j] in rule_words.LIMITS_IN_BRACKETS for j in tree.subtree(i) & inside):
            tree.relations[i] += "-whole"  # "adults (members excepted)"
            continue
        before = next((j for j in range(min(tree.subtree(i)), -1, -1) if tree.is_word[j] and j not in inside), None)
        if (
            tree.relations[i] in ("nsubj", "nsubjpass", "dobj", "attr")
            and before is not None
            and tree.subtree(i) <= inside
        ):
            tree.move(i, before, "appos")
    for bracket in _brackets(inside):
        _hold_together(tree, bracket)


def _brackets(inside: Collection[int]) -> Iterator[set[int]]:
    """The words of each bracket."""
    words: set[int] = set()
    for i in sorted(inside):
        if words and i - 1 not in words:
            yield words
            words = set()
        words.add(i)
    if words:
        yield words


def _hold_together(tree: Tree, bracket: set[int]) -> None:
    """Half of what a bracket says is something else: "1.8 litres (2.2 with the large lid)"."""
    words = [i for i in sorted(bracket) if tree.is_word[i]]
    roots = [i for i in words if tree.heads[i] not in bracket]
    if not roots or any(tree.heads[i] == ROOT or not tree.subtree(i) <= bracket for i in roots):
        return
    for i in roots[1:]:
        if not tree.relations[i].endswith("-whole"):
            tree.move(i, roots[0], "dep")
    for i in words:
        if tree.heads[i] in bracket and not tree.relations[i].endswith("-whole"):
            tree.relations[i] += "-whole"


def _free_appositions(tree: Tree) -> None:
    """ "The driver, a man of 30, was hurt": between commas, a second subject is an apposition of the first."""
    for verb in range(len(tree.words)):
        subjects = tree.children(verb, "nsubj", "nsubjpass")
        if len(subjects) == 2 and subjects[1] < verb:
            own = tree.subtree(subjects[1])
            if tree.words[min(own) - 1] == "," and tree.words[max(own) + 1] == "," and min(own) > subjects[0]:
                tree.move(subjects[1], subjects[0], "appos")
    for i, relation in enumerate(tree.relations):
        article = [j for j in tree.children(i, "det") if tree.lower[j] in ("a", "an") and tree.words[j - 1] == ","]
        for j in tree.subtree(i) if relation == "appos" and article else ():
            if tree.relations[j] == "amod":
                tree.relations[j] = "amod-whole"  # "the driver, a man with blood pressure"


_BEHIND = ("xcomp", "advcl", "acomp")
"""Relations of what follows in a frame."""


def mend_reminders(tree: Tree) -> None:
    """ "A reminder that the drill planned for Monday is off": "reminder" is no subject of the clause behind "that"."""
    for noun in range(len(tree.words) - 1):
        verb = tree.heads[noun]
        if tree.lower[noun] not in rules.REMINDERS or tree.lower[noun + 1] != "that" or verb != tree.root:
            continue
        if not tree.relations[noun].startswith("nsubj") or tree.heads[noun + 1] != verb:
            continue
        for clause in tree.children(noun, "acl", "relcl"):
            subjects = [i for i in tree.children(clause, "nsubj", "nsubjpass", "csubj", "expl") if noun < i < clause]
            for subject in subjects[:1]:
                tree.move(subject, verb, tree.relations[noun])
                tree.move(clause, subject, "acl")
        tree.move(noun, ROOT, "ROOT")
        tree.move(verb, noun, "acl")
        tree.root = noun
        return


def announced(tree: Tree, verb: int) -> int | None:
    """The clause that is announced, if the clause of this verb says nothing else."""
    if _is_denied(tree, verb):
        return None
    word = tree.lower[verb]
    if word in rules.REMINDERS:
        return _reminded(tree, verb)
    if word == "let" and tree.tags[verb] == "VB" and tree.lower[verb - 1] == "to":
        return _let_know(tree, verb)
    if word in ("asked", "wants", "wanted") and not _is_own(tree, verb):
        return _passed_on(tree, verb)
    return _minded(tree, verb) or (_told(tree, verb) if _is_own(tree, verb) else None)


def is_plain(tree: Tree, clause: int) -> bool:
    """Whether a clause states something: a subject, and no word that asks."""
    openers = [i for i in tree.children(clause) if tree.tags[i].startswith("W") and i < clause]
    marks = {tree.lower[i] for i in tree.children(clause, "mark", "advmod")}
    subjects = tree.children(clause, "nsubj", "nsubjpass", "expl")
    return bool(subjects) and not openers and not marks & {"whether", "if", "how", "why"}


def _is_denied(tree: Tree, verb: int) -> bool:
    words = {tree.lower[i] for i in (verb, *tree.children(verb, "aux", "neg", "advmod"))}
    return bool(words & rules.NEGATORS) or any(word.endswith("n't") for word in words)


def _is_own(tree: Tree, verb: int) -> bool:
    """Whether the writer speaks of the message: "I", "we", "this"."""
    subjects = [tree.lower[i] for i in (*tree.children(verb, "nsubj"), verb)]
    modal = any(tree.tags[i] == "MD" and tree.lower[i] not in ("would", "must", "can") for i in tree.children(verb))
    return not modal and any(word.partition("'")[0] in ("i", "we", "this") for word in subjects)


def _first_plain(tree: Tree, clauses: list[int]) -> int | None:
    return next((i for i in clauses if is_plain(tree, i)), None)


def _reminded(tree: Tree, noun: int) -> int | None:
    """ "Just a reminder that …", "please note that …", "a quick note to let you know that …"."""
    if tree.children(noun, "neg", "nsubj", "aux"):
        return None
    clauses = [i for i in tree.children(noun, "acl", "ccomp", "relcl") if noun < i]
    passed_on = [_let_know(tree, i) for i in clauses if tree.lower[i - 1 : i + 1] == ["to", "let"]]
    said = [_content(tree, i) for i in clauses if tree.lower[i - 1] == "to" and tree.lower[i] in ("say", "tell")]
    return next((i for i in (*passed_on, *said) if i is not None), None) or _first_plain(tree, clauses)


def _minded(tree: Tree, verb: int) -> int | None:
    """ "Guests are advised that …", "please be aware that …", "please remember that …"."""
    if tree.tags[verb] == "VB" and not tree.children(verb, "nsubj", "aux"):
        if tree.lower[verb] == "remember":
            return _first_plain(tree, tree.children(verb, "ccomp"))
        aware = (
            [i for i in tree.children(verb, "acomp") if tree.lower[i] in rule_words.MINDFUL]
            if tree.lower[verb] == "be"
            else []
        )
        return _first_plain(tree, [i for j in aware for i in tree.children(j, "ccomp")])
    passive = [tree.lower[i] for i in tree.children(verb, "auxpass")]
    if tree.lower[verb] not in rule_words.MINDFUL | {"notified"} or passive not in (["are"], ["is"], ["be"]):
        return None
    return _first_plain(tree, tree.children(verb, "ccomp")) if not tree.children(verb, "aux") else None


def _told(tree: Tree, verb: int) -> int | None:
    """ "We are pleased to announce that …", "I wanted to let you know that …", "I'm afraid we can't"."""
    afraid = [i for i in tree.children(verb, "acomp") if tree.lower[i] == "afraid"]
    if afraid:
        return _first_plain(tree, tree.children(afraid[0], "ccomp"))
    inside = [verb] if tree.lower[verb] in rule_words.TELLING else []
    if tree.lower[verb] in rule_words.WISHING:
        behind = tree.children(verb, *_BEHIND)
        feeling = [j for i in behind if tree.lower[i] in rule_words.FEELING for j in tree.children(i, *_BEHIND)]
        inside = [i for i in (*behind, *feeling) if tree.lower[i] in rule_words.TELLING]
    for telling in inside:
        found = _let_know(tree, telling) if tree.lower[telling] == "let" else _content(tree, telling)
        if found is not None:
            return found
    return None


def _content(tree: Tree, verb: int) -> int | None:
    """What is told to the reader, not to somebody else ("I want to tell my boss that …")."""
    heard = tree.children(verb, "dobj", "dative")
    if any(tree.lower[i] in ("him", "her", "them") or tree.children(i, "poss") for i in heard):
        return None
    clauses = [i for i in tree.children(verb, "ccomp") if tree.tags[i] != "VB" or tree.children(i, "aux")]
    return _first_plain(tree, clauses)


def _let_know(tree: Tree, verb: int) -> int | None:
    """ "(Just to) let you know that …"."""
    known = [i for i in tree.children(verb, "ccomp") if tree.lower[i] == "know"]
    return _first_plain(tree, [i for j in known for i in tree.children(j, "ccomp")])


def _passed_on(tree: Tree, verb: int) -> int | None:
    """ "Tom asked me to tell you that he has approved it": what Tom says."""
    for told in tree.children(verb, "xcomp", "ccomp"):
        if tree.lower[told - 1] != "to" or tree.lower[told] not in ("tell", "inform", "let"):
            continue
        return _let_know(tree, told) if tree.lower[told] == "let" else _first_plain(tree, tree.children(told, "ccomp"))
    return None
