"""Options of a summary: one row for each, read by Python, command line, batch jobs, data frames, service and page.

A new option is a new field of `SummarizeOptions`, its keyword in the signatures that a test then names, and its effect.
Units of length come from their own table, `text.lengths.UNITS`.
"""

import operator
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Literal, TypeVar, get_args

from ealm.common.caching import cached_property
from ealm.common.errors import SettingsError
from ealm.text.frames import MARKUPS
from ealm.text.lengths import EMBEDDED_TOKENIZER, UNITS, Limit, share_limit
from ealm.text.protected_words import DEFAULT_KINDS, KINDS, check_kinds
from ealm.text.tokenizer import tokenize
from ealm.text.words import split_words

Group = Literal["length", "content", "reading", "model", "output"]
"""How long the summary is; which words may change; how the text is read; how the model works; what the result holds."""

Kind = Literal["count", "share", "flag", "choice", "choices", "words", "name"]
"""A whole number from 1; a number above 0 and at most 1; a switch; one of several names; several of them; words; the
name of a file, a folder or something on a hub, of which a service takes only the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A row of the table."""

    name: str
    kind: Kind
    group: Group
    default: Any
    """None leaves the decision to the model."""
    help: str
    choices: tuple[str, ...] = ()
    largest: int | None = None
    """The most that a service takes: of a number, or of words."""
    unset: str | None = None
    """What applies if the option is not given, where `default` does not say it."""

    def checked(self, value: Any) -> Any:
        """The value in its plain form; raises a `SettingsError` for one that cannot be used."""
        return value if value is None and self.default is None else _CHECKS[self.kind](self, value)


def _row(kind: Kind, group: Group, text: str, *, default: Any = None, **more: Any) -> Any:
    """A field of `SummarizeOptions` with what the table says about it."""
    return field(default=default, metadata={"kind": kind, "group": group, "help": text, **more})


def _length(unit: str, *, largest: int = 10_000_000, unset: str | None = None) -> Any:
    """The field of a unit."""
    return _row("count", "length", UNITS[unit].about, largest=largest, unset=unset)


Options = TypeVar("Options")


def _with_all_units(options: type[Options]) -> type[Options]:
    """With a field for each unit that has no line of its own."""
    known = {row.name for row in fields(options)}  # type: ignore[arg-type]
    rows = [(unit, int | None, _length(unit)) for unit in UNITS if unit not in known]
    names = {name: getattr(options, name) for name in ("__module__", "__doc__")}
    made = make_dataclass(options.__name__, rows, bases=(options,), namespace=names, frozen=True, kw_only=True)
    return made if rows else options


@_with_all_units
@dataclass(frozen=True, kw_only=True)
class SummarizeOptions:
    """The table: every option with its type, its default and what it does."""

    words: int | None = _length("words", largest=1_000_000, unset="the agent's choice")
    chars: int | None = _length("chars")
    bytes: int | None = _length("bytes")
    tokens: int | None = _length("tokens", largest=1_000_000)
    ratio: float | None = _row("share", "length", "At most this share of the source's words.")
    whole_sentences: bool = _row(
        "flag",
        "content",
        "Choose among the sentences of a text and leave each as it is. Only where not even one fits, it is shortened.",
        default=False,
    )
    keep: str | Iterable[str] = _row(
        "words", "content", "Never remove or replace this word, in any case.", default=(), largest=1_000
    )
    protect: str | Iterable[str] | None = _row(
        "choices",
        "content",
        "Kinds of words that stay as long as the length allows: negation (with the word that it negates), numbers, "
        "names, or none.",
        choices=(*KINDS, "none"),
        unset="negation, with the paper's agent numbers and names too; none with pretokenized",
    )
    extractive: bool = _row("flag", "content", "Never replace a word.", default=False)
    reword: bool = _row(
        "flag",
        "content",
        "Let a shorter word stand for a phrase where the text is too long: premier for prime minister, 7.4% for 7.4 "
        "percent. Does not go with extractive.",
        default=False,
    )
    pretokenized: bool = _row(
        "flag",
        "reading",
        "The text is one sentence that is split into words by spaces, as in the corpora of this field.",
        default=False,
    )
    markup: str = _row(
        "choice",
        "reading",
        "What the text is written in: text, markdown or html. Headings, lists, links and code stay whole; a limit "
        "counts what readers see.",
        default="text",
        choices=MARKUPS,
    )
    tokenizer: str = _row(
        "name",
        "reading",
        "What counts tokens: embedded, the tokenizer in the package; a tokenizer.json or a folder with one; or a "
        "model on the Hugging Face hub.",
        default=EMBEDDED_TOKENIZER,
    )
    style: str | None = _row(
        "choice",
        "model",
        "headline: articles and auxiliaries go first, as in newspapers. plain: they are words like others.",
        choices=("headline", "plain"),
        unset="the model's own; headline with the embedded model",
    )
    effort: str | None = _row(
        "choice",
        "model",
        "walk: remove word after word by the agent's Q-values. plan: the best summary by the word importance that the "
        "agent estimates. search: the best summary by word importance computed for this very sentence; some forty "
        "times the work.",
        choices=("walk", "plan", "search"),
        unset="plan, if the agent has learned to estimate word importance; else walk",
    )
    nested: bool = _row(
        "flag",
        "model",
        "A shorter summary of a sentence is part of a longer one. Without, each length has the best summary by itself.",
        default=True,
    )
    decoding: str | None = _row(
        "choice",
        "model",
        "sequential: fill one masked word a round, as in the paper: exact. approximate: the same for the summary, but "
        "without a length the best step is looked for by what is likely. parallel: all confident ones at once. Both "
        "are faster, and not always the same.",
        choices=("sequential", "approximate", "parallel"),
        unset="the model's own",
    )
    recoverability: bool = _row(
        "flag", "output", "Compute the reconstruction rate also where the length is given.", default=False
    )
    reconstruction: bool = _row(
        "flag", "output", "Also what the language model reconstructs for every removed word.", default=False
    )
    trace: bool = _row(
        "flag", "output", "Every step of the walk with its summary and rates; several times slower.", default=False
    )

    def __post_init__(self) -> None:
        for option in OPTIONS.values():
            object.__setattr__(self, option.name, option.checked(getattr(self, option.name)))
        if self.tokenizer != EMBEDDED_TOKENIZER and self.tokens is None:
            raise SettingsError("tokenizer= counts tokens; it goes with tokens=.")
        if self.pretokenized and self.markup != "text":
            raise SettingsError("pretokenized= is for plain words; it does not go with markup=.")
        if self.reword and self.extractive:
            raise SettingsError(
                "extractive= allows no new word, and reword= puts shorter words in the place of phrases. Leave one out."
            )
        lengths = [f"{name}=" for name, value in self.keywords("length").items() if value is not None]
        if len(lengths) > 1:
            raise SettingsError(f"Give one length, not {len(lengths)}: {' and '.join(lengths)}.")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "SummarizeOptions":
        """The options among some values by name, such as the arguments of a function."""
        return cls(**{name: values[name] for name in OPTIONS if name in values})

    def keywords(self, *groups: Group) -> dict[str, Any]:
        """Options by name, of all groups or only of some."""
        return {o.name: getattr(self, o.name) for o in OPTIONS.values() if not groups or o.group in groups}

    def without_length(self) -> "SummarizeOptions":
        """The same without a limit."""
        return SummarizeOptions.of({**self.keywords(), **dict.fromkeys(self.keywords("length"))})

    def limit(self, source: str) -> Limit | None:
        """The limit that the length options set for a source; None if the agent chooses."""
        if self.ratio is not None:
            return share_limit(source, self.ratio)
        if self.tokens is not None:
            return Limit(self.tokens, "tokens", tokenizer=self.tokenizer)
        return next((Limit(size, unit) for unit in UNITS if (size := getattr(self, unit)) is not None), None)

    @cached_property
    def keep_words(self) -> tuple[str, ...]:
        """The words to keep, split as words of the text are."""
        return tuple(word for phrase in self.keep for word in _words(phrase, self.pretokenized))

    def protected_kinds(self, method: str) -> tuple[str, ...]:
        """Kinds of words that an agent of this method keeps, the most important first.

        By default none in pretokenized text, as in the paper.
        """
        if self.protect is None:
            return () if self.pretokenized else DEFAULT_KINDS[method]
        return check_kinds(self.protect)


OPTIONS: dict[str, Option] = {
    row.name: Option(name=row.name, default=row.default, **row.metadata)
    for row in sorted(fields(SummarizeOptions), key=lambda row: get_args(Group).index(row.metadata["group"]))
}
"""The table by name, in the order in which users see it: group by group."""


def _count(option: Option, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or number < 1:
        raise SettingsError(f"{option.name}= must be a whole number of at least 1, got {value!r}.")
    return number


def _share(option: Option, value: Any) -> float:
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise SettingsError(f"{option.name}= must be a number, got {value!r}.")
    number = float(value)
    if not 0 < number <= 1:
        hint = f" Did you mean {number / 100:g}?" if 1 < number <= 100 else ""
        raise SettingsError(f"{option.name}= must be above 0 and at most 1, got {number:g}.{hint}")
    return number


def _flag(option: Option, value: Any) -> bool:
    if not isinstance(value, bool):
        raise SettingsError(f"{option.name}= must be True or False, got {value!r}.")
    return value


def _choice(option: Option, value: Any) -> str:
    if value not in option.choices:
        raise SettingsError(f"{option.name}= must be one of {', '.join(option.choices)}, got {value!r}.")
    return str(value)


def _name(option: Option, value: Any) -> str:
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise SettingsError(f"{option.name}= must be a name, got {value!r}.")
    return os.fspath(value)


def _strings(option: Option, value: Any) -> tuple[str, ...]:
    """A single string counts as a list of one."""
    found = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (None,)
    if not all(isinstance(word, str) for word in found):
        raise SettingsError(f"{option.name}= must be a string or a list of strings, got {value!r}.")
    return found


def _choices(option: Option, value: Any) -> tuple[str, ...]:
    return tuple(_choice(option, each) for each in _strings(option, value))


_CHECKS: dict[Kind, Callable[[Option, Any], Any]] = {
    "count": _count,
    "share": _share,
    "flag": _flag,
    "choice": _choice,
    "choices": _choices,
    "words": _strings,
    "name": _name,
}


def _words(phrase: str, pretokenized: bool) -> tuple[str, ...]:
    if pretokenized:
        return split_words(phrase)
    # With something behind it, so that "W." is split as it would be inside a sentence.
    return tuple(token.text for token in tokenize(f"{phrase} x")[:-1])
