"""First word embeddings: the word table of the embedded sentence encoder, reduced by principal components."""

import torch
from torch import Tensor

from ealm.baselines.seq3.vocabulary import Vocabulary
from ealm.baselines.word_table import principal_components, table_vectors

_SPREAD = 0.2
"""Standard deviation of all numbers of the table."""


def first_embeddings(vocabulary: Vocabulary, width: int, generator: torch.Generator) -> Tensor:
    """Embeddings to start from: (size of the vocabulary, width); what is no word gets random ones."""
    table = _SPREAD * torch.randn(vocabulary.size, width, generator=generator)
    if vocabulary.words:
        table[vocabulary.first_word :] = reduced(table_vectors(vocabulary.words), width)
    return table


def reduced(vectors: Tensor, width: int) -> Tensor:
    """Principal components of the rows, scaled to a common spread: (rows, width)."""
    components = principal_components(vectors, width)
    scaled: Tensor = components * (_SPREAD / components.square().mean().sqrt().clamp(min=1e-6))
    return scaled
