"""How an agent of either kind walks sentences in use."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.planning import Plans, Task
from ealm.goal_agent.rollout import goal_walks
from ealm.paper.agent import Agent
from ealm.paper.rollout import Path, walk

AnyAgent = Agent | GoalAgent


@dataclass(frozen=True, slots=True)
class WalkRequest:
    """A sentence to walk."""

    words: Sequence[str]
    encodings: Tensor
    locked: Collection[int]
    """Words on which no step is spent."""
    tied: Mapping[int, int]
    """Those of them that stay or go with another word."""
    goal: int
    """Number of words to aim at."""


def paths(
    agent: AnyAgent, requests: Sequence[WalkRequest], *, extractive: bool, plans: Plans | None = None
) -> Sequence[Path]:
    """Walk all sentences to their ends; with `plans` those are followed instead of the agent's habits."""
    encodings = [request.encodings for request in requests]
    locked = [request.locked for request in requests]
    if isinstance(agent, Agent):
        return walk(agent, encodings, locked=locked, extractive=extractive)
    if plans is not None:
        tasks = [Task(request.words, request.locked, request.tied) for request in requests]
        return plans(tasks, encodings)
    return goal_walks(agent, encodings, [request.goal for request in requests], locked=locked)
