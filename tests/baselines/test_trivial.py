"""Baselines without training: the first words, and the source without its stop words."""

import pytest

from ealm.baselines.trivial import LeadSentences, lead_bytes, lead_words, without_stop_words
from ealm.text.word_lists import DELETED_WORDS

SENTENCE = "the old bridge over the river was closed on monday , officials said ."


@pytest.mark.parametrize(
    ("size", "summary"),
    [(0, ""), (1, "the"), (3, "the old bridge"), (14, SENTENCE), (50, SENTENCE)],
)
def test_lead_takes_the_first_words(size: int, summary: str) -> None:
    assert lead_words(SENTENCE, size) == summary


@pytest.mark.parametrize(
    ("size", "summary"),
    [(0, ""), (2, ""), (3, "the"), (6, "the"), (7, "the old"), (13, "the old"), (14, "the old bridge"), (99, SENTENCE)],
)
def test_lead_by_bytes_takes_whole_words_only(size: int, summary: str) -> None:
    assert lead_bytes(SENTENCE, size) == summary


def test_lead_by_bytes_counts_bytes_and_not_characters() -> None:
    assert lead_bytes("café bar", 8) == "café"
    assert lead_bytes("café bar", 9) == "café bar"


def test_stop_words_go_and_prepositions_stay() -> None:
    assert without_stop_words(SENTENCE) == "old bridge over river closed on officials said"


def test_stop_words_go_whatever_their_case_and_others_keep_theirs() -> None:
    assert without_stop_words("The Mayor and Her two Deputies") == "Mayor and Deputies"


def test_the_limit_counts_what_is_left() -> None:
    assert without_stop_words(SENTENCE, max_words=3) == "old bridge over"
    assert without_stop_words(SENTENCE, max_words=8) == without_stop_words(SENTENCE)


@pytest.mark.parametrize("sentence", ["", "  ", "it is .", "The"])
def test_nothing_may_be_left(sentence: str) -> None:
    assert without_stop_words(sentence) == ""


def test_white_space_becomes_single_spaces() -> None:
    assert lead_words(" old  bridge\tclosed\n", 2) == "old bridge"
    assert without_stop_words(" old  bridge\tclosed\n") == "old bridge closed"


def test_the_list_is_of_the_described_kind() -> None:
    assert all(word == word.lower() for word in DELETED_WORDS)
    assert {"she", "the", "would", "monday", "seven", ","} <= DELETED_WORDS
    assert not {"in", "of", "to", "for", "after", "not", "n't", "no", "never", "and", "said", "new"} & DELETED_WORDS
    assert 180 <= len(DELETED_WORDS) <= 200


def test_the_first_sentences_that_fit_whole() -> None:
    text = "One two three. Four five.\nSix seven eight."
    system = LeadSentences()
    assert system.summarize([text], words=5, pretokenized=False) == ["One two three. Four five."]
    assert system.summarize([text], words=7, pretokenized=False) == ["One two three. Four five."]
    assert system.summarize([text], words=2, pretokenized=False) == ["One two"]
    assert system.summarize([text], pretokenized=False) == ["One two three. Four five. Six seven eight."]
    assert system.summarize(["", "Seven."], words=3, pretokenized=False) == ["", "Seven."]
