"""What parsers often hang on the wrong word: relative clauses, objects, measures and times."""

from ealm.grammar import rule_words, rules
from ealm.grammar.trees.rearranging import ROOT, Tree


def mend_attachments(tree: Tree) -> None:
    """Phrases hang on the words that they belong to."""
    mend_questions(tree)
    mend_missing_subject(tree)
    mend_participles(tree)
    mend_second_subjects(tree)
    mend_whose(tree)
    mend_efforts(tree)
    mend_crossings(tree)
    mend_prepositions(tree)
    mend_conjunctions(tree)
    mend_conditions(tree)
    mend_joined(tree)
    mend_where(tree)
    mend_superlatives(tree)
    mend_told(tree)
    mend_misplaced(tree)
    mend_relatives(tree)
    mend_objects(tree)
    mend_ages(tree)
    mend_measures(tree)
    mend_rates(tree)
    mend_times(tree)
    mend_only(tree)
    mend_fronted(tree)


def mend_questions(tree: Tree) -> None:
    """ "Is the pump leaking?": the participle right behind the subject is the verb."""
    be = tree.root
    if be is None or "?" not in tree.words or tree.lower[be] not in ("is", "are", "was", "were"):
        return
    inner = [j for i in tree.children(be, "ccomp") if tree.tags[i] == "VBG" for j in tree.children(i, "nsubj")]
    subject = next((i for i in (*tree.children(be, "nsubj"), *inner) if i > be), None)
    if subject is None or tree.children(be, "acomp", "attr"):
        return
    behind = (
        [tree.heads[subject]]
        if subject in inner
        else [i for i in (*tree.children(be, "advcl", "xcomp"), *tree.children(subject, "acl")) if i > subject]
    )
    verb = next((i for i in behind if tree.tags[i] == "VBG" and (inner or min(tree.subtree(i)) == i)), None)
    if verb is None or any(not tree.is_word[i] for i in range(subject, verb)):
        return
    tree.move(verb, ROOT, "ROOT")
    for i in tree.children(be):
        tree.attach(i, verb)
    tree.move(be, verb, "aux")
    tree.root = verb


def mend_missing_subject(tree: Tree) -> None:
    """ "The minister may, …, exempt"; "after a day of cleaning, neighbours met": the noun before the verb."""
    verb = tree.root
    if verb is None or not _is_finite(tree, verb) or tree.children(verb, "nsubj", "nsubjpass", "csubj", "expl"):
        return
    auxiliaries = tree.children(verb, "aux", "auxpass")
    before = [j for i in auxiliaries for j in tree.children(i) if tree.tags[j].startswith("NN") and j < i]
    first = min(*auxiliaries, verb, verb)
    before += [
        i
        for i in range(1, first)
        if tree.relations[i] in ("conj", "appos", "dobj", "pobj") and tree.tags[i].startswith("NN")
        if tree.words[min(tree.subtree(i)) - 1] == "," and max(tree.subtree(i)) == first - 1
    ]
    if before:
        tree.move(before[0], verb, "nsubj")


def mend_participles(tree: Tree) -> None:
    """ "Digs carried out in May revealed a wall": of two finite verbs without "and", the first is a participle."""
    for verb in range(1, len(tree.words)):
        noun = verb - 1
        if tree.children(verb, "nsubj", "nsubjpass") != [noun] or not _may_be_participle(tree, verb):
            continue
        for other in tree.children(verb, "conj", "ccomp", "advcl"):
            between = range(verb + 1, other)
            apart = any(
                not tree.is_word[i] or tree.tags[i][:2] in ("VB", "MD") or tree.relations[i] in ("mark", "nsubj")
                for i in between
            )
            joined = any(tree.relations[i] == "cc" and tree.tags[i - 1] != "CD" for i in between)
            if other < verb or apart or joined or tree.tags[other] not in ("VBD", "VBZ"):
                continue
            tree.move(other, tree.heads[verb], tree.relations[verb])
            tree.move(noun, other, "nsubj")
            tree.move(verb, noun, "acl")
            tree.root = other if tree.root == verb else tree.root
            break


def _may_be_participle(tree: Tree, verb: int) -> bool:
    """Whether a verb without object and auxiliary has the form of a participle, and says nothing of what is said."""
    word = tree.lower[verb]
    if tree.tags[verb] not in ("VBD", "VBN") or tree.children(verb, "aux", "auxpass", "dobj"):
        return False
    return word not in rules.SAYING | rules.THINKING and (word.endswith("ed") or word in rules.SAME_PAST)


def mend_second_subjects(tree: Tree) -> None:
    """ "Those working night shifts were ill", "pupils who slept six hours did well": the second noun is no subject."""
    for verb in range(1, len(tree.words)):
        subjects = [i for i in tree.children(verb, "nsubj", "nsubjpass") if i < verb]
        if len(subjects) != 2:
            continue
        first, second = subjects
        if _is_called(tree, first, second):
            tree.move(first, second, "title")
            continue
        clauses = [i for i in tree.children(first, "relcl", "acl") if first < i < second]
        if tree.lower[first] == "those" and tree.tags[first + 1] == "VBG" and first + 1 < second:
            tree.move(first + 1, first, "acl")
            tree.move(second, first + 1, "dobj")
        elif clauses and all(tree.is_word[first:verb]):
            measured = tree.lower[second] in rules.UNITS | rules.TIMES or bool(tree.children(clauses[-1], "dobj"))
            tree.move(second, clauses[-1], "npadvmod" if measured else "dobj")


def _is_called(tree: Tree, noun: int, name: int) -> bool:
    """ "Sportswear company Norvik is aiming to …"."""
    named = tree.tags[noun] == "NN" and tree.tags[name].startswith("NNP")
    return named and noun == max(tree.subtree(noun)) == min(tree.subtree(name)) - 1


def _is_finite(tree: Tree, verb: int) -> bool:
    finite = ("VBD", "VBZ", "VBP", "MD")
    return tree.tags[verb] in finite or any(tree.tags[i] in finite for i in tree.children(verb, "aux", "auxpass"))


def mend_whose(tree: Tree) -> None:
    """ "The flight of a banker whose fund lost a million ended on Friday": "lost" is no main verb."""
    for clause in range(len(tree.words)):
        subjects = [i for i in tree.children(clause, "nsubj", "nsubjpass") if i < clause]
        owned = [i for i in subjects[1:] if any(tree.tags[j] == "WP$" for j in tree.children(i, "poss"))]
        verb = next((i for i in tree.children(clause) if i > clause and _lacks_its_subject(tree, i)), None)
        if owned and verb is not None:
            noun = min(tree.subtree(owned[0])) - 1
            tree.move(verb, tree.heads[clause], tree.relations[clause])
            tree.root = verb if tree.root == clause else tree.root
            tree.attach(subjects[0], verb)
            tree.move(clause, noun if noun in tree.subtree(subjects[0]) else subjects[0], "relcl")


def _lacks_its_subject(tree: Tree, verb: int) -> bool:
    """Whether a parser hung a finite verb on another one, without conjunction or comma."""
    beside = tree.relations[verb] in ("advcl", "ccomp", "conj") and tree.tags[verb] in ("VBD", "VBZ", "VBP")
    return beside and not tree.children(verb, "nsubj", "nsubjpass", "mark", "cc") and tree.is_word[verb - 1]


def mend_efforts(tree: Tree) -> None:
    """ "The office called on the port to save fuel", "it is working to win orders": what for is all that is said."""
    for i, relation in enumerate(tree.relations):
        verb = tree.heads[i]
        if relation != "advcl" or tree.tags[i] != "VB" or not verb < i or tree.lower[verb] not in rule_words.STRIVING:
            continue
        aimed = any(tree.lower[j] == "to" for j in tree.children(i, "aux")) and not tree.children(i, "mark")
        between = range(verb, min(tree.subtree(i)))
        if aimed and not tree.children(verb, "dobj", "xcomp", "ccomp", "prt") and all(tree.is_word[j] for j in between):
            tree.relations[i] = "xcomp"


def mend_crossings(tree: Tree) -> None:
    """ "Ann, who waited until it was late, said it rained": a clause before "said" does not hang on what she said."""
    for clause in range(len(tree.words)):
        head = tree.heads[clause]
        speech = tree.heads[head] if head != ROOT else ROOT
        if tree.relations[clause] != "advcl" or speech == ROOT or not clause < speech < head:
            continue
        start = min(tree.subtree(clause))
        verbs = [i for i in range(start) if tree.tags[i].startswith("VB") and i not in tree.subtree(clause)]
        tree.attach(clause, verbs[-1] if verbs else speech)


def mend_prepositions(tree: Tree) -> None:
    """ "Until May after inspectors met": what has an object is no conjunction; two objects are joined by "and"."""
    for i in range(len(tree.words)):
        clause = tree.heads[i]
        if tree.relations[i] == "mark" and tree.children(i, "pobj") and tree.heads[clause] != ROOT:
            _mend_mark(tree, i, clause)
        objects = tree.children(i, "pobj") if tree.tags[i] == "IN" else []
        if len(objects) == 2:
            signs = [j for j in tree.children(objects[0], "cc") if objects[0] < j < objects[1]]
            if signs:
                tree.move(objects[1], objects[0], "conj")


def _mend_mark(tree: Tree, mark: int, clause: int) -> None:
    """What a parser took for the object of a conjunction is the subject; or the conjunction is a preposition."""
    noun = tree.children(mark, "pobj")[0]
    others = [i for i in tree.children(clause, "mark") if i != mark]
    if not tree.children(clause, "nsubj", "nsubjpass", "expl"):
        tree.move(noun, clause, "nsubj")
    else:
        tree.move(mark, tree.heads[clause] if others else clause, "prep")


def mend_conjunctions(tree: Tree) -> None:
    """ "Fell as costs and higher wages hurt trade": what has a finite verb behind its noun is a conjunction."""
    for i in range(len(tree.words) - 1):
        verb = tree.heads[i]
        if tree.relations[i] != "prep" or tree.lower[i] not in rule_words.TWOFOLD or verb == ROOT:
            continue
        nouns = tree.children(i, "pobj")
        if nouns and _take_predicate(tree, i, nouns[0], verb):
            continue
        behind = max(tree.subtree(i)) + 1
        for clause in range(behind, len(tree.words)):
            if tree.relations[clause] not in ("advcl", "ccomp", "conj", "dep") or not _is_finite(tree, clause):
                continue
            subjects = tree.children(clause, "nsubj", "nsubjpass", "expl", "mark")
            if (
                min(tree.subtree(clause)) == behind
                and bool(nouns) != bool(subjects)
                and verb not in tree.subtree(clause)
            ):
                for noun in nouns[:1]:
                    tree.move(noun, clause, "nsubj")
                tree.move(i, clause, "mark")
                tree.move(clause, verb, "advcl")
            break


def _take_predicate(tree: Tree, i: int, noun: int, verb: int) -> bool:
    """ "Rose as hopes that it would end lifted shares": a participle has no object, so it is the verb of the noun."""
    for clause in tree.children(noun, "acl"):
        objects = tree.children(clause, "dobj")
        bare = not tree.children(clause, "nsubj", "nsubjpass", "aux", "auxpass", "mark")
        if tree.tags[clause] in ("VBN", "VBD") and bare and objects and objects[0] > clause:
            tree.move(clause, verb, "advcl")
            tree.move(noun, clause, "nsubj")
            tree.move(i, clause, "mark")
            return True
    return False


def mend_conditions(tree: Tree) -> None:
    """ "Not liable for delays unless it could have avoided them": without "and", a condition is no clause beside it."""
    for i in range(1, len(tree.words)):
        clause = tree.heads[i]
        hard = tree.relations[i] == "mark" and tree.lower[i] in ("unless", "if") and i < clause
        beside = tree.relations[clause] in ("conj", "dep") and tree.heads[clause] < i
        if hard and beside and min(tree.subtree(clause)) == i and tree.relations[i - 1] != "cc" and tree.is_word[i - 1]:
            tree.relations[clause] = "advcl"


def mend_joined(tree: Tree) -> None:
    """ "I was away and have only now seen it": behind "and", a predicate is joined and no adjunct."""
    for clause in range(1, len(tree.words)):
        head = tree.heads[clause]
        if tree.relations[clause] != "advcl" or head == ROOT or not _is_finite(tree, clause):
            continue
        before = min(tree.subtree(clause)) - 1
        joined = before > head and tree.relations[before] == "cc" and tree.heads[before] == head
        if joined and not tree.children(clause, "mark") and tree.lower[before] in ("and", "but"):
            tree.relations[clause] = "conj"


def mend_where(tree: Tree) -> None:
    """ "We may share data with others where the law asks for it": a condition, unless the noun is a place."""
    for clause in range(len(tree.words)):
        noun = tree.heads[clause]
        if tree.relations[clause] != "relcl" or noun == ROOT or tree.lower[min(tree.subtree(clause))] != "where":
            continue
        verb = noun
        while verb != ROOT and not tree.tags[verb].startswith("VB"):
            verb = tree.heads[verb]
        modal = verb != ROOT and any(tree.lower[i] in ("may", "shall", "must") for i in tree.children(verb, "aux"))
        if modal and tree.is_word[min(tree.subtree(clause)) - 1] and tree.lower[noun] not in rule_words.PLACE_NOUNS:
            tree.move(clause, verb, "advcl")


def mend_superlatives(tree: Tree) -> None:
    """ "Hit its highest level in a year": a span of time behind a superlative says of when it is the highest."""
    for i in range(1, len(tree.words)):
        noun = tree.heads[i - 1] if tree.tags[i - 1] in ("JJS", "RBS") else i - 1
        if tree.relations[i] != "prep" or tree.lower[i] not in ("in", "since", "for") or not 0 <= noun < i:
            continue
        times = any(tree.lower[j] in rules.TIMES or tree.tags[j] == "CD" for j in tree.subtree(i))
        greatest = any(tree.tags[j] == "JJS" for j in tree.children(noun, "amod"))
        if times and greatest and noun not in tree.subtree(i):
            tree.attach(i, noun)
    for i in range(len(tree.words) - 1):  # "the world's largest maker"
        ranks = tree.relations[i + 1] == "amod" and (tree.tags[i + 1] == "JJS" or tree.lower[i + 1] in rule_words.RANKS)
        if tree.relations[i] == "poss" and ranks and tree.heads[i] == tree.heads[i + 1]:
            tree.move(i, i + 1, "idiom")


def mend_told(tree: Tree) -> None:
    """ "She told the court she was ill": what is told hangs on the verb, not on who is told."""
    for clause in range(len(tree.words)):
        noun = tree.heads[clause]
        if tree.relations[clause] != "relcl" or tree.relations[noun] != "dobj":
            continue
        subjects = tree.children(clause, "nsubj", "nsubjpass")
        own = bool(subjects) and subjects[0] > noun and not tree.tags[subjects[0]].startswith("W")
        told = tree.lower[tree.heads[noun]] in ("told", "tell", "tells", "telling", "reminded", "assured")
        if own and told and not any(tree.tags[j].startswith("W") for j in tree.children(clause)):
            tree.move(clause, tree.heads[noun], "ccomp")


def mend_misplaced(tree: Tree) -> None:
    """ "May expel a member who has lied": what "who" is the subject of hangs on the noun before "who"."""
    for clause in range(1, len(tree.words)):
        pronouns = [i for i in tree.children(clause, "nsubj", "nsubjpass") if tree.tags[i] in ("WP", "WDT")]
        if not pronouns or tree.relations[clause] not in ("conj", "advcl", "dep", "ccomp") or pronouns[0] == 0:
            continue
        if tree.relations[clause] == "ccomp":
            _mend_told_aside(tree, clause, pronouns[0])
            continue
        noun = pronouns[0] - 1
        if tree.tags[noun] in ("NN", "NNS") and noun not in tree.subtree(clause):
            tree.move(clause, noun, "relcl")
    for i in range(1, len(tree.words) - 2):  # "and, with a span of 90 metres, was the longest"
        if tree.relations[i - 1] != "cc" or tree.words[i] != "," or tree.relations[i + 1] != "prep":
            continue
        end = max(tree.subtree(i + 1)) + 1
        if end < len(tree.words) - 1 and tree.words[end] == ",":
            behind = [j for j in tree.children(tree.heads[i + 1]) if min(tree.subtree(j)) == end + 1]
            for j in behind[:1]:
                tree.attach(i + 1, j)


def _mend_told_aside(tree: Tree, clause: int, pronoun: int) -> None:
    """ "It detailed plans on Monday, among them two sales, that could raise a million": no complement of the verb."""
    objects = [i for i in tree.children(tree.heads[clause], "dobj") if i < pronoun]
    if objects and tree.tags[pronoun] == "WDT" and tree.words[pronoun - 1] == ",":
        tree.move(clause, objects[0], "relcl")


def mend_relatives(tree: Tree) -> None:
    """ "Adults with asthma who have not recovered": a relative clause hangs on a noun that agrees with its verb."""
    for clause in range(len(tree.words)):
        pronouns = [i for i in tree.children(clause, "nsubj", "nsubjpass") if tree.lower[i] in ("who", "which", "that")]
        if tree.relations[clause] != "relcl" or not pronouns or _agrees(tree, clause, tree.heads[clause]):
            continue
        noun, steps = tree.heads[clause], 0
        while noun != ROOT and not _agrees(tree, clause, noun) and steps < len(tree.words):
            above = tree.heads[noun]
            noun, steps = (tree.heads[above] if above != ROOT and tree.relations[above] == "prep" else ROOT), steps + 1
        if noun != ROOT and tree.tags[noun].startswith("NN"):
            tree.attach(clause, noun)


def _agrees(tree: Tree, clause: int, noun: int) -> bool:
    """Whether a noun has the number of a verb, as far as the verb tells."""
    verbs = [i for i in (*tree.children(clause, "aux", "auxpass"), clause) if tree.tags[i].startswith("VB")]
    plural = bool(verbs) and (tree.tags[verbs[0]] == "VBP" or tree.lower[verbs[0]] == "were")
    return not plural or tree.tags[noun] not in ("NN", "NNP") or bool(tree.children(noun, "conj"))


def mend_objects(tree: Tree) -> None:
    """An object hangs on a verb, not on a noun ("pay on demand any amount"; "please find below the dates")."""
    for i in range(len(tree.words)):
        noun = tree.heads[i]
        if tree.relations[i] == "dobj" and noun != ROOT and tree.tags[noun] in ("NN", "NNS"):
            verb = noun
            while verb != ROOT and not tree.tags[verb].startswith("VB"):
                verb = tree.heads[verb]
            if verb != ROOT and verb < noun < i and not tree.children(verb, "dobj"):
                tree.attach(i, verb)
        elif tree.relations[i] == "dobj" and noun != ROOT and tree.children(noun, "auxpass"):
            if any(tree.lower[j] in rules.TIMES for j in tree.subtree(i)):
                tree.relations[i] = "npadvmod"  # "will be closed all of next week"
        elif tree.relations[i] == "prep" and tree.lower[i] == "of" and tree.relations[noun] == "dobj":
            if tree.lower[tree.heads[noun]] in rules.DEPRIVING:
                tree.attach(i, tree.heads[noun])  # "cleared the nurse of fraud"
        elif tree.relations[i] == "pobj" and tree.lower[noun] == "below" and tree.lower[noun - 1] == "find":
            tree.move(i, tree.heads[noun], "dobj")
            tree.relations[noun] = "advmod"


def mend_ages(tree: Tree) -> None:
    """ "Do not give it to children under 16": an age belongs to the people before it."""
    for i in range(1, len(tree.words)):
        bound = tree.relations[i] == "prep" and tree.lower[i] in ("under", "over", "above", "below", "aged", "between")
        ages = [j for j in tree.children(i, "pobj") if tree.tags[j] == "CD"]
        if bound and ages and tree.tags[i - 1] == "NNS" and i - 1 not in tree.subtree(i):
            tree.attach(i, i - 1)


def mend_measures(tree: Tree) -> None:
    """ "41 miles from the coast": the measure belongs to the preposition behind it."""
    for i in range(1, len(tree.words)):
        _mend_second_object(tree, i - 1)
        measured = tree.relations[i - 1] == "npadvmod" and tree.lower[i - 1] in rules.UNITS
        lasting = measured and tree.lower[i - 1].removesuffix("s") in rules.SPANS
        where = tree.relations[i] == "prep" and tree.lower[i] in rules.MEASURED
        if measured and where and tree.heads[i] == tree.heads[i - 1]:
            tree.attach(i - 1, i)
        clause = tree.heads[i]  # "an hour before it began"
        if lasting and tree.relations[i] == "mark" and tree.lower[i] in rules.MEASURED and clause > i:
            tree.attach(i - 1, clause)


def _mend_second_object(tree: Tree, i: int) -> None:
    """ "Discard the rest 28 days after opening": a measure behind an object is none."""
    measures = tree.relations[i] == "dobj" and tree.lower[i] in rules.UNITS and bool(tree.children(i, "nummod"))
    if measures and tree.heads[i] != ROOT and any(j < i for j in tree.children(tree.heads[i], "dobj")):
        tree.relations[i] = "npadvmod"


def mend_rates(tree: Tree) -> None:
    """ "Four centimetres a year": an amount belongs to its time."""
    for i in range(1, len(tree.words) - 1):
        unit = tree.lower[i - 1] in rules.UNITS or tree.tags[i - 1] == "CD"
        rate = tree.lower[i] in ("a", "per", "each", "every") and tree.lower[i + 1] in rules.SPANS
        if unit and rate and tree.is_word[i - 1] and i - 1 not in tree.subtree(i + 1):
            tree.move(i + 1, i - 1, "idiom")
            tree.move(i, i + 1, "idiom")


def mend_times(tree: Tree) -> None:
    """ "To Wednesday at 3", "on Fridays in April": the hour belongs to the day, and the day to the month."""
    for i in range(1, len(tree.words) - 1):
        apart = tree.relations[i] in ("compound", "nmod") and tree.heads[i] > i and not tree.children(i - 1)
        if apart and tree.lower[i] in rules.WEEKDAYS and tree.lower[i - 1] == "on" and tree.tags[i + 1] == "NNP":
            tree.move(i, i - 1, "pobj")  # "said on Thursday President Lee earned a million"
    for i in range(1, len(tree.words)):
        if tree.lower[i] in ("earlier", "later", "ago") and tree.children(i, "npadvmod"):
            tree.relations[i] = "npadvmod"  # "pain that began two hours earlier"
        dated = tree.relations[i] == "prep" and tree.lower[i] == "on" and _is_clock(tree, i - 1)
        if dated and i - 1 not in tree.subtree(i):
            tree.move(i, i - 1, "idiom")  # "at 11:30 p.m. on 4 May"
        if tree.relations[i] != "prep" or tree.lower[i] not in ("at", "in", "of") or tree.heads[i] == i - 1:
            continue
        times = any(tree.tags[j] == "CD" or tree.lower[j] in rules.TIMES for j in tree.children(i, "pobj"))
        day = tree.lower[i - 1].removesuffix("s") in rules.TIMES and tree.tags[i - 1].startswith("NN")
        if times and day and i - 1 not in tree.subtree(i):
            tree.attach(i, i - 1)
        limit = [j for j in tree.children(i, "pobj") if tree.lower[j] in ("latest", "earliest")]
        if limit and tree.tags[i - 1][:2] in ("NN", "CD"):  # "by 5 p.m. at the latest"
            by = {tree.lower[j] for j in (tree.heads[i - 1], i - 2)} & {"by", "before"}  # says as much
            tree.move(i, i - 1, "prep" if by else "bound-whole")
            for article in tree.children(limit[0], "det"):
                tree.relations[article] = "idiom"


def _is_clock(tree: Tree, i: int) -> bool:
    """Whether a word ends a time of the day: "11:30", "p.m.", "noon"."""
    return tree.lower[i] in rule_words.CLOCK or (tree.tags[i] == "CD" and ":" in tree.words[i])


def mend_only(tree: Tree) -> None:
    """ "For students and pensioners only, so …": before a pause, "only" belongs to the noun before it."""
    for i in range(1, len(tree.words) - 1):
        ends = tree.lower[i] == "only" and not tree.is_word[i + 1]
        if ends and tree.tags[i - 1].startswith("NN") and i - 1 not in tree.subtree(i):
            tree.move(i, i - 1, "advmod")


def mend_fronted(tree: Tree) -> None:
    """ "Soft and light, this scarf …": an adjective before the determiner is a phrase of its own."""
    for i in range(len(tree.words)):
        noun = tree.heads[i]
        if tree.relations[i] == "amod" and any(i < j < noun for j in tree.children(noun, "det")):
            verb = tree.heads[noun]
            if tree.relations[noun] in ("nsubj", "nsubjpass") and verb != ROOT:
                tree.move(i, verb, "advcl")
