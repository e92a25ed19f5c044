"""Parts of a text that are there together or not at all, and the lengths that each may have."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ealm.summarize.sections import announces
from ealm.summarize.sentence_drafts import SentenceDraft, SentenceDrafts
from ealm.text.lengths import Limit
from ealm.text.sentences import Sentence
from ealm.text.word_lists import CONDITIONS, NEGATIONS

_ITEM_SHARES = (0.25, 0.35, 0.5, 0.65, 0.8, 1.0)
"""Lengths of the items of a list that are compared, as shares of the whole."""

_MOST_COUNTS = 12
"""Numbers of items that are compared where not all fit."""

_MOST_IN_STEPS = 0.75
"""Share of a text up to which numbered steps are all there or none; a text that is little else keeps some of them."""

Drafts = tuple[SentenceDraft, ...]
"""One for each sentence of a part."""


def grouped(sentences: Sequence[Sentence], prose: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Sentences one by one; lists and tables with the line that announces them, and asides in a row, together."""
    group: list[int] = []
    for i in prose:
        apart = group and i > group[-1] + 1  # a heading lies between
        if group and (apart or not _go_together(sentences[group[-1]], sentences[i])):
            yield tuple(group)
            group = []
        group.append(i)
    if group:
        yield tuple(group)


def _go_together(before: Sentence, sentence: Sentence) -> bool:
    return sentence.form != "prose" and (announces(before, [sentence]) or before.form == sentence.form)


def group_drafts(
    group: tuple[int, ...],
    drafts: Sequence[SentenceDrafts],
    weights: Mapping[int, float],
    limit: Limit,
    *,
    whole_sentences: bool,
) -> Iterator[Drafts]:
    """Lengths of a list or a table; asides are all there or not at all."""
    form = drafts[group[-1]].prepared.sentence.form
    members = [i for i in group if drafts[i].prepared.sentence.form == form]
    first = [i for i in members if drafts[i].prepared.sentence.lead]  # an item of several sentences keeps its first
    chosen = first if form == "item" and first else members
    if form == "item":  # where not all items fit, those that matter most stay; of a table the first rows
        chosen = sorted(chosen, key=lambda i: -weights[i])
    ordered = any(character.isdigit() for character in drafts[members[0]].prepared.sentence.lead)
    together = form == "aside" or (
        ordered and len(group) <= _MOST_IN_STEPS * len(drafts)
    )  # steps 2 and 3 are no recipe
    counts = [len(chosen)] if together else _counts(len(chosen))
    steps = ordered and together and any(drafts[i].read.tags[:1] == ("VB",) for i in members)
    conditions = members[0] != group[0] and _asks_when(drafts[group[0]].prepared.sentence)
    whole = whole_sentences or steps or conditions  # half of what a step or a condition says is another one
    for share in _ITEM_SHARES if form == "item" and not whole else _ITEM_SHARES[-1:]:
        for count in counts:
            member = _members(drafts, set(chosen[:count]), share, limit, all_stay=count == len(chosen))
            yield tuple(member(i) for i in group)


def _asks_when(announcement: Sentence) -> bool:
    """Whether what it announces are conditions or exceptions: "Do not take it if", "This does not apply to"."""
    return not (CONDITIONS | NEGATIONS).isdisjoint(word.lower() for word in announcement.words)


def _counts(items: int) -> list[int]:
    """How many may stay: never only one of several, in even steps up to all."""
    least = min(2, items)
    return sorted({least + (items - least) * step // _MOST_COUNTS for step in range(_MOST_COUNTS + 1)})


def _members(
    drafts: Sequence[SentenceDrafts], stay: set[int], share: float, limit: Limit, *, all_stay: bool
) -> Callable[[int], SentenceDraft]:
    def member(i: int) -> SentenceDraft:
        own = drafts[i]
        if own.prepared.sentence.form in ("prose", "heading"):  # the line that announces the others
            return own.whole
        if i in stay:
            return own.item(limit, share)
        return own.whole if share >= 1 and all_stay else own.least

    return member
