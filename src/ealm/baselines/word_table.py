"""Where the baselines' word embeddings start: the word table of the embedded sentence encoder."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ealm.lm import bundled as embedded
from ealm.lm.bert import LightTokenizer
from ealm.lm.int8_weights import read_compact

_TABLE = "embeddings.word_embeddings.weight"
MARKS = ("[CLS]", "[SEP]", "[UNK]")
"""The encoder's entries for a start, an end and an unknown word."""


def table_vectors(words: Sequence[str]) -> Tensor:
    """For each word, or mark, the mean of the encoder's vectors of its pieces: (words, 384)."""
    folder = embedded.encoder_folder()
    table = read_compact(folder)[_TABLE]
    tokenizer = LightTokenizer.read(folder / "tokenizer.json").backend_tokenizer
    cut = tokenizer.encode_batch(list(words), add_special_tokens=False)
    unknown = tokenizer.encode(MARKS[-1], add_special_tokens=False).ids
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
