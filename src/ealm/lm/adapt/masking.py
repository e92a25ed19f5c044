"""Sentences with holes for fitting a language model, of the kinds that the converter will ask about.

Some stand alone, some behind what is left of them; few or many words are hidden. A chosen word is mostly hidden,
sometimes left as it is or swapped for a random one, so that the model also judges words that stand in the open.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ealm.lm.adapt.corpus import Ids

PAIR_SHARE = 0.25
"""Sentences that stand behind their own open words, as a reconstruction does."""
LEAST_HIDDEN, MOST_HIDDEN = 0.1, 0.6
FEW_HIDDEN = 0.3
"""Half of the lone sentences have at most this share hidden."""
LEFT_SHARE, RANDOM_SHARE = 0.1, 0.1
HIDDEN_DIGITS_SHARE = 0.2
"""Sentences whose digits are hidden."""
NOT_ASKED = -100


@dataclass(frozen=True, slots=True)
class MaskingTokens:
    """Special tokens of a vocabulary, and what may be put in as a random word."""

    start: int
    separator: int
    padding: int
    mask: int
    unknown: int
    random_words: NDArray[np.int32]
    shapes: NDArray[np.int32]
    """For each id the id with its digits hidden."""


@dataclass(frozen=True, slots=True)
class Row:
    """One input of the model; `wanted` is NOT_ASKED but at chosen words."""

    ids: Ids
    segments: Ids
    wanted: Ids


def masked_row(sentence: Ids, tokens: MaskingTokens, rng: np.random.Generator) -> Row | None:
    """A sentence with random holes; None if it has no known word."""
    if rng.random() < HIDDEN_DIGITS_SHARE:
        sentence = tokens.shapes[sentence]
    pair = rng.random() < PAIR_SHARE
    most = MOST_HIDDEN if pair or rng.random() < 0.5 else FEW_HIDDEN
    chosen = _chosen(sentence, tokens, rng.uniform(LEAST_HIDDEN, most), rng)
    if chosen is None:
        return None
    template = np.where(chosen, tokens.mask, sentence)
    fate = rng.random(len(sentence))
    left = chosen & (fate < LEFT_SHARE)
    random = chosen & (fate >= LEFT_SHARE) & (fate < LEFT_SHARE + RANDOM_SHARE)
    template[left] = sentence[left]
    template[random] = rng.choice(tokens.random_words, size=int(random.sum()))
    open_words = sentence[~chosen]  # with none the converter asks about the template alone
    return _row(sentence, template, chosen, tokens, context=open_words if pair and len(open_words) else None)


def scoring_row(sentence: Ids, tokens: MaskingTokens, share: float, rng: np.random.Generator) -> Row | None:
    """A lone sentence with that share of its known words hidden."""
    chosen = _chosen(sentence, tokens, share, rng)
    if chosen is None:
        return None
    return _row(sentence, np.where(chosen, tokens.mask, sentence), chosen, tokens, context=None)


def _chosen(sentence: Ids, tokens: MaskingTokens, share: float, rng: np.random.Generator) -> NDArray[np.bool_] | None:
    known = sentence != tokens.unknown
    if not known.any():
        return None
    chosen: NDArray[np.bool_] = (rng.random(len(sentence)) < share) & known
    if not chosen.any():
        chosen[rng.choice(np.flatnonzero(known))] = True
    return chosen


def _row(sentence: Ids, template: Ids, chosen: NDArray[np.bool_], tokens: MaskingTokens, *, context: Ids | None) -> Row:
    wanted = np.where(chosen, sentence, NOT_ASKED)
    before = [tokens.start] if context is None else [tokens.start, *context, tokens.separator]
    ids = np.concatenate([before, template, [tokens.separator]])
    segments = np.concatenate([np.zeros(len(before)), np.full(len(template) + 1, context is not None)])
    asked = np.concatenate([np.full(len(before), NOT_ASKED), wanted, [NOT_ASKED]])
    return Row(ids.astype(np.int32), segments.astype(np.int32), asked.astype(np.int32))


def batches(rows: list[Row], token_budget: int, rng: np.random.Generator) -> list[list[Row]]:
    """Rows of like length together, in random order; no batch has more padded tokens than the budget."""
    rising = sorted(rows, key=lambda row: len(row.ids) + rng.random())
    groups: list[list[Row]] = []
    for row in rising:
        if not groups or (len(groups[-1]) + 1) * len(row.ids) > token_budget:
            groups.append([])
        groups[-1].append(row)
    return [groups[number] for number in rng.permutation(len(groups))]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows as tensors, each (rows, tokens)."""

    ids: Tensor
    segments: Tensor
    attention: Tensor
    wanted: Tensor

    @classmethod
    def of(cls, rows: list[Row], padding: int) -> "Batch":
        """Pad the rows to the longest."""
        longest = max(len(row.ids) for row in rows)

        def padded(values: list[Ids], fill: int) -> Tensor:
            table = np.full((len(values), longest), fill, dtype=np.int64)
            for number, value in enumerate(values):
                table[number, : len(value)] = value
            return torch.from_numpy(table)

        return cls(
            padded([row.ids for row in rows], padding),
            padded([row.segments for row in rows], 0),
            padded([np.ones_like(row.ids) for row in rows], 0),
            padded([row.wanted for row in rows], NOT_ASKED),
        )
