"""Section 4.3.1 and appendix A.2: walks in the order of confidence, with and without exploration."""

from collections import Counter
from collections.abc import Callable, Collection

import numpy as np
import oracle
import pytest
import torch
from torch import Tensor

from ealm.common.config import AgentSettings
from ealm.paper.agent import Agent
from ealm.paper.edits import Action
from ealm.paper.rollout import Exploration, Step, Walk, uncertainty, walk

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


def q_before(
    agent: Agent, encodings: Tensor, result: Walk, step: int, locked: Collection[int] = ()
) -> dict[int, list[float]]:
    """The formulas' Q-values of the words undecided before a step (counted from 1)."""
    done = {decision.word for decision in result.steps[: step - 1]} | set(locked)
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


Locked = list[frozenset[int]]
"""Locked words of each sentence."""

LOCKS: dict[str, Callable[[int, int], Collection[int]]] = {
    "none": lambda row, length: (),
    "the last": lambda row, length: [length - 1],
    "every second": lambda row, length: range(row % 2, length, 2),
    "as many as it is late": lambda row, length: range(min(row, length)),
    "all but one": lambda row, length: set(range(length)) - {row % (length or 1)},
    "all of some": lambda row, length: range(length) if row % 3 == 0 else (),
    "all": lambda row, length: range(length),
}
"""Which words of a sentence are locked, by its number and length; most differ from sentence to sentence."""


def locked_words(name: str, lengths: tuple[int, ...] = LENGTHS) -> Locked:
    """Places that are there, in sets: an empty sentence has none."""
    return [
        frozenset(word for word in LOCKS[name](row, length) if 0 <= word < length) for row, length in enumerate(lengths)
    ]


@pytest.mark.parametrize("extractive", [False, True])
@pytest.mark.parametrize("name", LOCKS)
def test_a_sentence_is_walked_the_same_alone_in_company_and_in_any_order(name: str, extractive: bool) -> None:
    agent, sentences, locked = random_agent(), random_sentences(), locked_words(name)
    together = walk(agent, sentences, locked=locked, extractive=extractive)
    alone = [
        walk(agent, [sentence], locked=[kept], extractive=extractive)[0]
        for sentence, kept in zip(sentences, locked, strict=True)
    ]
    turned = walk(agent, sentences[::-1], locked=locked[::-1], extractive=extractive)[::-1]
    assert [decisions(result) for result in together] == [decisions(result) for result in alone]
    assert [decisions(result) for result in together] == [decisions(result) for result in turned]


@pytest.mark.parametrize("name", LOCKS)
def test_more_sentences_than_fit_side_by_side_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, sentences, locked = random_agent(), random_sentences(), locked_words(name)
    together = walk(agent, sentences, locked=locked)
    monkeypatch.setattr("ealm.paper.rollout._WORD_BUDGET", 10)
    assert [decisions(result) for result in walk(agent, sentences, locked=locked)] == [
        decisions(result) for result in together
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", LOCKS)
@pytest.mark.parametrize("lengths", [(12, 1, 1, 4), (2, 9, 5, 9, 1, 3), (6, 6, 5), (0, 7, 0, 2)])
def test_rows_that_end_early_do_not_disturb_the_others(
    seed: int, name: str, lengths: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ealm.paper.rollout._WORD_BUDGET", 10_000)  # all in one batch
    agent, sentences, locked = random_agent(seed), random_sentences(seed, lengths), locked_words(name, lengths)
    together = walk(agent, sentences, locked=locked)
    for sentence, kept, found in zip(sentences, locked, together, strict=True):
        (alone,) = walk(agent, [sentence], locked=[kept])
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


# Locked words -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exploring", [False, True])
@pytest.mark.parametrize("name", LOCKS)
def test_locked_words_are_kept_and_all_others_decided_exactly_once(name: str, exploring: bool) -> None:
    locked = locked_words(name)
    exploration = explore(action_rate=0.5, order_rate=0.5) if exploring else None
    results = walk(random_agent(), random_sentences(), exploration=exploration, locked=locked)
    for length, kept, result in zip(LENGTHS, locked, results, strict=True):
        assert result.length == length
        assert sorted(step.word for step in result.steps) == sorted(set(range(length)) - kept)
        for number in range(len(result.steps) + 1):
            actions = result.actions_after(number)
            assert len(actions) == length
            assert {actions[word] for word in kept} <= {Action.KEEP}


def test_a_sentence_with_nothing_but_locked_words_is_walked_in_no_steps() -> None:
    agent, sentences = random_agent(), random_sentences()
    assert walk(agent, sentences, locked=locked_words("all")) == [Walk(length, ()) for length in LENGTHS]
    mixed = walk(agent, sentences, locked=locked_words("all of some"))
    assert [len(result.steps) for result in mixed] == [0, 1, 9, 0, 12, 2, 0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", LOCKS)
def test_a_walk_around_locked_words_goes_in_the_order_of_confidence(seed: int, name: str) -> None:
    """A locked word is to the agent a word that was decided before, to Keep."""
    agent, sentences, locked = random_agent(seed), random_sentences(seed), locked_words(name)
    for encodings, kept, result in zip(sentences, locked, walk(agent, sentences, locked=locked), strict=True):
        assert decisions(result) == oracle.greedy_walk(agent, encodings.tolist(), kept=kept)


@pytest.mark.parametrize("name", LOCKS)
def test_a_step_has_the_q_values_of_the_plain_agent_to_which_locked_words_are_decided(name: str) -> None:
    agent, sentences, locked = random_agent(), random_sentences(), locked_words(name)
    for encodings, kept, result in zip(sentences, locked, walk(agent, sentences, locked=locked), strict=True):
        decided = torch.tensor([[int(word in kept) for word in range(result.length)]])
        for number, step in enumerate(result.steps, start=1):
            actions = torch.tensor([[int(action) for action in result.actions_after(number - 1)]])
            with torch.no_grad():
                values = agent(encodings[None], actions, decided, torch.ones_like(decided, dtype=torch.bool))[0]
            assert step.q_values == pytest.approx(values[step.word].tolist(), rel=1e-9, abs=1e-9)
            assert max(step.q_values) == pytest.approx(float(values[decided[0] == 0].max()), rel=1e-9, abs=1e-9)
            decided[0, step.word] = 1


def test_locking_a_word_is_not_the_same_as_leaving_it_undecided() -> None:
    """Otherwise the comparisons above would show little: the agent sees whether a word is decided."""
    agent, sentences = random_agent(), random_sentences(lengths=(6,) * 40)
    locked = walk(agent, sentences, locked=[{0}] * 40)
    free = walk(agent, sentences)
    assert any(decisions(one)[0] != decisions(other)[0] for one, other in zip(locked, free, strict=True))


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_locked_words_may_come_in_any_collection_and_any_order(kind: Callable[[list[int]], Collection[int]]) -> None:
    agent, sentences = random_agent(), random_sentences(lengths=(6, 4))
    assert walk(agent, sentences, locked=[kind([4, 1]), kind([])]) == walk(agent, sentences, locked=[{1, 4}, ()])


def test_every_sentence_needs_its_locked_words() -> None:
    with pytest.raises(ValueError, match="zip"):
        walk(random_agent(), random_sentences(lengths=(3, 2)), locked=[()])


def test_exploring_around_locked_words_follows_the_plain_agent() -> None:
    agent, sentences, locked = random_agent(), random_sentences(), locked_words("every second")
    results = walk(agent, sentences, exploration=explore(action_rate=0.0, order_rate=1.0), locked=locked)
    for encodings, kept, result in zip(sentences, locked, results, strict=True):
        for number, step in enumerate(result.steps, start=1):
            values = q_before(agent, encodings, result, number, kept)
            assert step.word == max(values, key=lambda word: oracle.entropy(values[word]))
            assert step.action == int(np.argmax(values[step.word]))


# Extractive walks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", LOCKS)
def test_an_extractive_walk_takes_the_surest_of_the_two_actions_that_are_left(seed: int, name: str) -> None:
    agent, sentences, locked = random_agent(seed), random_sentences(seed), locked_words(name)
    results = walk(agent, sentences, locked=locked, extractive=True)
    for encodings, kept, result in zip(sentences, locked, results, strict=True):
        expected = oracle.greedy_walk(
            agent, encodings.tolist(), kept=kept, allowed=[action for action in Action if action != Action.REPLACE]
        )
        assert decisions(result) == expected


def test_an_extractive_walk_never_replaces_though_the_agent_would() -> None:
    agent, sentences = random_agent(), random_sentences()
    free = {step.action for result in walk(agent, sentences) for step in result.steps}
    found = {step.action for result in walk(agent, sentences, extractive=True) for step in result.steps}
    assert free == set(Action)
    assert found == {Action.REMOVE, Action.KEEP}


def test_an_extractive_walk_tells_the_q_values_of_all_three_actions() -> None:
    agent, sentences = random_agent(), random_sentences()
    for encodings, result in zip(sentences, walk(agent, sentences, extractive=True), strict=True):
        for number, step in enumerate(result.steps, start=1):
            expected = q_before(agent, encodings, result, number)[step.word]
            assert step.q_values == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_an_extractive_walk_never_replaces_while_it_explores_either() -> None:
    sentences = random_sentences(lengths=(12,) * 20)
    exploration = explore(action_rate=1.0, order_rate=0.5)
    results = walk(random_agent(), sentences, exploration=exploration, extractive=True)
    assert {step.action for result in results for step in result.steps} == {Action.REMOVE, Action.KEEP}
