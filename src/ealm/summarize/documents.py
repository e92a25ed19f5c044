"""Texts of several sentences: which of them stay, and how long each of those is."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import regex

from ealm.common.caching import cached_property
from ealm.common.errors import TextError
from ealm.common.pieces import between_pieces
from ealm.paper.rollout import WalkSource
from ealm.summarize.budget import Choice, allocate
from ealm.summarize.length_fitting import Shortened
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.parts import Drafts, group_drafts, grouped
from ealm.summarize.prepared_sentence import PreparedSentence
from ealm.summarize.salience import OPENING_BONUS, Floats, place_bonuses, repetition, sentence_weights, shared_words
from ealm.summarize.sections import Sections
from ealm.summarize.sentence_drafts import SentenceDraft, SentenceDrafts
from ealm.text.blocks import Form
from ealm.text.frames import Frame, assembled
from ealm.text.lengths import Limit, usual_limit
from ealm.text.references import asks_the_reader, is_word, only_announces, says_how_it_went, sentences_needed
from ealm.text.word_lists import DECISIONS

_COST_OF_A_SENTENCE = 3.0
"""By how many content words a sentence of prose is worth less than it says: few full sentences read better than many.
One that says little is worth a part of that, never nothing."""

_SHORTENED = 0.65
"""Worth of a sentence of prose beside what it says, where it was shortened: as its author wrote it, it reads better."""

_SHORTENED_ITEM = 0.8
"""The same of an item of a list."""

_MOST_AS_WRITTEN = 0.8
"""Share of the limit up to which even what matters most is there as its author wrote it."""

_ENOUGH_OF_LIMIT = 0.65
"""Share of the limit that must be used before any sentence may be shortened for it."""

_MOST_OF_TEXT = 0.66
"""Share of the sentences of a text from which on a list is what it is about: then its items give up more."""

_WEIGHTS: dict[Form, float] = {"item": 1.5, "verbatim": 0.1, "aside": 0.0}
"""What is made a list of matters; code and tables say less than prose; greetings, signatures and quotations are the
first to go, and sentences that thank or welcome."""

_QUESTION_ALONE = 0.25
"""Weight of a question: without its answer it says nothing."""

_ONLY_ANNOUNCES = 0.3
"""Weight of "there is one piece of bad news"."""

_QUOTED = 0.6
"""Weight of a sentence that begins with what somebody said: it comments on what the others tell."""

_QUOTATION_MARKS = ('"', "“", "'", "‘")

_DECIDES = 1.25
"""Weight of a sentence that tells what was decided."""

_BY_WORDS = 0.5
"""Share of what a sentence says that goes by the number of its words, not by what they weigh."""

_SAID: tuple[Form, ...] = ("prose", "item")
"""What consists of words, unlike code and tables."""

_SHORT = 3
"""Words of a sentence inside of a paragraph that hangs on the one before it: "Nothing broke" is one."""

_TRIMMED = 0.93
"""Worth of a sentence without an aside beside what is left: the aside stays where nothing else takes its place."""

_NEAR = 2
"""Sentences behind one that may speak of what it has introduced: "the shed"."""

_LONGEST_QUESTION = 25
"""Words of a paragraph that asks, and says nothing else."""

_WITHOUT_VERB = 0.5
"""Weight of a sentence that has none, such as a list of those present; the first may be a title."""

_MOST_FOR_HEADINGS = 0.2
"""Share of the limit that headings may take."""

_MOST_FOR_TITLE = 0.3
"""Share that the title alone may take."""

_LONGER = 12
"""Words by which a statement may be longer than twice the usual length, where nobody set a limit."""

_TRIED_ALONE = 8
"""Sentences that are tried alone, the weightiest first, for one that can be cut to a statement."""

_BARE_WORDS = -1_000.0
"""Value of words to keep without a sentence around them: only if nothing else fits."""


@dataclass(frozen=True, slots=True)
class Text:
    """The sentences of one text, and the limit for all of them."""

    sentences: tuple[PreparedSentence, ...]
    limit: Limit | None
    options: SummarizeOptions
    language: str | None = None
    """Its code; None if the model may know any language."""
    frame: Frame | None = None
    """What stands around its sentences; None for a single sentence of a corpus."""
    known: bool = True
    """Whether the model knows the language: otherwise whole sentences stay, or the first words."""

    @property
    def fits(self) -> bool:
        """Whether it is within its limit as it is."""
        sentences = [prepared.sentence for prepared in self.sentences]
        return self.limit is None or self.limit.allows(assembled(sentences, [sentence.text for sentence in sentences]))

    def goal(self, prepared: PreparedSentence) -> int:
        """How many words of a sentence the limit would leave if every sentence gave the same share."""
        if self.limit is None:
            return prepared.goal(usual_limit(prepared.original.text))
        whole = sum(self.limit.measure(own.sentence.text) for own in self.sentences)
        own = self.limit.measure(prepared.sentence.text)
        return prepared.goal(replace(self.limit, size=round(self.limit.size * own / max(1, whole))))


@dataclass(frozen=True, slots=True)
class _Part:
    """Sentences that are there together or not at all: one, or a list with the line that announces it."""

    members: tuple[int, ...]
    drafts: list[Drafts]
    """Of the members, for each choice."""
    choices: list[Choice]


class LengthPlanner:
    """Chooses sentences and their lengths together; the same planner serves any number of limits."""

    def __init__(
        self,
        sentences: Sequence[PreparedSentence],
        walks: Sequence[WalkSource],
        vectors: Floats,
        *,
        whole_sentences: bool = False,
    ) -> None:
        """`vectors` has one row for each sentence: what it is about."""
        pairs = enumerate(zip(sentences, walks, strict=True))
        self._all = [SentenceDrafts(prepared, own, first=number == 0) for number, (prepared, own) in pairs]
        self._sentences = [prepared.sentence for prepared in sentences]
        self._whole_sentences = whole_sentences
        self._sections = Sections(self._sentences)
        self._prose = [i for i in range(len(sentences)) if i not in set(self._sections.headings)]
        self._vectors = vectors
        self._groups = list(grouped(self._sentences, self._prose))
        self._gaps = {sentence.gap for sentence in self._sentences}

    @cached_property
    def _weights(self) -> dict[int, float]:
        """The weight of each sentence but headings."""
        if not self._prose:
            return {}
        own = [self._all[i] for i in self._prose]
        weights = sentence_weights(
            self._vectors[self._prose],
            [drafts.whole.content for drafts in own],
            place_bonuses([drafts.prepared.sentence for drafts in own]),
            repetition([drafts.prepared.sentence for drafts in own]),
            shared_words([drafts.prepared.sentence for drafts in own]),
        )
        found = {i: own * self._form_weight(i) for i, own in zip(self._prose, weights, strict=True)}
        if (opening := self._above_lists) is not None:
            items = (weight for i, weight in found.items() if self._sentences[i].form == "item")
            found[opening] = max(found[opening], (1 + OPENING_BONUS) * max(items))
        return found

    @cached_property
    def _mean_weight(self) -> float:
        found = [weight for i, weight in self._weights.items() if self._sentences[i].form == "prose" and weight > 0]
        return sum(found) / max(1, len(found))

    def _form_weight(self, index: int) -> float:
        sentence = self._sentences[index]
        if sentence.form != "prose":
            return _WEIGHTS.get(sentence.form, 1.0)
        if says_how_it_went(sentence.words):
            return _WEIGHTS["aside"]
        if index and (self._asks_alone(index) or self._only_asks(index)):
            return _QUESTION_ALONE
        if index and only_announces(sentence.words):
            return _ONLY_ANNOUNCES
        if index and sentence.text[:1] in _QUOTATION_MARKS:
            return _QUOTED
        if index and not self._all[index].read.has_verb():
            return _WITHOUT_VERB
        return _DECIDES if any(word.lower() in DECISIONS for word in sentence.words) else 1.0

    @cached_property
    def _above_lists(self) -> int | None:
        """The opening sentence of a text that has lists; lines without an end do not open it: links to pages."""
        first_item = next((i for i in self._prose if self._sentences[i].form == "item"), 0)
        for i in self._prose:
            own = self._sentences[i]
            if i < first_item and own.form == "prose" and not says_how_it_went(own.words):
                if self._all[i].read.has_verb():
                    return i
                if own.text.endswith("."):
                    return None
        return None

    def _only_asks(self, index: int) -> bool:
        """Whether it is a question that requests nothing."""
        sentence = self._sentences[index]
        return sentence.text.endswith("?") and not asks_the_reader(sentence.words)

    def _asks_alone(self, index: int) -> bool:
        """Whether a sentence is in a short paragraph that ends with a question: "I lost my card. What now?"."""
        block = [own for own in self._sentences if own.block == self._sentences[index].block]
        return block[-1].text.endswith("?") and sum(len(own.words) for own in block) <= _LONGEST_QUESTION

    def plan(self, limit: Limit, *, aim: bool = False) -> list[Shortened]:
        """Actions for each sentence; raises if the words to keep do not fit, unless the limit is only an aim."""
        between_pieces()
        alone = len(self._all) == 1 and not self._sentences[0].lead
        drafts = [self._alone(limit, aim=aim)] if alone else self._shared(limit)
        taken = limit.measure(self._text(drafts))
        if taken > limit.size and not aim and any(own.prepared.hard_keep for own in self._all):
            raise TextError(
                f"The words to keep take {taken} {limit.unit}, and the limit is {limit.size}. "
                "Allow more, or keep fewer words."
            )
        return [draft.shortened for draft in drafts]

    def _alone(self, limit: Limit, *, aim: bool) -> SentenceDraft:
        """The draft of a single sentence; where nobody set a limit, a statement may be longer than usual."""
        draft = self._all[0].within(limit, careful=False)
        sizes = range(limit.size + 1, 2 * limit.size + _LONGER) if aim else ()
        longer = (self._all[0].within(replace(limit, size=size), careful=False) for size in sizes)
        return draft if draft.shortened.complete else next((own for own in longer if own.shortened.complete), draft)

    def _text(self, drafts: Sequence[SentenceDraft]) -> str:
        return assembled(self._sentences, [draft.text for draft in drafts])

    def _shared(self, limit: Limit) -> list[SentenceDraft]:
        untouched = [own.whole for own in self._all]
        if limit.allows(self._text(untouched)):
            return untouched
        result = self._with_headings(limit, self._parts(limit, freely=False))
        if limit.measure(self._text(result)) < _ENOUGH_OF_LIMIT * limit.size and not self._whole_sentences:
            result = self._with_headings(limit, self._parts(limit, freely=True))
        if not any(own.has_words(draft) for own, draft in zip(self._all, result, strict=True)):
            result = self._with_a_word(limit, result)
        return self._filled_up(limit, result)

    # Choices

    def _may_be_careful(self, limit: Limit) -> bool:
        """Whether there is room for what matters most without what it can spare; otherwise more must go."""
        single = [group[0] for group in self._groups if len(group) == 1]
        most = max(single, key=lambda i: self._worth(i, self._all[i].whole), default=None)
        return most is None or not self._says_something(most) or bool(self._all[most].statements(limit))

    def _says_something(self, index: int) -> bool:
        """Whether it has a letter or a digit: a row of emojis is not shortened by grammar."""
        return any(map(str.isalnum, self._sentences[index].text))

    def _parts(self, limit: Limit, *, freely: bool) -> list[_Part]:
        """The parts with their lengths; `freely`: each may be shortened."""
        careful = self._may_be_careful(limit)
        return [self._part(group, limit, careful=careful, freely=freely) for group in self._groups]

    def _part(self, group: tuple[int, ...], limit: Limit, *, careful: bool, freely: bool) -> _Part:
        whole = self._whole_sentences or not (freely or self._may_be_shortened(group, limit))
        drafts = [tuple(self._all[i].least for i in group), *self._drafts(group, limit, careful=careful, whole=whole)]
        return _Part(group, drafts, [self._choice(group, own, limit) for own in drafts])

    def _is_most(self, group: tuple[int, ...]) -> bool:
        """Whether the text is little else, or says little else beside the sentence that matters most."""
        return len(group) > _MOST_OF_TEXT * len(self._all) or (
            self._sentences[group[-1]].form == "item" and self._worth_of(group) > _MOST_OF_TEXT * self._worth_of_others
        )

    def _worth_of(self, indices: Iterable[int]) -> float:
        return sum(self._worth(i, self._all[i].whole) for i in indices)

    @cached_property
    def _worth_of_others(self) -> float:
        """What all sentences are worth but the one that matters most."""
        most = max(self._weights, key=lambda i: self._weights[i])
        return self._worth_of(i for i in self._prose if i != most)

    def _drafts(self, group: tuple[int, ...], limit: Limit, *, careful: bool, whole: bool) -> Iterator[Drafts]:
        if len(group) == 1:
            whole = whole or not self._says_something(group[0])
            own = self._all[group[0]]
            found = own.statements(limit, whole=whole, careful=careful)
            if not self._whole_sentences and self._sentences[group[0]].form == "prose":
                found = [*self._trimmed(group[0], limit), *found]
            return ((draft,) for draft in found)
        return group_drafts(group, self._all, self._weights, limit, whole_sentences=whole)

    def _trimmed(self, index: int, limit: Limit) -> list[SentenceDraft]:
        """Drafts without asides that name nobody of whom other sentences speak."""
        if self._weights[index] < self._mean_weight:  # another whole sentence matters more
            return []
        later = self._sentences[index + 1 :]
        names = {word for own in later for word in own.words}
        nouns = {word for own in later[:_NEAR] for word in own.words}
        return [draft for draft in self._all[index].trimmed(names, nouns) if limit.allows(draft.text)]

    def _may_be_shortened(self, group: tuple[int, ...], limit: Limit) -> bool:
        """Whether it is a list and the text little else, or what matters most and hardly fits.

        As written, a sentence reads better, and another whole one says more than what is left of it.
        """
        if len(group) > 1:
            return self._is_most(group)
        heaviest = self._weights[group[0]] == max(self._weights.values())
        return heaviest and limit.measure(self._sentences[group[0]].text) > _MOST_AS_WRITTEN * limit.size

    def _choice(self, group: tuple[int, ...], drafts: tuple[SentenceDraft, ...], limit: Limit) -> Choice:
        between_pieces()
        sentences = [self._sentences[i] for i in group]
        text = assembled(sentences, [draft.text for draft in drafts])
        stands = any(self._all[i].has_words(draft) for i, draft in zip(group, drafts, strict=True))
        value = sum(self._worth(i, draft) for i, draft in zip(group, drafts, strict=True))
        listed = [draft for sentence, draft in zip(sentences, drafts, strict=True) if sentence.form != "prose"]
        value *= sum(bool(draft.text) for draft in listed) / len(listed) if listed else 1  # better all items than some
        if stands and not all(draft.shortened.complete for draft in drafts):
            return Choice(limit.measure(text) + self._widest_gap(limit), _BARE_WORDS)
        needs = self._needs(group[0], drafts[0]) if stands else 0
        if needs is None:
            value, needs = _BARE_WORDS, 0
        cost = limit.measure(text) + self._widest_gap(limit) if text else 0
        return Choice(cost, value, stands=stands, needs=needs, carries=all(draft.carries for draft in drafts))

    def _widest_gap(self, limit: Limit) -> int:
        return max(limit.measure(gap) for gap in self._gaps)

    def _worth(self, index: int, draft: SentenceDraft) -> float:
        if not draft.text or draft.content <= 0:
            return 0.0
        said = self._weights[index] * self._said(index, draft)
        prose = self._sentences[index].form == "prose"
        if draft.trimmed:
            said *= _TRIMMED
        elif draft.text != self._all[index].whole.text:
            said *= _SHORTENED if prose else _SHORTENED_ITEM
        cost = _COST_OF_A_SENTENCE if prose and index != self._above_lists else 0.0
        return said * draft.content / (draft.content + cost)

    def _said(self, index: int, draft: SentenceDraft) -> float:
        """What a draft says: halfway between what its words weigh and their mere number.

        Names and rare words weigh much, and a sentence is not twice as important because it has two more of them.
        """
        if self._sentences[index].form not in _SAID:
            return draft.content
        whole = self._all[index].whole
        words = len(whole.kept - self._all[index].prepared.punctuation)
        usual = self._density * words * draft.content / max(whole.content, 1e-9)
        return _BY_WORDS * usual + (1 - _BY_WORDS) * draft.content

    @cached_property
    def _density(self) -> float:
        """What a word of the text says on average."""
        said = [i for i in self._prose if self._sentences[i].form in _SAID]
        words = sum(len(self._all[i].whole.kept - self._all[i].prepared.punctuation) for i in said)
        return sum(self._all[i].whole.content for i in said) / max(1, words)

    def _needs(self, index: int, draft: SentenceDraft) -> int | None:
        """How many parts before a draft must stand so that it is understood."""
        own = self._all[index]
        if self._sentences[index].form != "prose":
            return 0
        earlier = self._prose[: bisect_left(self._prose, index)]
        before = [self._all[i].read for i in earlier if self._sentences[i].form != "aside"]
        needed = sentences_needed(own.read, draft.kept, before)
        if needed == 0 and before and self._hangs_on(index):
            return 1
        return needed

    def _hangs_on(self, index: int) -> bool:
        """Whether it is so short that it only goes on with the sentence before: "Nothing broke."."""
        sentence = self._sentences[index]
        return not sentence.opens and sum(map(is_word, sentence.words)) <= _SHORT

    # Headings

    def _with_headings(self, limit: Limit, parts: Sequence[_Part]) -> list[SentenceDraft]:
        """A heading stands if something of its section does and all such headings take little of the limit."""
        result = self._allocated(parts, limit, ())
        room: set[int] = set()
        while not (wanted := self._wanted_headings(result)) <= room:
            if self._size_of_headings(room | wanted, limit) > _MOST_FOR_HEADINGS * limit.size:
                room = {0} & wanted  # only some of them would put the others' sections below the wrong one
                room = room if self._size_of_headings(room, limit) <= _MOST_FOR_TITLE * limit.size else set()
                return self._allocated(parts, limit, room)
            room |= wanted
            result = self._allocated(parts, limit, room)
        return [self._all[i].least if i in room - wanted else draft for i, draft in enumerate(result)]

    def _size_of_headings(self, numbers: Collection[int], limit: Limit) -> int:
        headings = [self._sentences[i] for i in sorted(numbers)]
        return limit.measure(assembled(headings, [own.text for own in headings]))

    def _wanted_headings(self, result: Sequence[SentenceDraft]) -> set[int]:
        return self._sections.wanted([i for i, draft in enumerate(result) if draft.text])

    def _allocated(self, parts: Sequence[_Part], limit: Limit, headings: Collection[int]) -> list[SentenceDraft]:
        """The best choice for each part beside these headings."""
        gap = self._widest_gap(limit)
        budget = limit.size + gap  # the last sentence of a text has no gap after it
        budget -= sum(limit.measure(self._sentences[i].lead + self._sentences[i].text) + gap for i in headings)
        result = [own.least for own in self._all]
        for i in headings:
            result[i] = self._all[i].whole
        while True:
            for part, number in zip(parts, allocate([part.choices for part in parts], budget), strict=True):
                for i, draft in zip(part.members, part.drafts[number], strict=True):
                    result[i] = draft
            over = limit.measure(self._text(result)) - limit.size
            if over <= 0 or budget <= 0:  # in some units, parts may be longer together than one by one
                return result
            budget -= over

    # What is left over

    def _with_a_word(self, limit: Limit, result: list[SentenceDraft]) -> list[SentenceDraft]:
        """If no sentence fits: a statement cut from the weightiest that has one, else what fits of the weightiest."""
        with_words = [i for i in self._prose if self._all[i].has_words(self._all[i].whole)]
        with_words = [i for i in with_words if self._sentences[i].form != "verbatim"] or with_words
        if not with_words and self._text(result):
            return result
        by_worth = sorted(with_words or self._prose, key=lambda i: -self._worth(i, self._all[i].whole))
        best = by_worth[0]
        if not self._cut(best, limit).shortened.complete:
            tried = [i for i in by_worth[1:_TRIED_ALONE] if self._says_something(i)]
            best = next((i for i in tried if self._is_statement(i, limit)), best)
        attempt = [own.least for own in self._all]
        attempt[best] = self._cut(best, limit)
        hard_keep = any(own.prepared.hard_keep for own in self._all)
        return result if hard_keep and not limit.allows(self._text(attempt)) else attempt

    def _is_statement(self, index: int, limit: Limit) -> bool:
        """Whether a statement can be cut from a sentence in which nothing is missed."""
        draft = self._cut(index, limit)
        return bool(draft.text) and draft.shortened.complete and self._all[index].says_enough(draft, limit)

    def _cut(self, index: int, limit: Limit) -> SentenceDraft:
        """As much of a sentence as fits by itself."""
        room = limit.size - (limit.measure(self._sentences[index].lead + "x") - limit.measure("x"))
        return self._all[index].within(replace(limit, size=room if room > 0 else limit.size), careful=False)

    def _filled_up(self, limit: Limit, result: list[SentenceDraft]) -> list[SentenceDraft]:
        """Spend what is left of the limit on the sentences that are there, in order of the text."""
        for number in self._prose:
            if result[number].text and self._sentences[number].form == "prose" and not self._whole_sentences:
                result = self._grown(limit, result, number)
        return result

    def _grown(self, limit: Limit, result: list[SentenceDraft], number: int) -> list[SentenceDraft]:
        """The same with one sentence as long as the limit allows."""
        between_pieces()
        own, draft = self._all[number], result[number]
        size = limit.measure(draft.text)
        free = limit.size - limit.measure(self._text(result))
        if draft.text == own.whole.text or draft.trimmed or free <= 0:
            return result
        for allowance in (free + 1, free):  # sentences that no space parts are a word together
            longer = own.within(replace(limit, size=size + allowance))
            attempt = [*result[:number], longer, *result[number + 1 :]]
            needs = self._needs(number, longer)
            same = needs is not None and needs <= (self._needs(number, draft) or 0)
            sound = longer.shortened.complete and (own.says_enough(longer, limit) or bool(own.prepared.hard_keep))
            if sound and same and limit.allows(self._text(attempt)):
                return attempt
        return result


def cut(text: str, limit: Limit) -> str:
    """As many words of a text as the limit allows, or characters: the last resort for a word that is too long alone."""
    if limit.allows(text):
        return text
    kept = ""
    for cluster in regex.findall(r"\X", text):
        if not limit.allows(kept + cluster):
            break
        kept += cluster
    if kept:
        words = kept.rstrip() if text[len(kept) :][:1].isspace() else " ".join(kept.split(" ")[:-1]).rstrip()
        return words or kept.rstrip() or kept
    return next((character for character in text if limit.allows(character) and not character.isspace()), "")
