"""Choosing words so that gradients pass: Gumbel-softmax with the straight-through estimator."""

from typing import Any

import torch
from torch import Tensor


class _ChosenRows(torch.autograd.Function):
    """Forwards the table's row of the chosen word; backwards as if every row had been mixed in by its share."""

    @staticmethod
    def forward(context: Any, _shares: Tensor, table: Tensor, chosen: Tensor) -> Tensor:
        context.save_for_backward(table, chosen)
        return table[chosen]

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        table, chosen = context.saved_tensors
        for_table = torch.zeros_like(table).index_add_(0, chosen, gradient)
        return gradient @ table.T, for_table, None


def straight_through(shares: Tensor, table: Tensor, chosen: Tensor) -> Tensor:
    """Embeddings of chosen words: (rows, width), from shares (rows, words), a table (words, width), chosen (rows)."""
    rows: Tensor = _ChosenRows.apply(shares, table, chosen)  # type: ignore[no-untyped-call]
    return rows


def gumbel_softmax(scores: Tensor, *, temperature: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """A word drawn for each row by its probability, and the relaxed choice: (rows), (rows, words)."""
    noise = torch.empty_like(scores).exponential_(generator=generator).clamp_(min=1e-20).log_().neg_()
    noisy = (scores + noise) / temperature
    return noisy.detach().argmax(dim=-1), noisy.softmax(dim=-1)


def dropped(values: Tensor, share: float, generator: torch.Generator | None) -> Tensor:
    """Dropout with a generator of its own; none without a generator."""
    if generator is None or share == 0:
        return values
    kept = torch.empty_like(values).bernoulli_(1 - share, generator=generator)
    return values * kept / (1 - share)
