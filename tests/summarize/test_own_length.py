"""What is left where nobody says how much shall be: a statement, and never nothing."""

import pytest

from ealm import Summarizer


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize("text", ["The dog barks.", "The river rises.", "Dogs bark.", "It rains."])
def test_a_short_sentence_stays_a_statement(summarizer: Summarizer, text: str) -> None:
    found = summarizer.summarize(text)
    assert found.complete
    assert len(found.summary.split()) >= 2


def test_a_statement_may_be_longer_than_usual(summarizer: Summarizer) -> None:
    text = "The insurer need not pay if the owner fails to report the theft within seven days of noticing it."
    assert summarizer.summarize(text).complete


def test_one_word_is_a_noun_and_no_article(summarizer: Summarizer) -> None:
    assert summarizer.summarize("The dog barks.", words=1).summary.rstrip(".") in ("Dog", "dog")
