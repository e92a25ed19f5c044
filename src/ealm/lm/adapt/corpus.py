"""Text to fit a language model on: every sentence as a row of vocabulary ids, in little memory."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ealm.common.errors import CorpusError
from ealm.lm.adapt.vocabulary import frequent_new_words, shape
from ealm.text.corpus import read_lines
from ealm.text.tokenizer import tokenize
from ealm.text.words import split_words, straight_apostrophes

Ids = NDArray[np.int32]

LEAST_WORDS = 4
MOST_WORDS = 120


@dataclass(frozen=True, slots=True)
class LmCorpus:
    """Sentences one after the other; sentence i is `flat[starts[i]:starts[i + 1]]`."""

    flat: Ids
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, sentence: int) -> Ids:
        return self.flat[self.starts[sentence] : self.starts[sentence + 1]]

    def split(self, held_out: int, seed: int) -> "tuple[LmCorpus, LmCorpus]":
        """All but some sentences for fitting, and those few for scores."""
        order = np.random.default_rng([seed, len(self)]).permutation(len(self))
        return self._only(np.sort(order[held_out:])), self._only(np.sort(order[:held_out]))

    def _only(self, chosen: NDArray[np.int64]) -> "LmCorpus":
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        flat = np.concatenate([self[int(sentence)] for sentence in chosen]) if len(chosen) else self.flat[:0]
        return LmCorpus(flat, starts)


class CorpusReader:
    """Looks words up, and collects those that the vocabulary lacks until it is known which of them are added."""

    def __init__(
        self,
        known: dict[str, int],
        *,
        unknown_id: int,
        normalize: Callable[[str], str],
        pretokenized: bool,
        most_words: int = MOST_WORDS,
    ) -> None:
        """`known` are the words of the vocabulary; `normalize` writes any word as the vocabulary would."""
        self.known = known
        self._normalize = normalize
        self._numbers: dict[str, int] = {}
        self._unknown_id = unknown_id
        self._pretokenized = pretokenized
        self._most_words = min(most_words, MOST_WORDS)
        self._first_new = max(unknown_id, *known.values()) + 1
        self._new: dict[str, int] = {}
        """Words that are not in the vocabulary, by numbers above all of its ids."""

    def read(self, path: Path, *, progress: bool = False) -> LmCorpus:
        """All sentences of a file that are neither too short nor too long."""
        flat: list[NDArray[np.int32]] = []
        lengths: list[int] = []
        lines = tqdm(
            read_lines(path), unit=" lines", desc="reading", disable=not progress, file=sys.stderr, mininterval=1.0
        )
        for line in lines:
            words = self._words(line)
            if LEAST_WORDS <= len(words) <= self._most_words:
                flat.append(np.fromiter(map(self._number, words), dtype=np.int32, count=len(words)))
                lengths.append(len(words))
        if not lengths:
            raise CorpusError(f"{path} has no sentence of {LEAST_WORDS} to {self._most_words} words, one a line.")
        return LmCorpus(np.concatenate(flat), np.concatenate([[0], np.cumsum(lengths)]))

    def _words(self, line: str) -> list[str]:
        if self._pretokenized:
            return list(split_words(line))
        return [straight_apostrophes(token.text) for token in tokenize(line)]

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            plain = self._normalize(word)
            number = self.known.get(plain)
            if number is None:
                number = self._new.setdefault(plain, self._first_new + len(self._new))
            self._numbers[word] = number
        return number

    def new_words(self, corpus: LmCorpus, most: int) -> list[str]:
        """The most frequent words of a corpus that the vocabulary lacks."""
        counts = np.bincount(corpus.flat, minlength=self._first_new + len(self._new))
        unknown = Counter({word: int(counts[number]) for word, number in self._new.items() if self._can_be_added(word)})
        return frequent_new_words(unknown, most)

    def _can_be_added(self, word: str) -> bool:
        """Not what stands for an unknown word, has a known shape, or is no single visible word to the tokenizer."""
        return word != "<unk>" and word.isprintable() and len(word.split()) == 1 and shape(word) not in self.known

    def encode(self, corpus: LmCorpus) -> LmCorpus:
        """Only ids of the vocabulary: added words by their ids, numbers by their shape, the rest as unknown."""
        final = np.arange(self._first_new + len(self._new), dtype=np.int32)
        for word, number in self._new.items():
            final[number] = self.known.get(word, self.known.get(shape(word), self._unknown_id))
        return LmCorpus(final[corpus.flat], corpus.starts)

    def check_known(self, corpus: LmCorpus, path: Path) -> None:
        """Raise if an encoded corpus has not a single known word: nothing could be learned or scored."""
        if not (corpus.flat != self._unknown_id).any():
            raise CorpusError(f"{path} has no word that the vocabulary knows. Is it text in the model's language?")

    def hidden_digits(self) -> NDArray[np.int32]:
        """For each id of the vocabulary the id of its shape, or itself: turns text into one with hidden digits."""
        shapes = np.arange(max(self._unknown_id, *self.known.values()) + 1, dtype=np.int32)
        for word, number in self.known.items():
            shapes[number] = self.known.get(shape(word), number)
        return shapes


def chunks_of_sentences(corpus: LmCorpus, *, size: int, seed: int, start: int) -> Iterator[tuple[int, list[Ids]]]:
    """Endless shuffled chunks from number `start` on; a chunk depends on nothing but seed and number."""
    per_epoch = max(1, len(corpus) // size)
    number = start
    while True:
        epoch, index = divmod(number, per_epoch)
        order = np.random.default_rng([seed, epoch, 1]).permutation(len(corpus))
        chosen = order[index * size : (index + 1) * size] if index < per_epoch - 1 else order[index * size :]
        yield number, [corpus[int(sentence)] for sentence in chosen]
        number += 1
