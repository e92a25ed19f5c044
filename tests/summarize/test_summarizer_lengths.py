"""The public summarizer when a length is given, or words that must stay."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from summarizers import BOTH_KINDS, RAW_TEXT, SEEDS, SENTENCE, TEXTS, stubborn, summarizer_of, various

from ealm import Summarizer, Summary
from ealm.common.errors import SettingsError, TextError
from ealm.paper.converter import Conversion, Converter
from ealm.paper.edits import Action
from ealm.paper.rewards import reconstruction_rate
from ealm.paper.source import Source

# A fixed number of words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["various", *Action])
@pytest.mark.parametrize("text", [SENTENCE, "river", "river rises", "Zebra Zebra Zebra"])
def test_a_limit_of_words_is_met_exactly_and_never_exceeded(agent: str | Action, text: str) -> None:
    summarizer = summarizer_of(stubborn(agent)) if isinstance(agent, Action) else various()
    length = len(text.split())
    for limit in range(1, length + 3):
        summary = summarizer.summarize(text, words=limit, pretokenized=True)
        assert len(summary.summary.split()) == min(limit, length)
        assert summary.compression_rate == pytest.approx(1 - min(limit, length) / length)
        assert summary.reconstruction_rate is None
        if limit >= length:
            assert summary.summary == text
            assert summary.step == 0


@pytest.mark.parametrize("agent", ["various", *Action])
@pytest.mark.parametrize("unit", ["words", "chars", "bytes"])
@pytest.mark.parametrize("text", ["The police didn't find Zürich.", RAW_TEXT])
def test_a_limit_of_raw_text_is_never_exceeded_and_leaves_something(agent: str | Action, unit: str, text: str) -> None:
    summarizer = summarizer_of(stubborn(agent)) if isinstance(agent, Action) else various()
    sizes = {"words": len(text.split()), "chars": len(text), "bytes": len(text.encode())}
    for limit in (1, 2, 5, *range(9, sizes[unit], 1 + sizes[unit] // 7)):
        summary = summarizer.summarize(text, **{unit: limit})
        found = {"words": len(str(summary).split()), "chars": len(str(summary)), "bytes": len(str(summary).encode())}
        assert 0 < found[unit] <= limit
    assert summarizer.summarize(text, **{unit: sizes[unit]}).summary == text


@pytest.mark.parametrize("ratio", [0.01, 0.3, 0.5, 1.0])
def test_a_ratio_is_a_share_of_the_words(ratio: float) -> None:
    summary = various().summarize(SENTENCE, ratio=ratio, pretokenized=True)
    assert len(summary.summary.split()) == max(1, int(ratio * len(SENTENCE.split())))


def expected_edits(walk: Sequence[tuple[int, Action]], length: int, limit: int) -> tuple[list[Action], int]:
    """Actions and number of decisions, literally: decide in order, keep no more than the limit, stop when it is met."""
    actions, kept = [Action.KEEP] * length, 0
    for step, (word, action) in enumerate(walk):
        if sum(action is not Action.REMOVE for action in actions) <= limit:
            return actions, step
        stays = action is not Action.REMOVE and kept < limit
        actions[word] = action if stays else Action.REMOVE
        kept += stays
    return actions, len(walk)


@settings(max_examples=15)
@given(TEXTS, st.sampled_from(SEEDS), st.integers(1, 8))
def test_a_limited_summary_follows_the_free_walk_until_the_limit_leaves_no_choice(
    text: str, seed: int, limit: int
) -> None:
    summary = various(seed).summarize(text, words=limit, pretokenized=True)
    free = various(seed).summarize(text, pretokenized=True)
    walk = [(step.position, step.action) for step in free.trace]
    assert [(step.position, step.action) for step in summary.trace] == walk
    actions, step = expected_edits(walk, len(text.split()), limit)
    assert ([edit.action for edit in summary.edits], summary.step) == (actions, step)
    order = {word: number for number, (word, _) in enumerate(walk[:step], start=1)}
    assert [edit.order for edit in summary.edits] == [order.get(word) for word in range(len(text.split()))]


def test_the_limits_of_these_tests_overrule_agents_and_end_walks_early() -> None:
    """Otherwise the comparison above would show little."""
    short, long = (various().summarize(SENTENCE, words=words, pretokenized=True) for words in (2, 6))
    assert long.step < len(SENTENCE.split()) == short.step
    assert sum(step.action is not Action.REMOVE for step in short.trace) > 2


def rate_of(summarizer: Summarizer, summary: Summary) -> float:
    """The reconstruction rate of a pre-tokenised summary, worked out from its edits."""
    source = Source.prepare([edit.word for edit in summary.edits], summarizer.lm, summarizer.ignored_words)
    conversion = Conversion(source.ids, [edit.action for edit in summary.edits])
    Converter(summarizer.lm).finish([conversion])
    ranks = [rank for rank in conversion.source_ranks if rank is not None]
    return reconstruction_rate(ranks, source.counted, summarizer.settings.rewards)


@pytest.mark.parametrize("words", [1, 2, 3, 5, 8, 11])
def test_a_limit_can_come_with_the_reconstruction_rate(words: int) -> None:
    summarizer = various()
    summary = summarizer.summarize(SENTENCE, words=words, recoverability=True, pretokenized=True)
    assert summary.reconstruction_rate == rate_of(summarizer, summary)
    assert summary == dataclasses.replace(
        summarizer.summarize(SENTENCE, words=words, trace=True, pretokenized=True), trace=summary.trace
    )


def test_where_the_limit_overrules_nothing_the_rate_is_that_of_the_step() -> None:
    summarizer = summarizer_of(stubborn(Action.REMOVE))
    summary = summarizer.summarize(SENTENCE, words=5, trace=True, pretokenized=True)
    assert summary.step == len(SENTENCE.split()) - 5
    assert summary.reconstruction_rate == summary.trace[summary.step - 1].reconstruction_rate


@pytest.mark.parametrize("unit", ["words", "chars", "bytes"])
@pytest.mark.parametrize("limit", [0, -3, 2.5, "3", True])
def test_a_limit_that_is_no_whole_number_above_zero_is_refused(unit: str, limit: object) -> None:
    with pytest.raises(SettingsError, match=f"{unit}= must be a whole number of at least 1"):
        various().summarize(SENTENCE, **{unit: limit})


def test_a_stream_refuses_a_limit_below_one_before_it_is_read() -> None:
    with pytest.raises(SettingsError, match="words= must be a whole number of at least 1, got 0"):
        various().summarize(iter([SENTENCE]), words=0)


def test_two_lengths_and_unknown_options_are_refused() -> None:
    with pytest.raises(SettingsError, match="Give one length, not 2: words= and chars="):
        various().summarize(SENTENCE, words=3, chars=20)
    with pytest.raises(TypeError, match="unexpected keyword argument 'limit'"):
        various().summarize(SENTENCE, limit=3)  # type: ignore[call-overload]


# What must stay -------------------------------------------------------------------------------------------------------


@BOTH_KINDS
@pytest.mark.parametrize("agent", ["various", *Action])
@pytest.mark.parametrize("words", [None, 2, 4])
def test_words_to_keep_are_neither_removed_nor_replaced(
    pretokenized: bool, agent: str | Action, words: int | None
) -> None:
    summarizer = summarizer_of(stubborn(agent)) if isinstance(agent, Action) else various()
    options: dict[str, Any] = {"words": words, "pretokenized": pretokenized}
    summary = summarizer.summarize(SENTENCE, keep=["BRIDGE", "zebra"], **options)
    kept = {edit.word: edit for edit in summary.edits if edit.word in ("bridge", "Zebra")}
    assert {word: (edit.action, edit.order) for word, edit in kept.items()} == {
        "bridge": (Action.KEEP, None),
        "Zebra": (Action.KEEP, None),
    }
    assert summarizer.summarize(SENTENCE, keep="bridge Zebra", **options) == summary
    assert {step.word for step in summary.trace} & {"bridge", "Zebra"} == set()


def test_words_to_keep_that_do_not_fit_are_refused() -> None:
    with pytest.raises(TextError, match="The words to keep take 2 words, and the limit is 1"):
        various().summarize(SENTENCE, keep=["bridge", "Zebra"], words=1, pretokenized=True)


@BOTH_KINDS
@pytest.mark.parametrize("words", [None, 3])
def test_an_extractive_summary_has_only_words_of_the_source(pretokenized: bool, words: int | None) -> None:
    summarizer = summarizer_of(stubborn(Action.REPLACE))
    assert Action.REPLACE in {step.action for step in summarizer.summarize(SENTENCE, pretokenized=True).trace}
    summary = summarizer.summarize(SENTENCE, extractive=True, words=words, pretokenized=pretokenized)
    assert {step.action for step in summary.trace} <= {Action.REMOVE, Action.KEEP}
    assert {edit.replacement for edit in summary.edits} == {None}


def test_a_negation_stays_in_raw_text_as_long_as_what_it_negates() -> None:
    summarizer = summarizer_of(stubborn(Action.REMOVE))
    text = "it is not the police minister that finds the river"
    assert "not" in summarizer.summarize(text).summary.split()
    for words in range(1, 11):
        left = summarizer.summarize(text, words=words).summary.split()
        assert ("not" in left) == ("police" in left)
    unprotected = [summarizer.summarize(text, words=n, protect=[]).summary.split() for n in range(1, 11)]
    assert any(("not" in left) != ("police" in left) for left in unprotected)
    assert "not" not in summarizer.summarize(text, words=1, pretokenized=True).summary.split()


def test_a_negation_that_negates_nothing_stays_as_long_as_there_is_room() -> None:
    summarizer = summarizer_of(stubborn(Action.REMOVE))
    text = "the police minister says no"
    assert "no" in summarizer.summarize(text, words=1).summary.split()
    assert "no" not in summarizer.summarize(text, words=2, pretokenized=True, keep=["the", "police"]).summary.split()
    assert "no" in summarizer.summarize(text, words=1, pretokenized=True, protect="negation").summary.split()
