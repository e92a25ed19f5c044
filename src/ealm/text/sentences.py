"""Texts cut into sentences, and put together again with what lay between them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import regex
from sentencex import segment

from ealm.common.caching import cached_property
from ealm.text.blocks import Block, Form, split_blocks
from ealm.text.marks import is_mark, paired_marks, with_own_marks
from ealm.text.tokenizer import Token, tokenize
from ealm.text.word_lists import CLAUSE_OPENERS, CONDITIONS, FUNCTION_WORDS, PREPOSITIONS
from ealm.text.words import join_words, split_words

LONGEST_SENTENCE = 120
"""Words; what goes on for longer without an end is cut into pieces, so that any text can be taken."""

LONGEST_PIECE = 60
"""Words: planning takes time with the cube of the length, and no statement is longer."""

LONGEST_UNPUNCTUATED = 40
"""Words: what goes on for longer without any punctuation is cut where a statement begins, and only there."""

_LINE_BREAK = regex.compile(r"(?<!\s)\s*\n\s*")
_WIDE_SPACE = regex.compile(r"[^\S ]|[\x1c-\x1f]")
_HAS_LETTER = regex.compile(r"\w")
_QUOTATION_END = regex.compile(r"[\"”’'»]\s*\z")
_CLOSING_EMPHASIS = regex.compile(r"[*_]{1,3}(?=\s|\z)\s*")
"""What ends bold type that a sentence ends with: "**Is it ruined?** posted by Al"."""
_NAMES_THE_SPEAKER = regex.compile(r"(?:—|–|--?)\s*\p{Lu}")
_INITIAL = regex.compile(r"\p{L}\.")
_LIST_NUMBER = regex.compile(r"\s*\(?\d{1,3}[.)]\s+")
_WEEKDAY = "Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun"
_ABBREVIATED = (
    (r"(?:Ms|Mx|Mses|Ald|Br|Attn)", r"\p{Lu}"),
    (r"(?:[Ff]igs?|[Vv]ols?|approx|[Tt]el|[Ee]xt|[Ee]qs?|[Cc]hs?|[Cc]hap|[Pp]aras?|App|est|min|max)", r"\d"),
    (r"(?:est|approx|min|max)", r"\p{Ll}"),
    (rf"(?:{_WEEKDAY})", rf"(?:\p{{Ll}}|\d|(?:{_WEEKDAY})\b)"),
    (r"[ap]\.m", r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b(?! (?:is|was|will|has)\b)"),
)
"""Abbreviations that the library takes for the end of a sentence, and what goes on behind them."""
_GOES_ON = tuple((regex.compile(rf"\b{end}\.\s*\z"), regex.compile(start)) for end, start in _ABBREVIATED)


Clauses = Callable[[Sequence[str]], Collection[int]]
"""Finds the places in a long stretch of words at which a statement begins."""

_OPENING = 3
"""Words by which the beginning of a clause is known again."""


@dataclass(frozen=True)
class Sentence:
    """A stretch of a text with its words; `gap` is the white space that follows it there."""

    text: str
    tokens: tuple[Token, ...]
    gap: str = ""
    pretokenized: bool = False
    """Whether white space alone separates its words, and separates them in the summary too."""
    continued: bool = False
    """Whether it goes on with the sentence before it, which was too long."""
    lead: str = ""
    """What stands before it and stays with it: a bullet."""
    form: Form = "prose"
    opens: bool = False
    """Whether it is the first of its block."""
    block: int = 0
    """The number of its block."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words as they are written."""
        return tuple(token.text for token in self.tokens)


def pretokenized_sentence(text: str, *, gap: str = "", continued: bool = False) -> Sentence:
    """A line of a corpus that was cut into words before."""
    tokens = []
    start = 0
    for word in split_words(text):
        tokens.append(Token(word, start, start + len(word)))
        start += len(word) + 1
    written = join_words(token.text for token in tokens)
    return Sentence(written, tuple(tokens), gap, pretokenized=True, continued=continued)


def no_clauses(words: Sequence[str]) -> Collection[int]:
    """None: what nobody can parse is cut by its words alone."""
    del words
    return ()


def pretokenized_sentences(text: str, *, longest: int, clauses: Clauses = no_clauses) -> list[Sentence]:
    """A line of a corpus as one sentence, or as several if it has more than `longest` words."""
    words = split_words(text)
    return [
        pretokenized_sentence(join_words(words[first:last]), gap=" " if last < len(words) else "", continued=first > 0)
        for first, last in pairwise(cuts(words, longest, clauses))
    ]


def split_sentences(
    text: str, *, longest: int = LONGEST_SENTENCE, unwrap: bool = False, language: str = "en"
) -> list[Sentence]:
    """Sentences in order: their leads, texts and gaps, one after the other, are the text without its outer white space.

    What has more than `longest` words is cut into pieces. With `unwrap`, line breaks inside of paragraphs are spaces.
    """
    return sentences_of(split_blocks(text), longest=longest, unwrap=unwrap, language=language)


def sentences_of(
    blocks: Sequence[Block],
    *,
    longest: int = LONGEST_SENTENCE,
    unwrap: bool = False,
    language: str = "en",
    clauses: Clauses = no_clauses,
) -> list[Sentence]:
    """The sentences of all blocks; `clauses` tells where to cut those that are too long."""
    sentences: list[Sentence] = []
    for number, block in enumerate(blocks):
        own = block_sentences(block, longest=longest, unwrap=unwrap, language=language, clauses=clauses)
        if not own:
            _add_gap(sentences, block.lead + block.text)
        sentences += [replace(sentence, block=number) for sentence in own]
        _add_gap(sentences, block.gap)
    return sentences


def block_sentences(
    block: Block,
    *,
    longest: int = LONGEST_SENTENCE,
    unwrap: bool = False,
    language: str = "en",
    clauses: Clauses = no_clauses,
) -> list[Sentence]:
    """The sentences of one block; what is never shortened is one, however long it is."""
    if block.form in ("verbatim", "aside"):
        return [Sentence(block.text, tuple(tokenize(block.text)), lead=block.lead, form=block.form, opens=True)]
    inner = _LINE_BREAK.sub(" ", block.text) if unwrap else block.text
    sentences: list[Sentence] = []
    still_open, paired = "", paired_marks(inner)
    for stretch in _stretches(inner, language):
        bare = stretch.strip()
        start = stretch.index(bare) if bare else len(stretch)
        _add_gap(sentences, stretch[:start])
        for piece in _pieces(bare, longest, clauses):
            own, still_open = with_own_marks(piece.text, still_open, paired)
            marked = piece if own == piece.text else replace(piece, text=own, tokens=tuple(tokenize(own)))
            sentences.append(replace(marked, form=block.form))
        _add_gap(sentences, stretch[start + len(bare) :])
    if sentences:
        sentences[0] = replace(sentences[0], lead=block.lead, opens=True)
    return sentences


def _add_gap(sentences: list[Sentence], space: str) -> None:
    if sentences and space:
        sentences[-1] = replace(sentences[-1], gap=sentences[-1].gap + space)


def _stretches(paragraph: str, language: str) -> list[str]:
    """The sentences of a paragraph with the white space after each."""
    plain = _WIDE_SPACE.sub(" ", paragraph)  # the library stumbles over rare kinds of white space
    lengths = [len(stretch) for stretch in segment(language, plain)]
    if sum(lengths) != len(paragraph):  # it has lost something: better one long sentence than that
        return [paragraph]
    stretches: list[str] = []
    for end, length in zip(accumulate(lengths), lengths, strict=True):
        stretch = paragraph[end - length : end]
        if stretches and (closing := _CLOSING_EMPHASIS.match(stretch)) and not stretches[-1][-1].isspace():
            stretches[-1] += closing[0]
            stretch = stretch[closing.end() :]
        if stretches and _belong_together(stretches[-1], stretch):
            stretches[-1] += stretch
        else:
            stretches.append(stretch)
    return stretches


def _belong_together(before: str, stretch: str) -> bool:
    """A number belongs to what it numbers, "Ms." to a name, "— Ada L., York" to what she said, marks to theirs."""
    if all(character.isspace() or is_mark(character) for character in stretch):
        return True
    if not before[-1].isspace() and _INITIAL.match(stretch):
        return True  # "non-U.S."
    if _LIST_NUMBER.fullmatch(before) or any(end.search(before) and on.match(stretch) for end, on in _GOES_ON):
        return True
    return bool(_QUOTATION_END.search(before) and _NAMES_THE_SPEAKER.match(stretch))


def _pieces(text: str, longest: int, clauses: Clauses) -> list[Sentence]:
    """The text as one sentence, or as several if it is longer than any sentence should be."""
    tokens = tokenize(text)
    words = [token.text for token in tokens]
    runs_on = LONGEST_UNPUNCTUATED < len(words) <= longest and all(map(_HAS_LETTER.search, words[:-1]))
    places = [0, *sorted(clauses(words)), len(words)] if runs_on else cuts(words, longest, clauses)
    pieces = []
    for first, last in pairwise(places):
        own = tokens[first:last]
        start, end = own[0].start, own[-1].end
        if start:
            own = [Token(token.text, token.start - start, token.end - start) for token in own]
        gap = text[end : tokens[last].start] if last < len(tokens) else ""
        pieces.append(Sentence(text[start:end], tuple(own), gap, continued=first > 0))
    return pieces


def cuts(words: Sequence[str], longest: int, clauses: Clauses = no_clauses) -> list[int]:
    """Where to cut a sentence of more than `longest` words; from 0 to the number of words.

    Where a statement begins, and where a piece begins anew with the same words. Otherwise in the later part of each
    piece, the best place: behind a semicolon or dash, before a conjunction, behind a comma, before a word that begins a
    phrase. Only where there is none, anywhere.
    """
    if len(words) <= longest:
        return [0, len(words)] if words else []
    found = [0]
    for last in [*sorted(clauses(words)), len(words)]:
        found += _cuts_between(words, found[-1], last, min(longest, LONGEST_PIECE))
    return found


def _cuts_between(words: Sequence[str], first: int, last: int, longest: int) -> list[int]:
    """Where to cut words that are one statement as far as anybody knows; the last place with them."""
    found: list[int] = []
    start = first
    while (again := _begins_anew(words[:last], start, longest)) is not None or last - start > longest:
        if again is None:
            places = range(start + longest, start + max(1, longest // 3), -1)
            again = max(places, key=lambda at: (_break_before(words, at), at), default=start + longest)
        start = again
        found.append(start)
    return [*found, last]


def _begins_anew(words: Sequence[str], start: int, longest: int) -> int | None:
    """Where the words at a place stand for the next time, the conjunction before them with them."""
    opening = [word.lower() for word in words[start : start + _OPENING]]
    if len(set(opening)) < _OPENING or not all(word[0].isalpha() for word in opening):
        return None
    for at in range(start + _OPENING + 1, min(start + longest, len(words) - _OPENING) + 1):
        if [word.lower() for word in words[at : at + _OPENING]] == opening:
            return at - 1 if words[at - 1].lower() in ("and", "but", "or", "so") else at
    return None


def _break_before(words: Sequence[str], at: int) -> int:
    """How good a place between two words is to cut a sentence; what holds only under a condition is not cut off it."""
    before, behind = words[at - 1], words[at].lower()
    if before in (";", ":", "–", "—", "--", ".", "!", "?"):
        return 4
    if behind in CONDITIONS:
        return 0
    if behind in CLAUSE_OPENERS:
        return 3
    if before == ",":
        return 2
    return int(behind in PREPOSITIONS and before.lower() not in FUNCTION_WORDS)
