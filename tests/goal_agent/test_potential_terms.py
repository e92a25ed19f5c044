"""The terms of the potential: word scores, adjacency, dangling function words, missing prepositions."""

import numpy as np
import pytest
from importance import SENTENCE, WEIGHT, weighted_overlap

from ealm.common.goal_config import PotentialSettings
from ealm.goal_agent.potential import standardized
from ealm.goal_agent.potential_terms import PotentialModel, sentence_potential
from ealm.goal_agent.word_importance import ImportanceModel

DANGLING = PotentialSettings(adjacency=1, dangling_function_word=3)
PREPOSITIONS = PotentialSettings(adjacency=1, missing_preposition=2)


def test_word_scores_are_the_weighted_sum_of_the_terms_and_punctuation_is_below_all_words() -> None:
    terms = PotentialSettings(leave_one_out_similarity=2.0, word_similarity=1.0, adjacency=0.25)
    (potential,) = PotentialModel(terms, ImportanceModel(weighted_overlap)).potentials([SENTENCE])
    is_word = [True, False, True, True]
    expected = 3 * standardized([WEIGHT[word] for word in SENTENCE], is_word)
    assert potential.word_scores == pytest.approx(expected, abs=1e-5)
    assert potential.unary[[0, 2, 3]] == pytest.approx(expected[[0, 2, 3]], abs=1e-5)
    assert potential.unary[1] == potential.unary[[0, 2, 3]].min() - 1
    assert potential.pairwise.tolist() == [0, 0, 0.25]  # punctuation is no neighbour


def test_without_a_weight_for_similarity_nothing_is_measured() -> None:
    terms = PotentialSettings(leave_one_out_similarity=0, adjacency=1)
    (potential,) = PotentialModel(terms, None).potentials([("Rome", "fell")])
    assert potential.unary.tolist() == [0, 0]
    assert potential.pairwise.tolist() == [1]


def test_a_function_word_without_the_neighbour_it_needs_is_penalized() -> None:
    words = ["ferry", "of", "larkmouth", "'s", "council", "'s", "on", "."]
    scores = np.ones(len(words), np.float32)
    plain = sentence_potential(words, scores, PotentialSettings(adjacency=1))
    dangling = sentence_potential(words, scores, DANGLING)

    def loss(*kept: int) -> float:
        row = np.array([index in kept for index in range(len(words))])
        return float(plain.value(row) - dangling.value(row))

    assert loss(0, 2, 4) == 0  # nothing dangles
    assert loss(0, 1, 2) == 0  # "of" has what follows it
    assert loss(0, 1) == 3  # and here it has not
    assert loss(2, 3, 4) == 0  # "'s" has both of its sides
    assert loss(3, 4) == loss(2, 3) == 3
    assert loss(3) == 6
    assert loss(6) == 3  # punctuation is no support
    assert dangling.word_scores.tolist() == [1.0] * 8  # a rule, nothing to learn
    before_article = sentence_potential(["bridges", "in", "the", "valley"], scores[:4], DANGLING)
    assert before_article.unary.tolist() == [1, 1, -2, 1]
    assert before_article.pairwise.tolist() == [1, 1, 4]
    negated = sentence_potential(["piers", "could", "not", "survive"], scores[:4], DANGLING)
    assert negated.unary.tolist() == [1, -2, 1, 1]
    assert negated.pairwise.tolist() == [1, 1, 1]
    assert dangling.unary[7] < dangling.unary[:7].min()


def test_a_word_without_its_preposition_is_penalized() -> None:
    words = ["plans", "to", "cut", "the", "jobs"]
    scores = np.ones(5, np.float32)
    bare = sentence_potential(words, scores, PREPOSITIONS)
    assert bare.unary.tolist() == [1, 1, -1, 1, 1]
    assert bare.pairwise.tolist() == [1, 3, 1, 1]
    after_article = sentence_potential(["in", "the", "valley"], scores[:3], PREPOSITIONS)
    assert after_article.unary.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("words", "unary", "pairwise"),
    [
        (["bank", "of", "Tovaria"], [1, -5, 1], [4, 4]),  # needs both sides
        (["7.4", "percent", "lower"], [1, -2, 1], [4, 1]),
        (["a", "percent"], [-2, -2], [7]),
    ],
)
def test_words_that_need_the_word_before_them(words: list[str], unary: list[float], pairwise: list[float]) -> None:
    found = sentence_potential(words, np.ones(len(words), np.float32), DANGLING)
    assert found.unary.tolist() == unary
    assert found.pairwise.tolist() == pairwise
