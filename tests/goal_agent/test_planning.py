"""Exact planning: the best selection at any length, with the words that must stay."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pytest
import torch
from fakes import TableMaskedLM
from torch import Tensor

from ealm.common.config import READER, Settings
from ealm.common.errors import SettingsError
from ealm.common.goal_config import GoalSettings, PotentialSettings
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.learner import new_goal_agent
from ealm.goal_agent.planning import EstimatedScores, MeasuredScores, PlanningTask, SentencePlanner
from ealm.goal_agent.potential import best_selection
from ealm.goal_agent.potential_terms import PotentialModel
from ealm.goal_agent.word_importance import ImportanceModel
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.paper.rollout import Walk
from ealm.summarize.summarizer import Summarizer

WORDS = tuple("river rises old bridge falls not far away".split())
WORTH = dict(zip(WORDS, [5.0, 1.0, 0.2, 4.0, 3.0, 0.1, 0.3, 0.4], strict=True))


def worth(_sources: Sequence[str], drafts: Sequence[str]) -> list[float]:
    return [sum(WORTH[word] for word in draft.split()) / 14 for draft in drafts]


PLAIN = GoalSettings(potential=PotentialSettings(leave_one_out_similarity=1, adjacency=0.5))
MODEL = PotentialModel(PLAIN.potential, ImportanceModel(worth))


ONE_TERM = GoalSettings(potential=PotentialSettings(leave_one_out_similarity=1))


def planned(
    words: Sequence[str],
    goal: int,
    *,
    locked: Collection[int] = (),
    dependents: Mapping[int, int] | None = None,
    settings: GoalSettings = PLAIN,
) -> Walk:
    plans = SentencePlanner(MeasuredScores(PotentialModel(settings.potential, ImportanceModel(worth))), settings)
    (plan,) = plans([PlanningTask(words, locked, dependents or {})], [torch.zeros(len(words), 1)])
    return plan.walk_to(goal)


@pytest.mark.parametrize("goal", range(1, 8))
def test_the_walk_passes_through_the_best_selection_of_the_goals_length(goal: int) -> None:
    walk = planned(WORDS, goal)
    assert sorted(step.word for step in walk.steps) == list(range(8))
    gone = {step.word for step in walk.steps[: 8 - goal]}
    (potential,) = MODEL.potentials([WORDS])
    best = best_selection(potential, goal)
    assert potential.value(np.array([index not in gone for index in range(8)])) == pytest.approx(
        float(potential.value(best))
    )


def test_locked_words_never_go() -> None:
    walk = planned(WORDS, 2, locked={2, 5})
    assert {step.word for step in walk.steps} == {0, 1, 3, 4, 6, 7}


def test_at_each_step_the_word_goes_that_costs_least() -> None:
    walk = planned(WORDS, 1, settings=ONE_TERM)
    order = [WORDS[step.word] for step in walk.steps]
    assert order == sorted(WORDS, key=WORTH.__getitem__)
    assert all(step.q_values[0] >= step.q_values[1] for step in walk.steps)


LM = TableMaskedLM({"cue": "follower"}, list(WORDS))


ALL = READER.override({"goal.agent.sees": "words", "goal.agent.hidden_units": "16"})


def summarizer(settings: Settings) -> Summarizer:
    agent = new_goal_agent(LM.width, settings.goal.agent, seed=0)
    return Summarizer.from_parts(agent, LM, ignored_words=IgnoredWords(settings.ignored_words), settings=settings)


def test_a_summarizer_with_more_effort_gives_the_best_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ealm.summarize.model_options.SentenceSimilarity.load", lambda _name: worth)
    plain = summarizer(ALL)
    best = plain.with_effort("search").summarize(" ".join(WORDS), words=3, pretokenized=True)
    assert best.summary == "river bridge falls"
    assert plain.summarize(" ".join(WORDS), words=3, pretokenized=True, effort="search") == best
    assert plain.with_effort("walk").summarize(" ".join(WORDS), words=3, pretokenized=True).summary


def test_plans_use_the_word_scores_that_the_agent_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    def word_scores(_agent: GoalAgent, encodings: Tensor) -> Tensor:
        return torch.arange(len(encodings), dtype=torch.float)  # the later the better

    monkeypatch.setattr(GoalAgent, "word_scores", word_scores)
    planner = summarizer(ALL.override({"goal.potential.adjacency": "0", "goal.potential.dangling_function_word": "0"}))
    assert planner.summarize(" ".join(WORDS), words=3, pretokenized=True).summary == "not far away"
    assert planner.with_decoding("sequential").summarize(WORDS[0] + " " + WORDS[1], words=1).summary == "rises"


def test_without_a_length_a_third_of_a_text_is_left() -> None:
    planner = summarizer(ALL)
    nine = " ".join((*WORDS, "again"))
    assert len(planner.summarize(nine, pretokenized=True).summary.split()) == 3
    both = planner.summarize("River rises old bridge falls far. Old river falls.", protect=[])
    assert [len(part.summary.split()) for part in both.sentences] == [3, 0]
    kept = planner.summarize(nine, pretokenized=True, keep=["old", "falls", "far", "away"])
    assert kept.summary == "old falls far away"
    assert kept.reconstruction_rate is None


def test_the_agent_is_asked_for_all_sentences_at_once() -> None:
    agent = new_goal_agent(4, ALL.goal.agent, seed=0)
    encodings = [torch.randn(3, 4), torch.randn(2, 4)]
    first, second = EstimatedScores(agent)([["river", ",", "rises"], ["old", "bridge"]], encodings)
    assert len(first) == 3
    assert second.tolist() == pytest.approx(agent.word_scores(encodings[1]).tolist(), abs=1e-6)
    assert EstimatedScores(agent)([], []) == []


def test_punctuation_is_removed_first_in_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORTH, ",", 9.0)
    walk = planned(["river", ",", "rises"], 1)
    assert [step.word for step in walk.steps] == [1, 2, 0]


HEADLINE = GoalSettings(potential=PotentialSettings(leave_one_out_similarity=1, adjacency=0.5), style="headline")
TERSE = tuple("the old bridge has fallen on the river".split())


def test_in_headlines_spare_words_go_first_and_keep_nothing_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    for word, value in zip(("the", "has", "fallen", "on"), (8.0, 9.0, 3.0, 0.1), strict=True):
        monkeypatch.setitem(WORTH, word, value)
    walk = planned(TERSE, 4, settings=HEADLINE)
    assert {TERSE[step.word] for step in walk.steps[:3]} == {"the", "has"}
    assert sorted(step.word for step in walk.steps) == list(range(8))
    gone = {step.word for step in walk.steps[:4]}
    assert [word for index, word in enumerate(TERSE) if index not in gone] == ["bridge", "fallen", "on", "river"]
    plain = planned(TERSE, 4)
    assert {TERSE[step.word] for step in plain.steps[:4]}.isdisjoint({"the", "has"})


def test_a_spare_word_that_must_stay_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("the", "has", "fallen", "on"):
        monkeypatch.setitem(WORTH, word, 1.0)
    walk = planned(TERSE, 2, locked={0, 3}, settings=HEADLINE)
    assert {step.word for step in walk.steps} == {1, 2, 4, 5, 6, 7}
    assert TERSE[walk.steps[0].word] == "the"


@pytest.mark.parametrize(("head", "left"), [(3, ["river", "bridge"]), (1, ["river", "bridge", "falls"])])
def test_there_is_room_for_a_dependent_if_its_head_is_kept_and_only_then(head: int, left: list[str]) -> None:
    walk = planned(
        WORDS,
        3,
        locked={5},
        dependents={5: head},
        settings=ONE_TERM,
    )
    assert 5 not in {step.word for step in walk.steps}
    stay = {step.word for step in walk.steps[-len(left) :]}
    assert [WORDS[index] for index in sorted(stay)] == left


def test_a_negated_word_counts_more() -> None:
    settings = GoalSettings(potential=PotentialSettings(leave_one_out_similarity=1, negated_word=9))
    walk = planned(WORDS, 3, locked={5}, dependents={5: 6}, settings=settings)
    assert {WORDS[step.word] for step in walk.steps[-2:]} == {"river", "far"}


def test_a_doubted_word_counts_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORTH, "may", 0.0)
    words = (*WORDS[:5], "may", *WORDS[6:])
    settings = GoalSettings(potential=PotentialSettings(leave_one_out_similarity=1, negated_word=9))
    walk = planned(words, 3, locked={5}, dependents={5: 6}, settings=settings)
    assert {words[step.word] for step in walk.steps[-3:]} == {"river", "bridge", "falls"}


def test_punctuation_that_stays_does_not_count_as_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORTH, ".", 0.0)
    walk = planned((*WORDS, "."), 3, locked={8}, settings=ONE_TERM)
    assert {WORDS[step.word] for step in walk.steps[-3:]} == {"river", "bridge", "falls"}


def test_a_style_is_a_variant_of_a_summarizer_that_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GoalAgent, "word_scores", lambda _agent, encodings: torch.arange(len(encodings), 0, -1.0))
    text = "the old river rises far away"
    assert summarizer(ALL).summarize(text, words=3, pretokenized=True).summary == "old river rises"
    plain = summarizer(ALL).with_style("plain")
    assert plain.summarize(text, words=3, pretokenized=True).summary == "the old river"
    assert plain.with_style("headline").summarize(text, words=3, pretokenized=True).summary == "old river rises"
    assert plain.summarize(text, words=3, pretokenized=True, style="headline").summary == "old river rises"
    with pytest.raises(SettingsError, match="style= must be one of headline, plain"):
        plain.with_style("loud")
    with pytest.raises(SettingsError, match="style= goes with agents that plan"):
        plain.with_effort("walk").with_style("plain")


def test_an_effort_is_refused_where_it_makes_no_sense() -> None:
    settings = Settings()
    agent = new_agent(LM.width, settings.agent, seed=0)
    paper = Summarizer.from_parts(agent, LM, ignored_words=IgnoredWords(settings.ignored_words), settings=settings)
    for effort in ("plan", "search"):
        with pytest.raises(SettingsError, match="goes with length-conditioned agents"):
            paper.with_effort(effort)
    with pytest.raises(SettingsError, match="effort= must be one of walk, plan, search"):
        paper.with_effort("more")
    with pytest.raises(SettingsError, match="has not learned to estimate word importance"):
        summarizer(ALL.override({"goal.agent.estimates": "false"})).with_effort("plan")
