"""Drafts by search instead of by habit: the best draft there is, by what the words of a sentence are worth.

What they are worth is estimated by the agent, from the one look it takes anyway (planning), or weighed for this very
sentence, by looking at it without each of its words, which costs some forty times as much. Both are exact for the
parts of words and neighbours.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ealm.edits import Action
from ealm.goals.agent import GoalAgent
from ealm.goals.parts import SentenceJudge, with_rules
from ealm.goals.settings import PartSettings
from ealm.goals.values import SentenceValues, best_draft
from ealm.rollout import Step, Walk


class Valuer(Protocol):
    """Tells what the words of sentences are worth."""

    def __call__(self, sentences: Sequence[Sequence[str]], encodings: Sequence[Tensor]) -> list[SentenceValues]:
        """Values of each sentence; `encodings` has (words, width) for each."""
        ...


class Weighed:
    """Weighs every sentence anew."""

    def __init__(self, judge: SentenceJudge) -> None:
        self._judge = judge

    def __call__(self, sentences: Sequence[Sequence[str]], encodings: Sequence[Tensor]) -> list[SentenceValues]:  # noqa: ARG002
        return self._judge.values(sentences)


class Estimated:
    """Asks the agent, which has learned it.

    Phi is linear in what words are worth, so the draft that is best by the expected values has the best expected Phi.
    """

    def __init__(self, agent: GoalAgent, parts: PartSettings) -> None:
        self._agent = agent
        self._parts = parts

    @torch.no_grad()
    def __call__(self, sentences: Sequence[Sequence[str]], encodings: Sequence[Tensor]) -> list[SentenceValues]:
        if not sentences:
            return []
        worths = self._agent.worths(torch.cat(list(encodings))).cpu().numpy()
        rows = np.split(worths, np.cumsum([len(words) for words in sentences])[:-1])
        return [with_rules(words, row, self._parts) for words, row in zip(sentences, rows, strict=True)]


def searched_walks(
    values: Sequence[SentenceValues], goals: Sequence[int], *, locked: Sequence[Collection[int]]
) -> list[Walk]:
    """Walks that pass through the best draft of each goal's length; before and after it the least word goes first."""
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
    gains = {place: _gain(values, kept, place) for place in sorted(places)}
    while gains:
        first = max(gains, key=gains.__getitem__)
        own = gains.pop(first)
        steps.append(Step(first, Action.REMOVE, (own, max(gains.values(), default=own))))
        kept[first] = False
        for beside in (first - 1, first + 1):
            if beside in gains:
                gains[beside] = _gain(values, kept, beside)
    return steps


def _gain(values: SentenceValues, kept: npt.NDArray[np.bool_], place: int) -> float:
    """What Phi changes by when a word goes."""
    lost = float(values.words[place])
    if place > 0 and kept[place - 1]:
        lost += float(values.pairs[place - 1])
    if place + 1 < len(kept) and kept[place + 1]:
        lost += float(values.pairs[place])
    return -lost
