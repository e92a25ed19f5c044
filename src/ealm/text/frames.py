"""What stands around the sentences of a text, and how they are put together again."""

from collections.abc import Sequence
from html import escape

from ealm.text.blocks import Block, split_blocks
from ealm.text.html_blocks import HtmlText
from ealm.text.markdown import read_markdown
from ealm.text.marks import Marks, without_seams
from ealm.text.sentences import Sentence

MARKUPS = ("text", "markdown", "html")


def assembled(sentences: Sequence[Sentence], parts: Sequence[str]) -> str:
    """The shortened sentences as one text; paragraphs stay apart."""
    text = ""
    gap = ""
    for sentence, part in zip(sentences, parts, strict=True):
        if part:
            text += (gap if text else "") + sentence.lead + part
            gap = ""
        gap = max(gap, sentence.gap, key=lambda space: space.count("\n")) if gap else sentence.gap
    return text


class Frame:
    """A text without its sentences: plain, or in Markdown."""

    def __init__(self, blocks: list[Block], marks: Marks) -> None:
        self.blocks = blocks
        self.marks = marks

    @property
    def seen(self) -> str:
        """What a reader sees of the text."""
        return "".join(block.text + block.gap for block in self.blocks).translate(self.marks.seen)

    def written(self, sentences: Sequence[Sentence], parts: Sequence[str]) -> str:
        """The text with what is left of its sentences."""
        return self.marked(assembled(sentences, parts))

    def marked(self, text: str) -> str:
        """A piece of the text with its marks."""
        return without_seams(text).translate(self.marks.written)


class HtmlFrame(Frame):
    """A page of HTML."""

    def __init__(self, text: str) -> None:
        self._page = HtmlText(text)
        super().__init__(self._page.blocks, self._page.marks)

    def written(self, sentences: Sequence[Sentence], parts: Sequence[str]) -> str:
        texts = {}
        for number in range(len(self.blocks)):
            own = [place for place, sentence in enumerate(sentences) if sentence.block == number]
            texts[number] = self.marked(assembled([sentences[i] for i in own], [parts[i] for i in own]))
        return self._page.written(texts)

    def marked(self, text: str) -> str:
        return super().marked(escape(text, quote=False))


def read_frame(text: str, markup: str) -> Frame:
    """The frame of a text in one of `MARKUPS`."""
    if markup == "html":
        return HtmlFrame(text)
    if markup == "markdown":
        return Frame(*read_markdown(text))
    return Frame(split_blocks(text), Marks())
