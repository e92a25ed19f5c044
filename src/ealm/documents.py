"""Texts of several sentences: which sentence gets how much of a length that is meant for all of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import regex

from ealm.allocation import Choice, allocate
from ealm.drafts import Draft
from ealm.edits import Action
from ealm.errors import TextError
from ealm.lengths import Limit, measure
from ealm.rollout import Walk
from ealm.sentences import Sentence
from ealm.shortening import Shortened

_SHARES = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0)
"""Lengths of a sentence that are weighed against each other, as shares of the whole."""

_VALUE_OF_A_KEPT_WORD = 0.01
"""Tells apart what is equally recoverable, and lets a sentence without a counted word stay if there is room."""

Rows = Sequence[tuple[Action, ...]]
Recoverable = Callable[[Draft, Rows], list[float]]
"""How many counted words of a draft are kept or can be recovered under each row of actions."""


@dataclass(frozen=True, slots=True)
class Text:
    """What a user sent: the sentences of one text."""

    drafts: tuple[Draft, ...]
    limit: Limit | None


def assembled(sentences: Sequence[Sentence], parts: Sequence[str]) -> str:
    """What is left of the sentences as one text; paragraphs stay apart."""
    text = ""
    gap = ""
    for sentence, part in zip(sentences, parts, strict=True):
        if part:
            text += (gap if text else "") + part
            gap = ""
        gap = max(gap, sentence.gap, key=lambda space: space.count("\n")) if gap else sentence.gap
    return text


def plan(text: Text, walks: Sequence[Walk], limit: Limit, recoverable: Recoverable) -> list[Shortened]:
    """What happens to each sentence so that the whole text meets the limit."""
    drafts = text.drafts
    alone = len(drafts) == 1
    result = [drafts[0].shortened(walks[0], limit)] if alone else _shared(drafts, walks, limit, recoverable)
    _check_pinned(drafts, result, limit)
    return result


def _check_pinned(drafts: Sequence[Draft], result: Sequence[Shortened], limit: Limit) -> None:
    if any(draft.pinned for draft in drafts):
        whole = _whole(drafts, result)
        if not limit.allows(whole):
            raise TextError(
                f"The words to keep take {measure(whole, limit.unit)} {limit.unit}, and the limit is {limit.size}. "
                "Allow more, or keep fewer words."
            )


def _whole(drafts: Sequence[Draft], result: Sequence[Shortened]) -> str:
    parts = [draft.text(choice.actions) for draft, choice in zip(drafts, result, strict=True)]
    return assembled([draft.sentence for draft in drafts], parts)


def _shared(drafts: Sequence[Draft], walks: Sequence[Walk], limit: Limit, recoverable: Recoverable) -> list[Shortened]:
    untouched = [Shortened(0, walk.actions_after(0)) for walk in walks]
    if limit.allows(_whole(drafts, untouched)):
        return untouched
    widest_gap = max(measure(draft.sentence.gap, limit.unit) for draft in drafts)
    budget = limit.size + widest_gap  # the last sentence of a text has no gap after it
    ways = [_ways(draft, walk, limit) for draft, walk in zip(drafts, walks, strict=True)]
    choices = []
    for draft, options in zip(drafts, ways, strict=True):
        values = recoverable(draft, [option.actions for option in options])
        choices.append([_choice(draft, *pair, widest_gap, limit) for pair in zip(options, values, strict=True)])
    result = [options[number] for options, number in zip(ways, allocate(choices, budget), strict=True)]
    if not _whole(drafts, result):  # no sentence fits as it should: take what there is of the most telling one
        best = max(range(len(drafts)), key=lambda number: choices[number][-1].value)
        result[best] = drafts[best].shortened(walks[best], limit)
    return _filled_up(drafts, walks, limit, result)


def _ways(draft: Draft, walk: Walk, limit: Limit) -> list[Shortened]:
    """Distinct states of a sentence in rising length: nothing (unless a word must stay), then ever more of it."""
    least = tuple(Action.KEEP if place in draft.pinned else Action.REMOVE for place in range(walk.length))
    ways = {least: Shortened(len(walk.steps), least)}
    full = measure(draft.sentence.text, limit.unit)
    sizes = {max(1, round(share * full)) for share in _SHARES} | {min(full, limit.size)}
    for size in sorted(sizes):
        way = draft.shortened(walk, Limit(size, limit.unit))
        if way.actions not in ways and measure(draft.text(way.actions), limit.unit) <= limit.size:
            ways[way.actions] = way
    return list(ways.values())


def _choice(draft: Draft, way: Shortened, value: float, gap: int, limit: Limit) -> Choice:
    text = draft.text(way.actions)
    left = sum(action != Action.REMOVE for action in way.actions)
    return Choice(measure(text, limit.unit) + gap if text else 0, value + _VALUE_OF_A_KEPT_WORD * left)


def _filled_up(
    drafts: Sequence[Draft], walks: Sequence[Walk], limit: Limit, result: list[Shortened]
) -> list[Shortened]:
    """Give what is still free to sentences that stayed, then to dropped ones, the first of them first."""
    dropped = [not draft.text(way.actions) for draft, way in zip(drafts, result, strict=True)]
    for number in sorted(range(len(drafts)), key=lambda number: dropped[number]):
        result = _grown(drafts, walks, limit, result, number)
    return result


def _grown(
    drafts: Sequence[Draft], walks: Sequence[Walk], limit: Limit, result: list[Shortened], number: int
) -> list[Shortened]:
    """The same with one sentence as long as there is room for it."""
    draft, walk = drafts[number], walks[number]
    size = measure(draft.text(result[number].actions), limit.unit)
    if size == measure(draft.sentence.text, limit.unit):
        return result
    free = limit.size - measure(_whole(drafts, result), limit.unit)
    gap = measure(draft.sentence.gap, limit.unit)
    # One more than there seems to be room for: sentences that no space parts are a word together.
    for allowance in sorted({free + 1, free, free - gap, free - 1}, reverse=True):
        if allowance > 0:
            longer = draft.shortened(walk, Limit(size + allowance, limit.unit))
            attempt = [*result[:number], longer, *result[number + 1 :]]
            if limit.allows(_whole(drafts, attempt)):
                return attempt
    return result


def cut(text: str, limit: Limit) -> str:
    """As many whole characters of a text as the limit allows: the last resort for a word that is too long alone."""
    if limit.allows(text):
        return text
    kept = ""
    for cluster in regex.findall(r"\X", text):
        if not limit.allows(kept + cluster):
            break
        kept += cluster
    if kept:
        return kept.rstrip() or kept
    return next((character for character in text if limit.allows(character) and not character.isspace()), "")
