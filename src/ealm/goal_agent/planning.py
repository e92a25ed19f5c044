"""Exact planning by dynamic programming: the selection of words with the greatest potential, at any length.

The potential needs a score for each word. The agent estimates the scores from the encodings, in one forward pass, or
the similarity model measures them for this sentence, which costs some forty times as much.

In headline style, articles and auxiliaries are not part of the plan: they are removed first.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from ealm.common.goal_config import GoalSettings
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.potential import Floats, Kept, SentencePotential, best_selection
from ealm.goal_agent.potential_terms import PotentialModel, sentence_potential
from ealm.paper.edits import Action
from ealm.paper.rollout import Step, Walk
from ealm.text.detokenizer import is_punctuation
from ealm.text.headline_style import omissible_indices
from ealm.text.word_lists import HEDGES

_NEVER = -1e6
"""The value of a word that is not to be chosen while there is another."""


class WordScorer(Protocol):
    """Scores the words of sentences."""

    def __call__(self, sentences: Sequence[Sequence[str]], encodings: Sequence[Tensor]) -> list[Floats]:
        """A score for each word of each sentence; `encodings` has (words, width) for each sentence."""
        ...


class MeasuredScores:
    """Word scores measured by the similarity model for each sentence."""

    def __init__(self, model: PotentialModel) -> None:
        self._model = model

    def __call__(self, sentences: Sequence[Sequence[str]], encodings: Sequence[Tensor]) -> list[Floats]:  # noqa: ARG002
        return [potential.word_scores for potential in self._model.potentials(sentences)]


class EstimatedScores:
    """Word scores estimated by the agent.

    Phi is linear in the scores, so the selection that is best by the expected scores has the greatest expected Phi.
    """

    def __init__(self, agent: GoalAgent) -> None:
        self._agent = agent

    @torch.no_grad()
    def __call__(self, sentences: Sequence[Sequence[str]], encodings: Sequence[Tensor]) -> list[Floats]:
        if not sentences:
            return []
        scores = self._agent.word_scores(torch.cat(list(encodings))).cpu().numpy()
        return np.split(scores, np.cumsum([len(words) for words in sentences])[:-1])


@dataclass(frozen=True, slots=True)
class PlanningTask:
    """A sentence to plan."""

    words: Sequence[str]
    locked: Collection[int] = ()
    """Words that a walk does not decide on."""
    dependents: Mapping[int, int] = field(default_factory=dict)
    """Those of them that are kept or removed with another word, their head."""


class SentencePlanner:
    """Makes a plan for each sentence."""

    def __init__(self, scorer: WordScorer, settings: GoalSettings) -> None:
        self._scorer = scorer
        self._settings = settings

    def __call__(self, tasks: Sequence[PlanningTask], encodings: Sequence[Tensor]) -> "list[SentencePlan]":
        """A plan for each sentence."""
        scores = self._scorer([task.words for task in tasks], encodings)
        return [SentencePlan(task, own, self._settings) for task, own in zip(tasks, scores, strict=True)]


class SentencePlan:
    """A walk source: each walk passes through the best selection of the goal's size, the least words removed first."""

    def __init__(self, task: PlanningTask, word_scores: Floats, settings: GoalSettings) -> None:
        terms = settings.potential
        dependents = {own: head for own, head in task.dependents.items() if not is_punctuation(task.words[own])}
        self._heads = list(dependents.values())
        """Of dependents that count as words of the summary."""
        negated = [head for own, head in dependents.items() if task.words[own] not in HEDGES]
        scores = word_scores + terms.negated_word * np.isin(np.arange(len(word_scores)), negated)
        omitted = omissible_indices(task.words) - set(task.locked) if settings.style == "headline" else ()
        self._task = task
        self._first = _removed_in_order(sorted(omitted, key=scores.__getitem__), scores)
        self._planned = sorted(set(range(len(task.words))) - set(omitted) - task.dependents.keys())
        """Indices of the words that are planned."""
        words = [task.words[index] for index in self._planned]
        self._potential = sentence_potential(words, scores[self._planned], terms)
        self._is_locked = [index in task.locked for index in self._planned]
        self._walks: dict[int, Walk] = {}

    def walk_to(self, goal: int) -> Walk:
        """A walk to the last word through the best selection of `goal` words, punctuation not counted."""
        if goal not in self._walks:
            steps = _steps_through(self._best(goal), self._potential, self._is_locked)
            moved = [replace(step, word=self._planned[step.word]) for step in steps]
            self._walks[goal] = Walk(len(self._task.words), (*self._first, *moved))
        return self._walks[goal]

    def _best(self, goal: int) -> Kept:
        """The best selection, with room for the dependents of its words."""
        task = self._task
        size = goal + sum(is_punctuation(task.words[index]) for index in task.locked if index not in task.dependents)
        selection = self._selection(self._potential, size)
        heads = self._heads_in(selection)
        if not heads:
            return selection
        with_room = self._selection(self._potential, size - len(heads))
        if self._heads_in(with_room) == heads:
            return with_room
        unary = np.where(np.isin(self._planned, heads), _NEVER, self._potential.unary)
        return self._selection(replace(self._potential, unary=unary), size)

    def _selection(self, potential: SentencePotential, size: int) -> Kept:
        return best_selection(potential, size, [not locked for locked in self._is_locked])

    def _heads_in(self, selection: Kept) -> list[int]:
        """Words of a selection that have dependents."""
        kept = {index for index, is_kept in zip(self._planned, selection, strict=True) if is_kept}
        return [head for head in self._heads if head in kept]


def _removed_in_order(indices: Sequence[int], scores: Floats) -> list[Step]:
    """Remove these words, one after the other."""
    gains = [-float(scores[index]) for index in indices]
    following = [*gains[1:], *gains[-1:]]
    return [
        Step(index, Action.REMOVE, (own, other)) for index, own, other in zip(indices, gains, following, strict=True)
    ]


def _steps_through(selection: Kept, potential: SentencePotential, is_locked: Sequence[bool]) -> list[Step]:
    """Remove all words but the locked ones; the selection is what is left on the way."""
    kept = np.ones(len(selection), dtype=bool)
    free = {index for index, locked in enumerate(is_locked) if not locked}
    outside = {index for index in free if not selection[index]}
    return _removals(potential, kept, outside) + _removals(potential, kept, free - outside)


def _removals(potential: SentencePotential, kept: Kept, indices: set[int]) -> list[Step]:
    """Remove all of these words, always the one whose loss is least; `kept` is changed."""
    steps = []
    gains = {index: _gain(potential, kept, index) for index in sorted(indices)}
    while gains:
        first = max(gains, key=gains.__getitem__)
        own = gains.pop(first)
        steps.append(Step(first, Action.REMOVE, (own, max(gains.values(), default=own))))
        kept[first] = False
        for beside in (first - 1, first + 1):
            if beside in gains:
                gains[beside] = _gain(potential, kept, beside)
    return steps


def _gain(potential: SentencePotential, kept: Kept, index: int) -> float:
    """The change of Phi when a word is removed."""
    lost = float(potential.unary[index])
    if index > 0 and kept[index - 1]:
        lost += float(potential.pairwise[index - 1])
    if index + 1 < len(kept) and kept[index + 1]:
        lost += float(potential.pairwise[index])
    return -lost
