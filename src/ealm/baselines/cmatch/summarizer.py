"""CMatch as it is used: from texts to summaries."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

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
        self._inputs = nn.functional.normalize(contextual.embedding.weight.detach(), dim=-1)
        self._outputs = nn.functional.normalize(fluency.output_words.weight.detach(), dim=-1)
        bias = fluency.output_words.bias.detach()  # in a fitted model, nearly the logarithm of the frequency
        self._neighbours: dict[int, tuple[list[int], list[int]]] = {}
        """Of each word that was asked for, the nearest by the encoder's input and by the fluency model's output."""
        self._frequent = set(bias.topk(min(settings.frequent_words, len(bias))).indices.tolist())

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
        candidates = [candidates_of(sources[number], self._vocabulary, self._near) for number in asked]
        summaries = [""] * len(texts)
        sizes = [len(each.numbers) for each in candidates]
        for group in rows_by_length(sizes, max(1, _ROWS_TOGETHER // self.settings.beam)):
            for row, summary in zip(group, self._best([candidates[row] for row in group], words), strict=True):
                summaries[asked[row]] = join_words(sources[asked[row]] if summary is None else summary)
        return summaries

    def _best(self, sources: Sequence[Candidates], words: int | None) -> list[list[str] | None]:
        """The words of each summary, or None where no summary of a word or more comes to the source's end."""
        batch = SearchBatch.of(sources, self._outputs)
        if words is None:
            ended = [each for each, _ in self._search.run(batch, self.settings.max_words + 1)]
            chosen = [choose_length(ended, row, offset=self.settings.length_offset) for row in range(len(sources))]
        else:
            going_on = [each for _, each in self._search.run(batch.without_end(), words)]
            chosen = [take_longest(going_on, row) for row in range(len(sources))]
        return [
            [source.written[word] for word in numbers] if numbers else None
            for source, numbers in zip(sources, chosen, strict=True)
        ]

    def _near(self, numbers: Sequence[int]) -> Collection[int]:
        """Words near to some by the encoder's word embeddings, without those that only stand in like places."""
        self._look_up(sorted(set(numbers) - self._neighbours.keys()))
        near = dict.fromkeys(other for number in numbers for other in self._neighbours[number][0])
        alike = {other for number in numbers for other in self._neighbours[number][1]}
        return [number for number in near if number in self._frequent or number not in alike]

    def _look_up(self, new: Sequence[int]) -> None:
        """Find the nearest words of some by both kinds of embeddings."""
        chosen = torch.tensor(new, dtype=torch.long)
        both = [
            nearest_words(units, chosen, count=count, first=FIRST_WORD).tolist()
            for units, count in (
                (self._inputs, self.settings.candidates_per_word - 1),
                (self._outputs, self.settings.screened_words),
            )
        ]
        self._neighbours.update(zip(new, zip(*both, strict=True), strict=True))


def _words(text: str, *, pretokenized: bool) -> tuple[str, ...]:
    words = split_words(text) if pretokenized else tuple(token.text for token in tokenize(text))
    return words[:-1] if words[-1:] == (".",) and len(words) > 1 else words
