"""All settings in one nested dataclass: the paper's values are the defaults, every field checks itself.

A preset is a `Settings` value; `docs/paper.md` explains the fields by the number of their departure.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from ealm.common.checks import Checked, check_above_zero, check_at_least, check_share
from ealm.common.errors import SettingsError
from ealm.common.goal_config import GoalAgentSettings, GoalSettings, PotentialSettings
from ealm.common.old_names import current_path, with_current_names

_ROUNDING = 1e-9
"""A quotient this little above a whole number is that number."""


@dataclass(frozen=True, kw_only=True)
class DataSettings(Checked):
    """Which sentences of a corpus are learned from (section 5, Dataset)."""

    pretokenized: bool = False
    """Whether white space alone separates words; otherwise the text is raw, as people write it."""
    max_words: int = 49
    """Longer sentences are left out and counted; the paper takes sentences with less than 50 words."""
    max_sentences: int | None = 30_000
    """A larger corpus is sampled down to this many; None takes all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 2, "max_words")
        if self.max_sentences is not None:
            check_at_least(self, 1, "max_sentences")


@dataclass(frozen=True, kw_only=True)
class IgnoredWordsSettings(Checked):
    """Words that do not count in the reconstruction rate (W, appendix A.4)."""

    stop_words: bool = True
    infrequent: Literal["corpus", "wordfreq", "none"] = "corpus"
    """Where word frequency comes from: the training corpus, the wordfreq package, or nowhere."""
    min_count: int = 5
    """With `corpus`: rarer words are ignored."""
    min_zipf: float = 3.0
    """With `wordfreq`: words below this Zipf frequency are ignored (3 is once in a million words)."""
    unknown: bool = True
    """Whether words unknown to the language model are ignored too; otherwise they count, and are lost when removed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "min_count")
        check_at_least(self, 0, "min_zipf")


@dataclass(frozen=True, kw_only=True)
class AgentSettings(Checked):
    """Shape of the Q-network (section 5, Proposed method)."""

    hidden_units: int = 200
    activate_first_layer: bool = True
    """ReLU after the first layer too; the published code has none there."""
    bias_range: float = 1.0
    """Biases b^a and b^u are drawn between plus and minus so many standard deviations of an encoding's numbers."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "hidden_units")
        check_at_least(self, 0, "bias_range")


@dataclass(frozen=True, kw_only=True)
class DecodingSettings(Checked):
    """How the holes of a template are filled (appendix A.1)."""

    mode: Literal["sequential", "approximate", "parallel"] = "sequential"
    """Sequential is Algorithm 1, one hole a round; parallel also fills every other sure hole in the round. Approximate
    fills a summary as sequential does, and looks for the best step by what is likely (`likely_step_search.py`)."""
    fill_order: Literal["probability", "logit"] = "probability"
    """What decides which hole is filled first; the published code takes the raw logit."""
    parallel_confidence: float = 0.5
    """With `parallel`: a hole is sure when its best word is at least this probable."""
    context: Literal["pair", "joined", "pair-if-replaced"] = "pair"
    """How the context stands before a template: as the first sentence of a pair; directly before it; or as in a pair
    where a word was replaced, and not at all where the template has all words of the summary anyway."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self, "parallel_confidence")


@dataclass(frozen=True, kw_only=True)
class RewardSettings(Checked):
    """Rates, floors and weights (section 4.3.3 and appendices A.3, A.4)."""

    min_reconstruction: float = 0.5
    """tau: share of counted words that must still be recoverable at the end."""
    min_compression: float = 0.3
    """rho: share of words that must be gone at the end."""
    strict_floors: bool = True
    """A rate must exceed its floor; the published code lets it equal the floor."""
    top_k: int = 10
    """k: a word is recovered when it is among this many best candidates."""
    all_ignored_rate: float = 1.0
    """Reconstruction rate of a sentence in which no word counts; 0 in the published code."""
    similarity_weight: float = 0.1
    """alpha."""
    fluency_weight: float = 0.1
    """beta."""
    fluency_threshold: float = 0.005
    """A summary is fluent when exp(mean log-likelihood) is above this."""
    fluency_passes: int | None = None
    """Looks at a summary to judge its fluency, each hiding every n-th word; None hides one word at a time."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self, "min_reconstruction", "min_compression", "all_ignored_rate", "fluency_threshold")
        check_at_least(self, 0, "similarity_weight", "fluency_weight")
        check_at_least(self, 1, "top_k")
        if self.fluency_passes is not None:
            check_at_least(self, 1, "fluency_passes")


@dataclass(frozen=True, kw_only=True)
class ExplorationSettings(Checked):
    """A falling rate of epsilon-greedy exploration (section 5, Proposed method)."""

    start: float = 0.9
    decay: float = 0.995
    every: int = 100
    unit: Literal["updates", "sentences"] = "updates"
    """What `every` counts; the published code counts sentences."""
    minimum: float = 0.03

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self, "start", "decay", "minimum")
        check_at_least(self, 1, "every")
        if self.minimum > self.start:
            raise SettingsError(f"minimum must not exceed start, got {self.minimum:g} > {self.start:g}.")

    def rate(self, *, updates: int, sentences: int) -> float:
        """Exploring probability after so many updates and sentences."""
        return max(self.minimum, self.start * self.decay ** (self._passed(updates, sentences) // self.every))

    def _passed(self, updates: int, sentences: int) -> int:
        return updates if self.unit == "updates" else sentences

    def since_minimum(self, *, updates: int, sentences: int) -> int:
        """How many updates (or sentences) have passed at the minimum; 0 before."""
        if self.minimum == self.start:
            return self._passed(updates, sentences)
        if self.minimum == 0 or self.decay in (0, 1):
            return 0
        needed = self.every * math.ceil(math.log(self.minimum / self.start) / math.log(self.decay) - _ROUNDING)
        return max(0, self._passed(updates, sentences) - needed)


@dataclass(frozen=True, kw_only=True)
class LearningSettings(Checked):
    """Deep Q-learning (section 4.4 and section 5, Proposed method)."""

    discount: float = 0.995
    """gamma."""
    batch_size: int = 128
    replay_size: int = 2_000
    learning_rate: float = 0.001
    settled_learning_rate: float | None = None
    """Learning rate once exploration is at its minimum; None goes on with the same."""
    settled_half_life: int | None = None
    """From then on that rate is divided by 1 plus the updates passed over this many, so that it is half after as many
    and a third after twice as many: what swings with a constant rate comes to rest. None leaves it."""
    gradient_clip: float = 1.0
    """Largest norm of the gradient, or largest of its numbers."""
    clip_by: Literal["norm", "value"] = "norm"
    """Which of the two; the published code clips each number."""
    loss: Literal["squared", "huber"] = "squared"
    bootstrap: Literal["target-network", "collection"] = "target-network"
    """Where the value of the next state comes from: a target network, or the agent as it was at collection."""
    target_period: int = 100
    """Updates between two copies of the weights into the target network: what the last step earns needs as many copies
    to reach the first one as there are steps between them."""
    earned_share: float = 0.0
    """Share of the target that is what the walk went on to earn (up to the next step at which it explored), in place of
    r plus the value of the next state: what the end earns then reaches the first step at once, and not copy by copy of
    the target network."""
    violation_bootstraps: bool = False
    """Whether the step that breaks a floor still counts the value of the step after it."""
    drop_last_step: bool = False
    """Whether the last step of a walk is left out of the replay buffer."""
    updates_per_sentence: float = 1.0
    """0.5 is an update for every other sentence."""
    sentences_per_collection: int = 32
    """Sentences walked side by side with the same weights before the updates that they pay for."""
    parallel_confidence: float | None = None
    """While learning, holes this sure are filled in the same round (0: all at once); None decodes as in use."""
    context: Literal["as-in-use", "pair", "joined", "pair-if-replaced"] = "as-in-use"
    """While learning, `decoding.context`."""
    floors_ahead: int = 1
    """Steps of a walk whose floors are looked at together, through the last of them: what that one recovers, the others
    are taken to recover too. 1 looks at each; the comparison with the script always does."""
    judged_walks: int = 100
    """The best agent is that with the highest mean reward over so many walks, once exploration is at its minimum."""
    averaged_updates: int = 0
    """From the least exploration on, the agent that is kept is the running mean of the weights over about so many
    updates; 0 keeps the weights themselves."""
    held_out: int = 200
    """Sentences on which the agent's return is compared with the script's; at most a tenth of the corpus."""
    gate_period: int = 2_500
    """Sentences between two such comparisons."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self, "discount", "earned_share")
        if self.parallel_confidence is not None:
            check_share(self, "parallel_confidence")
        check_at_least(self, 1, "batch_size", "replay_size", "target_period")
        check_at_least(self, 1, "sentences_per_collection", "judged_walks", "gate_period", "floors_ahead")
        check_at_least(self, 0, "held_out", "averaged_updates")
        if self.replay_size < self.batch_size:
            raise SettingsError(f"replay_size must be at least batch_size, got {self.replay_size} < {self.batch_size}.")
        check_above_zero(self, "learning_rate", "gradient_clip", "updates_per_sentence")
        if self.sentences_per_collection * self.updates_per_sentence % 1:
            raise SettingsError(
                "sentences_per_collection times updates_per_sentence must be a whole number of updates, got "
                f"{self.sentences_per_collection} times {self.updates_per_sentence:g}."
            )
        if self.settled_learning_rate is not None:
            check_above_zero(self, "settled_learning_rate")
        if self.settled_half_life is not None:
            check_at_least(self, 1, "settled_half_life")


@dataclass(frozen=True, kw_only=True)
class Settings(Checked):
    """Everything that decides what a training run does, apart from corpus, language model and seed."""

    preset: str = "paper"
    method: Literal["paper", "goal"] = "paper"
    """The paper's agent, or the goal agent. Groups of the other method are not used."""
    data: DataSettings = field(default_factory=DataSettings)
    ignored_words: IgnoredWordsSettings = field(default_factory=IgnoredWordsSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    decoding: DecodingSettings = field(default_factory=DecodingSettings)
    rewards: RewardSettings = field(default_factory=RewardSettings)
    action_exploration: ExplorationSettings = field(default_factory=ExplorationSettings)
    order_exploration: ExplorationSettings = field(default_factory=ExplorationSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    goal: GoalSettings = field(default_factory=GoalSettings)

    @property
    def decoding_in_training(self) -> DecodingSettings:
        """How holes are filled while learning."""
        decoding, learning = self.decoding, self.learning
        if learning.parallel_confidence is not None:
            decoding = replace(decoding, mode="parallel", parallel_confidence=learning.parallel_confidence)
        return decoding if learning.context == "as-in-use" else replace(decoding, context=learning.context)

    @classmethod
    def from_dict(cls, values: object, group: str = "settings") -> Self:
        """The reverse of `to_dict`; names of earlier versions are read too."""
        return super().from_dict(with_current_names(values), group)

    def override(self, assignments: Mapping[str, object]) -> "Settings":
        """Replace fields named by path, for example `{"learning.discount": 0.95}`; values may also be given as text."""
        values = self.to_dict()
        for path, value in assignments.items():
            if path == "preset":
                raise SettingsError("A preset is chosen with preset=, not set like a field.")
            *groups, name = current_path(path).split(".")
            group: Any = values
            for inner in groups:
                group = group.get(inner, {}) if isinstance(group, dict) else {}
            if not isinstance(group, dict) or name not in group or isinstance(group[name], dict):
                raise SettingsError(f"There is no setting {path!r}. Settings: {', '.join(_paths(self.to_dict()))}")
            group[name] = _parse(value) if isinstance(value, str) else value
        return Settings.from_dict(values)


def _parse(text: str) -> object:
    try:
        return json.loads(text.strip().replace("None", "null").replace("True", "true").replace("False", "false"))
    except json.JSONDecodeError:
        return text


def _paths(values: Mapping[str, Any], prefix: str = "") -> list[str]:
    paths: list[str] = []
    for name, value in values.items():
        paths += _paths(value, f"{prefix}{name}.") if isinstance(value, dict) else [prefix + name]
    return paths


DEFAULT_UPDATES = {"paper": 70_000, "goal": 10_000}
"""By method; the paper's is a little more than exploration needs to fall to its minimum."""

ENGINES = ("torch", "int8")
"""What can run the encoder of a language model."""

AUTO = "auto"
"""The engine of a summarizer that is not told another: what is fastest here, in single precision but for the sentence
encoder where 16 bits are faster."""

PAPER = Settings()
"""The text of the paper; where it is silent, the choices listed in docs/paper.md."""

_PUBLISHED_EXPLORATION = ExplorationSettings(every=10, unit="sentences")

PUBLISHED_CODE = Settings(
    preset="published-code",
    agent=AgentSettings(activate_first_layer=False),
    decoding=DecodingSettings(fill_order="logit", context="joined"),
    rewards=RewardSettings(strict_floors=False, all_ignored_rate=0.0),
    action_exploration=_PUBLISHED_EXPLORATION,
    order_exploration=_PUBLISHED_EXPLORATION,
    learning=LearningSettings(
        discount=0.95,
        batch_size=1,
        loss="huber",
        bootstrap="collection",
        violation_bootstraps=True,
        drop_last_step=True,
        sentences_per_collection=1,
        clip_by="value",
    ),
)
"""What the authors' published code does differently, as far as it is a choice and not a plain mistake."""

_QUICK_EXPLORATION = ExplorationSettings(every=5)

LAPTOP = Settings(
    preset="laptop",
    ignored_words=IgnoredWordsSettings(min_count=1, unknown=False),
    rewards=RewardSettings(fluency_passes=3),
    action_exploration=_QUICK_EXPLORATION,
    order_exploration=_QUICK_EXPLORATION,
    learning=LearningSettings(
        parallel_confidence=0.0,
        context="pair-if-replaced",
        floors_ahead=8,
        earned_share=0.5,
        settled_learning_rate=0.0002,
        settled_half_life=2_500,
        averaged_updates=1_000,
    ),
)
"""The paper's method in an hour on a CPU core: while learning, all holes are filled in one round, the summary stands
before the template only if it has a new word, and fluency takes three passes; floors of eight steps are looked at
through the last of them, and exploration falls twenty times as fast. Half of the target is what the walk went on to
earn. Once exploration is at its minimum, the learning rate falls to a fifth and goes on falling, and the agent that is
kept has the mean of the last thousand weights. Infrequent is what the training corpus does not have at
all, and words that the language model does not know count (docs/paper.md)."""

READER = Settings(
    preset="reader",
    method="goal",
    decoding=DecodingSettings(mode="parallel", parallel_confidence=0.15),
    goal=GoalSettings(
        potential=PotentialSettings(
            leave_one_out_similarity=1.0,
            word_similarity=1.0,
            adjacency=2.0,
            dangling_function_word=3.0,
            missing_preposition=1.0,
            negated_word=3.0,
        ),
        style="headline",
        agent=GoalAgentSettings(sees="meaning", estimates=True),
    ),
    action_exploration=ExplorationSettings(start=0.5, every=2, minimum=0.02),
)
"""The goal agent, an extension of the paper: the summary has the length asked for (docs/goal-agent.md)."""

PRESETS: dict[str, Settings] = {settings.preset: settings for settings in (PAPER, PUBLISHED_CODE, LAPTOP, READER)}


def preset(name: str) -> Settings:
    """Settings by preset name."""
    if name not in PRESETS:
        raise SettingsError(f"There is no preset {name!r}. Presets: {', '.join(PRESETS)}.")
    return PRESETS[name]
