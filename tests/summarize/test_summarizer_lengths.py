"""The public summarizer when a length is given, or words that must stay."""

import dataclasses
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
def test_a_limit_of_words_is_met_and_never_exceeded(agent: str | Action, text: str) -> None:
    summarizer = summarizer_of(stubborn(agent)) if isinstance(agent, Action) else various()
    length, own = len(text.split()), len(summarizer.summarize(text, pretokenized=True).summary.split())
    for limit in range(1, length + 3):
        summary = summarizer.summarize(text, words=limit, pretokenized=True)
        expected = length if limit >= length else min(limit, own)
        assert len(summary.summary.split()) == expected
        assert summary.compression_rate == pytest.approx(1 - expected / length)
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


@settings(max_examples=15)
@given(TEXTS, st.sampled_from(SEEDS), st.integers(1, 8))
def test_a_limited_summary_is_the_free_one_or_a_part_of_it(text: str, seed: int, limit: int) -> None:
    summary = various(seed).summarize(text, words=limit, pretokenized=True)
    free = various(seed).summarize(text, pretokenized=True)
    walk = [(step.position, step.action) for step in free.trace]
    assert [(step.position, step.action) for step in summary.trace] == walk
    if len(text.split()) <= limit:
        assert summary.summary == " ".join(text.split())
    elif len(free.summary.split()) <= limit:
        assert (summary.summary, summary.edits, summary.step) == (free.summary, free.edits, free.step)
    else:
        left = [index for index, edit in enumerate(summary.edits) if edit.action is Action.KEEP]
        assert len(left) == limit
        assert all(free.edits[index].action is not Action.REMOVE for index in left)
        assert summary.summary == " ".join(text.split()[index] for index in left)


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
    summarizer = summarizer_of(stubborn(Action.KEEP))
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
