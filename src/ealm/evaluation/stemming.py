"""Stems exactly as the ROUGE-1.5.5 script makes them, so that scores can stand beside published ones."""

from functools import cache

from ealm.common.caching import remember_short
from ealm.common.extras import needs_extra
from ealm.text.inflection import irregular_forms

with needs_extra("evaluate", "ROUGE"):
    from nltk.stem.porter import PorterStemmer

LONGEST_UNSTEMMED = 3
"""Characters; words up to this length stay as they are."""

_ANY_SUFFIX = "ance ence able ible ement al er ic ant ou ism ate iti ous ive ize".split()


class _PorterOfRouge(PorterStemmer):  # type: ignore[misc]  # NLTK has no annotations
    """Porter's algorithm with the step 4 of ROUGE-1.5.5: after -ement, the suffixes -ment and -ent get their turn."""

    def __init__(self) -> None:
        super().__init__(mode=PorterStemmer.MARTIN_EXTENSIONS)

    def _step4(self, word: str) -> str:
        word = self._without_first_of(word, _ANY_SUFFIX)
        word = self._without_first_of(word, ["ment"])
        if word.endswith(("sion", "tion")):
            return self._without_first_of(word, ["ion"])
        return self._without_first_of(word, ["ent"])

    def _without_first_of(self, word: str, suffixes: list[str]) -> str:
        rules = [(suffix, "", lambda stem: self._measure(stem) > 1) for suffix in suffixes]
        return str(self._apply_rule_list(word, rules))


@cache
def _porter() -> _PorterOfRouge:
    return _PorterOfRouge()


@remember_short(2**16)
def stem(word: str) -> str:
    """The stem of a lower-case word: the base of an irregular form, else what Porter's algorithm leaves."""
    if len(word) <= LONGEST_UNSTEMMED:
        return word
    base = irregular_forms().get(word)
    return str(_porter().stem(word)) if base is None else base
