"""What a user gets back: the summary, every edit, and the walk that led there."""

from dataclasses import asdict, dataclass
from typing import Any

from ealm.paper.edits import Action


@dataclass(frozen=True, slots=True)
class Edit:
    """What happened to one word of the source."""

    word: str
    action: Action
    order: int | None
    """Step at which the word was decided; None for a word on which nothing was decided: it is just kept, or a
    punctuation mark that the removals around it made needless."""
    replacement: str | None = None
    rebuilt: str | None = None
    """What the language model put in the place of a word that is gone; None unless the reconstruction was asked for."""
    recovered: bool | None = None
    """Whether the word itself was among its best candidates there; None where nobody looked."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """The state of a walk after one more decision."""

    step: int
    position: int
    """Place of the decided word in the source, from 0."""
    word: str
    action: Action
    q_values: tuple[float, ...]
    """Of Remove, Keep and Replace; an agent that never replaces has the first two."""
    compression_rate: float
    summary: str | None
    """None where the language model was not asked, because the step could not be chosen any more."""
    reconstruction: str | None
    reconstruction_rate: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A summarized sentence or text; `str()` gives the summary."""

    source: str
    summary: str
    compression_rate: float
    reconstruction_rate: float | None
    """None if the length was fixed and recoverability was not asked for."""
    step: int
    edits: tuple[Edit, ...]
    trace: tuple[TraceStep, ...]
    """Empty for a text of several sentences: each of them has its own."""
    sentences: tuple["Summary", ...] = ()
    """The sentences of a text that has more than one; a dropped one has an empty summary."""

    def __str__(self) -> str:
        return self.summary

    def to_dict(self, *, trace: bool = False) -> dict[str, Any]:
        """Plain values for JSON; actions by their lower-case names."""
        values = asdict(self)
        for part in (values, *values["sentences"]):
            for entry in (*part["edits"], *part["trace"]):
                entry["action"] = entry["action"].name.lower()
            if not trace:
                del part["trace"]
        for part in values["sentences"]:
            del part["sentences"]
        return values
