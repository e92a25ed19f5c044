"""What goes over the wire: requests and answers, checked and described for OpenAPI."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ealm.summarize.options import SummarizeOptions
from ealm.summarize.result import Summary

Text = Annotated[str, StringConstraints(max_length=1_000_000)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
_EXAMPLE = "The city council voted late on Tuesday to close the old bridge, which was not safe any more, until spring."

_REWORD = "Let a shorter word stand for a phrase; does not go with extractive."


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Wish(_Strict):
    """How a text is to be shortened; without a length, as the agent chooses."""

    words: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(None, description="At most so many words.")
    chars: Annotated[int, Field(ge=1, le=10_000_000)] | None = Field(None, description="At most so many characters.")
    bytes: Annotated[int, Field(ge=1, le=10_000_000)] | None = Field(
        None, description="At most so many bytes of UTF-8."
    )
    ratio: Annotated[float, Field(gt=0, le=1)] | None = Field(None, description="At most this share of the words.")
    keep: list[Word] = Field(default_factory=list, max_length=1_000, description="Words that are never touched.")
    protect: list[Literal["negation", "numbers", "names"]] | None = Field(
        None, description="Kinds of words that stay as long as the length allows; negation if left out."
    )
    extractive: bool = Field(False, description="Never replace a word.")
    reword: bool = Field(False, description=_REWORD)
    pretokenized: bool = Field(False, description="White space separates the words of one sentence.")
    trace: bool = Field(False, description="Every step of the walk with its summary and rates; slow.")
    recoverability: bool = Field(False, description="Work out what can be recovered also where a length is given.")

    reconstruction: bool = Field(False, description="Also what is rebuilt in the place of every word that is gone.")

    def options(self) -> SummarizeOptions:
        """Raises an `EalmError` for what does not go together."""
        return SummarizeOptions.of(
            words=self.words,
            chars=self.chars,
            bytes=self.bytes,
            ratio=self.ratio,
            keep=self.keep,
            protect=self.protect,
            extractive=self.extractive,
            pretokenized=self.pretokenized,
            trace=self.trace,
            recoverability=self.recoverability,
            reconstruction=self.reconstruction,
            reword=self.reword,
        )


class SummarizeRequest(Wish):
    """One text or several, all shortened in the same way."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"text": _EXAMPLE, "words": 8}]}
    )

    text: Text | list[Text] = Field(description="A sentence or several, as people write them; or a list of texts.")

    @property
    def texts(self) -> list[str]:
        """Always a list."""
        return [self.text] if isinstance(self.text, str) else self.text


class BatchLine(Wish):
    """One line of a stream: a text with its own wishes; whatever `id` it has comes back."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"id": 1, "text": _EXAMPLE}]}
    )

    text: Text
    id: Any = None


class CurveRequest(_Strict):
    """One text, for all its lengths."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"text": _EXAMPLE}]})

    text: Text
    keep: list[Word] = Field(default_factory=list, max_length=1_000, description="Words that are never touched.")
    extractive: bool = False
    reword: bool = Field(False, description=_REWORD)
    recoverability: bool = Field(False, description="Also the rates, the balance and the reconstructions; slower.")


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
