"""Corpora: what is read, what is left out, and in which order sentences are visited."""

import bz2
import gzip
import lzma
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.common.config import DataSettings
from ealm.common.errors import CorpusError, EalmError
from ealm.text.corpus import Corpus, SkippedLines, VisitOrder, read_corpus


def corpus_of(tmp_path: Path, text: str | bytes, *, longest: int = 60, seed: int = 0, **options: Any) -> Corpus:
    """A corpus that was cut into words before, unless the options say otherwise."""
    path = tmp_path / "corpus.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_corpus(path, settings=DataSettings(**({"pretokenized": True} | options)), longest=longest, seed=seed)


def test_usable_lines_become_sentences_and_the_others_are_counted(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "the river rises\n\n \t\nstop\na b c d e\nold Zürich\n", max_words=4)
    assert corpus.sentences == (("the", "river", "rises"), ("old", "Zürich"))
    assert corpus.skipped == SkippedLines(blank=2, one_word=1, too_long=1, max_words=4)
    assert corpus.available == 2


@pytest.mark.parametrize(("max_words", "longest", "expected"), [(4, 60, 4), (60, 4, 4), (5, 5, 5), (49, 60, 49)])
def test_the_limit_is_the_smaller_of_settings_and_language_model(
    tmp_path: Path, max_words: int, longest: int, expected: int
) -> None:
    lines = "\n".join(" ".join(["w"] * length) for length in range(2, 62))
    corpus = corpus_of(tmp_path, lines, max_words=max_words, longest=longest)
    assert max(map(len, corpus.sentences)) == expected
    assert corpus.skipped == SkippedLines(too_long=61 - expected, max_words=expected)


def test_the_paper_takes_sentences_of_less_than_50_words(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "w " * 49 + "\n" + "w " * 50 + "\n")
    assert [len(sentence) for sentence in corpus.sentences] == [49]


RAW = "The river's rising, isn't it?\n\n\t\n...\n\"Stop!\"\nU.S. Corp. lost $1,234.5.\n"


def test_raw_text_is_cut_into_words_by_default(tmp_path: Path) -> None:
    assert DataSettings().pretokenized is False
    corpus = corpus_of(tmp_path, RAW, pretokenized=False)
    assert corpus.sentences == (
        ("The", "river", "'s", "rising", ",", "isn't", "it", "?"),
        ('"', "Stop", "!", '"'),
        ("U.S.", "Corp.", "lost", "$", "1,234.5", "."),
    )
    assert corpus.skipped == SkippedLines(blank=2, one_word=1, max_words=49)


def test_text_that_was_cut_before_is_not_cut_again(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, RAW)
    assert corpus.sentences == (
        ("The", "river's", "rising,", "isn't", "it?"),
        ("U.S.", "Corp.", "lost", "$1,234.5."),
    )
    assert corpus.skipped == SkippedLines(blank=2, one_word=2, max_words=49)
    assert corpus.fingerprint != corpus_of(tmp_path, RAW, pretokenized=False).fingerprint


def test_the_length_of_a_raw_sentence_counts_its_marks(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "The river rises.\nThe river rises\n", max_words=3, pretokenized=False)
    assert corpus.sentences == (("The", "river", "rises"),)
    assert corpus.skipped == SkippedLines(too_long=1, max_words=3)


PACKERS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_compressed_corpus_is_the_same_corpus(tmp_path: Path, suffix: str) -> None:
    text = "the river rises\nold Zürich\n"
    path = tmp_path / f"corpus.txt{suffix}"
    path.write_bytes(PACKERS[suffix](text.encode()))
    settings = DataSettings(pretokenized=True)
    assert read_corpus(path, settings=settings, longest=60, seed=0) == corpus_of(tmp_path, text)


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("damage", ["not compressed", "cut"])
def test_a_damaged_compressed_corpus_is_named(tmp_path: Path, suffix: str, damage: str) -> None:
    path = tmp_path / f"corpus.txt{suffix}"
    plain = b"the river rises\n" * 50
    path.write_bytes(plain if damage == "not compressed" else PACKERS[suffix](plain)[:-5])
    with pytest.raises(CorpusError, match=f"Cannot read .*{path.name}: "):
        read_corpus(path, settings=DataSettings(), longest=60, seed=0)


def test_windows_line_ends_a_byte_order_mark_and_a_missing_last_line_end_do_not_matter(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, b"\xef\xbb\xbfthe river\r\n\r\nold bridge")
    assert corpus.sentences == (("the", "river"), ("old", "bridge"))


def test_a_large_corpus_is_sampled_down_by_the_seed_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = "".join(f"number {number}\n" for number in range(200))
    first, again, other = (corpus_of(tmp_path, text, max_sentences=20, seed=seed) for seed in (1, 1, 2))
    numbers = [int(sentence[1]) for sentence in first.sentences]
    assert len(set(numbers)) == 20
    assert numbers == sorted(numbers)
    assert first.available == 200
    assert first == again
    assert first.sentences != other.sentences


@pytest.mark.parametrize("limit", [None, 200, 201])
def test_a_corpus_within_the_limit_is_taken_whole(tmp_path: Path, limit: int | None) -> None:
    corpus = corpus_of(tmp_path, "".join(f"number {number}\n" for number in range(200)), max_sentences=limit)
    assert len(corpus.sentences) == corpus.available == 200


def test_the_fingerprint_tells_sentences_and_their_order(tmp_path: Path) -> None:
    same = ["a b\nc d\n", "a  b\n\nc\td"]
    others = ["c d\na b\n", "a b c d\n", "a b\nc d\ne f\n", "a b\nc D\n"]
    prints = [corpus_of(tmp_path, text).fingerprint for text in same + others]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 1 + len(others)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", r"corpus\.txt is empty\. A corpus has one sentence a line"),
        (b"\n \n", r"no sentence of 2 to 9 words \(lines: 2 blank\)"),
        (b"one\n\n" + b"w " * 10, r"2 to 9 words \(lines: 1 blank, 1 of one word, 1 of more than 9 words\)"),
        (b"fine line\nZ\xfcrich is not\n", r"corpus\.txt, line 2: not UTF-8 .*iconv"),
    ],
)
def test_a_corpus_that_cannot_be_used_says_why(tmp_path: Path, text: bytes, message: str) -> None:
    with pytest.raises(EalmError, match=message):
        corpus_of(tmp_path, text, max_words=9)


def test_a_corpus_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none.txt", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(CorpusError, match=f"Cannot read .*{path.name}: {reason}"):
            read_corpus(path, settings=DataSettings(), longest=60, seed=0)


@given(st.integers(1, 30), st.integers(0, 5))
def test_every_epoch_visits_every_sentence_once(sentences: int, seed: int) -> None:
    order = VisitOrder(sentences, seed)
    for epoch in range(3):
        visits = range(epoch * sentences, (epoch + 1) * sentences)
        assert Counter(order.sentence(visit) for visit in visits) == Counter(range(sentences))


def test_epochs_and_seeds_shuffle_differently_and_visits_can_be_asked_in_any_order() -> None:
    order = VisitOrder(50, seed=3)
    forward = [order.sentence(visit) for visit in range(150)]
    assert forward[:50] != forward[50:100] != forward[100:]
    assert [VisitOrder(50, seed=4).sentence(visit) for visit in range(50)] != forward[:50]
    assert [order.sentence(visit) for visit in reversed(range(150))] == forward[::-1]
    assert VisitOrder(50, seed=3).sentence(149) == forward[149]


@pytest.mark.parametrize(
    ("skipped", "text"),
    [
        (SkippedLines(), ""),
        (SkippedLines(blank=1), "1 blank"),
        (SkippedLines(12_000, 2, 3, 49), "12,000 blank, 2 of one word, 3 of more than 49 words"),
        (SkippedLines(blank=1, max_words=49), "1 blank"),
    ],
)
def test_skipped_lines_are_told_in_words(skipped: SkippedLines, text: str) -> None:
    assert str(skipped) == text
