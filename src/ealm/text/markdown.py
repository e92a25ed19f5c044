"""Markdown as blocks: headings, items, paragraphs; links and emphasis inside of them keep their marks."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import regex

from ealm.common.errors import SettingsError
from ealm.text.blocks import Block, Form
from ealm.text.html_blocks import WHOLE_INLINE
from ealm.text.marks import Marks, without_placeholders

if TYPE_CHECKING:
    from markdown_it.token import Token

_DEFINITION = regex.compile(r" {0,3}\[[^\]]+\]:")
_SPECIAL = tuple("*`[]<>\\")
"""What is a mark wherever it stands, unless it is escaped; at the start of a block, everything may be one."""
_VERBATIM = ("fence", "code_block", "html_block", "table_open", "hr")
_FRONT_MATTER = regex.compile(r"---[^\S\n]*+\n(?:[\w-]+:.*+\n|[^\S\n]++\S.*+\n|-(?!--).*+\n)++---[^\S\n]*+(?:\n|\z)")
"""Settings of a page above its text; a reader of Markdown would take them for a heading."""
_FOOTNOTE = regex.compile(r"\[\^[^\]\s]++\]:")
_TASK = regex.compile(r"\[[ xX]\][^\S\n]+")
_TAG_NAME = regex.compile(r"</?([a-zA-Z][\w-]*+)")


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
    # Without joining, what is escaped stays told from the rest.
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("text_join")
    front = _FRONT_MATTER.match(text)
    body = "\n" * front[0].count("\n") + text[front.end() :] if front else text
    found = list(_stretches(reader.parse(body), lines, marks))
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
    inside: list[Token] = []
    skipping = 0
    for token in tokens:
        if token.type == "table_close":
            skipping -= 1
        elif token.type in _VERBATIM and token.map and not skipping:
            first, last = token.map
            own = "".join(lines[first:last]).rstrip()
            indent = own[: len(own) - len(own.lstrip())]
            yield first, last, indent, own.lstrip(), "verbatim"
        if token.type == "table_open":
            skipping += 1
        if token.nesting == 1:
            inside.append(token)
        elif token.nesting == -1:
            inside.pop()
        if token.type == "inline" and token.map and not skipping:
            yield _stretch(token, inside, lines, marks)


def _stretch(
    token: "Token", inside: "Sequence[Token]", lines: Sequence[str], marks: Marks
) -> tuple[int, int, str, str, Form]:
    """The block of one inline token, by what it stands in."""
    assert token.map is not None  # the caller has looked
    first, last = token.map
    if _FOOTNOTE.match(token.content):
        return first, last, "", "".join(lines[first:last]).rstrip(), "aside"
    line, start = lines[first], token.content.split("\n")[0]
    lead = line[: line.find(start)] if start in line else ""
    children = token.children or []
    types = {above.type for above in inside}
    form: Form = "heading" if "heading_open" in types else "item" if "list_item_open" in types else "prose"
    if form == "heading" and inside[-1].map and inside[-1].map[1] > last:  # underlined: its marks move before it
        lead, last = lead + {"=": "# ", "-": "## "}[inside[-1].markup], inside[-1].map[1]
    if form == "item" and children and (task := _TASK.match(children[0].content)):
        lead += task[0]
        children[0].content = children[0].content[task.end() :]
    if lead.lstrip().startswith(">") or _has_only_pictures(children):
        form = "aside"
    return first, last, lead, _inline(children, marks), form


def _has_only_pictures(children: "Sequence[Token]") -> bool:
    """Whether a paragraph says nothing: badges, a logo."""
    return not any(child.type in ("text", "code_inline") and child.content.strip() for child in children)


def _inline(children: "Sequence[Token]", marks: Marks) -> str:
    """The text of a block with placeholders for its marks."""
    found = ""
    waiting: list[str] = []
    partners = _partners(children)
    end = -1
    for number, child in enumerate(children):
        if number <= end:
            continue
        if child.nesting == 1 or partners.get(number, -1) > number:
            end = _end_of_code(children, number, partners)
            if end > number:
                content = "".join(own.content for own in children[number + 1 : end])
                written = child.content + "".join(_as_written(own) for own in children[number + 1 : end + 1])
                found += marks.whole(written, content)
                continue
            opening, closing = marks.pair(*_pair(child, children[partners[number]] if number in partners else None))
            found += opening
            waiting.append(closing)
        elif child.nesting == -1 or number in partners:
            found += waiting.pop() if waiting else ""
        elif child.type in ("code_inline", "image", "html_inline"):
            found += marks.whole(_as_written(child), "" if child.type == "html_inline" else child.content)
        elif child.type in ("softbreak", "hardbreak"):
            found += "\n"
        elif child.type == "text_special" and _is_special(children, number, found):
            found += marks.whole(child.markup, child.content)
        else:
            found += child.content
    return marks.joined(found)


def _partners(children: "Sequence[Token]") -> dict[int, int]:
    """Which HTML tag, or escaped star, is the other half of which, where no other mark lies across them."""
    found: dict[int, int] = {}
    above: list[tuple[int, str]] = []
    for number, child in enumerate(children):
        own = _half(children, number)
        if own is None:
            continue
        known = any(other == own for _, other in above)
        if child.nesting == 1 or (own and not child.content.startswith("</") and not (known and own in "*_")):
            above.append((number, own))
            continue
        while above and above[-1][1] not in ("", own) and (known or not own):
            above.pop()  # without a partner, such as <br>
        if above and above[-1][1] == own:
            first, _ = above.pop()
            found |= {first: number, number: first} if own else {}
    return found


def _half(children: "Sequence[Token]", number: int) -> str | None:
    """What has a partner: the name of a tag, an escaped star beside a word; nothing for marks, which know theirs."""
    token = children[number]
    if token.type == "text_special" and token.content in "*_":
        return None if _is_inside_word(children, number) else token.content
    name = _TAG_NAME.match(token.content) if token.type == "html_inline" else None
    return name[1].lower() if name else "" if token.nesting else None


def _is_inside_word(children: "Sequence[Token]", number: int) -> bool:
    before = children[number - 1].content if number else ""
    behind = children[number + 1].content if number + 1 < len(children) else ""
    return before[-1:].isalnum() and behind[:1].isalnum()


def _end_of_code(children: "Sequence[Token]", number: int, partners: dict[int, int]) -> int:
    """Where code ends that is written with tags and has no marks of its own; -1 for anything else."""
    name = _TAG_NAME.match(children[number].content)
    end = partners.get(number, -1)
    if end < 0 or name is None or name[1].lower() not in WHOLE_INLINE:
        return -1
    return end if all(own.type in ("text", "text_special") for own in children[number + 1 : end]) else -1


def _is_special(children: "Sequence[Token]", number: int, found: str) -> bool:
    """Whether an escaped character would be a mark without its escape."""
    own = children[number].content
    if own == "_":
        return not _is_inside_word(children, number)
    return own in _SPECIAL or not found or found.isdigit()


def _as_written(token: "Token") -> str:
    if token.type == "code_inline":
        pad = " " if "`" in (token.content[:1], token.content[-1:]) else ""
        return f"{token.markup}{pad}{token.content}{pad}{token.markup}"
    if token.type == "image":
        return f"![{token.content}]({_target(token, 'src')})"
    return token.markup if token.type == "text_special" else token.content


def _pair(token: "Token", partner: "Token | None") -> tuple[str, str]:
    if partner is not None:
        return _as_written(token), _as_written(partner)
    if token.type == "link_open":
        return ("<", ">") if token.info == "auto" else ("[", f"]({_target(token, 'href')})")
    return token.markup, token.markup


def _target(token: "Token", name: str) -> str:
    """The address of a link or picture and its title, with all that would end them too early escaped."""
    address = str(token.attrGet(name))
    if address.count("(") != address.count(")"):
        address = address.replace("(", "%28").replace(")", "%29")
    title = str(token.attrGet("title") or "").replace("\\", "\\\\").replace('"', '\\"')
    return f'{address} "{title}"' if title else address
