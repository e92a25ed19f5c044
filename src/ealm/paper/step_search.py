"""Search for the step of a walk that counts, with as few forward passes of the language model as possible.

Each search requests rounds of mask filling until its result is certain. Bounds make that early: kept words are
recovered, the rank at a filled mask is known, an open mask may or may not recover its word.
"""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from ealm.common.config import RewardSettings
from ealm.paper.converter import Conversion, Converter
from ealm.paper.edits import Action, summary_length
from ealm.paper.rewards import (
    ROUNDING,
    RateBounds,
    clears_compression,
    clears_reconstruction,
    compression_rate,
    reconstruction_bounds,
    reconstruction_rate,
)
from ealm.paper.rollout import Walk
from ealm.paper.source import Source

_ROWS_OF_A_PASS = 2
"""Of one search; more would be faster for each row, but are too often not needed in the end."""


class ConversionCache:
    """Conversions by sentence and actions, least recently used first out; unfinished ones continue later."""

    def __init__(self, most_bytes: int) -> None:
        """`most_bytes` bounds the memory; the newest conversion is kept even if it alone takes more."""
        self._most_bytes = most_bytes
        self._bytes = 0
        self._conversions: OrderedDict[tuple[tuple[Any, ...], ...], Conversion] = OrderedDict()

    def __len__(self) -> int:
        return len(self._conversions)

    def get(self, source: Source, actions: tuple[Action, ...]) -> Conversion:
        """The conversion of this sentence under these actions, new if it is not cached."""
        key = (source.ids, source.counted, actions)
        conversion = self._conversions.get(key)
        if conversion is None:
            conversion = self._conversions[key] = Conversion(source.ids, actions, counted=source.counted)
            self._bytes += bytes_of_conversion(len(actions))
            while self._bytes > self._most_bytes and len(self._conversions) > 1:
                (_, _, oldest), _ = self._conversions.popitem(last=False)
                self._bytes -= bytes_of_conversion(len(oldest))
        else:
            self._conversions.move_to_end(key)
        return conversion


def bytes_of_conversion(words: int) -> int:
    """What a conversion of so many words and its place in the cache take, at most."""
    return 1_000 + 250 * words


class Search(Protocol):
    """A question about a walk that is answered by rounds of mask filling."""

    def pending(self, breadth: int) -> list[Conversion]:
        """Conversions that need one more round now, at most `breadth` if the search has a choice; none when done."""
        ...


def run_searches(searches: Sequence[Search], converter: Converter) -> None:
    """Run the rounds that the searches request, in common batches, until all are done."""
    active = list(searches)
    while active:
        breadth = max(1, _ROWS_OF_A_PASS // len(active))
        requests = [(search, search.pending(breadth)) for search in active]
        active = [search for search, pending in requests if pending]
        # Two searches may ask for the same conversion; it must not be filled twice in a round.
        wanted = {id(conversion): conversion for _, pending in requests for conversion in pending}
        converter.advance(list(wanted.values()))


class Candidate:
    """A step of a walk, its conversion, and bounds of its reconstruction rate."""

    __slots__ = ("_settings", "bounds", "compression", "conversion", "counted", "step")

    def __init__(self, step: int, conversion: Conversion, counted: tuple[bool, ...], settings: RewardSettings) -> None:
        self.step = step
        self.conversion = conversion
        self.compression = compression_rate(summary_length(conversion.actions), len(conversion.source))
        self.counted = counted
        self._settings = settings
        self.bounds: RateBounds
        self.refresh()

    def refresh(self) -> None:
        """Update the bounds after a round."""
        self.bounds = reconstruction_bounds(self.conversion.source_ranks, self.counted, self._settings)

    @property
    def answered(self) -> bool:
        """Whether both the rate and the summary are known."""
        return self.bounds.settled and self.conversion.summary is not None

    def scored(self) -> "ScoredStep":
        """The step with its rates, as far as they are known."""
        rate = None
        if self.bounds.settled:
            rate = reconstruction_rate(self.conversion.source_ranks, self.counted, self._settings)
        return ScoredStep(self.step, self.conversion, self.compression, rate)


@dataclass(frozen=True, slots=True)
class ScoredStep:
    """A step with its rates."""

    step: int
    conversion: Conversion
    compression_rate: float
    reconstruction_rate: float | None
    """None if it was not requested."""

    @property
    def asked(self) -> bool:
        """Whether the language model was asked for it."""
        return self.reconstruction_rate is not None or Action.REPLACE in self.conversion.actions


class BestStepSearch:
    """t* = argmax cr + rr, ties to the later and shorter step, never an empty summary (section 4.4, Inference).

    Best-first: the step with the greatest upper bound is advanced; once its sum is certain, no other can be better.
    """

    def __init__(
        self, source: Source, walk: Walk, settings: RewardSettings, *, punctuation: Collection[int] = frozenset()
    ) -> None:
        """`punctuation` are indices of words that do not make a summary alone, such as a full stop."""
        distinct: dict[tuple[Action, ...], int] = {}
        for step in range(1, len(walk.steps) + 1):
            actions = walk.actions_after(step)
            distinct.pop(actions, None)
            distinct[actions] = step  # a Keep repeats the step before it: the later number stands for both
        usable = {actions: step for actions, step in distinct.items() if has_words(actions, punctuation)}
        if not usable:  # a single word that was removed: the sentence stays as it is
            usable = {walk.actions_after(0): 0}
        self._settings = settings
        self._candidates = [
            Candidate(step, Conversion(source.ids, actions), source.counted, settings)
            for actions, step in usable.items()
        ]
        self._advancing: list[Candidate] = []

    def pending(self, breadth: int) -> list[Conversion]:
        for candidate in self._advancing:
            candidate.refresh()
        self._drop_beaten()
        leader = self._candidates[0]
        if leader.bounds.settled:
            self._advancing = [] if leader.answered else [leader]
        else:
            self._advancing = [c for c in self._candidates[:breadth] if not c.bounds.settled]
        return [candidate.conversion for candidate in self._advancing]

    def _drop_beaten(self) -> None:
        """Sort by upper bound and drop candidates that cannot win."""
        self._candidates.sort(key=lambda c: (round(c.compression + c.bounds.upper, 9), c.step), reverse=True)
        certain = max(c.compression + c.bounds.lower for c in self._candidates)
        self._candidates = [c for c in self._candidates if c.compression + c.bounds.upper > certain - ROUNDING]

    @property
    def best(self) -> ScoredStep:
        """The result, once nothing is pending."""
        return self._candidates[0].scored()


class EveryStepSearch:
    """Summary, reconstruction and rates of every step."""

    def __init__(
        self, source: Source, walk: Walk, settings: RewardSettings, *, punctuation: Collection[int] = frozenset()
    ) -> None:
        self._punctuation = punctuation
        conversions: dict[tuple[Action, ...], Conversion] = {}
        self._candidates = []
        for step in range(len(walk.steps) + 1):
            actions = walk.actions_after(step)
            conversion = conversions.setdefault(actions, Conversion(source.ids, actions))
            self._candidates.append(Candidate(step, conversion, source.counted, settings))
        self._distinct = list(conversions.values())

    def pending(self, breadth: int) -> list[Conversion]:  # noqa: ARG002 - every step is wanted, there is no choice
        return [conversion for conversion in self._distinct if not conversion.finished]

    @property
    def steps(self) -> list[ScoredStep]:
        """Steps 0 (the untouched source) to the last, once nothing is pending."""
        for candidate in self._candidates:
            candidate.refresh()
        return [candidate.scored() for candidate in self._candidates]

    @property
    def best(self) -> ScoredStep:
        """t* among all steps, by the same rule as `BestStepSearch`."""
        steps = self.steps
        usable = [s for s in steps if s.step > 0 and has_words(s.conversion.actions, self._punctuation)]
        return max(
            usable or steps[:1], key=lambda s: (round(s.compression_rate + (s.reconstruction_rate or 0.0), 9), s.step)
        )


def has_words(actions: Sequence[Action], punctuation: Collection[int]) -> bool:
    """Whether a word other than punctuation is left."""
    return any(action != Action.REMOVE and index not in punctuation for index, action in enumerate(actions))


class GivenActionsSearch:
    """The summary under a given row of actions, and its reconstruction rate if requested."""

    def __init__(
        self, source: Source, actions: Sequence[Action], settings: RewardSettings, *, step: int, with_rate: bool
    ) -> None:
        self._candidate = Candidate(step, Conversion(source.ids, actions), source.counted, settings)
        self._with_rate = with_rate

    def pending(self, breadth: int) -> list[Conversion]:  # noqa: ARG002 - a single conversion
        candidate = self._candidate
        candidate.refresh()
        done = candidate.answered if self._with_rate else candidate.conversion.summary is not None
        return [] if done else [candidate.conversion]

    @property
    def best(self) -> ScoredStep:
        """The result, once nothing is pending."""
        scored = self._candidate.scored()
        return scored if self._with_rate else replace(scored, reconstruction_rate=None)


@dataclass(frozen=True, slots=True)
class WalkEnd:
    """Where a walk's experiences end in training: at the first broken floor, or at its last word (T)."""

    last_step: ScoredStep
    violated: bool
    summary_lengths: tuple[int, ...]
    """|y_1| to |y_T|."""


class _Span(NamedTuple):
    """Steps of a walk that are looked at together, through the last of them."""

    first: int
    last: Candidate


class WalkEndSearch:
    """Finds T (section 4.3.3, Violation Penalty) with little work on the steps after it.

    As many spans are examined together as a forward pass has room for; one is passed as soon as its floors are
    certainly cleared, and only at T the exact reconstruction rate is needed.
    """

    def __init__(
        self, source: Source, walk: Walk, settings: RewardSettings, cache: ConversionCache, *, ahead: int = 1
    ) -> None:
        """`ahead`: steps of a span. With more than one, what its last step recovers, the others are taken to recover
        too, as they have more words left; where the last does not clear the floor of the first, they are halved."""
        self._source = source
        self._settings = settings
        self._actions = [walk.actions_after(step) for step in range(1, len(walk.steps) + 1)]
        self._lengths = tuple(summary_length(actions) for actions in self._actions)
        self._cache = cache
        self._ahead = ahead
        # Compression is known without the language model, and so is the first step that breaks its floor.
        self._compression_end = next(
            (step for step in range(1, len(self._lengths) + 1) if not self._compresses(step)), None
        )
        self._opened = 0
        """Steps up to this one are in a span, or passed."""
        self._spans: list[_Span] = []
        self._end: Candidate | None = None

    def _compresses(self, step: int) -> bool:
        rate = compression_rate(self._lengths[step - 1], len(self._source.ids))
        return clears_compression(rate, step=step, length=len(self._source.ids), settings=self._settings)

    def _clears(self, step: int, rate: float) -> bool:
        return clears_reconstruction(rate, step=step, length=len(self._source.ids), settings=self._settings)

    def pending(self, breadth: int) -> list[Conversion]:
        for span in self._spans:
            span.last.refresh()
        while self._end is None:
            unknown = self._examine(breadth)
            if unknown:
                return list({id(c.conversion): c.conversion for c in unknown}.values())
        self._end.refresh()
        return [] if self._end.answered else [self._end.conversion]

    def _examine(self, breadth: int) -> list[Candidate]:
        """Pass the spans that hold and halve those that do not; returns what needs more rounds."""
        if not self._spans:
            self._open_next(breadth)
        unknown: list[Candidate] = []
        left: list[_Span] = []
        for number, span in enumerate(self._spans):
            if self._clears(span.first, span.last.bounds.lower):
                continue
            if self._clears(span.first, span.last.bounds.upper):
                unknown.append(span.last)
                left.append(span)
                continue
            if span.first == span.last.step and not unknown:
                self._end = span.last
            left += [*self._halves(span), *self._spans[number + 1 :]]
            break
        self._spans = left
        return unknown

    def _open_next(self, breadth: int) -> None:
        """Open the next spans; after the last one, the end is known."""
        steps = len(self._lengths) if self._compression_end is None else self._compression_end - 1
        if self._opened == steps:
            self._end = self._candidate(self._compression_end or steps)
        for _ in range(breadth):
            first, self._opened = self._opened + 1, min(self._opened + self._ahead, steps)
            self._spans += self._span(first, self._opened)

    def _halves(self, span: _Span) -> list[_Span]:
        middle = (span.first + span.last.step) // 2
        return [*self._span(span.first, middle), *self._span(middle + 1, span.last.step)]

    def _span(self, first: int, last: int) -> list[_Span]:
        """One span, without the steps at its beginning whose kept words are enough; none if all steps are like that."""
        while first <= last and self._clears(first, self._kept_rate(first)):
            first += 1
        return [_Span(first, self._candidate(last))] if first <= last else []

    def _kept_rate(self, step: int) -> float:
        kept = [0 if action == Action.KEEP else None for action in self._actions[step - 1]]
        return reconstruction_rate(kept, self._source.counted, self._settings)

    def _candidate(self, step: int) -> Candidate:
        conversion = self._cache.get(self._source, self._actions[step - 1])
        return Candidate(step, conversion, self._source.counted, self._settings)

    @property
    def end(self) -> WalkEnd:
        """The result, once nothing is pending."""
        assert self._end is not None
        end = self._end
        violated = end.step == self._compression_end or not self._clears(end.step, end.bounds.upper)
        return WalkEnd(end.scored(), violated, self._lengths[: end.step])
