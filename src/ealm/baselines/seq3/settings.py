"""Settings of SEQ3; where the default is not the paper's, docs/baselines.md says so."""

from dataclasses import dataclass

from ealm.common.checks import Checked, check_above_zero, check_at_least, check_between
from ealm.common.errors import SettingsError

WIDEST_EMBEDDING = 384
"""Width of the word table that the embeddings are reduced from."""


@dataclass(frozen=True, kw_only=True)
class Seq3Settings(Checked):
    """Sizes, lengths, weights of the losses and how to learn."""

    vocabulary: int = 15_000
    """Most words that are known; the others are copied through placeholders."""
    least_count: int = 2
    """A word must be seen so often to be known."""
    placeholders: int = 10
    """Different unknown words of a sentence that can be told apart."""
    candidates: int = 3_000
    """Words of the sampled softmax of an update; from the size of the vocabulary on, all of them."""
    max_words: int = 60
    """Longer sentences are not learned from."""

    embedding_width: int = 100
    hidden: int = 256
    """Width of every LSTM; the encoder gives half of it to each direction."""
    encoder_layers: int = 1

    shortest: float = 0.4
    longest: float = 0.6
    """The length of a summary is drawn between these shares of the source's length."""
    inference_ratio: float = 0.5
    """Length of a summary at inference if none is asked for, as a share of the source's."""
    temperature: float = 0.5
    """Of the Gumbel-softmax: the lower, the nearer to a choice."""

    reconstruction_weight: float = 1.0
    prior_weight: float = 0.1
    topic_weight: float = 1.0
    length_weight: float = 0.1

    batch: int = 64
    learning_rate: float = 1e-3
    autoencoder_learning_rate: float = 2e-3
    """While learning to copy, which needs less care: every word is given, and none is drawn."""
    gradient_clip: float = 1.0
    dropout: float = 0.2
    """Share of each embedding that is hidden while learning."""
    word_dropout: float = 0.5
    """Share of the input words that are hidden from the reconstructor's decoder."""
    validate_every: int = 100
    """Updates between two scores on the validation set."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "vocabulary", "least_count", "hidden", "encoder_layers", "batch", "candidates")
        check_at_least(self, 1, "validate_every", "max_words")
        check_at_least(self, 0, "placeholders", "reconstruction_weight", "prior_weight", "topic_weight")
        check_at_least(self, 0, "length_weight")
        check_between(self, 1, WIDEST_EMBEDDING, "embedding_width")
        check_above_zero(self, "learning_rate", "autoencoder_learning_rate", "gradient_clip", "temperature")
        check_between(self, 0, 0.99, "dropout", "word_dropout")
        check_between(self, 0.01, 1, "shortest", "longest", "inference_ratio")
        if self.hidden % 2:
            raise SettingsError(f"hidden must be even, half for each direction of the encoder, got {self.hidden}.")
        if self.shortest > self.longest:
            raise SettingsError(f"shortest must not be above longest, got {self.shortest:g} and {self.longest:g}.")
