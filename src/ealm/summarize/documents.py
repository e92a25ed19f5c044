"""Texts of several sentences: how a length limit for the whole text is split over them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import regex

from ealm.common.errors import TextError
from ealm.common.pieces import between_pieces
from ealm.paper.edits import Action, summary_length
from ealm.paper.rollout import WalkSource
from ealm.summarize.budget import Choice, allocate
from ealm.summarize.length_fitting import Shortened
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.prepared_sentence import PreparedSentence
from ealm.text.lengths import Limit, Unit, measure, usual_limit
from ealm.text.sentences import Sentence

_SHARES = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0)
"""Lengths of a sentence that are compared, as shares of the whole."""

_VALUE_OF_A_KEPT_WORD = 0.01
"""Breaks ties between equally recoverable candidates, and lets a sentence without a counted word stay if it fits."""

Rows = Sequence[tuple[Action, ...]]
Recoverable = Callable[[PreparedSentence, Rows], list[float]]
"""How many counted words of a sentence are kept or can be recovered under each row of actions."""


@dataclass(frozen=True, slots=True)
class Text:
    """The sentences of one text, and the limit for all of them."""

    sentences: tuple[PreparedSentence, ...]
    limit: Limit | None
    options: SummarizeOptions

    @property
    def fits(self) -> bool:
        """Whether it is within its limit as it is."""
        sentences = [prepared.sentence for prepared in self.sentences]
        return self.limit is None or self.limit.allows(assembled(sentences, [sentence.text for sentence in sentences]))

    def goal(self, prepared: PreparedSentence) -> int:
        """How many words of a sentence the limit would leave if every sentence gave the same share."""
        if self.limit is None:
            return prepared.goal(usual_limit(prepared.original.text))
        whole = sum(measure(own.sentence.text, self.limit.unit) for own in self.sentences)
        own = measure(prepared.sentence.text, self.limit.unit)
        return prepared.goal(Limit(round(self.limit.size * own / max(1, whole)), self.limit.unit))


def assembled(sentences: Sequence[Sentence], parts: Sequence[str]) -> str:
    """The shortened sentences as one text; paragraphs stay apart."""
    text = ""
    gap = ""
    for sentence, part in zip(sentences, parts, strict=True):
        if part:
            text += (gap if text else "") + part
            gap = ""
        gap = max(gap, sentence.gap, key=lambda space: space.count("\n")) if gap else sentence.gap
    return text


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One of the lengths that a sentence could have."""

    shortened: Shortened
    text: str


class _SentenceLengths:
    """A sentence of a text at any length; each length is computed once."""

    def __init__(self, prepared: PreparedSentence, walks: WalkSource, recoverable: Recoverable) -> None:
        self.prepared = prepared
        self._walks = walks
        self._recoverable = recoverable
        self._candidates: dict[Limit, _Candidate] = {}
        self._values: dict[bytes, float] = {}

    @property
    def whole(self) -> _Candidate:
        """All of it."""
        walk = self._walks.walk_to(len(self.prepared.source.words))
        return _Candidate(Shortened(0, walk.actions_after(0), walk), self.prepared.sentence.text)

    def has_words(self, candidate: _Candidate) -> bool:
        """Whether more than punctuation is left of the sentence."""
        left = enumerate(candidate.shortened.actions)
        return any(action != Action.REMOVE and index not in self.prepared.punctuation for index, action in left)

    def within(self, limit: Limit) -> _Candidate:
        """As much of it as the limit allows."""
        if limit not in self._candidates:
            self._candidates[limit] = self._candidate(self.prepared.shortened(self._walks, limit))
        return self._candidates[limit]

    def _candidate(self, shortened: Shortened) -> _Candidate:
        return _Candidate(shortened, self.prepared.text(shortened.actions, shortened.written))

    def candidates(self, limit: Limit) -> list[_Candidate]:
        """Distinct states in rising length: nothing (unless a word must stay), then ever more of it."""
        hard_keep, walk = self.prepared.hard_keep, self._walks.walk_to(1)
        least = tuple(Action.KEEP if index in hard_keep else Action.REMOVE for index in range(walk.length))
        candidates = [self._candidate(Shortened(len(walk.steps), least, walk))]
        full = measure(self.prepared.sentence.text, limit.unit)
        sizes = {max(1, round(share * full)) for share in _SHARES} | {min(full, limit.size)}
        for size in sorted(sizes):
            candidate = self.within(Limit(size, limit.unit))
            known = any(candidate.shortened.actions == other.shortened.actions for other in candidates)
            if not known and candidate.shortened.complete and limit.allows(candidate.text):
                candidates.append(candidate)
        return candidates

    def choices(self, candidates: Sequence[_Candidate], gap: int, unit: Unit) -> list[Choice]:
        """Cost of each candidate, with the gap that follows the sentence, and its value."""
        rows = {bytes(candidate.shortened.actions): candidate.shortened.actions for candidate in candidates}
        asked = [key for key in rows if key not in self._values]
        if asked:
            values = self._recoverable(self.prepared, [rows[key] for key in asked])
            self._values.update(zip(asked, values, strict=True))
        return [
            Choice(
                measure(candidate.text, unit) + gap if candidate.text else 0,
                self._values[key] + _VALUE_OF_A_KEPT_WORD * summary_length(candidate.shortened.actions),
            )
            for key, candidate in zip(rows, candidates, strict=True)
        ]


class LengthPlanner:
    """Splits a length limit over the sentences of a text; the same planner serves any number of limits."""

    def __init__(
        self, sentences: Sequence[PreparedSentence], walks: Sequence[WalkSource], recoverable: Recoverable
    ) -> None:
        self._parts = [
            _SentenceLengths(prepared, own, recoverable) for prepared, own in zip(sentences, walks, strict=True)
        ]
        self._sentences = [prepared.sentence for prepared in sentences]

    def plan(self, limit: Limit) -> list[Shortened]:
        """Actions for each sentence; raises if the words to keep do not fit."""
        between_pieces()
        candidates = [self._parts[0].within(limit)] if len(self._parts) == 1 else self._shared(limit)
        taken = measure(self._text(candidates), limit.unit)
        if taken > limit.size and any(part.prepared.hard_keep for part in self._parts):
            raise TextError(
                f"The words to keep take {taken} {limit.unit}, and the limit is {limit.size}. "
                "Allow more, or keep fewer words."
            )
        return [candidate.shortened for candidate in candidates]

    def _text(self, candidates: Sequence[_Candidate]) -> str:
        return assembled(self._sentences, [candidate.text for candidate in candidates])

    def _shared(self, limit: Limit) -> list[_Candidate]:
        untouched = [part.whole for part in self._parts]
        if limit.allows(self._text(untouched)):
            return untouched
        widest_gap = max(measure(sentence.gap, limit.unit) for sentence in self._sentences)
        budget = limit.size + widest_gap  # the last sentence of a text has no gap after it
        candidates = [part.candidates(limit) for part in self._parts]
        choices = [part.choices(own, widest_gap, limit.unit) for part, own in zip(self._parts, candidates, strict=True)]
        result = [own[number] for own, number in zip(candidates, allocate(choices, budget), strict=True)]
        if not any(part.has_words(candidate) for part, candidate in zip(self._parts, result, strict=True)):
            least = [own[0] for own in candidates]
            result = self._with_a_word(limit, result, least, [own[-1].value for own in choices])
        return self._filled_up(limit, result)

    def _with_a_word(
        self, limit: Limit, result: list[_Candidate], least: list[_Candidate], values: Sequence[float]
    ) -> list[_Candidate]:
        """If no sentence fits: as much as fits of the most valuable one, even if a word of it must be cut."""
        with_words = [number for number, part in enumerate(self._parts) if part.has_words(part.whole)]
        if not with_words and self._text(result):
            return result
        best = max(with_words or range(len(values)), key=values.__getitem__)
        attempt = [*least[:best], self._parts[best].within(limit), *least[best + 1 :]]
        hard_keep = any(part.prepared.hard_keep for part in self._parts)
        return result if hard_keep and not limit.allows(self._text(attempt)) else attempt

    def _filled_up(self, limit: Limit, result: list[_Candidate]) -> list[_Candidate]:
        """Spend what is left of the limit on kept sentences, then on dropped ones, each in order of the text."""
        dropped = [not candidate.text for candidate in result]
        for number in sorted(range(len(result)), key=lambda number: dropped[number]):
            result = self._grown(limit, result, number)
        return result

    def _grown(self, limit: Limit, result: list[_Candidate], number: int) -> list[_Candidate]:
        """The same with one sentence as long as the limit allows."""
        between_pieces()
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
