"""A sentence of a text at any length, each with what it is worth and what it refers to."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import regex

from ealm.common.caching import cached_property
from ealm.goal_agent.tree_plan import TreePlan
from ealm.grammar.drafts.trims import Trim
from ealm.paper.edits import Action
from ealm.paper.rollout import WalkSource
from ealm.summarize.length_fitting import Shortened
from ealm.summarize.prepared_sentence import PreparedSentence
from ealm.text.lengths import Limit
from ealm.text.references import (
    ReadSentence,
    cuts_behind_colon,
    cuts_into_clause,
    ends_openly,
    lost_conjunction,
    lost_main_clause,
    lost_source,
    lost_speaker,
    lost_subject,
)
from ealm.text.word_lists import JOINING

_SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Lengths of a sentence that are compared, as shares of the whole."""

_LEAST_CONTENT = 0.5
"""Share of what a sentence says that must be left of it: what has less is better not there at all."""

_ENOUGH_WORDS = 7
"""So many words, and as much as so many of its words say, are enough, however long it is."""

_LEAST_LENGTH = 0.5
"""Share of the words of a sentence that must be left of it, up to those that are enough."""

_LEAST_SHARE_OF_LIMIT = 0.6
"""Of a short limit, this much is enough too."""

_FEWEST_WORDS = 4
"""Of a draft: "Trains will run." says nothing."""

_FEWEST_IN_ITEM = 3
"""Of an item of a list: "Pay the rent" is enough of one."""

_FEWEST_WITHOUT_VERB = 5
"""Words of a sentence that has none: "Questions?" and "In the store." do not stand alone."""

_LONGEST_PHRASE = 16
"""Words of an item without a verb, which stays whole: "3 cloves of garlic, crushed"."""

_MOST_TRIMS = 4
"""Asides of a sentence of which each may stay or go."""

_VALUE_OF_A_KEPT_WORD = 0.01
"""Lets a sentence without a content word stay if it fits."""

_VALUE_OF_A_PROTECTED_WORD = 3.0
"""Of several sentences, one with a word that is to stay if possible is the first to stay."""

_LOSSES = (lost_conjunction, lost_main_clause, lost_source, cuts_into_clause, cuts_behind_colon)

_GROWN_TOGETHER = regex.compile(r"\p{L}[\"“(]\p{L}")
"""What a lost bracket leaves: 'a firm"Acme"'."""


@dataclass(frozen=True, slots=True)
class SentenceDraft:
    """A sentence at one of its lengths."""

    shortened: Shortened
    text: str
    """Empty if nothing of it is left."""
    content: float
    """What it says, in content words by their importance."""
    carries: bool = True
    """Whether its subject and somebody whom it names are left, to whom the next sentence may refer."""
    trimmed: bool = False
    """Whether only asides are left out, so that it reads as it was written."""

    @property
    def kept(self) -> frozenset[int]:
        """Indices of the words that are left."""
        return frozenset(i for i, action in enumerate(self.shortened.actions) if action != Action.REMOVE)


class SentenceDrafts:
    """All lengths of a sentence; each is computed once."""

    def __init__(self, prepared: PreparedSentence, walks: WalkSource, *, first: bool = True) -> None:
        """`first`: whether nobody can have been named before it."""
        self.prepared = prepared
        self._first = first
        self._walks = walks
        self._within: dict[tuple[Limit, bool], SentenceDraft] = {}
        self._values = _word_values(prepared, walks)

    @cached_property
    def whole(self) -> SentenceDraft:
        """All of it."""
        walk = self._walks.walk_to(len(self._values))
        return replace(self._draft(Shortened(0, walk.actions_after(0), walk)), text=self.prepared.sentence.text)

    @cached_property
    def read(self) -> ReadSentence:
        """What it refers to and what others may refer to."""
        return ReadSentence(self.prepared.sentence.words, self._walks.tags if isinstance(self._walks, TreePlan) else ())

    @property
    def _opens_with_a_link(self) -> bool:
        """Whether it is a piece of a longer sentence that goes on with "and": it stands without that too."""
        sentence = self.prepared.sentence
        return sentence.continued and len(sentence.words) > 1 and sentence.words[0].lower() in JOINING

    @cached_property
    def _without_link(self) -> SentenceDraft:
        """All of a piece but the words that join it to the one before."""
        words = self.prepared.sentence.words
        first = next((i for i, word in enumerate(words) if word.lower() not in JOINING), 0)
        keep = self.prepared.hard_keep
        gone = {i for i in range(first) if i not in keep}
        walk = self._walks.walk_to(len(self._values))
        actions = tuple(Action.REMOVE if i in gone else Action.KEEP for i in range(walk.length))
        return self._draft(Shortened(len(walk.steps), actions, walk))

    def trimmed(self, names: Collection[str] = (), nouns: Collection[str] = ()) -> list[SentenceDraft]:
        """All of it but one or more asides or an opening; not without `names` and `nouns`, of which others speak."""
        plan = self._walks
        if not isinstance(plan, TreePlan) or self._is_whole or not self.read.has_verb():
            return []
        kept_anyway = self.prepared.hard_keep | set(self.prepared.soft_keep)
        words = self.prepared.sentence.words
        free = [
            own
            for own in plan.trims
            if kept_anyway.isdisjoint(own.gone)
            and not any(words[i] in names and self.read.is_name(i) for i in own.gone)
            and not any(words[i] in nouns and self.read.is_noun(i) for i in own.gone)
        ]
        free = sorted(free, key=lambda own: own.loss)[:_MOST_TRIMS]
        chosen = (some for size in range(1, len(free) + 1) for some in combinations(free, size))
        found: dict[frozenset[int], SentenceDraft] = {}
        for some in chosen:
            gone = frozenset().union(*(own.gone for own in some))
            if gone in found:
                continue
            draft = self._without(plan, gone, some)
            if len(draft.kept - self.prepared.punctuation) >= _ENOUGH_WORDS and not self._is_torn(draft):
                found[gone] = draft
        return list(found.values())

    def _without(self, plan: TreePlan, gone: frozenset[int], trims: Sequence[Trim]) -> SentenceDraft:
        """The sentence without some of its words, which say less than those of its statement."""
        walk, step = plan.walk(set(range(len(self._values))) - gone)
        actions = tuple(Action.REMOVE if i in gone else Action.KEEP for i in range(walk.length))
        draft = self._draft(Shortened(step, actions, walk))
        loss = {i: max(own.loss for own in trims if i in own.gone) for i in gone}
        content = self.whole.content - sum(loss[i] * self._values[i] for i in gone)
        return replace(draft, content=content, trimmed=True)

    @property
    def least(self) -> SentenceDraft:
        """Nothing, or just the words that must stay."""
        walk = self._walks.walk_to(1)
        keep = self.prepared.hard_keep
        actions = tuple(Action.KEEP if index in keep else Action.REMOVE for index in range(walk.length))
        return self._draft(Shortened(len(walk.steps), actions, walk, complete=not keep))

    def has_words(self, draft: SentenceDraft) -> bool:
        """Whether more than punctuation is left of the sentence."""
        return not draft.kept <= self.prepared.punctuation

    def within(self, limit: Limit, *, careful: bool = True) -> SentenceDraft:
        """As much of it as the limit allows; code is whole or gone. `careful`: only what it can well spare goes."""
        if (limit, careful) not in self._within:
            self._within[limit, careful] = self._found(limit, careful=careful)
        return self._within[limit, careful]

    def _found(self, limit: Limit, *, careful: bool) -> SentenceDraft:
        if self.prepared.sentence.form == "verbatim":
            gone = replace(self.least, shortened=replace(self.least.shortened, complete=False))
            return self.whole if limit.allows(self.whole.text) else gone
        walks = self._walks.careful if careful and isinstance(self._walks, TreePlan) else self._walks
        return self._draft(self.prepared.shortened(walks, limit))

    def statements(self, limit: Limit, *, whole: bool = False, careful: bool = True) -> list[SentenceDraft]:
        """Well-formed drafts in rising length that say enough of what the sentence says; with `whole`, only all of it.

        What is never shortened, such as code, has one, and so has a phrase ("Present: Ms Karlsen (nursing), Mr Iyer").
        """
        found = [] if whole or self._is_whole or not self.read.has_verb() else self._shorter(limit, careful=careful)
        if self._opens_with_a_link:
            found.append(self._without_link)
        if limit.allows(self.whole.text):
            found.append(self.whole)
        return [draft for draft in found if self.says_enough(draft, limit) or self.prepared.hard_keep]

    def says_enough(self, draft: SentenceDraft, limit: Limit) -> bool:
        """Whether a draft is worth to stand as a sentence of a text with this limit, and no word is missed in it."""
        all_words = len(self.whole.kept - self.prepared.punctuation)
        asks = self.prepared.sentence.text.endswith("?")
        alone = _FEWEST_WITHOUT_VERB if not self.read.has_verb() else _FEWEST_WORDS if asks else 0
        if all_words < alone and self.prepared.sentence.form == "prose":
            return False
        room = limit.size * all_words / max(1, limit.measure(self.prepared.sentence.text))
        is_item = self.prepared.sentence.form == "item"
        at_least, most = (_FEWEST_IN_ITEM, _FEWEST_IN_ITEM) if is_item else (_FEWEST_WORDS, _ENOUGH_WORDS)
        enough = min(most, max(at_least, round(_LEAST_SHARE_OF_LIMIT * room)))
        fewest = min(all_words, max(at_least, min(enough, round(_LEAST_LENGTH * all_words))))
        least = min(_LEAST_CONTENT, enough / max(1, sum(value > 0 for value in self._values))) * self.whole.content
        if draft.content < least - 1e-9 or len(draft.kept - self.prepared.punctuation) < fewest:
            return False
        return not self._is_torn(draft)

    def _is_torn(self, draft: SentenceDraft) -> bool:
        """Whether a word is missed in it that the rest leads to."""
        words = self.prepared.sentence.words
        if any(lost(words, draft.kept) for lost in _LOSSES):
            return True
        if ends_openly(self.read, draft.kept) or lost_subject(self.read, draft.kept):
            return True
        grown_together = _GROWN_TOGETHER.search(draft.text) and not _GROWN_TOGETHER.search(self.whole.text)
        return bool(grown_together) or (not self._first and lost_speaker(self.read, draft.kept))

    @property
    def _is_whole(self) -> bool:
        """Whether it is never shortened."""
        return self.prepared.sentence.form in ("verbatim", "aside")

    def _shorter(self, limit: Limit, *, careful: bool) -> list[SentenceDraft]:
        full = limit.measure(self.prepared.sentence.text)
        sizes = {max(1, round(share * full)) for share in _SHARES} | {min(full, limit.size)}
        found: list[SentenceDraft] = []
        for size in sorted(sizes):
            draft = self.within(replace(limit, size=size), careful=careful)
            known = any(draft.shortened.actions == other.shortened.actions for other in [*found, self.whole])
            if not known and draft.shortened.complete and limit.allows(draft.text):
                found.append(draft)
        return found

    def item(self, limit: Limit, share: float) -> SentenceDraft:
        """A share of it as an item of a list, or a little more, so that it says enough; a short phrase is whole.

        A numbered sentence gives only what it can spare: without "and the provider" it is another rule.
        """
        full = limit.measure(self.prepared.sentence.text)
        short = len(self.prepared.sentence.words) <= _LONGEST_PHRASE and not self.read.has_verb()
        numbered = any(character.isdigit() for character in self.prepared.sentence.lead)
        is_rule = numbered and self.read.has_verb() and self.prepared.sentence.text.endswith(".")
        ways = (True,) if is_rule else (True, False)
        for own in [] if self._is_whole or short else [share, *(more for more in _SHARES if more > share)]:
            size = replace(limit, size=max(1, round(own * full)))
            for draft in (self.within(size, careful=careful) for careful in ways):
                if own < 1 and draft.shortened.complete and self.says_enough(draft, limit):
                    return draft
        return self.whole

    def _names(self, kept: Sequence[int]) -> bool:
        """Whether somebody is left of those whom the sentence names."""
        persons = self.read.persons()
        return not persons or not persons.isdisjoint(kept)

    def _draft(self, shortened: Shortened) -> SentenceDraft:
        kept = [i for i, action in enumerate(shortened.actions) if action != Action.REMOVE]
        content = sum(self._values[i] for i in kept)
        carries = not isinstance(self._walks, TreePlan) or (self._walks.subjects <= set(kept) and self._names(kept))
        text = self.prepared.text(shortened.actions, shortened.written)
        return SentenceDraft(shortened, text, content, carries)


def _word_values(prepared: PreparedSentence, walks: WalkSource) -> Sequence[float]:
    """What each word says: by the importance that a plan estimates, or each content word the same."""
    values = [float(own) for own in (walks.values if isinstance(walks, TreePlan) else prepared.source.counted)]
    for index in prepared.soft_keep:
        values[index] += _VALUE_OF_A_PROTECTED_WORD
    return [
        0.0 if index in prepared.punctuation else max(0.0, value) + _VALUE_OF_A_KEPT_WORD
        for index, value in enumerate(values)
    ]
