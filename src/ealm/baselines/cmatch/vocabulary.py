"""Words that both language models know, by numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ealm.lm.adapt.vocabulary import shape

START, END, UNKNOWN = 0, 1, 2
FIRST_WORD = 3
"""Numbers of words begin here."""

_UNKNOWN_SPELLINGS = frozenset({"<unk>", "unk"})
"""How corpora of this field write words that they hide."""


class Vocabulary:
    """Lower-case words; numbers that are not known themselves go by their shape ("12" as "##")."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words, start=FIRST_WORD)}

    def __len__(self) -> int:
        """How many numbers there are, special tokens included."""
        return FIRST_WORD + len(self.words)

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], *, most: int, least_count: int) -> "Vocabulary":
        """The most frequent words of a corpus; equally frequent ones in alphabetical order."""
        counts = Counter(word.lower() for sentence in sentences for word in sentence)
        for word in [word for word in counts if shape(word) != word]:
            counts[shape(word)] += counts[word]
        frequent = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
        return cls(
            [word for word, count in frequent if count >= least_count and word not in _UNKNOWN_SPELLINGS and word][
                :most
            ]
        )

    def number(self, word: str) -> int:
        """The number of a word however it is written, `UNKNOWN` if it has none."""
        lower = word.lower()
        found = self._numbers.get(lower)
        return self._numbers.get(shape(lower), UNKNOWN) if found is None else found

    def word(self, number: int) -> str:
        """The word of a number; special tokens have none."""
        return self.words[number - FIRST_WORD]
