"""The terms of the potential. Each has a weight; a preset is a list of weights (docs/goal-agent.md).

Terms of single words are standardized within the sentence and add up to word scores. Rules about neighbours
(adjacency, dangling function words, missing prepositions) then make the potential of a sentence.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pkgutil import resolve_name

import numpy as np

from ealm.common.goal_config import PotentialSettings
from ealm.goal_agent.potential import Floats, SentencePotential, standardized
from ealm.goal_agent.word_importance import ImportanceModel, WordImportance
from ealm.text.detokenizer import is_punctuation
from ealm.text.word_lists import CLITICS, DETERMINERS, FUNCTION_WORDS, NUMBER_UNITS, PREPOSITIONS, VERB_NEGATIONS
from ealm.text.words import straight_apostrophes

_BELOW_ALL_WORDS = 1.0
"""Punctuation has this much less value than the least word, so it is removed first."""


class PotentialModel:
    """Computes the potentials of sentences."""

    def __init__(self, settings: PotentialSettings, importance: ImportanceModel | None) -> None:
        """`importance` may be None if no term is measured by the similarity model."""
        self._settings = settings
        self._importance = importance
        self._terms = [(resolve_name(f"ealm.goal_agent.{name}"), weight) for name, weight in settings.word_terms]

    def potentials(self, sentences: Sequence[Sequence[str]]) -> list[SentencePotential]:
        """Potentials of all sentences, with one call of the similarity model for all of them."""
        if self._importance is None:
            zeros = [np.zeros(len(words), dtype=np.float32) for words in sentences]
            measured = [WordImportance(row, row) for row in zeros]
        else:
            measured = self._importance.measure(sentences)
        return [self._potential(words, own) for words, own in zip(sentences, measured, strict=True)]

    def _potential(self, words: Sequence[str], importance: WordImportance) -> SentencePotential:
        is_word = [not is_punctuation(word) for word in words]
        settings = self._settings
        scores = settings.leave_one_out_similarity * standardized(importance.leave_one_out_similarity, is_word)
        scores = scores + settings.word_similarity * standardized(importance.word_similarity, is_word)
        for term, weight in self._terms:
            scores = scores + weight * standardized(term(words), is_word)
        return sentence_potential(words, scores, settings)


def sentence_potential(words: Sequence[str], word_scores: Floats, settings: PotentialSettings) -> SentencePotential:
    """Add the rules about neighbours to the scores of single words.

    Punctuation has less value than any word, and none as a neighbour.
    """
    is_word = np.asarray([not is_punctuation(word) for word in words], dtype=bool)
    unary = word_scores.astype(np.float32)
    pairs = (settings.adjacency * (is_word[1:] & is_word[:-1])).astype(np.float32)
    plain = [straight_apostrophes(word).lower() for word in words]
    rules = (
        (_dangling_function_words, settings.dangling_function_word),
        (_missing_prepositions, settings.missing_preposition),
    )
    for dependencies, penalty in rules:
        for index, needed in dependencies(plain) if penalty else ():
            unary[index] -= penalty
            if 0 <= needed < len(words) and is_word[needed]:
                pairs[min(index, needed)] += penalty
    least = unary[is_word].min() if is_word.any() else 0.0
    return SentencePotential(np.where(is_word, unary, least - _BELOW_ALL_WORDS).astype(np.float32), pairs, word_scores)


def _dangling_function_words(plain: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Indices of words that make no sense without a neighbour, each with the index of that neighbour.

    A word before a determiner needs no neighbour: "in the valley" may become "in valley". A negation is no support,
    as it is kept and removed with the word that it negates: "could not survive" becomes "not survive".
    """
    nobody = len(plain)
    for index, (before, word, following) in enumerate(zip(["", *plain], plain, [*plain[1:], ""], strict=False)):
        if (word in FUNCTION_WORDS and following not in DETERMINERS) or word == "'s":
            yield index, nobody if following in VERB_NEGATIONS else index + 1
        if word in CLITICS or word == "of" or (word in NUMBER_UNITS and before[-1:].isalnum()):
            yield index, index - 1


def _missing_prepositions(plain: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Indices of words behind a preposition, each with the index of the preposition.

    "plans to cut" should not become "plans cut". Words behind a preposition and a determiner need neither.
    """
    for index, (word, following) in enumerate(pairwise(plain)):
        if word in PREPOSITIONS and following not in FUNCTION_WORDS and not is_punctuation(following):
            yield index + 1, index
