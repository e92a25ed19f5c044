"""Texts into sentences and back: nothing is lost, whatever comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.text.sentences import LONGEST_PIECE, LONGEST_SENTENCE, Sentence, cuts, pretokenized_sentence, split_sentences
from ealm.text.tokenizer import Token

TEXTS = st.text(st.sampled_from("abZ1é日.,!?…\"'”“()[]-—: \n\t。"), max_size=25)


def test_a_quotation_and_who_said_it_are_one() -> None:
    text = '"The beam is great." — Sofia L., Tyrol'
    assert [sentence.text for sentence in split_sentences(text)] == [text]


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


def put_together(sentences: list[Sentence]) -> str:
    return "".join(sentence.lead + sentence.text + sentence.gap for sentence in sentences)


# Nothing is lost ------------------------------------------------------------------------------------------------------


@given(TEXTS)
def test_texts_and_gaps_are_the_text(text: str) -> None:
    assert put_together(split_sentences(text)) == text.strip()


@given(TEXTS)
def test_a_sentence_has_no_outer_space_and_a_gap_nothing_else(text: str) -> None:
    for sentence in split_sentences(text):
        assert sentence.text == sentence.text.strip() != ""
        assert sentence.gap.strip() == ""
        assert "\n" not in sentence.text


@given(TEXTS)
def test_words_are_placed_within_their_sentence(text: str) -> None:
    for sentence in split_sentences(text):
        assert sentence.tokens
        assert sentence.tokens[0].start == 0
        assert sentence.tokens[-1].end == len(sentence.text)
        assert all(sentence.text[token.start : token.end] == token.text for token in sentence.tokens)
        assert sentence.words == tuple(token.text for token in sentence.tokens)
        assert not sentence.pretokenized


@pytest.mark.parametrize(
    "text",
    [
        "The river rises.  The bridge falls.\t\tIt is late.",
        "The river rises.\r\n\r\nThe bridge falls.\r\n",
        "\n\n  One.\n \n\nTwo.  \n",
        "\ufeffThe river rises. It falls.",
        "The\u00a0river\u3000rises.\u2003It falls.",
        "The river\x0brises.\x0cIt\x85falls.\u2028Now.\u2029Then.",
        "Not a full stop anywhere",
        "?! ... !",
        "a" * 3_000,
        "(The river rises. The bridge falls.) No.",
    ],
)
def test_odd_spaces_survive(text: str) -> None:
    assert put_together(split_sentences(text)) == text.strip()


@pytest.mark.parametrize("text", ["", " ", "\r\n \t\n", "\u00a0\u3000"])
def test_white_space_has_no_sentences(text: str) -> None:
    assert split_sentences(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Yes.\x1cNo",
        "Yes!\x1f No",
        "One.\n\x1cTwo.",
        "One\n\x1c\nTwo",
    ],
)
def test_separators_of_python_alone_survive_too(text: str) -> None:
    assert put_together(split_sentences(text)) == text.strip()


@pytest.mark.parametrize("text", ["A\u00a0.", "Take plan B\u00a0. Now.", "Vitamin C\u2009.", "B\u3000."])
def test_a_wide_space_before_the_full_stop_does_not_crash(text: str) -> None:
    try:
        sentences = split_sentences(text)
    except BaseException as error:  # noqa: BLE001 - a panic is no Exception, and must not look like Ctrl-C
        pytest.fail(repr(error))
    assert put_together(sentences) == text


# Where a sentence ends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The river rises. The bridge falls.", ["The river rises.", "The bridge falls."]),
        ("Does it rise? It does! Well.", ["Does it rise?", "It does!", "Well."]),
        ("Mr. Stone left. Dr. River stayed.", ["Mr. Stone left.", "Dr. River stayed."]),
        ("The U.S. economy grew 3.5 percent. It fell.", ["The U.S. economy grew 3.5 percent.", "It fell."]),
        ("George W. Stone left. He did.", ["George W. Stone left.", "He did."]),
        ("He left at 5 p.m. on Monday.", ["He left at 5 p.m. on Monday."]),
        ("He left at 5 p.m. The bridge fell.", ["He left at 5 p.m.", "The bridge fell."]),
        ("They meet at 5 p.m. Monday in town.", ["They meet at 5 p.m. Monday in town."]),
        ("I told Ms. River-Stone so. She left.", ["I told Ms. River-Stone so.", "She left."]),
        ("It weighs approx. 7 kg (see vol. 3 of the set).", ["It weighs approx. 7 kg (see vol. 3 of the set)."]),
        ("It is open Mon. to Fri. 9 to 5. We are not.", ["It is open Mon. to Fri. 9 to 5.", "We are not."]),
        ("Wait 10 min. Then stir.", ["Wait 10 min.", "Then stir."]),
        ("It costs $5.2 million, i.e. too much.", ["It costs $5.2 million, i.e. too much."]),
        ("See www.example.com today. Now.", ["See www.example.com today.", "Now."]),
        ("“It rises.” He left.", ["“It rises.”", "He left."]),
        ("Wait... what?", ["Wait... what?"]),
        ("A headline\nThe river rises.", ["A headline", "The river rises."]),
        ("- one\n- two", ["one", "two"]),
        ("東京は雨。北京も雨。", ["東京は雨。", "北京も雨。"]),
    ],
)
def test_sentences_end_where_people_end_them(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_the_number_of_a_list_belongs_to_its_sentence() -> None:
    assert texts("1. The river rises. 2. The bridge falls.") == ["1. The river rises.", "2. The bridge falls."]


def test_a_line_break_always_ends_a_sentence_and_stays_in_the_gap() -> None:
    sentences = split_sentences("The river\nrises. It falls.\r\n\r\n  Now.")
    assert [(sentence.text, sentence.gap) for sentence in sentences] == [
        ("The river", "\n"),
        ("rises.", " "),
        ("It falls.", "\r\n\r\n  "),
        ("Now.", ""),
    ]


# What does not end ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [LONGEST_SENTENCE - 1, LONGEST_SENTENCE, LONGEST_SENTENCE + 1, 5_000])
def test_what_goes_on_without_an_end_is_cut(count: int) -> None:
    text = " ".join(f"word{number}" for number in range(count))
    sentences = split_sentences(text)
    assert [len(sentence.tokens) for sentence in sentences[:-1]] == [LONGEST_PIECE] * (len(sentences) - 1)
    assert 1 <= len(sentences[-1].tokens) <= LONGEST_SENTENCE
    assert sum(len(sentence.tokens) for sentence in sentences) == count
    assert put_together(sentences) == text


def test_what_has_no_spaces_either_is_cut_between_words() -> None:
    text = "川" * (3 * LONGEST_PIECE + 1)
    assert [len(sentence.tokens) for sentence in split_sentences(text)] == [*[LONGEST_PIECE] * 3, 1]
    assert put_together(split_sentences(text)) == text


def test_what_is_too_long_for_a_language_model_is_cut_too() -> None:
    text = "The river rises, and the old bridge falls. It is late."
    sentences = split_sentences(text, longest=4)
    assert [sentence.text for sentence in sentences] == [
        "The river rises,",
        "and the old bridge",
        "falls.",
        "It is late.",
    ]
    assert [sentence.continued for sentence in sentences] == [False, True, True, False]
    assert put_together(sentences) == text


def test_a_cut_does_not_tear_words_apart() -> None:
    """Alone, "W." would be a letter and a full stop, and one word too many."""
    sentences = split_sentences("In winter George W. Stone left", longest=4)
    assert [sentence.words for sentence in sentences] == [("In", "winter", "George", "W."), ("Stone", "left")]
    for sentence in sentences:
        assert all(sentence.text[token.start : token.end] == token.text for token in sentence.tokens)


# Cut before -----------------------------------------------------------------------------------------------------------


def test_a_pretokenized_line_is_cut_at_white_space_and_nowhere_else() -> None:
    sentence = pretokenized_sentence("  U.S. stock -lrb- do n't ,\t55.31\n rose.  ")
    assert sentence.words == ("U.S.", "stock", "-lrb-", "do", "n't", ",", "55.31", "rose.")
    assert sentence.text == "U.S. stock -lrb- do n't , 55.31 rose."
    assert sentence.pretokenized
    assert sentence.gap == ""


@given(st.text(max_size=20))
def test_pretokenized_words_know_their_places(text: str) -> None:
    sentence = pretokenized_sentence(text)
    assert sentence.text == " ".join(text.split())
    assert all(sentence.text[token.start : token.end] == token.text for token in sentence.tokens)


def test_an_empty_pretokenized_line_is_an_empty_sentence() -> None:
    assert pretokenized_sentence(" \n") == Sentence("", (), pretokenized=True)
    assert pretokenized_sentence("river").tokens == (Token("river", 0, 5),)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("one two three ; four five six seven", [0, 4, 8]),
        ("one two three four and five six seven", [0, 4, 8]),
        ("one two three , four five six seven", [0, 4, 8]),
        ("one two three in four five six seven", [0, 3, 8]),
        ("one two three four five six seven", [0, 5, 7]),
        ("", []),
    ],
)
def test_a_sentence_is_cut_at_the_best_place(words: str, expected: list[int]) -> None:
    assert cuts(words.split(), 5) == expected


def test_a_character_of_the_writer_that_looks_like_a_mark_gets_no_partner() -> None:
    lone, pair = "\ue100", "\ue200\ue201"
    (sentence,) = split_sentences(f"one {lone} two")
    assert sentence.text == f"one {lone} two"
    first, second = split_sentences(f"{pair[0]}The river rose. The town{pair[1]} flooded.")
    assert (first.text, second.text) == (f"{pair[0]}The river rose.{pair[1]}", f"{pair[0]}The town{pair[1]} flooded.")


def test_the_number_of_an_item_is_not_lost() -> None:
    assert put_together(split_sentences("1\n1. 1")) == "1\n1. 1"


def test_a_clause_that_is_said_again_and_again_is_a_piece_each_time() -> None:
    words = ("the storm closed the harbour " * 600).split()
    assert cuts(words, 120) == [*range(0, 3001, 5)]


def test_what_ends_bold_type_stays_with_its_sentence() -> None:
    assert texts("**Is the cider ruined?** It smells.") == ["**Is the cider ruined?**", "It smells."]
