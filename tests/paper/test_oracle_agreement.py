"""Many random sentences through the package, in batches, and through the slow transcription, one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import oracle
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import WORDS, tiny_bert

from ealm.common.config import AgentSettings, DecodingSettings, IgnoredWordsSettings, RewardSettings
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.agent import Agent
from ealm.paper.assessment import fluencies
from ealm.paper.converter import Conversion, Converter
from ealm.paper.edits import Action, summary_length
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.rewards import (
    Assessment,
    clears_compression,
    clears_reconstruction,
    compression_rate,
    is_fluent,
    reconstruction_rate,
    walk_rewards,
)
from ealm.paper.rollout import Walk, walk
from ealm.text.word_lists import STOP_WORDS

UNKNOWN = ("zebra", "[MASK]", "##ing", "[unused1]", "Unicorn")
SENTENCES = st.lists(st.sampled_from((*WORDS, *UNKNOWN)), min_size=1, max_size=12)
IGNORED = IgnoredWords(IgnoredWordsSettings(infrequent="none"))
SEEDS = st.sampled_from((0, 3))


@cache
def language_model(seed: int) -> TransformersMaskedLM:
    """In double precision, so that a batch cannot tip a close decision."""
    return tiny_bert(seed, double=True)


@st.composite
def sentences_with_actions(draw: st.DrawFn) -> list[tuple[list[str], list[Action]]]:
    """Several sentences for one batch, each under one row of actions."""
    rows = []
    for sentence in draw(st.lists(SENTENCES, min_size=1, max_size=5)):
        actions = st.lists(st.sampled_from(Action), min_size=len(sentence), max_size=len(sentence))
        rows.append((sentence, draw(actions)))
    return rows


Rows = list[tuple[list[str], list[Action]]]


def convert(lm: TransformersMaskedLM, rows: Rows, **options: Any) -> list[Conversion]:
    """All rows together through the package."""
    conversions = [Conversion(lm.word_ids(words), actions) for words, actions in rows]
    budget = options.pop("token_budget", 4_096)
    Converter(lm, DecodingSettings(**options), token_budget=budget).finish(conversions)
    return conversions


def counted(lm: TransformersMaskedLM, words: Sequence[str]) -> list[bool]:
    """What the package's set W and the language model make of a sentence."""
    ids = lm.word_ids(words)
    return [word not in IGNORED and number != lm.unknown_id for word, number in zip(words, ids, strict=True)]


def agrees(lm: TransformersMaskedLM, words: list[str], found: Conversion, *, by_logit: bool, top_k: int) -> None:
    """One conversion against Algorithm 1, both ways, with its recovered words and its rate."""
    source = lm.word_ids(words)
    summary = oracle.compress(lm, source, found.actions, by_logit=by_logit)
    rebuilt = oracle.reconstruct(lm, source, found.actions, summary, top_k=top_k, by_logit=by_logit)
    assert found.summary == summary
    assert found.reconstruction == rebuilt.words
    assert [rank is not None and rank < top_k for rank in found.source_ranks] == list(rebuilt.recovered)
    flags = oracle.counted_words(words, source, unknown_id=lm.unknown_id, ignored=STOP_WORDS)
    assert counted(lm, words) == flags
    expected = oracle.reconstruction_rate(rebuilt.recovered, flags)
    assert all(rank is not None for rank in found.source_ranks)
    ranks = [rank for rank in found.source_ranks if rank is not None]
    assert reconstruction_rate(ranks, flags, RewardSettings(top_k=top_k)) == float(expected)


@settings(max_examples=40)
@given(SEEDS, sentences_with_actions(), st.integers(1, 20))
def test_conversions_follow_algorithm_1(seed: int, rows: Rows, top_k: int) -> None:
    lm = language_model(seed)
    for (words, _), found in zip(rows, convert(lm, rows), strict=True):
        agrees(lm, words, found, by_logit=False, top_k=top_k)


@settings(max_examples=30)
@given(SEEDS, sentences_with_actions(), st.integers(1, 20))
def test_conversions_in_the_published_order_follow_it_too(seed: int, rows: Rows, top_k: int) -> None:
    lm = language_model(seed)
    for (words, _), found in zip(rows, convert(lm, rows, fill_order="logit"), strict=True):
        agrees(lm, words, found, by_logit=True, top_k=top_k)


@settings(max_examples=30)
@given(SEEDS, sentences_with_actions(), st.integers(1, 60))
def test_small_batches_change_nothing(seed: int, rows: Rows, budget: int) -> None:
    lm = language_model(seed)
    large, small = convert(lm, rows), convert(lm, rows, token_budget=budget)
    for one, other in zip(large, small, strict=True):
        assert one.summary == other.summary
        assert one.reconstruction == other.reconstruction
        assert one.source_ranks == other.source_ranks


# Rewards of whole walks ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """The same hyperparameters for the package and for the transcription."""

    package: RewardSettings
    paper: oracle.Hyperparameters
    by_logit: bool = False


VARIANTS = {
    "paper": Variant(RewardSettings(), oracle.Hyperparameters()),
    "published code": Variant(
        RewardSettings(strict_floors=False, all_ignored_rate=0.0),
        oracle.Hyperparameters(strict=False, all_ignored=Fraction(0)),
        by_logit=True,
    ),
    "easy": Variant(
        RewardSettings(min_reconstruction=0.0, min_compression=0.0, strict_floors=False),
        oracle.Hyperparameters(tau=Fraction(0), rho=Fraction(0), strict=False),
    ),
}


def similarity(length: int, summary: Sequence[int]) -> float:
    """Any number between 0 and 1 that depends on the summary does here."""
    return len(set(summary)) / length


@st.composite
def walks(draw: st.DrawFn) -> tuple[list[str], list[oracle.Decision]]:
    """A sentence and a decision for each of its words, in any order."""
    sentence = draw(st.lists(st.sampled_from((*WORDS, *UNKNOWN)), min_size=1, max_size=8))
    order = draw(st.permutations(range(len(sentence))))
    # Removing is what walks of any length are made of.
    action = st.sampled_from([Action.REMOVE, Action.REMOVE, Action.REMOVE, Action.KEEP, Action.REPLACE])
    return sentence, [oracle.Decision(word, draw(action)) for word in order]


def actions_after(length: int, decisions: Sequence[oracle.Decision]) -> list[Action]:
    """Undecided words are Keep."""
    actions = [Action.KEEP] * length
    for decision in decisions:
        actions[decision.word] = decision.action
    return actions


def package_rewards(
    lm: TransformersMaskedLM, words: list[str], decisions: list[oracle.Decision], variant: Variant
) -> tuple[float, ...]:
    """All steps in one batch, then cut at the first that breaks a floor."""
    length = len(words)
    rows = [(words, actions_after(length, decisions[:step])) for step in range(1, length + 1)]
    conversions = convert(lm, rows, fill_order="logit" if variant.by_logit else "probability")
    flags = counted(lm, words)
    for step, found in enumerate(conversions, start=1):
        cr = compression_rate(summary_length(found.actions), length)
        rr = reconstruction_rate([rank or 0 for rank in found.source_ranks], flags, variant.package)
        violated = not (
            clears_compression(cr, step=step, length=length, settings=variant.package)
            and clears_reconstruction(rr, step=step, length=length, settings=variant.package)
        )
        if violated or step == length:
            break
    summary = found.summary or ()
    assessment = Assessment(
        last_step=step,
        length=length,
        compression_rate=cr,
        reconstruction_rate=rr,
        similarity=similarity(length, summary),
        fluent=is_fluent(fluencies(lm, [summary])[0], variant.package),
    )
    lengths = [summary_length(actions) for _, actions in rows[:step]]
    return walk_rewards(lengths, violated=violated, assessment=assessment, settings=variant.package)


def paper_results(
    lm: TransformersMaskedLM, words: list[str], decisions: list[oracle.Decision], variant: Variant
) -> list[oracle.StepResult]:
    """Every step by itself."""
    source = lm.word_ids(words)
    flags = oracle.counted_words(words, source, unknown_id=lm.unknown_id, ignored=STOP_WORDS)
    results = []
    for step in range(1, len(words) + 1):
        actions = actions_after(len(words), decisions[:step])
        summary = oracle.compress(lm, source, actions, by_logit=variant.by_logit)
        rebuilt = oracle.reconstruct(lm, source, actions, summary, by_logit=variant.by_logit)
        cr = oracle.compression_rate(len(summary), len(source))
        rr = oracle.reconstruction_rate(rebuilt.recovered, flags, all_ignored=variant.paper.all_ignored)
        results.append(oracle.StepResult(summary, cr, rr))
    return results


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@settings(max_examples=20)
@given(SEEDS, walks())
def test_rewards_of_a_walk_are_those_of_the_paper(
    variant: Variant, seed: int, sentence_and_decisions: tuple[list[str], list[oracle.Decision]]
) -> None:
    lm = language_model(seed)
    words, decisions = sentence_and_decisions
    expected = oracle.rewards_of_walk(
        paper_results(lm, words, decisions, variant),
        length=len(words),
        sim=lambda summary: similarity(len(words), summary),
        llh=lambda summary: int(oracle.fluency(lm, summary) > 0.005),
        given=variant.paper,
    )
    assert package_rewards(lm, words, decisions, variant) == pytest.approx(expected, rel=1e-9, abs=1e-9)


# Walks --------------------------------------------------------------------------------------------------------------


@cache
def agent() -> Agent:
    """With biases, and with outputs wide enough apart for all three actions."""
    torch.manual_seed(5)
    made = Agent(32, AgentSettings(hidden_units=12)).double()
    with torch.no_grad():
        made.action_bias.copy_(torch.randn(3))
        made.decided_bias.copy_(torch.randn(2))
        made.output.weight.mul_(20)
    return made


def decisions_of(result: Walk) -> list[oracle.Decision]:
    """A walk without its Q-values."""
    return [oracle.Decision(step.word, step.action) for step in result.steps]


@settings(max_examples=15)
@given(SEEDS, st.lists(SENTENCES, min_size=1, max_size=4))
def test_greedy_walks_over_real_encodings_are_those_of_the_paper(seed: int, sentences: list[list[str]]) -> None:
    lm = language_model(seed)
    ids = [lm.word_ids(words) for words in sentences]
    found = walk(agent(), lm.encode(ids))
    for sentence, result in zip(ids, found, strict=True):
        (encodings,) = lm.encode([sentence])
        assert decisions_of(result) == oracle.greedy_walk(agent(), encodings.tolist())


# The transcription itself -------------------------------------------------------------------------------------------


def result(summary: int, cr: str, rr: str) -> oracle.StepResult:
    """A step with so many words left."""
    return oracle.StepResult((7,) * summary, Fraction(cr), Fraction(rr))


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([result(2, "1/3", "1"), result(1, "2/3", "1/2")], 1),
        ([result(2, "1/3", "1"), result(1, "2/3", "2/3")], 2),
        ([result(2, "1/3", "1"), result(0, "1", "1")], 1),
        ([result(0, "1", "1")], 0),
        ([], 0),
    ],
)
def test_the_best_step_is_the_latest_of_the_best_that_leave_a_word(
    results: list[oracle.StepResult], expected: int
) -> None:
    """The choice of inference has no home among these modules; its own tests compare with this."""
    assert oracle.best_step(results) == expected
