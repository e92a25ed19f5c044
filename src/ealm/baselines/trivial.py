"""Summaries that need no training: the first words (Lead, section 5), and the source without its stop words."""

from collections.abc import Sequence
from dataclasses import dataclass

from ealm.text.lengths import measure
from ealm.text.sentences import split_sentences
from ealm.text.tokenizer import spaced
from ealm.text.word_lists import DELETED_WORDS
from ealm.text.words import join_words, split_words


def lead_words(sentence: str, size: int) -> str:
    """The first words of a sentence (Lead-N)."""
    return join_words(split_words(sentence)[:size])


def lead_bytes(sentence: str, size: int) -> str:
    """The first words of a sentence, as many as fit whole into a number of bytes."""
    words = split_words(sentence)
    fitting = 0
    while fitting < len(words) and measure(join_words(words[: fitting + 1]), "bytes") <= size:
        fitting += 1
    return join_words(words[:fitting])


def lead_sentences(text: str, size: int) -> str:
    """The first sentences of a text, as many as fit whole into a number of words; if none does, its first words."""
    kept: list[str] = []
    for sentence in split_sentences(text, unwrap=True):
        words = split_words(sentence.text)
        if len(kept) + len(words) > size:
            break
        kept += words
    return join_words(kept) or lead_words(text, size)


def without_stop_words(sentence: str, max_words: int | None = None) -> str:
    """A sentence without its stop words, whatever their case; of what is left the first words if there is a limit."""
    kept = [word for word in split_words(sentence) if word.lower() not in DELETED_WORDS]
    return join_words(kept[:max_words])


@dataclass(frozen=True, slots=True)
class LeadWords:
    """Lead-N as a summarizer."""

    size: int

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:  # noqa: ARG002 - white space separates words either way
        """The first words of each text, never more than asked for."""
        size = self.size if words is None else min(self.size, words)
        return [lead_words(text, size) for text in texts]


@dataclass(frozen=True, slots=True)
class LeadBytes:
    """Lead-bytes as a summarizer."""

    size: int

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:  # noqa: ARG002 - white space separates words either way
        """The first words that fit into the bytes."""
        fitting = [lead_bytes(text, self.size) for text in texts]
        return fitting if words is None else [lead_words(text, words) for text in fitting]


@dataclass(frozen=True, slots=True)
class StopWordDeletion:
    """Stop-word deletion as a summarizer."""

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:
        """Each text without its stop words; the text itself if it has no other words."""
        sentences = texts if pretokenized else list(map(spaced, texts))
        return [without_stop_words(text, words) or lead_words(text, words or len(text)) for text in sentences]


@dataclass(frozen=True, slots=True)
class LeadSentences:
    """The beginning of a longer text as a summarizer."""

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:  # noqa: ARG002 - sentences stay as they are
        """The first sentences that fit whole; the text without a limit."""
        return [lead_sentences(text, len(text) if words is None else words) for text in texts]
