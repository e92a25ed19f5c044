"""What every summary must keep to, whatever the text: each way in which it may not is a kind of problem."""

import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest import mock

import regex
import tiny_models
import torch
from fakes import TableMaskedLM

from ealm import Summarizer, Summary
from ealm.common.config import AgentSettings, Settings
from ealm.common.errors import EalmWarning, TextError
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.text.lengths import count_words
from ealm.text.sentences import LONGEST_SENTENCE

SETTINGS = Settings(agent=AgentSettings(hidden_units=12)).override({"ignored_words.infrequent": "none"})

OptionValues = dict[str, Any]

KINDS = (
    "crash",
    "too long",
    "empty",
    "says nothing",
    "outer space",
    "lost words",
    "changed words",
    "needlessly short",
)


@cache
def summarizer(lm: str = "tiny") -> Summarizer:
    """An agent that removes, keeps and replaces, and a language model that takes sentences of any allowed length."""
    made = table_lm() if lm == "table" else tiny_lm()
    agent = new_agent(made.width, SETTINGS.agent, seed=5)
    with torch.no_grad():
        agent.output.weight.mul_(20)
    return Summarizer.from_parts(agent, made, ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS)


def tiny_lm() -> MaskedLM:
    with mock.patch.object(tiny_models, "POSITIONS", 256):
        return tiny_models.tiny_bert()


def table_lm() -> MaskedLM:
    """In no time, for texts that are long."""
    made = TableMaskedLM({"old": "river", "small": "bridge"}, tiny_models.WORDS)
    made.max_words = LONGEST_SENTENCE
    return made


def problems(text: str, given_options: OptionValues) -> Iterator[tuple[str, str]]:
    """What goes wrong if a text is summarized: the kind of problem and how it shows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EalmWarning)  # words to keep that a text does not have
            summary = summarizer().summarize(text, **given_options)
    except TextError as error:
        if not is_fair(error, text, given_options):
            yield "crash", repr(error)
        return
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a compiled library is not even an Exception
        yield "crash", repr(error)
        return
    yield from flaws(text, summary, given_options)


def flaws(text: str, summary: Summary, given_options: OptionValues) -> Iterator[tuple[str, str]]:
    """Promises that a summary breaks."""
    limit = limit_of(text, given_options)
    found = repr(summary.summary)
    if limit is not None and length(summary.summary, limit[0]) > limit[1]:
        yield "too long", found
    if not summary.summary.strip() and can_say_something(text, limit):
        yield "empty", found
    if is_only_marks(summary.summary) and must_say_something(text, given_options, limit):
        yield "says nothing", found
    if summary.summary != summary.summary.strip():
        yield "outer space", found
    if squeezed("".join(edit.word for edit in summary.edits)) != squeezed(text):
        yield "lost words", repr([edit.word for edit in summary.edits])
    if not is_written_from_its_edits(summary, limit):
        yield "changed words", f"{found} from {written_pieces(summary)}"
    if (
        limit is not None
        and length(text.strip(), limit[0]) <= limit[1]
        and summary.summary != untouched(text, given_options)
    ):
        yield "needlessly short", found


def is_fair(error: TextError, text: str, given_options: OptionValues) -> bool:
    """Words to keep may not fit."""
    return "keep" in given_options and limit_of(text, given_options) is not None and "words to keep" in str(error)


def limit_of(text: str, given_options: OptionValues) -> tuple[str, int] | None:
    for unit in ("words", "chars", "bytes"):
        if given_options.get(unit) is not None:
            return unit, given_options[unit]
    ratio = given_options.get("ratio")
    return None if ratio is None else ("words", max(1, int(ratio * count_words(text) + 1e-9)))


def length(text: str, unit: str) -> int:
    return {"words": count_words(text), "chars": len(text), "bytes": len(text.encode())}[unit]


def can_say_something(text: str, limit: tuple[str, int] | None) -> bool:
    """Whether a single character of the text fits."""
    return any(limit is None or length(c, limit[0]) <= limit[1] for c in text if not c.isspace())


def must_say_something(text: str, given_options: OptionValues, limit: tuple[str, int] | None) -> bool:
    """Unless somebody asked for something else, or its letters are too long, a text with words keeps one of them."""
    asked = given_options.get("keep") or given_options.get("pretokenized")
    return not asked and not is_only_marks(text) and (limit is None or limit[1] >= 8)


def is_only_marks(text: str) -> bool:
    return not regex.search(r"[\p{L}\p{N}\p{S}]", text)


def squeezed(text: str) -> str:
    return "".join(text.split())


def untouched(text: str, given_options: OptionValues) -> str:
    return " ".join(text.split()) if given_options.get("pretokenized") else text.strip()


def parts_of(summary: Summary) -> tuple[Summary, ...]:
    return summary.sentences or (summary,)


def written_pieces(part: Summary) -> list[str]:
    kept = [edit for edit in part.edits if edit.action is not Action.REMOVE]
    return [edit.word if edit.action is Action.KEEP else str(edit.replacement) for edit in kept]


def is_written_from_its_edits(summary: Summary, limit: tuple[str, int] | None) -> bool:
    """Whether the summary is its kept and new words in order, and nothing else but space, or what fits of the last."""
    whole = ""
    for part in parts_of(summary):
        made = squeezed("".join(written_pieces(part)))
        found = squeezed(part.summary)
        if part is summary and cut_allowed(made, limit):
            return is_cut_from(found, made) or is_last_resort(found, made, summary, limit)
        if not same_but_for_a_capital(found, made):
            return False
        whole += found
    found = squeezed(summary.summary)
    with_bullets = squeezed("".join(written_pieces(summary)))
    if found.casefold() == with_bullets.casefold():
        return True
    if same_but_for_a_capital(found, whole) or is_last_resort(found, whole, summary, limit):
        return True
    return cut_allowed(whole, limit) and is_cut_from(found, whole)


def cut_allowed(made: str, limit: tuple[str, int] | None) -> bool:
    """A single word may be longer than everything that is allowed."""
    return limit is not None and length(made, limit[0]) > limit[1]


def is_cut_from(found: str, made: str) -> bool:
    return any(text.startswith(found) for text in capitalised(made)) or (len(found) == 1 and found in made)


def is_last_resort(found: str, made: str, summary: Summary, limit: tuple[str, int] | None) -> bool:
    """Where not a character of what was chosen fits, it may be what fits of the source."""
    return not can_say_something(made, limit) and is_cut_from(found, squeezed(summary.source))


def same_but_for_a_capital(found: str, made: str) -> bool:
    return found in capitalised(made)


def capitalised(text: str) -> list[str]:
    """As it is, and with the first letter as a capital, or the first that is in no tag; a few become two letters."""
    outside = regex.match(r"(?:</?\p{L}[^<>]*>|[^\p{L}])*+", text)
    firsts = [0, next((place for place, character in enumerate(text) if character.isalpha()), 0), outside.end()]
    return [text, *(text[:first] + text[first : first + 1].upper() + text[first + 1 :] for first in firsts)]
