"""Lines and words."""

import io

import pytest

from ealm.common.errors import TextError
from ealm.text.words import decode_lines, join_words, split_words


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("the river rises .", ("the", "river", "rises", ".")),
        ("  the\triver \n", ("the", "river")),
        ("no-break\u00a0space", ("no-break", "space")),
        ("It 's U.S.-led", ("It", "'s", "U.S.-led")),
        ("日本 é", ("日本", "é")),
        ("", ()),
        (" \t\r\n", ()),
    ],
)
def test_words_are_what_white_space_separates(sentence: str, words: tuple[str, ...]) -> None:
    assert split_words(sentence) == words


def test_joined_words_split_into_the_same_words() -> None:
    words = ("the", "Zürich", "'s", "...")
    assert join_words(words) == "the Zürich 's ..."
    assert split_words(join_words(words)) == words


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"one\ntwo\n", ["one\n", "two\n"]),
        (b"one\n\nthree", ["one\n", "\n", "three"]),
        (b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n", ["one\n", "\ufefftwo\n"]),
        ("Zürich\r\n".encode(), ["Zürich\r\n"]),
        (b"", []),
    ],
)
def test_lines_are_decoded_and_a_byte_order_mark_at_the_start_is_dropped(raw: bytes, lines: list[str]) -> None:
    assert list(decode_lines(io.BytesIO(raw), "file")) == lines


def test_bytes_that_are_not_utf_8_are_named_with_file_line_and_advice() -> None:
    lines = decode_lines(io.BytesIO(b"fine\nZ\xfcrich\n"), "news.txt")
    assert next(lines) == "fine\n"
    with pytest.raises(TextError, match=r"news\.txt, line 2: not UTF-8 \(byte 0xfc at 1\).*iconv"):
        next(lines)


def test_lines_are_decoded_one_by_one() -> None:
    lines = decode_lines(iter([b"one\n", b"\xff\n"]), "pipe")
    assert next(lines) == "one\n"
