"""The public summarizer, with a tiny random language model and agents whose choices are known."""

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
import torch
from fakes import TableMaskedLM
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import WORDS, tiny_bert

from ealm import Summarizer, Summary
from ealm.agent import Agent
from ealm.config import AgentSettings, Settings
from ealm.edits import Action
from ealm.errors import LanguageModelError, SettingsError, TextError
from ealm.ignored_words import IgnoredWords
from ealm.learner import new_agent
from ealm.masked_lm import MaskedLM, TransformersMaskedLM

SETTINGS = Settings(agent=AgentSettings(hidden_units=12)).override({"ignored_words.infrequent": "none"})
SENTENCE = "the police minister finds a silver bridge and Zebra late ."
TEXTS = st.lists(st.sampled_from((*WORDS, "Zebra", "UNICORN")), min_size=0, max_size=8).map(" ".join)


@cache
def language_model() -> TransformersMaskedLM:
    """In double precision, so that a batch cannot tip a close decision."""
    return tiny_bert(double=True)


def summarizer_of(agent: Agent, lm: MaskedLM | None = None, settings: Settings = SETTINGS) -> Summarizer:
    chosen = lm or language_model()
    return Summarizer(agent, chosen, ignored_words=IgnoredWords(settings.ignored_words), settings=settings)


@cache
def various(seed: int = 5) -> Summarizer:
    """An agent that removes, keeps and replaces."""
    agent = new_agent(32, SETTINGS.agent, seed).double()
    with torch.no_grad():
        agent.output.weight.mul_(20)
    return summarizer_of(agent)


def stubborn(action: Action, width: int = 32) -> Agent:
    """An agent that does the same with every word, from left to right."""
    agent = new_agent(width, SETTINGS.agent, seed=0)
    with torch.no_grad():
        agent.output.weight.zero_()
        agent.output.bias.zero_()
        agent.output.bias[action] = 1.0
    return agent if width != 32 else agent.double()


# Saving ---------------------------------------------------------------------------------------------------------------


def test_a_saved_summarizer_gives_the_same_output(tmp_path: Path, bert_folder: Path, agent_folder: Path) -> None:
    first = Summarizer.from_pretrained(agent_folder)
    first.save_pretrained(tmp_path / "copy")
    second = Summarizer.from_pretrained(str(tmp_path / "copy"))
    texts = [SENTENCE, "", "river rises", "old engine burns in the quiet forest"]
    assert second.summarize(texts, trace=True) == first.summarize(texts, trace=True)
    assert second.settings == first.settings
    assert second.lm.name == str(bert_folder.resolve())


def test_words_that_the_corpus_made_frequent_are_saved_too(tmp_path: Path) -> None:
    settings = Settings(agent=AgentSettings(hidden_units=12))
    frequent = IgnoredWords(settings.ignored_words, frozenset({"river", "élan"}))
    made = Summarizer(stubborn(Action.KEEP), language_model(), ignored_words=frequent, settings=settings)
    made.save_pretrained(tmp_path)
    loaded = Summarizer.from_pretrained(tmp_path, lm=language_model())
    assert loaded.ignored_words.frequent == frequent.frequent
    assert "river" not in loaded.ignored_words
    assert "bridge" in loaded.ignored_words


def test_another_language_model_can_be_named_or_handed_over(agent_folder: Path, bert_folder: Path) -> None:
    named = Summarizer.from_pretrained(agent_folder, lm=bert_folder)
    handed = Summarizer.from_pretrained(agent_folder, lm=tiny_bert())
    assert named.summarize(SENTENCE) == handed.summarize(SENTENCE)


def test_an_agent_of_another_width_is_refused() -> None:
    with pytest.raises(LanguageModelError, match=r"width 12, but in memory gives 32.*--lm"):
        summarizer_of(new_agent(12, SETTINGS.agent, seed=0))


# One answer, whatever the company -------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(st.lists(TEXTS, min_size=1, max_size=5), st.sampled_from((None, 2)), st.data())
def test_a_sentence_has_the_same_summary_alone_and_in_any_company(
    texts: list[str], words: int | None, data: st.DataObject
) -> None:
    summarizer = various()
    together = summarizer.summarize(texts, words=words)
    alone = [summarizer.summarize(text, words=words) for text in texts]
    assert [plain(summary) for summary in together] == [plain(summary) for summary in alone]
    order = data.draw(st.permutations(range(len(texts))))
    shuffled = summarizer.summarize([texts[place] for place in order], words=words)
    assert [plain(summary) for summary in shuffled] == [plain(together[place]) for place in order]


def plain(summary: Summary) -> dict[str, Any]:
    """All that is exact; Q-values may differ in their last digits."""
    return summary.to_dict()


def test_a_list_gives_a_list_and_a_text_gives_one_summary() -> None:
    summarizer = various()
    assert summarizer.summarize([]) == []
    assert summarizer.summarize(["", " \t "]) == [summarizer.summarize("")] * 2
    assert [str(s) for s in summarizer.summarize([SENTENCE])] == [str(summarizer.summarize(SENTENCE))]


# What is chosen -------------------------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_only_an_empty_line_has_an_empty_summary(texts: list[str]) -> None:
    for text, summary in zip(texts, various().summarize(texts), strict=True):
        assert bool(summary.summary) == bool(text)


def test_a_single_word_that_was_removed_stays() -> None:
    summary = summarizer_of(stubborn(Action.REMOVE)).summarize("River")
    assert (summary.summary, summary.step, summary.compression_rate) == ("River", 0, 0.0)
    assert summary.reconstruction_rate == 1.0
    assert [(edit.action, edit.order) for edit in summary.edits] == [(Action.KEEP, None)]
    assert [step.action for step in summary.trace] == [Action.REMOVE]


def test_removing_everything_still_leaves_a_word() -> None:
    summary = summarizer_of(stubborn(Action.REMOVE)).summarize(SENTENCE)
    assert 1 <= len(summary.summary.split()) < len(SENTENCE.split())


def test_an_empty_line_has_an_empty_summary() -> None:
    summary = various().summarize(" \n")
    assert (summary.source, summary.summary, summary.step, summary.edits, summary.trace) == ("", "", 0, (), ())


def test_equally_good_steps_go_to_the_later_one() -> None:
    """Nothing can be recovered here, so each Remove gains in compression what it loses in reconstruction."""
    words = ["one", "two", "three", "four", "five"]
    lm = TableMaskedLM({}, words)
    settings = SETTINGS.override({"ignored_words.stop_words": "false", "rewards.top_k": "1"})
    summary = summarizer_of(stubborn(Action.REMOVE, lm.width), lm, settings).summarize(" ".join(words))
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
    summary = summarizer_of(agent, lm, settings).summarize("cue follower")
    assert (summary.summary, summary.step) == ("cue", 1)
    assert (summary.compression_rate, summary.reconstruction_rate) == (0.5, 1.0)


def test_keeping_everything_chooses_the_last_step_and_gives_the_source_back() -> None:
    summary = summarizer_of(stubborn(Action.KEEP)).summarize(SENTENCE)
    assert (summary.summary, summary.step) == (SENTENCE, len(SENTENCE.split()))
    assert (summary.compression_rate, summary.reconstruction_rate) == (0.0, 1.0)


# A fixed number of words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["various", *Action])
@pytest.mark.parametrize("text", [SENTENCE, "river", "river rises", "Zebra Zebra Zebra"])
def test_a_limit_of_words_is_met_exactly_and_never_exceeded(agent: str | Action, text: str) -> None:
    summarizer = summarizer_of(stubborn(agent)) if isinstance(agent, Action) else various()
    length = len(text.split())
    for limit in range(1, length + 3):
        summary = summarizer.summarize(text, words=limit)
        assert len(summary.summary.split()) == min(limit, length)
        assert summary.compression_rate == pytest.approx(1 - min(limit, length) / length)
        assert summary.reconstruction_rate is None
        if limit >= length:
            assert summary.summary == text


def test_a_limit_can_come_with_the_reconstruction_rate() -> None:
    summarizer = various()
    rate = summarizer.summarize(SENTENCE, words=5, recoverability=True).reconstruction_rate
    assert rate is not None
    assert rate == summarizer.summarize(SENTENCE, words=5, trace=True).trace[-1].reconstruction_rate


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_below_one_is_refused(limit: int) -> None:
    with pytest.raises(SettingsError, match="words must be at least 1"):
        various().summarize(SENTENCE, words=limit)


def test_a_stream_refuses_a_limit_below_one_before_it_is_read() -> None:
    with pytest.raises(SettingsError, match="words must be at least 1, got 0"):
        various().stream([SENTENCE], words=0)


# The trace ------------------------------------------------------------------------------------------------------------


@settings(max_examples=10)
@given(TEXTS, st.sampled_from((None, 1, 3)))
def test_tracing_knows_every_step_and_does_not_change_the_answer(text: str, words: int | None) -> None:
    summarizer = various()
    short = summarizer.summarize(text, words=words, recoverability=True)
    full = summarizer.summarize(text, words=words, trace=True)
    assert plain(full) == plain(short)
    assert [step.step for step in full.trace] == list(range(1, len(full.trace) + 1))
    for step in full.trace:
        assert step.summary is not None
        assert step.reconstruction_rate is not None
        assert step.reconstruction is not None
        assert len(step.reconstruction.split()) == len(text.split())
        assert step.compression_rate == pytest.approx(1 - len(step.summary.split()) / len(text.split()))
        assert text.split()[step.position] == step.word
        if step.step == full.step:
            assert (step.summary, step.reconstruction_rate) == (full.summary, full.reconstruction_rate)


def test_what_is_known_without_asking_is_in_the_trace_anyway() -> None:
    summary = summarizer_of(stubborn(Action.REMOVE)).summarize("river rises late")
    assert [step.summary for step in summary.trace] == ["rises late", "late", ""]
    assert [step.compression_rate for step in summary.trace] == pytest.approx([1 / 3, 2 / 3, 1])
    assert all(step.q_values == (1.0, 0.0, 0.0) for step in summary.trace)


def test_edits_tell_how_the_source_became_the_summary() -> None:
    for summary in various().summarize([SENTENCE, "old engine burns in the quiet forest", "Zebra falls"]):
        assert " ".join(edit.word for edit in summary.edits) == summary.source
        written = [edit.word if edit.action is Action.KEEP else edit.replacement for edit in summary.edits]
        kept = [word for word, edit in zip(written, summary.edits, strict=True) if edit.action is not Action.REMOVE]
        assert " ".join(word or "?" for word in kept) == summary.summary
        assert sorted(e.order for e in summary.edits if e.order is not None) == list(range(1, summary.step + 1))
        assert all((edit.replacement is not None) == (edit.action is Action.REPLACE) for edit in summary.edits)


# Text in, text out ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Zebra of Zürich", "RIVER River river", "[MASK] [UNK] ##ing", "日本 rises …"])
def test_kept_words_are_printed_as_written(text: str) -> None:
    summary = summarizer_of(stubborn(Action.KEEP)).summarize(f"  {text}\t\n")
    assert (summary.source, summary.summary) == (text, text)


def test_a_replaced_unknown_word_becomes_a_known_one() -> None:
    last = summarizer_of(stubborn(Action.REPLACE)).summarize("Zebra river", trace=True).trace[-1]
    assert last.summary is not None
    assert all(word in WORDS for word in last.summary.split())
    assert last.summary.split()[1] != "river"


def test_printing_a_summary_prints_its_words() -> None:
    summary = various().summarize(SENTENCE)
    assert str(summary) == f"{summary}" == summary.summary


def test_a_sentence_that_does_not_fit_is_named_with_advice() -> None:
    summarizer = various()
    longest = summarizer.lm.max_words
    assert len(summarizer.summarize("river " * longest, words=1).summary.split()) == 1
    with pytest.raises(TextError, match=rf"Sentence 2 has {longest + 1} words.*take {longest}.*Split it"):
        summarizer.summarize(["river", "river " * (longest + 1)])


@pytest.mark.parametrize("text", ["river \udcff rises", "\ud83d", "Zürich \udce9"])
def test_half_characters_are_refused_with_the_number_of_their_sentence(text: str) -> None:
    with pytest.raises(TextError, match=r"Sentence 2 is not valid Unicode.*UTF-8"):
        various().summarize(["Zürich rises", text])


@pytest.mark.parametrize("pick", [lambda s: s, lambda s: s.edits[0], lambda s: s.trace[0]])
def test_results_cannot_be_changed(pick: Any) -> None:
    result = pick(various().summarize(SENTENCE))
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)


# Streams --------------------------------------------------------------------------------------------------------------


def test_a_stream_takes_no_more_than_it_needs_from_an_endless_source() -> None:
    taken: list[int] = []

    def endless() -> Iterator[str]:
        for number in count():
            taken.append(number)
            yield "river rises" if number % 2 else "late storm falls"

    stream = summarizer_of(stubborn(Action.KEEP)).stream(endless())
    assert taken == []
    first = list(islice(stream, 3))
    assert [str(summary) for summary in first] == ["late storm falls", "river rises", "late storm falls"]
    assert len(taken) < 1_000


def test_a_stream_longer_than_a_chunk_stays_in_order() -> None:
    texts = ["" if number % 7 == 0 else f"word{number} rises" for number in range(300)]
    assert [str(s) for s in summarizer_of(stubborn(Action.KEEP)).stream(texts)] == texts


def test_filling_can_be_switched_to_parallel_and_nothing_else() -> None:
    summarizer = various()
    parallel = summarizer.with_decoding("parallel")
    assert parallel.settings == summarizer.settings.override({"decoding.mode": "parallel"})
    assert parallel.agent is summarizer.agent
    assert summarizer.settings.decoding.mode == "sequential"
    with pytest.raises(SettingsError, match="mode must be one of sequential, parallel"):
        summarizer.with_decoding("backwards")


def rows_asked(summarizer: Summarizer, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    rows: list[int] = []
    predict = summarizer.lm.predict

    def counting(questions: Sequence[Any]) -> Any:
        rows.append(len(questions))
        return predict(questions)

    with monkeypatch.context() as patch:
        patch.setattr(summarizer.lm, "predict", counting)
        summarizer.summarize(text)
    return sum(rows)


def test_parallel_filling_really_asks_less(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = SETTINGS.override({"decoding.parallel_confidence": "0.0"})
    sequential = summarizer_of(stubborn(Action.REPLACE), settings=settings)
    parallel = sequential.with_decoding("parallel")
    assert rows_asked(parallel, SENTENCE, monkeypatch) < rows_asked(sequential, SENTENCE, monkeypatch)
