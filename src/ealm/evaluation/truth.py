"""A suite of truths: sentences, each with what a summary of it must not say.

A folder has one file a kind (`negation.jsonl`, ...), with one case a line:

    {"text": "...", "never": ["pattern", ...], "pairs": [{"where": "pattern", "must": "pattern"}, ...]}

A summary breaks a case if a `never` pattern matches it, or if a `where` matches it and its `must` does not.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ealm.common.errors import EalmError
from ealm.text.words import decode_lines

ANY, START, END = "*", "^", "$"
QUESTION = "?"
"""The last word of a question: neither `*` nor `$` reaches it, so that a pattern with `$` means a statement."""
_FIELDS = ("text", "never", "pairs")
_ENDING = re.compile(r"(?<=\w)(n't|'s)\b")
"""Endings that are words of their own: did|n't, Ann|'s."""
_TOKEN = re.compile(r"n't\b|'s\b|[%$£€]|(?:[a-z]\.){2,}|\w+(?:(?:[-'&/]|(?<=\d)[.,:](?=\d))\w+)*|(?P<stop>[.!?]+)")
_ABBREVIATIONS = frozenset("mr mrs ms dr prof st sen gov inc corp ltd vs".split())


class TruthSuiteError(EalmError):
    """A suite of truths cannot be read, or a case of it cannot be checked."""


def sentences_of(text: str) -> list[list[str]]:
    """The words of each sentence as patterns see them: in lower case, without punctuation."""
    plain = _ENDING.sub(r" \1", text.lower().replace("’", "'").replace("‘", "'"))
    sentences: list[list[str]] = [[]]
    for token in _TOKEN.finditer(plain):
        words = sentences[-1]
        if token["stop"] is None:
            words.append(token[0].rstrip("."))
        elif words and QUESTION in token["stop"]:
            words.append(QUESTION)
            sentences.append([])
        elif words and words[-1] not in _ABBREVIATIONS and len(words[-1]) > 1:
            sentences.append([])
    return [words for words in sentences if words]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words that may stand in a sentence of a summary, checked when built.

    `a|b` are alternatives for one word, `*` any number of words, `^` in front the start of the sentence and `$` at the
    end the end of a statement. A question ends with `?` instead. Any other `$` is the dollar.
    """

    text: str

    def __post_init__(self) -> None:
        if not self.words:
            raise TruthSuiteError(f"the pattern {self.text!r} has no word.")
        for word in sorted(word for words in self.words for word in words):
            if word != QUESTION and sentences_of(word) != [[word]]:
                seen = " ".join(each for words in sentences_of(word) for each in words)
                raise TruthSuiteError(
                    f"the pattern {self.text!r} can never match: {word!r} is read as {seen!r} in a summary. Write that."
                )

    @property
    def words(self) -> list[frozenset[str]]:
        """The alternatives for each of its words."""
        return [frozenset(part.split("|")) for part in _parts(self.text)[1] if part != ANY]

    def matches(self, sentences: Sequence[Sequence[str]]) -> bool:
        """Whether it stands in one of the sentences."""
        expression = _expression(self.text)
        return any(expression.search("".join(f"{word} " for word in words)) for words in sentences)

    def witness(self, sentences: Sequence[Sequence[str]]) -> list[str] | None:
        """The shortest thing that matches when other words are removed; None if none can be made that way."""
        left = self.words
        found = []
        for word in (word for words in sentences for word in words):
            if left and word in left[0]:
                found.append(word)
                left = left[1:]
        return None if left else found


def _parts(pattern: str) -> tuple[bool, list[str], bool]:
    """Whether it is held at the start of a sentence, what is in it, whether it is held at the end."""
    parts = pattern.split()
    starts, ends = parts[:1] == [START], parts[-1:] == [END]
    return starts, parts[starts : len(parts) - ends], ends


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    """A regular expression for sentences in which a space follows each word."""
    starts, parts, ends = _parts(pattern)
    inner = "".join(
        r"(?:[^\s?]+ )*?" if part == ANY else f"(?:{'|'.join(map(re.escape, part.split('|')))}) " for part in parts
    )
    return re.compile(("^" if starts else r"(?<!\S)") + inner + ("$" if ends else ""))


@dataclass(frozen=True, slots=True)
class Pair:
    """Where the one stands, the other must stand too."""

    where: Pattern
    must: Pattern


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, and what its summaries must not say."""

    kind: str
    text: str
    never: tuple[Pattern, ...]
    pairs: tuple[Pair, ...]
    place: str
    """File and line."""

    def violations(self, summary: str) -> list[str]:
        """What a summary says that it must not, in words for a person."""
        sentences = sentences_of(summary)
        said = [f"says: {pattern.text}" for pattern in self.never if pattern.matches(sentences)]
        return said + [
            f"says: {pair.where.text}, without: {pair.must.text}"
            for pair in self.pairs
            if pair.where.matches(sentences) and not pair.must.matches(sentences)
        ]


def read_suite(folder: Path) -> tuple[Case, ...]:
    """The cases of every file of a folder; a file's name says their kind."""
    paths = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    if not paths:
        raise TruthSuiteError(f"There is no suite in {folder}: expected a folder with files such as negation.jsonl.")
    cases = tuple(case for path in paths for case in _read_file(path))
    if not cases:
        raise TruthSuiteError(f"The files in {folder} are empty: there is nothing to check.")
    return cases


def _read_file(path: Path) -> list[Case]:
    with path.open("rb") as file:
        lines = list(decode_lines(file, str(path)))
    cases = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            place = f"{path.name}, line {number}"
            try:
                cases.append(_case(json.loads(line), kind=path.stem, place=place))
            except (TruthSuiteError, ValueError, RecursionError) as error:
                raise TruthSuiteError(f"{path}, line {number}: {error}") from error
    return cases


def _case(record: Any, *, kind: str, place: str) -> Case:
    if not isinstance(record, dict) or record.keys() - set(_FIELDS):
        raise TruthSuiteError(f"expected an object with {', '.join(_FIELDS)}, got {json.dumps(record)[:80]}.")
    text, never, pairs = record.get("text"), record.get("never", []), record.get("pairs", [])
    if not isinstance(text, str) or not text.strip():
        raise TruthSuiteError("it has no text.")
    if not isinstance(never, list) or not isinstance(pairs, list) or not (never or pairs):
        raise TruthSuiteError("give at least one pattern, in a list: never, or pairs.")
    return Case(kind, text, tuple(map(_pattern, never)), tuple(map(_pair, pairs)), place)


def _pair(record: Any) -> Pair:
    if not isinstance(record, dict) or record.keys() != {"where", "must"}:
        raise TruthSuiteError(f"a pair has a where and a must, got {json.dumps(record)[:80]}.")
    return Pair(_pattern(record["where"]), _pattern(record["must"]))


def _pattern(text: Any) -> Pattern:
    if not isinstance(text, str):
        raise TruthSuiteError(f"a pattern is a text, got {json.dumps(text)[:80]}.")
    return Pattern(text)
