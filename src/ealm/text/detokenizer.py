"""Detokenizer: the kept words of a raw sentence as text that reads naturally.

Kept words stand exactly as in the source. Only what removals leave dangling is tidied away (a bracket without its
partner, a comma before the full stop, a dollar sign without its amount), spaces close up, and the first letter is a
capital if the source's was.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import regex

from ealm.common.caching import remember_short
from ealm.text.marks import closing_mark, is_mark
from ealm.text.sentences import Sentence
from ealm.text.tokenizer import TAG, Token
from ealm.text.words import join_words

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
ENDINGS = frozenset(["'s", "’s", "'", "’"])
_SYMBOLIC_MARKS = frozenset(["``", "`", "<", ">", "-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"])
_HAS_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}\p{M}\p{S}#_\uF000-\uF8FF]")
_SIGN = regex.compile(r"[\p{Sc}%‰#@+−-]|\.")
_CURRENCY = regex.compile(r"\p{Sc}")
_IDEOGRAPH = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


@remember_short(10_000)  # asked several times of each word, and most words of a text are frequent ones
def is_punctuation(word: str) -> bool:
    """Whether a word is nothing but punctuation or invisible characters, or an HTML tag."""
    if word in _SYMBOLIC_MARKS or word in _SEPARATORS or not _HAS_WORD_CHARACTER.search(word):
        return True
    return TAG.fullmatch(word) is not None


def cannot_stand_alone(word: str) -> bool:
    """Whether a word is punctuation, or a sign or ending that means something beside another word only."""
    return is_punctuation(word) or word in ENDINGS or _SIGN.fullmatch(word) is not None


def final_punctuation(tokens: Sequence[Token]) -> list[int]:
    """Indices of the full stop, question mark or quotation mark with which a sentence ends."""
    indices = []
    for index in range(len(tokens) - 1, 0, -1):
        word = tokens[index].text
        closes = word in _PAIRS.values() or word in _STRAIGHT_QUOTES or (word[:2] == "</" and is_punctuation(word))
        if word not in _TERMINALS and not closes:
            break
        indices.append(index)
    return indices if any(tokens[index].text in _TERMINALS for index in indices) else []


class Layout:
    """Spacing and punctuation of a sentence: analysed once, used for any selection of its words."""

    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence
        self._words = words = sentence.words
        self._spaces = ["", *(sentence.text[a.end : b.start] for a, b in pairwise(sentence.tokens))][: len(words)]
        """White space before each word."""
        self._glued = [index > 0 and not space for index, space in enumerate(self._spaces)]
        """Whether no space lies between a word and the one before it."""
        self._is_punctuation = [is_punctuation(word) for word in words]
        self._marks = [(at, words.index(end)) for at, word in enumerate(words) if (end := closing_mark(word)) in words]
        """Marks of markup, each with its partner."""
        self._partners = self._pairs() | dict(self._marks) | {end: start for start, end in self._marks}
        self._strength = {index: _STRENGTH[word] for index, word in enumerate(words) if word in _STRENGTH}
        self._terminals = {index for index, word in enumerate(words) if word in _TERMINALS}
        self._hosts = {index: hosts for index in range(len(words)) if (hosts := self._hosts_of(index))}
        self._fragile = {*self._partners, *self._strength, *self._terminals, *self._hosts}
        """Indices of words that may be left dangling."""
        self.starts_word = [
            not mark and not (glued and (word in ENDINGS or word == "%" or _CURRENCY.fullmatch(before) is not None))
            for word, glued, mark, before in zip(words, self._glued, self._is_punctuation, ["", *words], strict=False)
        ]
        """Whether a word is one of its own in the text: endings and signs are written together with another."""
        self._capital = not sentence.continued and _starts_with_capital(sentence.text)
        glued_behind = [*self._glued[1:], False]
        self._closes_up_before = [
            glued and (mark or word in ENDINGS) and closing_mark(word) is None
            for word, glued, mark in zip(words, self._glued, self._is_punctuation, strict=True)
        ]
        before_mark = [*self._is_punctuation[1:], False]  # the comma of `so," he said`: a word behind it has a space
        self._closes_up_behind = [
            glued
            and ((mark and not (ends and word in _SEPARATORS)) or _CURRENCY.fullmatch(word) is not None)
            and not (is_mark(word) and closing_mark(word) is None)
            for word, glued, mark, ends in zip(words, glued_behind, self._is_punctuation, before_mark, strict=True)
        ]

    def _pairs(self) -> dict[int, int]:
        """Brackets, quotation marks and HTML tags that belong together, each to its partner."""
        words = self._words
        partners: dict[int, int] = {}
        waiting: list[int] = []
        for index, word in enumerate(words):
            if is_mark(word):  # a bracket may be open inside of bold words and close behind them
                continue
            straight = word in _STRAIGHT_QUOTES
            opener = next(
                (
                    at
                    for at in reversed(waiting)
                    if _closing(words[at]) == word.lower() or (straight and words[at] == word)
                ),
                None,
            )
            if opener is not None:
                partners[opener], partners[index] = index, opener
                del waiting[waiting.index(opener) :]
            elif _closing(word) or (straight and not self._glued_to_word(index, index - 1)):
                waiting.append(index)
        return partners

    def _glued_to_word(self, index: int, neighbour: int) -> bool:
        """Whether no space lies between two words, and the second is no punctuation."""
        within = 0 <= neighbour < len(self._words)
        return within and self._glued[max(index, neighbour)] and not self._is_punctuation[neighbour]

    def _hosts_of(self, index: int) -> tuple[int, ...]:
        """Neighbours without which a sign means nothing ("'s", "$", "%", the dash of "left—quickly")."""
        word, mark = self._words[index], self._is_punctuation[index]
        if index in self._partners or word in _JOINERS:
            return ()
        before, behind = self._glued_to_word(index, index - 1), self._glued_to_word(index, index + 1)
        if before and behind and mark:
            return index - 1, index + 1
        if (before and word in ENDINGS) or word in ("%", "‰"):
            return (index - 1,) if index else ()
        if not _SIGN.fullmatch(word) and word not in ENDINGS:
            return ()
        if behind:
            return (index + 1,)
        return (index - 1,) if before and word != "." and not mark else ()

    def with_marks(self, kept: Sequence[int]) -> Sequence[int]:
        """The kept indices with the marks around them: a link has its address as long as a word of it is left."""
        if not self._marks:
            return kept
        around = {at for pair in self._marks if any(pair[0] < index < pair[1] for index in kept) for at in pair}
        return sorted({*kept, *around})

    def tidied(self, kept: Collection[int], *, locked: Collection[int] = ()) -> list[int]:
        """The kept indices without the punctuation that removals have left dangling; locked ones stay."""
        left = sorted(kept)
        if len(left) == len(self._words):
            return left
        while dangling := self._dangling(left).difference(locked):  # punctuation that the user wants stays
            left = [index for index in left if index not in dangling]
        return left

    def _dangling(self, left: Sequence[int]) -> set[int]:
        fragile = self._fragile
        numbers = [number for number, index in enumerate(left) if index in fragile]
        present = set(left) if numbers else set()
        return {left[number] for number in numbers if self._dangles(number, left, present)}

    def _dangles(self, number: int, left: Sequence[int], present: Collection[int]) -> bool:
        index = left[number]
        before = left[number - 1] if number else None
        if index in self._partners:
            return self._lost_its_partner(index, before, left[number + 1 : number + 2], present)
        if any(host not in present for host in self._hosts.get(index, ())):
            return True
        if index in self._terminals:
            return self._ends_nothing(index, before)
        if self._words[index] in _JOINERS and self._joins_nothing(index, before, present):
            return True
        return index in self._strength and self._separates_nothing(index, before, left[number + 1 :])

    def _lost_its_partner(
        self, index: int, before: int | None, behind: Sequence[int], present: Collection[int]
    ) -> bool:
        """Whether a bracket or quotation mark stands without its other half, or with nothing in between."""
        partner = self._partners[index]
        emptied = (partner == before or partner in behind) and abs(partner - index) > 1  # not if it was always empty
        return partner not in present or emptied

    def _opens(self, index: int) -> bool:
        return self._partners.get(index, -1) > index

    def _closes(self, index: int) -> bool:
        return self._partners.get(index, len(self._words)) < index

    def _ends_nothing(self, index: int, before: int | None) -> bool:
        """Whether a full stop follows nothing, or an opening bracket, or what has its own: a quotation, "U.S."."""
        if index == 0 or before == index - 1:
            return False
        if before is None or self._opens(before):
            return True
        if self._words[index] == "." and self._words[before].endswith("."):
            return not self._is_punctuation[before]
        return self._closes(before) and before - 1 in self._terminals

    def _separates_nothing(self, index: int, before: int | None, behind: Sequence[int]) -> bool:
        """Whether a comma or dash has nothing on one side; it may, where the source had nothing there either."""
        strength = self._strength[index]
        if before != index - 1 and index > 0:  # something went away before it
            weaker = before is not None and self._strength.get(before, -1) >= strength
            if weaker or before is None or self._opens(before):
                return True
        after = behind[0] if behind else None
        if after != index + 1 and index + 1 < len(self._words):  # something went away behind it
            weaker = after is not None and self._strength.get(after, -1) > strength
            if weaker or after is None or self._closes(after):
                return True
        closing = next((number for number, at in enumerate(behind) if not self._closes(at)), len(behind))
        end = behind[closing] if closing < len(behind) else None
        untouched = (len(self._words) if end is None else end) == index + 1 + closing
        return not untouched and (end is None or end in self._terminals)

    def _joins_nothing(self, index: int, before: int | None, present: Collection[int]) -> bool:
        """Whether the slash of "and/or" has lost one side; of those in "one/two/three" one stays if the middle goes."""
        sides = [step for step in (-1, 1) if 0 <= index + step < len(self._words) and index + step not in present]
        repeated = -1 in sides and before is not None and self._words[before] == self._words[index]
        return repeated or not all(self._leads_on(index, step, present) for step in sides)

    def _leads_on(self, index: int, step: int, present: Collection[int]) -> bool:
        """Whether behind the words that went away a joiner like this one leads to a word that is left."""
        words = self._words
        at = index + step
        while 0 <= at < len(words) and (at not in present or words[at] == words[index]):
            if self._is_punctuation[at] and words[at] != words[index]:
                return False
            at += step
        return 0 <= at < len(words) and words[at - step] == words[index]

    def written(self, kept: Sequence[int], replacements: Mapping[int, str] | None = None) -> str:
        """The kept words as text; a replaced word is written in its new form."""
        new = replacements or {}
        words = [new.get(index, self._words[index]) for index in kept]
        if self._sentence.pretokenized:
            return join_words(words)
        spaces = [self._space(left, right, new) for left, right in pairwise(kept)]
        text = "".join([space + word for space, word in zip(["", *spaces], words, strict=False)])
        return _with_capital(text) if self._capital else text

    def _space(self, left: int, right: int, new: Mapping[int, str]) -> str:
        """White space between two words that are now adjacent."""
        if new.get(right, "").startswith(":"):
            return ""  # "plans to sell ferries: source"
        if new and any(index in new and self._is_punctuation[index] for index in (left, right)):
            return " "  # a word that replaces punctuation needs space
        if right == left + 1:
            return self._spaces[right]
        if self._closes_up_before[right] or self._closes_up_behind[left]:
            return ""
        ideographs = self._glued[right] and all(_IDEOGRAPH.match(self._words[index]) for index in (left, right))
        return "" if ideographs else " "

    def least(self, sizes: Sequence[int]) -> list[int]:
        """What each word, of a given size, adds to the length of the text at the least, a space before it included.

        Punctuation may be removed, and may close up the space that the next word counts. Of all spaces together one is
        too many: there is none before the first word.
        """
        if self._sentence.pretokenized:
            return [size + 1 for size in sizes]
        certain = [
            0 if self._is_punctuation[index] or index in self._fragile else size + (not self._glued[index])
            for index, size in enumerate(sizes)
        ]
        return [size - closes_up for size, closes_up in zip(certain, self._closes_up_behind, strict=True)]


def _closing(word: str) -> str | None:
    """What closes a bracket, a quotation mark or a tag."""
    if word[0] != "<" or word == "<":
        return _PAIRS.get(word)
    tag = TAG.fullmatch(word)
    return None if tag is None or word.startswith("</") or word.endswith("/>") else f"</{tag[1].lower()}>"


def capitalized_like(source: str, text: str) -> str:
    """The text with a capital at its start if the source has one there."""
    return _with_capital(text) if _starts_with_capital(source) else text


def _starts_with_capital(text: str) -> bool:
    first = next((character for character in TAG.sub("", text) if character.isalpha()), "")
    return first.isupper()


def _with_capital(text: str) -> str:
    """The first word with a capital, unless it has capitals of its own (eBay), is an address or code."""
    match = _FIRST_WORD.match(text)
    if (
        match is None
        or _CODE.search(text[: match.start()])
        or any(character.isupper() for character in match.group())
        or _ADDRESS.search(match.group())
    ):
        return text
    return text[: match.start()] + text[match.start()].upper() + text[match.start() + 1 :]


_CODE = regex.compile(r"(?<!`)`[^`\s]*$")
_FIRST_WORD = regex.compile(rf"(?:[-*•–—]\s+)?(?:(?i:{TAG.pattern})\s*+|[^\s\p{{L}}\p{{N}}@])*+\K\p{{L}}\S*")
_ADDRESS = regex.compile(r"://|@|^www\.|\w\.\w{2,}")
