"""Section 4.3.1 and appendix A.2: walks in the order of confidence, with and without exploration."""

from collections import Counter

import numpy as np
import oracle
import pytest
import torch
from torch import Tensor

from ealm.agent import Agent
from ealm.config import AgentSettings
from ealm.edits import Action
from ealm.rollout import Exploration, Step, Walk, uncertainty, walk

WIDTH = 8
LENGTHS = (5, 1, 9, 3, 12, 2, 5)


def random_agent(seed: int = 0) -> Agent:
    """In double precision and with biases, which a fresh agent has at zero."""
    torch.manual_seed(seed)
    agent = Agent(WIDTH, AgentSettings(hidden_units=6)).double()
    with torch.no_grad():
        agent.action_bias.copy_(torch.randn(3))
        agent.decided_bias.copy_(torch.randn(2))
        # Wide apart and worth the same on average, so that all three actions are taken now and then.
        agent.output.weight.mul_(20)
        agent.output.bias -= average_q_values(agent)
    return agent


def average_q_values(agent: Agent) -> Tensor:
    """Over random words, none of them decided."""
    encodings = torch.randn(50, 8, WIDTH, dtype=torch.float64)
    undecided = torch.zeros(50, 8, dtype=torch.long)
    return agent(encodings, undecided + int(Action.KEEP), undecided, undecided == 0).mean(dim=(0, 1))


def random_sentences(seed: int = 0, lengths: tuple[int, ...] = LENGTHS) -> list[Tensor]:
    """Encodings of sentences."""
    rng = torch.Generator().manual_seed(seed)
    return [torch.randn(length, WIDTH, generator=rng, dtype=torch.float64) for length in lengths]


def explore(*, action_rate: float, order_rate: float, seed: int = 0) -> Exploration:
    """With a generator of its own."""
    return Exploration(rng=np.random.default_rng(seed), action_rate=action_rate, order_rate=order_rate)


def decisions(result: Walk) -> list[oracle.Decision]:
    """A walk without its Q-values."""
    return [oracle.Decision(step.word, step.action) for step in result.steps]


def q_before(agent: Agent, encodings: Tensor, result: Walk, step: int) -> dict[int, list[float]]:
    """The formulas' Q-values of the words undecided before a step (counted from 1)."""
    done = {decision.word for decision in result.steps[: step - 1]}
    flags = [int(word in done) for word in range(result.length)]
    actions = [int(action) for action in result.actions_after(step - 1)]
    values = oracle.q_values(agent, encodings.tolist(), actions, flags)
    return {word: values[word] for word in range(result.length) if word not in done}


# The walk itself ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_goes_in_the_order_of_confidence(seed: int) -> None:
    agent, sentences = random_agent(seed), random_sentences(seed)
    for encodings, result in zip(sentences, walk(agent, sentences), strict=True):
        assert decisions(result) == oracle.greedy_walk(agent, encodings.tolist())


def test_the_agents_of_these_tests_take_all_three_actions() -> None:
    """Otherwise the comparison above would show little."""
    taken = Counter(
        step.action
        for seed in range(4)
        for result in walk(random_agent(seed), random_sentences(seed))
        for step in result.steps
    )
    assert set(taken) == set(Action)
    assert min(taken.values()) > 5


def test_a_step_carries_the_q_values_at_its_own_time() -> None:
    agent, sentences = random_agent(), random_sentences()
    for encodings, result in zip(sentences, walk(agent, sentences), strict=True):
        for number, step in enumerate(result.steps, start=1):
            expected = q_before(agent, encodings, result, number)[step.word]
            assert step.q_values == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_every_word_is_decided_exactly_once() -> None:
    sentences = random_sentences()
    for exploration in (None, explore(action_rate=0.5, order_rate=0.5)):
        for length, result in zip(LENGTHS, walk(random_agent(), sentences, exploration=exploration), strict=True):
            assert result.length == length
            assert sorted(step.word for step in result.steps) == list(range(length))


def test_actions_after_a_step_keep_what_is_undecided() -> None:
    values = (0.0, 0.0, 0.0)
    result = Walk(3, (Step(2, Action.REMOVE, values), Step(0, Action.REPLACE, values), Step(1, Action.KEEP, values)))
    keep, remove, replace = Action.KEEP, Action.REMOVE, Action.REPLACE
    assert [result.actions_after(step) for step in range(4)] == [
        (keep, keep, keep),
        (keep, keep, remove),
        (replace, keep, remove),
        (replace, keep, remove),
    ]


def test_ties_go_to_the_first_word_and_the_first_action() -> None:
    agent = random_agent()
    with torch.no_grad():
        for parameter in agent.parameters():
            parameter.zero_()
    (result,) = walk(agent, random_sentences(lengths=(4,)))
    assert decisions(result) == [oracle.Decision(word, Action.REMOVE) for word in range(4)]


def test_no_sentences_and_empty_sentences_are_walked_in_no_steps() -> None:
    assert walk(random_agent(), []) == []
    empty = torch.empty(0, WIDTH, dtype=torch.float64)
    assert walk(random_agent(), [empty]) == [Walk(0, ())]
    assert walk(random_agent(), [empty, *random_sentences(lengths=(3,))])[0] == Walk(0, ())


@pytest.mark.parametrize("limits", [None, [3, 1, 2, 0, 7, 1, 5]])
def test_a_sentence_is_walked_the_same_alone_in_company_and_in_any_order(limits: list[int] | None) -> None:
    agent, sentences = random_agent(), random_sentences()
    together = walk(agent, sentences, limits=limits)
    alone = [
        walk(agent, [sentence], limits=None if limits is None else [limits[row]])[0]
        for row, sentence in enumerate(sentences)
    ]
    turned = walk(agent, sentences[::-1], limits=None if limits is None else limits[::-1])[::-1]
    assert [decisions(result) for result in together] == [decisions(result) for result in alone]
    assert [decisions(result) for result in together] == [decisions(result) for result in turned]


def test_more_sentences_than_fit_side_by_side_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, sentences = random_agent(), random_sentences()
    limits = [length // 2 for length in LENGTHS]
    together = walk(agent, sentences, limits=limits)
    monkeypatch.setattr("ealm.rollout._WORD_BUDGET", 10)
    assert [decisions(result) for result in walk(agent, sentences, limits=limits)] == [
        decisions(result) for result in together
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("limit", [None, 0, 1, 3])
@pytest.mark.parametrize("lengths", [(12, 1, 1, 4), (2, 9, 5, 9, 1, 3), (6, 6, 5), (0, 7, 0, 2)])
def test_rows_that_end_early_do_not_disturb_the_others(
    seed: int, limit: int | None, lengths: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ealm.rollout._WORD_BUDGET", 10_000)  # all in one batch
    agent, sentences = random_agent(seed), random_sentences(seed, lengths)
    together = walk(agent, sentences, limits=None if limit is None else [limit] * len(lengths))
    for sentence, found in zip(sentences, together, strict=True):
        (alone,) = walk(agent, [sentence], limits=None if limit is None else [limit])
        assert found.length == alone.length == len(sentence)
        assert decisions(found) == decisions(alone)
        for step, expected in zip(found.steps, alone.steps, strict=True):
            assert step.q_values == pytest.approx(expected.q_values, rel=1e-9, abs=1e-9)


# Exploration --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values", [[0.0, 0.0, 0.0], [1.0, 2.0, -3.0], [50.0, 0.0, 0.0], [-0.2, -0.1, -0.3], [1000.0, 0.0, -1000.0]]
)
def test_uncertainty_is_the_entropy_of_the_action_probabilities(values: list[float]) -> None:
    assert float(uncertainty(torch.tensor(values, dtype=torch.float64))) == pytest.approx(
        oracle.entropy(values), abs=1e-12
    )


def test_uncertainty_is_greatest_where_the_actions_are_worth_the_same() -> None:
    found = uncertainty(torch.tensor([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [9.0, 0.0, 0.0]]))
    assert found[0] > found[1] > found[2]
    assert float(found[0]) == pytest.approx(np.log(3))


def test_exploring_at_rate_zero_is_not_exploring() -> None:
    agent, sentences = random_agent(), random_sentences()
    assert walk(agent, sentences, exploration=explore(action_rate=0.0, order_rate=0.0)) == walk(agent, sentences)


def test_exploring_the_order_takes_the_most_uncertain_word_and_its_best_action() -> None:
    agent, sentences = random_agent(), random_sentences()
    results = walk(agent, sentences, exploration=explore(action_rate=0.0, order_rate=1.0))
    for encodings, result in zip(sentences, results, strict=True):
        for number, step in enumerate(result.steps, start=1):
            values = q_before(agent, encodings, result, number)
            assert step.word == max(values, key=lambda word: oracle.entropy(values[word]))
            assert step.action == int(np.argmax(values[step.word]))
    assert [decisions(result) for result in results] != [decisions(result) for result in walk(agent, sentences)]


def test_exploring_actions_leaves_the_order_to_confidence() -> None:
    agent, sentences = random_agent(), random_sentences()
    results = walk(agent, sentences, exploration=explore(action_rate=1.0, order_rate=0.0))
    for encodings, result in zip(sentences, results, strict=True):
        for number, step in enumerate(result.steps, start=1):
            values = q_before(agent, encodings, result, number)
            assert step.word == max(values, key=lambda word: max(values[word]))


def test_random_actions_are_all_three_and_equally_likely() -> None:
    sentences = random_sentences(lengths=(12,) * 100)
    results = walk(random_agent(), sentences, exploration=explore(action_rate=1.0, order_rate=0.0))
    taken = Counter(step.action for result in results for step in result.steps)
    assert {action: taken[action] / 1_200 for action in Action} == pytest.approx(dict.fromkeys(Action, 1 / 3), abs=0.05)


def test_the_rate_of_random_actions_is_kept() -> None:
    """A random action is another than the best one two times in three."""
    sentences = random_sentences(lengths=(12,) * 100)
    results = walk(random_agent(), sentences, exploration=explore(action_rate=0.3, order_rate=0.0))
    other = sum(step.action != np.argmax(step.q_values) for result in results for step in result.steps)
    assert other / 1_200 == pytest.approx(0.2, abs=0.04)


def test_the_rate_of_random_order_is_kept() -> None:
    """Only first steps are compared, as the paths part after them."""
    agent, sentences = random_agent(), random_sentences(lengths=(6,) * 600)
    sure = [result.steps[0].word for result in walk(agent, sentences)]
    unsure = walk(agent, sentences, exploration=explore(action_rate=0.0, order_rate=1.0))
    mixed = walk(agent, sentences, exploration=explore(action_rate=0.0, order_rate=0.3))
    comparable = [row for row in range(600) if unsure[row].steps[0].word != sure[row]]
    assert len(comparable) > 300
    left = sum(mixed[row].steps[0].word != sure[row] for row in comparable)
    assert left / len(comparable) == pytest.approx(0.3, abs=0.08)


def test_the_same_seed_explores_the_same_way_and_another_seed_another() -> None:
    agent, sentences = random_agent(), random_sentences()
    first, same, other = (
        walk(agent, sentences, exploration=explore(action_rate=0.5, order_rate=0.5, seed=seed)) for seed in (1, 1, 2)
    )
    assert first == same
    assert first != other


# Limits -------------------------------------------------------------------------------------------------------------


def words_left(result: Walk) -> list[int]:
    """Words of the summary before the first step and after each."""
    removed = np.cumsum([0, *(step.action is Action.REMOVE for step in result.steps)])
    return [result.length - int(count) for count in removed]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("limit", range(13))
def test_a_limited_walk_ends_exactly_when_so_many_words_are_left(seed: int, limit: int) -> None:
    agent, sentences = random_agent(seed), random_sentences(seed)
    for result in walk(agent, sentences, limits=[limit] * len(sentences)):
        left = words_left(result)
        assert left[-1] == min(limit, result.length)
        assert all(count > limit for count in left[:-1])
        assert sum(step.action is not Action.REMOVE for step in result.steps) <= limit


def test_every_sentence_has_its_own_limit() -> None:
    limits = [4, 0, 2, 5, 11, 1, 3]
    results = walk(random_agent(), random_sentences(), limits=limits)
    assert [words_left(result)[-1] for result in results] == [min(pair) for pair in zip(limits, LENGTHS, strict=True)]


@pytest.mark.parametrize("limit", [2, 4, 6])
def test_a_limited_walk_is_the_free_walk_until_the_limit_leaves_no_choice(limit: int) -> None:
    agent, sentences = random_agent(), random_sentences(lengths=(12,) * 10)
    for free, limited in zip(walk(agent, sentences), walk(agent, sentences, limits=[limit] * 10), strict=True):
        kept = list(np.cumsum([step.action is not Action.REMOVE for step in limited.steps]))
        free_choice = kept.index(limit) + 1 if limit in kept else len(kept)
        assert decisions(limited)[:free_choice] == decisions(free)[:free_choice]
        assert all(step.action is Action.REMOVE for step in limited.steps[free_choice:])


def test_when_only_removing_is_left_the_word_most_worth_removing_goes_first() -> None:
    agent, sentences = random_agent(), random_sentences()
    for encodings, result in zip(sentences, walk(agent, sentences, limits=[0] * len(sentences)), strict=True):
        for number, step in enumerate(result.steps, start=1):
            values = q_before(agent, encodings, result, number)
            assert step.word == max(values, key=lambda word: values[word][Action.REMOVE])


@pytest.mark.parametrize(("action_rate", "order_rate"), [(1.0, 0.0), (1.0, 1.0), (0.5, 0.5), (0.0, 1.0)])
@pytest.mark.parametrize("limit", [0, 1, 2, 4, 8, 12])
def test_exploring_never_leaves_more_words_than_the_limit(limit: int, action_rate: float, order_rate: float) -> None:
    sentences = random_sentences(lengths=LENGTHS * 5)
    exploration = explore(action_rate=action_rate, order_rate=order_rate)
    for result in walk(random_agent(), sentences, exploration=exploration, limits=[limit] * len(sentences)):
        left = words_left(result)
        assert left[-1] == min(limit, result.length)
        assert all(count > limit for count in left[:-1])
        assert sum(step.action is not Action.REMOVE for step in result.steps) <= limit


def test_a_limited_walk_explores_as_long_as_the_limit_leaves_a_choice() -> None:
    sentences = random_sentences(lengths=(12,) * 100)
    exploration = explore(action_rate=1.0, order_rate=0.0)
    results = walk(random_agent(), sentences, exploration=exploration, limits=[4] * 100)
    first = Counter(result.steps[0].action for result in results)
    assert set(first) == set(Action)
    assert min(first.values()) > 15
