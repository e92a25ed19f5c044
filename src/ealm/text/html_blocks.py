"""HTML as blocks of text in a tree of tags: what is emptied goes with its tags, and no tag loses its partner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

from ealm.text.blocks import Block, Form
from ealm.text.marks import Marks, without_placeholders

_INLINE = frozenset(
    "a abbr b bdi bdo big cite del dfn em font i ins label mark q s small span strong sub sup time u".split()
)
WHOLE_INLINE = frozenset("code kbd samp var".split())
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_VERBATIM = frozenset("pre table textarea svg math".split())
_UNSEEN = frozenset("script style head title noscript template".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_BLOCKS = _HEADINGS | frozenset(
    "address article aside blockquote details div dl fieldset figure footer form header hr main menu nav ol p pre"
    " section table ul".split()
)
_ENDED_BY = {"p": _BLOCKS, "li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "option": {"option"}}
"""Elements whose end may be left out before one of these."""


@dataclass
class _Element:
    opening: str = ""
    closing: str = ""
    children: "list[_Element | int | str]" = field(default_factory=list)
    """Elements, numbers of blocks, and what stays as it is."""


class HtmlText:
    """A page with its blocks; `written` puts it together again."""

    def __init__(self, text: str) -> None:
        reader = _Reader(without_placeholders(text))
        self.blocks = reader.blocks
        self.marks = reader.marks
        self._root = reader.root

    def written(self, texts: Mapping[int, str]) -> str:
        """The page with these texts of blocks, each by its number; what has lost all its text is gone."""
        return "".join(_written(child, texts) or "" for child in self._root.children).strip()


def _written(node: "_Element | int | str", texts: Mapping[int, str]) -> str | None:
    if isinstance(node, str):
        return node
    if isinstance(node, int):
        return texts.get(node) or None
    parts = [_written(child, texts) for child in node.children]
    had_text = any(not isinstance(child, str) for child in node.children)
    has_text = any(part for part, child in zip(parts, node.children, strict=True) if not isinstance(child, str))
    return node.opening + "".join(part or "" for part in parts) + node.closing if has_text or not had_text else None


class _Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.marks = Marks()
        self.root = _Element()
        self._stack: list[tuple[str, _Element]] = [("", self.root)]
        self._text = ""
        self._open_marks: list[tuple[str, str]] = []
        self._raw: list[str] = []
        self._raw_tag = ""
        self._raw_depth = 0
        self.feed(text)
        self.close()
        self._flush()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:  # noqa: ARG002 - as written
        own = self.get_starttag_text() or ""
        if self._raw_tag:
            self._raw.append(own)
            self._raw_depth += tag == self._raw_tag
        elif tag in WHOLE_INLINE | _VERBATIM | _UNSEEN:
            if tag not in WHOLE_INLINE:
                self._flush()
            self._end_before(tag)
            self._raw_tag, self._raw, self._raw_depth = tag, [own], 1
        elif tag in _VOID:
            self._void(tag, own)
        elif tag in _INLINE:
            opening, closing = self.marks.pair(own, f"</{tag}>")
            self._text += opening
            self._open_marks.append((tag, closing))
        else:
            self._flush()
            self._end_before(tag)
            element = _Element(own, f"</{tag}>")
            self._stack[-1][1].children.append(element)
            self._stack.append((tag, element))

    def _end_before(self, tag: str) -> None:
        """The end of an element that nobody has written."""
        if tag in _ENDED_BY.get(self._stack[-1][0], ()):
            self._stack.pop()

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._void(tag, self.get_starttag_text() or "")

    def _void(self, tag: str, own: str) -> None:
        if self._raw_tag:
            self._raw.append(own)
        elif self._text.strip() and tag in ("br", "img", "wbr"):
            self._text += "\n" if tag == "br" else self.marks.whole(own, "")
        else:
            self._flush()
            self._stack[-1][1].children.append(own)

    def handle_endtag(self, tag: str) -> None:
        if self._raw_tag:
            self._raw.append(f"</{tag}>")
            self._raw_depth -= tag == self._raw_tag
            if not self._raw_depth:
                self._end_raw()
            return
        for place in range(len(self._open_marks) - 1, -1, -1):
            if self._open_marks[place][0] == tag:
                while len(self._open_marks) > place:  # what was left open inside is closed too
                    self._text += self._open_marks.pop()[1]
                return
        if any(name == tag for name, _ in self._stack[1:]):
            self._flush()
            while self._stack.pop()[0] != tag:
                pass

    def _end_raw(self) -> None:
        raw, tag, self._raw_tag = "".join(self._raw), self._raw_tag, ""
        if tag in WHOLE_INLINE:
            self._text += self.marks.whole(raw, "".join(part for part in self._raw if part[:1] != "<"))
        elif tag in _UNSEEN:
            self._stack[-1][1].children.append(raw)
        else:
            self._add(Block("", self.marks.whole(raw, raw), "\n", "verbatim"))

    def handle_data(self, data: str) -> None:
        if self._raw_tag:
            self._raw.append(data if self._raw_tag in _UNSEEN else escape(data, quote=False))
        else:
            self._text += data

    def handle_comment(self, data: str) -> None:
        (self._raw if self._raw_tag else self._stack[-1][1].children).append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._stack[-1][1].children.append(f"<!{decl}>\n")

    def _flush(self) -> None:
        """Text up to here is a block."""
        while self._open_marks:
            self._text += self._open_marks.pop()[1]
        raw, self._text = self._text, ""
        text = self.marks.joined(" ".join(raw.split()))
        if not any(character.isprintable() and not 0xE000 <= ord(character) < 0xF000 for character in text):
            self._stack[-1][1].children.append("\n" if "\n" in raw else "")
            return
        names = [name for name, _ in self._stack]
        form: Form = "heading" if _HEADINGS & set(names) else "item" if "li" in names else "prose"
        self._add_space(raw[: len(raw) - len(raw.lstrip())])
        self._add(Block("", text, "\n", "aside" if "blockquote" in names else form))
        self._add_space(raw[len(raw.rstrip()) :])

    def _add_space(self, space: str) -> None:
        if space:
            self._stack[-1][1].children.append("\n" if "\n" in space else " ")

    def _add(self, block: Block) -> None:
        self._stack[-1][1].children.append(len(self.blocks))
        self.blocks.append(block)
