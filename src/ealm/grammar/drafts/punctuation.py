"""Which punctuation stays: marks belong to the phrases that they set off, and go with them."""

from collections.abc import Collection, Sequence

from ealm.grammar import rules
from ealm.grammar.drafts.structure import Structure
from ealm.grammar.protocol import Parse
from ealm.grammar.trees.rearranging import ROOT
from ealm.text.marks import is_mark

_SET_OFF = frozenset(
    {
        "appos",
        "relcl",
        "acl",
        "advcl",
        "prep",
        "npadvmod",
        "advmod",
        "conj",
        "parataxis",
        "intj",
        "ccomp",
        "agent",
        "amod",
        "csubj",
        "dep",
        "xcomp",
    }
)
"""Relations whose phrases may have a comma or dash before or behind them."""

_ADDED = frozenset({"appos", "relcl", "acl"})
_UNSET = frozenset({"prep", "agent", "dative", "xcomp"})
"""Relations of what is told besides, between commas, and of what has no comma of its own behind it."""

_PAUSES = frozenset({",", ";", ":", "-", "–", "—"})

_QUOTES = {"“": "”", "„": "“", "‘": "’", "«": "»", "``": "''", '"': '"'}


class Punctuation:
    """The punctuation of one sentence."""

    def __init__(self, words: Sequence[str], parse: Parse, structure: Structure) -> None:
        is_word = structure.is_word
        self._words, self._is_word, self._structure = words, is_word, structure
        self._verbs = {i for i, tag in enumerate(parse.tags) if tag.startswith("VB")}
        self._listed = self._verbs | {i for i, tag in enumerate(parse.tags) if tag == "JJ"}
        self._question_mark = next((i for i in range(len(words) - 1, -1, -1) if words[i] == "?"), None)
        self._asking = (
            _questions(structure, parse) or _last_clause(structure) if self._question_mark is not None else set()
        )
        first, last = _spans(parse, is_word)
        self._owners: dict[int, list[int]] = {}
        """For each mark the heads of the phrases that it sets off."""
        self._closers: dict[int, list[int]] = {}
        """Of commas that only end what is told besides, what that is."""
        starts: dict[int, list[int]] = {}
        ends: dict[int, list[int]] = {}
        for i, relation in enumerate(parse.relations):
            if is_word[i] and (relation in _SET_OFF or structure.relations[i] in _SET_OFF):
                starts.setdefault(first[i], []).append(i)
                ends.setdefault(last[i], []).append(i)
        for i, own in enumerate(is_word):
            if not own:
                before, behind = _beside(words, i)
                opened = [j for j in starts.get(behind, ()) if parse.heads[j] < i or ROOT < structure.heads[j] < i]
                closed = [j for j in ends.get(before, ()) if parse.heads[j] > i or _set_off(first[j], is_word)]
                self._owners[i] = opened + closed
                added = [j for j in closed if parse.relations[j] in _ADDED and _set_off(first[j], is_word)]
                if added and all(parse.relations[j] in _UNSET for j in opened):
                    self._closers[i] = added
        self._quoted = _quotations(words)
        self._possessive = {
            i for i in self._owners if i and words[i] in ("'", "’") and parse.relations[i - 1] == "poss"
        }
        """Of "Martens' job", whatever was left out between the two."""
        self._told_last = _told_last(words, structure)
        self._openers = {i for i, tag in enumerate(parse.tags) if tag in ("IN", "WRB", "RB", "VBG", "VBN")}

    def of(self, kept: Collection[int]) -> set[int]:
        """Indices of the marks that stay with these words."""
        marks = {i for i in self._owners if self._stays(i, kept)}
        broken = {
            mark
            for start, end in self._quoted
            if any(self._is_word[i] and i not in kept for i in range(start + 1, end))
            for mark in (start, end)
        }
        whole = {mark for pair in self._quoted if not broken & set(pair) for mark in pair if self._has_words(pair)}
        broken |= {i for i in self._owners if self._words[i] == '"' and not any(i in pair for pair in self._quoted)}
        left = {i for i in marks - broken if not self._is_left_over(i, kept)} | whole
        left |= {i + 1 for i in kept if self._structure.relations[i] == "label-whole"}  # "Myth: …"
        left |= {i for i in self._possessive if i - 1 in kept}
        left |= {comma for comma, own in self._told_last.items() if own[-1] in kept and any(i in kept for i in own)}
        left |= self._between_clauses(kept, left)
        return left | self._closing(kept, left)

    def _has_words(self, quotation: tuple[int, int]) -> bool:
        return any(self._is_word[i] for i in range(*quotation))

    def _closing(self, kept: Collection[int], marks: Collection[int]) -> set[int]:
        """The comma behind a relative clause or an apposition that has one before it."""
        structure, found = self._structure, set()
        for i in kept:
            if structure.relations[i] not in ("relcl", "appos") or not structure.is_word[i]:
                continue
            words = [j for j in kept if structure.is_word[j] and _is_below(structure.heads, j, i)]
            behind = min((j for j in kept if j > max(words) and structure.is_word[j]), default=None)
            opened = min(words) - 1 in marks and self._words[min(words) - 1] == ","
            if behind is not None and opened and not any(max(words) < j < behind for j in marks):
                found |= set([j for j in range(max(words), behind) if self._words[j] == ","][-1:])
        return found

    def _between_clauses(self, kept: Collection[int], marks: Collection[int]) -> set[int]:
        """Where two clauses meet that no conjunction joins, the mark that stood somewhere between them."""
        found = set()
        for start in (*self._clause_starts(kept), *self._subject_start(kept)):
            before = max((i for i in kept if i < start), default=None)
            if before is None or any(before < i < start for i in marks):
                continue
            pauses = [i for i in range(before + 1, start) if self._words[i] in _PAUSES]
            found |= {i for i in pauses[-1:] if not self._is_left_over(i, kept)}
        return found

    def _subject_start(self, kept: Collection[int]) -> list[int]:
        """Where the subject of the main clause begins, behind something else."""
        structure = self._structure
        if min(kept, default=-1) not in self._openers:
            return []
        subjects = [i for i in kept if _is_subject(structure, i) and structure.heads[structure.heads[i]] == ROOT]
        words = [j for j in kept if any(_is_below(structure.heads, j, i) for i in subjects[-1:])]
        return [min(words)] if words else []

    def _clause_starts(self, kept: Collection[int]) -> list[int]:
        structure = self._structure
        beside = ("parataxis", "conj", "attribution")
        heads = [i for i in kept if structure.relations[i] in beside and i in self._verbs]
        below = {i: [j for j in kept if _is_below(structure.heads, j, i)] for i in heads}
        return [min(words) for words in below.values() if not any(structure.relations[j] == "cc" for j in words[:1])]

    def joined(self, kept: Collection[int]) -> int | None:
        """The comma between the last two clauses of a list whose "and" is gone: "and" belongs there."""
        structure = self._structure
        beside = [
            i for i in kept if structure.relations[i] == "parataxis" and i in self._verbs and self._listed_with(i)
        ]
        members = sorted(beside + [i for i in kept if structure.relations[i] == "conj" and i in self._listed])
        if not members or any(structure.relations[i] == "cc" and structure.heads[i] == members[-1] for i in kept):
            return None
        last = members[-1]
        conjunctions = (i for i, own in enumerate(structure.relations) if own == "cc" and i > last)
        following = next(conjunctions, None)
        ended = following is not None and following not in kept and self._words[following].lower() == "and"
        first = min(i for i in kept if _is_below(structure.heads, i, last))
        comma = max((i for i in kept if i < first), default=first)
        linked = self._words[first].lower() in ("so", "but", "yet", "then", "or", "nor", "not")
        # "any accident, however small" is no list
        follows = all(self._words[i].lower() in ("the", "a", "an") for i in range(comma + 1, first))
        return comma if ended and follows and not linked and self._words[comma] == "," else None

    def _listed_with(self, clause: int) -> bool:
        """Whether a clause stands beside another one, and is not what somebody says there."""
        above = self._structure.heads[clause]
        return above != ROOT and self._words[above].lower() not in rules.SAYING

    def lost_question(self, kept: Collection[int]) -> set[int]:
        """The question mark, where what was asked is gone."""
        if self._question_mark is None or not self._asking or any(i in kept for i in self._asking):
            return set()
        return {self._question_mark}

    def _is_left_over(self, mark: int, kept: Collection[int]) -> bool:
        """Whether a mark stands behind "and", or between a subject and its verb, where what it set off is gone."""
        before = max((i for i in kept if i < mark), default=None)
        behind = min((i for i in kept if i > mark), default=None)
        if before is None or behind is None or (before == mark - 1 and behind == mark + 1):
            return False
        heads, relations = self._structure.heads, self._structure.relations
        if relations[before] == "cc":
            return True
        speech = before
        while heads[speech] != ROOT and not relations[speech].startswith("attribution"):
            speech = heads[speech]
        if before != mark - 1 and relations[speech].startswith("attribution") and heads[speech] > mark > speech:
            return True
        if self._closed_an_aside(mark, before, behind):
            return True  # "the full price, including the postage, within ten days"
        opened = self._owners[mark]
        if before != mark - 1 and opened and all(relations[i] == "ccomp" and i > mark > heads[i] for i in opened):
            return True  # "he stressed, in May, it would …"
        if before != mark - 1 and opened and all(relations[i] == "prep" and heads[i] == before for i in opened):
            return True  # "costs fell on Monday, at the first sale"
        while relations[before] in ("pobj", "prep", "compound", "conj", "poss", "case") and heads[before] != ROOT:
            before = heads[before]
        verb = heads[before] if relations[before] in ("nsubj", "nsubjpass") else None
        return verb is not None and (
            behind == verb or (heads[behind] == verb and relations[behind] in ("aux", "auxpass", "neg"))
        )

    def _closed_an_aside(self, mark: int, before: int, behind: int) -> bool:
        """Whether a comma closed a phrase behind a word that is gone whole, with the comma before it."""
        words, structure = self._words, self._structure
        gone = [i for i in range(before + 2, mark) if self._is_word[i]]
        if words[mark] != "," or words[before + 1] != "," or not gone or behind != mark + 1:
            return False
        tops = [i for i in gone if structure.heads[i] not in gone]
        phrases = all(structure.relations[i] in ("prep", "appos") and structure.heads[i] <= before for i in tops)
        goes_on = structure.relations[behind] == "prep" and structure.heads[behind] < mark
        return phrases and goes_on

    def _stays(self, mark: int, kept: Collection[int]) -> bool:
        owners = self._closers.get(mark) or self._owners[mark]
        if owners:
            return any(owner in kept for owner in owners)
        before, behind = mark - 1, mark + 1
        while before >= 0 and not self._is_word[before]:
            before -= 1
        while behind < len(self._is_word) and not self._is_word[behind]:
            behind += 1
        return (before < 0 or before in kept) and (behind >= len(self._is_word) or behind in kept)


def _beside(words: Sequence[str], index: int) -> tuple[int, int]:
    """The places before and behind a word, across marks of markup."""
    before, behind = index - 1, index + 1
    while before >= 0 and is_mark(words[before]):
        before -= 1
    while behind < len(words) and is_mark(words[behind]):
        behind += 1
    return before, behind


def _last_clause(structure: Structure) -> set[int]:
    """The head of the clause that the sentence ends with: "the exam was moved, wanna meet?"."""
    words = [i for i, is_word in enumerate(structure.is_word) if is_word]
    if not words:
        return set()
    clause = words[-1]
    while structure.heads[clause] >= 0 and structure.relations[clause] not in ("conj", "conj-whole", "parataxis"):
        clause = structure.heads[clause]
    return {clause}


def _questions(structure: Structure, parse: Parse) -> set[int]:
    """Heads of clauses that ask: by their first word, or by an auxiliary before the subject."""
    found = set()
    for i, relation in enumerate(structure.relations):
        verb = structure.heads[i]
        if verb < 0 or not structure.is_word[i]:
            continue
        main = structure.relations[verb] in ("ROOT", "conj", "conj-whole", "parataxis")
        asks = parse.tags[i].startswith("W") and i < verb
        subject = next(
            (j for j, head in enumerate(structure.heads) if head == verb and _is_subject(structure, j)), None
        )
        inverted = subject is not None and relation in ("aux", "auxpass") and i < subject
        copula = subject is not None and i == subject and verb < i
        if main and (asks or inverted or copula):
            found.add(verb)
    return found


def _is_subject(structure: Structure, i: int) -> bool:
    return structure.relations[i] in ("nsubj", "nsubjpass", "expl")


def _is_below(heads: Sequence[int], word: int, head: int) -> bool:
    while word not in (head, ROOT):
        word = heads[word]
    return word == head


def _set_off(start: int, is_word: Sequence[bool]) -> bool:
    """Whether a phrase has punctuation before it."""
    return start > 0 and not is_word[start - 1]


def _spans(parse: Parse, is_word: Sequence[bool]) -> tuple[list[int], list[int]]:
    """First and last word of the phrase of each word."""
    first, last = list(range(len(is_word))), list(range(len(is_word)))
    for i, own in enumerate(is_word):
        head, steps = parse.heads[i], 0
        while own and head >= 0 and steps < len(is_word):
            first[head], last[head] = min(first[head], i), max(last[head], i)
            head, steps = parse.heads[head], steps + 1
    return first, last


def _told_last(words: Sequence[str], structure: Structure) -> dict[int, list[int]]:
    """The comma before whoever said it, with all words of that, the verb last: "prices may fall, the bank said"."""
    found = {}
    for verb, relation in enumerate(structure.relations):
        if not relation.startswith("attribution"):
            continue
        own = sorted(i for i in range(len(words)) if structure.is_word[i] and _is_below(structure.heads, i, verb))
        others = [i for i, word in enumerate(structure.is_word) if word and i not in own]
        if own and others and max(others) < own[0] and words[own[0] - 1] == ",":
            found[own[0] - 1] = [*own, verb]
    return found


def _quotations(words: Sequence[str]) -> list[tuple[int, int]]:
    """Quotation marks that belong together."""
    pairs: list[tuple[int, int]] = []
    waiting: list[int] = []
    for i, word in enumerate(words):
        if waiting and _QUOTES.get(words[waiting[-1]]) == word:
            pairs.append((waiting.pop(), i))
        elif word in _QUOTES:
            waiting.append(i)
    return pairs
