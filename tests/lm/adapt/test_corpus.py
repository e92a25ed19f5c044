"""Text becomes rows of ids: every usable sentence once, unknown words settled, chunks that depend on numbers alone."""

import bz2
import gzip
import itertools
import lzma
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.common.errors import CorpusError, EalmError
from ealm.lm.adapt.corpus import LEAST_WORDS, MOST_WORDS, CorpusReader, LmCorpus, chunks_of_sentences

UNKNOWN = 1
VOCABULARY = {word: number for number, word in enumerate("the river rises in winter . 's #".split(), start=10)}


def reader(*, pretokenized: bool = False, known: dict[str, int] | None = None, unknown: int = UNKNOWN) -> CorpusReader:
    return CorpusReader(
        dict(VOCABULARY if known is None else known), unknown_id=unknown, normalize=str.lower, pretokenized=pretokenized
    )


def corpus_of(*sentences: list[int]) -> LmCorpus:
    flat = np.array([number for sentence in sentences for number in sentence], dtype=np.int32)
    return LmCorpus(flat, np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences])]).astype(np.int64))


def rows(corpus: LmCorpus) -> list[list[int]]:
    return [corpus[number].tolist() for number in range(len(corpus))]


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


# A corpus in memory ---------------------------------------------------------------------------------------------------

sentences = st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=6), min_size=1, max_size=30)


@given(sentences)
def test_sentences_are_given_back(given_sentences: list[list[int]]) -> None:
    corpus = corpus_of(*given_sentences)
    assert len(corpus) == len(given_sentences)
    assert rows(corpus) == given_sentences


@given(sentences, st.data())
def test_a_split_parts_the_sentences_and_keeps_their_order(
    given_sentences: list[list[int]], data: st.DataObject
) -> None:
    aside = data.draw(st.integers(0, len(given_sentences)))
    numbered = [[number, *sentence] for number, sentence in enumerate(given_sentences)]
    fitted, held_out = corpus_of(*numbered).split(aside, seed=data.draw(st.integers(0, 9)))
    assert len(held_out) == aside
    assert sorted(rows(fitted) + rows(held_out)) == numbered
    assert rows(fitted) == sorted(rows(fitted))
    assert rows(held_out) == sorted(rows(held_out))


def test_a_split_depends_on_the_seed_alone() -> None:
    corpus = corpus_of(*([number, number] for number in range(200)))
    first, again, other = (corpus.split(20, seed) for seed in (3, 3, 4))
    assert [rows(part) for part in first] == [rows(part) for part in again]
    assert rows(first[1]) != rows(other[1])


def test_a_split_takes_from_everywhere() -> None:
    _, held_out = corpus_of(*([number] for number in range(1_000))).split(100, 0)
    numbers = [row[0] for row in rows(held_out)]
    assert min(numbers) < 100
    assert max(numbers) > 900


# Reading --------------------------------------------------------------------------------------------------------------


def test_words_are_looked_up_as_the_vocabulary_writes_them(tmp_path: Path) -> None:
    corpus = reader().read(written(tmp_path, "The river's RISES in winter."))
    assert rows(corpus) == [[VOCABULARY[word] for word in "the river 's rises in winter .".split()]]


def test_a_typographic_apostrophe_is_an_apostrophe(tmp_path: Path) -> None:
    straight = reader().read(written(tmp_path, "the river's winter rises"))
    curly = reader().read(written(tmp_path, "the river’s winter rises"))
    assert rows(curly) == rows(straight)
    assert VOCABULARY["'s"] in rows(curly)[0]


def test_a_text_that_is_cut_already_is_cut_at_spaces_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "the river-bed rises in winter. 's")
    raw = reader()
    assert len(rows(raw.encode(raw.read(path)))[0]) == 7
    cut = reader(pretokenized=True)
    expected = [VOCABULARY["the"], UNKNOWN, VOCABULARY["rises"], VOCABULARY["in"], UNKNOWN, VOCABULARY["'s"]]
    assert rows(cut.encode(cut.read(path))) == [expected]


@pytest.mark.parametrize(
    ("words", "usable"),
    [(0, False), (LEAST_WORDS - 1, False), (LEAST_WORDS, True), (MOST_WORDS, True), (MOST_WORDS + 1, False)],
)
def test_sentences_are_neither_too_short_nor_too_long(tmp_path: Path, words: int, usable: bool) -> None:
    path = written(tmp_path, " ".join(["river"] * words), "the river rises in winter")
    assert len(reader().read(path)) == 1 + usable


def test_blank_lines_line_ends_and_a_byte_order_mark_are_no_words(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes("\ufeffthe river rises in\r\n\r\n  \nthe river rises in".encode())
    corpus = reader().read(path)
    assert rows(corpus) == [[VOCABULARY[word] for word in "the river rises in".split()]] * 2


@pytest.mark.parametrize("content", ["", "\n\n", "too short now\n", "river " * (MOST_WORDS + 1)])
def test_a_file_without_a_usable_sentence_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(content)
    with pytest.raises(CorpusError, match=f"no sentence of {LEAST_WORDS} to {MOST_WORDS} words") as caught:
        reader().read(path)
    assert str(path) in str(caught.value)


OPENERS: dict[str, Callable[..., bytes]] = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


@pytest.mark.parametrize(("ending", "compress"), OPENERS.items(), ids=OPENERS)
def test_compressed_files_are_read_like_plain_ones(
    tmp_path: Path, ending: str, compress: Callable[[bytes], bytes]
) -> None:
    plain = written(tmp_path, "the river rises in winter .", "in winter the river rises")
    packed = tmp_path / f"corpus.txt{ending}"
    packed.write_bytes(compress(plain.read_bytes()))
    assert rows(reader().read(packed)) == rows(reader().read(plain))


@pytest.mark.parametrize("damage", ["cut off", "no such format"])
@pytest.mark.parametrize(("ending", "compress"), OPENERS.items(), ids=OPENERS)
def test_a_damaged_compressed_file_is_refused(
    tmp_path: Path, ending: str, compress: Callable[[bytes], bytes], damage: str
) -> None:
    path = tmp_path / f"corpus{ending}"
    packed = compress(b"the river rises in winter .\n" * 2_000)
    path.write_bytes(packed[: len(packed) // 2] if damage == "cut off" else b"the river rises in winter .\n")
    with pytest.raises(CorpusError, match="Cannot read") as caught:
        reader().read(path)
    assert str(path) in str(caught.value)


def test_a_gz_file_with_flipped_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "corpus.gz"
    packed = bytearray(gzip.compress(b"the river rises in winter .\n" * 50))
    packed[12:24] = b"\xff" * 12
    path.write_bytes(packed)
    with pytest.raises(CorpusError, match="Cannot read"):
        reader().read(path)


def test_text_that_is_not_utf_8_is_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes("the river rises in winter\nthe river Zürich rises in\n".encode("latin1"))
    with pytest.raises(EalmError, match="line 2: not UTF-8"):
        reader().read(path)


# Words that the vocabulary lacks --------------------------------------------------------------------------------------


def test_unknown_words_become_unknown_when_the_corpus_is_settled(tmp_path: Path) -> None:
    books = reader()
    corpus = books.encode(books.read(written(tmp_path, "the zebra rises in winter", "a zebra in the river")))
    assert rows(corpus) == [
        [VOCABULARY["the"], UNKNOWN, VOCABULARY["rises"], VOCABULARY["in"], VOCABULARY["winter"]],
        [UNKNOWN, UNKNOWN, VOCABULARY["in"], VOCABULARY["the"], VOCABULARY["river"]],
    ]
    assert corpus.flat.dtype == np.int32


def test_frequent_unknown_words_deserve_a_place(tmp_path: Path) -> None:
    books = reader(pretokenized=True)
    lines = ["the zebra rises in winter"] * 30 + ["the corp. rises in winter"] * 25 + ["the gnu rises in winter"] * 19
    corpus = books.read(written(tmp_path, *lines))
    assert books.new_words(corpus, 9) == ["zebra", "corp."]
    assert books.new_words(corpus, 1) == ["zebra"]
    assert books.new_words(corpus, 0) == []


def test_a_word_that_got_a_place_is_found_there(tmp_path: Path) -> None:
    books = reader(pretokenized=True)
    corpus = books.read(written(tmp_path, "the zebra rises in winter", "the gnu rises in winter"))
    books.known["zebra"] = 5
    assert [row[1] for row in rows(books.encode(corpus))] == [5, UNKNOWN]


def test_only_the_words_of_the_corpus_itself_count(tmp_path: Path) -> None:
    books = reader(pretokenized=True)
    corpus = books.read(written(tmp_path, "the river rises in winter"))
    held_out = books.read(written(tmp_path, *["the zebra rises in winter"] * 50))
    assert books.new_words(corpus, 9) == []
    books.known["gnu"] = 5
    assert [row[1] for row in rows(books.encode(held_out))] == [UNKNOWN] * 50
    assert rows(books.encode(corpus)) == rows(corpus)


def test_the_corpus_word_for_unknown_gets_no_place(tmp_path: Path) -> None:
    books = reader(pretokenized=True)
    corpus = books.read(written(tmp_path, *["the <unk> rises in winter"] * 50))
    assert books.new_words(corpus, 9) == []
    assert rows(books.encode(corpus))[0][1] == UNKNOWN


def test_an_unknown_number_is_read_by_its_shape(tmp_path: Path) -> None:
    books = reader(pretokenized=True)
    corpus = books.read(written(tmp_path, "the 1987 river 7 rises 12"))
    books.known["####"] = 5
    assert rows(books.encode(corpus)) == [
        [VOCABULARY["the"], 5, VOCABULARY["river"], VOCABULARY["#"], VOCABULARY["rises"], UNKNOWN]
    ]


def test_a_number_that_is_known_is_not_read_by_its_shape(tmp_path: Path) -> None:
    books = reader(pretokenized=True, known={**VOCABULARY, "7": 30})
    corpus = books.read(written(tmp_path, "the river rises 7 8"))
    assert rows(books.encode(corpus))[0][-2:] == [30, VOCABULARY["#"]]


def test_numbers_share_a_place(tmp_path: Path) -> None:
    books = reader(pretokenized=True)
    corpus = books.read(written(tmp_path, *[f"the river rises in {year}" for year in range(1980, 2005)]))
    assert books.new_words(corpus, 9) == ["####"]


def test_a_shape_that_is_known_needs_no_second_place(tmp_path: Path) -> None:
    books = reader(pretokenized=True)  # knows "#" and no digit
    corpus = books.read(written(tmp_path, *["the river rises in 7"] * 50))
    assert books.new_words(corpus, 9) == []


def test_a_sign_that_nobody_sees_gets_no_place(tmp_path: Path) -> None:
    books = CorpusReader(
        dict(VOCABULARY), unknown_id=UNKNOWN, normalize=lambda word: word.replace("\u200b", ""), pretokenized=False
    )
    corpus = books.read(written(tmp_path, *["the river \u200b rises in winter"] * 50))
    assert "" not in books.new_words(corpus, 9)


# Hidden digits --------------------------------------------------------------------------------------------------------


def test_hidden_digits_lead_from_a_known_number_to_its_known_shape() -> None:
    books = reader(known={**VOCABULARY, "7": 30, "42": 31, "b52": 32, "b##": 33})
    shapes = books.hidden_digits()
    assert shapes[30] == VOCABULARY["#"]
    assert shapes[31] == 31  # "##" is not in the vocabulary
    assert shapes[32] == 33
    changed = {number for number, shaped in enumerate(shapes.tolist()) if number != shaped}
    assert changed == {30, 32}


def test_a_new_word_may_have_the_last_id_of_the_vocabulary(tmp_path: Path) -> None:
    books = reader(pretokenized=True)
    corpus = books.read(written(tmp_path, "the zebra rises in winter"))
    books.known["zebra"] = 99
    settled = books.encode(corpus)
    assert books.hidden_digits()[settled.flat].tolist() == settled.flat.tolist()


def test_the_id_of_unknown_words_may_be_the_last_of_the_vocabulary(tmp_path: Path) -> None:
    books = reader(pretokenized=True, unknown=99)
    settled = books.encode(books.read(written(tmp_path, "the zebra rises in winter")))
    assert settled.flat[1] == 99
    assert books.hidden_digits()[settled.flat].tolist() == settled.flat.tolist()


# Chunks ---------------------------------------------------------------------------------------------------------------


def numbered(count: int) -> LmCorpus:
    return corpus_of(*([number, number] for number in range(count)))


def chunks(corpus: LmCorpus, count: int, *, size: int, seed: int = 0, start: int = 0) -> list[tuple[int, list[int]]]:
    endless = chunks_of_sentences(corpus, size=size, seed=seed, start=start)
    return [(number, [int(ids[0]) for ids in found]) for number, found in itertools.islice(endless, count)]


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 3))
def test_an_epoch_has_every_sentence_once(count: int, size: int, epoch: int) -> None:
    per_epoch = max(1, count // size)
    found = chunks(numbered(count), per_epoch, size=size, start=epoch * per_epoch)
    assert [number for number, _ in found] == list(range(epoch * per_epoch, (epoch + 1) * per_epoch))
    assert Counter(sentence for _, chunk in found for sentence in chunk) == Counter(range(count))
    assert all(min(size, count) <= len(chunk) < 2 * size for _, chunk in found)


def test_epochs_are_shuffled_anew() -> None:
    first, second = (chunk for _, chunk in chunks(numbered(50), 2, size=50))
    assert sorted(first) == sorted(second)
    assert first != second
    assert first != sorted(first)


def test_a_chunk_depends_on_nothing_but_seed_and_number() -> None:
    corpus = numbered(33)
    whole = chunks(corpus, 12, size=8)
    for start in (1, 4, 7):
        assert chunks(corpus, 5, size=8, start=start) == whole[start : start + 5]
    assert chunks(corpus, 12, size=8, seed=1) != whole
