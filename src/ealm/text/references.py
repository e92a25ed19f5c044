"""References across sentences: what a sentence says only together with one before it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ealm.text.marks import is_whole
from ealm.text.word_lists import (
    ANNOUNCED_NOUNS,
    ARTICLES,
    CLASS_NOUNS,
    CONCLUDING_WORDS,
    COUNTS,
    COURTESIES,
    DATES,
    FORMS_OF_BE,
    HALF_VERBS,
    LIGHT_WORDS,
    LINKING_WORDS,
    ONE_OF_SEVERAL,
    ORDINALS_ALONE,
    PERSON_PRONOUNS,
    PERSONS,
    POINTING_WORDS,
    PREPOSITIONS,
    ROLL_LABELS,
    SET_APART_LINKS,
    SPANS_AFTER_THIS,
    SPANS_OF_TIME,
    THING_PRONOUNS,
    TRAILING_LINKS,
)

FARTHEST = 3
"""Sentences between which a reference is looked for."""

_BEHIND_PLAIN_NOUN = frozenset(["of", "in", "at", "for", "from", "with", "that", "who", "which", "where", ","])
"""What begins a description: "the company that runs the boats" says itself which one."""

_VERBS = frozenset(["VB", "VBD", "VBP", "VBZ"])
"""Tags of verbs that can be the verb of a sentence."""

_FINITE = frozenset(["VBD", "VBP", "VBZ", "MD"])

_LEADS_ON = frozenset(["IN", "TO", "CC", "DT", "PRP$", "WDT", "WP", "WRB", "MD"])
"""Tags of words that something must follow, unless they end the sentence as it was written."""

_OPENS_A_CLAUSE = frozenset(["when", "while", "although", "though", "because", "if", "unless", "whereas", "whenever"])

_ONE_THING = frozenset(["it", "its", "itself"])

_SIGNS = ("`", "@", "#")

_NOMINATIVES = frozenset(["i", "he", "she", "it", "we", "they"])

_POINTING_INSIDE = frozenset(["these", "those"])

_SIDING = frozenset(["vote", "votes", "voted", "voting", "spoke", "argued", "decided", "was", "were"])

_BEHIND_NOTHING = frozenset([",", ".", ";", "because", "since", "as", "and", "but"])

_QUANTITIES = frozenset(
    ["and", "each", "both", "all", "many", "some", "people", "any", "anyone", "everyone", "anybody", "everybody"]
)
"""What "them" may mean behind it, beside nouns in the plural."""

_LAST_WORDS, _LONGEST_COUNT = 4, 12
"""Where "two choices" ends a sentence that says no more."""

_POINTING_BEHIND = frozenset(["this", "these", "that", "those", "such"])

_POINTING_ALONE = frozenset(["that", "this", "both", "neither"])

_AMOUNTS = frozenset(["many", "much", "well", "badly"])

_LONGEST_ANNOUNCEMENT = 5
"""Words between "it was" and what that is: "it was by no means clear that"."""

_FORMS_OF_DO = frozenset(["do", "does", "did", "doing", "done"])

_LONGEST_COURTESY = 4
"""Words before "welcomed the members": "the chair of the meeting"."""

_ENDS_OF_PERSONS = ("man", "woman", "ian", "ist", "boy", "girl")

_CONJUNCTIONS = frozenset(["and", "or", "&"])


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """The words of a sentence, with what is known of them."""

    words: tuple[str, ...]
    tags: tuple[str, ...] = ()
    """Parts of speech of the Penn treebank; none if no parser has read it."""

    def is_name(self, index: int) -> bool:
        """Whether a word is a proper name."""
        if self.tags:
            return self.tags[index].startswith("NNP")
        return index > 0 and self.words[index][:1].isupper()

    def is_noun(self, index: int, *, singular: bool = False) -> bool:
        """Whether a word is a noun."""
        if self.tags:
            return self.tags[index].startswith("NN") and not (singular and self.tags[index] in ("NNS", "NNPS"))
        return self.words[index].lower() not in LIGHT_WORDS and self.words[index][:1].isalpha()

    def has_verb(self) -> bool:
        """Whether it may be a sentence; what no parser has read may be one."""
        return not self.tags or any(tag == "MD" or tag in _VERBS for tag in self.tags)

    def persons(self) -> frozenset[int]:
        """Words that may name somebody: names, and nouns such as "technician"."""
        return frozenset(
            i
            for i, word in enumerate(self.words)
            if (self.is_name(i) and word.lower() not in DATES)
            or (self.tags and self.tags[i] == "NN" and _is_person(word.lower()))
        )

    def names_a_person(self) -> bool:
        """Whether "he" or "she" in the next sentence may be someone here."""
        return bool(self.persons()) or any(word.lower() in PERSON_PRONOUNS for word in self.words)


def is_word(word: str) -> bool:
    """Whether it is more than punctuation: a word, a number, a name with a sign ("@ada") or code."""
    return word[:1].isalnum() or is_whole(word) or (word[:1] in _SIGNS and len(word) > 1)


def _is_person(noun: str) -> bool:
    return noun in PERSONS or noun.endswith(_ENDS_OF_PERSONS)


def sentences_needed(sentence: ReadSentence, kept: Collection[int], before: Sequence[ReadSentence]) -> int | None:
    """How many sentences directly before must stay so that the kept words are understood; None: not by any number.

    `before` are all sentences before it.
    """
    indices = [index for index in sorted(kept) if is_word(sentence.words[index])]
    words = [sentence.words[index].lower() for index in indices]
    if not words:
        return 0
    if _unresolved_person(sentence, indices):
        return _distance_to_person(before)
    if _unresolved_thing(sentence, indices) and not _says_nothing(words):
        return 1 if before else 0
    article = sentence.words[indices[0] - 1].lower() if indices[0] else ""  # it may be left out
    opening = ["the", *words] if article == "the" else words
    links = words[-1] in TRAILING_LINKS or not CONCLUDING_WORDS.isdisjoint(words)
    links = links or _points_back(opening) or _counts_on(sentence, indices) or _contrasts(sentence, indices)
    inside = _points_back_inside(sentence, indices) or _points_alone(sentence, indices)
    inside = inside or _answers(sentence, indices) or _sides_with_nothing(sentence, indices)
    return 1 if before and (links or inside) else 0


def _contrasts(sentence: ReadSentence, indices: Sequence[int]) -> bool:
    """ "At lunch, however, it is cheap": than what was said before."""
    return any(sentence.words[i].lower() in SET_APART_LINKS and i and sentence.words[i - 1] == "," for i in indices)


def says_how_it_went(words: Sequence[str]) -> bool:
    """Whether a sentence is a courtesy or a formality: "thanks for your mail", "the chair welcomed the members"."""
    lower = [word.lower() for word in words[: _LONGEST_COURTESY + 4]]
    first = next((index for index, word in enumerate(lower) if is_word(word)), 0)
    spans = {" ".join(lower[start : start + size]) for start in range(first, len(lower)) for size in (2, 3)}
    if lower[first : first + 1] and lower[first] in ROLL_LABELS and ":" in words[:4]:
        return True  # "Present: Ms Lark, Mr Fenn"
    if lower[first : first + 1] == ["present"] and lower[first + 1 : first + 2] in (["was"], ["were"]):
        return True
    if lower[first : first + 2] == ["thanks", "to"] and words[first + 2 : first + 3] != []:
        named = next((word for word in words[first + 2 :] if is_word(word)), "")
        return named[:1].isupper() or named.lower() in ("all", "everyone", "everybody")
    if "minutes" in lower[first : first + 2] and "approved" in map(str.lower, words):
        return True
    opening = {" ".join(lower[first : first + size]) for size in (2, 3)}
    verbs = {span for span in spans if span.split()[0] in ("welcomed", "opened", "closed")}
    return not COURTESIES.isdisjoint(opening | verbs)


def only_announces(words: Sequence[str]) -> bool:
    """Whether it says only that more follows: "there are a few things I do not eat", "you have two choices"."""
    lower = [word.lower() for word in words if is_word(word)]
    exists = lower[:1] == ["there"] and lower[1:2] != [] and lower[1] in FORMS_OF_BE
    counts = any(own in COUNTS and word in ANNOUNCED_NOUNS for own, word in pairwise(lower[-_LAST_WORDS:]))
    return (exists and not ANNOUNCED_NOUNS.isdisjoint(lower[2:7])) or (counts and len(lower) <= _LONGEST_COUNT)


def asks_the_reader(words: Sequence[str]) -> bool:
    """Whether a question is a request: "could you send me the figures?"."""
    lower = [word.lower() for word in words]
    return "you" in lower[:6] and lower[0] in ("can", "could", "will", "would", "please", "may")


def lost_conjunction(words: Sequence[str], kept: Collection[int]) -> bool:
    """Whether two words stand side by side that an "and" between them joined: "between you Northlight Ltd."."""
    places = [index for index, word in enumerate(words) if is_word(word) or word == "&"]
    for before, own, behind in zip(places, places[1:], places[2:], strict=False):
        if words[own].lower() in _CONJUNCTIONS and own not in kept and before in kept:
            follows = next((index for index in range(own + 1, len(words)) if index in kept), own)
            if follows == behind or (follows == behind + 1 and words[behind].lower() in ARTICLES):
                return True
    return False


def lost_speaker(sentence: ReadSentence, kept: Collection[int]) -> bool:
    """Whether "he" and the verb before are left out: "my brother said that he was a sailor" may speak of another."""
    for index, word in enumerate(sentence.words[:-1]):
        if word.lower() in ("he", "she") and index not in kept and index + 1 in kept:
            before = max((other for other in kept if other < index), default=None)
            if before is not None and any(tag.startswith("VB") for tag in sentence.tags[before + 1 : index]):
                return True
    return False


def ends_openly(sentence: ReadSentence, kept: Collection[int]) -> bool:
    """Whether its last word leads to something that is gone: "simplified step by step until"."""
    places = [index for index, word in enumerate(sentence.words) if is_word(word)]
    last = max((index for index in places if index in kept), default=None)
    if last is None or last == places[-1] or not sentence.tags:
        return False
    return sentence.tags[last] in _LEADS_ON


def lost_subject(sentence: ReadSentence, kept: Collection[int]) -> bool:
    """Whether a verb has lost the pronoun right before it, or it begins with its verb: "Read the new column"."""
    finite = [index for index, tag in enumerate(sentence.tags) if tag in _FINITE and index in kept]
    if any(sentence.words[index - 1].lower() in _NOMINATIVES and index - 1 not in kept for index in finite if index):
        return True
    first = min((index for index in kept if is_word(sentence.words[index])), default=None)
    if first is None or not sentence.tags or sentence.tags[first] not in _VERBS:
        return False
    return any(tag.startswith(("NN", "PRP")) for tag in sentence.tags[:first])


def cuts_behind_colon(words: Sequence[str], kept: Collection[int]) -> bool:
    """Whether something of what a colon announces is gone, and not all of it."""
    for index, word in enumerate(words):
        behind = [other for other in range(index + 1, len(words)) if is_word(words[other])] if word == ":" else []
        if any(other in kept for other in behind) and not all(other in kept for other in behind):
            return True
    return False


def lost_source(words: Sequence[str], kept: Collection[int]) -> bool:
    """Whether it no longer says according to whom."""
    pairs = (index for index, pair in enumerate(pairwise(words)) if " ".join(pair).lower() == "according to")
    return any(index not in kept for index in pairs)


def cuts_into_clause(words: Sequence[str], kept: Collection[int]) -> bool:
    """Whether only the beginning of a clause such as ", which she reduced because …" is gone."""
    for index, word in enumerate(words[1:], start=1):
        if word.lower() in ("which", "who", "whose") and words[index - 1] == "," and index not in kept:
            behind = next((other for other in range(index, len(words)) if other in kept), len(words))
            marks = [other for other in range(index, behind) if not is_word(words[other])]
            if behind < len(words) and is_word(words[behind]) and not marks:
                return True
    return False


def lost_main_clause(words: Sequence[str], kept: Collection[int]) -> bool:
    """Whether only the clause before a comma is left: "When the ship arrived." """
    stays = [words[index] for index in sorted(kept)]
    return bool(stays) and stays[0].lower() in _OPENS_A_CLAUSE and "," not in stays and "," in words


def _unresolved_person(sentence: ReadSentence, indices: Sequence[int]) -> bool:
    """Whether "he" or "she" comes before every name."""
    for index in indices:
        if sentence.words[index].lower() in PERSON_PRONOUNS:
            return True
        if sentence.is_name(index) and sentence.words[index].lower() not in DATES:
            return False
    return False


def _unresolved_thing(sentence: ReadSentence, indices: Sequence[int]) -> bool:
    """Whether "they" comes before every noun, or "it" before every noun in the singular.

    "In return they" and "over two winters they" have none before: what a sentence opens with says when or how.
    """
    nouns = singular = several = False
    opens = bool(sentence.tags) and sentence.tags[indices[0]] == "IN"
    for place, index in enumerate(indices):
        word = sentence.words[index].lower()
        if word in THING_PRONOUNS and not (singular if word in _ONE_THING else nouns):
            return True
        if opens and ((place == 1 and sentence.tags[index] == "NN") or word in SPANS_OF_TIME):
            continue
        if word == "them" and nouns and sentence.tags and not several:
            return True  # "the council fills them"
        several = (
            several or sentence.tags[index : index + 1] in (("NNS",), ("NNPS",), ("PRP",)) or word in ("and", "each")
        )
        several = several or word in _QUANTITIES
        nouns = nouns or sentence.is_noun(index)
        singular = singular or sentence.is_noun(index, singular=True)
    return False


def _says_nothing(words: Sequence[str]) -> bool:
    """Whether "it" stands for what comes later: "it is clear that", "it took years to"."""
    if words[0] != "it":
        return False
    announced = words[2 : 2 + _LONGEST_ANNOUNCEMENT]
    announces = {"that", "to", "whether"} & set(announced) and "from" not in announced  # "from Norway to Chile"
    return bool(announces) and words[1] in FORMS_OF_BE | {"seems", "took", "takes"}


def _points_back(words: Sequence[str]) -> bool:
    """Whether the first words hang on the sentence before."""
    first, second, third = (*words[:3], "", "")[:3]
    if first in LINKING_WORDS:
        return True
    if first in POINTING_WORDS:
        return second not in SPANS_AFTER_THIS
    if first in PREPOSITIONS and second in _POINTING_BEHIND:  # "with these", "during these two weeks"
        return third not in SPANS_AFTER_THIS
    if first == "the" and (second in ONE_OF_SEVERAL or third in ("one", "ones")):
        return third != "time"  # "at the same time" begins otherwise
    return first == "the" and second in CLASS_NOUNS and third not in _BEHIND_PLAIN_NOUN


def _counts_on(sentence: ReadSentence, indices: Sequence[int]) -> bool:
    """Whether it begins like "the second is"."""
    words = [sentence.words[index].lower() for index in indices[:2]]
    if words[:1] != ["the"] or len(indices) < len(("the", "second", "is")) or not sentence.tags:
        return False
    return words[1] in ORDINALS_ALONE and (sentence.tags[indices[2]] in _VERBS or sentence.tags[indices[2]] == "MD")


def _points_back_inside(sentence: ReadSentence, indices: Sequence[int]) -> bool:
    """Whether "those letters" stands in it, and no noun before that it could mean."""
    for index, following in pairwise(indices):
        if sentence.words[index].lower() in _POINTING_INSIDE:
            return sentence.is_noun(following) and sentence.words[following].lower() not in SPANS_AFTER_THIS
        if sentence.is_noun(index) and not sentence.is_name(index):
            return False
    return False


def _sides_with_nothing(sentence: ReadSentence, indices: Sequence[int]) -> bool:
    """Whether somebody "voted against", and nothing says against what."""
    for verb, index in pairwise(indices):
        if sentence.words[index].lower() == "against" and sentence.words[verb].lower() in _SIDING:
            return index == indices[-1] or sentence.words[index + 1].lower() in _BEHIND_NOTHING
    return False


def _points_alone(sentence: ReadSentence, indices: Sequence[int]) -> bool:
    """Whether "that" or "both" is an object, and nothing in the sentence is meant: "could you do that?"."""
    nouns = False
    for place, (verb, index) in enumerate(pairwise(indices), start=2):
        ends = place == len(indices) or indices[place] > index + 1
        word, does = sentence.words[index].lower(), sentence.words[verb].lower() in _FORMS_OF_DO
        nouns = nouns or (sentence.is_noun(verb) and not sentence.is_name(verb))
        if does and word == "so" and (ends or sentence.words[indices[place]].lower() not in _AMOUNTS):
            return True
        object_of = sentence.words[verb].lower() in PREPOSITIONS
        object_of = object_of or (word == "this" and bool(sentence.tags) and sentence.tags[verb] in _VERBS)
        if word in ("that", "this") and object_of and not ends:
            following = sentence.words[indices[place]].lower()  # "the cost of that at two million"
            if sentence.tags and sentence.tags[index] == "DT" and following in PREPOSITIONS | FORMS_OF_BE:
                return True
        if word in _POINTING_ALONE and ends and sentence.tags and (does or not nouns or word == "this"):
            return sentence.tags[verb] in _VERBS
    return False


def _answers(sentence: ReadSentence, indices: Sequence[int]) -> bool:
    """Whether it is half a sentence: "because I counted them myself", "I did, and I was wrong"."""
    words = [sentence.words[index].lower() for index in indices]
    if words[0] == "because":
        return "," not in sentence.words
    start = 1 if words[0] in ("if", "when", "unless") else 0  # "if you can't, tell me"
    if words[start : start + 1] == [] or words[start] not in _NOMINATIVES | {"you"}:
        return False
    verbs = words[start + 1 : start + 3]
    size = 2 if verbs[1:] == ["not"] else 1
    if not verbs or verbs[0] not in HALF_VERBS:
        return False
    last = start + size
    return last + 1 == len(indices) or indices[last + 1] > indices[last] + 1


def _distance_to_person(before: Sequence[ReadSentence]) -> int | None:
    for distance, sentence in enumerate(reversed(before[-FARTHEST:]), start=1):
        if sentence.names_a_person():
            return distance
    return None if len(before) > FARTHEST else len(before)
