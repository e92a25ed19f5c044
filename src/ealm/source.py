"""A sentence on its way in, and its words on their way out to people."""

from collections.abc import Sequence
from dataclasses import dataclass

from ealm.converter import Conversion
from ealm.edits import Action
from ealm.ignored_words import IgnoredWords
from ealm.masked_lm import MaskedLM


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence as every part of the program needs it."""

    words: tuple[str, ...]
    ids: tuple[int, ...]
    counted: tuple[bool, ...]
    """Which words count in the reconstruction rate: neither ignored nor unknown."""

    @classmethod
    def prepare(cls, words: Sequence[str], lm: MaskedLM, ignored_words: IgnoredWords) -> "Source":
        """Look the words up."""
        ids = lm.word_ids(words)
        counted = tuple(
            word_id != lm.unknown_id and word not in ignored_words for word, word_id in zip(words, ids, strict=True)
        )
        return cls(tuple(words), ids, counted)


def written_summary(source: Source, conversion: Conversion, lm: MaskedLM) -> tuple[str, ...] | None:
    """Summary words for people: kept ones as the source has them, new ones as the language model writes them."""
    if conversion.summary is None:
        return None
    kept = [place for place, action in enumerate(conversion.actions) if action != Action.REMOVE]
    return tuple(
        source.words[place] if conversion.actions[place] == Action.KEEP else lm.words([word])[0]
        for place, word in zip(kept, conversion.summary, strict=True)
    )


def written_reconstruction(source: Source, conversion: Conversion, lm: MaskedLM) -> tuple[str, ...] | None:
    """The rebuilt sentence for people; kept words as the source has them."""
    if conversion.reconstruction is None:
        return None
    pairs = zip(source.words, conversion.actions, conversion.reconstruction, strict=True)
    return tuple(word if action == Action.KEEP else lm.words([filled])[0] for word, action, filled in pairs)
