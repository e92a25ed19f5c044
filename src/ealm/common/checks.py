"""Groups of settings that check themselves, so that JSON and the command line need no checks of their own."""

import math
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

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


class Checked:
    """Checks the type of every field."""

    def __post_init__(self) -> None:
        for name, expected in get_type_hints(type(self)).items():
            _check_type(name, getattr(self, name), expected)


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
