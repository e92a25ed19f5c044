"""A sentence as words and vocabulary ids, and the written form of what the converter makes of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ealm.lm.masked_lm import MaskedLM
from ealm.paper.converter import Conversion
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords


@dataclass(frozen=True, slots=True)
class Source:
    """The words of a sentence, their vocabulary ids, and which of them count."""

    words: tuple[str, ...]
    ids: tuple[int, ...]
    counted: tuple[bool, ...]
    """Which words count in the reconstruction rate: those outside of W (appendix A.4)."""

    @classmethod
    def prepare(cls, words: Sequence[str], lm: MaskedLM, ignored_words: IgnoredWords) -> "Source":
        """Look the words up; the language model gets the shape of a number that is not in its vocabulary."""
        ids = lm.word_ids(words)
        ignores_unknown = ignored_words.settings.unknown
        counted = tuple(
            word not in ignored_words and not (ignores_unknown and word_id == lm.unknown_id)
            for word, word_id in zip(words, ids, strict=True)
        )
        return cls(tuple(words), _shaped(words, ids, lm), counted)


def _shaped(words: Sequence[str], ids: tuple[int, ...], lm: MaskedLM) -> tuple[int, ...]:
    """Ids with "55.31" looked up as "##.##" where the number itself is unknown: corpora of this field write it so."""
    unknown = [index for index, word in enumerate(words) if ids[index] == lm.unknown_id and _DIGIT.search(word)]
    if not unknown:
        return ids
    shapes = dict(zip(unknown, lm.word_ids([_DIGIT.sub("#", words[index]) for index in unknown]), strict=True))
    return tuple(shapes.get(index, word_id) for index, word_id in enumerate(ids))


_DIGIT = re.compile(r"\d")


def written_words(conversion: Conversion, lm: MaskedLM) -> dict[int, str]:
    """Replacements by index in the source, as the language model writes them."""
    if conversion.summary is None:
        return {}
    left = [index for index, action in enumerate(conversion.actions) if action != Action.REMOVE]
    new = [
        (index, word)
        for index, word in zip(left, conversion.summary, strict=True)
        if conversion.actions[index] == Action.REPLACE
    ]
    return dict(zip((index for index, _ in new), lm.words([word for _, word in new]), strict=True))


def written_summary(source: Source, conversion: Conversion, lm: MaskedLM) -> tuple[str, ...] | None:
    """Summary words as text: kept words as the source has them, new ones as the language model writes them."""
    if conversion.summary is None:
        return None
    new = written_words(conversion, lm)
    pairs = enumerate(zip(source.words, conversion.actions, strict=True))
    return tuple(new.get(index, word) for index, (word, action) in pairs if action != Action.REMOVE)


def written_reconstruction(source: Source, conversion: Conversion, lm: MaskedLM) -> tuple[str, ...] | None:
    """The reconstruction as text; kept words as the source has them."""
    if conversion.reconstruction is None:
        return None
    pairs = zip(source.words, conversion.actions, conversion.reconstruction, strict=True)
    return tuple(word if action == Action.KEEP else lm.words([filled])[0] for word, action, filled in pairs)
