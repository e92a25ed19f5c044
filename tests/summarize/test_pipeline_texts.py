"""Texts of several sentences, several texts, and every length of a text."""

from typing import Any

import pytest
from pipeline_scripts import KEEP, LM, REMOVE, Script, short, summarize

from ealm.summarize.options import SummarizeOptions
from ealm.summarize.pipeline import Pipeline
from ealm.summarize.result import Summary

# Several sentences ----------------------------------------------------------------------------------------------------


def test_each_sentence_has_its_own_balance_and_the_text_is_put_together(pipeline: Pipeline, script: Script) -> None:
    script.order, script.actions = (1,), {0: KEEP, 2: KEEP}
    text = "Cue follower.\n\nThe river. "
    summary = summarize(pipeline, text)
    assert summary.source == text.strip()
    assert [part.source for part in summary.sentences] == ["Cue follower.", "The river."]
    assert summary.summary == "\n\n".join(part.summary for part in summary.sentences)
    assert summary.edits == tuple(edit for part in summary.sentences for edit in part.edits)
    assert summary.step == sum(part.step for part in summary.sentences)
    assert summary.trace == ()
    assert all(part.sentences == () for part in summary.sentences)


def test_rates_are_those_of_all_words_together(pipeline: Pipeline, script: Script) -> None:
    script.order, script.actions = (1,), {0: KEEP}
    summary = summarize(pipeline, "cue follower\nriver bridge falls rises")
    first, second = summary.sentences
    assert summary.compression_rate == pytest.approx((2 * first.compression_rate + 4 * second.compression_rate) / 6)
    rates = (first.reconstruction_rate or 0.0, second.reconstruction_rate or 0.0)
    assert summary.reconstruction_rate == pytest.approx((2 * rates[0] + 4 * rates[1]) / 6)


def test_every_sentence_has_its_own_trace(pipeline: Pipeline, script: Script) -> None:
    summary = summarize(pipeline, "The river rises.\nNow.", trace=True)
    assert summary.trace == ()
    assert [len(part.trace) for part in summary.sentences] == [3, 1]


@pytest.mark.parametrize("size", range(1, 10))
def test_a_limit_is_for_the_whole_text(pipeline: Pipeline, script: Script, size: int) -> None:
    summary = summarize(pipeline, "The old river rises.\n\nThe bridge falls. It is late.", words=size)
    assert min(size, 9) - 2 <= len(summary.summary.split()) <= size
    assert len(summary.sentences) == 3


def test_a_dropped_sentence_has_an_empty_summary_and_all_its_words_removed(pipeline: Pipeline, script: Script) -> None:
    summary = summarize(pipeline, "The old river rises.\n\nThe bridge falls.", words=1)
    dropped = [part for part in summary.sentences if not part.summary]
    assert len(dropped) == 1
    assert all(edit.action is REMOVE for edit in dropped[0].edits)
    assert dropped[0].compression_rate == 1.0


def test_a_text_of_words_that_are_all_too_long_is_cut(pipeline: Pipeline, script: Script) -> None:
    assert len(short(pipeline, "Riverbridges. Bridgerivers.", chars=4)) == 4


def test_the_text_begins_with_a_capital_if_it_did(pipeline: Pipeline, script: Script) -> None:
    """An endless sentence is cut, and only its last piece is left."""
    assert short(pipeline, "The " + "stone " * 119 + "bridge falls", words=2) == "Bridge falls"
    assert short(pipeline, "the " + "stone " * 119 + "bridge falls", words=2) == "bridge falls"


def test_a_capital_that_is_longer_than_its_letter_does_not_break_the_limit(pipeline: Pipeline, script: Script) -> None:
    text, keep = "The " + "stone " * 119 + "ŉbridge falls", ["ŉbridge", "falls"]
    assert short(pipeline, text, chars=14, keep=keep) == "ʼNbridge falls"
    assert short(pipeline, text, chars=13, keep=keep) == "ŉbridge falls"


def test_a_piece_of_a_sentence_has_no_capital_inside_the_text(pipeline: Pipeline, script: Script) -> None:
    script.action, script.actions, script.order = KEEP, {0: REMOVE}, (0,)
    text = "The " + "stone " * (LM.max_words - 1) + "Oslo falls"
    assert short(pipeline, text) == "Stone " + "stone " * (LM.max_words - 2) + "falls"


# Side by side ---------------------------------------------------------------------------------------------------------


def test_texts_side_by_side_get_what_each_gets_alone(pipeline: Pipeline, script: Script) -> None:
    texts = ["The old river rises.", "", "Cue follower.\n\nRiver bridge.", "Not now.", "\n"]
    for options in (SummarizeOptions(), SummarizeOptions(recoverability=True, keep="river")):
        together = pipeline.summarize([pipeline.read(text, options) for text in texts])
        alone = [pipeline.summarize([pipeline.read(text, options)])[0] for text in texts]
        assert together == alone


def test_texts_with_different_options_are_worked_on_in_one_batch(pipeline: Pipeline, script: Script) -> None:
    texts = ["The old river rises.", "Cue follower.", "River bridge."]
    options = [SummarizeOptions(words=2), SummarizeOptions(trace=True), SummarizeOptions(extractive=True)]
    together = pipeline.summarize([pipeline.read(*pair) for pair in zip(texts, options, strict=True)])
    assert script.extractive == [False, False, True]
    assert together == [pipeline.summarize([pipeline.read(*pair)])[0] for pair in zip(texts, options, strict=True)]


def test_no_texts_have_no_summaries(pipeline: Pipeline) -> None:
    assert pipeline.summarize([]) == []


# The curve ------------------------------------------------------------------------------------------------------------


def curve(pipeline: Pipeline, text: str, **given_options: Any) -> list[Summary]:
    options = SummarizeOptions(recoverability=True, **given_options)
    return list(pipeline.curve(pipeline.read(text, options)))


def test_the_curve_has_every_length_the_longest_first(pipeline: Pipeline, script: Script) -> None:
    """First the steps of the walk, then parts of its best balance, which has two words here."""
    script.order, script.actions = (4, 2), {0: KEEP, 1: KEEP, 3: KEEP}
    text = "The cue follower rises now"
    points = curve(pipeline, text)
    assert [point.summary for point in points] == [
        text,
        "The cue follower rises",
        "The cue rises",
        "Cue rises",
        "Cue",
    ]
    assert summarize(pipeline, text).summary == "The cue rises"
    rates = [point.reconstruction_rate for point in points]
    assert rates[0] == 1.0
    assert all(rate is not None for rate in rates)


def test_a_point_of_the_curve_is_the_summary_of_that_length(pipeline: Pipeline, script: Script) -> None:
    script.action, script.actions = KEEP, {0: REMOVE}
    text = "The old river, not the bridge, rises."
    for point in curve(pipeline, text):
        limited = summarize(pipeline, text, words=len(point.summary.split()), recoverability=True)
        assert (point.summary, point.reconstruction_rate) == (limited.summary, limited.reconstruction_rate)


def test_an_empty_text_has_an_empty_curve(pipeline: Pipeline) -> None:
    assert curve(pipeline, " \n") == []


def test_the_curve_of_several_sentences(pipeline: Pipeline, script: Script) -> None:
    points = curve(pipeline, "The old river rises. The bridge falls.")
    lengths = [len(point.summary.split()) for point in points]
    assert lengths == sorted(lengths, reverse=True)
    assert set(lengths) == {1, 2, 3, 4, 7}  # no sentence is left with fewer than four words beside another, or whole


def test_points_of_the_curve_of_several_sentences_are_the_summaries_of_that_length(
    pipeline: Pipeline, script: Script
) -> None:
    script.action = KEEP
    text = "The old river rises. Cue follower falls, not the bridge."
    for point in curve(pipeline, text):
        assert point == summarize(pipeline, text, words=len(point.summary.split()), recoverability=True)


def test_the_curve_ends_where_only_the_words_to_keep_are_left(pipeline: Pipeline, script: Script) -> None:
    points = curve(pipeline, "The old river rises now", keep=["river", "now"])
    assert [point.summary for point in points][-1] == "River now"
