"""The parts of a draft's value: each is a named function, a preset is a list of weights (docs/beyond.md).

Parts of single words and of neighbours are standardised within the sentence. They are known for every draft once
they are known for the sentence; parts of the finished draft cost a look by a model at each draft.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ealm.common.goal_config import PartSettings
from ealm.goal_agent.potential import Floats, SentenceValues, standardized
from ealm.goal_agent.word_importance import Weigher, WordWeights
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.assessment import Similarity, log_probabilities
from ealm.paper.converter import Converter
from ealm.paper.edits import Action
from ealm.paper.source import Source
from ealm.text.detokenizer import is_mark
from ealm.text.protected_words import KINDS, protected_places
from ealm.text.word_lists import DETERMINERS, FUNCTION_WORDS, PREPOSITIONS
from ealm.text.words import join_words, straight_apostrophes

_BELOW_ALL = 1.0
"""A mark is worth this much less than the least word: it goes first."""

_ENDINGS = frozenset("'s n't 're 've 'll 'd 'm".split())
"""What a tokenizer may cut off the word before."""

_UNITS = frozenset("percent pct hundred thousand million billion trillion".split())
"""What says nothing without its number."""

_NEGATIONS = frozenset("not n't never".split())
"""Those that stand between an auxiliary and its verb; `protection.py` has all kinds."""

_FLUENCY_PASSES = 4
_FLUENT, _BROKEN = 4.0, -1.0
"""Mean log-odds of a word in its place that count as 1 and as 0; good prose has about the first."""


class SentenceJudge:
    """Works out what the words and neighbours of sentences are worth."""

    def __init__(self, parts: PartSettings, weigher: Weigher | None) -> None:
        """`weigher` may be None if neither meaning nor likeness has a weight."""
        self._parts = parts
        self._weigher = weigher

    def values(self, sentences: Sequence[Sequence[str]]) -> list[SentenceValues]:
        """Values of all sentences, with one question to the similarity model for all of them."""
        if self._weigher is None:
            zeros = [np.zeros(len(words), dtype=np.float32) for words in sentences]
            weights = [WordWeights(row, row) for row in zeros]
        else:
            weights = self._weigher.weigh(sentences)
        return [self._value(words, own) for words, own in zip(sentences, weights, strict=True)]

    def _value(self, words: Sequence[str], weights: WordWeights) -> SentenceValues:
        spoken = [not is_mark(word) for word in words]
        value = (
            self._parts.meaning * standardized(weights.meaning, spoken)
            + self._parts.likeness * standardized(weights.likeness, spoken)
            + self._parts.early * standardized(-np.arange(len(words), dtype=np.float32), spoken)
            + self._parts.protection * protection(words)
        )
        return with_rules(words, value, self._parts)


def protection(words: Sequence[str]) -> Floats:
    """1 for numbers, names and negations."""
    places = protected_places(words, list(KINDS))
    return np.asarray([place in places for place in range(len(words))], dtype=np.float32)


def with_rules(words: Sequence[str], worth: Floats, parts: PartSettings) -> SentenceValues:
    """From what words are worth by themselves to values of drafts: unbroken neighbours, words that lean on others.

    Marks are worth less than any word, and nothing as neighbours.
    """
    judged = np.asarray([not is_mark(word) for word in words], dtype=bool)
    values = worth.astype(np.float32)
    pairs = (parts.unbroken * (judged[1:] & judged[:-1])).astype(np.float32)
    plain = [straight_apostrophes(word).lower() for word in words]
    for leanings, weight in ((_leanings, parts.hanging), (_prepositions, parts.bare)):
        for place, other in leanings(plain) if weight else ():
            values[place] -= weight
            if 0 <= other < len(words) and judged[other]:
                pairs[min(place, other)] += weight
    least = values[judged].min() if judged.any() else 0.0
    return SentenceValues(np.where(judged, values, least - _BELOW_ALL).astype(np.float32), pairs, worth)


def _leanings(plain: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of words that make no sense without a neighbour, each with the place of that.

    Before an article or the like nothing leans: "in the valley" may become "in valley". A negation is no support, as it
    comes and goes with the word that it negates: "could not survive" becomes "not survive".
    """
    nobody = len(plain)
    for place, (before, word, following) in enumerate(zip(["", *plain], plain, [*plain[1:], ""], strict=False)):
        if (word in FUNCTION_WORDS and following not in DETERMINERS) or word == "'s":
            yield place, nobody if following in _NEGATIONS else place + 1
        if word in _ENDINGS or word == "of" or (word in _UNITS and before[-1:].isalnum()):
            yield place, place - 1


def _prepositions(plain: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of words behind a preposition, each with the place of that: "plans to cut" should not become "plans cut".

    An article between them may go and stay without consequence.
    """
    for place, (word, following) in enumerate(pairwise(plain)):
        if word in PREPOSITIONS and following not in FUNCTION_WORDS and not is_mark(following):
            yield place + 1, place


@dataclass(frozen=True, slots=True)
class FinishedDraft:
    """A sentence and what is left of it."""

    source: Source
    kept: tuple[int, ...]
    """Places of the words that are left, in rising order."""


class DraftJudge:
    """Judges finished drafts as a whole; free if no such part has a weight."""

    def __init__(
        self, parts: PartSettings, *, lm: MaskedLM, similarity: Similarity | None, converter: Converter, top_k: int
    ) -> None:
        self._parts = parts
        self._lm = lm
        self._similarity = similarity
        self._converter = converter
        self._top_k = top_k
        self._counts: Counter[int] = Counter()

    def learn_frequencies(self, counts: "Counter[int]") -> None:
        """How often each word of the language model occurs in the corpus: fluency is judged against it."""
        self._counts = counts

    def values(self, drafts: Sequence[FinishedDraft]) -> Floats:
        """The weighted sum of the parts of each draft."""
        total = np.zeros(len(drafts), dtype=np.float32)
        if not drafts:
            return total
        parts = self._parts
        if parts.similarity:
            total += parts.similarity * self._similarities(drafts)
        if parts.fluency or parts.joints:
            fluency, joints = self._fluencies(drafts)
            total += parts.fluency * fluency + parts.joints * joints
        if parts.reconstruction:
            total += parts.reconstruction * self._reconstruction_rates(drafts)
        return total

    def _similarities(self, drafts: Sequence[FinishedDraft]) -> Floats:
        assert self._similarity is not None
        sources = [join_words(draft.source.words) for draft in drafts]
        texts = [join_words([draft.source.words[place] for place in draft.kept]) for draft in drafts]
        return np.asarray(self._similarity(sources, texts), dtype=np.float32)

    def _fluencies(self, drafts: Sequence[FinishedDraft]) -> tuple[Floats, Floats]:
        """Mean log-odds of the words in their places, of all and at the joints alone, as shares of what is fluent."""
        rows = [[draft.source.ids[place] for place in draft.kept] for draft in drafts]
        fluency, joints = [], []
        for draft, row, known in zip(
            drafts, rows, log_probabilities(self._lm, rows, passes=_FLUENCY_PASSES), strict=True
        ):
            odds = {place: value - self._log_frequency(row[place]) for place, value in known.items()}
            at_joints = [odds[place] for place in _beside_joints(draft.kept) if place in odds]
            fluency.append(float(np.mean(list(odds.values()))) if odds else _BROKEN)
            joints.append(float(np.mean(at_joints)) if at_joints else _FLUENT)
        return _share(fluency), _share(joints)

    def _log_frequency(self, word: int) -> float:
        """log P(word) in the corpus; a word that is not there counts as half an occurrence."""
        return math.log((self._counts[word] or 0.5) / max(1, self._counts.total()))

    def _reconstruction_rates(self, drafts: Sequence[FinishedDraft]) -> Floats:
        """Share of the counted words that are kept or recovered when all holes are filled at once."""
        rates = []
        for draft in drafts:
            left, counted = set(draft.kept), draft.source.counted
            actions = tuple(Action.KEEP if place in left else Action.REMOVE for place in range(len(counted)))
            (ranks,) = self._converter.estimate_ranks(draft.source.ids, [actions])
            recovered = sum(counts and rank < self._top_k for rank, counts in zip(ranks, counted, strict=True))
            rates.append(recovered / sum(counted) if any(counted) else 1.0)
        return np.asarray(rates, dtype=np.float32)


def _beside_joints(kept: Sequence[int]) -> list[int]:
    """Places in the draft of words whose neighbour in the source is gone."""
    found = set()
    for place, (before, after) in enumerate(pairwise(kept)):
        if after != before + 1:
            found |= {place, place + 1}
    return sorted(found)


def _share(values: Sequence[float]) -> Floats:
    shares: Floats = ((np.asarray(values) - _BROKEN) / (_FLUENT - _BROKEN)).clip(0, 1).astype(np.float32)
    return shares
