"""All settings of CMatch: those of the language models, of fitting them, and of the search."""

from dataclasses import dataclass

from ealm.common.checks import Checked, check_above_zero, check_at_least, check_between

_WORD_TABLE_WIDTH = 384
"""Of the word table that both language models start from."""


@dataclass(frozen=True, kw_only=True)
class CMatchSettings(Checked):
    """Defaults are the published values where there are such."""

    # Both language models
    embedding_width: int = _WORD_TABLE_WIDTH
    """Of the word embeddings; if smaller, the word table is reduced to its principal components."""
    width: int = 384
    """Of the LSTM layers."""
    layers: int = 2
    vocabulary_words: int = 30_000
    least_count: int = 2
    """A word must occur so often among the sentences to be known."""

    # Fitting them
    contextual_share: float = 0.8
    """Part of the time that the contextual encoder gets; the fluency model gets the rest."""
    learning_rate: float = 2e-3
    warm_up_updates: int = 100
    tokens_per_update: int = 2_048
    negative_words: int = 1_024
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
    screened_words: int = 10
    """A word is no candidate if it is among so many that are nearest to a source word in the fluency model's output."""
    frequent_words: int = 300
    """So many of the most frequent words may be candidates nevertheless."""
    fluency_weight: float = 0.11
    """lambda: exponent of the fluency model in the product of experts."""
    length_offset: float = 0.1
    """The score of a finished summary is divided by its number of words, the end included, less this."""
    max_words: int = 20
    """Longest summary if no length is asked for."""
    max_source_words: int = 200
    """Words behind these are not read."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "layers", "vocabulary_words", "least_count", "warm_up_updates", "tokens_per_update")
        check_at_least(self, 1, "longest_sentence", "log_every_updates", "beam", "candidates_per_word", "max_words")
        check_at_least(self, 1, "width", "max_source_words")
        check_at_least(self, 0, "negative_words", "weight_decay", "fluency_weight", "screened_words", "frequent_words")
        check_between(self, 2, _WORD_TABLE_WIDTH, "embedding_width")
        check_between(self, 0, 0.9, "dropout", "length_offset")
        check_between(self, 0.01, 0.99, "contextual_share")
        check_above_zero(self, "learning_rate", "gradient_clip")


SEARCH_SETTINGS = frozenset(
    """
    beam candidates_per_word screened_words frequent_words fluency_weight length_offset max_words max_source_words
    """.split()
)
"""What may be changed after fitting."""
