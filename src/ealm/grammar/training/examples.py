"""Parsed sentences to learn from, and the forms in which text is met: lower case, `#` for digits, headlines."""

import random
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from ealm.grammar.protocol import NO_HEAD, Parse

_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-"}
_FINAL = {".", "!", "?"}
_LEFT_OUT_OF_HEADLINES = {"det", "aux", "auxpass"}
_KEPT_IN_HEADLINES = {"TO", "MD"}
"""Tags of auxiliaries that headlines do not leave out."""


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence with the tree that its teacher gave it."""

    words: tuple[str, ...]
    parse: Parse


def as_prepared(example: Example) -> Example:
    """As prepared corpora write it: lower case, `#` for digits, `-lrb-` for brackets. The tree stays the same.

    The teacher parses the sentence as it was written, since it knows no lower-case text.
    """
    words = (re.sub(r"\d", "#", _BRACKETS.get(word, word).lower()) for word in example.words)
    return Example(tuple(words), example.parse)


def without_final_punctuation(example: Example) -> Example:
    """As people write in chats."""
    last = len(example.words) - 1
    ends = last > 0 and example.words[last] in _FINAL and not example.parse.children[last]
    return without(example, {last}) if ends else example


def as_headline(example: Example) -> Example:
    """Without articles, auxiliaries and the full stop."""
    parse = example.parse
    spare = {
        index
        for index, relation in enumerate(parse.relations)
        if relation in _LEFT_OUT_OF_HEADLINES and parse.tags[index] not in _KEPT_IN_HEADLINES
        if not parse.children[index]
    }
    return without_final_punctuation(without(example, spare))


def without(example: Example, spare: Collection[int]) -> Example:
    """The sentence without words that nothing hangs on."""
    parse = example.parse
    kept = [index for index in range(len(parse)) if index not in spare]
    place = {NO_HEAD: NO_HEAD} | {index: new for new, index in enumerate(kept)}
    return Example(
        tuple(example.words[index] for index in kept),
        Parse(
            tuple(place[parse.heads[index]] for index in kept),
            tuple(parse.relations[index] for index in kept),
            tuple(parse.tags[index] for index in kept),
        ),
    )


_FORMS: tuple[tuple[float, Callable[[Example], Example]], ...] = (
    (0.18, as_prepared),
    (0.10, without_final_punctuation),
    (0.05, as_headline),
)
"""Shares of the sentences that are learned from in another form than their own."""


def varied(example: Example, chance: random.Random) -> Example:
    """The sentence in one of its forms, most often its own."""
    draw = chance.random()
    for share, form in _FORMS:
        if draw < share:
            return form(example)
        draw -= share
    return example
