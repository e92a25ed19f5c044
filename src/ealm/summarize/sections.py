"""Headings of a text, and what stands below each of them."""

from collections.abc import Collection, Sequence

from ealm.text.sentences import Sentence
from ealm.text.word_lists import CONDITIONS, LIMITING_HEADINGS, NEGATIONS


def announces(sentence: Sentence, following: Sequence[Sentence]) -> bool:
    """Whether a list right below says something else without this line: "You will need:", "Do not take it"."""
    if not following or following[0].form == sentence.form:
        return False
    if sentence.form == "prose":
        return sentence.text.endswith(":") or (following[0].form == "item" and _is_open(sentence))
    limits = NEGATIONS | CONDITIONS | LIMITING_HEADINGS
    limited = any(word.lower() in limits for word in sentence.words)
    return sentence.form == "heading" and following[0].form == "item" and limited


def _is_open(sentence: Sentence) -> bool:
    """Whether a line goes on below: it has no full stop."""
    return sentence.gap.count("\n") == 1 and sentence.text[-1:] not in ".!?"


class Sections:
    """Tells which headings belong to what is left of a text."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.headings = [i for i, sentence in enumerate(sentences) if sentence.form == "heading"]
        if len(self.headings) == len(sentences):  # nothing but lines without an end: they are the text
            self.headings = []
        announcing = {i for i, own in enumerate(sentences) if announces(own, sentences[i + 1 : i + 2])}
        open_lines = {i for i in announcing if i and _is_open(sentences[i]) and "\n\n" in sentences[i - 1].gap}
        self._beginnings = sorted({*self.headings, *open_lines})
        """Of sections; a line that announces a list is no heading, as it belongs to the list."""
        self.headings = [i for i in self.headings if i not in announcing]
        self._count = len(sentences)
        self._has_title = len(sentences) > 1 and sentences[1].form != "item"  # what stands over a list is about it
        self._levels = {i: sentences[i].lead.count("#") for i in self._beginnings}

    def wanted(self, standing: Collection[int]) -> set[int]:
        """The headings of sections of which something stands; `standing` are numbers of sentences."""
        text = set(standing) - set(self.headings)
        return {i for i in self.headings if text & set(range(i + 1, self._end(i)))}

    def _end(self, heading: int) -> int:
        """Where the section of a heading ends; the title of all has the whole text."""
        if heading == 0 and self._has_title:
            return self._count
        level = self._levels[heading]
        later = [i for i in self._beginnings if i > heading]
        # Without levels, a line right below the heading is its title's first heading, not its end.
        ends = (i for i in later if (self._levels[i] <= level if level else i > heading + 1))
        return next(ends, self._count)
