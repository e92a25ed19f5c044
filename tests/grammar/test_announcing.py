"""Frames that only lead to what is told go; what is told keeps its limits."""

import pytest

from ealm import Summarizer


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize(
    ("text", "words", "summary"),
    [
        (
            "This is to confirm that your appointment with the optician on 4 May has been cancelled at your request.",
            8,
            "Your appointment has been cancelled at your request.",
        ),
        (
            "Drivers are reminded that they must display a valid permit in the front window of the car at all times.",
            9,
            "Drivers must display a valid permit at all times.",
        ),
        (
            "I wanted to let you know that the plumber can't come on Friday unless somebody leaves the key with the "
            "neighbours.",
            12,
            "The plumber can't come on Friday unless somebody leaves the key.",
        ),
        (
            "If you are travelling by bus, please be aware that the stop at the station has been moved to Mill Lane.",
            16,
            "If you are travelling by bus, the stop at the station has been moved.",
        ),
        (
            "We are delighted to announce that Clara Voss will take over as head of the library in September.",
            12,
            "Clara Voss will take over as head of the library in September.",
        ),
        (
            "The mayor said that the bridge will be closed in May and that a fee of ten pounds applies on weekends.",
            16,
            "Mayor said bridge will be closed in May and fee of ten pounds applies on weekends.",
        ),
        (
            "We rang the vet and she says the cat can go home tomorrow if the fever is gone.",
            12,
            "The cat can go home tomorrow if the fever is gone.",
        ),
        (
            "I checked with Nora from sales, who said the brochures would not be printed before the end of May.",
            12,
            "The brochures would not be printed before the end of May.",
        ),
        (
            "Members are reminded that all dues for the coming year must be paid by 5 p.m. at the latest.",
            12,
            "All dues for the coming year must be paid by 5 p.m.",
        ),
    ],
)
def test_what_is_told_stands_alone(summarizer: Summarizer, text: str, words: int, summary: str) -> None:
    assert str(summarizer.summarize(text, words=words)) == summary


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We are not able to confirm that the parcel was sent to the right address in Leeds last week.", "parcel was"),
        ("I wanted to tell my brother that the car had been sold before he booked his train ticket.", "car had"),
        ("I checked with Nora from sales, who thinks the brochures will be printed before May.", "brochures will"),
        ("We asked the mayor and he said the plan was dead, but his deputy said the opposite.", "plan was dead"),
    ],
)
def test_what_is_not_plainly_told_does_not(summarizer: Summarizer, text: str, words: str) -> None:
    for length in range(3, len(text.split())):
        summary = str(summarizer.summarize(text, words=length))
        frame = ("confirm", "tell", "thinks", "opposite")
        assert words not in summary or any(word in summary for word in frame), summary


def test_a_belief_that_is_taken_back_does_not_stand_alone(summarizer: Summarizer) -> None:
    text = "Doctors long assumed that the vaccine would not work in babies, but a trial in Ghana proved otherwise."
    for length in range(3, 18):
        summary = str(summarizer.summarize(text, words=length))
        assert "assumed" not in summary or "otherwise" in summary, summary
