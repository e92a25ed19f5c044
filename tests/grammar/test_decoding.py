from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ealm.grammar.neural.decoding import best_tree
from ealm.grammar.protocol import NO_HEAD, is_tree


def score(heads: tuple[int, ...], scores: np.ndarray) -> float:
    return float(sum(scores[word, head + 1] for word, head in enumerate(heads)))


def best_by_trying_all(scores: np.ndarray) -> float:
    words = len(scores)
    return max(score(heads, scores) for heads in product(range(NO_HEAD, words), repeat=words) if is_tree(heads))


square = st.integers(1, 12).flatmap(
    lambda words: arrays(np.float64, (words, words + 1), elements=st.floats(-20, 20, width=32))
)
small = st.integers(1, 5).flatmap(lambda words: arrays(np.float64, (words, words + 1), elements=st.integers(-9, 9)))


@given(square)
def test_any_scores_give_a_tree_with_one_root(scores: np.ndarray) -> None:
    heads = best_tree(scores)
    assert len(heads) == len(scores)
    assert is_tree(heads)


@given(small)
def test_no_tree_is_better(scores: np.ndarray) -> None:
    assert score(best_tree(scores), scores) == best_by_trying_all(scores)


def test_a_tree_of_best_heads_is_taken_as_it_is() -> None:
    scores = np.array([[0.0, 0, 5, 0], [9, 0, 0, 0], [0, 0, 5, 0]])
    assert best_tree(scores) == (1, NO_HEAD, 1)


def test_a_loop_is_broken_where_it_costs_least() -> None:
    # Words 0 and 1 prefer each other; entering by word 1 costs 1, by word 0 costs 4.
    scores = np.array([[6.0, 0, 10], [9, 10, 0]])
    assert best_tree(scores) == (1, NO_HEAD)


def test_two_words_that_would_be_root_share_one() -> None:
    scores = np.array([[9.0, 0, 1], [8, 2, 0]])
    assert best_tree(scores) == (NO_HEAD, 0)


def test_no_words_have_no_heads() -> None:
    assert best_tree(np.empty((0, 1))) == ()


def test_sixty_words_that_go_round_in_loops_are_a_tree_too() -> None:
    words = 60
    scores = np.random.default_rng(3).normal(size=(words, words + 1))
    for word in range(0, words, 2):
        scores[word, word + 2] = scores[word + 1, word + 1] = 50
    assert is_tree(best_tree(scores))
