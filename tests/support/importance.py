"""A sentence and a similarity in which each word has a known weight."""

from collections.abc import Sequence

WEIGHT = {"Rome": 0.5, "fell": 0.3, "yesterday": 0.1, ",": 0.05, "the": 0.0}


def weighted_overlap(_sources: Sequence[str], shortened: Sequence[str]) -> list[float]:
    """A similarity in which each word has a known weight."""
    return [sum(WEIGHT[word] for word in set(text.split())) for text in shortened]


SENTENCE = ("yesterday", ",", "Rome", "fell")
