"""Phrases whose words belong together, or whose parts may go: idioms, ranges, quotations, names with their titles."""

from itertools import pairwise

from ealm.grammar import rule_words, rules
from ealm.grammar.trees.rearranging import ROOT, Tree


def join_phrases(tree: Tree) -> None:
    """Words that belong together hang together."""
    give_objects(tree)
    join_idioms(tree)
    join_bounds(tree)
    join_dates(tree)
    join_early_and_late(tree)
    join_numbers(tree)
    free_degrees(tree)
    join_exceptions(tree)
    join_names(tree)
    join_shares(tree)
    join_substitutions(tree)
    free_designators(tree)
    free_titles(tree)
    join_ranges(tree)
    join_spans(tree)
    join_quotations(tree)


def join_idioms(tree: Tree) -> None:
    """Words that say something else apart ("at least", "all but") hang on the topmost of them."""
    joined: set[int] = set()  # "not at all but": one word is in one idiom only
    for length in (3, 2):
        for start in range(len(tree.words) - length + 1):
            if tuple(tree.lower[start : start + length]) not in rules.IDIOMS:
                continue
            span = range(start, start + length)
            if all(tree.is_word[i] for i in span) and joined.isdisjoint(span):
                _join_idiom(tree, list(span))
                joined.update(span)


def _join_idiom(tree: Tree, span: list[int]) -> None:
    last = span[-1]
    if tree.relations[last] in ("mark", "prep") and tree.heads[last] not in span and tree.heads[last] > last:
        clause = tree.heads[last]
        if tree.heads[clause] in span:
            above = next((tree.heads[i] for i in span if tree.heads[i] not in (*span, clause)), ROOT)
            if above == ROOT:
                return
            tree.move(clause, above, "advcl")
        for i in span[:-1]:
            tree.move(i, last, "idiom")
        tree.relations[last] = "idiom"
        if tuple(tree.lower[i] for i in span) in rules.CONDITIONAL_IDIOMS:
            tree.conditional.add(clause)
        if tuple(tree.lower[i] for i in span) in rules.CONCESSIVE_IDIOMS:
            tree.concessive.add(clause)
        return
    outside = [i for i in span if tree.heads[i] not in span]
    top = outside[0] if outside else span[0]
    if tree.heads[top] == ROOT:
        return
    for i in span:
        if i != top:
            tree.move(i, top, "idiom")
    if tree.relations[top] in ("advmod", "quantmod", "amod", "npadvmod", "det", "predet", "mark", "cc", "appos"):
        tree.relations[top] = "idiom"


def join_bounds(tree: Tree) -> None:
    """ "No later than six months after it", "by noon at the latest": a bound belongs to its time."""
    for i in range(len(tree.words) - 3):
        bound = tree.lower[i] in ("no", "not") and tree.lower[i + 1] in ("later", "earlier", "sooner")
        if bound and tree.lower[i + 2] == "than" and tree.heads[i + 2] != i + 1 and tree.is_word[i + 3]:
            _join_bound(tree, i)
    for i in range(2, len(tree.words) - 2):
        if tree.lower[i : i + 2] == ["at", "the"] and tree.lower[i + 2] in ("latest", "earliest"):
            before = next((j for j in range(i - 1, -1, -1) if tree.relations[j] == "prep"), None)
            if before is not None and i - 1 in tree.subtree(before) and before not in tree.subtree(i):
                tree.attach(i, before)


def _join_bound(tree: Tree, first: int) -> None:
    """Hang "no later than" on the time behind it, where a parser took it for an adverb of the verb."""
    span = (first, first + 1, first + 2)
    time = first + 3
    while tree.heads[time] > time and tree.relations[time] in ("nummod", "quantmod", "compound", "det", "amod"):
        time = tree.heads[time]
    above = next((tree.heads[i] for i in span if tree.heads[i] not in (*span, *tree.subtree(time))), ROOT)
    if above == ROOT or above in tree.subtree(time) - set(span):
        return
    tree.move(time, above, "npadvmod")
    for i in span:
        tree.move(i, time, "idiom")


def join_dates(tree: Tree) -> None:
    """ "Friday 12 April" is one thing, whatever hangs on what."""
    start = 0
    while start < len(tree.words):
        end = start
        while end < len(tree.words) and _is_of_date(tree, end):
            end += 1
        span = range(start, end)
        start = end + 1
        months = [i for i in span if tree.lower[i] in rules.MONTHS]
        tops = [i for i in span if tree.heads[i] not in span]
        if len(months) != 1 or len(span) == len(months) or not tops or any(tree.heads[i] >= end for i in tops[1:]):
            continue
        if tops[0] != tree.root and tree.heads[tops[0]] != ROOT:
            for i in span:
                if i != tops[0]:
                    tree.move(i, tops[0], "idiom")


def join_early_and_late(tree: Tree) -> None:
    """ "Voted late on Tuesday": without the day, "voted late" says something else."""
    for i, word in enumerate(tree.lower[:-1]):
        if word in rule_words.PARTS_OF_SPANS and tree.tags[i + 1] == "IN" and tree.heads[i] == tree.heads[i + 1]:
            spans = {tree.lower[j] for j in tree.subtree(i + 1)}
            if not spans.isdisjoint(rules.TIMES) and not tree.children(i):
                tree.move(i, i + 1, "advmod")


def _is_of_date(tree: Tree, i: int) -> bool:
    """Whether a word can be a part of a date: a day, its number, a month, a year."""
    word = tree.lower[i]
    if tree.tags[i] in ("NNP", "NNPS"):
        return word in rules.MONTHS or word in rules.WEEKDAYS
    return tree.tags[i] in ("CD", "JJ") and word[:1].isdigit() and word.rstrip("stndrh").isdigit() and len(word) < 5


def join_numbers(tree: Tree) -> None:
    """ "Type 2 diabetes", "the phase 3 trial": the number belongs to the noun before it."""
    for i in range(len(tree.words) - 1):
        number = tree.tags[i + 1] == "CD" and tree.relations[i + 1] in ("nummod", "compound")
        if (
            number
            and tree.lower[i] in rules.NUMBERED | {"number"}
            and tree.heads[i + 1] > i + 1
            and i not in tree.subtree(i + 1)
        ):
            tree.move(i + 1, i, "idiom")


def free_degrees(tree: Tree) -> None:
    """ "A little more than eight minutes" are more than eight minutes."""
    for i in range(1, len(tree.words) - 2):
        compared = tree.lower[i : i + 2] in (["more", "than"], ["less", "than"], ["fewer", "than"])
        if not (compared or (tree.lower[i] in ("over", "under") and tree.tags[i + 1] == "CD")):
            continue
        little = tree.lower[max(i - 2, 0) : i] == ["a", "little"]
        degree = [i - 2, i - 1] if little else [i - 1] if tree.lower[i - 1] in rule_words.SMALL_DEGREES else []
        number = next((j for j in range(i, min(i + 4, len(tree.words))) if tree.tags[j] == "CD"), None)
        if degree and number is not None and not any(tree.children(j) for j in degree[:-1]):
            for j in degree:
                tree.move(j, degree[-1] if j != degree[-1] else number, "idiom" if j != degree[-1] else "degree")


def join_exceptions(tree: Tree) -> None:
    """ "Water the plants, just not the cactus": the exception stays."""
    for i in range(1, len(tree.words) - 2):
        if tree.lower[i : i + 2] != ["just", "not"] or tree.is_word[i - 1] or tree.root is None:
            continue
        nouns = [j for j in range(i + 2, min(i + 5, len(tree.words))) if tree.tags[j].startswith("NN")]
        if nouns and nouns[0] != tree.root and tree.tags[i + 2] in ("DT", "PRP$", "NN", "NNS"):
            for j in (i, i + 1):
                tree.move(j, nouns[0], "idiom")
            tree.move(nouns[0], tree.root, "exception-whole")


def join_names(tree: Tree) -> None:
    """ "Two Bank of America directors": a name with "of" before another noun is one thing."""
    for i in range(len(tree.words) - 2):
        capital = tree.words[i][:1].isupper() and tree.words[i + 2][:1].isupper()
        inside = tree.heads[i + 2] not in (i + 1, ROOT) and tree.relations[i + 2] == "compound"
        if tree.lower[i + 1] == "of" and capital and inside and i + 2 not in tree.subtree(i):
            tree.move(i + 1, i + 2, "idiom")
            tree.move(i, i + 2, "idiom")


def join_shares(tree: Tree) -> None:
    """ "One in ten patients", "nine out of ten people over sixty"."""
    for i in range(len(tree.words) - 2):
        if tree.tags[i] == "CD" and tree.lower[i + 1 : i + 3] == ["out", "of"]:
            if i not in tree.subtree(i + 1):
                tree.move(i + 1, i, "idiom")
            if i + 3 < len(tree.words) and tree.tags[i + 3] == "CD" and tree.heads[i + 3] != ROOT:
                tree.relations[i + 3] = "idiom"
        aged = tree.lower[i + 1] in ("over", "under") and tree.tags[i + 2] == "CD" and tree.heads[i + 1] != i
        if aged and tree.tags[i] == "NNS" and tree.relations[i + 1] == "prep":
            tree.attach(i + 1, i)
        if tree.tags[i] == "CD" and tree.lower[i + 1] == "in" and tree.tags[i + 2] == "CD":
            tree.relations[i + 2] = "idiom"
            if tree.heads[i + 1] == i:
                tree.relations[i + 1] = "idiom"


def join_substitutions(tree: Tree) -> None:
    """ "Rather than B" is one phrase, whatever B is."""
    for start in range(len(tree.words) - 2):
        if (tree.lower[start], tree.lower[start + 1]) != ("rather", "than"):
            continue
        spans = {i: tree.subtree(i) for i in range(start + 2, len(tree.words)) if tree.is_word[i]}
        heads = [i for i, inside in spans.items() if min(inside - {start, start + 1}) == start + 2]
        if heads:
            phrase = max(heads, key=lambda i: len(spans[i]))
            for clause in tree.children(phrase, "advcl"):  # "stronger rather than weaker when it is washed"
                if clause > phrase and tree.heads[phrase] != ROOT:
                    tree.attach(clause, tree.heads[phrase])
            for i in (start, start + 1):
                if tree.heads[i] != ROOT and i not in (phrase, tree.heads[phrase]):
                    tree.move(i, phrase, "idiom")


def free_designators(tree: Tree) -> None:
    """ "Norvik Corp" hangs on "Norvik"; "Merck & Co's drug" may become "Merck's drug"."""
    for i, word in enumerate(tree.lower):
        if word not in rules.DESIGNATORS or not tree.is_word[i]:
            continue
        if tree.relations[i] == "conj":
            head = tree.heads[i]
            signs = [j for j in tree.children(head, "cc") + tree.children(i, "cc") if tree.lower[j] in ("&", "and")]
            for sign in signs:
                tree.move(sign, i, "cc")
            for ending in tree.children(i, "case"):
                tree.move(ending, head, "case")
            tree.move(i, head, "designator")
            continue
        names = [j for j in tree.children(i, "compound", "nmod") if j < i]
        plain = len(names) == 1 and tree.lower[names[0]] in rule_words.PLAIN_NAMES
        if names and names[-1] >= i - 2 and tree.tags[names[-1]].startswith("NNP") and not plain:
            _swap(tree, i, names[-1])


def _swap(tree: Tree, head: int, name: int) -> None:
    """The name takes the place of its head, and what hung on that."""
    above, relation = tree.heads[head], tree.relations[head]
    for child in tree.children(head):
        if child != name:
            tree.attach(child, name)
    tree.move(name, above, relation)
    tree.move(head, name, "designator")
    if tree.root == head:
        tree.root = name


def free_titles(tree: Tree) -> None:
    """ "Norvik Corp Chief Executive Ann Lee": all up to the title may go, and with it "former"."""
    for name in range(len(tree.words)):
        if not tree.is_word[name] or not tree.tags[name].startswith("NNP"):
            continue
        before = [i for i in tree.children(name, "compound", "nmod", "amod", "poss") if i < name]
        titles = [i for i in before if _is_title(tree, i, name)]
        if titles:
            title = titles[-1]
            for i in before:
                if i < title:
                    tree.attach(i, title)
            tree.move(title, name, "title")
            first = min(tree.subtree(title))
            if tree.lower[first] in rules.PRIVATIVE and tree.relations[first] == "amod":
                tree.attach(first, title)  # "former Norvik chief Ann Lee"


def _is_title(tree: Tree, index: int, name: int) -> bool:
    if tree.relations[index] not in ("compound", "nmod") or index >= name:
        return False
    if index == name - 1 and tree.lower[index] in rules.UNSURE_TITLES and tree.words[index][:1].isupper():
        return False
    return tree.lower[index] in rules.TITLES or tree.tags[index] in ("NN", "NNS")


def join_quotations(tree: Tree) -> None:
    """Few words in quotation marks are a name: "click on 'Pay now'"."""
    opening, closing = '"“‘', '"”’'
    marks = [i for i, word in enumerate(tree.words) if not tree.is_word[i] and word in (*opening, *closing)]
    for start, end in pairwise(marks):
        span = range(start + 1, end)
        opens = tree.words[start] in opening and tree.words[end] in closing
        if not (opens and 1 < len(span) < 5 and all(tree.is_word[i] for i in span)):
            continue
        tops = [i for i in span if tree.heads[i] not in span]
        if len(tops) == 1 and tops[0] != tree.root:
            for i in span:
                if i != tops[0]:
                    tree.move(i, tops[0], "idiom")


def join_ranges(tree: Tree) -> None:
    """ "From A to B" is one phrase."""
    for start in range(len(tree.words)):
        if tree.lower[start] != "from" or tree.relations[start] not in ("prep", "conj"):
            continue
        near = {tree.heads[start], start, *tree.children(start, "pobj")}
        ends = [
            i
            for i in range(start + 1, len(tree.words))
            if tree.lower[i] in ("to", "until", "till", "through", "into") and tree.relations[i] in ("prep", "pobj")
            if tree.heads[i] in near
        ]
        if ends and not any(tree.words[i] == "," for i in range(start, ends[0])):
            tree.move(ends[0], start, "range-end")


def join_spans(tree: Tree) -> None:
    """ "Sections A through D", "voted 7–2": both ends stay."""
    for i in range(1, len(tree.words) - 1):
        ends = (i - 1, i + 1)
        if not all(tree.is_word[j] for j in ends) or tree.heads[i - 1] in (i, i + 1):
            continue
        if tree.words[i] == "/" and i - 1 not in tree.subtree(i + 1):
            tree.move(i + 1, i - 1, "idiom")  # "F-16C/D", "and/or"
            continue
        numbers = all(tree.words[j].isdigit() for j in ends)
        letters = all(len(tree.words[j]) == 1 or tree.words[j].isdigit() for j in ends)
        if (tree.lower[i] == "through" and letters) or (tree.words[i] in ("–", "-") and numbers):
            if tree.is_word[i]:
                tree.move(i, i - 1, "idiom")
            if i - 1 not in tree.subtree(i + 1):  # what hangs on a word cannot carry it
                tree.move(i + 1, i - 1, "idiom")


def give_objects(tree: Tree) -> None:
    """A preposition without an object takes the noun behind it that a parser hung elsewhere ("rose by a third")."""
    for i in range(len(tree.words) - 1):
        if tree.relations[i] != "prep" or not tree.is_word[i] or tree.children(i):
            continue
        behind = [j for j in range(i + 1, min(i + 7, len(tree.words))) if tree.heads[j] == tree.heads[i]]
        noun = behind and tree.is_word[behind[0]] and tree.tags[behind[0]][:2] in ("NN", "CD", "JJ")
        if noun and min(tree.subtree(behind[0])) == i + 1:
            tree.move(behind[0], i, "pobj")
        elif not behind and tree.tags[i + 1] in ("NN", "CD") and tree.subtree(i + 1) == {i + 1}:
            tree.move(i + 1, i, "pobj")  # "by half between 1350 and 1400"
        elif tree.lower[i] == "than":
            _give_clause(tree, i)


def _give_clause(tree: Tree, than: int) -> None:
    """ "Stronger than the forecast said"."""
    for verb in range(than + 1, len(tree.words)):
        clause = tree.relations[verb] in ("advcl", "ccomp") and tree.is_word[verb]
        if clause and min(tree.subtree(verb)) == than + 1 and than not in tree.subtree(verb):
            tree.move(verb, than, "pcomp")
            return
