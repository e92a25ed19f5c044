"""Requests and responses of the service, checked and described for OpenAPI; options come from the table."""

import json
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    create_model,
    field_validator,
    model_validator,
)

from ealm.summarize.options import OPTIONS, Option, SummarizeOptions
from ealm.summarize.result import Summary

Text = Annotated[str, StringConstraints(max_length=1_000_000)]
Texts = Annotated[list[Text], Field(fail_fast=True)]
"""One error is enough: a list may have a million of them."""
Word = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
_LONGEST_ID = 4_096
"""In bytes: it is held while its line waits, and small pieces of JSON take twenty times their length."""
_EXAMPLE = "The city council voted late on Tuesday to close the old bridge, which was not safe any more, until spring."


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _few_unknown_fields(cls, values: Any) -> Any:
        """An error for each of a hundred thousand would take seconds and a gigabyte."""
        if isinstance(values, dict) and len(values) > len(cls.model_fields):
            unknown = next(name for name in values if name not in cls.model_fields)
            raise ValueError(f"{unknown[:40]!r} is no field of this request")
        return values


class WithOptions(_Strict):
    """A request with options of the table."""

    def options(self) -> SummarizeOptions:
        """Raises an `EalmError` for options that do not go together."""
        return SummarizeOptions.of({name: getattr(self, name) for name in type(self).model_fields})


Request = TypeVar("Request", bound=WithOptions)


def with_options(names: Iterable[str]) -> Callable[[type[Request]], type[Request]]:
    """A field for each of these rows of the table of options."""
    rows: dict[str, Any] = {name: _field(OPTIONS[name]) for name in names}

    def add(request: type[Request]) -> type[Request]:
        made = create_model(request.__name__, __base__=request, __module__=request.__module__, **rows)
        made.__doc__ = request.__doc__
        return made

    return add


def _field(option: Option) -> tuple[Any, Any]:
    text = option.help if option.unset is None else f"{option.help} If left out: {option.unset}."
    if option.kind == "words":
        return list[Word], Field(default_factory=list, max_length=option.largest, description=text)
    return _type(option), Field(option.default, description=text)


def _type(option: Option) -> Any:
    one: Any = Literal[option.choices or ("",)]
    types: dict[str, Any] = {
        "count": Annotated[int, Field(ge=1, le=option.largest)] | None,
        "share": Annotated[float, Field(gt=0, le=1)] | None,
        "flag": bool,
        "choice": one | None,
        "choices": list[one] | None,
        "name": Literal[option.default],  # a client names no files of the server
    }
    return types[option.kind]


@with_options(OPTIONS)
class SummarizeRequest(WithOptions):
    """One text or several, all shortened in the same way; without a length, as the agent chooses."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"text": _EXAMPLE, "words": 8}]}
    )

    text: Text | Texts = Field(description="A sentence or several, as people write them; or a list of texts.")

    @property
    def texts(self) -> list[str]:
        """Always a list."""
        return [self.text] if isinstance(self.text, str) else self.text


@with_options(OPTIONS)
class BatchLine(WithOptions):
    """One line of a stream: a text with its own options; whatever `id` it has comes back."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"id": 1, "text": _EXAMPLE}]}
    )

    text: Text
    id: Any = None

    @field_validator("id")
    @classmethod
    def _can_be_sent_back(cls, value: Any) -> Any:
        """Some readers of JSON take NaN and Infinity, or half of a character, which no JSON has."""
        try:
            written = json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            raise ValueError("must be JSON, without NaN, Infinity or broken characters") from None
        if len(written) > _LONGEST_ID:
            raise ValueError(f"must have at most {_LONGEST_ID:,} bytes")
        return value


_OF_CURVES = [*(row.name for row in OPTIONS.values() if row.group in {"content", "reading", "model"}), "recoverability"]


@with_options(_OF_CURVES)
class CurveRequest(WithOptions):
    """One text, for all its lengths; with recoverability also the rates and the balance, which is slower."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"text": _EXAMPLE}]})

    text: Text


class CompareRequest(_Strict):
    """One text, to be shortened to a number of words in another way."""

    text: Text
    words: Annotated[int, Field(ge=1, le=1_000_000)]
    system: Annotated[str, StringConstraints(max_length=100)] = Field(
        description="One of those that /v1/systems lists."
    )


class OptionRow(BaseModel):
    """An option of a summary, as this model offers it."""

    name: str
    kind: str
    group: str
    default: Any
    help: str
    choices: list[str]
    unset: str | None


def option_rows(is_possible: Callable[[SummarizeOptions], bool]) -> list[OptionRow]:
    """The table of options, with those choices that the model can do."""
    return [
        OptionRow(
            name=row.name,
            kind=row.kind,
            group=row.group,
            default=row.default,
            help=row.help,
            choices=[choice for choice in row.choices if is_possible(SummarizeOptions.of({row.name: choice}))],
            unset=row.unset,
        )
        for row in OPTIONS.values()
    ]


class SummarizeResponse(BaseModel):
    """Summaries in the order of the texts."""

    summaries: list[dict[str, Any]] = Field(
        description="For each text: source, summary, compression_rate, reconstruction_rate, step, edits, sentences."
    )


class ModelDescription(BaseModel):
    """What answers here."""

    name: str
    version: str
    language_model: str
    max_words: int
    settings: dict[str, Any]


class Problem(BaseModel):
    """An error by RFC 9457."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="What is wrong, and what to do.")


def summary_values(summary: Summary, *, trace: bool) -> dict[str, Any]:
    """A summary as JSON has it."""
    return summary.to_dict(trace=trace)
