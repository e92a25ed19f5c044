"""Texts of several sentences: which sentence gets how much of a length that is meant for all of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import regex

from ealm.common.errors import TextError
from ealm.paper.edits import Action, summary_length
from ealm.paper.rollout import Path
from ealm.summarize.budget import Choice, allocate
from ealm.summarize.length_fitting import Shortened
from ealm.summarize.prepared_sentence import Draft
from ealm.text.lengths import Limit, Unit, measure, usual_limit
from ealm.text.sentences import Sentence

_SHARES = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0)
"""Lengths of a sentence that are weighed against each other, as shares of the whole."""

_VALUE_OF_A_KEPT_WORD = 0.01
"""Tells apart what is equally recoverable, and lets a sentence without a counted word stay if there is room."""

Rows = Sequence[tuple[Action, ...]]
Recoverable = Callable[[Draft, Rows], list[float]]
"""How many counted words of a draft are kept or can be recovered under each row of actions."""


@dataclass(frozen=True, slots=True)
class Text:
    """What a user sent: the sentences of one text."""

    drafts: tuple[Draft, ...]
    limit: Limit | None

    def goal(self, draft: Draft) -> int:
        """How many words of a sentence the limit would leave if every sentence gave the same share."""
        if self.limit is None:
            return draft.goal(usual_limit(draft.original.text))
        whole = sum(measure(own.sentence.text, self.limit.unit) for own in self.drafts)
        own = measure(draft.sentence.text, self.limit.unit)
        return draft.goal(Limit(round(self.limit.size * own / max(1, whole)), self.limit.unit))


def assembled(sentences: Sequence[Sentence], parts: Sequence[str]) -> str:
    """What is left of the sentences as one text; paragraphs stay apart."""
    text = ""
    gap = ""
    for sentence, part in zip(sentences, parts, strict=True):
        if part:
            text += (gap if text else "") + part
            gap = ""
        gap = max(gap, sentence.gap, key=lambda space: space.count("\n")) if gap else sentence.gap
    return text


@dataclass(frozen=True, slots=True)
class _Way:
    """One of the lengths that a sentence could have."""

    shortened: Shortened
    text: str


class _Part:
    """A sentence of a text, at any length; each is worked out once."""

    def __init__(self, draft: Draft, path: Path, recoverable: Recoverable) -> None:
        self.draft = draft
        self._path = path
        self._recoverable = recoverable
        self._ways: dict[Limit, _Way] = {}
        self._values: dict[bytes, float] = {}

    @property
    def whole(self) -> _Way:
        """All of it."""
        walk = self._path.toward(len(self.draft.source.words))
        return _Way(Shortened(0, walk.actions_after(0), walk), self.draft.sentence.text)

    def speaks(self, way: _Way) -> bool:
        """Whether more than marks is left of it."""
        left = enumerate(way.shortened.actions)
        return any(action != Action.REMOVE and place not in self.draft.marks for place, action in left)

    def within(self, limit: Limit) -> _Way:
        """As much of it as the limit allows."""
        if limit not in self._ways:
            self._ways[limit] = self._way(self.draft.shortened(self._path, limit))
        return self._ways[limit]

    def _way(self, shortened: Shortened) -> _Way:
        return _Way(shortened, self.draft.text(shortened.actions))

    def ways(self, limit: Limit) -> list[_Way]:
        """Distinct states in rising length: nothing (unless a word must stay), then ever more of it."""
        pinned, walk = self.draft.pinned, self._path.toward(1)
        least = tuple(Action.KEEP if place in pinned else Action.REMOVE for place in range(walk.length))
        ways = [self._way(Shortened(len(walk.steps), least, walk))]
        full = measure(self.draft.sentence.text, limit.unit)
        sizes = {max(1, round(share * full)) for share in _SHARES} | {min(full, limit.size)}
        for size in sorted(sizes):
            way = self.within(Limit(size, limit.unit))
            known = any(way.shortened.actions == other.shortened.actions for other in ways)
            if not known and limit.allows(way.text):
                ways.append(way)
        return ways

    def choices(self, ways: Sequence[_Way], gap: int, unit: Unit) -> list[Choice]:
        """What the ways cost, with the gap that follows the sentence, and what they are worth."""
        rows = {bytes(way.shortened.actions): way.shortened.actions for way in ways}
        asked = [key for key in rows if key not in self._values]
        if asked:
            values = self._recoverable(self.draft, [rows[key] for key in asked])
            self._values.update(zip(asked, values, strict=True))
        return [
            Choice(
                measure(way.text, unit) + gap if way.text else 0,
                self._values[key] + _VALUE_OF_A_KEPT_WORD * summary_length(way.shortened.actions),
            )
            for key, way in zip(rows, ways, strict=True)
        ]


class Planner:
    """What happens to each sentence of a text so that the whole meets a limit; any number of limits."""

    def __init__(self, drafts: Sequence[Draft], paths: Sequence[Path], recoverable: Recoverable) -> None:
        self._parts = [_Part(draft, path, recoverable) for draft, path in zip(drafts, paths, strict=True)]
        self._sentences = [draft.sentence for draft in drafts]

    def plan(self, limit: Limit) -> list[Shortened]:
        """One row of actions for each sentence; raises if the words to keep do not fit."""
        ways = [self._parts[0].within(limit)] if len(self._parts) == 1 else self._shared(limit)
        taken = measure(self._text(ways), limit.unit)
        if taken > limit.size and any(part.draft.pinned for part in self._parts):
            raise TextError(
                f"The words to keep take {taken} {limit.unit}, and the limit is {limit.size}. "
                "Allow more, or keep fewer words."
            )
        return [way.shortened for way in ways]

    def _text(self, ways: Sequence[_Way]) -> str:
        return assembled(self._sentences, [way.text for way in ways])

    def _shared(self, limit: Limit) -> list[_Way]:
        untouched = [part.whole for part in self._parts]
        if limit.allows(self._text(untouched)):
            return untouched
        widest_gap = max(measure(sentence.gap, limit.unit) for sentence in self._sentences)
        budget = limit.size + widest_gap  # the last sentence of a text has no gap after it
        ways = [part.ways(limit) for part in self._parts]
        choices = [part.choices(own, widest_gap, limit.unit) for part, own in zip(self._parts, ways, strict=True)]
        result = [own[number] for own, number in zip(ways, allocate(choices, budget), strict=True)]
        if not any(part.speaks(way) for part, way in zip(self._parts, result, strict=True)):
            least = [own[0] for own in ways]
            result = self._with_a_word(limit, result, least, [own[-1].value for own in choices])
        return self._filled_up(limit, result)

    def _with_a_word(self, limit: Limit, result: list[_Way], least: list[_Way], values: Sequence[float]) -> list[_Way]:
        """Where no sentence fits as it should: what there is of the most telling one, even if it must be cut then."""
        speaking = [number for number, part in enumerate(self._parts) if part.speaks(part.whole)]
        if not speaking and self._text(result):
            return result
        best = max(speaking or range(len(values)), key=values.__getitem__)
        attempt = [*least[:best], self._parts[best].within(limit), *least[best + 1 :]]
        pinned = any(part.draft.pinned for part in self._parts)
        return result if pinned and not limit.allows(self._text(attempt)) else attempt

    def _filled_up(self, limit: Limit, result: list[_Way]) -> list[_Way]:
        """Give what is still free to sentences that stayed, then to dropped ones, the first of them first."""
        dropped = [not way.text for way in result]
        for number in sorted(range(len(result)), key=lambda number: dropped[number]):
            result = self._grown(limit, result, number)
        return result

    def _grown(self, limit: Limit, result: list[_Way], number: int) -> list[_Way]:
        """The same with one sentence as long as there is room for it."""
        part, sentence = self._parts[number], self._sentences[number]
        size = measure(result[number].text, limit.unit)
        if size == measure(sentence.text, limit.unit):
            return result
        free = limit.size - measure(self._text(result), limit.unit)
        gap = measure(sentence.gap, limit.unit)
        # One more than there seems to be room for: sentences that no space parts are a word together.
        for allowance in sorted({free + 1, free, free - gap, free - 1}, reverse=True):
            if allowance > 0:
                longer = part.within(Limit(size + allowance, limit.unit))
                attempt = [*result[:number], longer, *result[number + 1 :]]
                if limit.allows(self._text(attempt)):
                    return attempt
        return result


def cut(text: str, limit: Limit) -> str:
    """As many whole characters of a text as the limit allows: the last resort for a word that is too long alone."""
    if limit.allows(text):
        return text
    kept = ""
    for cluster in regex.findall(r"\X", text):
        if not limit.allows(kept + cluster):
            break
        kept += cluster
    if kept:
        return kept.rstrip() or kept
    return next((character for character in text if limit.allows(character) and not character.isspace()), "")
