"""Whole sentences of a longer text, chosen by the rankings of the sumy library: LexRank, LSA and TextRank."""

from collections.abc import Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from ealm.baselines.trivial import lead_words
from ealm.common.extras import needs_extra
from ealm.text.sentences import split_sentences
from ealm.text.words import join_words, split_words


def lexrank() -> "SentenceRanking":
    """Sentences like many others, by cosines."""
    return SentenceRanking.of("lex_rank:LexRankSummarizer")


def lsa() -> "SentenceRanking":
    """Sentences that stand for the topics of a text."""
    return SentenceRanking.of("lsa:LsaSummarizer")


def textrank() -> "SentenceRanking":
    """Sentences that share words with many others."""
    return SentenceRanking.of("text_rank:TextRankSummarizer")


@dataclass(frozen=True, slots=True)
class SentenceRanking:
    """A summarizer of sumy with its stemmer and stop words of English."""

    ranking: Any

    @classmethod
    def of(cls, name: str) -> "SentenceRanking":
        """By its module and class."""
        with needs_extra("sumy", "Ranking sentences"):
            from sumy.nlp.stemmers import Stemmer
            from sumy.utils import get_stop_words

            ranking = resolve_name(f"sumy.summarizers.{name}")(Stemmer("english"))
        ranking.stop_words = get_stop_words("english")
        return cls(ranking)

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:  # noqa: ARG002 - sentences stay as they are
        """The best sentences that fit, in their order; if none fits, the first words of the text."""
        return [self._summarize(text, words) for text in texts]

    def _summarize(self, text: str, words: int | None) -> str:
        from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence

        sentences = [Sentence(sentence.text, _Words()) for sentence in split_sentences(text, unwrap=True)]
        chosen = self.ranking(ObjectDocumentModel([Paragraph(sentences)]), _Fitting(words))
        summary = join_words(split_words(" ".join(map(str, chosen))))
        return summary or lead_words(text, len(text) if words is None else words)


class _Words:
    """What sumy asks for the words of a sentence: its own splitter would fetch a model."""

    def to_words(self, sentence: str) -> tuple[str, ...]:
        """Words without the marks around them."""
        bare = (word.strip("\"'“”‘’.,;:!?()[]") for word in split_words(sentence))
        return tuple(word for word in bare if word)


@dataclass(frozen=True, slots=True)
class _Fitting:
    """What sumy asks for the number of sentences: of the ranked ones, each that still fits."""

    words: int | None

    def __call__(self, ranked: Sequence[Any]) -> list[Any]:
        chosen, left = [], self.words
        for info in ranked:
            size = len(split_words(str(info.sentence)))
            if left is None or size <= left:
                chosen.append(info)
                left = None if left is None else left - size
        return chosen
