"""What is measured on: the shipped models, and sentences that were written for this project (`data/`)."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ealm.lm import bundled
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.summarize.summarizer import Summarizer
from ealm.text.sentences import split_sentences
from ealm.text.tokenizer import spaced

DATA = Path(__file__).parent / "data"
_STEP = 7
"""Neighbours in a file are about the same thing, so every so many are taken."""


def language_model(folder: str | None = None) -> TransformersMaskedLM:
    """The language model in the package, or the one in a folder, in single precision."""
    return TransformersMaskedLM.load(bundled.NAME if folder is None else folder, engine="torch")


def paper_summarizer(folder: str | None = None) -> Summarizer:
    """The shipped agent that was trained as in the paper, which chooses its own length."""
    return Summarizer("embedded-paper", lm=folder, engine="torch")


def raw_sentences(count: int | None = None) -> list[str]:
    """Sentences as they were written."""
    return list(islice(_texts("reading.jsonl"), count))


def sentences_of_length(count: int, lengths: tuple[int, int]) -> list[str]:
    """Sentences of documents with so many words, both lengths included, and one space between all words."""
    cut = (spaced(own.text) for text in _texts("documents.jsonl") for own in split_sentences(text))
    fitting = (own for own in cut if lengths[0] <= len(own.split()) <= lengths[1])
    found = list(islice(fitting, 0, None, _STEP))[:count]
    if len(found) < count:
        raise ValueError(f"the data have {len(found)} sentences of {lengths[0]} to {lengths[1]} words, not {count}")
    return found


def running_text(count: int, length: int) -> list[str]:
    """Rows of exactly so many words, one sentence behind the other with semicolons: few sentences have sixty words."""
    words = iter(
        word
        for text in _texts("documents.jsonl")
        for own in split_sentences(text)
        for word in (*spaced(own.text).rstrip(" .").split(), ";")
    )
    return [" ".join(islice(words, length)) for _ in range(count)]


def _texts(name: str) -> Iterator[str]:
    with (DATA / name).open(encoding="utf-8") as lines:
        yield from (json.loads(line)["text"] for line in lines)
