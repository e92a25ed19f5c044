"""Texts cut into sentences, and put together again with what lay between them."""

from dataclasses import dataclass, replace
from itertools import accumulate

import regex
from sentencex import segment

from ealm.text.tokenizer import Token, tokenize
from ealm.text.words import join_words, split_words

LONGEST_SENTENCE = 120
"""Words; what goes on for longer without an end is cut there, so that any text can be taken."""

_BREAK = regex.compile(r"\s*\n\s*")
_WIDE_SPACE = regex.compile(r"[^\S ]|[\x1c-\x1f]")
_LIST_NUMBER = regex.compile(r"\s*\(?\d{1,3}[.)]\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of a text with its words; `gap` is the white space that follows it there."""

    text: str
    tokens: tuple[Token, ...]
    gap: str = ""
    pretokenized: bool = False
    """Whether white space alone separates its words, and separates them in the summary too."""
    continued: bool = False
    """Whether it goes on with the sentence before it, which was too long."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words as they are written."""
        return tuple(token.text for token in self.tokens)


def pretokenized_sentence(text: str) -> Sentence:
    """A line of a corpus that was cut into words before."""
    tokens = []
    start = 0
    for word in split_words(text):
        tokens.append(Token(word, start, start + len(word)))
        start += len(word) + 1
    return Sentence(join_words(token.text for token in tokens), tuple(tokens), pretokenized=True)


def split_sentences(text: str, *, longest: int = LONGEST_SENTENCE) -> list[Sentence]:
    """Sentences in order: their texts and gaps, one after the other, are the text without its outer white space.

    What has more than `longest` words is cut into pieces.
    """
    sentences: list[Sentence] = []
    for paragraph, gap in _paragraphs(text.strip()):
        for stretch in _stretches(paragraph):
            inner = stretch.strip()
            start = stretch.index(inner) if inner else len(stretch)
            _add_gap(sentences, stretch[:start])
            sentences += _pieces(inner, longest)
            _add_gap(sentences, stretch[start + len(inner) :])
        _add_gap(sentences, gap)
    return sentences


def _add_gap(sentences: list[Sentence], space: str) -> None:
    if sentences and space:
        sentences[-1] = replace(sentences[-1], gap=sentences[-1].gap + space)


def _paragraphs(text: str) -> list[tuple[str, str]]:
    """Lines with the white space after each: a line break always ends a sentence."""
    starts = [0, *(match.end() for match in _BREAK.finditer(text))]
    ends = [*(match.start() for match in _BREAK.finditer(text)), len(text)]
    following = [*starts[1:], len(text)]
    return [(text[start:end], text[end:after]) for start, end, after in zip(starts, ends, following, strict=True)]


def _stretches(paragraph: str) -> list[str]:
    """The sentences of a paragraph with the white space after each."""
    plain = _WIDE_SPACE.sub(" ", paragraph)  # the library stumbles over rare kinds of white space
    lengths = [len(stretch) for stretch in segment("en", plain)]
    if sum(lengths) != len(paragraph):  # it has lost something: better one long sentence than that
        return [paragraph]
    stretches: list[str] = []
    for end, length in zip(accumulate(lengths), lengths, strict=True):
        stretch = paragraph[end - length : end]
        if stretches and _LIST_NUMBER.fullmatch(stretches[-1]):  # a number belongs to what it numbers
            stretches[-1] += stretch
        else:
            stretches.append(stretch)
    return stretches


def _pieces(text: str, longest: int) -> list[Sentence]:
    """The text as one sentence, or as several if it is longer than any sentence should be."""
    tokens = tokenize(text)
    pieces = []
    for first in range(0, len(tokens), longest):
        own, following = tokens[first : first + longest], tokens[first + longest : first + longest + 1]
        start, end = own[0].start, own[-1].end
        placed = tuple(Token(token.text, token.start - start, token.end - start) for token in own)
        gap = text[end : following[0].start] if following else ""
        pieces.append(Sentence(text[start:end], placed, gap, continued=first > 0))
    return pieces
