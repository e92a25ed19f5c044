"""Texts in languages that the model does not know."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from ealm import EalmWarning, Summarizer
from ealm.common.errors import GrammarError
from ealm.grammar.protocol import Parse
from ealm.summarize.model_options import Pipelines

GERMAN = (
    "Der Stadtrat hat am Dienstagabend beschlossen, den alten Hafen zu schließen. Die Pfeiler sind morsch. "
    "Ingenieure hatten davor gewarnt."
)


def summarizer() -> Summarizer:
    """A new one: each warns once."""
    made = Summarizer.__new__(Summarizer)
    made.__dict__.update(loaded().__dict__)
    made.__dict__.pop("_named_languages", None)
    return made


@cache
def loaded() -> Summarizer:
    return Summarizer()


def test_whole_sentences_stay_and_the_result_and_one_warning_say_so() -> None:
    model = summarizer()
    with pytest.warns(EalmWarning, match="German is no language") as caught:
        summaries = model.summarize([GERMAN, GERMAN], words=16)
    assert len(caught) == 1
    assert summaries[0].summary == GERMAN.removesuffix(" Ingenieure hatten davor gewarnt.")
    assert (summaries[0].language, summaries[0].complete) == ("de", True)
    assert "German" in str(summaries[0].reason)
    assert summaries[0].to_dict()["language"] == "de"


def test_where_no_sentence_fits_the_first_words_stay() -> None:
    with pytest.warns(EalmWarning, match="French"):
        summary = summarizer().summarize("Le conseil a décidé mardi soir de fermer le terminal des ferries.", words=5)
    assert (summary.summary, summary.complete) == ("Le conseil a décidé mardi", False)


@pytest.mark.parametrize(("unit", "size"), [("words", 12), ("chars", 15)])
def test_japanese_is_shortened_too(unit: str, size: int) -> None:
    text = "市議会は火曜日の夜、フェリーターミナルの閉鎖を決議した。桟橋が古い。技術者は警告していた。"
    with pytest.warns(EalmWarning, match="Japanese"):
        summary = summarizer().summarize(text, **{unit: size})  # type: ignore[arg-type]
    assert summary.summary in text
    assert 3 < len(summary.summary) <= size + 3
    assert summary.language == "ja"


def test_a_sentence_in_another_language_inside_of_an_english_text_is_whole_or_gone() -> None:
    foreign = "Der Stadtrat hat am Dienstag beschlossen, den Hafen zu schließen."
    text = f"The mayor said on Monday that the slogan would stay on the walls of the town hall. {foreign}"
    for words in range(4, 24, 3):
        summary = summarizer().summarize(text, words=words).summary
        assert foreign in summary or "Stadtrat" not in summary
        assert "Hafen" not in summary or foreign in summary


def test_the_first_sentences_stay() -> None:
    with pytest.warns(EalmWarning, match="German"):
        summary = summarizer().summarize(GERMAN + " Die Kosten betragen vier Millionen Euro.", words=12)
    assert summary.summary.startswith("Der Stadtrat")


def test_english_needs_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        summary = summarizer().summarize("The council of the town voted to close the old ferry terminal.", words=6)
    assert (summary.language, summary.reason) == ("en", None)


class StubGrammar:
    """Knows the tree of one sentence."""

    def __init__(self, language: str = "de") -> None:
        self.language = language

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        assert [list(words) for words in sentences] == [
            ["Der", "Rat", "schloss", "am", "Dienstag", "den", "Hafen", "."]
        ]
        relations = ("nk", "sb", "ROOT", "mo", "nk", "nk", "oa", "punct")
        tags = ("ART", "NN", "VVFIN", "APPRART", "NN", "ART", "NN", "$.")
        return [Parse((1, 2, -1, 2, 3, 6, 2, 2), relations, tags)]


def with_grammar(grammar: StubGrammar) -> Summarizer:
    model, parts = summarizer(), loaded()._pipelines.parts
    model._pipelines = Pipelines(parts=replace(parts, grammar=grammar))
    return model


@pytest.mark.parametrize(
    ("words", "expected", "complete"),
    [(5, "Der Rat schloss den Hafen.", True), (4, "Der Rat schloss am", False)],
)
def test_a_grammar_of_the_language_is_used(words: int, expected: str, complete: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        summary = with_grammar(StubGrammar()).summarize("Der Rat schloss am Dienstag den Hafen.", words=words)
    assert (summary.summary, summary.language, summary.complete) == (expected, "de", complete)


def test_a_grammar_without_rules_for_its_trees_is_refused() -> None:
    parts = loaded()._pipelines.parts
    with pytest.raises(GrammarError, match="English and German, not of French"):
        Summarizer.from_parts(
            parts.agent,
            parts.lm,
            ignored_words=parts.ignored_words,
            settings=parts.settings,
            grammar=StubGrammar("fr"),
        )
