"""A sentence on its way in, and its words on their way out to people."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ealm.lm.masked_lm import MaskedLM
from ealm.paper.converter import Conversion
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence as every part of the program needs it."""

    words: tuple[str, ...]
    ids: tuple[int, ...]
    counted: tuple[bool, ...]
    """Which words count in the reconstruction rate: neither ignored nor unknown."""

    @classmethod
    def prepare(cls, words: Sequence[str], lm: MaskedLM, ignored_words: IgnoredWords) -> "Source":
        """Look the words up; the language model sees an unknown number by its shape, if it knows that."""
        ids = lm.word_ids(words)
        counted = tuple(
            word_id != lm.unknown_id and word not in ignored_words for word, word_id in zip(words, ids, strict=True)
        )
        return cls(tuple(words), _shaped(words, ids, lm), counted)


def _shaped(words: Sequence[str], ids: tuple[int, ...], lm: MaskedLM) -> tuple[int, ...]:
    """Ids with "55.31" looked up as "##.##" where the number itself is unknown: corpora of this field write it so."""
    unknown = [place for place, word in enumerate(words) if ids[place] == lm.unknown_id and _DIGIT.search(word)]
    if not unknown:
        return ids
    shapes = dict(zip(unknown, lm.word_ids([_DIGIT.sub("#", words[place]) for place in unknown]), strict=True))
    return tuple(shapes.get(place, word_id) for place, word_id in enumerate(ids))


_DIGIT = re.compile(r"\d")


def written_words(conversion: Conversion, lm: MaskedLM) -> dict[int, str]:
    """Replacements by place in the source, as the language model writes them."""
    if conversion.summary is None:
        return {}
    left = [place for place, action in enumerate(conversion.actions) if action != Action.REMOVE]
    new = [
        (place, word)
        for place, word in zip(left, conversion.summary, strict=True)
        if conversion.actions[place] == Action.REPLACE
    ]
    return dict(zip((place for place, _ in new), lm.words([word for _, word in new]), strict=True))


def written_summary(source: Source, conversion: Conversion, lm: MaskedLM) -> tuple[str, ...] | None:
    """Summary words for people: kept ones as the source has them, new ones as the language model writes them."""
    if conversion.summary is None:
        return None
    new = written_words(conversion, lm)
    pairs = enumerate(zip(source.words, conversion.actions, strict=True))
    return tuple(new.get(place, word) for place, (word, action) in pairs if action != Action.REMOVE)


def written_reconstruction(source: Source, conversion: Conversion, lm: MaskedLM) -> tuple[str, ...] | None:
    """The rebuilt sentence for people; kept words as the source has them."""
    if conversion.reconstruction is None:
        return None
    pairs = zip(source.words, conversion.actions, conversion.reconstruction, strict=True)
    return tuple(word if action == Action.KEEP else lm.words([filled])[0] for word, action, filled in pairs)
