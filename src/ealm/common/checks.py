"""Groups of settings that check themselves, so that JSON and the command line need no checks of their own."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Literal, Self, Union, get_args, get_origin, get_type_hints

from ealm.common.errors import SettingsError


def check_share(owner: object, *names: str) -> None:
    """Fields between 0 and 1."""
    for name in names:
        value = getattr(owner, name)
        if not 0 <= value <= 1:
            hint = f" Did you mean {value / 100:g}?" if 1 < value <= 100 else ""
            raise SettingsError(f"{name} must be between 0 and 1, got {value:g}.{hint}")


def check_at_least(owner: object, least: float, *names: str) -> None:
    """Fields that are not below a number."""
    for name in names:
        value = getattr(owner, name)
        if not value >= least:
            raise SettingsError(f"{name} must be at least {least:g}, got {value:g}.")


def check_above_zero(owner: object, *names: str) -> None:
    """Fields that are positive."""
    for name in names:
        if not getattr(owner, name) > 0:
            raise SettingsError(f"{name} must be above 0, got {getattr(owner, name):g}.")


def check_between(owner: object, least: float, most: float, *names: str) -> None:
    """Fields that are neither below nor above two numbers."""
    for name in names:
        value = getattr(owner, name)
        if not least <= value <= most:
            raise SettingsError(f"{name} must be between {least:g} and {most:g}, got {value:g}.")


class Checked:
    """Base of frozen dataclasses of settings: checks the type of every field, and reads and writes plain values."""

    def __post_init__(self) -> None:
        for name, expected in _field_types(type(self)).items():
            _check_type(name, getattr(self, name), expected)

    def to_dict(self) -> dict[str, Any]:
        """Plain nested dictionaries, ready for JSON."""
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_dict(cls, values: object, group: str = "settings") -> Self:
        """The reverse of `to_dict`, where missing names take their defaults; unknown names and wrong types raise
        `SettingsError`, which calls the settings `group`."""
        if not isinstance(values, Mapping):
            raise SettingsError(f"{group} must be a group of settings, got {values!r}.")
        types = _field_types(cls)
        unknown = sorted(values.keys() - types.keys())
        if unknown:
            raise SettingsError(f"{group} has no setting {unknown[0]!r}; it has: {', '.join(types)}.")
        return cls(**{name: _read(types[name], value, name) for name, value in values.items()})


def _field_types(kind: type) -> dict[str, Any]:
    """Types of a dataclass's fields by name."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _read(kind: Any, value: object, name: str) -> Any:
    return kind.from_dict(value, name) if isinstance(kind, type) and issubclass(kind, Checked) else value


def _check_type(name: str, value: object, expected: Any) -> None:
    if get_origin(expected) is Literal:
        choices = get_args(expected)
        if value not in choices:
            raise SettingsError(f"{name} must be one of {', '.join(map(str, choices))}, got {value!r}.")
        return
    allowed = get_args(expected) if _is_union(expected) else (expected,)
    numeric = float in allowed and isinstance(value, int) and not isinstance(value, bool)
    wrong_bool = isinstance(value, bool) and bool not in allowed
    if wrong_bool or not (numeric or isinstance(value, tuple(allowed))):
        words = " or ".join("nothing" if kind is type(None) else kind.__name__ for kind in allowed)
        raise SettingsError(f"{name} must be {words}, got {value!r}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise SettingsError(f"{name} must be a finite number, got {value}.")


def _is_union(expected: Any) -> bool:
    return get_origin(expected) is Union or type(expected).__name__ == "UnionType"
