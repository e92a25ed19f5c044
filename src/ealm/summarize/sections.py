"""Headings of a text, and what stands below each of them."""

from collections.abc import Collection, Sequence

from ealm.text.sentences import Sentence


class Sections:
    """Tells which headings belong to what is left of a text."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.headings = [i for i, sentence in enumerate(sentences) if sentence.form == "heading"]
        if len(self.headings) == len(sentences):  # nothing but lines without an end: they are the text
            self.headings = []
        self._count = len(sentences)
        self._has_title = len(sentences) > 1 and sentences[1].form != "item"  # what stands over a list is about it
        self._levels = {i: sentences[i].lead.count("#") for i in self.headings}

    def wanted(self, standing: Collection[int]) -> set[int]:
        """The headings of sections of which something stands; `standing` are numbers of sentences."""
        text = set(standing) - set(self.headings)
        return {i for i in self.headings if text & set(range(i + 1, self._end(i)))}

    def _end(self, heading: int) -> int:
        """Where the section of a heading ends; the title of all has the whole text."""
        if heading == 0 and self._has_title:
            return self._count
        level = self._levels[heading]
        later = [i for i in self.headings if i > heading]
        # Without levels, a line right below the heading is its title's first heading, not its end.
        ends = (i for i in later if (self._levels[i] <= level if level else i > heading + 1))
        return next(ends, self._count)
