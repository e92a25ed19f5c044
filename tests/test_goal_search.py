"""Drafts by search: the best there is, at any length, with what must stay."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from fakes import TableMaskedLM
from torch import Tensor

from ealm.config import READER, Settings
from ealm.errors import SettingsError
from ealm.goals.agent import GoalAgent
from ealm.goals.learner import new_goal_agent
from ealm.goals.parts import SentenceJudge
from ealm.goals.search import Estimated, searched_walks
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
    (walk,) = searched_walks(JUDGE.values([WORDS]), [goal], locked=[()])
    assert sorted(step.word for step in walk.steps) == list(range(8))
    gone = {step.word for step in walk.steps[: 8 - goal]}
    (values,) = JUDGE.values([WORDS])
    best = best_draft(values, goal)
    assert values.of(np.array([place not in gone for place in range(8)])) == pytest.approx(float(values.of(best)))


def test_locked_words_never_go() -> None:
    (walk,) = searched_walks(JUDGE.values([WORDS]), [2], locked=[{2, 5}])
    assert {step.word for step in walk.steps} == {0, 1, 3, 4, 6, 7}


def test_at_each_step_the_word_goes_that_costs_least() -> None:
    judge = SentenceJudge(PartSettings(meaning=1), Weigher(worth))
    (walk,) = searched_walks(judge.values([WORDS]), [1], locked=[()])
    order = [WORDS[step.word] for step in walk.steps]
    assert order == sorted(WORDS, key=WORTH.__getitem__)
    assert all(step.q_values[0] >= step.q_values[1] for step in walk.steps)


LM = TableMaskedLM({"cue": "follower"}, list(WORDS))


ALL = READER.override({"goal.agent.sees": "words", "goal.agent.hidden_units": "16"})


def summarizer(settings: Settings) -> Summarizer:
    agent = new_goal_agent(LM.width, settings.goal.agent, seed=0)
    return Summarizer(agent, LM, ignored_words=IgnoredWords(settings.ignored_words), settings=settings)


def test_a_summarizer_with_more_effort_gives_the_best_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ealm.model.SentenceSimilarity.load", lambda _name: worth)
    plain = summarizer(ALL)
    best = plain.with_effort("search").summarize(" ".join(WORDS), words=3, pretokenized=True)
    assert best.summary == "river bridge falls"
    assert plain.with_effort("walk").summarize(" ".join(WORDS), words=3, pretokenized=True).summary


def test_plans_are_made_with_what_the_agent_takes_words_to_be_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    def worths(_agent: GoalAgent, encodings: Tensor) -> Tensor:
        return torch.arange(len(encodings), dtype=torch.float)  # the later the better

    monkeypatch.setattr(GoalAgent, "worths", worths)
    planner = summarizer(ALL.override({"goal.parts.unbroken": "0", "goal.parts.hanging": "0"}))
    assert planner.summarize(" ".join(WORDS), words=3, pretokenized=True).summary == "not far away"
    assert planner.with_decoding("sequential").summarize(WORDS[0] + " " + WORDS[1], words=1).summary == "rises"


def test_without_a_length_a_third_of_each_sentence_is_left() -> None:
    planner = summarizer(ALL)
    nine = " ".join((*WORDS, "again"))
    assert len(planner.summarize(nine, pretokenized=True).summary.split()) == 3
    both = planner.summarize("River rises old bridge falls far. Old river falls.", protect=[])
    assert [len(part.summary.split()) for part in both.sentences] == [2, 1]
    kept = planner.summarize(nine, pretokenized=True, keep=["old", "falls", "far", "away"])
    assert kept.summary == "old falls far away"
    assert kept.reconstruction_rate is None


def test_marks_are_worth_less_than_words_in_a_plan_too() -> None:
    agent = new_goal_agent(4, ALL.goal.agent, seed=0)
    encodings = [torch.randn(3, 4), torch.randn(2, 4)]
    with_mark, without = Estimated(agent, PartSettings(unbroken=2.0))(
        [["river", ",", "rises"], ["old", "bridge"]], encodings
    )
    assert with_mark.words[1] == with_mark.words[[0, 2]].min() - 1
    assert with_mark.pairs.tolist() == [0, 0]
    assert without.pairs.tolist() == [2]
    assert Estimated(agent, PartSettings(unbroken=2.0))([], []) == []


def test_an_effort_is_refused_where_it_makes_no_sense() -> None:
    settings = Settings()
    agent = new_agent(LM.width, settings.agent, seed=0)
    paper = Summarizer(agent, LM, ignored_words=IgnoredWords(settings.ignored_words), settings=settings)
    for effort in ("plan", "search"):
        with pytest.raises(SettingsError, match="goes with agents that are told a length"):
            paper.with_effort(effort)
    with pytest.raises(SettingsError, match="effort must be one of walk, plan, search"):
        paper.with_effort("more")
    with pytest.raises(SettingsError, match="has not learned what words are worth"):
        summarizer(ALL.override({"goal.agent.estimates": "false"})).with_effort("plan")
