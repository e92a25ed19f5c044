"""A few words in place of a condition that does not fit: never a statement without its condition."""

import pytest

from ealm import Summarizer, Summary
from ealm.paper.edits import Action

SENTENCE = (
    "The harbour master may close the northern gate to small boats if the wind is stronger than the forecast said or "
    "the waves are higher than two metres."
)


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


def short(summarizer: Summarizer, text: str, words: int = 9, **options: object) -> Summary:
    return summarizer.summarize(text, words=words, **options)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        (SENTENCE, "if conditions are met"),
        (SENTENCE.replace(" if ", " only if "), "only if conditions are met"),
        (SENTENCE.replace(" if ", " unless "), "unless exceptions apply"),
    ],
)
def test_the_conjunction_stays_and_says_that_there_is_more(summarizer: Summarizer, text: str, remark: str) -> None:
    summary = short(summarizer, text, 10)
    assert summary.complete
    assert "arbour master may close" in summary.summary
    assert summary.summary.endswith(f"{remark}.")


def test_a_condition_in_front_gets_its_comma_and_a_pronoun_its_noun(summarizer: Summarizer) -> None:
    text = (
        "If the buyer does not collect the goods within fourteen days after being told that they are ready, the "
        "seller may store them at the buyer's expense."
    )
    assert short(summarizer, text, 8).summary == "If conditions are met, seller may store goods."


def test_the_edits_name_what_was_written(summarizer: Summarizer) -> None:
    summary = short(summarizer, SENTENCE)
    replaced = [edit for edit in summary.edits if edit.action == Action.REPLACE]
    assert [(edit.word, edit.replacement) for edit in replaced] == [("if", "if conditions are met")]


def test_what_fits_is_written_out(summarizer: Summarizer) -> None:
    assert "conditions are met" not in short(summarizer, SENTENCE, 25).summary


def test_an_extractive_summary_has_no_remark(summarizer: Summarizer) -> None:
    summary = short(summarizer, SENTENCE, extractive=True)
    assert set(summary.summary.lower().strip(".").split()) <= set(SENTENCE.lower().strip(".").split())
    assert not any(edit.action == Action.REPLACE for edit in summary.edits)


def test_a_question_has_no_remark(summarizer: Summarizer) -> None:
    text = "Did the harbour master close the gate to small boats " + SENTENCE[SENTENCE.index("if") : -1] + "?"
    assert "conditions are met" not in short(summarizer, text, 10).summary


def test_a_remark_counts_with_all_its_words(summarizer: Summarizer) -> None:
    for words in range(3, 20):
        assert len(short(summarizer, SENTENCE, words).summary.split()) <= words
    for chars in range(20, 100, 7):
        assert len(summarizer.summarize(SENTENCE, chars=chars).summary) <= chars
