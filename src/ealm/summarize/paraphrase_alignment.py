"""A paraphrased sentence, and the alignment of its words with those of the original."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ealm.common.caching import cached_property
from ealm.paper.edits import Action
from ealm.summarize.result import Edit, Summary
from ealm.text.paraphrase import Paraphrase, paraphrases
from ealm.text.sentences import Sentence
from ealm.text.tokenizer import Token


@dataclass(frozen=True)
class ParaphrasedSentence:
    """A sentence and the phrases of it that have a shorter paraphrase; there may be none."""

    original: Sentence
    changes: tuple[Paraphrase, ...] = ()

    @classmethod
    def shortest(cls, sentence: Sentence, untouchable: Iterable[int]) -> "ParaphrasedSentence":
        """Every phrase that has a paraphrase, except those with a word at an untouchable index."""
        words = sentence.words
        changes = paraphrases(words, frozenset(untouchable))
        if not sentence.pretokenized:  # "in the U.S.." would have a full stop too many
            changes = [each for each in changes if not (each.word[-1] == "." and "." in words[each.end : each.end + 1])]
        return cls(sentence, tuple(changes))

    @cached_property
    def _spans(self) -> list[range]:
        """For each word of the paraphrase, the indices of the original words that it stands for."""
        spans: list[range] = []
        for change in self.changes:
            spans += _single(spans[-1].stop if spans else 0, change.start)
            spans.append(range(change.start, change.end))
        return spans + _single(spans[-1].stop if spans else 0, len(self.original.tokens))

    @cached_property
    def sentence(self) -> Sentence:
        """The paraphrase, with the white space of the original."""
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

    def mapped(self, indices: Iterable[int]) -> frozenset[int]:
        """Indices of the original as indices of the paraphrase."""
        if not self.changes:
            return frozenset(indices)
        number = {index: number for number, span in enumerate(self._spans) for index in span}
        return frozenset(number[index] for index in indices)

    def restored(self, summary: Summary) -> Summary:
        """A summary of the paraphrase as one of the original."""
        if not self.changes:
            return summary
        words = self.original.words
        trace = []
        for step in summary.trace:
            start = self._spans[step.position].start
            trace.append(replace(step, position=start, word=words[start]))
        return replace(
            summary, source=self.original.text, edits=tuple(self._restored_edits(summary.edits)), trace=tuple(trace)
        )

    def _restored_edits(self, edits: Sequence[Edit]) -> Iterator[Edit]:
        """A kept paraphrase replaces the first word of its phrase and removes the others."""
        words = self.original.words
        changed = {change.start for change in self.changes}
        for span, edit in zip(self._spans, edits, strict=True):
            if span.start not in changed:
                yield edit
            elif edit.action == Action.KEEP:
                yield replace(edit, word=words[span.start], action=Action.REPLACE, replacement=edit.word)
            else:
                yield replace(edit, word=words[span.start])
            for index in span[1:]:
                yield Edit(words[index], Action.REMOVE, edit.order)


def _single(start: int, stop: int) -> list[range]:
    return [range(index, index + 1) for index in range(start, stop)]


def untouched(summary: Summary) -> Summary:
    """The result in which every word is kept: the text at its full length."""
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
