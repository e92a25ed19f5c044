"""How an agent of either kind walks sentences in use."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from torch import Tensor

from ealm.agent import Agent
from ealm.goals.agent import GoalAgent
from ealm.goals.search import Valuer, searched_walks
from ealm.goals.walking import goal_walks
from ealm.rollout import Walk, walk

AnyAgent = Agent | GoalAgent

_USUAL_SHARE = 1 / 3
"""Share of a sentence's words that an agent that is told a length aims at where nobody says how many."""


def usual_length(words: int) -> int:
    """How many of so many words are left where nobody says how many shall be."""
    return max(1, round(_USUAL_SHARE * words))


@dataclass(frozen=True, slots=True)
class WalkRequest:
    """A sentence to walk."""

    words: Sequence[str]
    encodings: Tensor
    locked: Collection[int]
    """Words that stay."""
    goal: int | None
    """Number of words to aim at, if there is one."""


def walks(
    agent: AnyAgent, requests: Sequence[WalkRequest], *, extractive: bool, valuer: Valuer | None = None
) -> list[Walk]:
    """Walk all sentences to their ends; with a `valuer` the drafts are searched for instead."""
    encodings = [request.encodings for request in requests]
    locked = [request.locked for request in requests]
    if valuer is not None:
        values = valuer([request.words for request in requests], encodings)
        return searched_walks(values, [_goal(request) for request in requests], locked=locked)
    if isinstance(agent, Agent):
        return walk(agent, encodings, locked=locked, extractive=extractive)
    return goal_walks(agent, encodings, [_goal(request) for request in requests], locked=locked)


def _goal(request: WalkRequest) -> int:
    return request.goal if request.goal is not None else usual_length(len(request.encodings))
