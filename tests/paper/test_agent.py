"""Section 4.3.1: the state encoder and the Q-network, against the formulas written out word by word."""

import oracle
import pytest
import torch
from torch import Tensor

from ealm.common.config import AgentSettings
from ealm.paper.agent import Agent, Projection, WalkEncoder, attention, pad

WIDTH = 8


def random_agent(seed: int = 0, *, width: int = WIDTH, activate: bool = True) -> Agent:
    """In double precision and with biases, which a fresh agent has at zero."""
    torch.manual_seed(seed)
    agent = Agent(width, AgentSettings(hidden_units=6, activate_first_layer=activate)).double()
    with torch.no_grad():
        agent.action_bias.copy_(torch.randn(3))
        agent.decided_bias.copy_(torch.randn(2))
    return agent


def random_state(words: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Encodings, actions and decided flags of one sentence."""
    rng = torch.Generator().manual_seed(100 * words + seed)
    return (
        torch.randn(words, WIDTH, generator=rng, dtype=torch.float64),
        torch.randint(3, (words,), generator=rng),
        torch.randint(2, (words,), generator=rng),
    )


def batch_of(states: list[tuple[Tensor, Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Encodings, actions, decided and present, padded; padding holds rubbish so that using it shows."""
    encodings, present = pad([state[0] for state in states])
    encodings[~present] = 1e3
    actions = torch.full(present.shape, 2)
    decided = torch.ones_like(actions)
    for row, (_, row_actions, row_decided) in enumerate(states):
        actions[row, : len(row_actions)] = row_actions
        decided[row, : len(row_decided)] = row_decided
    return encodings, actions, decided, present


STATES = [random_state(words) for words in (5, 1, 7, 3)]


def test_at_the_width_of_bert_base_there_are_as_many_parameters_as_the_paper_counts() -> None:
    assert sum(parameter.numel() for parameter in Agent(768).parameters()) == 348_208


def test_biases_are_scalars_one_for_each_action_and_status() -> None:
    agent = Agent(WIDTH)
    assert agent.action_bias.shape == (3,)
    assert agent.decided_bias.shape == (2,)


@pytest.mark.parametrize("activate", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_q_values_follow_the_formulas(seed: int, activate: bool) -> None:
    agent = random_agent(seed, activate=activate)
    encodings, actions, decided, present = batch_of(STATES)
    found = agent(encodings, actions, decided, present)
    for row, (own_encodings, own_actions, own_decided) in enumerate(STATES):
        expected = oracle.q_values(
            agent, own_encodings.tolist(), own_actions.tolist(), own_decided.tolist(), activate_first=activate
        )
        assert found[row, : len(expected)].tolist() == [pytest.approx(values, rel=1e-9) for values in expected]


def test_the_published_codes_missing_activation_changes_the_q_values() -> None:
    state = batch_of(STATES)
    assert not torch.allclose(random_agent()(*state), random_agent(activate=False)(*state))


def test_a_sentence_has_the_same_q_values_alone_and_in_company() -> None:
    agent = random_agent()
    together = agent(*batch_of(STATES))
    for row, state in enumerate(STATES):
        alone = agent(*batch_of([state]))[0]
        torch.testing.assert_close(together[row, : len(alone)], alone)


def test_every_part_of_the_state_matters() -> None:
    agent = random_agent()
    encodings, actions, decided, present = batch_of([STATES[0]])
    before = agent(encodings, actions, decided, present)[0, 0]
    other_action, other_status, other_word = actions.clone(), decided.clone(), encodings.clone()
    other_action[0, 0] = (actions[0, 0] + 1) % 3
    other_status[0, 0] = 1 - decided[0, 0]
    other_word[0, 0] = -encodings[0, 0]
    for changed in (
        agent(encodings, other_action, decided, present),
        agent(encodings, actions, other_status, present),
        agent(other_word, actions, decided, present),
    ):
        assert not torch.allclose(changed[0, 0], before)


def test_the_q_values_of_one_word_are_those_of_the_whole_sentence() -> None:
    agent = random_agent()
    state = batch_of(STATES)
    everything = agent(*state)
    words = torch.tensor([4, 0, 2, 1])
    expected = everything[torch.arange(len(STATES)), words]
    torch.testing.assert_close(agent(*state, words), expected)


def test_the_shortcut_along_a_walk_gives_the_same_q_values() -> None:
    agent = random_agent()
    encodings, actions, decided, present = batch_of(STATES)
    words = torch.tensor([[4, 0, 2], [0, 0, 0], [6, 5, 1], [2, 1, 0]])
    found = WalkEncoder(agent, Projection.of(agent, encodings), present).q_values(actions, decided, words)
    everything = agent(encodings, actions, decided, present)
    expected = everything[torch.arange(len(STATES))[:, None], words]
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)


def test_projections_computed_one_by_one_are_those_of_the_batch() -> None:
    agent = random_agent()
    encodings, actions, decided, present = batch_of(STATES)
    alone = Projection.padded([Projection.of(agent, row[here]) for row, here in zip(encodings, present, strict=True)])
    words = torch.zeros(len(STATES), 1, dtype=torch.long)
    found = WalkEncoder(agent, alone, present).q_values(actions, decided, words)
    expected = WalkEncoder(agent, Projection.of(agent, encodings), present).q_values(actions, decided, words)
    torch.testing.assert_close(found, expected)


def test_biases_are_drawn_within_the_spread_of_the_encodings() -> None:
    agents = [Agent(4, spread=0.1) for _ in range(200)]
    drawn = torch.cat([torch.cat([agent.action_bias, agent.decided_bias]).detach() for agent in agents])
    assert 0.09 < float(drawn.abs().max()) <= 0.1
    assert not Agent(4, AgentSettings(bias_range=0)).action_bias.any()


def test_the_shortcut_follows_actions_and_statuses_that_change() -> None:
    agent = random_agent()
    encodings, actions, decided, present = batch_of([STATES[0]])
    encoder = WalkEncoder(agent, Projection.of(agent, encodings), present)
    words = torch.arange(5)[None]
    for turn in range(3):
        changed, done = (actions + turn) % 3, (decided + turn) % 2
        torch.testing.assert_close(encoder.q_values(changed, done, words), agent(encodings, changed, done, present))


def test_attention_divides_positive_scores_among_present_words() -> None:
    scores = torch.tensor([[[3.0, -5.0, 1.0, 9.0], [-1.0, -1.0, -2.0, 5.0]]])
    present = torch.tensor([[True, True, True, False]])
    expected = torch.tensor([[[0.75, 0.0, 0.25, 0.0], [0.0, 0.0, 0.0, 0.0]]])
    torch.testing.assert_close(attention(scores, present), expected)


def test_padding_fills_up_to_the_longest_sentence_and_says_so() -> None:
    batch, present = pad([torch.ones(2, 3), torch.ones(4, 3)])
    assert batch.shape == (2, 4, 3)
    assert present.tolist() == [[True, True, False, False], [True] * 4]
    assert batch[0, 2:].abs().sum() == 0


def test_every_weight_can_learn() -> None:
    agent = random_agent()
    state = batch_of(STATES)
    agent(*state)[state[-1]].square().sum().backward()
    for name, parameter in agent.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().sum() > 0, name
