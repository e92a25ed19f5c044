"""Plain text cut into blocks: headings, items of lists, what is never shortened, and paragraphs of prose."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import regex

from ealm.text.word_lists import AUXILIARIES, CLOSINGS, GREETINGS, LETTER_FIELDS

Form = Literal["prose", "heading", "item", "verbatim", "aside"]
"""What a stretch of text is: prose is shortened; so is an item of a list, which stays an item; a heading, something
verbatim (code, a row of a table, an address) or an aside (the addresses, the greeting, the signature, a quotation of
an e-mail) is there as a whole or not at all."""

_BREAK = regex.compile(r"(?<![^\S\n])[^\S\n]*+\n(?:[^\S\n]*+\n)*+|(?<!\s)\s*+\z")
"""Up to the indent of the next line. White space is looked at from where it begins: there may be very much of it."""
_BULLET = regex.compile(r"(?:[-*+•‣◦▪·]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[^\S\n]+(?=\S)")
_FENCE = regex.compile(r"(?:```|~~~)")
_ROW = regex.compile(r"\|.*\||.*(?:\t.*){2,}|[-=_*+|: ]{4,}|(?:https?://|www\.)\S+")
_NUMBER = regex.compile(r"\(?\d{1,3}(?:\.\d{1,3})*[.)]?[^\S\n]+(?=\p{Lu})")
_LABEL = regex.compile(r"(\p{Lu}\p{L}*(?:[ -]\p{L}+){0,2}):[^\S\n]+(?=\S)")
_HEADING_MARK = regex.compile(r"#{1,6}[^\S\n]+(?=\S)")
_RUN_IN = regex.compile(r"(\(?\d{1,3}[.)][^\S\n]+)?(\p{Lu}\p{L}*(?:[ -]\p{L}+){0,3}\.)([^\S\n]+)(?=[\p{Lu}\"“])")
"""A heading on the line of its paragraph: "2. Accounts. The manager presented …"."""
_ENDS_A_SENTENCE = regex.compile(r"[.!?:;,…。！？][\"'”’)\]]*\z")

_QUOTED = regex.compile(r"\s*>|On\b.*\bwrote:\s*\z|-+\s?(?:Original|Forwarded)\b", regex.DOTALL)
_LONGEST_HEADING = 12
_LONGEST_TIGHT_HEADING = 9
"""Words of a heading without a blank line below it."""
_LONGEST_GREETING = 5
_LONGEST_SIGNATURE = 6
"""Lines."""
_LONGEST_NAME = 8
"""Words of a last line that is a name, perhaps with an address."""
_LONGEST_TITLE = 3
"""Lines of a title with what stands right below it."""
_LAST_BYLINE = 3
"""Lines above the one that names the author."""
_FEWEST_RUN_IN = 3
"""Paragraphs that begin with a word or two and a full stop, from which on these are headings."""
_SHORTEST_WRAPPED_LINE = 45
"""Characters: shorter lines that stand below each other are verses or rows, not one paragraph."""


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a text that is one thing."""

    lead: str
    """What stands before its words and stays: white space, a bullet, the sign of a heading."""
    text: str
    gap: str
    """White space behind it."""
    form: Form


def split_blocks(text: str) -> list[Block]:
    """Blocks in order: their leads, texts and gaps, one after the other, are the text without its outer white space."""
    joined = list(_fenced(list(_joined(list(_lines(text.strip()))))))
    if len(joined) < 2:
        return [Block("", own, gap, "verbatim" if _is_code(own) else "prose") for own, gap in joined]
    blocks = []
    signed = False
    following = [own for own, _ in joined[1:]] + [""]
    ends = [number for number, (own, _) in enumerate(joined) if _QUOTED.match(own) or own.rstrip() == "--"]
    title, head = _lines_of_title(joined), _lines_of_letterhead(joined)
    for number, (own, gap) in enumerate(joined):
        signed = signed or _is_signature(own, number, next((end for end in ends if end > number), len(joined)))
        if signed or _QUOTED.match(own) or _is_greeting(own) or number < head or _is_byline(own, number):
            blocks.append(Block("", own, gap, "aside"))
        elif number < title:  # what stands below it names a place, a date or an author
            blocks.append(Block("", own, gap, "aside" if number else "heading"))
        elif _FENCE.match(own.lstrip()):
            blocks.append(Block("", own, gap, "verbatim"))
        else:
            before = joined[number - 1] if number else ("", "\n\n")
            blocks.append(_block(own, gap, before, following[number]))
    return list(_with_indents_in_gaps(list(_with_run_in_headings(blocks))))


def _lines_of_title(lines: Sequence[tuple[str, str]]) -> int:
    """How many lines are a title with its subtitles: two or three short ones above a blank line, and no verse."""
    count = next(number for number, (_, gap) in enumerate(lines, start=1) if gap.count("\n") != 1)
    above = all(_is_plain(line) for line, _ in lines[:count])
    prose = any(len(line) > _SHORTEST_WRAPPED_LINE and _ENDS_A_SENTENCE.search(line) for line, _ in lines[count:])
    return count if 1 < count <= _LONGEST_TITLE and above and prose else 0


def _lines_of_letterhead(lines: Sequence[tuple[str, str]]) -> int:
    """How many lines say who writes, and when, before "Dear Ms Dawson"."""
    count = next((number for number, (line, _) in enumerate(lines) if line.lower().startswith("dear ")), 0)
    return count if _is_greeting(lines[count][0]) and all(_is_plain(line) for line, _ in lines[:count]) else 0


def _is_plain(line: str) -> bool:
    """Whether a line is short, has no end and no mark of a list, a table, code or a form."""
    label = _LABEL.match(line)
    known = label is not None and label[1].lower() in (*LETTER_FIELDS, "subject")
    marked = any(sign.match(line.lstrip()) for sign in (_BULLET, _FENCE, _HEADING_MARK)) or _ROW.fullmatch(line)
    return not (marked or known or _ENDS_A_SENTENCE.search(line)) and len(line.split()) <= _LONGEST_HEADING


def _is_byline(line: str, number: int) -> bool:
    """Whether a line below the title names the author."""
    names = line.split()[1:]
    return 0 < number <= _LAST_BYLINE and line.startswith("By ") and len(names) > 1 and _is_name(line)


def _with_run_in_headings(blocks: Sequence[Block]) -> Iterator[Block]:
    """Headings on the lines of their paragraphs are blocks of their own, where several paragraphs have one."""
    found = [None] * len(blocks[:1]) + [
        None  # "Twice." answers a question
        if block.form not in ("prose", "item") or before.text.rstrip().endswith("?")
        else _run_in_heading(block.lead.lstrip() + block.text)
        for before, block in pairwise(blocks)
    ]
    several = sum(match is not None for match in found) >= _FEWEST_RUN_IN
    for block, match in zip(blocks, found, strict=True):
        if match is None or not several:
            yield block
        else:
            number, heading, space = match.groups()
            indent = block.lead[: len(block.lead) - len(block.lead.lstrip())]
            yield Block(indent + (number or ""), heading, space, "heading")
            yield Block("", (block.lead.lstrip() + block.text)[match.end() :], block.gap, "prose")


def _run_in_heading(text: str) -> regex.Match[str] | None:
    """The heading that a paragraph begins with; "The floor is thin." is none."""
    match = _RUN_IN.match(text)
    return None if match is None or not AUXILIARIES.isdisjoint(match[2].lower().rstrip(".").split()) else match


def _is_code(text: str) -> bool:
    return _FENCE.match(text) is not None and "\n" in text


def _with_indents_in_gaps(blocks: Sequence[Block]) -> Iterator[Block]:
    """An indent means something before an item or code; before prose it is white space like any other."""
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        own = replace(block, lead="") if block.form == "prose" else block
        yield replace(own, gap=own.gap + following.lead) if following and following.form == "prose" else own


def _is_greeting(line: str) -> bool:
    words = regex.findall(r"\p{L}+", line)
    return (
        len(words) <= _LONGEST_GREETING
        and line.rstrip()[-1:] in (",", "!", ":")
        and words[:1] != []
        and (words[0].lower() in GREETINGS)
    )


def _is_signature(line: str, number: int, end: int) -> bool:
    """Whether the end of a letter begins: "-- ", or "Best regards," near the end, or before what it quotes."""
    if line.rstrip() == "--":
        return True
    if number > 1 and number == end - 1 and _is_name(line):
        return True
    words = " ".join(regex.findall(r"\p{L}+", line.lower()))
    return number >= max(1, end - _LONGEST_SIGNATURE) and line.rstrip()[-1:] != "." and words in CLOSINGS


def _is_name(line: str) -> bool:
    """Whether each of its few words is a name or a number: "Margit Lang, Mill Lane 8"."""
    words = [] if _ENDS_A_SENTENCE.search(line) else line.split()
    return 1 < len(words) <= _LONGEST_NAME and all(word[0].isupper() or word[0].isdigit() for word in words)


def _block(text: str, gap: str, before: tuple[str, str], behind: str) -> Block:
    """What a line is, by itself and by its neighbours: `before` has the line break behind it too."""
    inner = text.lstrip()
    indent = text[: len(text) - len(inner)]
    if _ROW.fullmatch(inner):
        return Block(indent, inner, gap, "verbatim")
    if mark := _HEADING_MARK.match(inner):
        return Block(indent + mark[0], inner[mark.end() :], gap, "heading")
    if (label := _LABEL.match(inner)) and _is_field(before, gap, behind):
        return _field(inner, label, gap)
    if _is_heading(inner, gap, before, behind):
        mark = _NUMBER.match(inner)
        return Block(indent + (mark[0] if mark else ""), inner[mark.end() if mark else 0 :], gap, "heading")
    if bullet := _BULLET.match(inner):
        return Block(indent + bullet[0], inner[bullet.end() :], gap, "item")
    return Block(indent, inner, gap, "prose")


def _is_field(before: tuple[str, str], gap: str, behind: str) -> bool:
    """Whether "Date: 14 October" has another such line beside it: then it is an entry of a form, and no sentence."""
    above = before[1].count("\n") == 1 and _LABEL.match(before[0])
    below = gap.count("\n") == 1 and _LABEL.match(behind)
    return bool(above or below)


def _field(text: str, label: regex.Match[str], gap: str) -> Block:
    name = label[1].lower()
    if name == "subject":
        return Block(label[0], text[label.end() :], gap, "heading")
    return Block("", text, gap, "aside" if name in LETTER_FIELDS else "verbatim")


def _is_heading(line: str, gap: str, before: tuple[str, str], behind: str) -> bool:
    """A short line without an end: between blank lines, or below one and above a long line of prose."""
    words = len(line.split())
    if words > _LONGEST_HEADING or before[1].count("\n") < 2 or _ENDS_A_SENTENCE.search(line) or not behind:
        return False
    if _BULLET.match(line) and (
        not _NUMBER.match(line) or any(_NUMBER.match(other.lstrip()) for other in (before[0], behind))
    ):
        return False  # an item of a list, whose items have blank lines between them
    tight = words <= _LONGEST_TIGHT_HEADING and len(behind) > _SHORTEST_WRAPPED_LINE and _ENDS_A_SENTENCE.search(behind)
    tight = tight and len(line) < _SHORTEST_WRAPPED_LINE and not _LABEL.match(line)
    return gap.count("\n") > 1 or bool(tight or _LABEL.match(behind))


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Lines with their indents, and the line breaks behind each."""
    start = 0
    while start < len(text):
        found = _BREAK.search(text, start)
        assert found is not None  # the end of the text matches
        yield text[start : found.start()], found[0]
        start = max(found.end(), found.start() + 1)


def _fenced(lines: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Lines of code between two fences are one; so is everything behind a fence that is never closed."""
    inside = ""
    for number, (line, gap) in enumerate(lines, start=1):
        fence = _FENCE.match(line.lstrip()) is not None
        if fence != bool(inside) and number < len(lines):  # it opens, or goes on
            inside += line + gap
        else:
            yield inside + line, gap
            inside = ""


def _joined(lines: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Lines of a paragraph that was wrapped at a fixed width are one."""
    paragraph: list[tuple[str, str]] = []
    for line, gap in lines:
        paragraph.append((line, gap))
        if gap.count("\n") != 1:
            yield from _unwrapped(paragraph)
            paragraph = []
    if paragraph:
        yield from _unwrapped(paragraph)


def _unwrapped(lines: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """One paragraph between blank lines: if it is wrapped, lines that go on with the one before are joined to it."""
    joins = [_may_go_on(line, following) for (line, _), (following, _) in pairwise(lines)]
    wrapped = any(
        join and not _ENDS_A_SENTENCE.search(line) and (regex.match(r"\s*\p{Lu}", following) is None or len(line) > 60)
        for join, ((line, _), (following, _)) in zip(joins, pairwise(lines), strict=True)
    )
    waiting = ""
    for (line, gap), join in zip(lines, [*joins, False], strict=True):
        if join and wrapped:
            waiting += line + gap
        else:
            yield waiting + line, gap
            waiting = ""


def _may_go_on(line: str, following: str) -> bool:
    """Whether a line break may lie inside a paragraph: the line is long, and the next is no new thing."""
    own, new = line.strip(), following.lstrip()
    if len(line) < _SHORTEST_WRAPPED_LINE or _ROW.fullmatch(own) or _ROW.fullmatch(new):
        return False
    if _QUOTED.match(own) or _QUOTED.match(new) or _LABEL.match(new):
        return False
    return not (_FENCE.match(own) or _FENCE.match(new) or _BULLET.match(new) or _HEADING_MARK.match(new))
