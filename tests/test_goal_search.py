"""Drafts by search: the best there is, at any length, with what must stay."""

from collections.abc import Sequence

import numpy as np
import pytest
from fakes import TableMaskedLM

from ealm.config import READER, Settings
from ealm.errors import SettingsError
from ealm.goals.learner import new_goal_agent
from ealm.goals.parts import SentenceJudge
from ealm.goals.search import searched_walks
from ealm.goals.settings import PartSettings
from ealm.goals.values import best_draft
from ealm.goals.weighing import Weigher
from ealm.ignored_words import IgnoredWords
from ealm.learner import new_agent
from ealm.model import Summarizer

WORDS = tuple("river rises old bridge falls not far away".split())
WORTH = dict(zip(WORDS, [5.0, 1.0, 0.2, 4.0, 3.0, 0.1, 0.3, 0.4], strict=True))


def worth(_sources: Sequence[str], drafts: Sequence[str]) -> list[float]:
    return [sum(WORTH[word] for word in draft.split()) / 14 for draft in drafts]


JUDGE = SentenceJudge(PartSettings(meaning=1, unbroken=0.5), Weigher(worth))


@pytest.mark.parametrize("goal", range(1, 8))
def test_the_walk_passes_through_the_best_draft_of_the_goals_length(goal: int) -> None:
    (walk,) = searched_walks(JUDGE, [WORDS], [goal], locked=[()])
    assert sorted(step.word for step in walk.steps) == list(range(8))
    gone = {step.word for step in walk.steps[: 8 - goal]}
    (values,) = JUDGE.values([WORDS])
    best = best_draft(values, goal)
    assert values.of(np.array([place not in gone for place in range(8)])) == pytest.approx(float(values.of(best)))


def test_locked_words_never_go() -> None:
    (walk,) = searched_walks(JUDGE, [WORDS], [2], locked=[{2, 5}])
    assert {step.word for step in walk.steps} == {0, 1, 3, 4, 6, 7}


def test_at_each_step_the_word_goes_that_costs_least() -> None:
    judge = SentenceJudge(PartSettings(meaning=1), Weigher(worth))
    (walk,) = searched_walks(judge, [WORDS], [1], locked=[()])
    order = [WORDS[step.word] for step in walk.steps]
    assert order == sorted(WORDS, key=WORTH.__getitem__)
    assert all(step.q_values[0] >= step.q_values[1] for step in walk.steps)


LM = TableMaskedLM({"cue": "follower"}, list(WORDS))


def test_a_summarizer_with_more_effort_gives_the_best_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ealm.model.SentenceSimilarity.load", lambda _name: worth)
    agent = new_goal_agent(LM.width, READER.goal.agent, seed=0)
    plain = Summarizer(agent, LM, ignored_words=IgnoredWords(READER.ignored_words), settings=READER)
    best = plain.with_effort("search").summarize(" ".join(WORDS), words=3, pretokenized=True)
    assert best.summary == "river bridge falls"
    assert plain.with_effort("walk").summarize(" ".join(WORDS), words=3, pretokenized=True).summary


def test_search_is_refused_where_it_makes_no_sense() -> None:
    settings = Settings()
    agent = new_agent(LM.width, settings.agent, seed=0)
    paper = Summarizer(agent, LM, ignored_words=IgnoredWords(settings.ignored_words), settings=settings)
    with pytest.raises(SettingsError, match="goes with agents that are told a length"):
        paper.with_effort("search")
    with pytest.raises(SettingsError, match="effort must be one of walk, search"):
        paper.with_effort("more")
