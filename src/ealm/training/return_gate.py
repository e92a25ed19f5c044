"""A gate that needs no references: does the agent's own walk earn more than a script that everyone could write?

The script removes the ignored words, which costs nothing that counts, and keeps the rest. An agent below it has not
learned what its reward asks for, however long it was trained.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from torch import Tensor

from ealm.common.config import RewardSettings
from ealm.paper.agent import Agent
from ealm.paper.edits import Action
from ealm.paper.rewards import walk_rewards
from ealm.paper.rollout import Step, Walk, walk
from ealm.paper.source import Source
from ealm.paper.walk_scorer import WalkScorer


@dataclass(frozen=True, slots=True)
class Returns:
    """Means over the held-out sentences."""

    greedy_return: float
    """Sum of the rewards of a walk without exploration."""
    script_return: float
    """The same for the script."""
    greedy_violations: float
    """Share of the agent's walks that end by breaking a floor."""

    def to_dict(self) -> dict[str, float]:
        """By name."""
        return asdict(self)

    def __str__(self) -> str:
        relation = "at least" if self.greedy_return >= self.script_return else "below"
        return (
            f"return of its walks on held-out sentences {self.greedy_return:.2f} ({self.greedy_violations:.0%} break "
            f"a floor), {relation} the script's {self.script_return:.2f}"
        )


def scripted_walk(source: Source) -> Walk:
    """Remove the words that do not count, then keep the others."""
    ignored = [Step(word, Action.REMOVE, ()) for word, counts in enumerate(source.counted) if not counts]
    others = [Step(word, Action.KEEP, ()) for word, counts in enumerate(source.counted) if counts]
    return Walk(len(source.words), (*ignored, *others))


class ReturnGate:
    """Measures agents on held-out sentences."""

    def __init__(
        self, sources: Sequence[Source], encodings: Sequence[Tensor], scorer: WalkScorer, rewards: RewardSettings
    ) -> None:
        """`encodings` has (words, width) for each source."""
        self._sources = sources
        self._encodings = encodings
        self._scorer = scorer
        self._rewards = rewards
        self._script_return, _ = self._mean_return([scripted_walk(source) for source in sources])

    def measure(self, agent: Agent) -> Returns:
        """Walk without exploration."""
        greedy, violations = self._mean_return(walk(agent, self._encodings))
        return Returns(greedy, self._script_return, violations)

    def _mean_return(self, walks: Sequence[Walk]) -> tuple[float, float]:
        """Mean return, and the share of walks that break a floor."""
        scores = self._scorer.score(self._sources, walks)
        returns = [
            sum(walk_rewards(s.summary_lengths, violated=s.violated, assessment=s.assessment, settings=self._rewards))
            for s in scores
        ]
        return sum(returns) / len(returns), sum(score.violated for score in scores) / len(scores)
