"""How much each sentence of a text matters: what the text is about, where it stands, and whether it is said twice."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt
from torch import Tensor

from ealm.common.pieces import between_pieces
from ealm.text.references import says_how_it_went
from ealm.text.sentences import Sentence
from ealm.text.word_lists import LIGHT_WORDS

Floats = npt.NDArray[np.float64]

_LEAST_WEIGHT = 0.35
"""Weight of the sentence that has least to do with the text."""

OPENING_BONUS = 0.8
"""For the first sentence of a text; the second gets half of it, the third a third."""

_PARAGRAPH_BONUS = 0.1
"""For the first sentence of a paragraph."""

_NEXT_IN_UNKNOWN_TEXT = 0.5
"""Weight of a sentence as a share of that of the one before it, in a language that the model does not know."""

_SAME = 0.9
"""Likeness from which on two sentences say the same."""

_UNLIKE = 0.6
"""Likeness up to which they say different things."""

_STEM = 6
"""Letters by which words are compared: "close" and "closed" are the same."""


def sentence_vectors(encodings: Sequence[Tensor]) -> Floats:
    """(sentences, width): the means of the words' encodings, of length 1."""
    if not encodings:
        return np.zeros((0, 0))
    means = np.stack([np.asarray(own.mean(dim=0).tolist()) for own in encodings])
    lengths: Floats = np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    return means / lengths


def _stems(sentence: Sentence) -> frozenset[str]:
    """What its content words begin with."""
    return frozenset(
        word.lower()[:_STEM] for word in sentence.words if word[:1].isalnum() and word.lower() not in LIGHT_WORDS
    )


def shared_words(sentences: Sequence[Sentence]) -> Floats:
    """(sentences,): in how many sentences its content words occur, on average over them."""
    stems = [_stems(own) for own in sentences]
    counts = Counter(stem for own in stems for stem in own)
    return np.asarray([sum(counts[stem] for stem in own) / max(1, len(own)) for own in stems])


def repetition(sentences: Sequence[Sentence]) -> Floats:
    """(sentences, sentences): the share of the content words of one sentence that another has too."""
    stems = [_stems(own) for own in sentences]
    shared = np.zeros((len(stems), len(stems)))
    for number, (own, sentence) in enumerate(zip(stems, sentences, strict=True)):
        between_pieces()
        if sentence.continued:  # a piece of a sentence repeats all of one before it, or nothing
            shared[number, :number] = [own == other for other in stems[:number]]
        else:
            shared[number] = [
                0.0 if other.continued else len(own & stem) / max(1, len(own))
                for stem, other in zip(stems, sentences, strict=True)
            ]
    return shared


def place_bonuses(sentences: Sequence[Sentence]) -> list[float]:
    """(sentences,): what the place of each is worth. Greetings, addresses and code do not open a text."""
    said = [
        sentence.form not in ("aside", "verbatim") and not says_how_it_went(sentence.words) for sentence in sentences
    ]
    before = accumulate(said)
    return [
        OPENING_BONUS / max(1, place) + _PARAGRAPH_BONUS * sentence.opens
        for sentence, place in zip(sentences, before, strict=True)
    ]


def sentence_weights(
    vectors: Floats, sizes: Sequence[float], bonuses: Sequence[float], repeated: Floats, shared: Floats
) -> list[float]:
    """The weight of each sentence; `sizes` says how much each has to say, `bonuses` what its place is worth.

    Of two sentences that say the same, by their meaning and by their words, the one of less weight loses its own.
    """
    if not vectors.any():  # nothing is known but the places: the first sentences stay
        return [_NEXT_IN_UNKNOWN_TEXT**place for place in range(len(sizes))]
    centre = np.asarray(sizes) @ vectors
    central = vectors @ (centre / max(float(np.linalg.norm(centre)), 1e-9))
    central = (_from_0_to_1(central) + _from_0_to_1(shared)) / 2
    weights = _LEAST_WEIGHT + (1 - _LEAST_WEIGHT) * central
    weights *= 1 + np.asarray(bonuses)
    likeness = np.sqrt(np.clip(vectors @ vectors.T, 0, 1) * repeated)
    found: list[float] = _without_repetition(weights, likeness).tolist()
    return found


def _from_0_to_1(values: Floats) -> Floats:
    low, high = float(values.min()), float(values.max())
    scaled: Floats = (values - low) / max(high - low, 1e-9)
    return scaled


def _without_repetition(weights: Floats, likeness: Floats) -> Floats:
    found = weights.copy()
    order = np.argsort(-weights, kind="stable")
    for rank, sentence in enumerate(order[1:], start=1):
        nearest = float(likeness[sentence, order[:rank]].max())
        found[sentence] *= 1 - min(1.0, max(0.0, (nearest - _UNLIKE) / (_SAME - _UNLIKE)))
    return found
