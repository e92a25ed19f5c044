"""What a user gets back: the summary, every edit, and the walk that led there."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any

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
    """What the language model reconstructs for a word that is gone; None unless `reconstruction` was given."""
    recovered: bool | None = None
    """Whether the word itself was among its best candidates there; None where it was not computed."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """The state of a walk after one more decision."""

    step: int
    position: int
    """Index of the decided word in the source."""
    word: str
    action: Action
    q_values: tuple[float, ...]
    """Of Remove, Keep and Replace; an agent that never replaces has the first two."""
    compression_rate: float
    summary: str | None
    """None where the language model was not queried, because the step could not be chosen any more."""
    reconstruction: str | None
    reconstruction_rate: float | None


_SHOWN = 60
"""Characters of a summary in its `repr`."""


@dataclass(frozen=True, repr=False)
class Summary:
    """A summarized sentence or text; `str()` gives the summary. Edits and trace are worked out when they are read."""

    source: str
    summary: str
    compression_rate: float
    reconstruction_rate: float | None
    """None if the length was given and `recoverability` was not."""
    step: int
    edits: tuple[Edit, ...]
    trace: tuple[TraceStep, ...]
    """Empty for a text of several sentences: each of them has its own."""
    complete: bool = True
    """False if the summary is a phrase, because no statement that is true to the source fits the limit."""
    reason: str | None = None
    """Why it is not complete, or what else a reader must know."""
    language: str | None = None
    """The code of its language (ISO 639-1); None where it is not told, as with models of your own."""
    decoding: str | None = None
    """How the language model was asked: "sequential" (exact), "approximate" or "parallel"; None if it was not."""
    sentences: tuple["Summary", ...] = ()
    """The sentences of a text that has more than one; a dropped one has an empty summary."""

    @classmethod
    def later(
        cls, *, edits: Callable[[], tuple[Edit, ...]], trace: Callable[[], tuple[TraceStep, ...]], **known: Any
    ) -> "Summary":
        """A summary whose edits and trace are worked out when somebody reads them; most callers never do."""
        made = cls(**known, edits=(), trace=())
        vars(made).update(_later={"edits": edits, "trace": trace})
        del vars(made)["edits"], vars(made)["trace"]
        return made

    def but(self, **changes: Any) -> "Summary":
        """The same with other values; as `dataclasses.replace`, but what was left for later stays so."""
        made = type(self).__new__(type(self))
        waiting = {name: work for name, work in vars(self).get("_later", {}).items() if name not in changes}
        vars(made).update({**vars(self), **changes, "_later": waiting})
        return made

    if not TYPE_CHECKING:  # a type checker should still find wrong names

        def __getattr__(self, name: str) -> Any:
            """Work out what was left for later."""
            waiting = vars(self).get("_later", {})
            if name not in waiting:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            found = vars(self)[name] = waiting[name]()
            del waiting[name]
            return found

    def __getstate__(self) -> dict[str, Any]:
        """A copy for another process has everything."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __str__(self) -> str:
        return self.summary

    def __repr__(self) -> str:
        """One line, however long the summary is."""
        text = " ".join(self.summary.split())
        shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
        return f"Summary({shown!r}, {len(text.split())} of {len(self.source.split())} words)"

    def _repr_html_(self) -> str:
        """In a notebook: the summary, the source with removed words struck through and new ones marked, and facts."""
        marked = "".join(piece if isinstance(piece, str) else _html(piece) for piece in self.marked_source(escape))
        return (
            '<div class="ealm-summary" style="max-width:48rem;line-height:1.6;white-space:pre-wrap">'
            f'<p style="margin:.2em 0;font-size:1.2em"><strong>{escape(self.summary)}</strong></p>'
            f'<p style="margin:.2em 0">{marked}</p>'
            f'<p style="margin:.2em 0;font-size:.85em;opacity:.65">{escape(self._facts())}</p></div>'
        )

    def _facts(self) -> str:
        facts = [f"{len(self.summary.split())} of {len(self.source.split())} words"]
        if self.reconstruction_rate is not None:
            facts.append(f"{self.reconstruction_rate:.0%} recoverable")
        if self.reason is not None:
            facts.append(self.reason)
        return " · ".join(facts)

    def marked_source(self, between: Callable[[str], str] = str) -> "Iterator[str | Edit]":
        """The source as its edits and the text between them; `between` is applied to the latter."""
        end = 0
        for edit in self.edits:
            start = self.source.index(edit.word, end)
            yield between(self.source[end:start])
            yield edit
            end = start + len(edit.word)
        yield between(self.source[end:])

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


def _html(edit: Edit) -> str:
    word = escape(edit.word)
    if edit.action == Action.KEEP:
        return word
    removed = f'<del style="opacity:.5;text-decoration-color:#b8390e">{word}</del>'
    if edit.action == Action.REMOVE:
        return removed
    # A tint, so that the word is readable on light and dark.
    return f'{removed} <ins style="text-decoration:none;background:#b8390e30">{escape(edit.replacement or "")}</ins>'
