"""A length budget for a whole text, split over its parts so that what stays is worth most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ealm.common.pieces import between_pieces

_LARGEST_TABLE = 20_000_000
"""Cells of the table (parts times budget): 200 sentences may share a budget of 100,000 characters exactly."""

_NEVER = -np.inf


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the lengths that a part of a text could have."""

    cost: int
    """What it takes of the budget."""
    value: float
    stands: bool = True
    """Whether anything of the part is there."""
    needs: int = 0
    """How many parts directly before it must stand too, because it refers to them."""
    carries: bool = True
    """Whether it still names what a later part may refer to."""


def allocate(parts: Sequence[Sequence[Choice]], budget: int) -> list[int]:
    """Number of the choice for each part: the greatest sum of values whose costs add up to no more than the budget.

    The first choice is the least that a part may have (nothing, if it may be dropped). Exact, by dynamic programming
    over the budget (the multiple-choice knapsack problem) and over how many parts before are needed. Equal values: the
    allocation that costs less, then the one that gives more to earlier parts. If the table would be too large, costs
    are rounded up to a coarser unit: the budget still holds, and the sum may miss the optimum by what the rounding
    takes.
    """
    free = budget - sum(choices[0].cost for choices in parts)
    free = min(free, sum(max(choice.cost for choice in choices) - choices[0].cost for choices in parts))
    if free < 0:
        return [0] * len(parts)
    unit = 1 + len(parts) * free // _LARGEST_TABLE
    extra = [[-(-(choice.cost - choices[0].cost) // unit) for choice in choices] for choices in parts]
    return _knapsack(parts, extra, free // unit)


def _knapsack(parts: Sequence[Sequence[Choice]], costs: Sequence[Sequence[int]], budget: int) -> list[int]:
    """The choice of each part in the best combination.

    `best[n, c]` is the value of the parts from here to the end at cost c, if they need the n parts before them.
    """
    depth = 1 + max((choice.needs for choices in parts for choice in choices), default=0)
    best = np.full((depth, budget + 1), _NEVER)
    best[0, 0] = 0.0
    table: list[tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]] = []
    for choices, own_costs in zip(reversed(parts), reversed(costs), strict=True):
        between_pieces()
        # From the last part to the first, so that a tie is decided for the first part at the end.
        before = np.full((depth, budget + 1), _NEVER)
        chosen = np.zeros((depth, budget + 1), dtype=np.int16)
        behind = np.zeros((depth, budget + 1), dtype=np.int16)
        for number, (choice, cost) in enumerate(zip(choices, own_costs, strict=True)):
            for needed in range(depth):
                if cost > budget or (needed and not (choice.stands and choice.carries)):
                    continue
                state = max(needed - 1, choice.needs if choice.stands else 0)
                value = best[needed, : budget + 1 - cost] + choice.value
                better = value >= before[state, cost:]
                before[state, cost:][better] = value[better]
                chosen[state, cost:][better] = number
                behind[state, cost:][better] = needed
        best = before
        table.append((chosen, behind))
    return _traced(best, table, costs)


def _traced(
    best: npt.NDArray[np.float64],
    table: Sequence[tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]],
    costs: Sequence[Sequence[int]],
) -> list[int]:
    state, spent = 0, int(best[0].argmax())
    if best[0, spent] == _NEVER:  # what must stay needs something that cannot
        return [0] * len(costs)
    result = []
    for own_costs, (chosen, behind) in zip(costs, reversed(table), strict=True):
        number = int(chosen[state, spent])
        result.append(number)
        state, spent = int(behind[state, spent]), spent - own_costs[number]
    return result
