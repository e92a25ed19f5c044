"""Files of the `tokenizers` library, also in the smaller form in which the package has its own."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from ealm.common.storage import parse_json, read_text_or_packed


def read_tokenizer(path: Path) -> Tokenizer:
    """Read a `tokenizer.json`, or the `tokenizer.json.gz` in its place; the library raises plain exceptions."""
    description = parse_json(read_text_or_packed(path))
    vocabulary = description["model"]["vocab"]
    if isinstance(vocabulary, list) and set(map(type, vocabulary)) <= {str}:
        description["model"]["vocab"] = {entry: number for number, entry in enumerate(vocabulary)}
    return Tokenizer.from_str(json.dumps(description))


def with_listed_vocabulary(description: dict[str, Any]) -> dict[str, Any]:
    """The same tokenizer with its vocabulary as a list in the order of the ids: two thirds of the size, compressed."""
    ids: dict[str, int] = description["model"]["vocab"]
    entries: Sequence[str] = sorted(ids, key=lambda entry: ids[entry])
    if [ids[entry] for entry in entries] != list(range(len(entries))):
        raise ValueError("the ids of its vocabulary have gaps")
    return {**description, "model": {**description["model"], "vocab": entries}}
