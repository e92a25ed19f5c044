"""Summaries with shorter words for phrases: limits, edits, curves, documents."""

from typing import Any

import promises
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline_scripts import KEEP, REMOVE, REPLACE, Script, short, summarize

from ealm import Summarizer, Summary
from ealm.cli.terminal import shown_lines
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.pipeline import Pipeline

TEXT = "The prime minister of the United States is planning cuts of 7.4 percent."
TWO = f"{TEXT} More than 300 people said so in order to be heard."


def told(summary: Summary) -> list[tuple[str, str, str | None]]:
    return [(edit.word, edit.action.name.lower(), edit.replacement) for edit in summary.edits]


# Edits and lengths ----------------------------------------------------------------------------------------------------


def test_a_kept_rewording_replaces_its_first_word_and_removes_the_others(pipeline: Pipeline, script: Script) -> None:
    summary = summarize(pipeline, TEXT, words=9, reword=True)
    assert summary.source == TEXT
    assert summary.summary == "The premier of the U.S. plans cuts of 7.4%."
    assert summary.step == 0
    assert told(summary)[:4] == [
        ("The", "keep", None),
        ("prime", "replace", "premier"),
        ("minister", "remove", None),
        ("of", "keep", None),
    ]
    assert told(summary)[-3:] == [("7.4", "replace", "7.4%"), ("percent", "remove", None), (".", "keep", None)]
    assert summary.compression_rate == pytest.approx(4 / 14)  # of the words that people wrote


def test_a_removed_rewording_removes_all_its_words(pipeline: Pipeline, script: Script) -> None:
    script.action, script.actions = KEEP, dict.fromkeys(range(5), REMOVE)
    summary = summarize(pipeline, TEXT, words=4, reword=True, trace=True, protect=["negation"])
    assert summary.summary == "Plans cuts of 7.4%."
    assert [(edit.word, edit.action, edit.order) for edit in summary.edits[:7]] == [
        ("The", REMOVE, 1),
        ("prime", REMOVE, 2),
        ("minister", REMOVE, 2),
        ("of", REMOVE, 3),
        ("the", REMOVE, 4),
        ("United", REMOVE, 5),
        ("States", REMOVE, 5),
    ]
    assert [(step.position, step.word) for step in summary.trace[:5]] == [
        (0, "The"),
        (1, "prime"),
        (3, "of"),
        (4, "the"),
        (5, "United"),
    ]
    assert summary.trace[0].compression_rate == pytest.approx(5 / 14)


def test_what_fits_stays_as_it_is(pipeline: Pipeline, script: Script) -> None:
    for given_options in ({"words": 13}, {"chars": len(TEXT)}, {"bytes": 999}, {"ratio": 1.0}):
        summary = summarize(pipeline, TEXT, reword=True, **given_options)
        assert summary.summary == TEXT
        assert all(edit.action is KEEP for edit in summary.edits)
    assert short(pipeline, f"  {TEXT} ", chars=len(TEXT), reword=True) == TEXT


@pytest.mark.parametrize(("unit", "size"), [("chars", 46), ("bytes", 46), ("words", 9)])
def test_rewording_alone_may_be_enough(pipeline: Pipeline, script: Script, unit: str, size: int) -> None:
    assert short(pipeline, TEXT, reword=True, **{unit: size}) == "The premier of the U.S. plans cuts of 7.4%."
    assert short(pipeline, TEXT, reword=True, **{unit: size - 4}) != "The premier of the U.S. plans cuts of 7.4%."


def test_a_ratio_is_one_of_the_words_that_people_wrote(pipeline: Pipeline, script: Script) -> None:
    script.action = KEEP
    assert len(short(pipeline, TEXT, ratio=0.7, reword=True).split()) == 9
    assert short(pipeline, TEXT, ratio=0.5, reword=True) == "The premier U.S. plans cuts 7.4%."


def test_without_the_wish_nothing_is_reworded(pipeline: Pipeline, script: Script) -> None:
    for given_options in ({"words": 9}, {"chars": 46}, {}):
        summary = summarize(pipeline, TEXT, **given_options)
        assert summary == summarize(pipeline, TEXT, reword=False, **given_options)
        assert not any(edit.replacement for edit in summary.edits)


def test_words_to_keep_are_never_reworded(pipeline: Pipeline, script: Script) -> None:
    script.action, script.actions = KEEP, dict.fromkeys([0, 1, 3, 4, 5], REMOVE)
    summary = summarize(pipeline, TEXT, words=6, reword=True, keep=["minister", "percent"], protect=["negation"])
    assert summary.summary == "Minister plans cuts of 7.4 percent."
    assert [edit.word for edit in summary.edits if edit.action is KEEP][:1] == ["minister"]


def test_a_word_to_keep_is_one_that_people_wrote(pipeline: Pipeline, script: Script) -> None:
    assert "premier" not in short(pipeline, TEXT, words=3, reword=True, keep=["premier"]).lower()


def test_protected_words_stay_in_their_new_form(pipeline: Pipeline, script: Script) -> None:
    assert short(pipeline, TEXT, words=1, protect=["numbers"], reword=True) == "7.4%."
    assert "U.S." in short(pipeline, TEXT, words=2, protect=["names"], reword=True)
    negated = "The prime minister is not planning more than 30 cuts."
    script.action = KEEP
    assert short(pipeline, negated, words=5, reword=True) == "Premier not planning 30 cuts."


def test_a_full_stop_is_not_doubled(pipeline: Pipeline, script: Script) -> None:
    script.action, script.actions = KEEP, dict.fromkeys([5, 6, 7, 8], REMOVE)
    assert short(pipeline, TEXT, words=5, reword=True, protect=["negation"]) == "The premier of the U.S."
    assert short(pipeline, "The U.S. river rises.", words=2, keep="the") == "The U.S."
    text = "The old river in the United States."
    assert short(pipeline, text, words=3, keep=["in", "United", "States"], reword=True) == "In United States."


def test_pretokenized_text(pipeline: Pipeline, script: Script) -> None:
    text = "the prime minister of the united states is planning #.# percent ."
    summary = summarize(pipeline, text, pretokenized=True, words=9, reword=True)
    assert summary.summary == "the premier of the u.s. plans #.#% ."
    assert summary.source == text
    assert [edit.word for edit in summary.edits] == text.split()
    script.action = KEEP
    assert short(pipeline, text, pretokenized=True, words=4, reword=True) == "premier u.s. plans #.#%"


def test_the_embedded_agent_leaves_a_third_of_the_words_that_people_wrote() -> None:
    summary = Summarizer().summarize(TEXT, reword=True)
    assert summary.source == TEXT
    assert len(summary.summary.split()) == round(len(TEXT.split()) / 3)
    assert any(edit.replacement in ("premier", "U.S.", "plans", "7.4%") for edit in summary.edits)


# Texts ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(1, 24))
def test_a_limit_is_for_the_whole_text(pipeline: Pipeline, script: Script, size: int) -> None:
    summary = summarize(pipeline, TWO, words=size, reword=True)
    assert summary.source == TWO
    assert [part.source for part in summary.sentences] == [TEXT, TWO[len(TEXT) + 1 :]]
    assert 1 <= len(summary.summary.split()) <= size
    assert summary.edits == tuple(edit for part in summary.sentences for edit in part.edits)
    if size == 18:
        assert summary.summary.endswith("Over 300 people said so to be heard.")


def test_a_curve_begins_with_the_text_as_it_is(pipeline: Pipeline, script: Script) -> None:
    options = SummarizeOptions(reword=True, recoverability=True)
    points = list(pipeline.curve(pipeline.read(TWO, options)))
    assert points[0].summary == TWO
    assert points[0].compression_rate == 0.0
    assert points[0].reconstruction_rate == 1.0
    assert all(edit.action is KEEP for edit in points[0].edits)
    assert points[1].summary.startswith("The premier of the U.S. plans cuts of 7.4%. Over 300")
    lengths = [len(point.summary.split()) for point in points]
    assert lengths == sorted(lengths, reverse=True)
    assert all(point.source == TWO for point in points)
    plain = SummarizeOptions(recoverability=True)
    assert list(pipeline.curve(pipeline.read("The river rises.", plain))) == list(
        pipeline.curve(pipeline.read("The river rises.", options))
    )


def test_the_words_of_a_curve_are_those_of_the_text(pipeline: Pipeline, script: Script) -> None:
    options = SummarizeOptions(reword=True)
    points = list(pipeline.curve(pipeline.read(TEXT, options)))
    assert points[0].trace == points[1].trace
    assert [points[0].edits[step.position].word for step in points[0].trace] == [step.word for step in points[0].trace]


def test_both_words_are_shown(pipeline: Pipeline, script: Script) -> None:
    first = next(iter(shown_lines(summarize(pipeline, TEXT, words=9, reword=True), colour=False)))
    assert first.startswith("The [-prime-] {+premier+} [-minister-] of the [-United-] {+U.S.+} [-States-] ")
    assert first.endswith("of [-7.4-] {+7.4%+} [-percent-].")


# Promises -------------------------------------------------------------------------------------------------------------

PIECES = (
    *"The prime minister , United States . is planning considering in order to more than 300 7.4 percent".split(),
    *"not ( ) ' 's “ ” European Union a number of as well as television river 's is going to meet".split(),
    " ",
    "\n",
)
RAW = st.lists(st.sampled_from(PIECES), max_size=16).map(" ".join)
LIMITS = st.one_of(
    st.builds(lambda size: {"words": size}, st.integers(1, 9)),
    st.builds(lambda size: {"chars": size}, st.integers(1, 60)),
    st.builds(lambda size: {"bytes": size}, st.integers(1, 60)),
    st.sampled_from([{}, {"ratio": 0.5}]),
)
OTHERS = st.sampled_from(
    [{}, {"keep": ["states", "than"]}, {"protect": ["names", "numbers"]}, {"pretokenized": True}, {"trace": True}]
)


@settings(max_examples=60)
@given(RAW, LIMITS, OTHERS)
def test_every_promise_holds(text: str, limit: dict[str, Any], others: dict[str, Any]) -> None:
    given_options = {**limit, **others, "reword": True}
    assert list(promises.problems(text, given_options)) == []


@settings(max_examples=40)
@given(RAW, LIMITS)
def test_words_of_the_source_and_of_the_trace_are_those_that_people_wrote(text: str, limit: dict[str, Any]) -> None:
    summary = promises.summarizer().summarize(text, reword=True, trace=True, **limit)
    for part in summary.sentences or (summary,):
        assert "".join(edit.word for edit in part.edits) == "".join(part.source.split())
        assert [part.edits[step.position].word for step in part.trace] == [step.word for step in part.trace]
        assert all((edit.action is REPLACE) == (edit.replacement is not None) for edit in part.edits)


@settings(max_examples=40)
@given(RAW, LIMITS)
def test_text_without_such_phrases_is_shortened_as_ever(text: str, limit: dict[str, Any]) -> None:
    plain = text.translate(str.maketrans("aeiou", "áéíóú"))
    summarizer = promises.summarizer()
    found, expected = (summarizer.summarize(plain, reword=reword, **limit) for reword in (True, False))
    if "7.4 p" not in text:
        assert found == expected
