"""Meets a limit: the words of a sentence that are kept, for any length.

`shorten` takes any length from one walk: its decisions are applied in order until the remaining words are short enough.
A walk that keeps more than the limit allows is not repeated. The agent decides first where it is most certain, so once
the kept words fill the limit, all others are removed.

`shorten_balanced` is for agents of the paper's kind. They learn to balance compression and reconstruction, and nothing
about what comes after the best balance: a shorter summary is a part of the best one.
"""

from bisect import bisect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ealm.paper.edits import Action
from ealm.paper.rollout import Walk
from ealm.text.word_lists import OMISSIBLE_WORDS


@dataclass(frozen=True, slots=True)
class Shortened:
    """Actions under which a sentence meets a limit."""

    step: int
    """Decisions of the walk that were applied."""
    actions: tuple[Action, ...]
    walk: Walk
    complete: bool = True
    """False for a phrase, where no true statement fits."""
    written: Mapping[int, str] = field(default_factory=dict)
    """What is written in the place of words that are kept."""


@dataclass(frozen=True, slots=True)
class BalancedWalk:
    """A walk with its best balance of compression and reconstruction (t*, section 4.4, Inference)."""

    walk: Walk
    best_step: int
    every_length: bool = False
    """Whether a sentence may also stay between its full length and that of the best step, as on a curve."""

    def walk_to(self, goal: int) -> Walk:
        """A walk source with one walk for all goals."""
        return self.walk.walk_to(goal)


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
    kept_so_far = _soft_kept(actions, fits, hard_keep=hard_keep, soft_keep=soft_keep)
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
        order = [decision.word for decision in walk.steps]
        actions = _with_one_word(order, actions, fits, hard_keep=hard_keep, punctuation=punctuation)
    return Shortened(step, tuple(actions), walk)


def shorten_balanced(
    balanced: BalancedWalk,
    words: Sequence[str],
    fits: Fits,
    *,
    hard_keep: Collection[int] = (),
    soft_keep: Sequence[int] = (),
    dependents: Mapping[int, int] | None = None,
    punctuation: Collection[int] = (),
) -> Shortened:
    """The summary of the best step, or as much of it as fits; the other arguments as in `shorten`.

    What is a part of that summary has the source's words: a new word need not go with fewer around it.
    """
    walk, best = balanced.walk, balanced.best_step
    if fits(range(walk.length)):
        return Shortened(0, walk.actions_after(0), walk)
    if len(punctuation) == walk.length:
        punctuation = ()

    def done(actions: Sequence[Action]) -> bool:
        left = _left(actions)
        return fits(left) and not set(left) <= set(punctuation)

    for step in range(best + 1) if balanced.every_length else [best]:
        actions = _with_heads(walk.actions_after(step), dependents)
        if done(actions):
            return Shortened(step, tuple(actions), walk)
    actions = [min(action, Action.KEEP) for action in actions]
    _soft_kept(actions, fits, hard_keep=hard_keep, soft_keep=soft_keep)
    order = _going([step.word for step in walk.steps if actions[step.word] == Action.KEEP], words)
    for word in order:
        if done(actions):
            break
        actions[word] = Action.REMOVE
        actions = _with_heads(actions, dependents)
    if set(_left(actions)) <= set(punctuation):
        order = [*(step.word for step in walk.steps[:best]), *order]
        paired = {index for pair in (dependents or {}).items() for index in pair}  # not one without the other
        alone = {*punctuation, *paired} if len({*punctuation, *paired}) < walk.length else punctuation
        actions = _with_one_word(order, actions, fits, hard_keep=hard_keep, punctuation=alone)
    return Shortened(best, tuple(actions), walk)


def _with_heads(actions: Sequence[Action], dependents: Mapping[int, int] | None) -> list[Action]:
    """The same without dependents whose head is removed."""
    gone = {own for own, head in (dependents or {}).items() if actions[head] == Action.REMOVE}
    return [Action.REMOVE if index in gone else action for index, action in enumerate(actions)]


def _going(indices: Collection[int], words: Sequence[str]) -> list[int]:
    """In which order words go: first those that readers can fill in, and of both kinds the last words first."""
    return sorted(indices, key=lambda index: (words[index].lower() not in OMISSIBLE_WORDS, -index))


def _soft_kept(actions: list[Action], fits: Fits, *, hard_keep: Collection[int], soft_keep: Sequence[int]) -> list[int]:
    """Remove the words of `soft_keep` that do not fit; returns those that stay, with `hard_keep`."""
    kept = sorted(hard_keep)
    for index in soft_keep:
        if fits(with_it := _with(kept, index)):
            kept = with_it
        else:
            actions[index] = Action.REMOVE
    return kept


def _left(actions: Sequence[Action]) -> list[int]:
    return [index for index, action in enumerate(actions) if action != Action.REMOVE]


def _with(indices: Sequence[int], index: int) -> list[int]:
    """Ascending indices with one more."""
    at = bisect(indices, index)
    return [*indices[:at], index, *indices[at:]]


def _with_one_word(
    words: Sequence[int],
    actions: Sequence[Action],
    fits: Fits,
    *,
    hard_keep: Collection[int],
    punctuation: Collection[int],
) -> list[Action]:
    """Restore the word that was removed last, of those that fit; if none fits, the caller must cut it.

    `words` are in the order in which they were removed.
    """
    removed = [index for index, action in enumerate(actions) if action == Action.REMOVE]
    order = {word: number for number, word in enumerate(words)}
    removed = [
        index for index in removed if index not in punctuation
    ] or removed  # punctuation only if there is no word
    removed.sort(key=lambda index: order.get(index, len(order)), reverse=True)
    kept = _left(actions)
    for kept_with in (kept, sorted(hard_keep)):  # with the punctuation that is left, or else with the hard_keep words
        for word in removed:
            if fits(_with(kept_with, word)):
                stay = {*kept_with, word}
                return [Action.KEEP if index in stay else Action.REMOVE for index in range(len(actions))]
    stay = set(hard_keep) or set(removed[:1]) or set(kept)
    return [Action.KEEP if index in stay else Action.REMOVE for index in range(len(actions))]
