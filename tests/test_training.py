"""Q-learning: what is stored, what is learned from it, and that a run that is stopped goes on as if it had not been."""

import copy
import json
import math
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from fakes import TableMaskedLM
from torch import Tensor

from ealm.agent import Agent
from ealm.config import PUBLISHED_CODE, Settings
from ealm.data import Corpus, SkippedLines
from ealm.edits import Action
from ealm.learner import Batch, Learner, new_agent
from ealm.replay import Experience
from ealm.rewards import Assessment
from ealm.rollout import Step, Walk
from ealm.training import Trainer, experiences_of_walk
from ealm.walk_scoring import WalkScore

R, K, X = Action.REMOVE, Action.KEEP, Action.REPLACE
CUES = {f"cue{number}": f"follower{number}" for number in range(6)}
OTHERS = [f"other{number}" for number in range(6)]

SETTINGS = Settings().override(
    {
        "ignored_words.stop_words": "false",
        "ignored_words.infrequent": "none",
        "agent.hidden_units": "8",
        "rewards.top_k": "1",
        "rewards.fluency_threshold": "0.05",
        "learning.replay_size": "20",
        "learning.batch_size": "8",
        "learning.target_period": "5",
        "learning.sentences_per_collection": "3",
    }
)
PUBLISHED = PUBLISHED_CODE.override(
    {"ignored_words.infrequent": "none", "agent.hidden_units": "8", "learning.replay_size": "16"}
)


def sentences(number: int = 25) -> tuple[tuple[str, ...], ...]:
    rng = np.random.default_rng(0)
    words = [*CUES, *CUES.values(), *OTHERS, "unheard"]
    return tuple(tuple(str(w) for w in rng.choice(words, size=int(rng.integers(2, 7)))) for _ in range(number))


def letters_in_common(sources: Sequence[str], summaries: Sequence[str]) -> list[float]:
    """A similarity that depends on every letter of both."""
    return [len(set(a) & set(b)) / max(1, len(set(a) | set(b))) for a, b in zip(sources, summaries, strict=True)]


def trainer_of(settings: Settings = SETTINGS, *, seed: int = 0, lm: Any = None) -> Trainer:
    lm = lm or TableMaskedLM(CUES, OTHERS)
    corpus = Corpus(sentences(), SkippedLines(), 25)
    return Trainer(lm=lm, corpus=corpus, settings=settings, similarity=letters_in_common, seed=seed)


def advance(trainer: Trainer, steps: int = 1) -> None:
    """One collection or one update, as often as said."""
    for _ in range(steps):
        trainer.update() if trainer.pending_updates else trainer.collect()


def weights(agent: Agent) -> Tensor:
    return torch.cat([tensor.flatten() for tensor in agent.state_dict().values()])


def same_state(one: Trainer, other: Trainer) -> bool:
    """To the last bit: weights, target network, optimizer, replay, best weights, counters and generator."""
    (tensors, values), (other_tensors, other_values) = one.state(), other.state()
    return (
        values == other_values
        and tensors.keys() == other_tensors.keys()
        and all(torch.equal(tensor, other_tensors[name]) for name, tensor in tensors.items())
        and one.replay.experiences == other.replay.experiences
    )


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


@pytest.mark.parametrize("settings", [SETTINGS, PUBLISHED], ids=["paper", "published-code"])
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


# What a walk leaves behind --------------------------------------------------------------------------------------------

PATH = Walk(
    4,
    (
        Step(2, R, (0.9, 0.1, 0.2)),
        Step(0, X, (0.3, 0.1, 0.8)),
        Step(3, K, (0.0, 0.7, 0.1)),
        Step(1, R, (0.5, 0.6, 0.1)),
    ),
)


def end_at(step: int, *, violated: bool) -> WalkScore:
    assessment = Assessment(
        last_step=step, length=4, compression_rate=0.5, reconstruction_rate=0.5, similarity=0.5, fluent=True
    )
    return WalkScore((3,) * step, violated, assessment)


def experiences(score: WalkScore, **learning: bool) -> list[Experience]:
    settings = SETTINGS.override({f"learning.{name}": str(value) for name, value in learning.items()})
    rewards = [0.1 * step for step in range(1, score.assessment.last_step + 1)]
    return experiences_of_walk(9, PATH, score, rewards, settings)


def test_every_step_becomes_an_experience_with_the_state_before_it() -> None:
    found = experiences(end_at(4, violated=False))
    assert [e.word for e in found] == [2, 0, 3, 1]
    assert [e.action for e in found] == [R, X, K, R]
    assert [tuple(e.actions) for e in found] == [(K, K, K, K), (K, K, R, K), (X, K, R, K), (X, K, R, K)]
    assert [tuple(e.decided) for e in found] == [(0, 0, 0, 0), (0, 0, 1, 0), (1, 0, 1, 0), (1, 0, 1, 1)]
    assert [e.reward for e in found] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert {e.visit for e in found} == {9}


@pytest.mark.parametrize(
    ("last", "violated", "options", "next_words", "next_values"),
    [
        (4, False, {}, [0, 3, 1, None], [0.8, 0.7, 0.6, 0.0]),
        (4, True, {}, [0, 3, 1, None], [0.8, 0.7, 0.6, 0.0]),
        (2, True, {}, [0, None], [0.8, 0.0]),
        (1, True, {}, [None], [0.0]),
        (2, True, {"violation_bootstraps": True}, [0, 3], [0.8, 0.7]),
        (1, True, {"violation_bootstraps": True}, [0], [0.8]),
        (4, True, {"violation_bootstraps": True}, [0, 3, 1, None], [0.8, 0.7, 0.6, 0.0]),
        (4, False, {"drop_last_step": True}, [0, 3, 1], [0.8, 0.7, 0.6]),
        (4, True, {"drop_last_step": True}, [0, 3, 1], [0.8, 0.7, 0.6]),
        (2, True, {"drop_last_step": True}, [0, None], [0.8, 0.0]),
        (2, True, {"drop_last_step": True, "violation_bootstraps": True}, [0, 3], [0.8, 0.7]),
    ],
)
def test_only_steps_before_the_end_count_what_follows(
    last: int,
    violated: bool,
    options: dict[str, bool],
    next_words: list[int | None],
    next_values: list[float],
) -> None:
    found = experiences(end_at(last, violated=violated), **options)
    assert [e.next_word for e in found] == next_words
    assert [e.next_value for e in found] == pytest.approx(next_values)


# The update -----------------------------------------------------------------------------------------------------------

ENCODINGS = {
    visit: torch.randn(length, 12, generator=torch.Generator().manual_seed(visit))
    for visit, length in ((0, 4), (1, 2), (2, 3))
}
EXPERIENCES = [
    Experience(0, 2, bytes([K, K, K, K]), bytes([0, 0, 0, 0]), R, 0.5, 0, 3.0),
    Experience(0, 0, bytes([K, K, R, K]), bytes([0, 0, 1, 0]), X, -0.25, None, 0.0),
    Experience(1, 1, bytes([K, K]), bytes([0, 0]), K, 4.0, 0, -2.0),
    Experience(2, 0, bytes([K, R, K]), bytes([0, 1, 0]), R, 1.0, 2, 0.5),
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
    return learner.td_target(Batch.of(EXPERIENCES, ENCODINGS)).tolist()


def test_the_target_adds_the_target_networks_best_value_of_the_next_state_unless_the_step_is_terminal() -> None:
    learner = learner_of(discount=0.9)
    expected = []
    for experience in EXPERIENCES:
        following = 0.0
        if experience.next_word is not None:
            following = float(q(learner.target_network, experience, after=True)[experience.next_word].max())
        expected.append(experience.reward + 0.9 * following)
    assert targets(learner) == pytest.approx(expected, abs=1e-5)
    assert targets(learner)[1] == -0.25


def test_the_target_of_the_published_code_adds_the_value_at_collection() -> None:
    learner = learner_of(discount=0.5, bootstrap="collection")
    assert targets(learner) == pytest.approx([0.5 + 1.5, -0.25, 4.0 - 1.0, 1.0 + 0.25])


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


# The trainer ----------------------------------------------------------------------------------------------------------


def test_exploration_falls_with_updates() -> None:
    settings = SETTINGS.override(
        {"action_exploration.every": "4", "action_exploration.decay": "0.5", "order_exploration.start": "0.6"}
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


class WatchedLM(TableMaskedLM):
    """Knows which of its encodings are still held by somebody."""

    def __init__(self) -> None:
        super().__init__(CUES, OTHERS)
        self._given: list[weakref.ref[Tensor]] = []

    def encode(self, sentences: Sequence[Sequence[int]]) -> list[Tensor]:
        encodings = super().encode(sentences)
        self._given += [weakref.ref(tensor) for tensor in encodings]
        return encodings

    def held(self) -> list[int]:
        """Numbers of encodings, in the order in which they were asked for."""
        return [number for number, given in enumerate(self._given) if given() is not None]


def test_encodings_of_sentences_that_left_the_buffer_are_dropped() -> None:
    lm = WatchedLM()
    trainer = trainer_of(lm=lm)
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
    second.restore(*copy.deepcopy(first.state()))
    assert first.replay.oldest_visit is not None
    assert len(lm.held()) == first.visits - first.replay.oldest_visit


def test_the_result_has_the_weights_at_the_best_mean_reward_of_a_full_buffer() -> None:
    trainer = trainer_of(seed=3)
    best: tuple[float, Tensor] | None = None
    improved = 0
    for _ in range(150):
        collecting = not trainer.pending_updates
        advance(trainer)
        if not trainer.replay.full:
            assert trainer.best_reward is None
            assert torch.equal(weights(trainer.result().build()), weights(trainer.agent))
        elif collecting and (best is None or trainer.replay.mean_reward() > best[0]):
            best = trainer.replay.mean_reward(), weights(trainer.agent).clone()
            improved += 1
    assert best is not None
    assert improved > 1
    assert trainer.best_reward == best[0]
    assert torch.equal(weights(trainer.result().build()), best[1])
    assert not torch.equal(weights(trainer.agent), best[1])


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
        Trainer(lm=lm, corpus=corpus, settings=SETTINGS, similarity=None, seed=0)
    without = SETTINGS.override({"rewards.similarity_weight": "0"})
    advance(Trainer(lm=lm, corpus=corpus, settings=without, similarity=None, seed=0), 10)


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
