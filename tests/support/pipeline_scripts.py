"""A pipeline with a language model that is a table, and walks that are written down by the test."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest
from fakes import TableMaskedLM

from ealm.common.config import AgentSettings, Settings
from ealm.paper.edits import Action
from ealm.paper.encodings import LanguageModelEncoder
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.paper.rollout import Step, Walk
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.pipeline import Pipeline, WalkRequest
from ealm.summarize.result import Summary

KEEP, REMOVE, REPLACE = Action.KEEP, Action.REMOVE, Action.REPLACE
SETTINGS = Settings(agent=AgentSettings(hidden_units=4)).override(
    {"ignored_words.infrequent": "none", "ignored_words.stop_words": "false", "rewards.top_k": "1"}
)
LM = TableMaskedLM({"cue": "follower"}, ["river", "rises", "bridge", "falls", "old", "not", ".", ","])


@pytest.fixture
def pipeline() -> Pipeline:
    agent = new_agent(LM.width, SETTINGS.agent, seed=0)
    return Pipeline(
        agent, LM, LanguageModelEncoder(LM), ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS
    )


class Script:
    """Walks as they are wanted: by default, every word is removed from left to right."""

    def __init__(self) -> None:
        self.action = REMOVE
        self.actions: dict[int, Action] = {}
        self.order: Sequence[int] = ()
        self.extractive: list[bool] = []
        self.goals: list[int] = []

    def __call__(self, agent: Any, requests: Sequence[WalkRequest], *, plans: None) -> list[Walk]:
        self.extractive += [request.extractive for request in requests]
        self.goals += [request.goal for request in requests]
        return [self._walk(len(request.encodings), request.locked) for request in requests]

    def _walk(self, length: int, locked: Collection[int]) -> Walk:
        order = [*self.order, *(index for index in range(length) if index not in self.order)]
        indices = [index for index in order if index < length and index not in locked]
        steps = [Step(index, self.actions.get(index, self.action), (0.0, 0.0, 0.0)) for index in indices]
        return Walk(length, tuple(steps))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    made = Script()
    monkeypatch.setattr("ealm.summarize.pipeline.walk_sources", made)
    return made


def summarize(pipeline: Pipeline, text: str, **given_options: Any) -> Summary:
    options = SummarizeOptions(**given_options)
    (summary,) = pipeline.summarize([pipeline.read(text, options)])
    return summary


def short(pipeline: Pipeline, text: str, **given_options: Any) -> str:
    return summarize(pipeline, text, **given_options).summary
