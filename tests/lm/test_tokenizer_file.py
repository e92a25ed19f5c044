"""Tokenizers in the smaller form of the package."""

import gzip
import json
from pathlib import Path

import pytest
from tiny_models import save_tiny_bert

from ealm.lm.tokenizer_file import read_tokenizer, with_listed_vocabulary


def test_a_listed_vocabulary_gives_the_same_tokenizer(tmp_path: Path) -> None:
    plain = save_tiny_bert(tmp_path) / "tokenizer.json"
    expected = read_tokenizer(plain).to_str()
    listed = with_listed_vocabulary(json.loads(plain.read_text(encoding="utf-8")))
    assert isinstance(listed["model"]["vocab"], list)
    plain.with_name("tokenizer.json.gz").write_bytes(gzip.compress(json.dumps(listed).encode()))
    plain.unlink()
    assert read_tokenizer(plain).to_str() == expected


def test_a_vocabulary_with_gaps_cannot_be_listed() -> None:
    with pytest.raises(ValueError, match="gaps"):
        with_listed_vocabulary({"model": {"vocab": {"a": 0, "b": 2}}})
