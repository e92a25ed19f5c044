"""An editor with a language model that is a table, and walks that are written down by the test."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest
from fakes import TableMaskedLM

from ealm.common.config import AgentSettings, Settings
from ealm.paper.edits import Action
from ealm.paper.encodings import LanguageModelLook
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.paper.rollout import Step, Walk
from ealm.summarize.options import Options
from ealm.summarize.pipeline import Editor
from ealm.summarize.policies import WalkRequest
from ealm.summarize.result import Summary

KEEP, REMOVE, REPLACE = Action.KEEP, Action.REMOVE, Action.REPLACE
SETTINGS = Settings(agent=AgentSettings(hidden_units=4)).override(
    {"ignored_words.infrequent": "none", "ignored_words.stop_words": "false", "rewards.top_k": "1"}
)
LM = TableMaskedLM({"cue": "follower"}, ["river", "rises", "bridge", "falls", "old", "not", ".", ","])


@pytest.fixture
def editor() -> Editor:
    agent = new_agent(LM.width, SETTINGS.agent, seed=0)
    return Editor(
        agent, LM, LanguageModelLook(LM), ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS
    )


class Script:
    """Walks as they are wanted: by default, every word is removed from left to right."""

    def __init__(self) -> None:
        self.action = REMOVE
        self.actions: dict[int, Action] = {}
        self.order: Sequence[int] = ()
        self.extractive: list[bool] = []
        self.goals: list[int] = []

    def __call__(self, agent: Any, requests: Sequence[WalkRequest], *, extractive: bool, plans: None) -> list[Walk]:
        self.extractive.append(extractive)
        self.goals += [request.goal for request in requests]
        return [self._walk(len(request.encodings), request.locked) for request in requests]

    def _walk(self, length: int, locked: Collection[int]) -> Walk:
        order = [*self.order, *(place for place in range(length) if place not in self.order)]
        places = [place for place in order if place < length and place not in locked]
        steps = [Step(place, self.actions.get(place, self.action), (0.0, 0.0, 0.0)) for place in places]
        return Walk(length, tuple(steps))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    made = Script()
    monkeypatch.setattr("ealm.summarize.pipeline.paths", made)
    return made


def summarize(editor: Editor, text: str, **wishes: Any) -> Summary:
    options = Options.of(**wishes)
    (summary,) = editor.summarize([editor.read(text, options)], options)
    return summary


def short(editor: Editor, text: str, **wishes: Any) -> str:
    return summarize(editor, text, **wishes).summary
