"""The formulas against cases worked out by hand."""

import math

import pytest
import torch

from ealm.baselines.cmatch.matching import (
    best_alignment,
    fluency_scores,
    length_normalised,
    matching_scores,
    nearest_candidates,
    nearest_words,
    product_of_experts,
    similarity,
)

INFINITE = float("inf")


def test_similarity_is_the_mean_of_the_cosines_of_the_layers() -> None:
    prefix = [torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 2.0]])]
    source = [torch.tensor([[1.0, 0.0], [6.0, 8.0]]), torch.tensor([[0.0, 0.5], [-1.0, 0.0]])]
    # Position 1: cosines 3/5 and 1; position 2: 1 and 0.
    assert similarity(prefix, source).tolist() == [pytest.approx([0.8, 0.5])]
    assert similarity(prefix, prefix).item() == pytest.approx(1.0)


def test_the_best_alignment_is_behind_the_last_one() -> None:
    cosines = torch.tensor([[0.9, 0.1, 0.5, 0.3], [0.2, 0.8, 0.1, 0.6]])
    expected = {-1: ([0.9, 0.8], [0, 1]), 0: ([0.5, 0.8], [2, 1]), 1: ([0.5, 0.6], [2, 3]), 2: ([0.3, 0.6], [3, 3])}
    for previous, (best, positions) in expected.items():
        found = best_alignment(cosines, torch.tensor(previous))
        assert found[0].tolist() == pytest.approx(best)
        assert found[1].tolist() == positions
    assert (best_alignment(cosines, torch.tensor(3))[0] == -INFINITE).all()


def test_a_word_goes_only_where_it_may() -> None:
    cosines = torch.tensor([[-INFINITE, -INFINITE, 0.1], [-INFINITE, 0.2, -INFINITE]])
    best, position = best_alignment(cosines, torch.tensor(1))
    assert best.tolist() == [pytest.approx(0.1), -INFINITE]
    assert position[0] == 2


def test_each_beginning_has_its_own_last_position() -> None:
    best, position = best_alignment(torch.tensor([[0.9, 0.8, 0.1]]).expand(2, 1, 3), torch.tensor([-1, 1]))
    assert best[:, 0].tolist() == pytest.approx([0.9, 0.1])
    assert position[:, 0].tolist() == [0, 2]


def test_matching_is_a_softmax_over_the_candidates() -> None:
    cosines = torch.tensor([[0.5, 0.2], [0.1, 0.0], [-INFINITE, -INFINITE]])
    total = math.exp(0.5) + math.exp(0.1)
    found = matching_scores(torch.tensor([0.5, 0.1, -INFINITE]), cosines)
    assert found.exp().tolist() == pytest.approx([math.exp(0.5) / total, math.exp(0.1) / total, 0.0])


def test_what_is_passed_stays_a_rival() -> None:
    cosines = torch.tensor([[0.5, 0.2], [0.1, 0.9]])
    best, _ = best_alignment(cosines, torch.tensor(0))
    expected = [math.exp(cosine) / (math.exp(0.5) + math.exp(0.9)) for cosine in (0.2, 0.9)]
    assert matching_scores(best, cosines).exp().tolist() == pytest.approx(expected)


def test_fluency_is_the_sum_over_a_cluster_and_no_probability_is_lost() -> None:
    probabilities = torch.tensor([[[0.1, 0.2, 0.3, 0.4]]])
    clusters, owner = torch.tensor([[1, 0, 1, 0]]), torch.tensor([[1, 0, 0]])
    found = fluency_scores(probabilities.log(), clusters, owner).exp().flatten().tolist()
    assert found == pytest.approx([0.4, 0.6, 0.6])  # the last two share a number


def test_a_cluster_without_probability_is_unlikely_but_not_impossible() -> None:
    found = fluency_scores(torch.tensor([[[0.0, -INFINITE]]]), torch.tensor([[0, 1]]), torch.tensor([[0, 1]]))
    assert -INFINITE < found[0, 0, 1] < -50


def test_experts_are_multiplied_with_a_weight() -> None:
    product = product_of_experts(torch.tensor(0.5).log(), torch.tensor(0.25).log(), 0.5)
    assert product.exp().item() == pytest.approx(0.5 * 0.25**0.5)


def test_the_length_chooses_by_a_mean_that_is_kinder_to_long_summaries() -> None:
    assert length_normalised(-6.0, 4, 0.1) == pytest.approx(-6.0 / 3.9)
    assert length_normalised(-6.0, 4, 0.0) == pytest.approx(-1.5)


def test_nearest_words_leave_the_word_itself_and_marks_out() -> None:
    table = torch.tensor([[1.0, 0.0], [0.9, 0.1], [2.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.1]])
    units = torch.nn.functional.normalize(table, dim=-1)
    assert nearest_words(units, torch.tensor([2, 4]), count=2, first=2).tolist() == [[5, 3], [3, 5]]
    assert nearest_words(units, torch.tensor([2]), count=9, first=2).shape == (1, 3)
    assert nearest_words(units, torch.tensor([], dtype=torch.long), count=2, first=2).shape == (0, 2)


def test_every_word_goes_to_its_nearest_candidate() -> None:
    units = torch.nn.functional.normalize(torch.tensor([[1.0, 0.0], [1.0, 0.2], [0.1, 1.0], [0.0, 1.0]]), dim=-1)
    clusters, owner = nearest_candidates(units, torch.tensor([3, 0, 3]))
    assert owner[0] == owner[2] != owner[1]
    assert clusters.tolist() == [int(owner[1]), int(owner[1]), int(owner[0]), int(owner[0])]
