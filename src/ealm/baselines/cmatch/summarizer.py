"""CMatch as it is used: from texts to summaries."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from ealm.baselines.cmatch.candidates import Candidates, candidates_of
from ealm.baselines.cmatch.causal_lm import CausalLM
from ealm.baselines.cmatch.folder import PARTS, Description, load_model, load_vocabulary
from ealm.baselines.cmatch.matching import nearest_words
from ealm.baselines.cmatch.search import BeamSearch, SearchBatch, choose_length, take_longest
from ealm.baselines.cmatch.settings import SEARCH_SETTINGS, CMatchSettings
from ealm.baselines.cmatch.vocabulary import FIRST_WORD, Vocabulary
from ealm.common.errors import SettingsError
from ealm.lm.batching import rows_by_length
from ealm.text.tokenizer import tokenize
from ealm.text.words import join_words, split_words

_ROWS_TOGETHER = 6_000
"""Beams times candidates that are worked on at once."""
_WORDS_TOGETHER = 256


class CMatchSummarizer:
    """Writes summaries with two fitted language models."""

    def __init__(
        self, vocabulary: Vocabulary, contextual: CausalLM, fluency: CausalLM, settings: CMatchSettings
    ) -> None:
        self.settings = settings
        self._vocabulary = vocabulary
        self._contextual = contextual.eval()
        self._fluency = fluency.eval()
        self._search = BeamSearch(self._contextual, self._fluency, settings)
        self._near: dict[int, tuple[int, ...]] = {}
        """For each word that was asked for, its nearest words, itself first."""

    @classmethod
    def load(cls, folder: Path) -> "CMatchSummarizer":
        """Read what `train_cmatch` wrote."""
        settings = Description.load(folder).settings
        vocabulary = load_vocabulary(folder)
        models = {part: load_model(folder, part, len(vocabulary), settings) for part in PARTS}
        return cls(vocabulary, models["contextual"], models["fluency"], settings)

    def with_search(self, **changes: Any) -> "CMatchSummarizer":
        """The same models with other settings of the search."""
        fixed = sorted(changes.keys() - SEARCH_SETTINGS)
        if fixed:
            raise SettingsError(f"{fixed[0]} is no setting of the search. Those are: {', '.join(SEARCH_SETTINGS)}.")
        return CMatchSummarizer(self._vocabulary, self._contextual, self._fluency, replace(self.settings, **changes))

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:
        """A summary for each text, in order.

        With `words` each summary has so many words, or fewer where the source cannot be aligned any further; without,
        the length is chosen by the score. Only a text without words has an empty summary.
        """
        if words is not None and words < 1:
            raise SettingsError(f"words must be at least 1, got {words}.")
        sources = [_words(text, pretokenized=pretokenized)[: self.settings.max_source_words] for text in texts]
        asked = [number for number, source in enumerate(sources) if source]
        self._look_up({self._vocabulary.number(word) for number in asked for word in sources[number]})
        candidates = [candidates_of(sources[number], self._vocabulary, self._alternatives) for number in asked]
        self._look_up({number for each in candidates for number in each.numbers})
        summaries = [""] * len(texts)
        sizes = [len(each.numbers) for each in candidates]
        for group in rows_by_length(sizes, max(1, _ROWS_TOGETHER // self.settings.beam)):
            for row, summary in zip(group, self._best([candidates[row] for row in group], words), strict=True):
                summaries[asked[row]] = summary
        return summaries

    def _best(self, sources: Sequence[Candidates], words: int | None) -> list[str]:
        settings = self.settings
        clusters = [[self._near[number][: settings.smoothing_words] for number in each.numbers] for each in sources]
        finished = self._search.finished(SearchBatch.of(sources, clusters), words or settings.max_words)
        summaries = []
        for row, source in enumerate(sources):
            if words is None:
                chosen = choose_length(finished, row, exponent=settings.length_exponent)
            else:
                chosen = take_longest(finished, row)
            summaries.append(join_words(source.written[word] for word in chosen))
        return summaries

    def _alternatives(self, numbers: Sequence[int]) -> list[tuple[int, ...]]:
        return [self._near[number][: self.settings.candidates_per_word] for number in numbers]

    @torch.no_grad()
    def _look_up(self, numbers: set[int]) -> None:
        """Find the nearest words of words that were not asked for before."""
        count = max(self.settings.candidates_per_word, self.settings.smoothing_words)
        new = sorted(numbers - self._near.keys())
        for start in range(0, len(new), _WORDS_TOGETHER):
            some = new[start : start + _WORDS_TOGETHER]
            found = nearest_words(self._fluency.embedding.weight, torch.tensor(some), count=count, first=FIRST_WORD)
            self._near.update(zip(some, map(tuple, found.tolist()), strict=True))


def _words(text: str, *, pretokenized: bool) -> tuple[str, ...]:
    return split_words(text) if pretokenized else tuple(token.text for token in tokenize(text))
