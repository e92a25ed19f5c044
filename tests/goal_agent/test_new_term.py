"""A reward term is a module and a line of `PotentialSettings`: weight, JSON and training follow from the line."""

import dataclasses
import sys
from collections.abc import Sequence
from pkgutil import resolve_name
from types import ModuleType

import numpy as np
import pytest
from importance import SENTENCE, weighted_overlap

from ealm.common.config import READER, Settings
from ealm.common.errors import SettingsError
from ealm.common.goal_config import GoalSettings, PotentialSettings, word_term
from ealm.goal_agent.potential import standardized
from ealm.training.goal_collector import GoalCollector


@dataclasses.dataclass(frozen=True, kw_only=True)
class WithToy(PotentialSettings):
    """The table with one more line."""

    toy_term: float = word_term("toy:scores")


def word_lengths(words: Sequence[str]) -> list[int]:
    """A toy: long words count more."""
    return [len(word) for word in words]


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("ealm.goal_agent.toy")
    module.scores = word_lengths  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(GoalSettings.__annotations__, "potential", WithToy)


def settings(**weights: float) -> Settings:
    return Settings(method="goal", goal=GoalSettings(potential=WithToy(**weights)))


def test_a_new_term_is_a_setting_like_the_others() -> None:
    changed = settings().override({"goal.potential.toy_term": "2"})
    assert settings().to_dict()["goal"]["potential"]["toy_term"] == 0
    assert changed.to_dict()["goal"]["potential"]["toy_term"] == 2
    assert Settings.from_dict(changed.to_dict()) == changed
    with pytest.raises(SettingsError, match="toy_term must be at least 0"):
        settings(toy_term=-1)


def test_settings_that_were_saved_without_it_load() -> None:
    saved = READER.to_dict()
    assert "toy_term" not in saved["goal"]["potential"]
    assert Settings.from_dict(saved).goal.potential == WithToy(**saved["goal"]["potential"])


def test_a_new_term_takes_part_in_training_and_needs_no_similarity() -> None:
    only = settings(leave_one_out_similarity=0, toy_term=2)
    assert not only.goal.potential.needs_similarity
    (potential,) = GoalCollector(settings=only, similarity=None).potentials([SENTENCE])
    expected = 2 * standardized(word_lengths(SENTENCE), [True, False, True, True])
    assert potential.word_scores == pytest.approx(expected)
    without = np.array([False, True, True, True])
    reward = potential.value(without) - potential.value(np.ones(4, dtype=bool))
    assert reward == pytest.approx(-expected[0])  # of removing the first word


def test_a_new_term_is_added_to_the_others() -> None:
    def scores(settings: Settings) -> list[float]:
        (potential,) = GoalCollector(settings=settings, similarity=weighted_overlap).potentials([SENTENCE])
        return potential.word_scores.tolist()

    lengths = standardized(word_lengths(SENTENCE), [True, False, True, True])
    assert scores(settings(toy_term=0.5)) == pytest.approx(np.array(scores(settings())) + 0.5 * lengths)


def test_every_line_of_the_table_names_a_function() -> None:
    functions = [row.metadata.get("function") for row in dataclasses.fields(PotentialSettings)]
    assert all(callable(resolve_name(f"ealm.goal_agent.{name}")) for name in functions if name)
