"""Words of a domain in a BERT vocabulary: its unused entries become frequent words that it lacks."""

import copy
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

_UNUSED = re.compile(r"\[unused\d+\]$")
_DIGIT = re.compile(r"\d")

LEAST_COUNT = 20
"""A word must occur so often to be added: rarer ones could not be learned."""


def unused_ids(tokenizer: Mapping[str, Any]) -> list[int]:
    """Ids of the unused entries in the JSON of a tokenizer."""
    return sorted(number for token, number in tokenizer["model"]["vocab"].items() if _UNUSED.match(token))


def shape(word: str) -> str:
    """A number with its digits hidden, as corpora of this field write it."""
    return _DIGIT.sub("#", word)


def frequent_new_words(unknown: Counter[str], most: int) -> list[str]:
    """The most frequent unknown words; numbers count for their common shape."""
    counts: Counter[str] = Counter()
    for word, count in unknown.items():
        counts[shape(word)] += count
    return [word for word, count in counts.most_common(most) if count >= LEAST_COUNT]


def with_new_words(tokenizer: Mapping[str, Any], words: Mapping[str, int]) -> dict[str, Any]:
    """The JSON of a tokenizer in which these words are known by these ids, which were unused before.

    A word such as "corp." would be cut at its full stop, so the new words are also listed as added tokens,
    which the tokenizer finds before it cuts.
    """
    changed: dict[str, Any] = copy.deepcopy(dict(tokenizer))
    vocabulary: dict[str, int] = changed["model"]["vocab"]
    for word in words.keys() & vocabulary.keys():  # the same letters as a piece of a word, such as "###"
        number = vocabulary.pop(word)
        vocabulary[f"[unused piece {number}]"] = number
    by_id = {number: token for token, number in vocabulary.items()}
    for word, number in words.items():
        del vocabulary[by_id[number]]
        vocabulary[word] = number
    changed["model"]["vocab"] = dict(sorted(vocabulary.items(), key=lambda entry: entry[1]))
    added = [
        {
            "id": number,
            "content": word,
            "single_word": True,
            "lstrip": False,
            "rstrip": False,
            "normalized": True,
            "special": False,
        }
        for word, number in words.items()
    ]
    changed["added_tokens"] = sorted([*changed["added_tokens"], *added], key=lambda entry: entry["id"])
    changed["truncation"] = changed["padding"] = None
    return changed
