"""What a language model makes of a summary, as a reader wants to see it: nothing that says the same again.

The guesses that count for the reconstruction rate are those of the paper, each as probable as can be, and several of
them may be the same word. Only what is shown is guessed again; the rate is not touched.
"""

from collections.abc import Mapping, Sequence

import torch

from ealm.common.pieces import between_pieces
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.converter import Conversion
from ealm.paper.edits import Action
from ealm.text.word_lists import LIGHT_WORDS


def readable(conversion: Conversion, lm: MaskedLM) -> tuple[int, ...]:
    """The reconstruction of a finished conversion, with other words where it says one again and the source does not."""
    words = list(conversion.reconstruction or ())
    is_light = {word: _is_light(text) for word, text in zip(set(words), lm.words(list(set(words))), strict=True)}
    again = [index for index in range(len(words)) if _is_repeated(conversion, words, index, is_light)]
    if not again:
        return tuple(words)
    between_pieces()
    scores = lm.predict([Masked((), tuple(None if i in set(again) else word for i, word in enumerate(words)))])
    for index, own in zip(again, scores, strict=True):
        beside = {words[i] for i in (index - 1, index + 1) if 0 <= i < len(words)}
        said = {word for word in words if not is_light.get(word, False)}
        own[torch.tensor(sorted(beside | said))] = -torch.inf
        words[index] = int(own.argmax())
        is_light.setdefault(words[index], _is_light(lm.words([words[index]])[0]))
    return tuple(words)


def _is_light(word: str) -> bool:
    """Whether a word may stand in a sentence several times: "the", "of", a comma."""
    return not word.isalpha() or word in LIGHT_WORDS


def _is_repeated(conversion: Conversion, words: Sequence[int], index: int, is_light: Mapping[int, bool]) -> bool:
    """Whether a guess is the word beside it, or says again what a word before it, or one that was kept, says."""
    if conversion.actions[index] == Action.KEEP:
        return False
    behind = index + 1
    before = index > 0 and words[index] == words[index - 1] and not _pair(conversion.source, index - 1)
    kept = behind < len(words) and conversion.actions[behind] == Action.KEEP
    if before or (kept and words[index] == words[behind] and not _pair(conversion.source, index)):
        return True
    if is_light[words[index]] or words[index] == conversion.source[index]:
        return False
    others = [i for i in range(len(words)) if i < index or (i > index and conversion.actions[i] == Action.KEEP)]
    source = conversion.source
    return any(words[i] == words[index] and source[i] != source[index] for i in others)


def _pair(source: Sequence[int], index: int) -> bool:
    return source[index] == source[index + 1]
