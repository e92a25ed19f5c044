"""First word embeddings: the word table of the embedded sentence encoder, reduced by principal components."""

from collections.abc import Sequence

import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from torch import Tensor

from ealm import embedded
from ealm.baselines.seq3.vocabulary import Vocabulary

_TABLE = "embeddings.word_embeddings.weight"
_UNKNOWN_PIECE = "[UNK]"
_SPREAD = 0.2
"""Standard deviation of all numbers of the table."""


def first_embeddings(vocabulary: Vocabulary, width: int, generator: torch.Generator) -> Tensor:
    """Embeddings to start from: (size of the vocabulary, width); what is no word gets random ones."""
    table = _SPREAD * torch.randn(vocabulary.size, width, generator=generator)
    if vocabulary.words:
        table[vocabulary.first_word :] = reduced(_encoder_vectors(vocabulary.words), width)
    return table


def reduced(vectors: Tensor, width: int) -> Tensor:
    """Principal components of the rows, scaled to a common spread: (rows, width)."""
    centred = vectors - vectors.mean(dim=0)
    _, directions = torch.linalg.eigh(centred.T @ centred)  # from the least variance to the greatest
    chosen = directions[:, -width:].flip(1)  # (columns, width)
    # A direction has no sign of its own: let its greatest part be positive, so that the result is always the same.
    greatest = chosen.gather(0, chosen.abs().argmax(dim=0, keepdim=True))
    components: Tensor = centred @ (chosen * greatest.sign())
    scaled: Tensor = components * (_SPREAD / components.square().mean().sqrt().clamp(min=1e-6))
    return scaled


def _encoder_vectors(words: Sequence[str]) -> Tensor:
    """For each word the mean of the encoder's vectors of its pieces."""
    folder = embedded.encoder_folder()
    with safe_open(folder / "model.safetensors", framework="pt") as file:
        table: Tensor = file.get_tensor(_TABLE).float()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    unknown = tokenizer.encode(_UNKNOWN_PIECE, add_special_tokens=False).ids
    tokenizer.no_padding()
    tokenizer.no_truncation()
    pieces = [each.ids or unknown for each in tokenizer.encode_batch(list(words), add_special_tokens=False)]
    flat = torch.tensor([number for each in pieces for number in each])
    starts = torch.tensor([0, *(len(each) for each in pieces[:-1])]).cumsum(0)
    return torch.nn.functional.embedding_bag(flat, table, starts, mode="mean")
