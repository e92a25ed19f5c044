"""Sentences of a text stay as they were written where there is room, and steps are whole or gone."""

import pytest

from ealm import Summarizer

STEPS = """Changing the blade of the slicer

A sharp blade makes even slices and is safer than a blunt one. Wear gloves that cannot be cut, and keep children away
from the table while you work.

1. Unplug the slicer and wait until the blade stands still.
2. Hold the blade with one hand and turn the black screw to the left with the other.
3. Put the new blade in with the numbers facing you and tighten the screw.

Old blades belong in the metal box beside the sink, never in the dustbin, because they can hurt whoever empties it.
"""

ARTICLE = """The ferry to Holm will stop running at the end of October, the council decided on Monday.

Councillors said the boat, which was built in 1961, needs a new engine that would cost 400,000 euros. Fewer than forty
people a day used it last winter. A bridge eleven kilometres to the north has taken most of the cars since it opened.

Residents of the island are angry. Marta Lind, who takes her children to school by boat, said the way over the bridge
would take her an hour each morning. The council will pay for a bus until the summer, but not on Sundays.
"""


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize("words", [30, 50, 70, 90])
def test_steps_are_whole_or_gone(summarizer: Summarizer, words: int) -> None:
    summary = str(summarizer.summarize(STEPS, words=words))
    steps = [line for line in STEPS.splitlines() if line[:1].isdigit()]
    kept = [line for line in summary.splitlines() if line[:1].isdigit()]
    assert kept in ([], steps)


def test_there_is_room_for_the_steps(summarizer: Summarizer) -> None:
    assert "3. Put the new blade in with the numbers facing you" in str(summarizer.summarize(STEPS, words=90))


def test_sentences_are_as_they_were_written_where_there_is_room(summarizer: Summarizer) -> None:
    summary = str(summarizer.summarize(ARTICLE, words=60))
    source = " ".join(ARTICLE.split())
    assert summary.count(".") >= 3
    assert all(part in source for part in summary.split("\n") if part)
