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

_PAIRS = {
    "(": ")",
    "[": "]",
    "{": "}",
    "“": "”",
    "„": "“",
    "‘": "’",
    "«": "»",
    "‹": "›",
    "「": "」",
    "『": "』",
    "（": "）",
    "``": "''",
    "-lrb-": "-rrb-",
    "<": ">",
    "¡": "!",
    "¿": "?",
}
_STRAIGHT_QUOTES = ('"', "'")
_STRENGTH = {
    mark: strength
    for strength, marks in enumerate((", ، 、 ，", "- / | & * ·", "– — --", ": ; ؛ ；"))
    for mark in marks.split()
}
"""Marks that separate, by how strong a break they make."""
_SEPARATORS = _STRENGTH.keys()
_JOINERS = frozenset("& /".split())
_TERMINALS = frozenset(". ! ? … ... 。 ！ ？ ؟ ۔ ।".split())
_ENDINGS = frozenset(["'s", "’s", "'", "’"])
_SYMBOLIC_MARKS = frozenset(["``", "`", "<", ">", "-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"])
_HAS_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}\p{M}\p{S}#_]")
_SIGN = regex.compile(r"[\p{Sc}%‰#@+−-]|\.")
_IDEOGRAPH = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


def is_mark(word: str) -> bool:
    """Whether a word is nothing but punctuation or invisible characters."""
    return word in _SYMBOLIC_MARKS or word in _SEPARATORS or not _HAS_WORD_CHARACTER.search(word)


def says_nothing_alone(word: str) -> bool:
    """Whether a word is a mark, or a sign or ending that only means something beside another word."""
    return is_mark(word) or word in _ENDINGS or _SIGN.fullmatch(word) is not None


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
        or _lost_its_host(tokens, place, present, partners)
        or _separates_nothing(tokens, place, before, after, partners)
        or _ends_nothing(tokens, place, before, partners)
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
    strength = _STRENGTH.get(tokens[place].text)
    if strength is None:
        return False
    if before != place - 1 and place > 0:  # something went away before it
        opening = before is None or partners.get(before, -1) > before
        weaker = before is not None and _STRENGTH.get(tokens[before].text, -1) >= strength
        if opening or weaker:
            return True
    if after != place + 1 and place + 1 < len(tokens):  # something went away behind it
        closing = after is None or tokens[after].text in _TERMINALS or partners.get(after, len(tokens)) < after
        weaker = after is not None and _STRENGTH.get(tokens[after].text, -1) > strength
        return closing or weaker
    return False


def _ends_nothing(tokens: Sequence[Token], place: int, before: int | None, partners: Mapping[int, int]) -> bool:
    """Whether a full stop follows nothing, or the end of a quotation that has its own."""
    if tokens[place].text not in _TERMINALS or place in partners or place == 0 or before == place - 1:
        return False
    if before is None:
        return True
    quoted_end = partners.get(before, len(tokens)) < before
    return quoted_end and tokens[before - 1].text in _TERMINALS


def _lost_its_host(tokens: Sequence[Token], place: int, present: Collection[int], partners: Mapping[int, int]) -> bool:
    """Whether a sign that belongs to one neighbour ("'s", "$", "%", the slash of "and/or") has lost it."""
    if place in partners:
        return False
    token = tokens[place]
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    glued_before = before is not None and before.end == token.start and not is_mark(before.text)
    glued_after = after is not None and after.start == token.end and not is_mark(after.text)
    if token.text in _JOINERS or (glued_before and glued_after and is_mark(token.text)):
        return (before is not None and place - 1 not in present) or (after is not None and place + 1 not in present)
    if (glued_before and token.text in _ENDINGS) or token.text in ("%", "‰"):
        return before is not None and place - 1 not in present
    if _SIGN.fullmatch(token.text) or (token.text in _ENDINGS and not glued_before):
        if glued_after:
            return place + 1 not in present
        return glued_before and token.text != "." and not is_mark(token.text) and place - 1 not in present
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
            parts.append(_gap(sentence, kept[number - 1], place, new))
        parts.append(new.get(place, sentence.tokens[place].text))
    text = "".join(parts)
    return _with_capital(text) if _starts_with_capital(sentence.text) else text


def _gap(sentence: Sentence, left: int, right: int, new: Mapping[int, str]) -> str:
    """White space between two words that now stand side by side."""
    tokens = sentence.tokens
    was_mark = [place for place in (left, right) if place in new and is_mark(tokens[place].text)]
    if was_mark:  # a word that has come in the place of a mark needs room
        return " "
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
    match = regex.match(r"(?:[-*•–—]\s+)?[^\s\p{L}\p{N}@]*\K\p{L}\S*", text)
    if match is None or any(character.isupper() for character in match.group()) or _ADDRESS.search(match.group()):
        return text
    return text[: match.start()] + text[match.start()].upper() + text[match.start() + 1 :]


_ADDRESS = regex.compile(r"://|@|^www\.|\w\.\w{2,}")
