"""The formulas against cases worked out by hand."""

import math

import pytest
import torch

from ealm.baselines.cmatch.matching import (
    best_alignment,
    contextual_embedding,
    fluency_scores,
    length_normalised,
    matching_scores,
    nearest_words,
    product_of_experts,
    similarity,
    similarity_bounds,
)

INFINITE = float("inf")


def test_similarity_is_the_mean_of_the_cosines_of_the_layers() -> None:
    prefix = contextual_embedding([torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 2.0]])])
    source = contextual_embedding([torch.tensor([[1.0, 0.0], [6.0, 8.0]]), torch.tensor([[0.0, 0.5], [-1.0, 0.0]])])
    # Position 1: cosines 3/5 and 1; position 2: 1 and 0.
    assert similarity(prefix, source).tolist() == [pytest.approx([0.8, 0.5])]
    assert similarity(prefix, prefix).item() == pytest.approx(1.0)


def test_the_best_alignment_is_never_before_the_last_one() -> None:
    cosines = torch.tensor([[0.9, 0.1, 0.5, 0.3], [0.2, 0.8, 0.1, 0.6]])
    everywhere = torch.ones(2, 4, dtype=torch.bool)
    expected = {
        (-1, True): ([0.9, 0.8], [0, 1]),
        (0, True): ([0.5, 0.8], [2, 1]),
        (1, True): ([0.5, 0.6], [2, 3]),
        (1, False): ([0.5, 0.8], [2, 1]),
        (2, True): ([0.3, 0.6], [3, 3]),
    }
    for (previous, strictly), (best, positions) in expected.items():
        found = best_alignment(cosines, torch.tensor([previous, previous]), everywhere, strictly_forward=strictly)
        assert found[0].tolist() == pytest.approx(best)
        assert found[1].tolist() == positions


def test_behind_the_last_position_there_is_none() -> None:
    best, _ = best_alignment(
        torch.rand(3, 2), torch.tensor([1, 1, 2]), torch.ones(3, 2, dtype=torch.bool), strictly_forward=True
    )
    assert (best == -INFINITE).all()


def test_a_word_goes_only_where_it_may() -> None:
    alignable = torch.tensor([[False, False, True], [False, True, False]])
    best, position = best_alignment(
        torch.tensor([[0.9, 0.8, 0.1], [0.9, 0.2, 0.8]]), torch.tensor([1, 1]), alignable, strictly_forward=True
    )
    assert best.tolist() == [pytest.approx(0.1), -INFINITE]
    assert position[0] == 2


def test_each_candidate_has_its_own_last_position() -> None:
    best, position = best_alignment(
        torch.tensor([[0.9, 0.8, 0.1], [0.9, 0.8, 0.1]]),
        torch.tensor([-1, 1]),
        torch.ones(2, 3, dtype=torch.bool),
        strictly_forward=True,
    )
    assert best.tolist() == pytest.approx([0.9, 0.1])
    assert position.tolist() == [0, 2]


def test_a_bound_holds_at_and_behind_its_position_and_only_where_the_word_may_go() -> None:
    own = torch.tensor([[0.2, -0.4, 0.5], [0.2, 1.0, -1.0]])
    alignable = torch.tensor([[True, True, False], [False, True, True]])
    bounds = similarity_bounds(own, alignable, layers=2)
    expected = [[0.6, 0.3, -INFINITE, -INFINITE], [1.0, 1.0, 0.0, -INFINITE]]
    assert [pytest.approx(row) for row in expected] == bounds.tolist()


def test_matching_is_a_softmax_over_the_candidates() -> None:
    best = torch.tensor([0.5, 0.1, -INFINITE])
    total = math.exp(0.5) + math.exp(0.1)
    found = matching_scores(best, normalised=True)
    assert found.exp().tolist() == pytest.approx([math.exp(0.5) / total, math.exp(0.1) / total, 0.0])
    assert matching_scores(best, normalised=False) is best
    assert (matching_scores(torch.full((2,), -INFINITE), normalised=True) == -INFINITE).all()


def test_fluency_is_the_sum_over_a_cluster() -> None:
    probabilities = torch.tensor([[[0.1, 0.2, 0.3, 0.4]]])
    clusters = torch.tensor([[[2, -1], [1, 3]]])
    assert fluency_scores(probabilities.log(), clusters).exp().flatten().tolist() == pytest.approx([0.3, 0.6])


def test_experts_are_multiplied_with_a_weight() -> None:
    product = product_of_experts(torch.tensor(0.5).log(), torch.tensor(0.25).log(), 0.5)
    assert product.exp().item() == pytest.approx(0.5 * 0.25**0.5)


@pytest.mark.parametrize(("exponent", "expected"), [(0.0, -6.0), (1.0, -1.5), (0.5, -3.0), (0.1, -6.0 / 4**0.1)])
def test_the_length_divides_the_score(exponent: float, expected: float) -> None:
    assert length_normalised(torch.tensor(-6.0), 4, exponent).item() == pytest.approx(expected)


def test_nearest_words_begin_with_the_word_itself_and_leave_marks_out() -> None:
    table = torch.tensor([[1.0, 0.0], [0.9, 0.1], [2.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.1]])
    found = nearest_words(table, torch.tensor([2, 4, 0]), count=3, first=2)
    assert found.tolist() == [[2, 5, 3], [4, 3, 5], [0, -1, -1]]


def test_too_few_words_are_filled_up() -> None:
    assert nearest_words(torch.eye(3), torch.tensor([2]), count=4, first=1).tolist() == [[2, 1, -1, -1]]
