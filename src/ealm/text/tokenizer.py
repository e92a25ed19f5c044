"""Raw text cut into words that can be edited one by one and printed again exactly as they were written.

A word is the smallest thing that may be removed without leaving a splinter: contractions ("don't"), abbreviations
("U.S.", "Corp."), numbers ("1,234.5"), hyphenated words, addresses, code spans, HTML tags and emoji stay whole. The
possessive ending ("'s") and punctuation are words of their own, as in the corpora of this field; text that was cut like
those corpora already ("do n't", "-lrb-", "<unk>") stays as it was cut.
"""

from dataclasses import dataclass

import regex

from ealm.text.word_lists import ABBREVIATIONS

_IDEOGRAPH = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
_LETTER = r"[\p{L}--\p{Han}--\p{Hiragana}--\p{Katakana}]"
_WORD_CHARACTER = r"[[\p{L}\p{N}\p{M}_]--\p{Han}--\p{Hiragana}--\p{Katakana}]"

TAG = regex.compile(
    r"""</?(?!unk>)([a-z][a-z0-9:-]*+)"""
    r"""(?:\s++[a-z_:][\w:.-]*+(?:\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'=<>]++)))*+\s*+/?>""",
    regex.IGNORECASE | regex.VERSION1,
)
"""An HTML tag; every attribute has a value, so that "a<b and c>d" is none."""

CODE = regex.compile(r"(?<![`\w])`(?![`\s])[^`\n]{1,500}+(?<!\s)`(?![`\w])", regex.VERSION1)
"""A code span, as people write it in plain text too."""

_WORD = regex.compile(
    rf"""
      (?P<space>     [\s\x1c-\x1f]+ )
    | (?P<plain>     (?<!\S)[a-z]++(?!\S) )
    | (?P<code>      {CODE.pattern} )
    | (?P<bracketed> <(?:(?:https?://|www\.)[^\s\x1c-\x1f<>"]++ | [a-z0-9.+_-]{{1,64}}+@[a-z0-9-]+(?:\.[a-z0-9-]+)+)> )
    | (?P<address>   (?:https?://|www\.)[^\s\x1c-\x1f<>"]*[\w/#=] | [a-z0-9.+_-]{{1,64}}+@[a-z0-9-]+(?:\.[a-z0-9-]+)+
                     | (?<![\w.])[a-z0-9-]{{1,63}}+(?:\.[a-z0-9-]{{1,63}}+){{0,4}}?
                       \.(?:com|org|net|edu|gov|mil|info|io|ai|eu|uk|de|fr|txt|pdf|html?|csv|json|jpe?g|png)\b )
    | (?P<tag>       {TAG.pattern} )
    | (?P<precut>    -[lr][rsc]b- | <unk> | (?<!\S)(?:n't|'(?:s|re|ve|ll|d|m))(?!\S) )
    | (?P<named>     (?<!\w)@\w+ | (?<![\w\#&])\#{_LETTER}{_WORD_CHARACTER}*
                     | \b[cf]\#(?!\w) | \bc\+\+ | [\d#*]\uFE0F?\u20E3 | \bno\.(?=\s?\d) )
    | (?P<initials>  \b(?:\p{{L}}{{1,20}}+-)?(?:\p{{L}}\.){{2,}}(?:-[\p{{L}}\p{{N}}]+)* | \b\p{{L}}\.(?=\s+\p{{L}}) )
    | (?P<shortened> \b(?:{"|".join(map(regex.escape, ABBREVIATIONS))})\.(?=\s|[,;:)"'”’]|$) )
    | (?P<number>    (?:(?<![^\s(])[-−'’])?\bv?[\d#]+(?:[.,:/-][\d#]+)*(?:°[cf]?\b|(?:-?{_LETTER}+)*) )
    | (?P<hashes>    \#+(?:[.,:/-]\#+)*(?:-?{_LETTER}+)* )
    | (?P<ideograph> {_IDEOGRAPH}\p{{M}}* )
    | (?P<ending>    (?<=[\p{{L}}\p{{N}}.])['’]s\b )
    | (?P<word>      {_WORD_CHARACTER}+
                     (?:(?!['’]s\b)[-'’&\u00AD\u200C\u200D\u2010\u2011](?:{_WORD_CHARACTER}|\#)+)* )
    | (?P<run>       \.{{2,}} | -{{2,}} | `` | '' )
    | (?P<sign>      \X )
    """,
    regex.VERBOSE | regex.IGNORECASE | regex.VERSION1,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text, with its offsets there."""

    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Cut raw text into words; only white space lies between them, so nothing is lost."""
    found = ((match.group(), match.span()) for match in _WORD.finditer(text))
    return [Token(word, *span) for word, span in found if not word.isspace()]


def spaced(text: str) -> str:
    """A raw text as the corpora of this field have theirs: one space between all words."""
    return " ".join(token.text for token in tokenize(text))
