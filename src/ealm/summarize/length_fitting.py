"""Any length from one walk: its decisions are applied in order until the remaining words are short enough.

A walk that keeps more than the limit allows is not repeated. The agent decides first where it is most certain, so once
the kept words fill the limit, all others are removed.
"""

from bisect import bisect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ealm.paper.edits import Action
from ealm.paper.rollout import Walk


@dataclass(frozen=True, slots=True)
class Shortened:
    """Actions under which a sentence meets a limit."""

    step: int
    """Decisions of the walk that were applied."""
    actions: tuple[Action, ...]
    walk: Walk
    complete: bool = True
    """False for a phrase, where no true statement fits."""


Fits = Callable[[Sequence[int]], bool]
"""Whether the words at these indices (ascending) are short enough together."""


def shorten(
    walk: Walk,
    fits: Fits,
    *,
    hard_keep: Collection[int] = (),
    soft_keep: Sequence[int] = (),
    dependents: Mapping[int, int] | None = None,
    punctuation: Collection[int] = (),
) -> Shortened:
    """The first state of the walk that fits; a decision to keep is overruled where the word does not fit.

    `hard_keep` words always stay; `soft_keep` words stay as far as they fit, in their order; `dependents` map a word to
    its head and stay or go with it. The walk decides on none of these. At least one word other than `punctuation` is
    left.
    """
    actions = [Action.KEEP] * walk.length
    if fits(range(walk.length)):
        return Shortened(0, tuple(actions), walk)
    if len(punctuation) == walk.length:  # nothing but punctuation: then it is the content
        punctuation = ()
    kept_so_far = sorted(hard_keep)
    for index in soft_keep:
        if fits(with_it := _with(kept_so_far, index)):
            kept_so_far = with_it
        else:
            actions[index] = Action.REMOVE
    followers: dict[int, list[int]] = {}
    for own, head in (dependents or {}).items():
        followers.setdefault(head, []).append(own)
    left = _left(actions)
    done = fits(left) and not set(left) <= set(punctuation)
    step = 0
    for step, decision in enumerate(walk.steps, start=1):
        if done:
            return Shortened(step - 1, tuple(actions), walk)
        together = [decision.word, *followers.get(decision.word, ())]
        if decision.action != Action.REMOVE and fits(with_it := sorted({*kept_so_far, *together})):
            actions[decision.word] = decision.action
            kept_so_far = with_it
        else:
            for index in together:
                actions[index] = Action.REMOVE
                left.remove(index)
            done = fits(left) and not set(left) <= set(punctuation)
    if set(left) <= set(punctuation):
        actions = _with_one_word(walk, actions, fits, hard_keep=hard_keep, punctuation=punctuation)
    return Shortened(step, tuple(actions), walk)


def _left(actions: Sequence[Action]) -> list[int]:
    return [index for index, action in enumerate(actions) if action != Action.REMOVE]


def _with(indices: Sequence[int], index: int) -> list[int]:
    """Ascending indices with one more."""
    at = bisect(indices, index)
    return [*indices[:at], index, *indices[at:]]


def _with_one_word(
    walk: Walk, actions: Sequence[Action], fits: Fits, *, hard_keep: Collection[int], punctuation: Collection[int]
) -> list[Action]:
    """Restore the word that was removed last, of those that fit; if none fits, the caller must cut it."""
    removed = [index for index, action in enumerate(actions) if action == Action.REMOVE]
    order = {decision.word: number for number, decision in enumerate(walk.steps)}
    removed = [
        index for index in removed if index not in punctuation
    ] or removed  # punctuation only if there is no word
    removed.sort(key=lambda index: order.get(index, len(order)), reverse=True)
    kept = _left(actions)
    for kept_with in (kept, sorted(hard_keep)):  # with the punctuation that is left, or else with the hard_keep words
        for word in removed:
            if fits(_with(kept_with, word)):
                stay = {*kept_with, word}
                return [Action.KEEP if index in stay else Action.REMOVE for index in range(walk.length)]
    stay = set(hard_keep) or set(removed[:1]) or set(kept)
    return [Action.KEEP if index in stay else Action.REMOVE for index in range(walk.length)]
