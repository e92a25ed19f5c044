"""Which punctuation stays: marks belong to the phrases that they set off, and go with them."""

from collections.abc import Collection, Sequence

from ealm.grammar.protocol import Parse

_SET_OFF = frozenset(
    {
        "appos",
        "relcl",
        "acl",
        "advcl",
        "prep",
        "npadvmod",
        "advmod",
        "conj",
        "parataxis",
        "intj",
        "ccomp",
        "agent",
        "amod",
        "csubj",
        "dep",
        "xcomp",
    }
)
"""Relations whose phrases may have a comma or dash before or behind them."""

_QUOTES = {"“": "”", "„": "“", "‘": "’", "«": "»", "``": "''", '"': '"'}


class Punctuation:
    """The punctuation of one sentence."""

    def __init__(self, words: Sequence[str], parse: Parse, is_word: Sequence[bool]) -> None:
        self._is_word = is_word
        first, last = _spans(parse, is_word)
        self._owners: dict[int, list[int]] = {}
        """For each mark the heads of the phrases that it sets off."""
        starts: dict[int, list[int]] = {}
        ends: dict[int, list[int]] = {}
        for i, relation in enumerate(parse.relations):
            if is_word[i] and relation in _SET_OFF:
                starts.setdefault(first[i], []).append(i)
                ends.setdefault(last[i], []).append(i)
        for i, own in enumerate(is_word):
            if not own:
                opened = [j for j in starts.get(i + 1, ()) if parse.heads[j] < i]
                closed = [j for j in ends.get(i - 1, ()) if parse.heads[j] > i or _set_off(first[j], is_word)]
                self._owners[i] = opened + closed
        self._quoted = _quotations(words)

    def of(self, kept: Collection[int]) -> set[int]:
        """Indices of the marks that stay with these words."""
        marks = {i for i in self._owners if self._stays(i, kept)}
        broken = {
            mark
            for start, end in self._quoted
            if any(self._is_word[i] and i not in kept for i in range(start + 1, end))
            for mark in (start, end)
        }
        return marks - broken

    def _stays(self, mark: int, kept: Collection[int]) -> bool:
        owners = self._owners[mark]
        if owners:
            return any(owner in kept for owner in owners)
        before, behind = mark - 1, mark + 1
        while before >= 0 and not self._is_word[before]:
            before -= 1
        while behind < len(self._is_word) and not self._is_word[behind]:
            behind += 1
        return (before < 0 or before in kept) and (behind >= len(self._is_word) or behind in kept)


def _set_off(start: int, is_word: Sequence[bool]) -> bool:
    """Whether a phrase has punctuation before it."""
    return start > 0 and not is_word[start - 1]


def _spans(parse: Parse, is_word: Sequence[bool]) -> tuple[list[int], list[int]]:
    """First and last word of the phrase of each word."""
    first, last = list(range(len(is_word))), list(range(len(is_word)))
    for i, own in enumerate(is_word):
        head, steps = parse.heads[i], 0
        while own and head >= 0 and steps < len(is_word):
            first[head], last[head] = min(first[head], i), max(last[head], i)
            head, steps = parse.heads[head], steps + 1
    return first, last


def _quotations(words: Sequence[str]) -> list[tuple[int, int]]:
    """Quotation marks that belong together."""
    pairs: list[tuple[int, int]] = []
    waiting: list[int] = []
    for i, word in enumerate(words):
        if waiting and _QUOTES.get(words[waiting[-1]]) == word:
            pairs.append((waiting.pop(), i))
        elif word in _QUOTES:
            waiting.append(i)
    return pairs
