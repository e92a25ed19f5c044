"""A sentence in shorter words, and the way back from what becomes of them to the words that people wrote."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ealm.paper.edits import Action
from ealm.summarize.result import Edit, Summary
from ealm.text.paraphrase import Rewording, rewordings
from ealm.text.sentences import Sentence
from ealm.text.tokenizer import Token


@dataclass(frozen=True)
class Wording:
    """A sentence and what is put in shorter words there; nothing may be."""

    original: Sentence
    changes: tuple[Rewording, ...] = ()

    @classmethod
    def shortest(cls, sentence: Sentence, untouchable: Iterable[int]) -> "Wording":
        """In words as short as may be, but for places that stay as they are."""
        words = sentence.words
        changes = rewordings(words, frozenset(untouchable))
        if not sentence.pretokenized:  # "in the U.S.." would have a full stop too many
            changes = [each for each in changes if not (each.word[-1] == "." and "." in words[each.end : each.end + 1])]
        return cls(sentence, tuple(changes))

    @cached_property
    def _spans(self) -> list[range]:
        """For each word of the new sentence, the places of the words in whose place it stands."""
        spans: list[range] = []
        for change in self.changes:
            spans += _single(spans[-1].stop if spans else 0, change.start)
            spans.append(range(change.start, change.end))
        return spans + _single(spans[-1].stop if spans else 0, len(self.original.tokens))

    @cached_property
    def sentence(self) -> Sentence:
        """The sentence in its new words, with the white space of the old one."""
        if not self.changes:
            return self.original
        new = {change.start: change.word for change in self.changes}
        old, text, end = self.original, "", 0
        tokens = []
        for span in self._spans:
            first, last = old.tokens[span.start], old.tokens[span.stop - 1]
            text += old.text[end : first.start]
            end = last.end
            word = new.get(span.start, first.text)
            tokens.append(Token(word, len(text), len(text) + len(word)))
            text += word
        return replace(old, text=text + old.text[end:], tokens=tuple(tokens))

    def moved(self, places: Iterable[int]) -> frozenset[int]:
        """Places of the original as places of the sentence in its new words."""
        if not self.changes:
            return frozenset(places)
        number = {place: number for number, span in enumerate(self._spans) for place in span}
        return frozenset(number[place] for place in places)

    def told(self, summary: Summary) -> Summary:
        """A summary of the new sentence as one of the original."""
        if not self.changes:
            return summary
        words = self.original.words
        trace = []
        for step in summary.trace:
            start = self._spans[step.position].start
            trace.append(replace(step, position=start, word=words[start]))
        return replace(
            summary, source=self.original.text, edits=tuple(self._told_edits(summary.edits)), trace=tuple(trace)
        )

    def _told_edits(self, edits: Sequence[Edit]) -> Iterator[Edit]:
        """A new word that stays replaces the first of the old ones; the others are gone."""
        words = self.original.words
        changed = {change.start for change in self.changes}
        for span, edit in zip(self._spans, edits, strict=True):
            if span.start not in changed:
                yield edit
            elif edit.action == Action.KEEP:
                yield replace(edit, word=words[span.start], action=Action.REPLACE, replacement=edit.word)
            else:
                yield replace(edit, word=words[span.start])
            for place in span[1:]:
                yield Edit(words[place], Action.REMOVE, edit.order)


def _single(start: int, stop: int) -> list[range]:
    return [range(place, place + 1) for place in range(start, stop)]


def untouched(summary: Summary) -> Summary:
    """The same, had nothing been done to the source: what a text is at its full length."""
    kept = tuple(Edit(edit.word, Action.KEEP, None) for edit in summary.edits)
    known = summary.reconstruction_rate is not None
    return replace(
        summary,
        summary=summary.source,
        compression_rate=0.0,
        reconstruction_rate=1.0 if known else None,
        step=0,
        edits=kept,
        sentences=tuple(untouched(part) for part in summary.sentences),
    )
