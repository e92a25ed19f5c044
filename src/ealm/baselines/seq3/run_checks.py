"""What a run may be started on, and what makes it the run that it is."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ealm.baselines.seq3.settings import Seq3Settings
from ealm.common.errors import CorpusError, SettingsError
from ealm.common.identity import text_fingerprint
from ealm.text.words import join_words


@dataclass(frozen=True, slots=True)
class Validation:
    """Sentences with references, on which SEQ3+ chooses its weights."""

    sources: Sequence[str]
    """Their words are separated by white space."""
    references: Sequence[str] | Sequence[Sequence[str]]
    """For each source its reference or several."""
    score: Callable[[Sequence[str], Sequence[str] | Sequence[Sequence[str]]], float]
    """Of summaries against the references; higher is better."""


def usable_sentences(sentences: Sequence[Sequence[str]], settings: Seq3Settings) -> list[Sequence[str]]:
    """The sentences that are learned from: two words at least, and not too many."""
    for number, sentence in enumerate(sentences, start=1):
        if isinstance(sentence, str):
            raise CorpusError(f"Sentence {number} must be a list of words, got one text. Split it first.")
        if any(word.split() != [word] for word in sentence):
            raise CorpusError(f"Sentence {number} has a word that is empty or holds white space. Split it there.")
    usable = [sentence for sentence in sentences if 2 <= len(sentence) <= settings.max_words]
    if not usable:
        raise CorpusError(
            f"There is no sentence of 2 to {settings.max_words} words among the {len(sentences):,} given. "
            "Check that the corpus is not empty, and that max_words is large enough."
        )
    return usable


def check_validation(validation: Validation) -> None:
    """Refuse a validation set that cannot be scored."""
    sources, references = validation.sources, validation.references
    if not sources or len(sources) != len(references):
        raise CorpusError(
            f"A validation set needs as many references as sources, and at least one: got {len(sources)} sources and "
            f"{len(references)} references."
        )


def run_identity(
    sentences: Sequence[Sequence[str]], *, settings: Seq3Settings, seed: int, validation: Validation | None
) -> dict[str, Any]:
    """What must be the same for a run to be resumed."""
    if seed < 0:
        raise SettingsError(f"seed must be at least 0, got {seed}.")
    return {
        "settings": settings.to_dict(),
        "seed": seed,
        "corpus": text_fingerprint(map(join_words, sentences)),
        "validation set": None if validation is None else text_fingerprint(_pairs(validation)),
    }


def _pairs(validation: Validation) -> Iterable[str]:
    return map(repr, zip(validation.sources, validation.references, strict=True))
