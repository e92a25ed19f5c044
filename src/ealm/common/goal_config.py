"""Settings of the agent that is told a length (docs/beyond.md)."""

import dataclasses
from dataclasses import dataclass, field
from typing import Literal

from ealm.common.checks import Checked, check_above_zero, check_at_least, check_share
from ealm.common.errors import SettingsError


@dataclass(frozen=True, kw_only=True)
class PartSettings(Checked):
    """Weights of the parts of a draft's value Phi; a part of weight 0 is never worked out (docs/beyond.md)."""

    meaning: float = 1.0
    """Similarity to the source that is lost when this word alone goes."""
    likeness: float = 0.0
    """Similarity of the word alone to the whole sentence."""
    early: float = 0.0
    """Words at the beginning of the sentence."""
    unbroken: float = 0.0
    """Neighbours that are still neighbours."""
    hanging: float = 0.0
    """A malus for a function word whose next word is gone."""
    bare: float = 0.0
    """A malus for a word whose preposition is gone."""
    negated: float = 0.0
    """A word that takes its negation with it; only in plans."""
    protection: float = 0.0
    """Numbers, names and negations."""
    similarity: float = 0.0
    """Similarity of the finished draft to the source, as a whole."""
    fluency: float = 0.0
    """Fluency of the finished draft, against how likely its words are anyway."""
    joints: float = 0.0
    """The same at the joints alone, where words were removed."""
    reconstruction: float = 0.0
    """The paper's reconstruction rate of the finished draft."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 0, *(part.name for part in dataclasses.fields(self)))
        if not any(getattr(self, part.name) for part in dataclasses.fields(self)):
            raise SettingsError("At least one part of the value of a draft must have a weight above 0.")


@dataclass(frozen=True, kw_only=True)
class GoalAgentSettings(Checked):
    """What the agent that is told a length sees, and the shape of its network."""

    sees: Literal["words", "meaning"] = "words"
    """Encodings of the language model, which knows whole words only, or of the embedded sentence encoder."""
    hidden_units: int = 160
    neighbours: bool = True
    """The words of the draft that stand left and right of a word, and how many are gone between."""
    draft: bool = True
    """The mean of what is left of the sentence."""
    position: bool = True
    """Where in the sentence the word stands."""
    dueling: bool = True
    """The value of the state and the advantage of each word, learned apart."""
    estimates: bool = False
    """Learn what each word is worth beside the Q-values: they build on it, and drafts can be planned with it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "hidden_units")


@dataclass(frozen=True, kw_only=True)
class GoalLearningSettings(Checked):
    """Q-learning of walks towards a length."""

    discount: float = 1.0
    batch_walks: int = 16
    """Walks in an update; every step of them is learned from."""
    replay_walks: int = 2_000
    learning_rate: float = 0.001
    gradient_clip: float = 10.0
    target_period: int = 100
    """Updates between two copies of the weights into the target network."""
    double: bool = True
    """The agent chooses the next word, the target network tells its value."""
    returns: int = 1
    """Steps whose rewards are counted before the value of what follows (n)."""
    dropout: float = 0.3
    """Share of the numbers that are hidden while the worth of words is learned."""
    priority: float = 0.6
    """How much more often surprising walks are learned from; 0: all alike."""
    sentences_per_collection: int = 16
    walks_per_sentence: int = 4
    """Walks over the same sentence, each towards a length of its own."""
    updates_per_collection: int = 16
    exploration: Literal["chance", "noise"] = "chance"
    """A step takes any word with the exploring probability, or every step adds noise of that share of the spread."""
    shortest: float = 0.15
    longest: float = 0.7
    """The length to reach is drawn between these shares of the sentence."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self, "discount", "dropout", "priority", "shortest", "longest")
        check_at_least(self, 1, "batch_walks", "replay_walks", "target_period", "returns")
        check_at_least(self, 1, "sentences_per_collection", "walks_per_sentence", "updates_per_collection")
        check_above_zero(self, "learning_rate", "gradient_clip")
        if self.shortest > self.longest:
            raise SettingsError(f"shortest must not exceed longest, got {self.shortest:g} > {self.longest:g}.")


@dataclass(frozen=True, kw_only=True)
class GoalSettings(Checked):
    """The agent that is told how long its draft shall be (docs/beyond.md)."""

    parts: PartSettings = field(default_factory=PartSettings)
    style: Literal["plain", "headline"] = "plain"
    """With `headline`, plans do without articles and auxiliaries first, and words that only those kept apart count as
    neighbours."""
    agent: GoalAgentSettings = field(default_factory=GoalAgentSettings)
    learning: GoalLearningSettings = field(default_factory=GoalLearningSettings)
