"""The public summarizer: how it is saved and loaded, what it chooses, and what it tells about it."""

import multiprocessing
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import torch
from fakes import TableMaskedLM
from hypothesis import given, settings
from hypothesis import strategies as st
from summarizers import (
    BOTH_KINDS,
    RAW_TEXT,
    SEEDS,
    SENTENCE,
    SETTINGS,
    TEXTS,
    language_model,
    plain,
    stubborn,
    summarizer_of,
    various,
)
from tiny_models import tiny_bert

from ealm import Summarizer, Summary
from ealm.common.config import AgentSettings, Settings
from ealm.common.errors import LanguageModelError
from ealm.lm import bundled as embedded
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.summarize.saved_agent import SavedAgent


def test_the_agents_of_these_tests_take_all_three_actions() -> None:
    """Otherwise they would show little."""
    for seed in SEEDS:
        trace = various(seed).summarize(SENTENCE, pretokenized=True).trace
        assert {step.action for step in trace} == set(Action)


# Saving ---------------------------------------------------------------------------------------------------------------


@BOTH_KINDS
def test_a_saved_summarizer_gives_the_same_output(
    tmp_path: Path, bert_folder: Path, agent_folder: Path, pretokenized: bool
) -> None:
    first = Summarizer.from_pretrained(agent_folder)
    first.save_pretrained(tmp_path / "copy")
    second = Summarizer.from_pretrained(str(tmp_path / "copy"))
    texts = [SENTENCE, "", "river rises", "old engine burns in the quiet forest"]
    expected = first.summarize(texts, trace=True, pretokenized=pretokenized)
    assert second.summarize(texts, trace=True, pretokenized=pretokenized) == expected
    assert second.settings == first.settings
    assert second.lm.name == str(bert_folder.resolve())


def test_words_that_the_corpus_made_frequent_are_saved_too(tmp_path: Path) -> None:
    settings = Settings(agent=AgentSettings(hidden_units=12))
    frequent = IgnoredWords(settings.ignored_words, frozenset({"river", "élan"}))
    made = Summarizer.from_parts(stubborn(Action.KEEP), language_model(), ignored_words=frequent, settings=settings)
    made.save_pretrained(tmp_path)
    loaded = Summarizer.from_pretrained(tmp_path, lm=language_model())
    assert loaded.ignored_words.frequent == frequent.frequent
    assert "river" not in loaded.ignored_words
    assert "bridge" in loaded.ignored_words


def test_another_language_model_can_be_named_or_handed_over(agent_folder: Path, bert_folder: Path) -> None:
    named = Summarizer.from_pretrained(agent_folder, lm=bert_folder)
    handed = Summarizer.from_pretrained(agent_folder, lm=tiny_bert())
    assert named.summarize(SENTENCE, pretokenized=True) == handed.summarize(SENTENCE, pretokenized=True)


def test_an_agent_of_another_width_is_refused() -> None:
    with pytest.raises(LanguageModelError, match=r"width 12, but in memory gives 32.*lm=$"):
        summarizer_of(new_agent(12, SETTINGS.agent, seed=0))


# The embedded default -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def default() -> Summarizer:
    return Summarizer()


def test_without_arguments_the_embedded_agent_and_language_model_are_loaded(default: Summarizer) -> None:
    saved = SavedAgent.load(embedded.agent_folder())
    assert default.lm.name == saved.lm_name == "embedded"
    assert default.settings == saved.settings
    assert default.ignored_words.frequent == saved.ignored_words.frequent
    for name, tensor in saved.weights.items():
        assert torch.equal(default.agent.state_dict()[name], tensor)


def test_the_embedded_agent_is_also_loaded_by_name(default: Summarizer) -> None:
    named = Summarizer.from_pretrained(lm=default.lm)
    assert named.settings == default.settings
    assert named.summarize(RAW_TEXT) == default.summarize(RAW_TEXT)
    assert Summarizer.from_pretrained("embedded", lm=default.lm).summarize(RAW_TEXT) == default.summarize(RAW_TEXT)


def test_the_embedded_default_meets_a_length(default: Summarizer) -> None:
    text = "The city council voted on Tuesday night to close the old ferry terminal before winter."
    summary = default.summarize(text, words=6, recoverability=True)
    assert 1 <= len(summary.summary.split()) <= 6
    assert summary.summary.endswith(".")
    assert 0 <= (summary.reconstruction_rate or 0) <= 1


def test_an_agent_in_memory_is_no_model_to_load() -> None:
    with pytest.raises(TypeError, match=r"model= must be a folder or a name, got Agent.*Summarizer\.from_parts"):
        Summarizer(various().agent)  # type: ignore[arg-type]


# One answer, whatever the company -------------------------------------------------------------------------------------


@BOTH_KINDS
@settings(max_examples=15)
@given(st.lists(TEXTS, min_size=1, max_size=5), st.sampled_from((None, 2)), st.data())
def test_a_sentence_has_the_same_summary_alone_and_in_any_company(
    pretokenized: bool, texts: list[str], words: int | None, data: st.DataObject
) -> None:
    summarizer = various()
    together = summarizer.summarize(texts, words=words, pretokenized=pretokenized)
    alone = [summarizer.summarize(text, words=words, pretokenized=pretokenized) for text in texts]
    assert [plain(summary) for summary in together] == [plain(summary) for summary in alone]
    order = data.draw(st.permutations(range(len(texts))))
    shuffled = summarizer.summarize([texts[place] for place in order], words=words, pretokenized=pretokenized)
    assert [plain(summary) for summary in shuffled] == [plain(together[place]) for place in order]


@BOTH_KINDS
def test_a_list_gives_a_list_a_text_one_summary_and_any_other_iterable_a_stream(pretokenized: bool) -> None:
    summarizer = various()
    assert summarizer.summarize([], pretokenized=pretokenized) == []
    empty = summarizer.summarize("", pretokenized=pretokenized)
    assert summarizer.summarize(["", " \t "], pretokenized=pretokenized) == [empty] * 2
    one = summarizer.summarize(SENTENCE, pretokenized=pretokenized)
    for several in ([SENTENCE], (SENTENCE,)):
        found = summarizer.summarize(several, pretokenized=pretokenized)
        assert isinstance(found, list)
        assert [str(summary) for summary in found] == [str(one)]
    stream = summarizer.summarize((text for text in [SENTENCE]), pretokenized=pretokenized)
    assert isinstance(stream, Iterator)
    assert [str(summary) for summary in stream] == [str(one)]


# What is chosen -------------------------------------------------------------------------------------------------------


@BOTH_KINDS
@settings(max_examples=15)
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_only_an_empty_line_has_an_empty_summary(pretokenized: bool, texts: list[str]) -> None:
    for text, summary in zip(texts, various().summarize(texts, pretokenized=pretokenized), strict=True):
        assert bool(summary.summary) == bool(text)


@BOTH_KINDS
def test_a_single_word_that_was_removed_stays(pretokenized: bool) -> None:
    summary = summarizer_of(stubborn(Action.REMOVE)).summarize("River", pretokenized=pretokenized)
    assert (summary.summary, summary.step, summary.compression_rate) == ("River", 0, 0.0)
    assert summary.reconstruction_rate == 1.0
    assert [(edit.action, edit.order) for edit in summary.edits] == [(Action.KEEP, None)]
    assert [step.action for step in summary.trace] == [Action.REMOVE]


@BOTH_KINDS
def test_removing_everything_still_leaves_a_word(pretokenized: bool) -> None:
    summary = summarizer_of(stubborn(Action.REMOVE)).summarize(SENTENCE, pretokenized=pretokenized)
    assert 1 <= len(summary.summary.split()) < len(SENTENCE.split())
    assert pretokenized or summary.summary != "."


@BOTH_KINDS
def test_an_empty_line_has_an_empty_summary(pretokenized: bool) -> None:
    summary = various().summarize(" \n", pretokenized=pretokenized)
    assert (summary.source, summary.summary, summary.step, summary.edits, summary.trace) == ("", "", 0, (), ())


def test_equally_good_steps_go_to_the_later_one() -> None:
    """Nothing can be recovered here, so each Remove gains in compression what it loses in reconstruction."""
    words = ["one", "two", "three", "four", "five"]
    lm = TableMaskedLM({}, words)
    settings = SETTINGS.override({"ignored_words.stop_words": "false", "rewards.top_k": "1"})
    summarizer = summarizer_of(stubborn(Action.REMOVE, lm.width), lm, settings)
    summary = summarizer.summarize(" ".join(words), pretokenized=True)
    assert (summary.step, summary.summary) == (4, "five")
    assert summary.compression_rate + (summary.reconstruction_rate or 0) == pytest.approx(1)


def test_a_recoverable_word_is_removed_and_what_cannot_be_recovered_is_not_worth_more() -> None:
    """The first Remove costs nothing, the second empties the sentence."""
    lm = TableMaskedLM({"cue": "follower"}, ["other"])
    settings = SETTINGS.override({"ignored_words.stop_words": "false", "rewards.top_k": "1"})
    agent = stubborn(Action.REMOVE, lm.width)
    with torch.no_grad():  # surest about the follower, which has its own direction
        agent.first.weight.zero_()
        agent.second.weight.zero_()
        agent.first.bias.zero_()
        agent.second.bias.zero_()
        agent.first.weight[0, 1] = agent.second.weight[0, 0] = agent.output.weight[Action.REMOVE, 0] = 1.0
    summary = summarizer_of(agent, lm, settings).summarize("cue follower", pretokenized=True)
    assert (summary.summary, summary.step) == ("cue", 1)
    assert (summary.compression_rate, summary.reconstruction_rate) == (0.5, 1.0)


def test_keeping_everything_chooses_the_last_step_and_gives_the_source_back() -> None:
    summary = summarizer_of(stubborn(Action.KEEP)).summarize(SENTENCE, pretokenized=True)
    assert (summary.summary, summary.step) == (SENTENCE, len(SENTENCE.split()))
    assert (summary.compression_rate, summary.reconstruction_rate) == (0.0, 1.0)
    raw = summarizer_of(stubborn(Action.KEEP)).summarize(SENTENCE, protect="negation")
    assert (raw.summary, raw.step) == (SENTENCE, len(SENTENCE.split()) - 1)  # nothing is decided on the full stop
    assert (raw.compression_rate, raw.reconstruction_rate) == (0.0, 1.0)


# The trace ------------------------------------------------------------------------------------------------------------


@settings(max_examples=10)
@given(TEXTS, st.sampled_from((None, 1, 3)))
def test_tracing_knows_every_step_and_does_not_change_the_answer(text: str, words: int | None) -> None:
    summarizer = various()
    short = summarizer.summarize(text, words=words, recoverability=True, pretokenized=True)
    full = summarizer.summarize(text, words=words, trace=True, pretokenized=True)
    assert plain(full) == plain(short)
    assert [step.step for step in full.trace] == list(range(1, len(text.split()) + 1))
    assert sorted(step.position for step in full.trace) == list(range(len(text.split())))
    for step in full.trace:
        assert step.summary is not None
        assert step.reconstruction_rate is not None
        assert step.reconstruction is not None
        assert len(step.reconstruction.split()) == len(text.split())
        assert step.compression_rate == pytest.approx(1 - len(step.summary.split()) / len(text.split()))
        assert text.split()[step.position] == step.word
        if step.step == full.step and follows_its_walk(full):
            assert (step.summary, step.reconstruction_rate) == (full.summary, full.reconstruction_rate)
    assert words is not None or follows_its_walk(full)


def follows_its_walk(summary: Summary) -> bool:
    """Whether its edits are the decisions of the walk up to its step, none of them overruled by the length."""
    actions = dict.fromkeys(range(len(summary.edits)), Action.KEEP)
    actions |= {step.position: step.action for step in summary.trace[: summary.step]}
    return [edit.action for edit in summary.edits] == list(actions.values())


@BOTH_KINDS
def test_what_is_known_without_asking_is_in_the_trace_anyway(pretokenized: bool) -> None:
    summary = summarizer_of(stubborn(Action.REMOVE)).summarize("river rises late", pretokenized=pretokenized)
    assert [step.summary for step in summary.trace] == ["rises late", "late", ""]
    assert [step.compression_rate for step in summary.trace] == pytest.approx([1 / 3, 2 / 3, 1])
    assert all(step.q_values == (1.0, 0.0, 0.0) for step in summary.trace)


def test_edits_tell_how_the_source_became_the_summary() -> None:
    texts = [SENTENCE, "old engine burns in the quiet forest", "Zebra falls"]
    for summary in various().summarize(texts, pretokenized=True):
        assert " ".join(edit.word for edit in summary.edits) == summary.source
        written = [edit.word if edit.action is Action.KEEP else edit.replacement for edit in summary.edits]
        kept = [word for word, edit in zip(written, summary.edits, strict=True) if edit.action is not Action.REMOVE]
        assert " ".join(word or "?" for word in kept) == summary.summary
        assert sorted(e.order for e in summary.edits if e.order is not None) == list(range(1, summary.step + 1))
        assert all((edit.replacement is not None) == (edit.action is Action.REPLACE) for edit in summary.edits)


# Sent to another process ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_summarizer_is_sent_to_a_process_by_the_name_of_its_folder(agent_folder: Path) -> None:
    made = Summarizer(agent_folder).with_decoding("parallel")
    sent = pickle.dumps(made)
    assert len(sent) < 20_000  # no weights
    # As many threads as here: with others, the last bits of Q-values may differ.
    threads = {"initializer": torch.set_num_threads, "initargs": (torch.get_num_threads(),)}
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), **threads) as pool:
        found = pool.submit(made.summarize, [SENTENCE], words=3).result(timeout=120)
    assert found == made.summarize([SENTENCE], words=3)
    assert pickle.loads(sent).settings.decoding.mode == "parallel"


def test_a_folder_is_found_from_another_working_folder(
    agent_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(agent_folder.parent)
    sent = pickle.dumps(Summarizer(agent_folder.name))
    monkeypatch.chdir(tmp_path)
    assert pickle.loads(sent).summarize(SENTENCE, words=3) == Summarizer(agent_folder).summarize(SENTENCE, words=3)


def test_parts_in_memory_are_sent_as_they_are() -> None:
    lm = TableMaskedLM({}, SENTENCE.split())
    made = summarizer_of(stubborn(Action.REMOVE, lm.width), lm)
    assert pickle.loads(pickle.dumps(made)).summarize(SENTENCE, words=3) == made.summarize(SENTENCE, words=3)


def test_repr_names_the_model(agent_folder: Path) -> None:
    assert repr(Summarizer(agent_folder)).startswith(f"Summarizer({str(agent_folder)!r}, lm=")
    assert repr(various()) == "Summarizer(parts in memory, lm='in memory')"


# Options of the model -------------------------------------------------------------------------------------------------


def test_decoding_is_an_option_of_a_call() -> None:
    for decoding in ("sequential", "approximate", "parallel"):
        expected = various().with_decoding(decoding).summarize(SENTENCE)
        found = various().summarize(SENTENCE, decoding=decoding)
        assert found == expected
        assert found.decoding == found.to_dict()["decoding"] == decoding


def test_a_result_says_how_the_language_model_was_asked_if_it_was(default: Summarizer) -> None:
    text = "The council will close the old bridge in May. It rains."
    assert default.summarize(text, words=4).decoding is None
    asked = default.summarize(text, words=4, recoverability=True, decoding="parallel")
    assert {asked.decoding, *(part.decoding for part in asked.sentences if part.summary)} == {"parallel"}


@pytest.mark.parametrize("text", [". . .", "( ( ( ( (", "! ? " * 10, "- - - -", "\u200b \u200b \u200b"])
@pytest.mark.parametrize("limit", [{"words": 1}, {"words": 2}, {"chars": 1}, {}])
def test_marks_alone_are_shortened_too(default: Summarizer, text: str, limit: dict[str, int]) -> None:
    found = default.summarize(text, **limit).summary
    assert len(found.split()) <= limit.get("words", 100)
    assert set(found) <= set(text)
