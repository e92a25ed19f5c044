"""The importance of each word of a sentence, measured by a sentence-similarity model.

Leave-one-out similarity: the similarity to the whole sentence that is lost when the word alone is removed. Word
similarity: the similarity of the word alone to the sentence. A sentence of n words takes n forward passes of n - 1
words and n of one word, the most expensive part of training, so the result can be stored and shared. Punctuation has
no importance.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from ealm.common.errors import RunError
from ealm.common.storage import write_tensors
from ealm.goal_agent.potential import Floats
from ealm.paper.assessment import Similarity
from ealm.text.detokenizer import is_punctuation
from ealm.text.words import join_words

FORMAT = "1"

_TENSORS = ("keys", "lengths", "meaning", "likeness")
"""Names in a stored file; the last two are leave-one-out and word similarity, in the words of the first version."""


@dataclass(frozen=True, slots=True)
class WordImportance:
    """Measurements of the words of one sentence."""

    leave_one_out_similarity: Floats
    word_similarity: Floats


class ImportanceModel:
    """Measures the importance of words; sentences that were measured before are looked up."""

    def __init__(self, similarity: Similarity, known: Mapping[int, WordImportance] | None = None) -> None:
        """`known` has stored measurements by `sentence_key`."""
        self._similarity = similarity
        self._known = known or {}

    def measure(self, sentences: Sequence[Sequence[str]]) -> list[WordImportance]:
        """Importance of the words, in the order of the sentences."""
        stored = [self._known.get(sentence_key(words)) for words in sentences]
        new = [words for words, own in zip(sentences, stored, strict=True) if own is None]
        fresh = self._measured(new)
        return [next(fresh) if own is None else own for own in stored]

    def _measured(self, sentences: Sequence[Sequence[str]]) -> Iterator[WordImportance]:
        word_indices = [[index for index, word in enumerate(words) if not is_punctuation(word)] for words in sentences]
        sources: list[str] = []
        shortened: list[str] = []
        for words, indices in zip(sentences, word_indices, strict=True):
            shortened += [join_words([*words[:index], *words[index + 1 :]]) for index in indices]
            shortened += [words[index] for index in indices]
            sources += [join_words(words)] * (2 * len(indices))
        found = np.asarray(self._similarity(sources, shortened) if sources else [], dtype=np.float32)
        start = 0
        for words, indices in zip(sentences, word_indices, strict=True):
            own = WordImportance(np.zeros(len(words), np.float32), np.zeros(len(words), np.float32))
            without, alone = found[start : start + 2 * len(indices)].reshape(2, -1)
            own.leave_one_out_similarity[indices], own.word_similarity[indices] = 1 - without, alone
            yield own
            start += 2 * len(indices)


def sentence_key(words: Sequence[str]) -> int:
    """A hash of the words of a sentence."""
    digest = hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def save_importance(path: Path, importance: Mapping[int, WordImportance], similarity_name: str) -> None:
    """Write measurements by sentence key; a reader never sees a half-written file."""
    rows = list(importance.values())
    keys = torch.tensor(list(importance), dtype=torch.long)
    lengths = torch.tensor([len(row.word_similarity) for row in rows], dtype=torch.long)
    lost = joined([row.leave_one_out_similarity for row in rows])
    alone = joined([row.word_similarity for row in rows])
    tensors = dict(zip(_TENSORS, (keys, lengths, lost, alone), strict=True))
    write_tensors(path, tensors, {"format": FORMAT, "similarity": similarity_name})


def load_importance(path: Path, similarity_name: str) -> dict[int, WordImportance]:
    """What `save_importance` wrote with the same similarity model."""
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            keys, lengths, lost, alone = (file.get_tensor(name) for name in _TENSORS)
        if header.get("format") != FORMAT or header.get("similarity") != similarity_name:
            raise RunError(
                f"{path} was measured with {header.get('similarity', 'another similarity model')!r}, "
                f"not with {similarity_name!r}. Measure the corpus anew: ealm word-importance"
            )
        columns = zip(keys.tolist(), cut(lost, lengths), cut(alone, lengths), strict=True)
        return {key: WordImportance(*row) for key, *row in columns}
    except (OSError, SafetensorError, KeyError, ValueError, RuntimeError, TypeError) as error:
        raise RunError(
            f"{path} holds no word importance ({error}). Measure the corpus with: ealm word-importance"
        ) from error


def joined(rows: Sequence[Floats]) -> Tensor:
    """Rows of different lengths, one after the other."""
    return torch.from_numpy(np.concatenate([np.empty(0, dtype=np.float32), *rows]))


def cut(row: Tensor, lengths: Tensor) -> list[Floats]:
    """The reverse of `joined`; raises if the lengths do not add up."""
    pieces: tuple[Tensor, ...] = torch.split(row, lengths.tolist())
    return [piece.numpy() for piece in pieces]
