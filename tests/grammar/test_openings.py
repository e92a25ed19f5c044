"""What is no part of the sentence goes first; what limits it stays, with its brackets or its colon."""

import pytest

from ealm import Summarizer


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize(
    ("text", "words", "summary"),
    [
        (
            "Guess what, the bakery on Mill Street is giving away bread tonight because the oven broke!",
            8,
            "Bakery on Mill Street giving away bread!",
        ),
        (
            "Known problem: in cold weather, the front door may not lock unless the handle is pulled up.",
            12,
            "The front door may not lock unless the handle is pulled up.",
        ),
        (
            "Sorry for the long silence, but I was in hospital for two weeks and could not use my phone.",
            12,
            "I was in hospital and could not use my phone.",
        ),
        (
            "not sure if this helps but my printer worked again after i pulled out the paper tray and cleaned it",
            12,
            "my printer worked again after i pulled out the paper tray",
        ),
        (
            "The driver, a 34-year-old teacher from Hull, was taken to hospital with a broken arm on Sunday night.",
            12,
            "Driver, 34-year-old teacher from Hull, taken to hospital with broken arm.",
        ),
        (
            "The singer, a retired nurse with a history of low blood sugar, fainted during a rehearsal that had "
            "started an hour earlier.",
            12,
            "Singer, retired nurse with history of low blood sugar, fainted during rehearsal.",
        ),
        (
            "Is your washing machine leaking even though the hose is new, or is the floor wet for another reason?",
            6,
            "Is your washing machine leaking?",
        ),
        (
            "Tell us which train you are taking on Friday so that Bea or I can meet you at the station.",
            12,
            "Tell us which train you are taking on Friday.",
        ),
    ],
)
def test_the_sentence_without_what_stands_beside_it(
    summarizer: Summarizer, text: str, words: int, summary: str
) -> None:
    assert str(summarizer.summarize(text, words=words)) == summary


@pytest.mark.parametrize(
    ("text", "where", "must"),
    [
        ("Myth: the tower was built by giants who carried the stones from the sea in one night.", "built", "Myth:"),
        ("Ada Brown: I will not resign from the board before the vote in June.", "resign", "Ada Brown:"),
        ("Fees for adults (members excepted) rise to 12 euros in May.", "rise", "(members excepted)"),
        ("Visitors must not feed the deer near the gate, although apples are sold there.", "apples", "not feed"),
        ("Bea or I will wait for you at the station until the last train from Hull comes in.", "Bea or I", "wait"),
    ],
)
def test_what_limits_it_stays(summarizer: Summarizer, text: str, where: str, must: str) -> None:
    for length in range(2, len(text.split())):
        summary = str(summarizer.summarize(text, words=length))
        assert where not in summary or must in summary, summary


def test_what_is_in_brackets_is_no_phrase_and_loses_no_bracket(summarizer: Summarizer) -> None:
    text = "No difference in sleep was found between the two groups after a year of tea (odds ratio 1.02, 412 adults)."
    for length in range(3, 20):
        summary = str(summarizer.summarize(text, words=length))
        assert ("ratio" in summary) <= ("(odds ratio" in summary and ")" in summary), summary
