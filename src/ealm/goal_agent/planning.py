"""Drafts by search instead of by habit: the best draft there is, by what the words of a sentence are worth.

What they are worth is estimated by the agent, from the one look it takes anyway (planning), or weighed for this very
sentence, by looking at it without each of its words, which costs some forty times as much. Both are exact for the
parts of words and neighbours.

In the style of headlines, spare words (articles, auxiliaries) are no part of the plan: they go first.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ealm.common.goal_config import GoalSettings
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.potential import Floats, SentenceValues, best_draft
from ealm.goal_agent.potential_terms import SentenceJudge, with_rules
from ealm.paper.edits import Action
from ealm.paper.rollout import Step, Walk
from ealm.text.detokenizer import is_mark
from ealm.text.headline_style import spare_places
from ealm.text.protected_words import DOUBTS

Kept = npt.NDArray[np.bool_]
"""Which words are left."""

_NEVER = -1e6
"""The value of a word that is not to be chosen while there is another."""


class Valuer(Protocol):
    """Tells what the words of sentences are worth by themselves."""

    def __call__(self, sentences: Sequence[Sequence[str]], encodings: Sequence[Tensor]) -> list[Floats]:
        """A number for each word of each sentence; `encodings` has (words, width) for each sentence."""
        ...


class Weighed:
    """Weighs every sentence anew."""

    def __init__(self, judge: SentenceJudge) -> None:
        self._judge = judge

    def __call__(self, sentences: Sequence[Sequence[str]], encodings: Sequence[Tensor]) -> list[Floats]:  # noqa: ARG002
        return [values.worth for values in self._judge.values(sentences)]


class Estimated:
    """Asks the agent, which has learned it.

    Phi is linear in what words are worth, so the draft that is best by the expected values has the best expected Phi.
    """

    def __init__(self, agent: GoalAgent) -> None:
        self._agent = agent

    @torch.no_grad()
    def __call__(self, sentences: Sequence[Sequence[str]], encodings: Sequence[Tensor]) -> list[Floats]:
        if not sentences:
            return []
        worths = self._agent.worths(torch.cat(list(encodings))).cpu().numpy()
        return np.split(worths, np.cumsum([len(words) for words in sentences])[:-1])


@dataclass(frozen=True, slots=True)
class Task:
    """A sentence to plan."""

    words: Sequence[str]
    locked: Collection[int] = ()
    """Words that a walk does not decide on."""
    tied: Mapping[int, int] = field(default_factory=dict)
    """Those of them that stay or go with another word."""


class Plans:
    """Makes plans of sentences."""

    def __init__(self, valuer: Valuer, settings: GoalSettings) -> None:
        self._valuer = valuer
        self._settings = settings

    def __call__(self, tasks: Sequence[Task], encodings: Sequence[Tensor]) -> "list[Plan]":
        """A plan for each sentence."""
        worths = self._valuer([task.words for task in tasks], encodings)
        return [Plan(task, worth, self._settings) for task, worth in zip(tasks, worths, strict=True)]


class Plan:
    """Walks that pass through the best draft of the length asked for; before and after it the least word goes first."""

    def __init__(self, task: Task, worth: Floats, settings: GoalSettings) -> None:
        parts = settings.parts
        followers = {own: head for own, head in task.tied.items() if not is_mark(task.words[own])}
        self._heads = list(followers.values())
        """Of words that take a place if they come."""
        negated = [head for own, head in followers.items() if task.words[own] not in DOUBTS]
        worth = worth + parts.negated * np.isin(np.arange(len(worth)), negated)
        spare = spare_places(task.words) - set(task.locked) if settings.style == "headline" else ()
        self._task = task
        self._first = _in_order(sorted(spare, key=worth.__getitem__), worth)
        self._places = sorted(set(range(len(task.words))) - set(spare) - task.tied.keys())
        """The words that are planned."""
        self._values = with_rules([task.words[place] for place in self._places], worth[self._places], parts)
        self._stays = [place in task.locked for place in self._places]
        self._walks: dict[int, Walk] = {}

    def toward(self, goal: int) -> Walk:
        """A walk to the end, through the best draft of so many words, marks not counted."""
        if goal not in self._walks:
            steps = _planned(self._values, self._best(goal), self._stays)
            moved = [replace(step, word=self._places[step.word]) for step in steps]
            self._walks[goal] = Walk(len(self._task.words), (*self._first, *moved))
        return self._walks[goal]

    def _best(self, goal: int) -> Kept:
        """The best draft, with room for the words that come with others."""
        task = self._task
        size = goal + sum(is_mark(task.words[place]) for place in task.locked if place not in task.tied)
        draft = self._draft(self._values, size)
        followed = self._followed(draft)
        if not followed:
            return draft
        with_room = self._draft(self._values, size - len(followed))
        if self._followed(with_room) == followed:
            return with_room
        words = np.where(np.isin(self._places, followed), _NEVER, self._values.words)
        return self._draft(replace(self._values, words=words), size)

    def _draft(self, values: SentenceValues, size: int) -> Kept:
        return best_draft(values, size, [not stay for stay in self._stays])

    def _followed(self, draft: Kept) -> list[int]:
        """Words of a draft that others come with."""
        left = {place for place, kept in zip(self._places, draft, strict=True) if kept}
        return [head for head in self._heads if head in left]


def _in_order(places: Sequence[int], worth: Floats) -> list[Step]:
    """Remove these words, one after the other."""
    losses = [-float(worth[place]) for place in places]
    following = [*losses[1:], *losses[-1:]]
    return [
        Step(place, Action.REMOVE, (own, other)) for place, own, other in zip(places, losses, following, strict=True)
    ]


def _planned(values: SentenceValues, best: Kept, stays: Sequence[bool]) -> list[Step]:
    """Remove all words but those that stay, on a way through the best draft."""
    kept = np.ones(len(best), dtype=bool)
    free = {place for place, stay in enumerate(stays) if not stay}
    outside = {place for place in free if not best[place]}
    return _removals(values, kept, outside) + _removals(values, kept, free - outside)


def _removals(values: SentenceValues, kept: Kept, places: set[int]) -> list[Step]:
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


def _gain(values: SentenceValues, kept: Kept, place: int) -> float:
    """What Phi changes by when a word goes."""
    lost = float(values.words[place])
    if place > 0 and kept[place - 1]:
        lost += float(values.pairs[place - 1])
    if place + 1 < len(kept) and kept[place + 1]:
        lost += float(values.pairs[place])
    return -lost
