"""Initial word embeddings of the baselines: the embedding table of the bundled sentence encoder, reduced in width."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ealm.lm import bundled as embedded
from ealm.lm.bert import LightTokenizer
from ealm.lm.int8_weights import read_compact

_TABLE = "embeddings.word_embeddings.weight"
SPECIAL_TOKENS = ("[CLS]", "[SEP]", "[UNK]")
"""The encoder's entries for a start, an end and an unknown word."""
_STANDARD_DEVIATION = 0.2
"""Of all numbers of SEQ3's table."""


def table_vectors(words: Sequence[str]) -> Tensor:
    """For each word or special token the mean of the encoder's vectors of its pieces: (words, 384)."""
    folder = embedded.encoder_folder()
    table = read_compact(folder)[_TABLE]
    tokenizer = LightTokenizer.read(folder / "tokenizer.json").backend_tokenizer
    cut = tokenizer.encode_batch(list(words), add_special_tokens=False)
    unknown = tokenizer.encode(SPECIAL_TOKENS[-1], add_special_tokens=False).ids
    pieces = [each.ids or unknown for each in cut]
    flat = torch.tensor([piece for row in pieces for piece in row])
    starts = torch.tensor([0, *map(len, pieces[:-1])]).cumsum(0)
    return nn.functional.embedding_bag(flat, table, starts, mode="mean")


def principal_components(vectors: Tensor, width: int) -> Tensor:
    """Rows in the directions in which they differ most: (rows, width)."""
    centred = vectors - vectors.mean(dim=0)
    _, directions = torch.linalg.eigh(centred.T @ centred)  # from the least variance to the greatest
    chosen = directions[:, -width:].flip(1)  # (columns, width)
    # A direction has no sign of its own: let its greatest part be positive, so that the result is always the same.
    greatest = chosen.gather(0, chosen.abs().argmax(dim=0, keepdim=True))
    components: Tensor = centred @ (chosen * greatest.sign())
    return components


def seq3_embeddings(words: Sequence[str], width: int, *, first_word: int, generator: torch.Generator) -> Tensor:
    """The table of a vocabulary: (first_word + words, width); rows before the first word are random."""
    table = _STANDARD_DEVIATION * torch.randn(first_word + len(words), width, generator=generator)
    if words:
        table[first_word:] = rescaled_components(table_vectors(words), width)
    return table


def rescaled_components(vectors: Tensor, width: int) -> Tensor:
    """Principal components of the rows, scaled to the common standard deviation: (rows, width)."""
    components = principal_components(vectors, width)
    scaled: Tensor = components * (_STANDARD_DEVIATION / components.square().mean().sqrt().clamp(min=1e-6))
    return scaled


def cmatch_embeddings(words: Sequence[str], width: int) -> Tensor:
    """Vectors of start, end, unknown and all words: (3 + words, width), of length 1 on average."""
    vectors = principal_components(table_vectors([*SPECIAL_TOKENS, *words]), width)
    scaled: Tensor = vectors / vectors.norm(dim=1).mean()
    return scaled
