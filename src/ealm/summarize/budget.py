"""A budget for a whole text: spent on the sentences where a word more makes most recoverable."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the lengths that a sentence could have."""

    cost: int
    """What it takes of the budget."""
    value: float
    """Words of the sentence that are kept or can still be recovered."""


def allocate(sentences: Sequence[Sequence[Choice]], budget: int) -> list[int]:
    """Which choice each sentence gets, so that the values add up to much and the costs to no more than the budget.

    Choices come in rising cost; the first is the least that the sentence may have (nothing, if it may be dropped).
    Greedy over the upper hulls of the curves, steepest step first; a step that does not fit is passed over.
    """
    chosen = [0] * len(sentences)
    left = budget - sum(choices[0].cost for choices in sentences)
    steps = [step for number, choices in enumerate(sentences) for step in _hull_steps(number, choices)]
    # Within a sentence the steps of a hull get flatter, so that this order never takes them out of turn.
    steps.sort(key=lambda step: (-step.slope, step.sentence, step.after))
    blocked: set[int] = set()
    for step in steps:
        if step.sentence in blocked:
            continue
        if step.cost > left:
            blocked.add(step.sentence)
            continue
        left -= step.cost
        chosen[step.sentence] = step.after
    greedy = _fill_up(sentences, chosen, left)
    single = _fill_up(sentences, *_best_single(sentences, budget))
    return max(greedy, single, key=lambda picked: _value(sentences, picked))


def _value(sentences: Sequence[Sequence[Choice]], chosen: Sequence[int]) -> float:
    return sum(choices[number].value for choices, number in zip(sentences, chosen, strict=True))


def _best_single(sentences: Sequence[Sequence[Choice]], budget: int) -> tuple[list[int], int]:
    """The one sentence whose best choice gains most, all others at their least: what greed may have missed."""
    chosen = [0] * len(sentences)
    left = budget - sum(choices[0].cost for choices in sentences)
    gains = [
        (choices[later].value - choices[0].value, -choices[later].cost, number, later)
        for number, choices in enumerate(sentences)
        for later in range(1, len(choices))
        if choices[later].cost - choices[0].cost <= left
    ]
    if gains:
        _, _, number, later = max(gains)
        left -= sentences[number][later].cost - sentences[number][0].cost
        chosen[number] = later
    return chosen, left


@dataclass(frozen=True, slots=True)
class _Step:
    sentence: int
    after: int
    cost: int
    slope: float


def _hull_steps(sentence: int, choices: Sequence[Choice]) -> list[_Step]:
    steps = []
    at = 0
    while at + 1 < len(choices):
        slopes = {
            later: (choices[later].value - choices[at].value) / max(choices[later].cost - choices[at].cost, 1)
            for later in range(at + 1, len(choices))
        }
        best = max(slopes, key=lambda later: (slopes[later], later))
        if slopes[best] <= 0:
            break
        steps.append(_Step(sentence, best, choices[best].cost - choices[at].cost, slopes[best]))
        at = best
    return steps


def _fill_up(sentences: Sequence[Sequence[Choice]], chosen: list[int], left: int) -> list[int]:
    """Spend what the hulls left over on whatever still gains by it."""
    while True:
        gains = [
            (choices[later].value - choices[at].value, -choices[later].cost, number, later)
            for number, (choices, at) in enumerate(zip(sentences, chosen, strict=True))
            for later in range(at + 1, len(choices))
            if choices[later].cost - choices[at].cost <= left and choices[later].value > choices[at].value
        ]
        if not gains:
            return chosen
        _, _, number, later = max(gains)
        left -= sentences[number][later].cost - sentences[number][chosen[number]].cost
        chosen[number] = later
