"""Q-learning: the trainer, and that a run that is stopped goes on as if it had not been."""

import copy
import json
import math
import weakref
from collections import deque
from collections.abc import Sequence

import pytest
import torch
from fakes import TableMaskedLM
from torch import Tensor
from train_fakes import letters_in_common
from training_runs import CUES, OTHERS, PUBLISHED, SETTINGS, advance, same_state, sentences, trainer_of, weights

from ealm.common.config import Settings
from ealm.paper.agent import Agent
from ealm.paper.edits import Action
from ealm.paper.source import Source
from ealm.text.corpus import Corpus, SkippedLines
from ealm.training.paper_trainer import PaperTrainer
from ealm.training.return_gate import scripted_walk

# The same again -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [SETTINGS, PUBLISHED], ids=["paper", "published-code"])
def test_the_same_seed_gives_the_same_run(settings: Settings) -> None:
    first, second = trainer_of(settings, seed=4), trainer_of(settings, seed=4)
    for trainer in (first, second):
        advance(trainer, 60)
    assert first.updates > 20
    assert same_state(first, second)


def test_another_seed_gives_other_weights_walks_and_order() -> None:
    first, second = trainer_of(seed=1), trainer_of(seed=2)
    assert not torch.equal(weights(first.agent), weights(second.agent))
    for trainer in (first, second):
        advance(trainer, 30)
    assert first.replay.experiences != second.replay.experiences
    assert not torch.equal(weights(first.agent), weights(second.agent))


def test_training_leaves_the_generators_of_the_caller_alone() -> None:
    torch.manual_seed(11)
    before = torch.random.get_rng_state()
    advance(trainer_of(), 20)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize(
    "settings",
    [SETTINGS.override({"learning.averaged_updates": "10"}), PUBLISHED],
    ids=["paper", "published-code"],
)
def test_a_run_stopped_anywhere_goes_on_as_if_it_had_not_been(settings: Settings) -> None:
    whole = trainer_of(settings, seed=6)
    snapshots = []
    for _ in range(36):
        tensors, values = whole.state()
        snapshots.append((copy.deepcopy(tensors), json.dumps(values)))
        advance(whole)
    assert whole.best_reward is not None  # the buffer has been full, and old experiences have left it
    assert {json.loads(values)["pending_updates"] > 0 for _, values in snapshots} == {True, False}
    for done, (tensors, values) in enumerate(snapshots):
        resumed = trainer_of(settings, seed=6)
        resumed.restore(tensors, json.loads(values))
        advance(resumed, 36 - done)
        assert same_state(resumed, whole), f"stopped after {done} steps"


def test_a_restored_trainer_is_in_the_state_it_was_restored_from() -> None:
    first = trainer_of(seed=6)
    advance(first, 40)
    second = trainer_of(seed=6)
    second.restore(*copy.deepcopy(first.state()))
    assert same_state(first, second)
    assert second.result().weights.keys() == first.result().weights.keys()
    for name, tensor in first.result().weights.items():
        assert torch.equal(second.result().weights[name], tensor)


def test_a_state_stays_as_it_is_while_training_goes_on() -> None:
    trainer = trainer_of(seed=6)
    advance(trainer, 40)
    assert trainer.best_reward is not None
    tensors, values = trainer.state()
    before = copy.deepcopy((tensors, values))
    advance(trainer, 40)
    assert values == before[1]
    for name, tensor in before[0].items():
        assert torch.equal(tensors[name], tensor), name
    after, _ = trainer.state()
    for name in ("agent.first.weight", "target.first.weight", "adam.0.step", "adam.2.exp_avg", "replay.values"):
        assert not torch.equal(after[name], tensors[name]), name


def test_trainers_restored_from_one_state_have_nothing_in_common() -> None:
    source = trainer_of(seed=6)
    advance(source, 40)
    state = source.state()
    before = copy.deepcopy(state)
    one, other = trainer_of(seed=6), trainer_of(seed=6)
    for trainer in (one, other):
        trainer.restore(*state)
    advance(one, 30)
    assert [name for name, tensor in before[0].items() if not torch.equal(state[0][name], tensor)] == []
    assert state[1] == before[1]
    assert same_state(other, source)
    advance(other, 30)
    assert same_state(one, other)


# The trainer ----------------------------------------------------------------------------------------------------------


def test_exploration_falls_with_updates() -> None:
    settings = SETTINGS.override(
        {"action_exploration.every": "4", "action_exploration.decay": "0.5", "order_exploration.start": "0.6"}
        | {"order_exploration.minimum": "0.03"}
        | {"order_exploration.every": "10", "order_exploration.decay": "0.9", "action_exploration.minimum": "0.1"}
    )
    trainer = trainer_of(settings)
    for _ in range(60):
        advance(trainer)
        updates = trainer.updates
        assert trainer.exploration.action_rate == pytest.approx(max(0.1, 0.9 * 0.5 ** (updates // 4)))
        assert trainer.exploration.order_rate == pytest.approx(0.6 * 0.9 ** (updates // 10))
    assert trainer.exploration.action_rate == 0.1


def test_exploration_falls_with_sentences_if_the_settings_say_so() -> None:
    unit = {"action_exploration.unit": "sentences", "action_exploration.every": "6", "action_exploration.decay": "0.8"}
    unit |= {"action_exploration.minimum": "0.03"}
    trainer = trainer_of(SETTINGS.override(unit))
    for collections in range(1, 7):
        trainer.collect()
        assert trainer.visits == 3 * collections
        assert trainer.exploration.action_rate == pytest.approx(0.9 * 0.8 ** (collections // 2))
        assert trainer.exploration.order_rate == 0.9
    assert trainer.updates == 0


def test_collections_pay_for_updates_once_there_is_a_batch() -> None:
    trainer = trainer_of(SETTINGS.override({"learning.updates_per_sentence": "2", "learning.batch_size": "20"}))
    while not trainer.pending_updates:
        assert len(trainer.replay) < 20
        trainer.collect()
    assert len(trainer.replay) >= 20
    assert trainer.pending_updates == 6
    trainer.update()
    assert (trainer.pending_updates, trainer.updates) == (5, 1)


def test_an_update_may_be_for_several_sentences() -> None:
    settings = {"learning.updates_per_sentence": "0.5", "learning.sentences_per_collection": "4"}
    trainer = trainer_of(SETTINGS.override(settings))
    while not trainer.pending_updates:
        trainer.collect()
    assert trainer.pending_updates == 2


class WatchedLM(TableMaskedLM):
    """Knows which of its encodings are still held by somebody."""

    def __init__(self) -> None:
        super().__init__(CUES, OTHERS)
        self._given: list[weakref.ref[Tensor]] = []

    def encode(self, sentences: Sequence[Sequence[int]]) -> list[Tensor]:
        encodings = super().encode(sentences)
        self._given += [weakref.ref(tensor) for tensor in encodings]
        return encodings

    def begin(self) -> None:
        """Forget what was given before training: held-out sentences stay encoded."""
        self._given = []

    def held(self) -> list[int]:
        """Numbers of encodings, in the order in which they were asked for."""
        return [number for number, given in enumerate(self._given) if given() is not None]


def test_encodings_of_sentences_that_left_the_buffer_are_dropped() -> None:
    lm = WatchedLM()
    trainer = trainer_of(lm=lm)
    lm.begin()
    for _ in range(25):
        trainer.collect()
        oldest = trainer.replay.oldest_visit
        assert oldest is not None
        assert lm.held() == list(range(oldest, trainer.visits))
    assert trainer.replay.oldest_visit  # so something has been dropped


def test_a_restored_trainer_holds_the_same_encodings() -> None:
    first = trainer_of()
    advance(first, 60)
    lm = WatchedLM()
    second = trainer_of(lm=lm)
    lm.begin()
    second.restore(*copy.deepcopy(first.state()))
    assert first.replay.oldest_visit is not None
    assert len(lm.held()) == first.visits - first.replay.oldest_visit


def test_the_result_has_the_weights_at_the_best_mean_reward_over_many_walks() -> None:
    trainer = trainer_of(seed=3)
    newest: deque[list[float]] = deque(maxlen=6)
    best: tuple[float, Tensor] | None = None
    improved = 0
    for _ in range(150):
        if trainer.pending_updates:
            trainer.update()
            continue
        newest.extend(list(walk.rewards) for walk in trainer.collect())
        if len(newest) < 6:
            assert trainer.best_reward is None
            assert torch.equal(weights(trainer.result().build()), weights(trainer.agent))
            continue
        rewards = [reward for walk in newest for reward in walk]
        if best is None or sum(rewards) / len(rewards) > best[0]:
            best = sum(rewards) / len(rewards), weights(trainer.agent).clone()
            improved += 1
    assert best is not None
    assert improved > 1
    assert trainer.best_reward == pytest.approx(best[0])
    assert torch.equal(weights(trainer.result().build()), best[1])
    assert not torch.equal(weights(trainer.agent), best[1])


def test_no_agent_is_judged_before_exploration_is_at_its_minimum() -> None:
    falling = {"action_exploration.every": "2", "action_exploration.decay": "0.8", "action_exploration.minimum": "0.1"}
    trainer = trainer_of(SETTINGS.override(falling))
    judged = []
    for _ in range(120):
        if not trainer.pending_updates:
            rate, walks = trainer.exploration.action_rate, trainer.visits
            trainer.collect()
            judged.append((trainer.best_reward is not None, rate, walks))
        else:
            trainer.update()
    first = next(number for number, (found, _, _) in enumerate(judged) if found)
    at_minimum = next(walks for _, rate, walks in judged if rate == 0.1)
    assert judged[first][2] >= at_minimum + 3  # six walks are judged, three of which are of the collection itself


def test_the_learning_rate_falls_once_exploration_is_at_its_minimum() -> None:
    falling = {"action_exploration.every": "2", "action_exploration.decay": "0.8", "action_exploration.minimum": "0.1"}
    moved: dict[float, list[float]] = {}
    trainer = trainer_of(SETTINGS.override(falling | {"learning.settled_learning_rate": "0.00001"}))
    for _ in range(120):
        if not trainer.pending_updates:
            trainer.collect()
            continue
        rate, before = trainer.exploration.action_rate, weights(trainer.agent).clone()
        trainer.update()
        moved.setdefault(rate, []).append(float((weights(trainer.agent) - before).abs().max()))
    settled = moved.pop(0.1)
    assert max(settled) < 0.00002 < 0.0002 < min(map(max, moved.values()))


def test_the_settled_learning_rate_falls_on() -> None:
    falling = {"action_exploration.every": "2", "action_exploration.decay": "0.8", "action_exploration.minimum": "0.1"}
    rates = {"learning.settled_learning_rate": "0.0001", "learning.settled_half_life": "10"}
    trainer = trainer_of(SETTINGS.override(falling | rates))
    used: dict[int, float] = {}
    for _ in range(160):
        if trainer.pending_updates:
            updates = trainer.updates
            trainer.update()
            used[updates] = trainer.networks.learning_rate
        else:
            trainer.collect()
    least = next(updates for updates, rate in used.items() if rate <= 0.0001)
    assert used[least] == 0.0001
    assert used[least + 10] == pytest.approx(0.0001 / 2)
    assert used[least + 20] == pytest.approx(0.0001 / 3)


def test_the_agent_that_is_kept_can_be_the_mean_of_its_weights() -> None:
    trainer = trainer_of(SETTINGS.override({"learning.averaged_updates": "1000", "learning.judged_walks": "500"}))
    seen = []
    for _ in range(60):
        if trainer.pending_updates:
            trainer.update()
            seen.append(weights(trainer.agent).clone())
        else:
            trainer.collect()
    tensors, _ = trainer.state()
    mean = torch.stack(seen).mean(dim=0)
    assert torch.allclose(
        tensors["mean.second.weight"].flatten(), _part(trainer.agent, mean, "second.weight"), atol=1e-6
    )
    assert not torch.allclose(mean, seen[-1], atol=1e-3)


def _part(agent: Agent, flat: Tensor, wanted: str) -> Tensor:
    start = 0
    for name, tensor in agent.state_dict().items():
        if name == wanted:
            return flat[start : start + tensor.numel()]
        start += tensor.numel()
    raise KeyError(wanted)


# The gate -------------------------------------------------------------------------------------------------------------


def test_the_agent_is_compared_with_the_script_on_held_out_sentences() -> None:
    trainer = trainer_of()
    assert trainer.returns is None
    trainer.collect()
    first = trainer.returns
    assert first is not None
    assert set(trainer.rates) >= {"greedy_return", "script_return", "greedy_violations"}
    advance(trainer, 60)
    assert trainer.returns is not None
    assert trainer.returns.script_return == first.script_return
    assert trainer.returns.greedy_return != first.greedy_return


def test_the_script_removes_what_does_not_count_and_keeps_the_rest() -> None:
    source = Source(("the", "old", "bridge"), (1, 2, 3), (False, True, True))
    path = scripted_walk(source)
    assert [(step.word, step.action) for step in path.steps] == [(0, Action.REMOVE), (1, Action.KEEP), (2, Action.KEEP)]


def test_nothing_is_measured_where_nothing_is_held_out() -> None:
    corpus = Corpus(sentences(), SkippedLines(), 25)
    lm = TableMaskedLM(CUES, OTHERS)
    trainer = PaperTrainer(lm=lm, corpus=corpus, settings=SETTINGS, similarity=letters_in_common, seed=0)
    trainer.collect()
    assert trainer.returns is None
    assert set(trainer.rates) == {"action_exploration", "order_exploration"}


def test_the_published_preset_trains_without_breaking_down() -> None:
    trainer = trainer_of(PUBLISHED)
    losses = []
    while trainer.updates < 80:
        if trainer.pending_updates:
            losses.append(trainer.update())
        else:
            trainer.collect()
    assert all(math.isfinite(loss) for loss in losses)
    assert torch.isfinite(weights(trainer.agent)).all()
    lengths = {len(e.actions) - sum(e.decided) for e in trainer.replay.experiences}
    assert min(lengths) > 1  # the last step of a walk is dropped


def test_walks_are_reported_with_rates_between_0_and_1() -> None:
    trainer = trainer_of()
    for _ in range(10):
        for walk in trainer.collect():
            assert 1 <= len(walk.rewards) <= 6
            assert 0 <= walk.measures["compression_rate"] <= 1
            assert 0 <= walk.measures["reconstruction_rate"] <= 1
            assert 0 < walk.measures["walked"] <= 1


def test_a_similarity_may_be_left_out_only_if_it_has_no_weight() -> None:
    corpus, lm = Corpus(sentences(), SkippedLines(), 25), TableMaskedLM(CUES, OTHERS)
    with pytest.raises(ValueError, match="similarity is needed"):
        PaperTrainer(lm=lm, corpus=corpus, settings=SETTINGS, similarity=None, seed=0)
    without = SETTINGS.override({"rewards.similarity_weight": "0"})
    advance(PaperTrainer(lm=lm, corpus=corpus, settings=without, similarity=None, seed=0), 10)


def test_similarity_and_fluency_reach_the_rewards_with_their_weights() -> None:
    """The first collection walks the same way whatever the weights, so that only the assessments differ."""
    first = {}
    for similarity in (0.0, 0.5):
        for fluency in (0.0, 0.5):
            options = {"similarity_weight": similarity, "fluency_weight": fluency, "fluency_threshold": 0.0}
            settings = SETTINGS.override({f"rewards.{name}": str(value) for name, value in options.items()})
            first[similarity, fluency] = trainer_of(settings, seed=8).collect()
    plain = first[0.0, 0.0]
    for number, walk in enumerate(plain):
        gained = [first[key][number].rewards[0] - walk.rewards[0] for key in ((0.5, 0.0), (0.0, 0.5), (0.5, 0.5))]
        assert gained[2] == pytest.approx(gained[0] + gained[1])
        assert gained[1] == pytest.approx(0.5 * walk.measures["walked"] if walk.measures["compression_rate"] < 1 else 0)
    assert any(one.rewards[0] > other.rewards[0] for one, other in zip(first[0.5, 0.0], plain, strict=True))
