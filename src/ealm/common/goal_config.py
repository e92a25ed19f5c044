"""Settings of the goal agent, which is conditioned on a summary length (docs/goal-agent.md)."""

import dataclasses
from dataclasses import dataclass, field
from typing import Literal

from ealm.common.checks import Checked, check_above_zero, check_at_least, check_share
from ealm.common.errors import SettingsError


def word_term(function: str) -> float:
    """A term of the potential with the weight 0.

    `function` names what computes it, as `module:name` inside `ealm.goal_agent`. It takes the words of a sentence and
    returns a score for each, on any scale: scores are standardized within the sentence.
    """
    weight: float = field(default=0.0, metadata={"function": function})
    return weight


@dataclass(frozen=True, kw_only=True)
class PotentialSettings(Checked):
    """Weights of the terms of the potential Phi; a term of weight 0 is not computed (docs/goal-agent.md).

    A new term is a module in `ealm.goal_agent` and a line `NAME: float = word_term("MODULE:FUNCTION")` here
    (CONTRIBUTING.md).
    """

    leave_one_out_similarity: float = 1.0
    """Similarity to the source that is lost when this word alone is removed."""
    word_similarity: float = 0.0
    """Similarity of the word alone to the whole sentence."""
    adjacency: float = 0.0
    """Reward for two neighbours of the source that are both kept."""
    dangling_function_word: float = 0.0
    """Penalty for a function word whose next word is removed."""
    missing_preposition: float = 0.0
    """Penalty for a word whose preposition is removed."""
    negated_word: float = 0.0
    """Reward for a word that is kept together with its negation; in plans only."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 0, *(term.name for term in dataclasses.fields(self)))
        if not any(getattr(self, term.name) for term in dataclasses.fields(self)):
            raise SettingsError("At least one potential term must have a weight above 0.")

    @property
    def word_terms(self) -> list[tuple[str, float]]:
        """Functions and weights of the terms that `word_term` makes, without those of weight 0."""
        rows = [(row.metadata.get("function"), getattr(self, row.name)) for row in dataclasses.fields(self)]
        return [(function, weight) for function, weight in rows if function and weight]

    @property
    def needs_similarity(self) -> bool:
        """Whether a term is measured by the similarity model."""
        return bool(self.leave_one_out_similarity or self.word_similarity)


@dataclass(frozen=True, kw_only=True)
class GoalAgentSettings(Checked):
    """The inputs of the goal agent and the shape of its network."""

    sees: Literal["words", "meaning"] = "words"
    """Encodings of the language model, which knows whole words only, or of the embedded sentence encoder."""
    hidden_units: int = 160
    neighbours: bool = True
    """Input: the kept words left and right of a word, and the number of words removed between."""
    draft: bool = True
    """Input: the mean encoding of the kept words."""
    position: bool = True
    """Input: the position of the word in the sentence."""
    dueling: bool = True
    """Learn the value of the state and the advantage of each word separately."""
    estimates: bool = False
    """Learn the score of each word beside the Q-values, which use it as an input; exact planning needs it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "hidden_units")


@dataclass(frozen=True, kw_only=True)
class GoalLearningSettings(Checked):
    """Q-learning of walks towards a length."""

    discount: float = 1.0
    batch_walks: int = 16
    """Walks in an update; all of their steps are learned from."""
    replay_walks: int = 2_000
    learning_rate: float = 0.001
    gradient_clip: float = 10.0
    clip_by: Literal["norm", "value"] = "norm"
    target_period: int = 100
    """Updates between two copies of the weights into the target network."""
    double: bool = True
    """Double Q-learning: the agent chooses the next word, the target network evaluates it."""
    n_step: int = 1
    """Steps whose rewards are summed before the value of the state after them."""
    dropout: float = 0.3
    """Dropout rate of the network that estimates word scores."""
    priority: float = 0.6
    """Exponent of prioritized replay: walks with large TD errors are sampled more often; 0: uniformly."""
    sentences_per_collection: int = 16
    walks_per_sentence: int = 4
    """Walks over the same sentence, each towards its own length."""
    updates_per_collection: int = 16
    exploration: Literal["chance", "noise"] = "chance"
    """Epsilon-greedy with the exploration rate, or noise at every step, scaled by it and the spread of Q-values."""
    shortest: float = 0.15
    longest: float = 0.7
    """The goal length is drawn between these shares of the sentence."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self, "discount", "dropout", "priority", "shortest", "longest")
        check_at_least(self, 1, "batch_walks", "replay_walks", "target_period", "n_step")
        check_at_least(self, 1, "sentences_per_collection", "walks_per_sentence", "updates_per_collection")
        check_above_zero(self, "learning_rate", "gradient_clip")
        if self.shortest > self.longest:
            raise SettingsError(f"shortest must not exceed longest, got {self.shortest:g} > {self.longest:g}.")


@dataclass(frozen=True, kw_only=True)
class GoalSettings(Checked):
    """The goal agent: potential, network and learning (docs/goal-agent.md)."""

    potential: PotentialSettings = field(default_factory=PotentialSettings)
    style: Literal["plain", "headline"] = "plain"
    """With `headline`, plans remove articles and auxiliaries first, and words that only those separate are adjacent."""
    agent: GoalAgentSettings = field(default_factory=GoalAgentSettings)
    learning: GoalLearningSettings = field(default_factory=GoalLearningSettings)
