"""A length budget for a whole text, split over its sentences so that as many words as possible can be recovered."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ealm.common.pieces import between_pieces

_LARGEST_TABLE = 20_000_000
"""Cells of the table (sentences times budget): 200 sentences may share a budget of 100,000 characters exactly."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the lengths that a sentence could have."""

    cost: int
    """What it takes of the budget."""
    value: float
    """Words of the sentence that are kept or can still be recovered."""


def allocate(sentences: Sequence[Sequence[Choice]], budget: int) -> list[int]:
    """Number of the choice for each sentence: the greatest sum of values whose costs add up to no more than the budget.

    Choices come in rising cost; the first is the least that the sentence may have (nothing, if it may be dropped).
    Exact, by dynamic programming over the budget (the multiple-choice knapsack problem). Equal values: the allocation
    that costs less, then the one that gives more to earlier sentences. If the table would be too large, costs are
    rounded up to a coarser unit: the budget still holds, and the sum may miss the optimum by what the rounding takes.
    """
    free = budget - sum(choices[0].cost for choices in sentences)
    free = min(free, sum(choices[-1].cost - choices[0].cost for choices in sentences))
    if free <= 0:
        return [_best_for_nothing(choices) if free == 0 else 0 for choices in sentences]
    unit = 1 + len(sentences) * free // _LARGEST_TABLE
    extra = [[-(-(choice.cost - choices[0].cost) // unit) for choice in choices] for choices in sentences]
    values = [[choice.value for choice in choices] for choices in sentences]
    return _knapsack(extra, values, free // unit)


def _best_for_nothing(choices: Sequence[Choice]) -> int:
    """The most valuable choice that costs no more than the first."""
    free = [number for number, choice in enumerate(choices) if choice.cost == choices[0].cost]
    return max(free, key=lambda number: (choices[number].value, number))


def _knapsack(costs: Sequence[Sequence[int]], values: Sequence[Sequence[float]], budget: int) -> list[int]:
    """The choice of each sentence in the best combination; `best[c]` is the value of the rest of the text at cost c."""
    best = np.full(budget + 1, -np.inf)
    best[0] = 0.0
    chosen: list[npt.NDArray[np.intp]] = []
    for own_costs, own_values in zip(reversed(costs), reversed(values), strict=True):
        between_pieces()
        # From the last sentence to the first, so that a tie is decided for the first sentence at the end.
        total = np.full((len(own_costs), budget + 1), -np.inf)
        for number, (cost, value) in enumerate(zip(own_costs, own_values, strict=True)):
            if cost <= budget:
                total[number, cost:] = best[: budget + 1 - cost] + value
        best = total.max(axis=0)
        # The last of equal values: argmax alone takes the first.
        chosen.append(len(own_costs) - 1 - total[::-1].argmax(axis=0))
    spent = int(best.argmax())
    result = []
    for own_costs, numbers in zip(costs, reversed(chosen), strict=True):
        number = int(numbers[spent])
        result.append(number)
        spent -= own_costs[number]
    return result
