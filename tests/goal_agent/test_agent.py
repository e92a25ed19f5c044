"""The goal agent: its inputs, its walks and its learning."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ealm.common.goal_config import GoalAgentSettings, GoalLearningSettings, GoalSettings
from ealm.goal_agent.agent import Dropout, GoalAgent, neighbours
from ealm.goal_agent.learner import GoalLearner, WalkBatch, new_goal_agent
from ealm.goal_agent.potential import SentencePotential
from ealm.goal_agent.replay import GoalWalk, WalkReplay
from ealm.goal_agent.rollout import GoalExploration, goal_walks
from ealm.paper.agent import pad
from ealm.paper.edits import Action

WIDTH = 6
SMALL = GoalAgentSettings(hidden_units=8)


def encodings(*lengths: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(length, WIDTH, generator=generator) for length in lengths]


def q_values(agent: GoalAgent, sentences: list[Tensor], kept: list[list[bool]], goals: list[int]) -> Tensor:
    batch, present = pad(sentences)
    left = torch.zeros_like(present)
    for row, own in enumerate(kept):
        left[row, : len(own)] = torch.tensor(own)
    with torch.no_grad():
        return agent(agent.first_layer(batch, present), left[:, None], torch.tensor(goals))[:, 0]


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_neighbours_are_the_next_words_that_are_left(kept: list[bool]) -> None:
    before, after = neighbours(torch.tensor(kept))
    words = len(kept)
    for index in range(words):
        assert before[index] == max((p for p in range(index) if kept[p]), default=words)
        assert after[index] == min((p for p in range(index + 1, words) if kept[p]), default=words)


SWITCHES = ("neighbours", "draft", "position", "dueling", "estimates")


@pytest.mark.parametrize("values", list(product([False, True], repeat=5)))
def test_q_values_do_not_depend_on_the_company_of_other_sentences(values: tuple[bool, ...]) -> None:
    agent = new_goal_agent(WIDTH, GoalAgentSettings(hidden_units=8, **dict(zip(SWITCHES, values, strict=True))), 0)
    long, short = encodings(9, 4)
    kept = [[True] * 5 + [False] * 4, [True, False, True, True]]
    together = q_values(agent, [long, short], kept, [3, 2])
    alone = q_values(agent, [short], kept[1:], [2])
    assert torch.allclose(together[1, [0, 2, 3]], alone[0, [0, 2, 3]], atol=1e-5)
    assert together[1, [1, 4, 8]].tolist() == [-torch.inf] * 3  # gone, or never there


@pytest.mark.parametrize("switch", ["neighbours", "draft"])
def test_each_input_can_be_switched_off(switch: str) -> None:
    (sentence,) = encodings(5)
    sees = new_goal_agent(WIDTH, SMALL, 0)
    blind = new_goal_agent(WIDTH, GoalAgentSettings(hidden_units=8, **{switch: False}), 0)
    assert sum(p.numel() for p in blind.parameters()) < sum(p.numel() for p in sees.parameters())
    assert blind(
        blind.first_layer(*pad([sentence])), torch.ones(1, 1, 5, dtype=torch.bool), torch.tensor([2])
    ).shape == (
        1,
        1,
        5,
    )


def test_q_values_depend_on_the_goal_length() -> None:
    agent = new_goal_agent(WIDTH, SMALL, 0)
    (sentence,) = encodings(6)
    one, other = (q_values(agent, [sentence], [[True] * 6], [goal]) for goal in (1, 5))
    assert not torch.allclose(one, other)


def test_walks_end_at_their_goals_and_remove_each_word_once() -> None:
    sentences = encodings(7, 2, 12)
    walks = goal_walks(new_goal_agent(WIDTH, SMALL, 0), sentences, [3, 1, 12], to_the_end=False)
    assert [len(walk.steps) for walk in walks] == [4, 1, 0]
    for walk in walks:
        assert len({step.word for step in walk.steps}) == len(walk.steps)
        assert all(step.action == Action.REMOVE for step in walk.steps)
        assert all(step.q_values[0] >= step.q_values[1] for step in walk.steps)  # the best of all words was taken


def test_a_walk_to_the_end_leaves_nothing_but_what_is_locked() -> None:
    sentences = encodings(7, 5)
    walks = goal_walks(new_goal_agent(WIDTH, SMALL, 0), sentences, [3, 3], locked=[{2, 6}, ()])
    assert {step.word for step in walks[0].steps} == {0, 1, 3, 4, 5}
    assert {step.word for step in walks[1].steps} == set(range(5))


def test_walks_side_by_side_are_the_walks_alone() -> None:
    sentences = encodings(7, 30, 3, 12, 5)
    agent = new_goal_agent(WIDTH, SMALL, 3)
    together = goal_walks(agent, sentences, [2] * 5)
    for sentence, walk in zip(sentences, together, strict=True):
        (alone,) = goal_walks(agent, [sentence], [2])
        assert [step.word for step in alone.steps] == [step.word for step in walk.steps]


def test_an_exploring_walk_takes_any_open_word() -> None:
    agent = new_goal_agent(WIDTH, SMALL, 0)
    sentences = encodings(*[5] * 200)
    same = [sentences[0]] * 200
    exploration = GoalExploration(np.random.default_rng(0), rate=1.0)
    walks = goal_walks(agent, same, [4] * 200, locked=[{3}] * 200, exploration=exploration, to_the_end=False)
    counts = np.bincount([walk.steps[0].word for walk in walks], minlength=5)
    assert counts[3] == 0
    assert all(counts[[0, 1, 2, 4]] > 30)  # 50 expected


def first_words(rate: float) -> list[int]:
    agent = new_goal_agent(WIDTH, SMALL, 0)
    same = [encodings(6)[0]] * 200
    exploration = GoalExploration(np.random.default_rng(0), rate=rate, kind="noise")
    walks = goal_walks(agent, same, [5] * 200, locked=[{3}] * 200, exploration=exploration, to_the_end=False)
    return [walk.steps[0].word for walk in walks]


def test_noise_prefers_good_words_and_takes_others_the_more_of_it_there_is() -> None:
    (best,) = {
        walk.steps[0].word for walk in goal_walks(new_goal_agent(WIDTH, SMALL, 0), encodings(6), [5], locked=[{3}])
    }
    none, some, much = (first_words(rate) for rate in (0.0, 0.5, 5.0))
    assert set(none) == {best}
    assert some.count(best) > much.count(best)
    assert set(much) == {0, 1, 2, 4, 5}


LEARNING = GoalLearningSettings(n_step=2, discount=0.5, double=False, target_period=1000)
ROW = np.array([1, 2, 4, 8, 16], np.float32)
POTENTIAL = SentencePotential(ROW, np.array([0.5] * 4, np.float32), ROW)


def batch_of(sentence: Tensor, order: tuple[int, ...]) -> WalkBatch:
    walk = GoalWalk(visit=7, goal=5 - len(order), order=order, reward=0.0)
    return WalkBatch.of([walk], {7: sentence}, [POTENTIAL])


def test_the_reward_of_a_step_is_the_change_of_the_potential() -> None:
    (sentence,) = encodings(5)
    batch = batch_of(sentence, (1, 0, 4))
    # Word 1 goes with two pairs of neighbours; word 0 has none left; word 4 goes with one pair.
    assert batch.reward[0].tolist() == pytest.approx([-3.0, -1.0, -16.5])
    assert batch.kept[0].tolist() == [
        [True] * 5,
        [True, False, True, True, True],
        [False, False, True, True, True],
        [False, False, True, True, False],
    ]


def test_targets_are_discounted_rewards_and_the_value_of_the_state_after_them() -> None:
    (sentence,) = encodings(5)
    learner = GoalLearner(WIDTH, GoalSettings(agent=SMALL, learning=LEARNING), seed=0)
    batch = batch_of(sentence, (1, 0, 4))
    ahead = q_values(learner.target_network, [sentence], [batch.kept[0, 2].tolist()], [2]).max()
    own = learner.agent(learner.agent.first_layer(batch.encodings, batch.present), batch.kept[:, :-1], batch.goal)
    targets = learner.targets(batch, own)
    expected = [-3 + 0.5 * -1 + 0.25 * float(ahead), -1 + 0.5 * -16.5, -16.5]
    assert targets[0].tolist() == pytest.approx(expected, abs=1e-4)


def test_with_double_q_the_agent_chooses_and_the_target_network_values() -> None:
    (sentence,) = encodings(5)
    settings = GoalSettings(agent=SMALL, learning=GoalLearningSettings(n_step=1, double=True))
    learner = GoalLearner(WIDTH, settings, seed=0)
    learner.target_network.load_state_dict(new_goal_agent(WIDTH, SMALL, 99).state_dict())
    batch = batch_of(sentence, (1, 0))
    own = learner.agent(
        learner.agent.first_layer(batch.encodings, batch.present), batch.kept[:, :-1], batch.goal
    ).detach()
    chosen = int(own[0, 1].argmax())
    value = q_values(learner.target_network, [sentence], [batch.kept[0, 1].tolist()], [3])[0, chosen]
    assert learner.targets(batch, own)[0, 0] == pytest.approx(-3.0 + float(value), abs=1e-4)


def test_padding_of_walks_and_sentences_changes_no_target() -> None:
    short, long = encodings(5, 8)
    learner = GoalLearner(WIDTH, GoalSettings(agent=SMALL, learning=LEARNING), seed=0)
    row = np.arange(8, dtype=np.float32)
    other = SentencePotential(row, np.zeros(7, np.float32), row)
    walks = [GoalWalk(0, 3, (1, 0), 0.0), GoalWalk(1, 2, (7, 6, 5, 4, 3, 2), 0.0)]
    both = WalkBatch.of(walks, {0: short, 1: long}, [POTENTIAL, other])
    alone = WalkBatch.of(walks[:1], {0: short}, [POTENTIAL])

    def targets(batch: WalkBatch) -> Tensor:
        own = learner.agent(learner.agent.first_layer(batch.encodings, batch.present), batch.kept[:, :-1], batch.goal)
        return learner.targets(batch, own.detach())

    assert targets(both)[0, :2].tolist() == pytest.approx(targets(alone)[0].tolist(), abs=1e-5)
    assert both.taken.tolist() == [[True] * 2 + [False] * 4, [True] * 6]


def test_updates_bring_q_values_to_the_rewards() -> None:
    (sentence,) = encodings(5)
    learning = GoalLearningSettings(n_step=9, learning_rate=0.01)
    learner = GoalLearner(WIDTH, GoalSettings(agent=SMALL, learning=learning), seed=0)
    batch = batch_of(sentence, (1, 0, 4))
    losses = [learner.update(batch, torch.ones(1))[0] for _ in range(300)]
    assert losses[-1] < 0.01 * losses[0]


def test_word_scores_are_learned_beside_the_q_values_and_punctuation_is_left_out() -> None:
    (sentence,) = encodings(5)
    settings = GoalSettings(
        agent=GoalAgentSettings(hidden_units=32, estimates=True),
        learning=GoalLearningSettings(learning_rate=0.01, dropout=0.0),
    )
    learner = GoalLearner(WIDTH, settings, seed=0)
    walk = GoalWalk(7, 3, (1, 0), 0.0)
    batch = WalkBatch.of([walk], {7: sentence}, [POTENTIAL], [[True, True, False, True, True]])
    for _ in range(400):
        learner.update(batch, torch.ones(1))
    with torch.no_grad():
        found = learner.agent.word_scores(sentence)
    assert found[[0, 1, 3, 4]].tolist() == pytest.approx([1, 2, 8, 16], abs=0.5)
    assert abs(float(found[2]) - 4) > 0.5  # never a target


def test_q_values_leave_the_estimates_alone() -> None:
    (sentence,) = encodings(5)
    agent = new_goal_agent(WIDTH, GoalAgentSettings(hidden_units=8, estimates=True), 0)
    batch = batch_of(sentence, (1, 0))
    values = agent(agent.first_layer(batch.encodings, batch.present), batch.kept[:, :-1], batch.goal)
    values[values.isfinite()].sum().backward()
    assert agent.own.weight.grad is not None
    assert all(parameter.grad is None for parameter in agent.worth.parameters())


def test_dropout_hides_a_share_and_repeats_itself() -> None:
    ones = torch.ones(100, 100)
    first, again, other = (Dropout(0.25, seed)(ones) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert float((first == 0).float().mean()) == pytest.approx(0.25, abs=0.02)
    assert float(first.mean()) == pytest.approx(1, abs=0.03)


def walks(*rewards: float) -> list[GoalWalk]:
    return [GoalWalk(number, 3, (number, 1), reward) for number, reward in enumerate(rewards)]


def test_the_replay_keeps_the_newest_walks_and_knows_their_mean_reward() -> None:
    replay = WalkReplay(3)
    replay.extend(walks(1, 2, 3, 7))
    assert replay.full
    assert replay.oldest_visit == 1
    assert replay.mean_reward() == pytest.approx(4)


def test_walks_with_large_td_errors_are_drawn_more_often_and_weigh_less() -> None:
    replay = WalkReplay(4)
    replay.extend(walks(0, 0, 0, 0))
    replay.reprioritize(range(4), [1, 1, 1, 27])
    numbers, drawn, counts = replay.sample(4_000, np.random.default_rng(0), priority=1.0)
    assert np.mean(np.array(numbers) == 3) == pytest.approx(0.9, abs=0.02)
    assert [walk.visit for walk in drawn] == numbers
    rare, common = counts[numbers.index(0)], counts[numbers.index(3)]
    assert rare == 1.0
    assert common == pytest.approx((1 / 27) ** 0.4, rel=0.01)
    even, _, ones = replay.sample(4_000, np.random.default_rng(0), priority=0.0)
    assert np.mean(np.array(even) == 3) == pytest.approx(0.25, abs=0.03)
    assert set(ones.tolist()) == {1.0}


def test_the_replay_comes_back_from_tensors() -> None:
    replay, again = WalkReplay(5), WalkReplay(5)
    replay.extend(walks(1, 2, 3))
    replay.reprioritize([1], [9.0])
    again.restore(replay.to_tensors())
    draws = [one.sample(20, np.random.default_rng(3), priority=0.6)[1] for one in (replay, again)]
    assert draws[0] == draws[1]
    assert again.mean_reward() == replay.mean_reward()


def test_a_replay_of_an_earlier_version_is_read() -> None:
    replay, again = WalkReplay(5), WalkReplay(5)
    replay.extend(walks(1, 2, 3))
    tensors = replay.to_tensors()
    values = tensors["replay.values"]
    again.restore(tensors | {"replay.values": torch.cat([torch.zeros(3, 1, dtype=values.dtype), values], dim=1)})
    assert torch.equal(again.to_tensors()["replay.values"], values)
