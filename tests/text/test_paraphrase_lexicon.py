"""The lexicon of shorter words: its form, and its phrases in sentences."""

import json
from pathlib import Path

import pytest
from rewordings import reworded

from ealm.text import paraphrase_lexicon as lexicon_module
from ealm.text.paraphrase import Paraphrase, paraphrases
from ealm.text.paraphrase_lexicon import lexicon, longest_phrase
from ealm.text.protected_words import protected_indices
from ealm.text.tokenizer import tokenize
from ealm.text.word_lists import FUNCTION_WORDS

GROUPS = json.loads(Path(lexicon_module.__file__).with_name("paraphrase_lexicon.json").read_text(encoding="utf-8"))
ENTRIES = [(phrase, word) for group in GROUPS for phrase, word in group["words"].items()]


def test_the_lexicon_is_large_and_has_no_phrase_twice_under_the_same_condition() -> None:
    assert len(ENTRIES) >= 180
    phrases = [phrase for phrase, _ in ENTRIES]
    assert len(set(phrases)) == len(phrases)
    assert sum(map(len, lexicon().values())) == len(ENTRIES)


def test_an_entry_is_one_word_and_shorter() -> None:
    for phrase, word in ENTRIES:
        assert word.split() == [word]
        assert len(word) < len(phrase)
        assert len(word.encode()) < len(phrase.encode())


def test_a_phrase_is_in_lower_case_says_something_and_has_neither_negation_nor_mark() -> None:
    for phrase, _ in ENTRIES:
        words = phrase.split()
        assert phrase == phrase.lower()
        assert phrase == " ".join(words)
        assert [token.text for token in tokenize(f"{phrase} x")][:-1] == words  # else no raw text would have it
        assert not set(words) <= FUNCTION_WORDS, phrase
        assert protected_indices(words, ["negation"]) == frozenset()
        assert all(word[0].isalnum() for word in words)


def test_a_group_says_what_it_is_and_nothing_unknown() -> None:
    conditions = {"only_before", "only_after", "unless_before", "unless_after", "unless_with"}
    for group in GROUPS:
        assert group.keys() <= {"what", "names", "words"} | conditions
        assert group["what"]
        for name in conditions & group.keys():
            assert group[name] == group[name].lower()
            assert group[name].split()


def test_every_phrase_is_found_between_the_words_that_it_needs() -> None:
    for group in GROUPS:
        before, behind = (group.get(name, "x").split()[0] for name in ("only_after", "only_before"))
        for phrase, word in group["words"].items():
            words = ["Now", *f"{before} {phrase} {behind} the".replace("<number>", "30").split()]
            assert Paraphrase(2, 2 + len(phrase.split()), word) in paraphrases(words), phrase


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The prime minister left.", "The premier left."),
        ("Prime Minister Olsen left.", "Premier Olsen left."),
        ("Ask Prime Minister Olsen.", "Ask Premier Olsen."),
        ("ASK THE PRIME MINISTER.", "ASK THE PREMIER."),
        ("The United States agreed.", "The U.S. agreed."),
        ("The United Nations agreed with the United States.", "The U.N. agreed with the United States."),
        ("It lies in the United States and the European Union.", "It lies in the U.S. and the EU."),
        ("Its chief executive officer met a chief executive.", "Its CEO met a CEO."),
        ("Ask Chief Executive Olsen.", "Ask CEO Olsen."),
        ("It took a number of buses.", "It took several buses."),
        ("A large number of buses came.", "Many buses came."),
        ("The majority of voters agreed.", "Most voters agreed."),
        ("They stopped in order to rest.", "They stopped to rest."),
        ("Cars as well as buses came.", "Cars and buses came."),
        ("It closed due to the fact that it rained.", "It closed because it rained."),
        ("They came in spite of the rain.", "They came despite the rain."),
        ("Prior to the vote it rained.", "Before the vote it rained."),
        ("It is able to swim.", "It can swim."),
        ("It is closed at the present time.", "It is closed now."),
        ("The television is on.", "The TV is on."),
        ("It ran 30 kilometers.", "It ran 30 km."),
        ("It opens in the near future.", "It opens soon."),
        ("The Securities and Exchange Commission called.", "The SEC called."),
        ("A couple of men came.", "Two men came."),
        ("An estimated 300 came.", "About 300 came."),
    ],
)
def test_phrases_in_sentences(text: str, expected: str) -> None:
    assert reworded(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It took a number of the buses.",  # "several the buses"
        "It took a number of Oslo's buses.",
        "It did as well as expected.",
        "It is a European Union rule.",  # "a EU rule"
        "It was the United States' turn.",
        "It worked for Nippon Telephone Corp.",  # a name
        "Hong Kong's Chief Executive spoke.",
        "It asked the European Central Bank (ECB).",
        "It asked the European Central Bank's (ECB) head.",
        "It is around the world's largest ship.",
        "They come from around the world.",
        "It ended 5 points out of 9.",
        "They get along with him.",
        "It comes by the fact that it rains.",
        "The Federal Reserve Bank met.",
        "kilometers of road",
        "roughly treated",
    ],
)
def test_where_a_short_word_would_be_wrong_the_phrase_stays(text: str) -> None:
    assert reworded(text) == text


def test_the_longest_phrase_wins() -> None:
    assert reworded("She is chief executive officer.") == "She is CEO."
    assert reworded("The United States of America won.") == "The U.S. won."
    assert reworded("It rained in spite of the fact that it was dry.") == "It rained although it was dry."
    assert reworded("The majority of the men left.") == "Most of the men left."
    assert longest_phrase() == max(len(phrase.split()) for phrase, _ in ENTRIES)


def test_an_article_goes_with_the_short_form() -> None:
    assert reworded("An International Monetary Fund loan") == "An IMF loan"
    assert reworded("A United States ship") == "A U.S. ship"
    assert reworded("a federal bureau of investigation agent") == "a federal bureau of investigation agent"
    assert reworded("an automobile") == "an automobile"
    assert reworded("an 8 percent rise") == "an 8% rise"
