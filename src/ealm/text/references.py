"""References across sentences: what a sentence says only together with one before it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ealm.text.word_lists import (
    CLASS_NOUNS,
    FORMS_OF_BE,
    LIGHT_WORDS,
    LINKING_WORDS,
    PERSON_PRONOUNS,
    POINTING_WORDS,
    SPANS_AFTER_THIS,
    THING_PRONOUNS,
)

FARTHEST = 3
"""Sentences between which a reference is looked for."""

_BEHIND_PLAIN_NOUN = frozenset(["of", "in", "at", "for", "from", "with", "that", "who", "which", "where", ","])
"""What begins a description: "the company that runs the boats" says itself which one."""


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

    def is_noun(self, index: int) -> bool:
        """Whether a word is a noun."""
        if self.tags:
            return self.tags[index].startswith("NN")
        return self.words[index].lower() not in LIGHT_WORDS and self.words[index][:1].isalpha()

    def names_a_person(self) -> bool:
        """Whether "he" or "she" in the next sentence may be someone here."""
        return any(self.is_name(i) or word.lower() in PERSON_PRONOUNS for i, word in enumerate(self.words))


def sentences_needed(sentence: ReadSentence, kept: Collection[int], before: Sequence[ReadSentence]) -> int | None:
    """How many sentences directly before must stay so that the kept words are understood; None: not by any number.

    `before` are all sentences before it.
    """
    indices = [index for index in sorted(kept) if sentence.words[index][:1].isalnum()]
    words = [sentence.words[index].lower() for index in indices]
    if not words:
        return 0
    person = _first_unresolved(sentence, indices, PERSON_PRONOUNS, names=True)
    if person:
        return _distance_to_person(before)
    if _first_unresolved(sentence, indices, THING_PRONOUNS, names=False) and not _says_nothing(words):
        return 1 if before else 0
    article = sentence.words[indices[0] - 1].lower() if indices[0] else ""  # it may be left out
    opening = ["the", *words] if article == "the" else words
    return 1 if before and _points_back(opening) else 0


def _first_unresolved(
    sentence: ReadSentence, indices: Sequence[int], pronouns: Collection[str], *, names: bool
) -> bool:
    """Whether a pronoun comes before everything that it could stand for."""
    for index in indices:
        if sentence.words[index].lower() in pronouns:
            return True
        if sentence.is_name(index) if names else sentence.is_noun(index):
            return False
    return False


def _says_nothing(words: Sequence[str]) -> bool:
    """Whether "it" stands for what comes later: "it is clear that", "it took years to"."""
    if words[0] != "it":
        return False
    announces = {"that", "to", "whether"} & set(words[2:])
    return bool(announces) and words[1] in FORMS_OF_BE | {"seems", "took", "takes"}


def _points_back(words: Sequence[str]) -> bool:
    """Whether the first words hang on the sentence before."""
    first, second, third = (*words[:3], "", "")[:3]
    if first in LINKING_WORDS:
        return True
    if first in POINTING_WORDS:
        return second not in SPANS_AFTER_THIS
    return first == "the" and second in CLASS_NOUNS and third not in _BEHIND_PLAIN_NOUN


def _distance_to_person(before: Sequence[ReadSentence]) -> int | None:
    for distance, sentence in enumerate(reversed(before[-FARTHEST:]), start=1):
        if sentence.names_a_person():
            return distance
    return None if len(before) > FARTHEST else len(before)
