"""Markdown as blocks: headings, items, paragraphs; links and emphasis inside of them keep their marks."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import regex

from ealm.common.errors import SettingsError
from ealm.text.blocks import Block, Form
from ealm.text.marks import Marks, without_placeholders

if TYPE_CHECKING:
    from markdown_it.token import Token

_DEFINITION = regex.compile(r" {0,3}\[[^\]]+\]:")
_SPECIAL = tuple("*`[]<>\\")
"""What is a mark wherever it stands, unless it is escaped; at the start of a block, everything may be one."""
_VERBATIM = ("fence", "code_block", "html_block", "table_open", "hr")


def read_markdown(text: str) -> tuple[list[Block], Marks]:
    """The blocks of a text and the placeholders in them; what lies between blocks is in their leads and gaps."""
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise SettingsError(
            "markup=markdown needs markdown-it-py. Install it with: pip install 'ealm[markdown]'"
        ) from error
    text = without_placeholders(text)
    lines = text.splitlines(keepends=True)
    marks = Marks()
    reader = MarkdownIt("commonmark").enable("table").disable("text_join")  # what is escaped stays told from the rest
    found = list(_stretches(reader.parse(text), lines, marks))
    blocks: list[Block] = []
    at = 0
    for first, last, lead, own, form in found:
        between = "".join(lines[at:first])
        if blocks:
            blocks[-1] = _with_gap(blocks[-1], between)
        elif between.strip():
            blocks.append(Block("", between.rstrip(), between[len(between.rstrip()) :], "verbatim"))
        raw = "".join(lines[first:last])
        blocks.append(Block(lead, own, raw[len(raw.rstrip()) :], form))
        at = last
    if blocks and (rest := "".join(line for line in lines[at:] if not _DEFINITION.match(line))).strip():
        blocks.append(Block("", rest.rstrip(), "", "verbatim"))
    return blocks, marks


def _with_gap(block: Block, between: str) -> Block:
    """Lines between blocks that are none, such as definitions of links, go: links have their addresses themselves."""
    space = "".join(line for line in between.splitlines(keepends=True) if not line.strip())
    return Block(block.lead, block.text, block.gap + space, block.form)


def _stretches(
    tokens: "Sequence[Token]", lines: Sequence[str], marks: Marks
) -> Iterator[tuple[int, int, str, str, Form]]:
    """First and last line, lead, text and form of each block."""
    inside: list[str] = []
    skipping = 0
    for token in tokens:
        if token.type == "table_close":
            skipping -= 1
        elif token.type in _VERBATIM and token.map and not skipping:
            first, last = token.map
            yield first, last, "", "".join(lines[first:last]).rstrip(), "verbatim"
        if token.type == "table_open":
            skipping += 1
        if token.nesting == 1:
            inside.append(token.type)
        elif token.nesting == -1:
            inside.pop()
        if token.type == "inline" and token.map and not skipping:
            first, last = token.map
            line = lines[first]
            start = token.content.split("\n")[0]
            lead = line[: line.find(start)] if start in line else ""
            form: Form = "heading" if "heading_open" in inside else "item" if "list_item_open" in inside else "prose"
            if lead.lstrip().startswith(">") or _has_only_pictures(token.children or []):
                form = "aside"
            yield first, last, lead, _inline(token.children or [], marks), form


def _has_only_pictures(children: "Sequence[Token]") -> bool:
    """Whether a paragraph says nothing: badges, a logo."""
    return not any(child.type in ("text", "code_inline") and child.content.strip() for child in children)


def _inline(children: "Sequence[Token]", marks: Marks) -> str:
    """The text of a block with placeholders for its marks."""
    found = ""
    waiting: list[str] = []
    for child in children:
        if child.nesting == 1:
            opening, closing = marks.pair(*_pair(child))
            found += opening
            waiting.append(closing)
        elif child.nesting == -1:
            found += waiting.pop() if waiting else ""
        elif child.type == "code_inline":
            pad = " " if "`" in (child.content[:1], child.content[-1:]) else ""
            found += marks.whole(f"{child.markup}{pad}{child.content}{pad}{child.markup}", child.content)
        elif child.type == "image":
            found += marks.whole(f"![{child.content}]({child.attrGet('src')})", child.content)
        elif child.type == "html_inline":
            found += marks.whole(child.content, "")
        elif child.type in ("softbreak", "hardbreak"):
            found += "\n"
        elif child.type == "text_special" and (child.content in _SPECIAL or not found or found.isdigit()):
            found += marks.whole(child.markup, child.content)
        else:
            found += child.content
    return found


def _pair(token: "Token") -> tuple[str, str]:
    if token.type == "link_open":
        if token.info == "auto":
            return "<", ">"
        title = f' "{token.attrGet("title")}"' if token.attrGet("title") else ""
        return "[", f"]({token.attrGet('href')}{title})"
    return token.markup, token.markup
