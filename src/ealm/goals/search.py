"""Drafts by search instead of by habit: weigh the words of this very sentence and take the best draft there is.

An agent has learned what words are usually worth and looks once. The search looks at the sentence without each of its
words, some forty times the cost, and is exact for the parts of words and neighbours.
"""

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from ealm.edits import Action
from ealm.goals.parts import SentenceJudge
from ealm.goals.values import SentenceValues, best_draft
from ealm.rollout import Step, Walk


def searched_walks(
    judge: SentenceJudge,
    sentences: Sequence[Sequence[str]],
    goals: Sequence[int],
    *,
    locked: Sequence[Collection[int]],
) -> list[Walk]:
    """Walks that pass through the best draft of each goal's length; before and after it the least word goes first."""
    values = judge.values(sentences)
    return [_walk(value, goal, set(own)) for value, goal, own in zip(values, goals, locked, strict=True)]


def _walk(values: SentenceValues, goal: int, locked: set[int]) -> Walk:
    length = len(values.words)
    best = best_draft(values, goal, [place not in locked for place in range(length)])
    kept = np.ones(length, dtype=bool)
    outside = {place for place in range(length) if not best[place]}
    inside = set(range(length)) - outside - locked
    steps = _removals(values, kept, outside) + _removals(values, kept, inside)
    return Walk(length, tuple(steps))


def _removals(values: SentenceValues, kept: npt.NDArray[np.bool_], places: set[int]) -> list[Step]:
    """Remove all of these places, always the one whose loss is least; `kept` is changed."""
    steps = []
    left = set(places)
    while left:
        gains = {place: _gain(values, kept, place) for place in sorted(left)}
        first = max(gains, key=gains.__getitem__)
        own = gains.pop(first)
        steps.append(Step(first, Action.REMOVE, (own, max(gains.values(), default=own))))
        kept[first] = False
        left.remove(first)
    return steps


def _gain(values: SentenceValues, kept: npt.NDArray[np.bool_], place: int) -> float:
    """What Phi changes by when a word goes."""
    without = kept.copy()
    without[place] = False
    return float(values.of(without) - values.of(kept))
