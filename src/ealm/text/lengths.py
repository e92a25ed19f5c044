"""How long a text is and may be, in the units that users can ask for.

A new unit is a module of this package and a row of `UNITS` (CONTRIBUTING.md).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pkgutil import resolve_name

import regex

Unit = str
"""Name of a row of `UNITS`."""


EMBEDDED_TOKENIZER = "embedded"
"""The tokenizer in the package."""


@dataclass(frozen=True, slots=True)
class LengthUnit:
    """A row of the table."""

    counter: str
    """What measures a text, as `module:name` inside this package; one of another package by its full name."""
    about: str
    """For `--help`."""
    by_tokenizer: bool = False
    """Whether it also needs the name of a tokenizer."""


UNITS: dict[Unit, LengthUnit] = {
    "words": LengthUnit("lengths:count_words", "At most so many words."),
    "chars": LengthUnit("lengths:count_chars", "At most so many characters."),
    "bytes": LengthUnit("lengths:count_bytes", "At most so many bytes of UTF-8."),
    "tokens": LengthUnit("ealm.lm.tokens:count", "At most so many tokens of a language model.", by_tokenizer=True),
}
"""The table: a name is the option of the command line, the keyword of Python and the field of the service."""


_IDEOGRAPH = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


def count_words(text: str) -> int:
    """What white space separates; a Chinese or Japanese character is a word."""
    return len(text.split()) if text.isascii() or not _IDEOGRAPH.search(text) else _count_ideographs(text)


def _count_ideographs(text: str) -> int:
    """Marks beside them are no words."""
    rest = _IDEOGRAPH.sub(" ", text)
    return len(_IDEOGRAPH.findall(text)) + sum(any(map(str.isalnum, word)) for word in rest.split())


def count_chars(text: str) -> int:
    """Code points."""
    return len(text)


def count_bytes(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text.encode())


def measure(text: str, unit: Unit, tokenizer: str = EMBEDDED_TOKENIZER) -> int:
    """Length of a text; `tokenizer` counts tokens."""
    counter = _counter(UNITS[unit].counter)
    return counter(text, tokenizer) if UNITS[unit].by_tokenizer else counter(text)


@cache
def _counter(name: str) -> Callable[..., int]:
    found: Callable[..., int] = resolve_name(name if name.startswith("ealm.") else f"ealm.text.{name}")
    return found


@dataclass(frozen=True, slots=True)
class Limit:
    """A length that a summary never exceeds."""

    size: int
    unit: Unit
    seen: Mapping[int, str] | None = field(default=None, compare=False, repr=False)
    """What readers see of placeholders for markup (`text.marks`), which alone counts."""
    tokenizer: str = EMBEDDED_TOKENIZER
    """What counts tokens."""

    def measure(self, text: str) -> int:
        """Length of a text in the unit."""
        return measure(text.translate(self.seen) if self.seen else text, self.unit, self.tokenizer)

    def allows(self, text: str) -> bool:
        """Whether a text is short enough."""
        return self.measure(text) <= self.size


_USUAL_SHARE = 1 / 3
"""Share of a sentence's words that an agent that is told a length aims at where nobody says how many."""


def usual_limit(sentence: str) -> Limit:
    """How much is left of a sentence where nobody says how much shall be."""
    return Limit(max(1, round(_USUAL_SHARE * measure(sentence, "words"))), "words")


def share_limit(source: str, ratio: float) -> Limit:
    """A share of the words of a source, rounded down, but at least one word."""
    return Limit(max(1, int(ratio * measure(source, "words") + 1e-9)), "words")
