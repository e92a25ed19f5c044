"""What a language model makes of a summary, as a reader wants to see it: no word twice in a row.

The guesses that count for the reconstruction rate are those of the paper, each as probable as can be, and several of
them may be the same word. Only what is shown is guessed again; the rate is not touched.
"""

from collections.abc import Sequence

import torch

from ealm.common.pieces import between_pieces
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.converter import Conversion
from ealm.paper.edits import Action


def readable(conversion: Conversion, lm: MaskedLM) -> tuple[int, ...]:
    """The reconstruction of a finished conversion, with other words where it says one again and the source does not."""
    words = list(conversion.reconstruction or ())
    again = [index for index in range(len(words)) if _is_repeated(conversion, words, index)]
    if not again:
        return tuple(words)
    between_pieces()
    scores = lm.predict([Masked((), tuple(None if i in set(again) else word for i, word in enumerate(words)))])
    for index, own in zip(again, scores, strict=True):
        beside = [words[i] for i in (index - 1, index + 1) if 0 <= i < len(words)]
        own[torch.tensor(beside)] = -torch.inf
        words[index] = int(own.argmax())
    return tuple(words)


def _is_repeated(conversion: Conversion, words: Sequence[int], index: int) -> bool:
    """Whether a guess is the same as the word before it, or as a word behind it that was kept."""
    if conversion.actions[index] == Action.KEEP:
        return False
    behind = index + 1
    before = index > 0 and words[index] == words[index - 1] and not _pair(conversion.source, index - 1)
    kept = behind < len(words) and conversion.actions[behind] == Action.KEEP
    return before or (kept and words[index] == words[behind] and not _pair(conversion.source, index))


def _pair(source: Sequence[int], index: int) -> bool:
    return source[index] == source[index + 1]
