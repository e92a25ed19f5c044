"""Settings check themselves, survive JSON, and the presets differ where the paper and its code do."""

import dataclasses
import json
from typing import Any

import pytest

from ealm.common import config
from ealm.common.config import (
    PAPER,
    PRESETS,
    PUBLISHED_CODE,
    AgentSettings,
    DataSettings,
    DecodingSettings,
    ExplorationSettings,
    IgnoredWordsSettings,
    LearningSettings,
    RewardSettings,
    Settings,
)
from ealm.common.errors import EalmError, SettingsError

GROUPS = (
    DataSettings,
    IgnoredWordsSettings,
    AgentSettings,
    DecodingSettings,
    RewardSettings,
    ExplorationSettings,
    LearningSettings,
)
SHARES = [
    (DecodingSettings, "parallel_confidence"),
    (RewardSettings, "min_reconstruction"),
    (RewardSettings, "min_compression"),
    (RewardSettings, "all_ignored_rate"),
    (RewardSettings, "fluency_threshold"),
    (ExplorationSettings, "decay"),
    (LearningSettings, "discount"),
    (LearningSettings, "parallel_confidence"),
]
LEAST = [
    (DataSettings, "max_words", 2),
    (DataSettings, "max_sentences", 1),
    (IgnoredWordsSettings, "min_count", 1),
    (IgnoredWordsSettings, "min_zipf", 0),
    (AgentSettings, "hidden_units", 1),
    (RewardSettings, "similarity_weight", 0),
    (RewardSettings, "fluency_weight", 0),
    (RewardSettings, "top_k", 1),
    (RewardSettings, "fluency_passes", 1),
    (ExplorationSettings, "every", 1),
    (LearningSettings, "replay_size", 1),
    (LearningSettings, "batch_size", 1),
    (LearningSettings, "target_period", 1),
    (LearningSettings, "sentences_per_collection", 1),
]


# Defaults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("data.pretokenized", False),
        ("data.max_words", 49),
        ("data.max_sentences", 30_000),
        ("agent.hidden_units", 200),
        ("agent.activate_first_layer", True),
        ("decoding.mode", "sequential"),
        ("decoding.fill_order", "probability"),
        ("rewards.min_reconstruction", 0.5),
        ("rewards.min_compression", 0.3),
        ("rewards.strict_floors", True),
        ("rewards.top_k", 10),
        ("rewards.all_ignored_rate", 1.0),
        ("rewards.similarity_weight", 0.1),
        ("rewards.fluency_weight", 0.1),
        ("rewards.fluency_threshold", 0.005),
        ("rewards.fluency_passes", None),
        ("action_exploration.start", 0.9),
        ("action_exploration.decay", 0.995),
        ("action_exploration.every", 100),
        ("action_exploration.unit", "updates"),
        ("action_exploration.minimum", 0.03),
        ("order_exploration.start", 0.9),
        ("learning.discount", 0.995),
        ("learning.batch_size", 128),
        ("learning.replay_size", 2_000),
        ("learning.learning_rate", 0.001),
        ("learning.gradient_clip", 1.0),
        ("learning.loss", "squared"),
        ("learning.bootstrap", "target-network"),
        ("learning.parallel_confidence", None),
    ],
)
def test_the_defaults_are_the_papers_values(path: str, expected: object) -> None:
    assert flat(PAPER.to_dict())[path] == expected


# Checks -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("group", "name"), SHARES)
@pytest.mark.parametrize(
    ("value", "ending"),
    [(30, "got 30. Did you mean 0.3?"), (1.5, "got 1.5. Did you mean 0.015?"), (-0.5, "got -0.5."), (200, "got 200.")],
)
def test_a_share_outside_its_range_is_refused_with_a_guess(group: Any, name: str, value: float, ending: str) -> None:
    with pytest.raises(SettingsError) as caught:
        group(**{name: value})
    assert str(caught.value) == f"{name} must be between 0 and 1, {ending}"


@pytest.mark.parametrize(("group", "name"), SHARES)
@pytest.mark.parametrize("value", [0, 1, 0.5])
def test_a_share_includes_both_ends(group: Any, name: str, value: float) -> None:
    assert getattr(group(**{name: value}), name) == value


@pytest.mark.parametrize("name", ["start", "minimum"])
def test_exploration_rates_are_shares_too(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} must be between 0 and 1"):
        ExplorationSettings(**{name: 1.2})


@pytest.mark.parametrize(("group", "name", "least"), LEAST)
def test_a_number_below_its_least_value_is_refused(group: Any, name: str, least: int) -> None:
    with pytest.raises(SettingsError) as caught:
        group(**{name: least - 1})
    assert str(caught.value) == f"{name} must be at least {least}, got {least - 1}."


@pytest.mark.parametrize(("group", "name", "least"), [row for row in LEAST if row[1] != "replay_size"])
def test_a_number_at_its_least_value_is_taken(group: Any, name: str, least: int) -> None:
    assert getattr(group(**{name: least}), name) == least


@pytest.mark.parametrize("name", ["learning_rate", "gradient_clip", "updates_per_sentence"])
@pytest.mark.parametrize("value", [0, -1.5])
def test_rates_of_learning_must_be_above_nothing(name: str, value: float) -> None:
    with pytest.raises(SettingsError) as caught:
        LearningSettings(**{name: value})  # type: ignore[arg-type]
    assert str(caught.value) == f"{name} must be above 0, got {value:g}."


def test_a_collection_pays_for_whole_updates() -> None:
    with pytest.raises(SettingsError, match=r"must be a whole number of updates, got 5 times 0\.5"):
        LearningSettings(sentences_per_collection=5, updates_per_sentence=0.5)


@pytest.mark.parametrize(
    ("group", "name", "value", "message"),
    [
        (RewardSettings, "top_k", 2.5, "top_k must be int, got 2.5."),
        (RewardSettings, "top_k", "ten", "top_k must be int, got 'ten'."),
        (RewardSettings, "top_k", True, "top_k must be int, got True."),
        (RewardSettings, "min_compression", True, "min_compression must be float, got True."),
        (RewardSettings, "min_compression", None, "min_compression must be float, got None."),
        (RewardSettings, "min_compression", float("nan"), "min_compression must be a finite number, got nan."),
        (RewardSettings, "strict_floors", 1, "strict_floors must be bool, got 1."),
        (DataSettings, "pretokenized", "yes", "pretokenized must be bool, got 'yes'."),
        (DataSettings, "max_sentences", "all", "max_sentences must be int or nothing, got 'all'."),
        (DataSettings, "max_sentences", False, "max_sentences must be int or nothing, got False."),
        (DecodingSettings, "mode", "fast", "mode must be one of sequential, approximate, parallel, got 'fast'."),
        (LearningSettings, "loss", "l1", "loss must be one of squared, huber, got 'l1'."),
        (IgnoredWordsSettings, "infrequent", None, "infrequent must be one of corpus, wordfreq, none, got None."),
        (Settings, "learning", {"discount": 0.9}, "learning must be LearningSettings, got {'discount': 0.9}."),
        (Settings, "preset", 1, "preset must be str, got 1."),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(group: Any, name: str, value: object, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        group(**{name: value})
    assert str(caught.value) == message


def test_whole_numbers_and_nothing_are_taken_where_they_make_sense() -> None:
    assert RewardSettings(min_compression=1).min_compression == 1
    assert DataSettings(max_sentences=None).max_sentences is None


def test_the_least_exploration_may_not_exceed_the_first() -> None:
    with pytest.raises(SettingsError, match=r"^minimum must not exceed start, got 0\.5 > 0\.1\.$"):
        ExplorationSettings(start=0.1, minimum=0.5)
    assert ExplorationSettings(start=0.1, minimum=0.1).minimum == 0.1


def test_a_batch_must_fit_into_the_replay_buffer() -> None:
    with pytest.raises(SettingsError, match=r"^replay_size must be at least batch_size, got 100 < 128\.$"):
        LearningSettings(replay_size=100)
    assert LearningSettings(replay_size=128).replay_size == 128


def test_bad_settings_are_both_our_error_and_a_value_error() -> None:
    assert issubclass(SettingsError, EalmError)
    assert issubclass(SettingsError, ValueError)


@pytest.mark.parametrize("group", [*GROUPS, Settings])
def test_settings_cannot_be_changed_and_take_names_only(group: Any) -> None:
    name = dataclasses.fields(group)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(group(), name, getattr(group(), name))
    with pytest.raises(TypeError):
        group(getattr(group(), name))


# Exploration --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("updates", "expected"), [(0, 0.9), (99, 0.9), (100, 0.9 * 0.995), (250, 0.9 * 0.995**2), (10**6, 0.03)]
)
def test_exploration_falls_every_hundred_updates_to_its_minimum(updates: int, expected: float) -> None:
    assert ExplorationSettings().rate(updates=updates, sentences=10**6) == pytest.approx(expected)


@pytest.mark.parametrize(("sentences", "expected"), [(9, 0.9), (10, 0.9 * 0.995), (10**6, 0.03)])
def test_exploration_can_count_sentences_instead(sentences: int, expected: float) -> None:
    settings = PUBLISHED_CODE.action_exploration
    assert settings.rate(updates=10**6, sentences=sentences) == pytest.approx(expected)


# JSON and overriding ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", PRESETS.values(), ids=PRESETS)
def test_settings_survive_json(settings: Settings) -> None:
    assert Settings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


def test_missing_names_take_their_defaults() -> None:
    assert Settings.from_dict({}) == PAPER
    partial = Settings.from_dict({"learning": {"discount": 0.9}})
    assert partial == dataclasses.replace(PAPER, learning=LearningSettings(discount=0.9))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lerning": {}}, "settings has no setting 'lerning'; it has: preset, method, data,"),
        ({"learning": {"gamma": 1}}, "learning has no setting 'gamma'; it has: discount, batch_size,"),
        ({"learning": 3}, "learning must be a group of settings, got 3."),
        ([], "settings must be a group of settings, got []."),
        ({"learning": {"discount": "high"}}, "discount must be float, got 'high'."),
        ({"rewards": {"min_compression": 30}}, "min_compression must be between 0 and 1, got 30. Did you mean 0.3?"),
    ],
)
def test_unreadable_settings_say_what_is_wrong(values: Any, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_dict(values)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("learning.discount", "0.95", 0.95),
        ("learning.batch_size", "1", 1),
        ("learning.loss", "huber", "huber"),
        ("data.pretokenized", "true", True),
        ("data.pretokenized", "false", False),
        ("data.max_sentences", "None", None),
        ("data.max_sentences", "null", None),
        ("rewards.strict_floors", "False", False),
        ("rewards.strict_floors", " false ", False),
    ],
)
def test_one_field_can_be_overridden_by_its_path(path: str, text: str, expected: object) -> None:
    before, after = flat(PAPER.to_dict()), flat(PAPER.override({path: text}).to_dict())
    assert after[path] == expected
    assert {name: value for name, value in after.items() if name != path} == {
        name: value for name, value in before.items() if name != path
    }


def test_several_fields_are_overridden_together() -> None:
    settings = PAPER.override({"learning.batch_size": "4", "learning.replay_size": "8"})
    assert (settings.learning.batch_size, settings.learning.replay_size) == (4, 8)


@pytest.mark.parametrize(
    "path", ["discount", "learning", "learning.gamma", "lerning.discount", "learning.discount.x", ""]
)
def test_overriding_what_does_not_exist_lists_what_does(path: str) -> None:
    with pytest.raises(SettingsError, match="There is no setting") as caught:
        PAPER.override({path: "1"})
    assert repr(path) in str(caught.value)
    assert "learning.discount" in str(caught.value)


def test_a_preset_is_not_overridden_like_a_field() -> None:
    for name in ("mine", "published-code", "paper"):
        with pytest.raises(SettingsError, match="chosen with preset="):
            PAPER.override({"preset": name})


def test_overriding_with_a_bad_value_is_refused() -> None:
    with pytest.raises(SettingsError, match="min_compression must be between 0 and 1, got 30"):
        PAPER.override({"rewards.min_compression": "30"})


# Presets ------------------------------------------------------------------------------------------------------------

DIFFERENCES: dict[str, dict[str, object]] = {
    "name": {"preset": "published-code"},
    "discount": {"learning.discount": 0.95},
    "batch": {"learning.batch_size": 1, "learning.sentences_per_collection": 1},
    "exploration decay": {
        "action_exploration.every": 10,
        "action_exploration.unit": "sentences",
        "order_exploration.every": 10,
        "order_exploration.unit": "sentences",
    },
    "loss": {"learning.loss": "huber"},
    "target": {"learning.bootstrap": "collection"},
    "terminal steps": {"learning.violation_bootstraps": True, "learning.drop_last_step": True},
    "Q-network": {"agent.activate_first_layer": False},
    "floors": {"rewards.strict_floors": False},
    "fill order": {"decoding.fill_order": "logit"},
    "context": {"decoding.context": "joined"},
    "clipping": {"learning.clip_by": "value"},
    "all words ignored": {"rewards.all_ignored_rate": 0.0},
}
"""The published code's column of the table of departures, row by row; other rows are no settings."""


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings as one dictionary of paths."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        result |= flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return result


def test_the_presets_differ_exactly_where_the_paper_and_its_code_do() -> None:
    paper, published = flat(PAPER.to_dict()), flat(PUBLISHED_CODE.to_dict())
    found = {name: value for name, value in published.items() if value != paper[name]}
    assert found == {name: value for row in DIFFERENCES.values() for name, value in row.items()}


def test_presets_are_had_by_name() -> None:
    assert config.preset("paper") is PAPER
    assert config.preset("published-code") is PUBLISHED_CODE
    with pytest.raises(
        SettingsError, match=r"There is no preset 'papers'\. Presets: paper, published-code, laptop, reader\."
    ):
        config.preset("papers")


def test_the_laptop_preset_changes_what_learning_costs_and_what_is_infrequent() -> None:
    paper, laptop = flat(PAPER.to_dict()), flat(config.preset("laptop").to_dict())
    assert {name: value for name, value in laptop.items() if value != paper[name]} == {
        "preset": "laptop",
        "ignored_words.min_count": 1,
        "ignored_words.unknown": False,
        "rewards.fluency_passes": 3,
        "action_exploration.every": 5,
        "order_exploration.every": 5,
        "learning.context": "pair-if-replaced",
        "learning.earned_share": 0.5,
        "learning.floors_ahead": 8,
        "learning.averaged_updates": 1_000,
        "learning.settled_half_life": 2_500,
        "learning.settled_learning_rate": 0.0002,
        "learning.parallel_confidence": 0.0,
    }


def test_decoding_while_learning_is_decoding_in_use_unless_a_confidence_is_given() -> None:
    exact = DecodingSettings(fill_order="logit")
    assert Settings(decoding=exact).decoding_in_training == exact
    quick = Settings(decoding=exact, learning=LearningSettings(parallel_confidence=0.25))
    assert quick.decoding == exact
    assert quick.decoding_in_training == DecodingSettings(mode="parallel", fill_order="logit", parallel_confidence=0.25)


@pytest.mark.parametrize(
    "exploration",
    [
        ExplorationSettings(),
        ExplorationSettings(start=0.8, decay=0.5, every=3, minimum=0.1),
        ExplorationSettings(every=7, unit="sentences", minimum=0.25),
        ExplorationSettings(start=0.03),
    ],
)
def test_the_time_at_the_minimum_begins_where_the_rate_reaches_it(exploration: ExplorationSettings) -> None:
    every = exploration.every
    counts = [count * every + offset for count in range(800) for offset in (0, every - 1)]
    rates = [exploration.rate(updates=count, sentences=count) for count in counts]
    at_minimum = [count for count, rate in zip(counts, rates, strict=True) if rate == exploration.minimum]
    for count in counts:
        since = exploration.since_minimum(updates=count, sentences=count)
        assert since == max(0, count - at_minimum[0])
