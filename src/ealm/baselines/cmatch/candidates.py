"""Which words a summary may be made of: those of the source, and words that are near them in meaning."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ealm.baselines.cmatch.vocabulary import END, FIRST_WORD, Vocabulary


@dataclass(frozen=True, slots=True)
class Candidates:
    """The unique candidate words of one source, those of the source first; the last one is its end."""

    source: tuple[int, ...]
    """Numbers of the source's words and of its end."""
    numbers: tuple[int, ...]
    """Numbers of the candidates; words that are unknown or share a shape share a number."""
    written: tuple[str, ...]
    """How the candidates are printed."""
    alignable: NDArray[np.bool_]
    """Which positions of the source a candidate may be aligned with: (candidates, positions)."""


def candidates_of(
    source: Sequence[str], vocabulary: Vocabulary, near: Callable[[Sequence[int]], Collection[int]]
) -> Candidates:
    """Candidates for a source; `near` gives the numbers of words that may replace those of some numbers.

    A word is copied as it is written, so an unknown one goes only where it stands in the source itself: to the encoder
    all unknown words are the same. So do numbers that are known by their shape alone.
    """
    lower = [word.lower() for word in source]
    written = dict(zip(reversed(lower), reversed(source), strict=True))  # the first spelling wins
    own = list(dict.fromkeys(lower))
    numbers = [vocabulary.number(word) for word in own]
    itself = [
        number >= FIRST_WORD and vocabulary.word(number) == word for word, number in zip(own, numbers, strict=True)
    ]
    known = [number for number, known_itself in zip(numbers, itself, strict=True) if known_itself]
    new = [number for number in near(known) if vocabulary.word(number) not in written]
    alignable = np.ones((len(own) + len(new) + 1, len(lower) + 1), dtype=bool)
    for row, word in enumerate(own):
        if not itself[row]:
            alignable[row] = [*(word == other for other in lower), False]
    alignable[-1, :-1] = False
    return Candidates(
        source=(*map(vocabulary.number, lower), END),
        numbers=(*numbers, *new, END),
        written=(*(written[word] for word in own), *map(vocabulary.word, new), ""),
        alignable=alignable,
    )
