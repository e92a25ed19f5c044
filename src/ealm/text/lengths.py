"""How long a summary may be: a number of words, characters or bytes, or a share of the source's words."""

from dataclasses import dataclass
from typing import Literal

from ealm.common.errors import SettingsError

Unit = Literal["words", "chars", "bytes"]


def measure(text: str, unit: Unit) -> int:
    """Length of a text; words are what white space separates."""
    if unit == "words":
        return len(text.split())
    return len(text) if unit == "chars" else len(text.encode())


@dataclass(frozen=True, slots=True)
class Limit:
    """A length that a summary never exceeds."""

    size: int
    unit: Unit

    def allows(self, text: str) -> bool:
        """Whether a text is short enough."""
        return measure(text, self.unit) <= self.size


_USUAL_SHARE = 1 / 3
"""Share of a sentence's words that an agent that is told a length aims at where nobody says how many."""


def usual_limit(sentence: str) -> Limit:
    """How much is left of a sentence where nobody says how much shall be."""
    return Limit(max(1, round(_USUAL_SHARE * measure(sentence, "words"))), "words")


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthRequest:
    """The length that a user asks for; at most one of the four, or none: the agent chooses."""

    words: int | None = None
    chars: int | None = None
    bytes: int | None = None
    ratio: float | None = None

    def __post_init__(self) -> None:
        given = [name for name in ("words", "chars", "bytes", "ratio") if getattr(self, name) is not None]
        if len(given) > 1:
            raise SettingsError(f"Give one length, not {len(given)}: {' and '.join(given)}.")
        for name in ("words", "chars", "bytes"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise SettingsError(f"{name} must be a whole number of at least 1, got {value!r}.")
        if self.ratio is not None and (isinstance(self.ratio, bool) or not isinstance(self.ratio, int | float)):
            raise SettingsError(f"ratio must be a number, got {self.ratio!r}.")
        if self.ratio is not None and not 0 < self.ratio <= 1:
            hint = f" Did you mean {self.ratio / 100:g}?" if 1 < self.ratio <= 100 else ""
            raise SettingsError(f"ratio must be above 0 and at most 1, got {self.ratio:g}.{hint}")

    def limit(self, source: str) -> Limit | None:
        """The limit for a source; a share of its words is at least one word."""
        if self.ratio is not None:
            return Limit(max(1, int(self.ratio * measure(source, "words") + 1e-9)), "words")
        sizes: dict[Unit, int | None] = {"words": self.words, "chars": self.chars, "bytes": self.bytes}
        return next((Limit(size, unit) for unit, size in sizes.items() if size is not None), None)
