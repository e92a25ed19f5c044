"""Any length from one walk: the decisions are taken in order until what is left is short enough.

A walk that keeps more than the limit allows is not walked again. What it keeps first it is surest about, so once the
kept words fill the limit, everything else goes.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ealm.edits import Action
from ealm.rollout import Walk


@dataclass(frozen=True, slots=True)
class Shortened:
    """A row of actions that leaves few enough words."""

    step: int
    """Decisions of the walk that were looked at."""
    actions: tuple[Action, ...]


Fits = Callable[[Sequence[int]], bool]
"""Whether the words at these places, in rising order, are short enough together."""


def shorten(
    walk: Walk, fits: Fits, *, pinned: Collection[int] = (), precious: Sequence[int] = (), marks: Collection[int] = ()
) -> Shortened:
    """The first state of the walk that fits, with decisions to keep overruled where they would not.

    `pinned` words stay in any case, `precious` ones as far as they fit, the first of them first; the walk decides on
    neither. Something other than punctuation `marks` is always left.
    """
    if len(marks) == walk.length:  # nothing but marks: they are what the text has to say
        marks = ()
    actions = [Action.KEEP] * walk.length
    settled = set(pinned)
    for place in precious:
        if fits(sorted({*settled, place})):
            settled.add(place)
        else:
            actions[place] = Action.REMOVE
    step = 0
    for step, decision in enumerate(walk.steps, start=1):
        left = _left(actions)
        if fits(left) and not set(left) <= set(marks):
            return Shortened(step - 1, tuple(actions))
        stays = decision.action != Action.REMOVE and fits(sorted({*settled, decision.word}))
        actions[decision.word] = decision.action if stays else Action.REMOVE
        if stays:
            settled.add(decision.word)
    if set(_left(actions)) <= set(marks):
        actions = _with_one_word(walk, actions, fits, pinned=pinned, marks=marks)
    return Shortened(step, tuple(actions))


def _left(actions: Sequence[Action]) -> list[int]:
    return [place for place, action in enumerate(actions) if action != Action.REMOVE]


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
            if fits(sorted([*company, word])):
                stay = {*company, word}
                return [Action.KEEP if place in stay else Action.REMOVE for place in range(walk.length)]
    stay = set(pinned) or set(removed[:1]) or set(kept)
    return [Action.KEEP if place in stay else Action.REMOVE for place in range(walk.length)]
