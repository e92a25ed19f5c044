"""Words that are written, or left, because of what is left out: no torn sentence, and no claim of its own."""

import pytest

from ealm import Summarizer, Summary


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


def short(summarizer: Summarizer, text: str, words: int, **options: object) -> Summary:
    return summarizer.summarize(text, words=words, **options)


def test_a_pronoun_of_another_clause_is_written_out(summarizer: Summarizer) -> None:
    text = (
        "The drug is approved for adults with severe asthma who have not responded to at least two other treatments; "
        "it must not be used for sudden attacks."
    )
    assert short(summarizer, text, 9).summary == "The drug must not be used for sudden attacks."
    assert "drug must" not in short(summarizer, text, 9, extractive=True).summary


def test_it_is_likely_is_nobody(summarizer: Summarizer) -> None:
    text = "The outgoing chairman Robert Rubin said on Tuesday it was pretty likely the board would be expanded in May."
    for words in range(4, 16):
        assert "Rubin was" not in short(summarizer, text, words).summary


def test_an_article_goes_with_the_next_word(summarizer: Summarizer) -> None:
    text = (
        "Our premium plan includes unlimited storage, priority support and a dedicated account manager for teams of "
        "more than fifty people."
    )
    for words in range(8, 15):
        summary = short(summarizer, text, words).summary
        assert "a account" not in summary
        assert "an dedicated" not in summary


def test_a_list_that_lost_its_end_has_and(summarizer: Summarizer) -> None:
    text = "Kidney function was normal, the chest X-ray was clear, and no blood was found in the urine."
    assert " and " in short(summarizer, text, 10).summary


@pytest.mark.parametrize(
    "text",
    [
        "Hi team, the office will be closed on Friday for repairs.",
        "SIGNS OF HOPE The office will be closed on Friday for repairs.",
    ],
)
def test_an_address_or_a_caption_is_no_part_of_the_sentence(summarizer: Summarizer, text: str) -> None:
    assert short(summarizer, text, 6).summary == "Office will be closed for repairs."


def test_a_quotation_keeps_both_marks(summarizer: Summarizer) -> None:
    text = 'Click on "Settings", choose "Privacy" and switch off the option that shares your location with others.'
    assert short(summarizer, text, 6).summary == 'Click on "Settings" and choose "Privacy".'


@pytest.mark.parametrize(
    ("text", "torn"),
    [
        ('Rename the folder "draft" to "final" before you send the archive to the printer.', "to."),
        (
            "Airlines will have to nearly double to 12 percent the share of green fuel they burn, ministers said.",
            "have.",
        ),
        ("Mix the flour with the butter until it looks like crumbs, then add the egg and just enough milk.", "and."),
    ],
)
def test_no_draft_ends_in_the_middle(summarizer: Summarizer, text: str, torn: str) -> None:
    for words in range(3, 18):
        assert not short(summarizer, text, words).summary.endswith(f" {torn}")
