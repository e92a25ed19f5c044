"""Q-learning: what a walk leaves behind, and what is learned from it."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from training_runs import SETTINGS, weights

from ealm.paper.agent import Agent
from ealm.paper.edits import Action
from ealm.paper.learner import Batch, Learner, new_agent
from ealm.paper.replay import Experience
from ealm.paper.rewards import Assessment
from ealm.paper.rollout import Step, Walk
from ealm.paper.walk_scorer import WalkScore
from ealm.training.paper_trainer import experiences_of_walk

R, K, X = Action.REMOVE, Action.KEEP, Action.REPLACE


# What a walk leaves behind --------------------------------------------------------------------------------------------

PATH = Walk(
    4,
    (
        Step(2, R, (0.9, 0.1, 0.2), 0.9),
        Step(0, X, (0.3, 0.1, 0.8), 0.85),
        Step(3, K, (0.0, 0.7, 0.1), 0.7),
        Step(1, R, (0.5, 0.6, 0.1), 0.6),
    ),
)


def end_at(step: int, *, violated: bool) -> WalkScore:
    assessment = Assessment(
        last_step=step, length=4, compression_rate=0.5, reconstruction_rate=0.5, similarity=0.5, fluent=True
    )
    return WalkScore((3,) * step, violated, assessment)


def experiences(score: WalkScore, path: Walk = PATH, **learning: float) -> list[Experience]:
    settings = SETTINGS.override({f"learning.{name}": str(value) for name, value in learning.items()})
    rewards = [0.1 * step for step in range(1, score.assessment.last_step + 1)]
    return experiences_of_walk(9, path, score, rewards, settings)


def test_every_step_becomes_an_experience_with_the_state_before_it() -> None:
    found = experiences(end_at(4, violated=False))
    assert [e.word for e in found] == [2, 0, 3, 1]
    assert [e.action for e in found] == [R, X, K, R]
    assert [tuple(e.actions) for e in found] == [(K, K, K, K), (K, K, R, K), (X, K, R, K), (X, K, R, K)]
    assert [tuple(e.decided) for e in found] == [(0, 0, 0, 0), (0, 0, 1, 0), (1, 0, 1, 0), (1, 0, 1, 1)]
    assert [e.reward for e in found] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert {e.visit for e in found} == {9}


@pytest.mark.parametrize(
    ("last", "violated", "options", "following", "next_values"),
    [
        (4, False, {}, 3, [0.85, 0.7, 0.6, 0.0]),
        (4, True, {}, 3, [0.85, 0.7, 0.6, 0.0]),
        (2, True, {}, 1, [0.85, 0.0]),
        (1, True, {}, 0, [0.0]),
        (2, True, {"violation_bootstraps": True}, 2, [0.85, 0.7]),
        (1, True, {"violation_bootstraps": True}, 1, [0.85]),
        (4, True, {"violation_bootstraps": True}, 3, [0.85, 0.7, 0.6, 0.0]),
        (4, False, {"drop_last_step": True}, 3, [0.85, 0.7, 0.6]),
        (4, True, {"drop_last_step": True}, 3, [0.85, 0.7, 0.6]),
        (2, True, {"drop_last_step": True}, 1, [0.85, 0.0]),
        (2, True, {"drop_last_step": True, "violation_bootstraps": True}, 2, [0.85, 0.7]),
    ],
)
def test_only_steps_before_the_end_count_what_follows(
    last: int,
    violated: bool,
    options: dict[str, bool],
    following: int,
    next_values: list[float],
) -> None:
    found = experiences(end_at(last, violated=violated), **options)
    assert [e.continues for e in found] == [number < following for number in range(len(found))]
    assert [e.next_value for e in found] == pytest.approx(next_values)


def test_experiences_know_what_their_walk_went_on_to_earn() -> None:
    greedy = replace(PATH, steps=(*PATH.steps[:1], Step(0, X, (0.3, 0.1, 0.85), 0.85), *PATH.steps[2:]))
    assert [e.earned for e in experiences(end_at(3, violated=True), path=greedy, discount=0.5)] == pytest.approx(
        [0.1 + 0.5 * 0.2 + 0.25 * 0.3, 0.2 + 0.5 * 0.3, 0.3]
    )


def test_steps_before_an_exploring_one_expect_the_value_that_it_passed_by() -> None:
    assert [step.explored for step in PATH.steps] == [False, True, False, True]
    assert [e.earned for e in experiences(end_at(4, violated=False), discount=0.5)] == pytest.approx(
        [0.1 + 0.5 * 0.85, 0.2 + 0.5 * 0.3 + 0.25 * 0.6, 0.3 + 0.5 * 0.6, 0.4]
    )


# The update -----------------------------------------------------------------------------------------------------------

ENCODINGS = {
    visit: torch.randn(length, 12, generator=torch.Generator().manual_seed(visit))
    for visit, length in ((0, 4), (1, 2), (2, 3))
}
EXPERIENCES = [
    Experience(0, 2, bytes([K, K, K, K]), bytes([0, 0, 0, 0]), R, 0.5, True, 3.0),
    Experience(0, 0, bytes([K, K, R, K]), bytes([0, 0, 1, 0]), X, -0.25, False, 0.0),
    Experience(1, 1, bytes([K, K]), bytes([0, 0]), K, 4.0, True, -2.0),
    Experience(2, 0, bytes([K, R, K]), bytes([0, 1, 0]), R, 1.0, True, 0.5),
]


def learner_of(**learning: Any) -> Learner:
    """With a target network of its own, so that it cannot be mistaken for the agent, and biases that matter."""
    settings = SETTINGS.override({f"learning.{name}": str(value) for name, value in learning.items()})
    learner = Learner(12, settings, seed=1)
    learner.target_network.load_state_dict(new_agent(12, settings.agent, seed=2).state_dict())
    with torch.no_grad():
        for network in (learner.agent, learner.target_network):
            network.action_bias.copy_(torch.tensor([0.9, -0.4, 0.2]))
            network.decided_bias.copy_(torch.tensor([-0.3, 0.8]))
    return learner


def q(agent: Agent, experience: Experience, *, after: bool = False) -> Tensor:
    """Q-values (words, actions) of one sentence before or after a decision, by the plain formula."""
    actions, decided = torch.tensor(list(experience.actions)), torch.tensor(list(experience.decided))
    if after:
        actions[experience.word], decided[experience.word] = experience.action, 1
    present = torch.ones(1, len(actions), dtype=torch.bool)
    with torch.no_grad():
        return agent(ENCODINGS[experience.visit][None], actions[None], decided[None], present)[0]


def targets(learner: Learner) -> list[float]:
    return learner.td_target(Batch.of(EXPERIENCES, ENCODINGS), ENCODINGS).tolist()


def test_the_target_adds_the_target_networks_best_value_of_any_undecided_word_unless_the_step_is_terminal() -> None:
    learner = learner_of(discount=0.9)
    expected = []
    for experience in EXPERIENCES:
        following = 0.0
        if experience.continues:
            undecided = torch.tensor(list(experience.decided)) == 0
            undecided[experience.word] = False
            following = float(q(learner.target_network, experience, after=True)[undecided].max())
        expected.append(experience.reward + 0.9 * following)
    assert targets(learner) == pytest.approx(expected, abs=1e-5)
    assert targets(learner)[1] == -0.25


def test_the_target_of_the_published_code_adds_the_value_at_collection() -> None:
    learner = learner_of(discount=0.5, bootstrap="collection")
    assert targets(learner) == pytest.approx([0.5 + 1.5, -0.25, 4.0 - 1.0, 1.0 + 0.25])


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_a_share_of_the_target_is_what_the_walk_earned(share: float) -> None:
    earned = [7.0, -3.0, 0.5, 2.0]
    batch = Batch.of([replace(e, earned=own) for e, own in zip(EXPERIENCES, earned, strict=True)], ENCODINGS)
    found = learner_of(earned_share=share).td_target(batch, ENCODINGS).tolist()
    expected = [(1 - share) * plain + share * own for plain, own in zip(targets(learner_of()), earned, strict=True)]
    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("loss", "of_difference"),
    [("squared", lambda d: d * d), ("huber", lambda d: d * d / 2 if d < 1 else d - 0.5)],
)
def test_the_loss_is_the_mean_over_the_batch(loss: str, of_difference: Any) -> None:
    learner = learner_of(loss=loss)
    values = [float(q(learner.agent, e)[e.word, e.action]) for e in EXPERIENCES]
    differences = [abs(value - target) for value, target in zip(values, targets(learner), strict=True)]
    assert min(differences) < 1 < max(differences)
    expected = sum(of_difference(difference) for difference in differences) / len(differences)
    assert learner.update(EXPERIENCES, ENCODINGS) == pytest.approx(expected, rel=1e-4)


def test_updates_bring_the_values_towards_their_targets() -> None:
    learner = learner_of(learning_rate=0.01, target_period=100_000)
    losses = [learner.update(EXPERIENCES, ENCODINGS) for _ in range(150)]
    assert losses[-1] < 0.05 * losses[0]


def gradient_norm(learner: Learner) -> float:
    """Of the first update: Adam's running mean starts with a tenth of the gradient."""
    means = [tensor for name, tensor in learner.networks.tensors().items() if name.endswith("exp_avg")]
    return 10 * math.sqrt(sum(float((mean**2).sum()) for mean in means))


@pytest.mark.parametrize("clip", [0.5, 2.0])
def test_a_large_gradient_is_clipped_to_its_norm(clip: float) -> None:
    learner, free = learner_of(gradient_clip=clip), learner_of(gradient_clip=1e9)
    for each in (learner, free):
        each.update(EXPERIENCES, ENCODINGS)
    assert gradient_norm(free) > clip
    assert gradient_norm(learner) == pytest.approx(clip, rel=1e-3)


def test_a_gradient_can_be_clipped_number_by_number() -> None:
    learner = learner_of(gradient_clip=0.001, clip_by="value")
    learner.update(EXPERIENCES, ENCODINGS)
    means = [tensor for name, tensor in learner.networks.tensors().items() if name.endswith("exp_avg")]
    assert 10 * max(float(mean.abs().max()) for mean in means) == pytest.approx(0.001)
    assert gradient_norm(learner) > 0.01


def test_the_target_follows_the_target_network_when_it_is_renewed() -> None:
    learner = learner_of(target_period=1)
    before = targets(learner)
    learner.update(EXPERIENCES, ENCODINGS)
    learner.agent.zero_grad()
    fresh = learner_of(target_period=1)
    fresh.target_network.load_state_dict(learner.target_network.state_dict())
    assert targets(learner) == pytest.approx(targets(fresh), abs=1e-6)
    assert targets(learner) != pytest.approx(before, abs=1e-3)


def test_a_small_gradient_is_left_as_it_is() -> None:
    learner, free = learner_of(gradient_clip=1e6), learner_of(gradient_clip=1e9)
    for each in (learner, free):
        each.update(EXPERIENCES, ENCODINGS)
    assert gradient_norm(learner) == gradient_norm(free)


@pytest.mark.parametrize("period", [1, 3, 7])
def test_the_target_network_is_copied_exactly_every_period(period: int) -> None:
    learner = Learner(12, SETTINGS.override({"learning.target_period": str(period)}), seed=1)
    copied = weights(learner.target_network)
    assert torch.equal(copied, weights(learner.agent))
    for update in range(1, 16):
        learner.update(EXPERIENCES, ENCODINGS)
        if update % period == 0:
            copied = weights(learner.agent)
        assert torch.equal(weights(learner.target_network), copied)
        assert torch.equal(weights(learner.target_network), weights(learner.agent)) == (update % period == 0)
