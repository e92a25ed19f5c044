"""The procedure that speed is measured against is the paper's, and the text to measure on is as long as it says."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import oracle
import pytest
import torch
from tiny_models import tiny_bert
from torch import Tensor

import benchmarks
from benchmarks.literal import LiteralProcedure
from benchmarks.reencoding import WAYS, Planner
from benchmarks.text import sentence, sentences
from ealm.common.config import AgentSettings, Settings
from ealm.lm import bundled as embedded
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.agent import Agent, pad
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.source import Source
from ealm.summarize.saved_agent import SavedAgent
from ealm.text.word_lists import STOP_WORDS

SETTINGS = Settings(agent=AgentSettings(hidden_units=12)).override({"ignored_words.infrequent": "none"})
TEXTS = [
    "the police minister finds a silver bridge and Zebra late .",
    "old engine burns in the quiet forest",
    "river rises",
    "the of in the",
    "Zebra Unicorn machine learning is not perfect , the doctor says",
]


@cache
def language_model() -> TransformersMaskedLM:
    """In double precision, so that a batch cannot tip a close decision."""
    return tiny_bert(double=True)


@cache
def procedure() -> LiteralProcedure:
    """With an agent that has biases and takes all three actions."""
    torch.manual_seed(5)
    agent = Agent(32, SETTINGS.agent).double()
    with torch.no_grad():
        agent.action_bias.copy_(torch.randn(3))
        agent.decided_bias.copy_(torch.randn(2))
        agent.output.weight.mul_(20)
        agent.output.bias -= average_q_values(agent)
    return LiteralProcedure(language_model(), agent, SETTINGS)


def average_q_values(agent: Agent) -> Tensor:
    """Over the words of all texts, none of them decided."""
    encodings, present = pad(language_model().encode([language_model().word_ids(text.split()) for text in TEXTS]))
    undecided = torch.zeros(present.shape, dtype=torch.long)
    return agent(encodings, undecided + int(Action.KEEP), undecided, present)[present].mean(dim=0)


def source_of(text: str) -> Source:
    return Source.prepare(tuple(text.split()), language_model(), IgnoredWords(SETTINGS.ignored_words))


def paper_walk(source: Source) -> list[tuple[Action, ...]]:
    """Rows of actions after each step; undecided words are Keep."""
    (encodings,) = language_model().encode([source.ids])
    actions, rows = [Action.KEEP] * len(source.ids), []
    for decision in oracle.greedy_walk(procedure().agent, encodings.tolist()):
        actions[decision.word] = decision.action
        rows.append(tuple(actions))
    return rows


def random_walk(source: Source, seed: int) -> list[tuple[Action, ...]]:
    return procedure().walk(source, torch.Generator().manual_seed(seed))


def paper_steps(source: Source, rows: Sequence[tuple[Action, ...]]) -> list[oracle.StepResult]:
    lm = language_model()
    counted = oracle.counted_words(source.words, source.ids, unknown_id=lm.unknown_id, ignored=STOP_WORDS)
    results = []
    for row in rows:
        summary = oracle.compress(lm, source.ids, row)
        rebuilt = oracle.reconstruct(lm, source.ids, row, summary)
        cr = oracle.compression_rate(len(summary), len(source.ids))
        results.append(oracle.StepResult(summary, cr, oracle.reconstruction_rate(rebuilt.recovered, counted)))
    return results


def letters_in_common(sources: Sequence[str], summaries: Sequence[str]) -> list[float]:
    """A similarity that depends on every letter of both."""
    return [len(set(a) & set(b)) / len(set(a) | set(b)) for a, b in zip(sources, summaries, strict=True)]


@pytest.mark.parametrize("text", TEXTS)
def test_the_literal_walk_is_that_of_the_paper(text: str) -> None:
    source = source_of(text)
    assert procedure().walk(source) == paper_walk(source)


def test_the_walks_of_these_tests_take_all_three_actions() -> None:
    """Otherwise the comparisons here would show little."""
    assert {action for text in TEXTS for action in paper_walk(source_of(text))[-1]} == set(Action)


@pytest.mark.parametrize("text", TEXTS)
def test_a_random_walk_decides_a_word_a_step(text: str) -> None:
    source = source_of(text)
    rows = [(Action.KEEP,) * len(source.ids), *random_walk(source, 0)]
    assert len(rows) == len(source.ids) + 1
    for before, after in pairwise(rows):
        assert sum(one is not other for one, other in zip(before, after, strict=True)) <= 1
    assert random_walk(source, 0) == rows[1:]


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("text", TEXTS)
def test_the_literal_steps_have_the_summaries_and_rates_of_the_paper(text: str, seed: int | None) -> None:
    source = source_of(text)
    rows = paper_walk(source) if seed is None else random_walk(source, seed)
    found, expected = procedure().steps(source, rows), paper_steps(source, rows)
    assert [step.actions for step in found] == rows
    assert [step.summary for step in found] == [step.summary for step in expected]
    assert [step.compression_rate for step in found] == pytest.approx([float(step.cr) for step in expected])
    assert [step.reconstruction_rate for step in found] == pytest.approx([float(step.rr) for step in expected])


@pytest.mark.parametrize("text", TEXTS)
def test_the_literal_summary_is_that_of_the_paper(text: str) -> None:
    source = source_of(text)
    expected = paper_steps(source, paper_walk(source))
    number, step = procedure().summarize(source)
    assert number == oracle.best_step(expected)
    assert step.summary == expected[number - 1].summary


EASY = {"rewards.min_reconstruction": "0", "rewards.min_compression": "0", "rewards.strict_floors": "false"}
"""Floors that a walk can hardly break, so that it is rewarded to its end."""


@pytest.mark.parametrize(
    ("changes", "given"),
    [
        ({}, oracle.Hyperparameters()),
        (EASY, oracle.Hyperparameters(tau=Fraction(0), rho=Fraction(0), strict=False)),
    ],
    ids=["paper", "easy"],
)
@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("text", TEXTS)
def test_the_literal_rewards_are_those_of_the_paper(
    text: str, seed: int | None, changes: dict[str, str], given: oracle.Hyperparameters
) -> None:
    lm, source = language_model(), source_of(text)
    rows = paper_walk(source) if seed is None else random_walk(source, seed)
    expected = oracle.rewards_of_walk(
        paper_steps(source, rows),
        length=len(source.ids),
        sim=lambda summary: letters_in_common([text], [" ".join(lm.words(summary))])[0],
        llh=lambda summary: int(oracle.fluency(lm, summary) > 0.005),
        given=given,
    )
    literal = LiteralProcedure(lm, procedure().agent, SETTINGS.override(changes))
    assert literal.rewards(source, rows, letters_in_common) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("length", [*range(1, 31), 49, 200])
def test_a_sentence_has_exactly_so_many_words(length: int) -> None:
    for seed in range(20):
        words = sentence(length, np.random.default_rng(seed)).split()
        assert len(words) == length
        assert words[-1] == "."


def test_sentences_have_all_lengths_of_their_range_and_the_same_seed_gives_the_same() -> None:
    found = sentences(200, (3, 7), seed=4)
    assert {len(text.split()) for text in found} == {3, 4, 5, 6, 7}
    assert sentences(200, (3, 7), seed=4) == found
    assert sentences(200, (3, 7), seed=5) != found


# Looking again --------------------------------------------------------------------------------------------------------


def test_drafts_in_stages_have_the_length_asked_for_and_only_words_of_the_stage_before() -> None:
    planner = Planner(SavedAgent.load(embedded.agent_folder()))
    texts = [tuple("The police found an old silver bridge in the quiet forest on Monday .".split()), ("Rain", "falls")]
    for stages, look_again in WAYS:
        drafts = planner.drafts(texts, [5, 1], stages, look_again=look_again)
        assert [len(places) for places in drafts] == [5, 1]
        assert all((np.diff(places) > 0).all() for places in drafts)
    halfway = planner.drafts(texts, [10, 2], 1, look_again=False)
    end = planner.drafts(texts, [6, 2], 2, look_again=True)
    assert set(end[0]) < set(halfway[0])


@pytest.mark.parametrize("module", sorted(path.stem for path in Path(benchmarks.__file__).parent.glob("*.py")))
def test_every_benchmark_finds_what_it_measures(module: str) -> None:
    """Names change; a benchmark that nobody runs every day must not be the last to know."""
    if module != "__main__":
        import_module(f"benchmarks.{module}")
