"""What is left of a raw sentence, written so that it reads naturally.

Kept words stand exactly as in the source. Only what removals leave dangling is tidied away (a bracket without its
partner, a comma before the full stop, a dollar sign without its amount), spaces close up, and the first letter is a
capital if the source's was.
"""

from collections.abc import Collection, Mapping, Sequence

import regex

from ealm.sentences import Sentence
from ealm.text import join_words
from ealm.tokens import Token

_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", "‘": "’", "«": "»", "``": "''", "-lrb-": "-rrb-", "<": ">"}
_STRAIGHT_QUOTES = ('"', "'")
_SEPARATORS = frozenset(", ; : / – — - -- | & * ·".split())
_TERMINALS = frozenset(". ! ? … ...".split())
_ENDINGS = frozenset(["'s", "’s", "'", "’"])
_HAS_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}\p{M}\p{S}#_]")
_IDEOGRAPH = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


def is_mark(word: str) -> bool:
    """Whether a word is nothing but punctuation or invisible characters."""
    return not _HAS_WORD_CHARACTER.search(word) or word in _SEPARATORS


def final_marks(tokens: Sequence[Token]) -> list[int]:
    """Places of the full stop, question mark or quotation mark with which a sentence ends."""
    places = []
    for place in range(len(tokens) - 1, 0, -1):
        word = tokens[place].text
        if word not in _TERMINALS and word not in _PAIRS.values() and word not in _STRAIGHT_QUOTES:
            break
        places.append(place)
    return places if any(tokens[place].text in _TERMINALS for place in places) else []


def tidied(tokens: Sequence[Token], kept: Collection[int], *, locked: Collection[int] = ()) -> list[int]:
    """The kept places without the marks that removals have left dangling; locked ones stay."""
    left = set(kept)
    partners = _partners(tokens)
    while dangling := {
        place
        for place in _dangling(tokens, sorted(left), partners)
        if place not in locked  # whoever asked for a mark gets it
    }:
        left -= dangling
    return sorted(left)


def _dangling(tokens: Sequence[Token], left: Sequence[int], partners: Mapping[int, int]) -> list[int]:
    present = set(left)
    return [
        place
        for place, before, after in zip(left, [None, *left][:-1], [*left, None][1:], strict=True)
        if _lost_its_partner(place, before, after, partners, present)
        or _lost_its_host(tokens, place, present)
        or _separates_nothing(tokens, place, before, after, partners)
    ]


def _lost_its_partner(
    place: int, before: int | None, after: int | None, partners: Mapping[int, int], present: Collection[int]
) -> bool:
    """Whether a bracket or quotation mark stands without its other half, or with nothing in between."""
    if place not in partners:
        return False
    partner = partners[place]
    emptied = partner in (before, after) and abs(partner - place) > 1  # not if there was never anything inside
    return partner not in present or emptied


def _separates_nothing(
    tokens: Sequence[Token], place: int, before: int | None, after: int | None, partners: Mapping[int, int]
) -> bool:
    """Whether a comma or dash has nothing on one side; it may, where the source had nothing there either."""
    if tokens[place].text not in _SEPARATORS:
        return False
    opening = before is None or tokens[before].text in _SEPARATORS or partners.get(before, -1) > before
    closing = after is None or tokens[after].text in _TERMINALS or partners.get(after, len(tokens)) < after
    was_first, was_last = place == 0, place + 1 == len(tokens)
    return (opening and not was_first and before != place - 1) or (closing and not was_last and after != place + 1)


def _lost_its_host(tokens: Sequence[Token], place: int, present: Collection[int]) -> bool:
    """Whether a sign that belongs to one neighbour ("'s", "$", "%", the slash of "and/or") has lost it."""
    token = tokens[place]
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    glued_before = before is not None and before.end == token.start
    glued_after = after is not None and after.start == token.end
    if glued_before and (token.text in _ENDINGS or token.text == "%"):
        return place - 1 not in present
    if regex.fullmatch(r"[\p{Sc}#]", token.text) and glued_after:
        return place + 1 not in present
    if glued_before and glued_after and is_mark(token.text):
        return place - 1 not in present or place + 1 not in present
    return False


def _partners(tokens: Sequence[Token]) -> dict[int, int]:
    """Brackets and quotation marks that belong together, each to its partner."""
    partners: dict[int, int] = {}
    waiting: list[int] = []
    for place, token in enumerate(tokens):
        straight = token.text in _STRAIGHT_QUOTES
        opener = next(
            (
                at
                for at in reversed(waiting)
                if _PAIRS.get(tokens[at].text) == token.text or (straight and tokens[at].text == token.text)
            ),
            None,
        )
        if opener is not None:
            partners[opener], partners[place] = place, opener
            del waiting[waiting.index(opener) :]
        elif token.text in _PAIRS or (straight and not _glued_to_word_before(tokens, place)):
            waiting.append(place)
    return partners


def _glued_to_word_before(tokens: Sequence[Token], place: int) -> bool:
    return place > 0 and tokens[place - 1].end == tokens[place].start and not is_mark(tokens[place - 1].text)


def written(sentence: Sentence, kept: Sequence[int], replacements: Mapping[int, str] | None = None) -> str:
    """The kept words as text; a replaced word is written in its new form."""
    new = replacements or {}
    if sentence.pretokenized:
        return join_words(new.get(place, sentence.tokens[place].text) for place in kept)
    parts: list[str] = []
    for number, place in enumerate(kept):
        if number:
            parts.append(_gap(sentence, kept[number - 1], place))
        parts.append(new.get(place, sentence.tokens[place].text))
    return _with_capital("".join(parts)) if kept and _starts_with_capital(sentence.text) else "".join(parts)


def _gap(sentence: Sentence, left: int, right: int) -> str:
    """White space between two words that now stand side by side."""
    tokens = sentence.tokens
    if right == left + 1:
        return sentence.text[tokens[left].end : tokens[right].start]
    glued_left = tokens[right - 1].end == tokens[right].start
    glued_right = tokens[left].end == tokens[left + 1].start
    if glued_left and (is_mark(tokens[right].text) or tokens[right].text in _ENDINGS):
        return ""
    if glued_right and (is_mark(tokens[left].text) or regex.fullmatch(r"\p{Sc}", tokens[left].text)):
        return ""
    if glued_left and _IDEOGRAPH.match(tokens[right].text) and _IDEOGRAPH.match(tokens[left].text):
        return ""
    return " "


def _starts_with_capital(text: str) -> bool:
    first = next((character for character in text if character.isalpha()), "")
    return first.isupper()


def _with_capital(text: str) -> str:
    """The first word with a capital, unless it has capitals of its own (eBay) or is an address."""
    match = regex.match(r"[^\s\p{L}\p{N}]*\K\p{L}\S*", text)
    if match is None or any(character.isupper() for character in match.group()) or "://" in match.group():
        return text
    return text[: match.start()] + text[match.start()].upper() + text[match.start() + 1 :]
