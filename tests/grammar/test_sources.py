"""Whose word it is: what is no plain fact keeps its source, in one word where no more fits."""

import pytest

from ealm import Summarizer


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


_PLANS = (
    "Norvik plans to close its old repair yard in Lerwick next spring, a source familiar with the plans said on "
    "Wednesday."
)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (_PLANS, "Norvik plans to close old repair yard: source."),
        (
            "The new harbour tax is a heavy burden for small islands, transport minister Ann Lee said on Monday.",
            "Harbour tax is a burden, Ann Lee said.",
        ),
        (
            "Norvik will sell half of its older ferries to a rival by the end of 2031, the Lerwick Times reported on "
            "Sunday.",
            "Norvik will sell half of older ferries: report.",
        ),
        (
            "Two people close to the talks said the union will accept the offer of the shipyard next week.",
            "Sources: union will accept offer of shipyard.",
        ),
        (
            "Norvik has drawn interest from more than ten bidders for its northern mines, according to a source close "
            "to the sale.",
            "Norvik has drawn interest, according to source.",
        ),
        (
            "The bridge was closed on Monday after a lorry hit one of its pillars, police said.",
            "Bridge closed.",
        ),
    ],
)
def test_a_source_stays_where_it_counts(summarizer: Summarizer, text: str, summary: str) -> None:
    found = summarizer.summarize(text, words=8)
    assert (found.summary, found.complete) == (summary, True)


def test_no_length_tells_a_rumour_as_a_fact(summarizer: Summarizer) -> None:
    for words in range(3, 21):
        found = summarizer.summarize(_PLANS, words=words)
        assert not found.complete or "source" in found.summary, found.summary


def test_no_word_is_written_otherwise_where_that_is_not_wanted(summarizer: Summarizer) -> None:
    found = summarizer.summarize(_PLANS, words=8, extractive=True)
    assert ":" not in found.summary
    assert not found.complete or "source said" in found.summary
