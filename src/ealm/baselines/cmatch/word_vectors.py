"""Where both language models start: the word table of the embedded sentence encoder."""

from collections.abc import Sequence

from torch import Tensor

from ealm.baselines.word_table import MARKS, principal_components, table_vectors


def word_vectors(words: Sequence[str], width: int) -> Tensor:
    """Vectors of start, end, unknown and all words: (3 + words, width), of length 1 on average."""
    vectors = table_vectors([*MARKS, *words])
    if width < vectors.shape[1]:
        vectors = principal_components(vectors, width)
    scaled: Tensor = vectors / vectors.norm(dim=1).mean()
    return scaled
