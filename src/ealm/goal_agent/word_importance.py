"""What each word carries of the meaning of its sentence. The costly look of training, so it can be stored and shared.

meaning: the similarity to the whole sentence that is lost when the word alone goes; likeness: the similarity of the
word alone. A sentence of n words takes n looks at n - 1 words and n at one; punctuation weighs nothing.
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
from ealm.text.detokenizer import is_mark
from ealm.text.words import join_words

FORMAT = "1"


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Of the words of one sentence."""

    meaning: Floats
    likeness: Floats


class Weigher:
    """Weighs the words of sentences, or knows what they weigh."""

    def __init__(self, similarity: Similarity, known: "Mapping[int, WordWeights] | None" = None) -> None:
        self._similarity = similarity
        self._known = known or {}

    def weigh(self, sentences: Sequence[Sequence[str]]) -> list[WordWeights]:
        """Weights in the order of the sentences."""
        stored = [self._known.get(sentence_key(words)) for words in sentences]
        new = [words for words, weights in zip(sentences, stored, strict=True) if weights is None]
        fresh = self._look(new)
        return [next(fresh) if weights is None else weights for weights in stored]

    def _look(self, sentences: Sequence[Sequence[str]]) -> Iterator[WordWeights]:
        spoken = [[place for place, word in enumerate(words) if not is_mark(word)] for words in sentences]
        sources: list[str] = []
        drafts: list[str] = []
        for words, places in zip(sentences, spoken, strict=True):
            drafts += [join_words([*words[:place], *words[place + 1 :]]) for place in places]
            drafts += [words[place] for place in places]
            sources += [join_words(words)] * (2 * len(places))
        found = np.asarray(self._similarity(sources, drafts) if sources else [], dtype=np.float32)
        start = 0
        for words, places in zip(sentences, spoken, strict=True):
            weights = WordWeights(np.zeros(len(words), np.float32), np.zeros(len(words), np.float32))
            without, alone = found[start : start + 2 * len(places)].reshape(2, -1)
            weights.meaning[places], weights.likeness[places] = 1 - without, alone
            yield weights
            start += 2 * len(places)


def sentence_key(words: Sequence[str]) -> int:
    """A number that tells sentences apart."""
    digest = hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def save_weights(path: Path, weights: Mapping[int, WordWeights], similarity_name: str) -> None:
    """Write weights by sentence; a reader never sees a half-written file."""
    rows = list(weights.values())
    tensors = {
        "keys": torch.tensor(list(weights), dtype=torch.long),
        "lengths": torch.tensor([len(row.meaning) for row in rows], dtype=torch.long),
        "meaning": joined([row.meaning for row in rows]),
        "likeness": joined([row.likeness for row in rows]),
    }
    write_tensors(path, tensors, {"format": FORMAT, "similarity": similarity_name})


def load_weights(path: Path, similarity_name: str) -> dict[int, WordWeights]:
    """What `save_weights` wrote with the same similarity model."""
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in ("keys", "lengths", "meaning", "likeness")}
        if header.get("format") != FORMAT or header.get("similarity") != similarity_name:
            raise RunError(
                f"{path} was weighed with {header.get('similarity', 'another similarity model')!r}, "
                f"not with {similarity_name!r}. Weigh the corpus anew: ealm weigh"
            )
        meaning, likeness = (cut(tensors[name], tensors["lengths"]) for name in ("meaning", "likeness"))
        keys = tensors["keys"].tolist()
        return {key: WordWeights(m, a) for key, m, a in zip(keys, meaning, likeness, strict=True)}
    except (OSError, SafetensorError, KeyError, ValueError, RuntimeError, TypeError) as error:
        raise RunError(f"{path} holds no weights of words ({error}). Weigh the corpus with: ealm weigh") from error


def joined(rows: Sequence[Floats]) -> Tensor:
    """Rows of different lengths, one after the other."""
    return torch.from_numpy(np.concatenate([np.empty(0, dtype=np.float32), *rows]))


def cut(row: Tensor, lengths: Tensor) -> list[Floats]:
    """The reverse of `joined`; raises if the lengths do not add up."""
    pieces: tuple[Tensor, ...] = torch.split(row, lengths.tolist())
    return [piece.numpy() for piece in pieces]
