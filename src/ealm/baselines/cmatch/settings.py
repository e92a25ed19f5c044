"""All settings of CMatch: those of the language models, of fitting them, and of the search."""

from dataclasses import dataclass

from ealm.common.checks import Checked, check_above_zero, check_at_least, check_between

GREATEST_WIDTH = 384
"""Width of the word table that both language models start from."""


@dataclass(frozen=True, kw_only=True)
class CMatchSettings(Checked):
    """Defaults are the published values where there are such."""

    # Both language models
    width: int = 192
    """Of embeddings and LSTM layers; below 384 the word table is reduced to its principal components."""
    layers: int = 2
    vocabulary_words: int = 16_000
    least_count: int = 2
    """A word must occur so often among the sentences to be known."""

    # Fitting them
    contextual_share: float = 0.5
    """Part of the time that the contextual encoder gets; the fluency model gets the rest."""
    learning_rate: float = 2e-3
    warm_up_updates: int = 50
    tokens_per_update: int = 1_024
    negative_words: int = 2_048
    """Words drawn for an update to estimate the softmax with; 0 takes the whole vocabulary."""
    dropout: float = 0.1
    weight_decay: float = 0.01
    gradient_clip: float = 1.0
    longest_sentence: int = 60
    """Longer sentences are left out of fitting."""
    log_every_updates: int = 100

    # Search
    beam: int = 10
    candidates_per_word: int = 6
    """K: a source word stands for itself and its nearest words, so many in all; 1 is extractive."""
    fluency_weight: float = 0.11
    """lambda: exponent of the fluency model in the product of experts."""
    length_exponent: float = 0.1
    """alpha: the score of a finished summary is divided by its number of words to this power."""
    max_words: int = 15
    """Longest summary if no length is asked for."""
    strictly_forward: bool = True
    """Whether a word is aligned behind the one before it; otherwise at the same position or behind it."""
    normalised_matching: bool = False
    """Whether the matching scores of a step are a softmax over all candidates; otherwise its normaliser is left out."""
    smoothing_words: int = 1
    """The fluency of a word is the sum over its nearest words, so many in all, itself included; 1 is no smoothing."""
    max_source_words: int = 200
    """Words behind these are not read."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "layers", "vocabulary_words", "least_count", "warm_up_updates", "tokens_per_update")
        check_at_least(self, 1, "longest_sentence", "log_every_updates", "beam", "candidates_per_word", "max_words")
        check_at_least(self, 1, "smoothing_words", "max_source_words")
        check_at_least(self, 0, "negative_words", "weight_decay", "fluency_weight", "length_exponent")
        check_between(self, 2, GREATEST_WIDTH, "width")
        check_between(self, 0, 0.9, "dropout")
        check_between(self, 0.01, 0.99, "contextual_share")
        check_above_zero(self, "learning_rate", "gradient_clip")


SEARCH_SETTINGS = frozenset(
    """
    beam candidates_per_word fluency_weight length_exponent max_words strictly_forward normalised_matching
    smoothing_words max_source_words
    """.split()
)
"""What may be changed after fitting."""
