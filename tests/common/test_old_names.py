"""Settings of earlier versions still load."""

from typing import Any

import pytest

from ealm.common.config import LAPTOP, READER, Settings
from ealm.common.errors import SettingsError

OLD_TERMS = {"meaning": 1.0, "likeness": 1.0, "unbroken": 2.0, "hanging": 3.0, "bare": 1.0, "negated": 3.0}
REMOVED = ("early", "protection", "similarity", "fluency", "joints", "reconstruction")


def old_settings(**changed: object) -> dict[str, Any]:
    """The preset `reader` as an earlier version wrote it."""
    values = READER.to_dict()
    goal = values["goal"]
    del goal["potential"]
    goal["parts"] = OLD_TERMS | dict.fromkeys(REMOVED, 0.0) | changed
    goal["learning"]["returns"] = goal["learning"].pop("n_step")
    return values


def test_old_names_are_read_as_the_new_ones() -> None:
    assert Settings.from_dict(old_settings()) == READER


@pytest.mark.parametrize("name", REMOVED)
def test_a_removed_term_with_a_weight_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=rf"potential term '{name}' no longer exists.*must be 0, got 0.5"):
        Settings.from_dict(old_settings(**{name: 0.5}))


def test_old_paths_can_be_set() -> None:
    old = READER.override({"goal.parts.unbroken": "7", "goal.learning.returns": "3"})
    assert old == READER.override({"goal.potential.adjacency": "7", "goal.learning.n_step": "3"})
    assert old.goal.potential.adjacency == 7
    with pytest.raises(SettingsError, match=r"There is no setting 'goal\.parts\.early'"):
        READER.override({"goal.parts.early": "1"})


def test_how_an_agent_was_trained_may_be_forgotten() -> None:
    values = LAPTOP.to_dict()
    values["learning"]["check_floors"] = "in-doubt"
    assert Settings.from_dict(values) == LAPTOP
    with pytest.raises(SettingsError, match=r"There is no setting 'learning\.check_floors'"):
        LAPTOP.override({"learning.check_floors": "in-doubt"})


def test_a_setting_by_both_of_its_names_is_refused() -> None:
    values = READER.to_dict()
    values["goal"]["learning"]["returns"] = 1
    with pytest.raises(SettingsError, match=r"goal\.learning\.n_step is given twice"):
        Settings.from_dict(values)


def test_values_that_are_no_settings_are_left_to_the_other_checks() -> None:
    with pytest.raises(SettingsError, match="has no setting 5"):
        Settings.from_dict({5: 1})  # type: ignore[dict-item]
    with pytest.raises(SettingsError, match="goal must be a group of settings"):
        Settings.from_dict({"goal": [1]})
