"""From texts to summaries, with a language model that is a table and walks that are written down."""

from typing import Any

import pytest
from editing_scripts import KEEP, LM, REMOVE, REPLACE, SETTINGS, Script, short, summarize
from fakes import JUNK, TableMaskedLM

from ealm.common.errors import TextError
from ealm.paper.edits import Action
from ealm.paper.encodings import LanguageModelLook
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.summarize.options import Options
from ealm.summarize.pipeline import Editor
from ealm.text.lengths import Limit
from ealm.text.sentences import LONGEST_SENTENCE

# Reading --------------------------------------------------------------------------------------------------------------


def test_a_text_is_cut_into_sentences_and_has_one_limit(editor: Editor) -> None:
    text = editor.read(" The river rises. It falls.\n\nNow. ", Options.of(ratio=0.5))
    assert [draft.sentence.text for draft in text.drafts] == ["The river rises.", "It falls.", "Now."]
    assert text.limit == Limit(3, "words")


def test_what_is_longer_than_the_language_model_can_take_is_cut(editor: Editor, script: Script) -> None:
    """Shorter than any sentence should be, but this language model takes no more."""
    count = 2 * LM.max_words + 3
    assert count < LONGEST_SENTENCE
    text = "The " + "stone " * (count - 3) + "W. Rivers"
    read = editor.read(text, Options.of())
    assert [len(draft.source.words) for draft in read.drafts] == [LM.max_words, LM.max_words, 3]
    summary = summarize(editor, text)
    assert summary.source == text
    assert short(editor, text, words=count) == text


def test_pretokenized_text_is_one_sentence(editor: Editor) -> None:
    text = editor.read("the river . it falls .\n now", Options.of(pretokenized=True))
    assert [draft.source.words for draft in text.drafts] == [("the", "river", ".", "it", "falls", ".", "now")]


@pytest.mark.parametrize("blank", ["", " \r\n\t", "\u00a0"])
@pytest.mark.parametrize("wishes", [{}, {"words": 3}, {"pretokenized": True}, {"trace": True}, {"ratio": 0.5}])
def test_an_empty_text_has_an_empty_summary(editor: Editor, blank: str, wishes: dict[str, Any]) -> None:
    summary = summarize(editor, blank, **wishes)
    assert (summary.source, summary.summary, summary.edits, summary.sentences) == ("", "", (), ())


# One sentence ---------------------------------------------------------------------------------------------------------


def test_a_limit_is_met_by_taking_as_many_decisions_as_needed(editor: Editor, script: Script) -> None:
    summary = summarize(editor, "The old river rises.", words=2)
    assert summary.summary == "River rises."
    assert summary.step == 2
    assert summary.reconstruction_rate is None
    assert summary.compression_rate == pytest.approx(2 / 5)
    assert [(edit.word, edit.action, edit.order) for edit in summary.edits] == [
        ("The", REMOVE, 1),
        ("old", REMOVE, 2),
        ("river", KEEP, None),
        ("rises", KEEP, None),
        (".", KEEP, None),
    ]


@pytest.mark.parametrize(
    ("wishes", "expected"),
    [
        ({"words": 9}, "The old river, not the bridge, rises."),
        ({"words": 3}, "Not bridge, rises."),
        ({"words": 1}, "Rises."),
        ({"words": 2, "protect": []}, "Bridge, rises."),
        ({"words": 3, "keep": "old river"}, "Old river, rises."),
        ({"chars": 16}, "Rises."),
        ({"bytes": 3}, "Not"),
        ({"ratio": 0.5}, "Not bridge, rises."),
        ({"ratio": 1.0}, "The old river, not the bridge, rises."),
    ],
)
def test_lengths_and_what_must_stay(editor: Editor, script: Script, wishes: dict[str, Any], expected: str) -> None:
    assert short(editor, "The old river, not the bridge, rises.", **wishes) == expected


def test_words_to_keep_that_do_not_fit_are_an_error(editor: Editor, script: Script) -> None:
    with pytest.raises(TextError, match="words to keep take 2 words, and the limit is 1"):
        summarize(editor, "The old river rises", words=1, keep=["old", "rises"])


def test_words_to_keep_are_kept_without_a_limit_too(editor: Editor, script: Script) -> None:
    assert short(editor, "The old stone waits.", keep=["OLD", "the"]) == "The old."


def test_a_word_that_is_too_long_alone_is_cut(editor: Editor, script: Script) -> None:
    assert short(editor, "Riverbridges rise.", chars=3) == "Ris"


def test_nothing_is_left_only_where_not_a_single_character_fits(editor: Editor, script: Script) -> None:
    script.action = KEEP
    assert short(editor, "é", bytes=1) == ""
    assert short(editor, "éa", bytes=1) == "a"
    assert short(editor, "é", bytes=2) == "é"


def test_pretokenized_text_passes_through_untouched(editor: Editor, script: Script) -> None:
    script.action = KEEP
    assert short(editor, "The  River -lrb- , old )\t. ''", pretokenized=True) == "The River -lrb- , old ) . ''"
    script.action = REMOVE
    assert short(editor, "The River -lrb- , old", pretokenized=True, words=3) == "-lrb- , old"
    assert short(editor, "not River", pretokenized=True, words=1) == "River"


def test_the_best_balance_recovers_what_it_removes(editor: Editor, script: Script) -> None:
    script.order, script.actions = (1,), {0: KEEP}
    summary = summarize(editor, "cue follower")
    assert (summary.summary, summary.step, summary.reconstruction_rate) == ("cue", 2, 1.0)


def test_recoverability_is_worked_out_where_it_is_asked_for(editor: Editor, script: Script) -> None:
    script.order, script.actions = (1, 2), {3: KEEP}
    text = "cue follower river bridge"
    assert summarize(editor, text, words=3).reconstruction_rate is None
    assert summarize(editor, text, words=3, recoverability=True).reconstruction_rate == 1.0
    assert summarize(editor, text, words=2, recoverability=True).reconstruction_rate == 0.75


def test_a_trace_has_every_step_and_the_same_answer(editor: Editor, script: Script) -> None:
    plain, traced = (summarize(editor, "The cue follower rises.", trace=trace) for trace in (False, True))
    assert traced.summary == plain.summary
    assert [(step.word, step.action) for step in traced.trace] == [
        ("The", REMOVE),
        ("cue", REMOVE),
        ("follower", REMOVE),
        ("rises", REMOVE),
    ]
    assert all(step.reconstruction_rate is not None for step in traced.trace)
    assert traced.trace[0].summary == "Cue follower rises."


def test_every_sentence_is_walked_towards_its_share_of_the_limit(editor: Editor, script: Script) -> None:
    text = "The old river rises. The bridge falls."
    for wishes, goals in (({}, [1, 1]), ({"words": 7}, [4, 3]), ({"words": 3}, [2, 1]), ({"chars": 1}, [1, 1])):
        script.goals.clear()
        summarize(editor, text, **wishes)
        assert script.goals == goals


def test_extractive_is_passed_on(editor: Editor, script: Script) -> None:
    summarize(editor, "The river rises.", extractive=True)
    summarize(editor, "The river rises.")
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
    editor: Editor, script: Script, text: str, order: tuple[int, ...], actions: dict[int, Action]
) -> None:
    script.order, script.actions = order, actions
    assert any(character.isalnum() for character in short(editor, text))


@pytest.mark.parametrize(
    ("text", "order", "wishes"),
    [
        ("River, bridge", (0, 2, 1), {"chars": 1}),
        ("River's", (0, 1), {"chars": 2}),
        ("$55", (1, 0), {"bytes": 1}),
        ("Old (river)", (0, 2, 1, 3), {"chars": 2}),
    ],
)
def test_a_limit_never_leaves_nothing(
    editor: Editor, script: Script, text: str, order: tuple[int, ...], wishes: dict[str, Any]
) -> None:
    script.order = order
    assert any(character.isalnum() for character in short(editor, text, **wishes))


def test_a_mark_to_keep_is_kept(editor: Editor, script: Script) -> None:
    assert "," in short(editor, "River, old", keep=",", chars=3)


@pytest.mark.parametrize("text", ["River", "The old river rises", "No"])
def test_a_walk_that_removes_everything_still_leaves_a_word(editor: Editor, script: Script, text: str) -> None:
    """The trace is written too, and its last step has nothing left."""
    assert short(editor, text, protect=[])


# Replacing ------------------------------------------------------------------------------------------------------------


def test_a_replacement_is_written_and_told(editor: Editor, script: Script) -> None:
    script.action, script.actions = KEEP, {1: REPLACE}
    summary = summarize(editor, "The stone rises.")
    assert summary.summary == f"The {JUNK} rises."
    assert summary.edits[1].action is REPLACE
    assert summary.edits[1].replacement == JUNK


def test_a_replacement_that_is_longer_than_its_word_is_withdrawn_under_a_limit(editor: Editor, script: Script) -> None:
    script.action, script.actions, script.order = KEEP, {1: REPLACE}, (1,)
    text = "The old river rises now"
    assert summarize(editor, text).edits[1].replacement == JUNK
    summary = summarize(editor, text, chars=len(text) - 1)
    assert summary.edits[1].action is KEEP
    assert "old" in summary.summary
    assert len(summary.summary) < len(text)


def test_a_replacement_of_the_same_length_stays_under_a_limit(editor: Editor, script: Script) -> None:
    script.action, script.actions, script.order = KEEP, {1: REPLACE}, (1,)
    assert JUNK in short(editor, "The river rises now", words=2)


def test_a_shape_is_no_word_for_people(script: Script) -> None:
    lm = TableMaskedLM({"cue": "##.#"}, ["river"])
    agent = new_agent(lm.width, SETTINGS.agent, seed=0)
    editor = Editor(
        agent, lm, LanguageModelLook(lm), ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS
    )
    script.action, script.actions = KEEP, {1: REPLACE}
    assert short(editor, "cue stone") == "cue stone"
    assert short(editor, "cue stone", pretokenized=True) == "cue ##.#"


def test_a_word_in_the_place_of_a_mark_does_not_stick_to_its_neighbour(editor: Editor, script: Script) -> None:
    script.action, script.actions = KEEP, {1: REPLACE}
    summary = short(editor, "River; rises")
    assert summary in ("River; rises", f"River {JUNK} rises")


def test_a_mark_does_not_come_in_the_place_of_the_only_word(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakes.JUNK", ".")
    lm = TableMaskedLM({}, ["river"])
    agent = new_agent(lm.width, SETTINGS.agent, seed=0)
    editor = Editor(
        agent, lm, LanguageModelLook(lm), ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS
    )
    script.action = REPLACE
    assert any(character.isalnum() for character in short(editor, "Stone"))


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("日本 !", {"bytes": 1}),
        ("日本!", {"bytes": 2}),
        ("«\n1990s «", {"bytes": 1}),
        ("river 日本", {"bytes": 1, "pretokenized": True}),
    ],
)
def test_a_single_character_that_fits_is_better_than_nothing(
    editor: Editor, script: Script, text: str, wishes: dict[str, Any]
) -> None:
    assert short(editor, text, **wishes)
