"""The language of a text: English is told by its most frequent words, everything else by a library."""

from collections.abc import Collection

import regex

from ealm.text.word_lists import ENGLISH_MARKS, FOREIGN_MARKS

ENGLISH = "en"

NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "ms": "Malay",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish", "ta": "Tamil", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""Languages that are told apart; a rare one is taken for a neighbour of it, which is as little known to the model."""

_SEEN = 2_000
"""Characters of a text that are looked at."""

_FEWEST_WORDS = 4
"""In Latin letters: fewer words tell no language."""

_MARKS_OF_ENGLISH = 0.08
"""Share of words such as "the" and "of" from which on a text is English."""

_MARGIN, _MARGIN_PER_CHARACTER = 15.0, 0.6
"""By how much another language must be likelier than English (natural logarithm): names and numbers mislead."""

_FEWEST_FOREIGN_MARKS = 2
"""Words such as "der" and "les" that a sentence needs before its language is asked for."""

_LETTER, _LATIN = regex.compile(r"\p{L}"), regex.compile(r"\p{Latin}")
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}’']*")
_NOT_TEXT = regex.compile(r"\S*(?:://|@|www\.)\S*|`[^`]*`|<[^>]*>")


def language_of(text: str) -> str:
    """The code of ISO 639-1; English where nothing tells another language."""
    seen = _NOT_TEXT.sub(" ", text[:_SEEN])
    letters, latin = len(_LETTER.findall(seen)), len(_LATIN.findall(seen))
    if letters == 0:
        return ENGLISH
    if latin >= letters / 2:
        words = [word.lower() for word in _WORD.findall(seen)]
        marks = sum(word in ENGLISH_MARKS for word in words)
        if len(words) < _FEWEST_WORDS or marks >= _MARKS_OF_ENGLISH * len(words):
            return ENGLISH
    from py3langid import rank  # takes half a second, and most texts are English

    scores = dict(rank(seen))
    best = max(NAMES, key=scores.__getitem__)
    margin = scores[best] - scores[ENGLISH]
    return best if margin >= max(_MARGIN, _MARGIN_PER_CHARACTER * letters) or latin < letters / 2 else ENGLISH


def is_foreign(sentence: str, known: Collection[str]) -> bool:
    """Whether a sentence of a text is surely in none of the known languages; cheap where it is English."""
    words = [word.lower() for word in _WORD.findall(sentence)]
    letters, latin = len(_LETTER.findall(sentence)), len(_LATIN.findall(sentence))
    marks = sum(word in FOREIGN_MARKS for word in words)
    if latin >= letters / 2 and (marks < _FEWEST_FOREIGN_MARKS or any(word in ENGLISH_MARKS for word in words)):
        return False
    return letters > 0 and language_of(sentence) not in known


def language_name(code: str) -> str:
    """The English name of a language."""
    return NAMES.get(code, code)
