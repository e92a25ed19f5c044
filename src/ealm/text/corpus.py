"""Training corpora: one sentence a line, UTF-8."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, Any

import numpy as np

from ealm.common.config import DataSettings
from ealm.common.errors import CorpusError
from ealm.common.identity import text_fingerprint
from ealm.text.tokenizer import tokenize
from ealm.text.words import decode_lines, split_words

Sentence = tuple[str, ...]

LONGEST_LINE = 1 << 24
"""Bytes of a line; no sentence is longer."""


@dataclass(frozen=True, slots=True)
class SkippedLines:
    """Lines of a corpus that nothing can be learned from."""

    blank: int = 0
    one_word: int = 0
    too_long: int = 0
    max_words: int = 0
    """What is too long: the least of what the settings and the language model allow."""

    def __str__(self) -> str:
        counts = (
            (self.blank, "blank"),
            (self.one_word, "of one word"),
            (self.too_long, f"of more than {self.max_words} words"),
        )
        return ", ".join(f"{count:,} {kind}" for count, kind in counts if count)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sentences to learn from."""

    sentences: tuple[Sentence, ...]
    skipped: SkippedLines
    available: int
    """Usable sentences in the file; more than `sentences` if they were sampled down."""
    held_out: tuple[Sentence, ...] = ()
    """Sentences that are not learned from."""

    @property
    def description(self) -> str:
        """How many sentences there are, and what was left out."""
        used = len(self.sentences)
        left = self.available - len(self.held_out)
        sampled = f", sampled from {left:,} (data.max_sentences)" if left > used else ""
        held_out = f", {len(self.held_out):,} more held out" if self.held_out else ""
        skipped = f"; skipped lines: {self.skipped}" if str(self.skipped) else ""
        return f"{used:,} sentences{sampled}{held_out}{skipped}"

    @property
    def fingerprint(self) -> str:
        """Tells whether a run is resumed on the sentences it was started on."""
        return text_fingerprint(map(" ".join, self.sentences))


def read_corpus(path: Path, *, settings: DataSettings, longest: int, seed: int, held_out: int = 0) -> Corpus:
    """Read a corpus; `longest` is what the language model can take, whatever the settings allow.

    So many sentences are `held_out`, but at most a tenth: the same ones for every seed, spread over the file.
    """
    max_words = min(settings.max_words, longest)
    sentences: list[Sentence] = []
    blank = one_word = too_long = 0
    for line in read_lines(path):
        words = split_words(line) if settings.pretokenized else tuple(token.text for token in tokenize(line))
        if not words:
            blank += 1
        elif len(words) == 1:
            one_word += 1
        elif len(words) > max_words:
            too_long += 1
        else:
            sentences.append(words)
    skipped = SkippedLines(blank, one_word, too_long, max_words)
    if not sentences:
        raise CorpusError(_nothing_usable(path, skipped, max_words))
    available = len(sentences)
    sentences, kept_back = _split(sentences, min(held_out, available // 10))
    if settings.max_sentences is not None and len(sentences) > settings.max_sentences:
        chosen = np.random.default_rng(seed).choice(len(sentences), size=settings.max_sentences, replace=False)
        sentences = [sentences[index] for index in sorted(chosen)]
    return Corpus(tuple(sentences), skipped, available, tuple(kept_back))


def _split(sentences: list[Sentence], held_out: int) -> tuple[list[Sentence], list[Sentence]]:
    """Sentences to learn from, and every n-th one, held out."""
    if not held_out:
        return sentences, []
    apart = {number * len(sentences) // held_out for number in range(held_out)}
    rest = [sentence for number, sentence in enumerate(sentences) if number not in apart]
    return rest, [sentences[number] for number in sorted(apart)]


def _nothing_usable(path: Path, skipped: SkippedLines, max_words: int) -> str:
    if not str(skipped):
        return f"{path} is empty. A corpus has one sentence a line."
    return f"{path} has no sentence of 2 to {max_words} words (lines: {skipped}). A corpus has one sentence a line."


_OPENERS: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}


def read_lines(path: Path) -> Iterator[str]:
    """Lines of a UTF-8 file, which may be compressed (.xz, .gz, .bz2)."""
    try:
        with _OPENERS.get(path.suffix, open)(path, "rb") as file:
            yield from decode_lines(_lines(file, path), str(path))
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(f"Cannot read {path}: {getattr(error, 'strerror', None) or error}.") from error


def _lines(file: IO[bytes], path: Path) -> Iterator[bytes]:
    """Lines that fit into memory: a few compressed bytes may hold one of any length."""
    for number in count(1):
        line = file.readline(LONGEST_LINE)
        if not line:
            return
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            raise CorpusError(
                f"{path}, line {number}: longer than {LONGEST_LINE:,} bytes. A corpus has one sentence a line."
            )
        yield line


class VisitOrder:
    """Which sentence each walk of a training run takes: every epoch all of them once, newly shuffled."""

    def __init__(self, sentences: int, seed: int) -> None:
        self._sentences = sentences
        self._seed = seed
        self._epoch = -1
        self._order: list[int] = []

    def sentence(self, visit: int) -> int:
        """Number of the sentence for a walk; depends on nothing but the seed."""
        epoch, index = divmod(visit, self._sentences)
        if epoch != self._epoch:
            shuffled = np.random.default_rng([self._seed, epoch]).permutation(self._sentences)
            self._epoch, self._order = epoch, shuffled.tolist()
        return self._order[index]
