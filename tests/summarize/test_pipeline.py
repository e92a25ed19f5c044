"""From texts to summaries, with a language model that is a table and walks that are written down."""

from typing import Any

import pytest
from fakes import JUNK, TableMaskedLM
from pipeline_scripts import KEEP, LM, REMOVE, REPLACE, SETTINGS, Script, short, summarize

from ealm.common.errors import TextError
from ealm.paper.edits import Action
from ealm.paper.encodings import LanguageModelEncoder
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.pipeline import Pipeline
from ealm.text.lengths import Limit
from ealm.text.sentences import LONGEST_SENTENCE

# Reading --------------------------------------------------------------------------------------------------------------


def test_a_text_is_cut_into_sentences_and_has_one_limit(pipeline: Pipeline) -> None:
    text = pipeline.read(" The river rises. It falls.\n\nNow. ", SummarizeOptions(ratio=0.5))
    assert [prepared.sentence.text for prepared in text.sentences] == ["The river rises.", "It falls.", "Now."]
    assert text.limit == Limit(3, "words")


def test_what_is_longer_than_the_language_model_can_take_is_cut(pipeline: Pipeline, script: Script) -> None:
    """Shorter than any sentence should be, but this language model takes no more."""
    count = 2 * LM.max_words + 3
    assert count < LONGEST_SENTENCE
    text = "The " + "stone " * (count - 3) + "W. Rivers"
    read = pipeline.read(text, SummarizeOptions())
    assert [len(prepared.source.words) for prepared in read.sentences] == [LM.max_words, LM.max_words, 3]
    summary = summarize(pipeline, text)
    assert summary.source == text
    assert short(pipeline, text, words=count) == text


def test_pretokenized_text_is_one_sentence(pipeline: Pipeline) -> None:
    text = pipeline.read("the river . it falls .\n now", SummarizeOptions(pretokenized=True))
    assert [prepared.source.words for prepared in text.sentences] == [("the", "river", ".", "it", "falls", ".", "now")]


@pytest.mark.parametrize("blank", ["", " \r\n\t", "\u00a0"])
@pytest.mark.parametrize("given_options", [{}, {"words": 3}, {"pretokenized": True}, {"trace": True}, {"ratio": 0.5}])
def test_an_empty_text_has_an_empty_summary(pipeline: Pipeline, blank: str, given_options: dict[str, Any]) -> None:
    summary = summarize(pipeline, blank, **given_options)
    assert (summary.source, summary.summary, summary.edits, summary.sentences) == ("", "", (), ())


# One sentence ---------------------------------------------------------------------------------------------------------


def test_a_limit_is_met_by_a_part_of_the_best_balance(pipeline: Pipeline, script: Script) -> None:
    script.action, script.actions = KEEP, {0: REMOVE}
    assert summarize(pipeline, "The old river rises.").summary == "Old river rises."
    summary = summarize(pipeline, "The old river rises.", words=2)
    assert summary.summary == "Old river."
    assert summary.step == 4
    assert summary.reconstruction_rate is None
    assert summary.compression_rate == pytest.approx(2 / 5)
    assert [(edit.word, edit.action, edit.order) for edit in summary.edits] == [
        ("The", REMOVE, 1),
        ("old", KEEP, 2),
        ("river", KEEP, 3),
        ("rises", REMOVE, 4),
        (".", KEEP, None),
    ]


@pytest.mark.parametrize("words", [2, 3])
def test_the_best_balance_is_the_summary_where_it_fits(pipeline: Pipeline, script: Script, words: int) -> None:
    script.order, script.actions = (1, 2), {0: KEEP, 3: KEEP}
    text = "cue follower river bridge"
    free, limited = summarize(pipeline, text), summarize(pipeline, text, words=words, recoverability=True)
    assert free.summary == "cue bridge"
    assert limited == free


def test_a_text_within_its_limit_needs_no_best_balance(
    pipeline: Pipeline, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TableMaskedLM, "predict", None)
    assert short(pipeline, "Cue follower. The river rises.", words=5) == "Cue follower. The river rises."


@pytest.mark.parametrize(
    ("given_options", "expected"),
    [
        ({"words": 9}, "The old river, not the bridge, rises."),
        ({"words": 4}, "Old river not bridge."),
        ({"words": 3}, "Old river."),
        ({"words": 1}, "Old."),
        ({"words": 3, "protect": []}, "Old river bridge."),
        ({"words": 3, "keep": "rises"}, "Old river rises."),
        ({"chars": 16}, "Old river."),
        ({"bytes": 3}, "Old"),
        ({"ratio": 0.5}, "Old river."),
        ({"ratio": 1.0}, "The old river, not the bridge, rises."),
    ],
)
def test_lengths_and_what_must_stay(
    pipeline: Pipeline, script: Script, given_options: dict[str, Any], expected: str
) -> None:
    script.action = KEEP
    assert short(pipeline, "The old river, not the bridge, rises.", **given_options) == expected


def test_words_to_keep_that_do_not_fit_are_an_error(pipeline: Pipeline, script: Script) -> None:
    with pytest.raises(TextError, match="words to keep take 2 words, and the limit is 1"):
        summarize(pipeline, "The old river rises", words=1, keep=["old", "rises"])


def test_words_to_keep_are_kept_without_a_limit_too(pipeline: Pipeline, script: Script) -> None:
    assert short(pipeline, "The old stone waits.", keep=["OLD", "the"]) == "The old."


def test_a_word_that_is_too_long_alone_is_cut(pipeline: Pipeline, script: Script) -> None:
    assert short(pipeline, "Riverbridges rise.", chars=3) == "Ris"


def test_nothing_is_left_only_where_not_a_single_character_fits(pipeline: Pipeline, script: Script) -> None:
    script.action = KEEP
    assert short(pipeline, "é", bytes=1) == ""
    assert short(pipeline, "éa", bytes=1) == "a"
    assert short(pipeline, "é", bytes=2) == "é"


def test_pretokenized_text_passes_through_untouched(pipeline: Pipeline, script: Script) -> None:
    script.action = KEEP
    assert short(pipeline, "The  River -lrb- , old )\t. ''", pretokenized=True) == "The River -lrb- , old ) . ''"
    assert short(pipeline, "The River -lrb- , old", pretokenized=True, words=3) == "The River old"
    assert short(pipeline, "not River", pretokenized=True, words=1) == "River"


def test_the_best_balance_recovers_what_it_removes(pipeline: Pipeline, script: Script) -> None:
    script.order, script.actions = (1,), {0: KEEP}
    summary = summarize(pipeline, "cue follower")
    assert (summary.summary, summary.step, summary.reconstruction_rate) == ("cue", 2, 1.0)


def test_recoverability_is_worked_out_where_it_is_asked_for(pipeline: Pipeline, script: Script) -> None:
    script.action, script.actions = KEEP, {1: REMOVE}
    text = "cue follower river bridge"
    assert summarize(pipeline, text, words=3).reconstruction_rate is None
    assert summarize(pipeline, text, words=3, recoverability=True).reconstruction_rate == 1.0
    assert summarize(pipeline, text, words=2, recoverability=True).reconstruction_rate == 0.75


def test_a_trace_has_every_step_and_the_same_answer(pipeline: Pipeline, script: Script) -> None:
    plain, traced = (summarize(pipeline, "The cue follower rises.", trace=trace) for trace in (False, True))
    assert traced.summary == plain.summary
    assert [(step.word, step.action) for step in traced.trace] == [
        ("The", REMOVE),
        ("cue", REMOVE),
        ("follower", REMOVE),
        ("rises", REMOVE),
    ]
    assert all(step.reconstruction_rate is not None for step in traced.trace)
    assert traced.trace[0].summary == "Cue follower rises."


def test_every_sentence_is_walked_towards_its_share_of_the_limit(pipeline: Pipeline, script: Script) -> None:
    text = "The old river rises. The bridge falls."
    for given_options, goals in (({}, [1, 1]), ({"words": 7}, [4, 3]), ({"words": 3}, [2, 1]), ({"chars": 1}, [1, 1])):
        script.goals.clear()
        summarize(pipeline, text, **given_options)
        assert script.goals == goals


def test_extractive_is_passed_on(pipeline: Pipeline, script: Script) -> None:
    summarize(pipeline, "The river rises.", extractive=True)
    summarize(pipeline, "The river rises.")
    assert script.extractive == [True, False]


@pytest.mark.parametrize(
    ("text", "order", "actions"),
    [
        ("$5", (1, 0), {0: KEEP}),
        ("Stone's", (0, 1), {1: KEEP}),
        ("C#", (0, 1), {1: KEEP}),
    ],
)
def test_what_would_be_tidied_away_is_not_chosen_as_all_that_is_left(
    pipeline: Pipeline, script: Script, text: str, order: tuple[int, ...], actions: dict[int, Action]
) -> None:
    script.order, script.actions = order, actions
    assert any(character.isalnum() for character in short(pipeline, text))


@pytest.mark.parametrize(
    ("text", "order", "given_options"),
    [
        ("River, bridge", (0, 2, 1), {"chars": 1}),
        ("River's", (0, 1), {"chars": 2}),
        ("$55", (1, 0), {"bytes": 1}),
        ("Old (river)", (0, 2, 1, 3), {"chars": 2}),
    ],
)
def test_a_limit_never_leaves_nothing(
    pipeline: Pipeline, script: Script, text: str, order: tuple[int, ...], given_options: dict[str, Any]
) -> None:
    script.order = order
    assert any(character.isalnum() for character in short(pipeline, text, **given_options))


def test_a_mark_to_keep_is_kept(pipeline: Pipeline, script: Script) -> None:
    assert "," in short(pipeline, "River, old", keep=",", chars=3)


@pytest.mark.parametrize("text", ["River", "The old river rises", "No"])
def test_a_walk_that_removes_everything_still_leaves_a_word(pipeline: Pipeline, script: Script, text: str) -> None:
    """The trace is written too, and its last step has nothing left."""
    assert short(pipeline, text, protect=[])


# Replacing ------------------------------------------------------------------------------------------------------------


def test_a_replacement_is_written_and_told(pipeline: Pipeline, script: Script) -> None:
    script.action, script.actions = KEEP, {1: REPLACE}
    summary = summarize(pipeline, "The stone rises.")
    assert summary.summary == f"The {JUNK} rises."
    assert summary.edits[1].action is REPLACE
    assert summary.edits[1].replacement == JUNK


def test_a_replacement_that_is_longer_than_its_word_is_withdrawn_under_a_limit(
    pipeline: Pipeline, script: Script
) -> None:
    script.action, script.actions, script.order = KEEP, {1: REPLACE}, (1,)
    text = "The old river rises now"
    assert summarize(pipeline, text).edits[1].replacement == JUNK
    summary = summarize(pipeline, text, chars=len(text) - 1)
    assert summary.edits[1].action is KEEP
    assert "old" in summary.summary
    assert len(summary.summary) < len(text)


def test_a_replacement_stays_where_the_best_balance_fits_and_takes_no_room_where_it_does_not(
    pipeline: Pipeline, script: Script
) -> None:
    script.action, script.actions, script.order = KEEP, {1: REPLACE, 3: REMOVE}, (1,)
    assert short(pipeline, "The river rises now", words=3) == f"The {JUNK} rises"
    assert short(pipeline, "The river rises now", words=2) == "River rises"


def test_a_shape_is_no_word_for_people(script: Script) -> None:
    lm = TableMaskedLM({"cue": "##.#"}, ["river"])
    agent = new_agent(lm.width, SETTINGS.agent, seed=0)
    pipeline = Pipeline(
        agent, lm, LanguageModelEncoder(lm), ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS
    )
    script.action, script.actions = KEEP, {1: REPLACE}
    assert short(pipeline, "cue stone") == "cue stone"
    assert short(pipeline, "cue stone", pretokenized=True) == "cue ##.#"


def test_a_word_in_the_place_of_a_mark_does_not_stick_to_its_neighbour(pipeline: Pipeline, script: Script) -> None:
    script.action, script.actions = KEEP, {1: REPLACE}
    summary = short(pipeline, "River; rises")
    assert summary in ("River; rises", f"River {JUNK} rises")


def test_a_mark_does_not_come_in_the_place_of_the_only_word(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakes.JUNK", ".")
    lm = TableMaskedLM({}, ["river"])
    agent = new_agent(lm.width, SETTINGS.agent, seed=0)
    pipeline = Pipeline(
        agent, lm, LanguageModelEncoder(lm), ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS
    )
    script.action = REPLACE
    assert any(character.isalnum() for character in short(pipeline, "Stone"))


@pytest.mark.parametrize(
    ("text", "given_options"),
    [
        ("日本 !", {"bytes": 1}),
        ("日本!", {"bytes": 2}),
        ("«\n1990s «", {"bytes": 1}),
        ("river 日本", {"bytes": 1, "pretokenized": True}),
    ],
)
def test_a_single_character_that_fits_is_better_than_nothing(
    pipeline: Pipeline, script: Script, text: str, given_options: dict[str, Any]
) -> None:
    assert short(pipeline, text, **given_options)
