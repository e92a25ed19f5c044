"""Sentences of pieces that are hard to write down, and what is tidied and written of them."""

from collections.abc import Collection, Mapping, Sequence

from hypothesis import strategies as st

from ealm.text.detokenizer import Layout
from ealm.text.sentences import Sentence
from ealm.text.tokenizer import tokenize

PIECES = (
    "river",
    "The",
    "U.S.",
    "5.2",
    "'s",
    "$",
    "%",
    "#",
    "@",
    "&",
    "日",
    "👍",
    *"()[]“”‘’\"'.,;:!?-—/…",
    " ",
    " ",
    " ",
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map(lambda pieces: "".join(pieces).strip()).filter(bool)


def sentence_of(text: str) -> Sentence:
    return Sentence(text, tuple(tokenize(text)))


def tidied(text: str, kept: Collection[int], *, locked: Collection[int] = ()) -> list[int]:
    return Layout(sentence_of(text)).tidied(kept, locked=locked)


def written(sentence: Sentence, kept: Sequence[int], replacements: Mapping[int, str] | None = None) -> str:
    return Layout(sentence).written(kept, replacements)
