"""What tidying may take away, how the rest is written, and which marks there are."""

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st
from layouts import TEXTS, sentence_of, tidied, written

from ealm.text.detokenizer import Layout, capitalized_like, final_punctuation, is_punctuation
from ealm.text.sentences import Sentence, pretokenized_sentence
from ealm.text.tokenizer import tokenize

# What tidying may do --------------------------------------------------------------------------------------------------


@given(TEXTS, st.data())
def test_tidying_takes_marks_and_signs_only(text: str, data: st.DataObject) -> None:
    tokens = tokenize(text)
    kept = data.draw(st.lists(st.sampled_from(range(len(tokens))), min_size=1, unique=True).map(sorted))
    assume(any(regex.search(r"[\p{L}\p{N}]", tokens[place].text) and tokens[place].text != "'s" for place in kept))
    left = tidied(text, kept)
    assert set(left) <= set(kept)
    assert left == sorted(left)
    for place in set(kept) - set(left):
        assert tokens[place].text == "'s" or not regex.search(r"[\p{L}\p{N}]", tokens[place].text)
    assert tidied(text, left) == left


@given(TEXTS, st.data())
def test_what_is_locked_is_not_tidied(text: str, data: st.DataObject) -> None:
    tokens = tokenize(text)
    kept = data.draw(st.lists(st.sampled_from(range(len(tokens))), min_size=1, unique=True))
    locked = data.draw(st.lists(st.sampled_from(kept), min_size=1))
    assert set(locked) <= set(tidied(text, kept, locked=locked))


def test_nothing_can_be_tidied_too() -> None:
    assert tidied("The river rises.", []) == []


@pytest.mark.parametrize(("text", "kept"), [("Yes, no", [1]), ("$5", [0]), ("Stone's men", [1]), ("(a) b", [0])])
def test_tidying_may_leave_nothing(text: str, kept: list[int]) -> None:
    assert tidied(text, kept) == []


@given(TEXTS)
def test_where_nothing_was_removed_nothing_is_tidied(text: str) -> None:
    everything = list(range(len(tokenize(text))))
    assert tidied(text, everything) == everything


@pytest.mark.parametrize("text", ["Call main() now.", "a [] b", 'He said "" twice.'])
def test_an_empty_pair_of_the_source_is_not_tidied(text: str) -> None:
    everything = list(range(len(tokenize(text))))
    assert tidied(text, everything) == everything


@given(TEXTS, st.data())
def test_words_add_at_least_so_much(text: str, data: st.DataObject) -> None:
    """Less one space, for there is none before the first word."""
    sentence = sentence_of(text)
    layout = Layout(sentence)
    kept = data.draw(st.lists(st.sampled_from(range(len(sentence.tokens))), min_size=1, unique=True).map(sorted))
    result = layout.written(layout.tidied(kept))
    characters, spaces = layout.least([len(word) for word in sentence.words]), layout.least([0] * len(sentence.tokens))
    assert sum(characters[place] for place in kept) - 1 <= len(result)
    assert sum(spaces[place] for place in kept) <= max(len(result.split()), 1)


def test_where_there_are_only_words_they_add_exactly_so_much() -> None:
    layout = Layout(sentence_of("The old river rises"))
    assert layout.least([3, 3, 5, 5]) == [4, 4, 6, 6]
    assert layout.least([0, 0, 0, 0]) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The river, old.", [1, 1, 0, 1, 0]),
        ("The (old) river", [1, -1, 0, 0, 1]),
        ("It is $5", [1, 1, -1, 0]),
        ("東京", [1, 0]),
    ],
)
def test_marks_may_go_and_close_up_a_space(text: str, expected: list[int]) -> None:
    assert Layout(sentence_of(text)).least([0] * len(expected)) == expected


# Writing --------------------------------------------------------------------------------------------------------------


@given(TEXTS, st.data())
def test_kept_words_stand_exactly_as_in_the_source(text: str, data: st.DataObject) -> None:
    sentence = sentence_of(text)
    kept = data.draw(st.lists(st.sampled_from(range(len(sentence.tokens))), unique=True).map(sorted))
    result = written(sentence, kept)
    plain = "".join(sentence.words[place] for place in kept)
    assert result == result.strip()
    squeezed = result.replace(" ", "")
    assert squeezed.lower() == plain.lower()
    assert sum(one != other for one, other in zip(squeezed, plain, strict=True)) <= 1


@given(TEXTS)
def test_a_sentence_with_all_its_words_is_itself(text: str) -> None:
    sentence = sentence_of(text)
    assert written(sentence, range(len(sentence.tokens))) == text


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("The river rises", [1, 2], "River rises"),
        ("the River rises", [2], "rises"),
        ("“The river rises", [0, 2], "“River"),
        ("5 Rivers rise", [2], "Rise"),
        ("5 rivers rise", [2], "rise"),
        ("東京 river", [2], "river"),
        ("Éa river", [1], "River"),
        ("The iPhone", [1], "iPhone"),
        ("The 3rd river", [1, 2], "3rd river"),
        ("The river", [], ""),
    ],
)
def test_the_first_letter_is_a_capital_if_the_sources_was(text: str, kept: list[int], expected: str) -> None:
    assert written(sentence_of(text), kept) == expected


@pytest.mark.parametrize(
    ("replaced", "expected"),
    [
        ({0: "a"}, "A river rises, then falls."),
        ({2: "sinks"}, "The river sinks, then falls."),
        ({1: "bridge", 5: "stands"}, "The bridge rises, then stands."),
    ],
)
def test_a_replaced_word_is_written_in_its_new_form(replaced: dict[int, str], expected: str) -> None:
    sentence = sentence_of("The river rises, then falls.")
    assert written(sentence, range(len(sentence.tokens)), replaced) == expected


def test_a_word_in_the_place_of_a_mark_has_spaces_around_it() -> None:
    sentence = sentence_of("The river rises, then falls.")
    assert written(sentence, range(len(sentence.tokens)), {3: "and"}) == "The river rises and then falls."


def test_what_goes_on_with_a_sentence_gets_no_capital() -> None:
    tokens = tuple(tokenize("Oslo rises"))
    assert written(Sentence("Oslo rises", tokens), [1]) == "Rises"
    assert written(Sentence("Oslo rises", tokens, continued=True), [1]) == "rises"


def test_pretokenized_words_are_joined_by_single_spaces_and_nothing_else_happens() -> None:
    sentence = pretokenized_sentence("The river , -lrb- do n't rise . ''")
    assert written(sentence, range(len(sentence.tokens))) == "The river , -lrb- do n't rise . ''"
    assert written(sentence, [1, 2, 3, 8]) == "river , -lrb- ''"
    assert written(sentence, [1, 5], {5: "never"}) == "river never"
    assert written(sentence, []) == ""


# Marks ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", [*".,;:!?…-–—()[]{}“”‘’«»\"'/&*·|。、，「」،؟", "...", "--", "''", "\u200b", "\x00", "\ufeff"]
)
def test_marks(word: str) -> None:
    assert is_punctuation(word)


@pytest.mark.parametrize(
    "word", ["river", "a", "5", "日", "'s", "n't", "U.S.", "$", "€", "👍", "#", "#now", "½", "é", "_", "<unk>"]
)
def test_words_and_signs_are_no_marks(word: str) -> None:
    assert not is_punctuation(word)


@pytest.mark.parametrize("word", ["``", "`", "<", ">", "-lrb-", "<b>", "</B>", "<br/>", '<a href="x y">'])
def test_marks_that_are_symbols(word: str) -> None:
    assert is_punctuation(word)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The river rises.", "."),
        ("Does it rise?", "?"),
        ("It rises!", "!"),
        ("It rises...", "..."),
        ("It rises…", "…"),
        ("It rises?!", "?!"),
        ("“It rises.”", ".”"),
        ('He said "it rises."', '."'),
        ("(It rises.)", ".)"),
        ("<p>It rises.</p>", ".</p>"),
        ("It rises (slowly).", ")."),
        ("The river rises", ""),
        ("The river (old)", ""),
        ("The river,", ""),
        (".", ""),
    ],
)
def test_the_marks_with_which_a_sentence_ends(text: str, expected: str) -> None:
    tokens = tokenize(text)
    assert "".join(tokens[place].text for place in sorted(final_punctuation(tokens))) == expected


@pytest.mark.parametrize("text", ["東京は雨。", "雨吗？", "هل كتب؟", "यह नदी है।"])
def test_the_full_stops_of_other_scripts(text: str) -> None:
    tokens = tokenize(text)
    assert final_punctuation(tokens) == [len(tokens) - 1]


def test_code_at_the_start_gets_no_capital() -> None:
    assert capitalized_like("The tool", "`grep -r` finds it.") == "`grep -r` finds it."
    assert capitalized_like("The tool", "`**kwargs` go in.") == "`**kwargs` go in."
    assert capitalized_like("The tool", "``all is well'' he said.") == "``All is well'' he said."
