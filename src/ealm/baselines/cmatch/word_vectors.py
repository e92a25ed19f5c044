"""Where both language models start: the word table of the embedded sentence encoder."""

from collections.abc import Sequence

import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from torch import Tensor, nn

from ealm import embedded

_TABLE = "embeddings.word_embeddings.weight"
_MARKS = ("[CLS]", "[SEP]", "[UNK]")
"""The encoder's marks for start, end and an unknown word, in the order of our numbers."""


def word_vectors(words: Sequence[str], width: int) -> Tensor:
    """Vectors of start, end, unknown and all words: (3 + words, width), of length 1 on average."""
    folder = embedded.encoder_folder()
    with safe_open(folder / "model.safetensors", framework="pt") as file:
        table: Tensor = file.get_tensor(_TABLE)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    marks: list[int] = tokenizer.encode(list(_MARKS), is_pretokenized=True, add_special_tokens=False).ids
    cut = tokenizer.encode_batch(list(words), add_special_tokens=False)
    pieces: list[list[int]] = [*([mark] for mark in marks), *(each.ids or [marks[-1]] for each in cut)]
    flat = torch.tensor([piece for row in pieces for piece in row])
    starts = torch.tensor([0, *map(len, pieces[:-1])]).cumsum(0)
    vectors = nn.functional.embedding_bag(flat, table, starts, mode="mean")  # (words, 384)
    if width < vectors.shape[1]:
        vectors = principal_components(vectors, width)
    scaled: Tensor = vectors / vectors.norm(dim=1).mean()
    return scaled


def principal_components(vectors: Tensor, width: int) -> Tensor:
    """Rows in the directions in which they differ most: (rows, width)."""
    centred = vectors - vectors.mean(dim=0)
    _, directions = torch.linalg.eigh(centred.T @ centred)  # rising variance
    chosen: Tensor = centred @ directions[:, -width:].flip(1)
    return chosen
