"""Words as numbers; unknown words become numbered placeholders that are turned back on the way out.

Words are known in lower case. The first unknown word of a sentence is OOV1, the next different one OOV2 and so on, so
that a model that has never seen a word can still copy it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ealm.common.caching import cached_property

PADDING, START, END, UNKNOWN = range(4)
"""UNKNOWN stands for unknown words for which no placeholder is left: they can be read, but not written."""

SPECIAL = 4
"""How many numbers stand for no word."""
_LOST = frozenset(("<unk>", "unk"))
"""How corpora write words that were lost before: they can be read, but not written."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sentence as numbers."""

    ids: tuple[int, ...]
    unknown: tuple[str, ...]
    """The words behind its placeholders, as they were written first."""


@dataclass(frozen=True)
class Vocabulary:
    """Numbers: the special ones, the placeholders, then the words from the most frequent on."""

    words: tuple[str, ...]
    placeholders: int

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], *, most: int, least_count: int, placeholders: int) -> "Vocabulary":
        """The most frequent words of a corpus; those of the same count in alphabetical order."""
        counts = Counter(word.lower() for sentence in sentences for word in sentence)
        for word in _LOST:
            counts.pop(word, None)
        ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
        return cls(tuple(word for word, count in ranked[:most] if count >= least_count), placeholders)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=self.first_word)}

    @property
    def first_word(self) -> int:
        """Number of the first real word."""
        return SPECIAL + self.placeholders

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.first_word + len(self.words)

    def encode(self, sentence: Sequence[str]) -> Encoded:
        """A sentence as numbers, of the same length."""
        seen: dict[str, int] = {}
        unknown: list[str] = []
        ids = []
        for word in sentence:
            key = word.lower()
            number = self._numbers.get(key, seen.get(key))
            if number is None and len(unknown) < self.placeholders and key not in _LOST:
                number = seen[key] = SPECIAL + len(unknown)
                unknown.append(word)
            ids.append(UNKNOWN if number is None else number)
        return Encoded(tuple(ids), tuple(unknown))

    def decode(self, ids: Iterable[int], unknown: Sequence[str]) -> list[str]:
        """Numbers as words; placeholders become the source's words again."""
        words = []
        for number in ids:
            assert SPECIAL <= number < self.size, f"{number} is no word"
            index = number - SPECIAL
            words.append(unknown[index] if index < self.placeholders else self.words[number - self.first_word])
        return words

    def inverse_frequencies(self, sentences: Sequence[Encoded]) -> list[float]:
        """IDF of every number: the logarithm of how rare it is among the sentences; special numbers have none."""
        found = Counter(number for sentence in sentences for number in set(sentence.ids))
        total = 1 + len(sentences)
        return [0.0 if number < SPECIAL else math.log(total / max(1, found[number])) for number in range(self.size)]
