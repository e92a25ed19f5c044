"""Names that settings had in earlier versions: saved agents, checkpoints and `--set` may still use them."""

from collections.abc import Mapping
from typing import Any

from ealm.common.errors import SettingsError

_RENAMED = {
    "goal.parts": "goal.potential",
    "goal.potential.meaning": "goal.potential.leave_one_out_similarity",
    "goal.potential.likeness": "goal.potential.word_similarity",
    "goal.potential.unbroken": "goal.potential.adjacency",
    "goal.potential.hanging": "goal.potential.dangling_function_word",
    "goal.potential.bare": "goal.potential.missing_preposition",
    "goal.potential.negated": "goal.potential.negated_word",
    "goal.learning.returns": "goal.learning.n_step",
}
"""Old path to today's; a group comes before its fields, which are named by the group's new path."""

_REMOVED = frozenset(
    f"goal.potential.{name}" for name in ("early", "protection", "similarity", "fluency", "joints", "reconstruction")
)
"""Potential terms that no preset used. With the weight 0 they change nothing and are skipped."""

_FORGOTTEN = frozenset(["learning.check_floors"])
"""Settings that only said how an agent was trained, in a way that is no longer there: they are skipped."""


def current_path(path: str) -> str:
    """Today's path of a setting."""
    for old, new in _RENAMED.items():
        if path == old or path.startswith(f"{old}."):
            path = new + path.removeprefix(old)
    return path


def with_current_names(values: object, group: str = "") -> Any:
    """Nested settings in today's names; what is no group of settings comes back as it is."""
    if not isinstance(values, Mapping):
        return values
    renamed: dict[object, Any] = {}
    for name, value in values.items():
        path = current_path(f"{group}.{name}" if group else str(name))
        if path in _FORGOTTEN:
            continue
        if path in _REMOVED:
            _check_unused(path, value)
            continue
        key = path.rpartition(".")[2] if isinstance(name, str) else name
        if key in renamed or (key != name and key in values):
            raise SettingsError(f"{path} is given twice, by its old name and by its new one. Give it once.")
        renamed[key] = with_current_names(value, path)
    return renamed


def _check_unused(path: str, value: object) -> None:
    if isinstance(value, bool) or value != 0:
        name = path.rpartition(".")[2]
        raise SettingsError(
            f"The potential term {name!r} no longer exists, so its weight must be 0, got {value!r}. "
            "Train the agent anew without it."
        )
