"""What a request costs, known before it starts: its words, weighed by what is asked for.

One unit is the work on one word of a short sentence at a given length, about a millisecond of one processor core. The
factors were fitted to measured times; they need not be exact, because a deadline ends what takes longer.
"""

from collections.abc import Sequence
from itertools import islice

import regex

from ealm.common.errors import TextError
from ealm.service.limits import ServiceLimits
from ealm.summarize.options import SummarizeOptions
from ealm.text.sentences import LONGEST_SENTENCE

_SENTENCE_END = regex.compile(r"(?<=[.!?])\s+|\n\s*")
_WORD = regex.compile(r"\w+|[^\w\s]")
"""Marks are worked on as words are."""
_LETTERS_OF_A_WORD = 12
"""A text without spaces has words too: one for so many characters at least."""

_SHARED_LENGTH = 1.0
"""For each word of a text of several sentences, whose lengths are compared to split the limit."""
_SENTENCE_PAIRS = 0.002
"""For each pair of sentences: they are compared, to tell which say the same."""
_RATE = 0.35
"""For each pair of words of a sentence: rounds of mask filling, each over the whole sentence."""
_SEARCH = 0.6
_STEPS = 0.2
"""For each triple of words: a trace fills the masks of every step."""
_POINTS = 0.1
"""The same for the points of a curve with their rates."""
_CURVE = 0.06
"""For each pair of words of the whole text."""
_BALANCE = 1.0
"""For each pair: an agent that does not plan seeks its best step with the language model."""


class TooCostlyError(TextError):
    """A request takes more work than one request may."""


def request_cost(
    texts: Sequence[str], options: SummarizeOptions, *, plans: bool, limits: ServiceLimits, curve: bool = False
) -> float:
    """The cost of a request; raises if it is above the limit. `plans`: whether the agent does."""
    most, counted = limits.request_cost, 0.0
    # Counting takes time itself, in which nobody is served: what is quickly counted first, and no more than is allowed.
    cost = float(sum(max(len(text) // _LETTERS_OF_A_WORD, len(text.split())) for text in texts))
    for text in texts:
        if max(cost, counted) > most:
            break
        counted += _cost(text, options, plans=plans, curve=curve, most=round(most))
    cost = max(cost, counted)
    if cost > most:
        raise TooCostlyError(
            f"The request takes too much work: its cost is at least {cost:,.0f}, and the limit is {most:,.0f}. "
            f"Send {'a shorter text' if len(texts) == 1 else 'fewer or shorter texts'}{_advice(options)}."
        )
    return cost


def _cost(text: str, options: SummarizeOptions, *, plans: bool, curve: bool, most: int) -> float:
    lengths = _sentence_lengths(text, pretokenized=options.pretokenized, most=most)
    words = sum(lengths)
    pairs, triples = (float(sum(length**power for length in lengths)) for power in (2, 3))
    cost = float(words)
    if not plans:
        cost += _BALANCE * pairs
    if len(lengths) > 1 and (plans or curve or options.without_length() != options):
        cost += _SHARED_LENGTH * words + _SENTENCE_PAIRS * len(lengths) ** 2
    if options.effort == "search":
        cost += _SEARCH * pairs
    if curve:
        return cost + _CURVE * words**2 + (_POINTS * triples if options.recoverability else 0)
    if options.trace:
        return cost + _STEPS * triples
    return cost + (_RATE * pairs if options.recoverability or options.reconstruction else 0)


def _sentence_lengths(text: str, *, pretokenized: bool, most: int) -> list[int]:
    """Words of each sentence, roughly: what goes on for longer than a sentence may is cut there.

    The count ends above `most`.
    """
    parts = [text] if pretokenized else _SENTENCE_END.split(text)
    lengths: list[int] = []
    counted = 0
    for part in parts:
        if counted > most:
            break
        words = max(sum(1 for _ in islice(_WORD.finditer(part), most + 1)), len(part) // _LETTERS_OF_A_WORD)
        counted += words
        whole, rest = (0, words) if pretokenized else divmod(words, LONGEST_SENTENCE)
        lengths += [LONGEST_SENTENCE] * whole + [rest] * bool(rest)
    return lengths


def _advice(options: SummarizeOptions) -> str:
    dear = [name for name in ("trace", "recoverability", "reconstruction") if getattr(options, name)]
    dear += ["effort search"] if options.effort == "search" else []
    return f", or leave out {' and '.join(dear)}" if dear else ", or use /v1/summarize/batch with one text in each line"
