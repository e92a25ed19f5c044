"""The four losses against values worked out by hand."""

import math

import pytest
import torch

from ealm.baselines.seq3.losses import length_loss, prior_loss, reconstruction_loss, topic_loss, weighted_mean
from ealm.baselines.seq3.vocabulary import END


def test_reconstruction_is_the_mean_surprise_at_the_source() -> None:
    scores = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]).log()
    found = reconstruction_loss(scores, torch.tensor([0, 1]))
    assert found.item() == pytest.approx((math.log(2) + math.log(10)) / 2)


def test_prior_is_the_divergence_from_the_language_model() -> None:
    ours = torch.tensor([[0.5, 0.5], [0.2, 0.8]]).log()
    prior = torch.tensor([[0.25, 0.75], [0.2, 0.8]]).log()
    expected = (0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)) / 2
    assert prior_loss(ours, prior).item() == pytest.approx(expected)


def test_prior_takes_forbidden_words_and_teaches_the_compressor_only() -> None:
    ours = torch.tensor([[0.0, 0.0, -1e4]], requires_grad=True)
    prior = torch.tensor([[0.0, 1.0, 2.0]], requires_grad=True)
    loss = prior_loss(ours, prior)
    loss.backward()
    assert loss.isfinite()
    assert ours.grad is not None
    assert ours.grad.isfinite().all()
    assert ours.grad.abs().sum() > 0
    assert prior.grad is None


def test_topic_is_the_cosine_distance_of_weighted_means() -> None:
    source = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [9.0, 9.0]]])
    mean = weighted_mean(source, torch.tensor([[3.0, 1.0, 0.0]]))
    assert mean.tolist() == [[0.75, 0.25]]
    summary = torch.tensor([[0.0, 2.0]])
    assert topic_loss(mean, summary).item() == pytest.approx(1 - 0.25 / math.hypot(0.75, 0.25))
    assert topic_loss(mean, 7 * mean).item() == pytest.approx(0, abs=1e-6)


def test_topic_of_words_without_weight_is_a_number() -> None:
    nothing = weighted_mean(torch.ones(1, 2, 3), torch.zeros(1, 2))
    assert topic_loss(torch.ones(1, 3), nothing).item() == pytest.approx(1)


def test_topic_teaches_the_summary_only() -> None:
    source = torch.tensor([[1.0, 0.0]], requires_grad=True)
    summary = torch.tensor([[1.0, 1.0]], requires_grad=True)
    topic_loss(source, summary).backward()
    assert source.grad is None
    assert summary.grad is not None
    assert summary.grad.abs().sum() > 0


@pytest.mark.parametrize(("end", "others"), [(0.5, 0.5), (0.9, 0.1), (0.01, 0.99)])
def test_length_is_the_probability_of_going_on(end: float, others: float) -> None:
    probabilities = torch.full((1, 4), others / 3)
    probabilities[0, END] = end
    assert length_loss(probabilities.log()).item() == pytest.approx(-math.log(1 - others), rel=1e-5)


def test_length_pushes_the_end_up_and_all_else_down() -> None:
    scores = torch.zeros(1, 5, requires_grad=True)
    length_loss(scores).backward()
    assert scores.grad is not None
    assert [value < 0 for value in scores.grad[0].tolist()] == [number == END for number in range(5)]
