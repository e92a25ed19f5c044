"""Summaries by a trained SEQ3."""

from collections.abc import Sequence
from pathlib import Path

import torch

from ealm.baselines.seq3.batches import Batch
from ealm.baselines.seq3.folder import SavedSeq3, Variant
from ealm.baselines.seq3.model import Seq3
from ealm.baselines.seq3.vocabulary import Vocabulary
from ealm.common.errors import TextError
from ealm.lm.batching import rows_by_length
from ealm.summarize.options import SummarizeOptions
from ealm.text.tokenizer import tokenize
from ealm.text.words import join_words, split_words

_BATCH_WORDS = 2_048
"""Words of the sources that are worked on together, padding included."""


class Seq3Summarizer:
    """Shortens sentences word by word, each time with the most probable word."""

    def __init__(self, model: Seq3, vocabulary: Vocabulary) -> None:
        self._model = model
        self._vocabulary = vocabulary

    @classmethod
    def load(cls, folder: Path, *, variant: Variant = "last") -> "Seq3Summarizer":
        """Read a folder; `last` is SEQ3- (no validation set), `best` is SEQ3+ (best on the validation set)."""
        saved = SavedSeq3.load(folder, variant=variant)
        return cls(saved.build(), saved.vocabulary)

    @classmethod
    def load_best(cls, folder: Path) -> "Seq3Summarizer":
        """SEQ3+ of a folder."""
        return cls.load(folder, variant="best")

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:
        """Summaries in the order of the texts, of at most `words` words, or else of a share of each text's.

        A summary is no longer than its text, and empty only if its text is.
        """
        if isinstance(texts, str):
            raise TextError("texts must be a list of texts, got one text. Put it into a list: [text]")
        SummarizeOptions(words=words)  # says what is wrong with it
        sources = [_words(text, pretokenized=pretokenized) for text in texts]
        encoded = [self._vocabulary.encode(source) for source in sources]
        summaries = [""] * len(sources)
        filled = [number for number, source in enumerate(sources) if source]
        for group in rows_by_length([len(sources[number]) for number in filled], _BATCH_WORDS):
            rows = [filled[index] for index in group]
            batch = Batch.of([encoded[row] for row in rows])
            targets = torch.tensor([self._target(len(sources[row]), words) for row in rows])
            for row, ids in zip(rows, self._model.summaries(batch, targets), strict=True):
                summaries[row] = join_words(self._vocabulary.decode(ids, encoded[row].unknown))
        return summaries

    def _target(self, length: int, words: int | None) -> int:
        if words is not None:
            return min(words, length)
        return max(1, int(self._model.settings.inference_ratio * length + 0.5))


def _words(text: str, *, pretokenized: bool) -> tuple[str, ...]:
    if pretokenized:
        return split_words(text)
    # A token may hold white space (an HTML tag), a word of the summary may not: it would count as several.
    return tuple(word for token in tokenize(text) for word in split_words(token.text))
