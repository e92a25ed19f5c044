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
from tiny_models import WORDS, level_q_values, tiny_bert

from ealm import Summarizer, Summary, embedded
from ealm.agent import Agent
from ealm.agent_folder import SavedAgent
from ealm.config import AgentSettings, Settings
from ealm.converter import Conversion, Converter
from ealm.edits import Action
from ealm.errors import LanguageModelError, SettingsError, TextError
from ealm.ignored_words import IgnoredWords
from ealm.learner import new_agent
from ealm.masked_lm import MaskedLM, TransformersMaskedLM
from ealm.rewards import reconstruction_rate
from ealm.source import Source

SETTINGS = Settings(agent=AgentSettings(hidden_units=12)).override({"ignored_words.infrequent": "none"})
SENTENCE = "the police minister finds a silver bridge and Zebra late ."
RAW_TEXT = "The Police Minister (a doctor) didn't find the river's bridge; is it late?  It burns, quietly."
TEXTS = st.lists(st.sampled_from((*WORDS, "Zebra", "UNICORN")), min_size=0, max_size=8).map(" ".join)


BOTH_KINDS = pytest.mark.parametrize("pretokenized", [True, False], ids=["pretokenized", "raw"])
"""For what holds for words between spaces and for text as people write it."""


@cache
def language_model() -> TransformersMaskedLM:
    """In double precision, so that a batch cannot tip a close decision."""
    return tiny_bert(double=True)


def summarizer_of(agent: Agent, lm: MaskedLM | None = None, settings: Settings = SETTINGS) -> Summarizer:
    chosen = lm or language_model()
    return Summarizer(agent, chosen, ignored_words=IgnoredWords(settings.ignored_words), settings=settings)


SEEDS = (37, 5, 43)
"""Of agents that differ much."""


@cache
def various(seed: int = SEEDS[0]) -> Summarizer:
    """An agent that removes, keeps and replaces."""
    agent = new_agent(32, SETTINGS.agent, seed).double()
    level_q_values(agent, language_model(), [SENTENCE])
    return summarizer_of(agent)


def test_the_agents_of_these_tests_take_all_three_actions() -> None:
    """Otherwise they would show little."""
    for seed in SEEDS:
        trace = various(seed).summarize(SENTENCE, pretokenized=True).trace
        assert {step.action for step in trace} == set(Action)


def stubborn(action: Action, width: int = 32) -> Agent:
    """An agent that does the same with every word, from left to right."""
    agent = new_agent(width, SETTINGS.agent, seed=0)
    with torch.no_grad():
        agent.output.weight.zero_()
        agent.output.bias.zero_()
        agent.output.bias[action] = 1.0
    return agent if width != 32 else agent.double()


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
    made = Summarizer(stubborn(Action.KEEP), language_model(), ignored_words=frequent, settings=settings)
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
    with pytest.raises(LanguageModelError, match=r"width 12, but in memory gives 32.*--lm"):
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


@pytest.mark.parametrize("given", ["agent", "lm", "ignored_words", "settings"])
def test_a_summarizer_is_put_together_from_all_of_its_parts_or_none(given: str) -> None:
    made = various()
    with pytest.raises(TypeError, match="agent, lm, ignored_words and settings together, or none of them"):
        Summarizer(**{given: getattr(made, given)})


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


def plain(summary: Summary) -> dict[str, Any]:
    """All that is exact; Q-values may differ in their last digits."""
    return summary.to_dict()


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
    raw = summarizer_of(stubborn(Action.KEEP)).summarize(SENTENCE)
    assert (raw.summary, raw.step) == (SENTENCE, len(SENTENCE.split()) - 1)  # nothing is decided on the full stop
    assert (raw.compression_rate, raw.reconstruction_rate) == (0.0, 1.0)


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
    with pytest.raises(SettingsError, match=f"{unit} must be a whole number of at least 1"):
        various().summarize(SENTENCE, **{unit: limit})


def test_a_stream_refuses_a_limit_below_one_before_it_is_read() -> None:
    with pytest.raises(SettingsError, match="words must be a whole number of at least 1, got 0"):
        various().stream([SENTENCE], words=0)


def test_two_lengths_and_unknown_options_are_refused() -> None:
    with pytest.raises(SettingsError, match="Give one length, not 2: words and chars"):
        various().summarize(SENTENCE, words=3, chars=20)
    with pytest.raises(TypeError, match="There is no option 'limit'"):
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


# Several sentences ----------------------------------------------------------------------------------------------------


def test_every_sentence_of_a_text_is_summarized_by_itself() -> None:
    first, second = "The old engine burns in the quiet forest.", "It falls late, the doctor says."
    summary = various().summarize(f"{first}  {second}\n")
    parts = various().summarize([first, second])
    assert summary.source == f"{first}  {second}"
    assert [plain(part) for part in summary.sentences] == [plain(part) for part in parts]
    assert summary.summary == f"{parts[0].summary}  {parts[1].summary}"
    assert summary.edits == tuple(edit for part in parts for edit in part.edits)
    assert summary.trace == ()
    assert summary.step == sum(part.step for part in parts)
    words = [len(part.edits) for part in parts]
    mean = sum(part.compression_rate * count for part, count in zip(parts, words, strict=True)) / sum(words)
    assert summary.compression_rate == pytest.approx(mean)
    assert all(part.sentences == () for part in (*parts, *summary.sentences))


def test_a_pretokenized_text_is_one_sentence_whatever_is_in_it() -> None:
    text = "it burns . it falls . the river rises ."
    summary = summarizer_of(stubborn(Action.KEEP)).summarize(text.replace(" it", "\n\nit"), pretokenized=True)
    assert (summary.summary, summary.sentences) == (text, ())


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


# Text in, text out ----------------------------------------------------------------------------------------------------


@BOTH_KINDS
@pytest.mark.parametrize("text", ["Zebra of Zürich", "RIVER River river", "[MASK] [UNK] ##ing", "日本 rises …"])
def test_kept_words_are_printed_as_written(text: str, pretokenized: bool) -> None:
    summary = summarizer_of(stubborn(Action.KEEP)).summarize(f"  {text}\t\n", pretokenized=pretokenized)
    assert (summary.source, summary.summary) == (text, text)


@pytest.mark.parametrize(
    "text",
    [
        RAW_TEXT,
        "Well—isn't it  5.5% (or $3)?",
        'He said: "It [the river] rises!" "No."',
        "a\n\n b",
        "river ( ) rises",
        "()",
    ],
)
def test_raw_text_that_is_kept_is_printed_as_written_with_all_its_spaces_and_marks(text: str) -> None:
    summary = summarizer_of(stubborn(Action.KEEP)).summarize(text)
    assert (summary.source, summary.summary) == (text, text)
    assert (summary.compression_rate, summary.reconstruction_rate) == (0.0, 1.0)


def test_a_replaced_unknown_word_becomes_a_known_one() -> None:
    summarizer = summarizer_of(stubborn(Action.REPLACE))
    last = summarizer.summarize("Zebra river", trace=True, pretokenized=True).trace[-1]
    assert last.summary is not None
    assert all(word in WORDS for word in last.summary.split())
    assert last.summary.split()[1] != "river"


def test_printing_a_summary_prints_its_words() -> None:
    summary = various().summarize(SENTENCE)
    assert str(summary) == f"{summary}" == summary.summary


@BOTH_KINDS
def test_a_sentence_that_does_not_fit_is_named_with_advice(pretokenized: bool) -> None:
    summarizer = various()
    longest = summarizer.lm.max_words
    short = summarizer.summarize("river " * longest, words=1, pretokenized=pretokenized)
    assert len(short.summary.split()) == 1
    texts = ["river", "river " * (longest + 1)]
    if pretokenized:
        with pytest.raises(TextError, match=rf"Sentence 2 has {longest + 1} words.*take {longest}.*Split it"):
            summarizer.summarize(texts, pretokenized=True)
    else:  # raw text is cut into pieces that fit
        assert len(summarizer.summarize(texts)[1].sentences) == 2


@pytest.mark.parametrize("text", [None, 5, b"river rises"])
def test_what_is_not_a_text_is_refused_with_its_number(text: Any) -> None:
    with pytest.raises(TextError, match=f"Text 2 is not a string, but {type(text).__name__}"):
        various().summarize(["river rises", text])


@BOTH_KINDS
@pytest.mark.parametrize("text", ["river \udcff rises", "\ud83d", "Zürich \udce9"])
def test_half_characters_are_refused_with_the_number_of_their_sentence(text: str, pretokenized: bool) -> None:
    with pytest.raises(TextError, match=r"Sentence 2 is not valid Unicode.*UTF-8"):
        various().summarize(["Zürich rises", text], pretokenized=pretokenized)


@pytest.mark.parametrize(
    "pick",
    [lambda s: s, lambda s: s.edits[0], lambda s: s.sentences[0], lambda s: s.sentences[0].trace[0]],
)
def test_results_cannot_be_changed(pick: Any) -> None:
    result = pick(various().summarize(f"{SENTENCE} It burns."))
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


@BOTH_KINDS
def test_a_stream_longer_than_a_chunk_stays_in_order(pretokenized: bool) -> None:
    texts = ["" if number % 7 == 0 else f"word{number} rises" for number in range(300)]
    summarizer = summarizer_of(stubborn(Action.KEEP))
    assert [str(summary) for summary in summarizer.stream(texts, pretokenized=pretokenized)] == texts


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
        summarizer.summarize(text, pretokenized=True)
    return sum(rows)


def test_parallel_filling_really_asks_less(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = SETTINGS.override({"decoding.parallel_confidence": "0.0"})
    sequential = summarizer_of(stubborn(Action.REPLACE), settings=settings)
    parallel = sequential.with_decoding("parallel")
    assert rows_asked(parallel, SENTENCE, monkeypatch) < rows_asked(sequential, SENTENCE, monkeypatch)
