"""Placeholders for markup inside of sentences: one character each, so that no markup is ever torn.

Characters of Unicode's private use area stand for a mark that opens, the one that closes it, and for what is never
shortened, such as code. Words, sentences and plans see these; what is written has the marks again.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import regex

FIRST_PAIR, FIRST_WHOLE, LAST = 0xE000, 0xF000, 0xF8FF
"""Pairs have the range up to the wholes: an opening mark is even, and its partner is the next one."""


def closing_mark(character: str) -> str | None:
    """The partner of an opening mark."""
    code = ord(character) if len(character) == 1 else 0
    return chr(code + 1) if FIRST_PAIR <= code < FIRST_WHOLE and code % 2 == 0 else None


def is_mark(character: str) -> bool:
    """Whether a character stands for a mark that opens or closes."""
    return len(character) == 1 and FIRST_PAIR <= ord(character) < FIRST_WHOLE


def is_whole(character: str) -> bool:
    """Whether a character stands for something that is never shortened."""
    return len(character) == 1 and FIRST_WHOLE <= ord(character) <= LAST


def paired_marks(text: str) -> frozenset[str]:
    """Opening marks whose partner stands in the text too: a lone character of this kind is the writer's own."""
    return frozenset(character for character in set(text) if (closing_mark(character) or "\0") in text)


def with_own_marks(sentence: str, still_open: str, paired: Collection[str]) -> tuple[str, str]:
    """A sentence in which every mark has its partner, and the marks that are open behind it.

    `still_open` are those that were open before it: a bold paragraph is made of bold sentences. `paired` are the
    opening marks of the whole text that have a partner there.
    """
    waiting = list(still_open)
    for character in _MARK.findall(sentence):
        if closing_mark(character):
            waiting += [character] if character in paired else []
        elif chr(ord(character) - 1) in waiting:
            waiting.remove(chr(ord(character) - 1))
    closing = "".join(chr(ord(character) + 1) for character in reversed(waiting))
    return still_open + sentence + closing, "".join(waiting)


def without_seams(text: str) -> str:
    """A text in which a mark that is closed and opened again at once stays open."""
    joined: str = _SEAM.sub(lambda found: found[2] if ord(found[1]) == ord(found[3]) + 1 else found[0], text)
    return joined


_MARK = regex.compile(rf"[{chr(FIRST_PAIR)}-{chr(FIRST_WHOLE - 1)}]")

_SEAM = regex.compile(rf"([{chr(FIRST_PAIR)}-{chr(FIRST_WHOLE - 1)}])(\s*)([{chr(FIRST_PAIR)}-{chr(FIRST_WHOLE - 1)}])")

_JOINED = regex.compile(rf"[{chr(FIRST_WHOLE)}-{chr(LAST)}](?:[-+/=.:][{chr(FIRST_WHOLE)}-{chr(LAST)}])+")


@dataclass
class Marks:
    """The placeholders of one text."""

    written: dict[int, str] = field(default_factory=dict)
    """What is written for each, as `str.translate` wants it."""
    seen: dict[int, str] = field(default_factory=dict)
    """What readers see of it: nothing of a mark, the code of a code span."""

    def pair(self, opening: str, closing: str) -> tuple[str, str]:
        """Placeholders for two marks."""
        first = FIRST_PAIR + sum(code < FIRST_WHOLE for code in self.written)
        if first + 1 >= FIRST_WHOLE:  # thousands of marks: the rest is plain text
            return "", ""
        self.written |= {first: opening, first + 1: closing}
        self.seen |= {first: "", first + 1: ""}
        return chr(first), chr(first + 1)

    def whole(self, written: str, seen: str) -> str:
        """A placeholder for something that is never shortened."""
        code = FIRST_WHOLE + sum(known >= FIRST_WHOLE for known in self.written)
        if code > LAST:
            return seen
        self.written[code], self.seen[code] = written, seen
        return chr(code)

    def joined(self, text: str) -> str:
        """A text in which wholes that signs join, such as two keys with a plus, are one."""
        found: str = _JOINED.sub(
            lambda run: self.whole(run[0].translate(self.written), run[0].translate(self.seen)), text
        )
        return found


def without_placeholders(text: str) -> str:
    """A text in which no character of its own can be taken for a placeholder."""
    if text.isascii():
        return text
    return text.translate(_NONE_OF_THEM)


_NONE_OF_THEM: Mapping[int, None] = dict.fromkeys(range(FIRST_PAIR, LAST + 1))
