"""Texts that nobody wrote with us in mind: whatever comes in, what goes out keeps the promises.

`EALM_FUZZ_INPUTS=10000 pytest tests/test_nasty_texts.py` tries so many random texts instead of a few.
"""

import os
from functools import cache
from random import Random

import pytest
import tiny_models
from hypothesis import given, settings
from hypothesis import strategies as st
from nasty_texts import PIECES, corpus_inputs, random_inputs
from promises import KINDS, OptionValues, flaws, problems, summarizer

from ealm import Summary
from ealm.common.errors import TextError
from ealm.paper.edits import Action
from ealm.summarize.result import Edit


@cache
def all_problems(source: str) -> dict[str, list[str]]:
    """Everything that goes wrong with one source of inputs, by kind; worked out once for all tests."""
    inputs = {"corpus": corpus_inputs, "random": random_inputs}[source]
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for text, given_options in inputs():
        for kind, message in problems(text, given_options):
            found[kind].append(f"{text!r} {given_options} -> {message}")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_nasty_texts(kind: str) -> None:
    assert all_problems("corpus")[kind] == []


@pytest.mark.parametrize("kind", KINDS)
def test_random_texts(kind: str) -> None:
    assert all_problems("random")[kind] == []


TEXTS = st.one_of(
    st.text(max_size=25),
    st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)
OPTION_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "extractive": st.booleans(),
        "pretokenized": st.booleans(),
        "protect": st.lists(st.sampled_from(("negation", "numbers", "names"))),
    },
)
LIMITS = st.one_of(
    st.just({}),
    st.builds(lambda unit, size: {unit: size}, st.sampled_from(("words", "chars", "bytes")), st.integers(1, 30)),
    st.builds(lambda ratio: {"ratio": ratio}, st.floats(0.01, 1.0)),
)


@pytest.mark.skipif("EALM_FUZZ_INPUTS" in os.environ, reason="so many plain random inputs are tried instead")
@settings(max_examples=60)
@given(TEXTS, OPTION_VALUES, LIMITS)
def test_texts_that_hypothesis_thinks_of(text: str, given_options: OptionValues, limit: OptionValues) -> None:
    assert list(problems(text, {**given_options, **limit})) == []


def test_five_thousand_words_without_punctuation() -> None:
    draw = Random(0)  # what is said again would be said once
    text = " ".join(["The", *(draw.choice(tiny_models.WORDS[30:53]) for _ in range(4_999))])
    summary = summarizer("table").summarize(text, words=500)
    assert len(summary.summary.split()) == 500
    assert list(flaws(text, summary, {"words": 500})) == []


@pytest.mark.parametrize("text", ["river \udcff rises", "\ud83d", "Zürich \udce9. No."])
@pytest.mark.parametrize("given_options", [{}, {"bytes": 3}, {"pretokenized": True}])
def test_half_characters_are_refused(text: str, given_options: OptionValues) -> None:
    with pytest.raises(TextError, match="not valid Unicode"):
        summarizer().summarize(text, **given_options)


def test_these_checks_can_fail() -> None:
    """Each kind of problem is found in a summary that has it."""

    def kinds(text: str, summary: Summary, given_options: OptionValues) -> set[str]:
        return {kind for kind, _ in flaws(text, summary, given_options)}

    def made(summary: str, *edits: tuple[str, Action]) -> Summary:
        return Summary("", summary, 0.0, None, 0, tuple(Edit(word, action, None) for word, action in edits), ())

    one, two = ("one", Action.KEEP), ("two", Action.KEEP)
    gone = ("two", Action.REMOVE)
    assert kinds("one two", made("one two", one, two), {}) == set()
    assert kinds("one two", made("One", one, gone), {"words": 1}) == set()
    assert kinds("one two", made("on", one, gone), {"chars": 2}) == set()
    assert kinds("one two", made("one two", one, two), {"words": 1}) == {"too long"}
    assert kinds("one two", made("one two", one, two), {"bytes": 6}) == {"too long"}
    assert "empty" in kinds("one two", made("", ("one", Action.REMOVE), gone), {})
    assert "says nothing" in kinds("one .", made(".", ("one", Action.REMOVE), (".", Action.KEEP)), {})
    assert kinds("one two", made("one ", one, gone), {}) == {"outer space"}
    assert kinds("one two", made("one", one), {}) == {"lost words"}
    assert kinds("one two", made("two one", one, two), {}) == {"changed words"}
    assert kinds("one two", made("oNe", one, gone), {}) == {"changed words"}
    assert kinds("one two", made("one", one, gone), {"words": 2}) == {"needlessly short"}
