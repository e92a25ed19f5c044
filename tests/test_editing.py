"""From texts to summaries, with a language model that is a table and walks that are written down here."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest
from fakes import JUNK, TableMaskedLM

from ealm.config import AgentSettings, Settings
from ealm.editing import Editor
from ealm.edits import Action
from ealm.errors import TextError
from ealm.ignored_words import IgnoredWords
from ealm.learner import new_agent
from ealm.lengths import Limit
from ealm.looks import LanguageModelLook
from ealm.options import Options
from ealm.policies import WalkRequest
from ealm.rollout import Step, Walk
from ealm.sentences import LONGEST_SENTENCE
from ealm.summary import Summary

KEEP, REMOVE, REPLACE = Action.KEEP, Action.REMOVE, Action.REPLACE
SETTINGS = Settings(agent=AgentSettings(hidden_units=4)).override(
    {"ignored_words.infrequent": "none", "ignored_words.stop_words": "false", "rewards.top_k": "1"}
)
LM = TableMaskedLM({"cue": "follower"}, ["river", "rises", "bridge", "falls", "old", "not", ".", ","])


@pytest.fixture
def editor() -> Editor:
    agent = new_agent(LM.width, SETTINGS.agent, seed=0)
    return Editor(
        agent, LM, LanguageModelLook(LM), ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS
    )


class Script:
    """Walks as they are wanted: by default, every word is removed from left to right."""

    def __init__(self) -> None:
        self.action = REMOVE
        self.actions: dict[int, Action] = {}
        self.order: Sequence[int] = ()
        self.extractive: list[bool] = []
        self.goals: list[int | None] = []

    def __call__(self, agent: Any, requests: Sequence[WalkRequest], *, extractive: bool, valuer: None) -> list[Walk]:
        self.extractive.append(extractive)
        self.goals += [request.goal for request in requests]
        return [self._walk(len(request.encodings), request.locked) for request in requests]

    def _walk(self, length: int, locked: Collection[int]) -> Walk:
        order = [*self.order, *(place for place in range(length) if place not in self.order)]
        places = [place for place in order if place < length and place not in locked]
        steps = [Step(place, self.actions.get(place, self.action), (0.0, 0.0, 0.0)) for place in places]
        return Walk(length, tuple(steps))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    made = Script()
    monkeypatch.setattr("ealm.editing.walks", made)
    return made


def summarize(editor: Editor, text: str, **wishes: Any) -> Summary:
    options = Options.of(**wishes)
    (summary,) = editor.summarize([editor.read(text, options)], options)
    return summary


def short(editor: Editor, text: str, **wishes: Any) -> str:
    return summarize(editor, text, **wishes).summary


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
    for wishes, goals in (({}, [None, None]), ({"words": 7}, [5, 4]), ({"words": 3}, [2, 2]), ({"chars": 1}, [1, 1])):
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


# Several sentences ----------------------------------------------------------------------------------------------------


def test_each_sentence_has_its_own_balance_and_the_text_is_put_together(editor: Editor, script: Script) -> None:
    script.order, script.actions = (1,), {0: KEEP, 2: KEEP}
    text = "Cue follower.\n\nThe river. "
    summary = summarize(editor, text)
    assert summary.source == text.strip()
    assert [part.source for part in summary.sentences] == ["Cue follower.", "The river."]
    assert summary.summary == "\n\n".join(part.summary for part in summary.sentences)
    assert summary.edits == tuple(edit for part in summary.sentences for edit in part.edits)
    assert summary.step == sum(part.step for part in summary.sentences)
    assert summary.trace == ()
    assert all(part.sentences == () for part in summary.sentences)


def test_rates_are_those_of_all_words_together(editor: Editor, script: Script) -> None:
    script.order, script.actions = (1,), {0: KEEP}
    summary = summarize(editor, "cue follower\nriver bridge falls rises")
    first, second = summary.sentences
    assert summary.compression_rate == pytest.approx((2 * first.compression_rate + 4 * second.compression_rate) / 6)
    rates = (first.reconstruction_rate or 0.0, second.reconstruction_rate or 0.0)
    assert summary.reconstruction_rate == pytest.approx((2 * rates[0] + 4 * rates[1]) / 6)


def test_every_sentence_has_its_own_trace(editor: Editor, script: Script) -> None:
    summary = summarize(editor, "The river rises.\nNow.", trace=True)
    assert summary.trace == ()
    assert [len(part.trace) for part in summary.sentences] == [3, 1]


@pytest.mark.parametrize("size", range(1, 10))
def test_a_limit_is_for_the_whole_text(editor: Editor, script: Script, size: int) -> None:
    summary = summarize(editor, "The old river rises.\n\nThe bridge falls. It is late.", words=size)
    assert len(summary.summary.split()) == size
    assert len(summary.sentences) == 3


def test_a_dropped_sentence_has_an_empty_summary_and_all_its_words_removed(editor: Editor, script: Script) -> None:
    summary = summarize(editor, "The old river rises.\n\nThe bridge falls.", words=1)
    dropped = [part for part in summary.sentences if not part.summary]
    assert len(dropped) == 1
    assert all(edit.action is REMOVE for edit in dropped[0].edits)
    assert dropped[0].compression_rate == 1.0


def test_a_text_of_words_that_are_all_too_long_is_cut(editor: Editor, script: Script) -> None:
    assert len(short(editor, "Riverbridges. Bridgerivers.", chars=4)) == 4


def test_the_text_begins_with_a_capital_if_it_did(editor: Editor, script: Script) -> None:
    """An endless sentence is cut, and only its last piece is left."""
    assert short(editor, "The " + "stone " * 119 + "bridge falls", words=2) == "Bridge falls"
    assert short(editor, "the " + "stone " * 119 + "bridge falls", words=2) == "bridge falls"


def test_a_capital_that_is_longer_than_its_letter_does_not_break_the_limit(editor: Editor, script: Script) -> None:
    text = "The " + "stone " * 119 + "ŉbridge falls"
    assert short(editor, text, chars=14) == "ʼNbridge falls"
    assert short(editor, text, chars=13) == "ŉbridge falls"


def test_a_piece_of_a_sentence_has_no_capital_inside_the_text(editor: Editor, script: Script) -> None:
    script.action, script.actions, script.order = KEEP, {0: REMOVE}, (0,)
    text = "The " + "stone " * (LM.max_words - 1) + "Oslo falls"
    assert short(editor, text) == "Stone " + "stone " * (LM.max_words - 2) + "falls"


# Side by side ---------------------------------------------------------------------------------------------------------


def test_texts_side_by_side_get_what_each_gets_alone(editor: Editor, script: Script) -> None:
    texts = ["The old river rises.", "", "Cue follower.\n\nRiver bridge.", "Not now.", "\n"]
    for options in (Options.of(), Options.of(recoverability=True, keep="river")):
        together = editor.summarize([editor.read(text, options) for text in texts], options)
        alone = [editor.summarize([editor.read(text, options)], options)[0] for text in texts]
        assert together == alone


def test_no_texts_have_no_summaries(editor: Editor) -> None:
    assert editor.summarize([], Options.of()) == []


# The curve ------------------------------------------------------------------------------------------------------------


def curve(editor: Editor, text: str, **wishes: Any) -> list[Summary]:
    options = Options.of(recoverability=True, **wishes)
    return editor.curve(editor.read(text, options), options)


def test_the_curve_has_every_length_the_longest_first(editor: Editor, script: Script) -> None:
    points = curve(editor, "The old river rises.")
    assert [point.summary for point in points] == [
        "The old river rises.",
        "Old river rises.",
        "River rises.",
        "Rises.",
    ]
    rates = [point.reconstruction_rate for point in points]
    assert rates[0] == 1.0
    assert all(rate is not None for rate in rates)


def test_a_point_of_the_curve_is_the_summary_of_that_length(editor: Editor, script: Script) -> None:
    text = "The old river, not the bridge, rises."
    for point in curve(editor, text):
        assert point == summarize(editor, text, words=len(point.summary.split()), recoverability=True)


def test_an_empty_text_has_an_empty_curve(editor: Editor) -> None:
    assert curve(editor, " \n") == []


def test_the_curve_of_several_sentences(editor: Editor, script: Script) -> None:
    points = curve(editor, "The old river rises. The bridge falls.")
    lengths = [len(point.summary.split()) for point in points]
    assert lengths == sorted(lengths, reverse=True)
    assert set(lengths) == set(range(1, 8))


def test_points_of_the_curve_of_several_sentences_are_the_summaries_of_that_length(
    editor: Editor, script: Script
) -> None:
    script.order, script.actions = (2, 1), {0: KEEP}
    text = "The old river rises. Cue follower falls, not the bridge."
    for point in curve(editor, text):
        assert point == summarize(editor, text, words=len(point.summary.split()), recoverability=True)


def test_the_curve_ends_where_only_the_words_to_keep_are_left(editor: Editor, script: Script) -> None:
    points = curve(editor, "The old river rises now", keep=["river", "now"])
    assert [point.summary for point in points][-1] == "River now"
