"""What a user may ask of a summary."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict, Unpack

from ealm.common.errors import SettingsError
from ealm.text.lengths import LengthRequest
from ealm.text.protected_words import DEFAULT_KINDS, check_kinds
from ealm.text.tokenizer import tokenize
from ealm.text.words import split_words


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizeOptions:
    """Length, what must stay, how the text is read, and how much is told about it."""

    length: LengthRequest
    keep: tuple[str, ...]
    """Words that are never removed or replaced."""
    protect: tuple[str, ...]
    """Kinds of words that stay as long as the length allows."""
    extractive: bool
    pretokenized: bool
    trace: bool
    recoverability: bool
    reconstruction: bool
    """Whether to rebuild the whole source from the summary, and tell it word by word."""
    reword: bool = False
    """Whether a shorter word may stand for a phrase, where the text does not fit as it is."""

    def __post_init__(self) -> None:
        if self.reword and self.extractive:
            raise SettingsError(
                "extractive allows no new word, and reword puts shorter ones in the place of phrases. Leave one out."
            )

    @classmethod
    def of(cls, **wishes: Unpack["Wishes"]) -> "SummarizeOptions":
        """Check what a user asks for; a single string counts as a list of one."""
        unknown = sorted(wishes.keys() - Wishes.__annotations__.keys())
        if unknown:
            raise TypeError(f"There is no option {unknown[0]!r}. Options: {', '.join(Wishes.__annotations__)}.")
        pretokenized = wishes.get("pretokenized", False)
        keep, protect = wishes.get("keep", ()), wishes.get("protect")
        if protect is None:  # a pre-tokenised corpus gets what the agent decides, as in the paper
            protect = () if pretokenized else DEFAULT_KINDS
        return cls(
            length=LengthRequest(
                words=wishes.get("words"),
                chars=wishes.get("chars"),
                bytes=wishes.get("bytes"),
                ratio=wishes.get("ratio"),
            ),
            keep=tuple(
                word for phrase in ([keep] if isinstance(keep, str) else keep) for word in _words(phrase, pretokenized)
            ),
            protect=check_kinds([protect] if isinstance(protect, str) else protect),
            extractive=wishes.get("extractive", False),
            pretokenized=pretokenized,
            trace=wishes.get("trace", False),
            recoverability=wishes.get("recoverability", False),
            reconstruction=wishes.get("reconstruction", False),
            reword=wishes.get("reword", False),
        )


class Wishes(TypedDict, total=False):
    """SummarizeOptions by name, as users give them."""

    words: int | None
    chars: int | None
    bytes: int | None
    ratio: float | None
    keep: Iterable[str]
    protect: Iterable[str] | None
    extractive: bool
    pretokenized: bool
    trace: bool
    recoverability: bool
    reconstruction: bool
    reword: bool


def _words(phrase: str, pretokenized: bool) -> tuple[str, ...]:
    if pretokenized:
        return split_words(phrase)
    # With something behind it, so that "W." is cut as it would be inside a sentence.
    return tuple(token.text for token in tokenize(f"{phrase} x")[:-1])
