"""The set W of appendix A.4: words that do not count in the reconstruction rate."""

import sys

import pytest

from ealm.common.config import IgnoredWordsSettings
from ealm.common.extras import MissingExtraError
from ealm.paper.ignored_words import IgnoredWords
from ealm.text.word_lists import STOP_WORDS

CORPUS = [["The", "river", "rises", "."], ["the", "River", "falls", "."], ["rivers", "rise", "the"]]


@pytest.mark.parametrize("word", ["the", "him", "is", ".", ",", "The", "HIM", "Monday", "three", "years", "##", "''"])
def test_stop_words_and_punctuation_are_ignored_in_any_case(word: str) -> None:
    assert word in IgnoredWords(IgnoredWordsSettings(infrequent="none"))


@pytest.mark.parametrize("word", ["river", "police", "1990", "Minister"])
def test_other_words_count_if_frequency_does_not_matter(word: str) -> None:
    assert word not in IgnoredWords(IgnoredWordsSettings(infrequent="none"))


def test_the_stop_words_of_the_paper_and_none_that_carry_meaning() -> None:
    assert {"him", "the"} <= STOP_WORDS
    assert not {"river", "said", "new", "people"} & STOP_WORDS
    assert all(word == word.lower() for word in STOP_WORDS)


def test_words_rarer_than_the_least_count_are_ignored_whatever_their_case() -> None:
    ignored = IgnoredWords.from_corpus(CORPUS, IgnoredWordsSettings(stop_words=False, min_count=2))
    assert ignored.frequent == {"the", "river", "."}
    assert "RIVER" not in ignored
    assert "the" not in ignored
    assert "falls" in ignored
    assert "unheard" in ignored


def test_a_word_seen_exactly_the_least_count_is_frequent() -> None:
    assert "the" not in IgnoredWords.from_corpus(CORPUS, IgnoredWordsSettings(stop_words=False, min_count=3))
    assert "river" in IgnoredWords.from_corpus(CORPUS, IgnoredWordsSettings(stop_words=False, min_count=3))


def test_stop_words_are_ignored_however_frequent_they_are() -> None:
    ignored = IgnoredWords.from_corpus(CORPUS, IgnoredWordsSettings(min_count=1))
    assert "the" in ignored
    assert "river" not in ignored


def test_without_stop_words_and_frequencies_every_word_counts() -> None:
    ignored = IgnoredWords.from_corpus(CORPUS, IgnoredWordsSettings(stop_words=False, infrequent="none"))
    assert "the" not in ignored
    assert "zyzzyva" not in ignored


def test_the_wordfreq_package_tells_infrequent_words_apart() -> None:
    ignored = IgnoredWords.from_corpus(CORPUS, IgnoredWordsSettings(infrequent="wordfreq"))
    assert "river" not in ignored
    assert "Police" not in ignored
    assert "zyzzyva" in ignored
    assert "the" in ignored


def test_the_least_zipf_frequency_is_respected() -> None:
    settings = {"infrequent": "wordfreq", "stop_words": False}
    assert "river" in IgnoredWords(IgnoredWordsSettings(min_zipf=7.0, **settings))  # type: ignore[arg-type]
    assert "the" not in IgnoredWords(IgnoredWordsSettings(min_zipf=7.0, **settings))  # type: ignore[arg-type]
    assert "zyzzyva" not in IgnoredWords(IgnoredWordsSettings(min_zipf=0.0, **settings))  # type: ignore[arg-type]


def test_a_missing_wordfreq_package_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(MissingExtraError, match="pip install 'ealm\\[wordfreq\\]'"):
        IgnoredWords(IgnoredWordsSettings(infrequent="wordfreq"))
