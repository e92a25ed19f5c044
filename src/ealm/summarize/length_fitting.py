"""Any length from one walk: the decisions are taken in order until what is left is short enough.

A walk that keeps more than the limit allows is not walked again. What it keeps first it is surest about, so once the
kept words fill the limit, everything else goes.
"""

from bisect import bisect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ealm.paper.edits import Action
from ealm.paper.rollout import Walk


@dataclass(frozen=True, slots=True)
class Shortened:
    """A row of actions that leaves few enough words."""

    step: int
    """Decisions of the walk that were looked at."""
    actions: tuple[Action, ...]
    walk: Walk


Fits = Callable[[Sequence[int]], bool]
"""Whether the words at these places, in rising order, are short enough together."""


def shorten(
    walk: Walk,
    fits: Fits,
    *,
    pinned: Collection[int] = (),
    precious: Sequence[int] = (),
    tied: Mapping[int, int] | None = None,
    marks: Collection[int] = (),
) -> Shortened:
    """The first state of the walk that fits, with decisions to keep overruled where they would not.

    `pinned` words stay in any case, `precious` ones as far as they fit, the first of them first; words that are `tied`
    to another one stay or go with it. The walk decides on none of these. Something other than punctuation `marks` is
    always left.
    """
    actions = [Action.KEEP] * walk.length
    if fits(range(walk.length)):
        return Shortened(0, tuple(actions), walk)
    if len(marks) == walk.length:  # nothing but marks: they are what the text has to say
        marks = ()
    settled = sorted(pinned)
    for place in precious:
        if fits(with_it := _with(settled, place)):
            settled = with_it
        else:
            actions[place] = Action.REMOVE
    followers: dict[int, list[int]] = {}
    for own, head in (tied or {}).items():
        followers.setdefault(head, []).append(own)
    left = _left(actions)
    done = fits(left) and not set(left) <= set(marks)
    step = 0
    for step, decision in enumerate(walk.steps, start=1):
        if done:
            return Shortened(step - 1, tuple(actions), walk)
        together = [decision.word, *followers.get(decision.word, ())]
        if decision.action != Action.REMOVE and fits(with_it := sorted({*settled, *together})):
            actions[decision.word] = decision.action
            settled = with_it
        else:
            for place in together:
                actions[place] = Action.REMOVE
                left.remove(place)
            done = fits(left) and not set(left) <= set(marks)
    if set(left) <= set(marks):
        actions = _with_one_word(walk, actions, fits, pinned=pinned, marks=marks)
    return Shortened(step, tuple(actions), walk)


def _left(actions: Sequence[Action]) -> list[int]:
    return [place for place, action in enumerate(actions) if action != Action.REMOVE]


def _with(places: Sequence[int], place: int) -> list[int]:
    """Places in rising order and one more of them."""
    at = bisect(places, place)
    return [*places[:at], place, *places[at:]]


def _with_one_word(
    walk: Walk, actions: Sequence[Action], fits: Fits, *, pinned: Collection[int], marks: Collection[int]
) -> list[Action]:
    """Bring back the word that was given up last, of those that fit; if none does, the caller must cut it."""
    removed = [place for place, action in enumerate(actions) if action == Action.REMOVE]
    order = {decision.word: number for number, decision in enumerate(walk.steps)}
    removed = [place for place in removed if place not in marks] or removed  # a mark only where there is no word
    removed.sort(key=lambda place: order.get(place, len(order)), reverse=True)
    kept = _left(actions)
    for company in (kept, sorted(pinned)):  # with the marks that are left, or else with what must stay
        for word in removed:
            if fits(_with(company, word)):
                stay = {*company, word}
                return [Action.KEEP if place in stay else Action.REMOVE for place in range(walk.length)]
    stay = set(pinned) or set(removed[:1]) or set(kept)
    return [Action.KEEP if place in stay else Action.REMOVE for place in range(walk.length)]
