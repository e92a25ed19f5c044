"""Raw text cut into words that can be edited one by one and printed again exactly as they were written.

A word is the smallest thing that may be removed without leaving a splinter: contractions ("don't"), abbreviations
("U.S.", "Corp."), numbers ("1,234.5"), hyphenated words, addresses and emoji stay whole. The possessive ending ("'s")
and punctuation are words of their own, as in the corpora of this field; text that was cut like those corpora already
("do n't", "-lrb-", "<unk>") stays as it was cut.
"""

from dataclasses import dataclass

import regex

_ABBREVIATIONS = (
    "adm approx apr assn aug ave blvd brig bros capt cmdr co col corp cos dec dept dist dr est feb fig gen gov hon inc "
    "jan jr jul jun lt ltd maj mar messrs mfg mr mrs ms mt nov oct op ph.d phd plc prof pvt rep reps rev sen sens sep "
    "sept sgt sr st supt univ vs vol"
).split()

_WORD = regex.compile(
    rf"""
      (?P<address>   (?:https?://|www\.)[^\s<>"]*[\w/#=] | [\w.+-]+@[\w-]+(?:\.[\w-]+)+ )
    | (?P<precut>    -[lr][rsc]b- | <unk> | (?<!\S)(?:n't|'(?:s|re|ve|ll|d|m))(?!\S) )
    | (?P<initials>  \b(?:\p{{L}}\.){{2,}}(?:-[\p{{L}}\p{{N}}]+)* | \b\p{{L}}\.(?=\s+\p{{L}}) )
    | (?P<shortened> \b(?:{"|".join(map(regex.escape, _ABBREVIATIONS))})\.(?=\s|[,;:)"'”’]|$) )
    | (?P<number>    [\d#]+(?:[.,:/-][\d#]+)*(?:-?\p{{L}}+)* )
    | (?P<ideograph> [\p{{Han}}\p{{Hiragana}}\p{{Katakana}}]\p{{M}}* )
    | (?P<ending>    (?<=[\p{{L}}\p{{N}}.])['’]s\b )
    | (?P<word>      [\p{{L}}\p{{N}}\p{{M}}_]+
                     (?:(?!['’]s\b)[-'’&\u00AD\u200C\u200D][\p{{L}}\p{{N}}\p{{M}}_#]+)* )
    | (?P<run>       \.{{2,}} | -{{2,}} | `` | '' )
    | (?P<sign>      \X )
    """,
    regex.VERBOSE | regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text, with its place there."""

    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Cut raw text into words; only white space lies between them, so nothing is lost."""
    return [
        Token(match.group(), match.start(), match.end())
        for match in _WORD.finditer(text)
        if not match.group().isspace()
    ]
