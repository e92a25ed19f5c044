"""Words of a domain move into the unused places of a vocabulary, and everything else stays where it was."""

import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import WORDS, tiny_tokenizer

from ealm.lm.adapt.vocabulary import LEAST_COUNT, frequent_new_words, shape, unused_ids, with_new_words

ROOMY = ("[unused2]", "[unused3]", "[unused7]", *WORDS)
"""Words of a vocabulary with four unused places: ids 5, 9, 10 and 11."""


def description() -> dict[str, Any]:
    return json.loads(tiny_tokenizer(ROOMY).backend_tokenizer.to_str())


def tokenizer_of(changed: dict[str, Any]) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_str(json.dumps(changed))


def ids(changed: dict[str, Any], text: str) -> list[int]:
    return tokenizer_of(changed).encode(text, add_special_tokens=False).ids


# Places ---------------------------------------------------------------------------------------------------------------


def test_unused_places_are_found_in_rising_order() -> None:
    assert unused_ids(description()) == [5, 9, 10, 11]


@pytest.mark.parametrize("token", ["unused", "[unused]", "[unused 3]", "[unused piece 12]", "[unused3", "x[unused3]"])
def test_what_only_looks_like_an_unused_place_is_none(token: str) -> None:
    assert unused_ids({"model": {"vocab": {token: 0, "[unused3]": 4}}}) == [4]


def test_a_vocabulary_may_be_full() -> None:
    assert unused_ids({"model": {"vocab": {"river": 0}}}) == []


# Shapes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "hidden"),
    [("1987", "####"), ("17,345.5", "##,###.#"), ("b52", "b##"), ("river", "river"), ("##", "##"), ("", "")],
)
def test_a_shape_hides_digits_and_nothing_else(word: str, hidden: str) -> None:
    assert shape(word) == hidden


@given(st.text())
def test_a_shape_has_no_digits_the_same_length_and_is_its_own_shape(word: str) -> None:
    assert len(shape(word)) == len(word)
    assert shape(shape(word)) == shape(word)
    assert not any(letter in "0123456789" for letter in shape(word))


# Choice ---------------------------------------------------------------------------------------------------------------


def test_the_most_frequent_words_get_the_places() -> None:
    unknown = Counter({"rare": 30, "common": 50, "rarest": 25})
    assert frequent_new_words(unknown, 2) == ["common", "rare"]
    assert frequent_new_words(unknown, 9) == ["common", "rare", "rarest"]


def test_a_word_that_could_not_be_learned_gets_no_place() -> None:
    assert frequent_new_words(Counter({"enough": LEAST_COUNT, "once-less": LEAST_COUNT - 1}), 9) == ["enough"]


def test_numbers_of_one_shape_count_together() -> None:
    years = Counter({str(year): 1 for year in range(1980, 1980 + LEAST_COUNT)})
    assert frequent_new_words(years, 9) == ["####"]
    assert frequent_new_words(years + Counter({"dlrs": LEAST_COUNT + 1}), 1) == ["dlrs"]


@pytest.mark.parametrize("unknown", [Counter(), Counter({"often": 99})])
def test_without_places_or_words_nothing_is_chosen(unknown: Counter[str]) -> None:
    assert frequent_new_words(unknown, 0) == []
    assert frequent_new_words(Counter(), 5) == []


@given(st.dictionaries(st.text("ab1-", min_size=1), st.integers(1, 60)), st.integers(0, 5))
def test_a_choice_has_no_digits_and_no_doubles_and_fits(counts: dict[str, int], places: int) -> None:
    chosen = frequent_new_words(Counter(counts), places)
    assert len(chosen) <= places
    assert len(set(chosen)) == len(chosen)
    assert all(shape(word) == word for word in chosen)
    of_shape = {word: sum(count for other, count in counts.items() if shape(other) == word) for word in chosen}
    assert all(count >= LEAST_COUNT for count in of_shape.values())
    assert list(of_shape.values()) == sorted(of_shape.values(), reverse=True)


# A changed tokenizer --------------------------------------------------------------------------------------------------

AWKWARD = ["dlrs", "corp.", "'s", "u.s.", "##,###", "-lrb-", "``", "s&p", "don't", "--", "###", "long-term", "#.#"]


@pytest.mark.parametrize("word", AWKWARD)
def test_a_new_word_is_one_token_at_its_place(word: str) -> None:
    assert ids(description(), f" {word}") != [9]
    changed = with_new_words(description(), {word: 9})
    assert ids(changed, word) == [9]
    assert ids(changed, f" {word}") == [9]
    river = ids(description(), "river")
    assert ids(changed, f"river {word} river") == [*river, 9, *river]
    assert tokenizer_of(changed).id_to_token(9) == word


def test_a_new_word_is_found_however_it_is_written_in_an_uncased_vocabulary() -> None:
    changed = with_new_words(description(), {"corp.": 9})
    assert ids(changed, "Corp.") == ids(changed, "CORP.") == [9]


def test_a_new_word_is_not_found_inside_other_words() -> None:
    changed = with_new_words(description(), {"ring": 9, "'s": 10})
    for text in ("rings", "string", "river's"):
        assert not {9, 10} & set(ids(changed, text)), text


def test_the_longer_of_two_new_words_wins() -> None:
    changed = with_new_words(description(), {"##": 9, "##.#": 10, "##.##": 11})
    assert [ids(changed, word) for word in ("##", "##.#", "##.##")] == [[9], [10], [11]]


def test_old_words_keep_their_ids_and_the_vocabulary_its_size() -> None:
    before = description()
    changed = with_new_words(before, {"corp.": 5, "'s": 10})
    for word in WORDS:
        assert ids(changed, word) == ids(before, word), word
    old, new = before["model"]["vocab"], changed["model"]["vocab"]
    assert sorted(new.values()) == sorted(old.values())
    assert set(old) - set(new) == {"[unused1]", "[unused3]"}
    assert set(new) - set(old) == {"corp.", "'s"}
    assert unused_ids(changed) == [9, 11]


def test_a_word_that_is_written_like_a_piece_takes_the_name_and_the_piece_becomes_unused() -> None:
    assert description()["model"]["vocab"]["##x"] == 7
    changed = with_new_words(description(), {"##x": 9})  # 10x, 25x, ...
    assert ids(changed, "##x") == [9]
    vocabulary = changed["model"]["vocab"]
    assert sorted(vocabulary.values()) == sorted(description()["model"]["vocab"].values())
    (name,) = [token for token, number in vocabulary.items() if number == 7]
    assert name.startswith("[unused")  # which `masked_lm` never takes for a word
    assert 7 not in unused_ids(changed)  # it holds what was learned for a piece


def test_special_tokens_stay_special() -> None:
    changed = with_new_words(description(), {"corp.": 9})
    special = {entry["content"] for entry in changed["added_tokens"] if entry["special"]}
    assert {"[MASK]", "[CLS]", "[SEP]"} <= special
    assert "corp." not in special
    assert ids(changed, "[MASK]") == ids(description(), "[MASK]")


def test_texts_are_neither_cut_nor_filled_up() -> None:
    limited = {
        **description(),
        "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
        "padding": {
            "strategy": {"Fixed": 8},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
    }
    assert len(ids(limited, "the river rises in winter")) == 8
    assert len(ids(with_new_words(limited, {"corp.": 9}), "the river rises in winter")) == 5


@pytest.mark.parametrize("words", [{}, {"corp.": 9, "##x": 10}])
def test_what_is_handed_over_stays_as_it_was(words: dict[str, int]) -> None:
    before = description()
    untouched = copy.deepcopy(before)
    with_new_words(before, words)
    assert before == untouched


def test_words_can_be_added_in_several_steps() -> None:
    at_once = with_new_words(description(), {"corp.": 5, "'s": 9})
    in_steps = with_new_words(with_new_words(description(), {"corp.": 5}), {"'s": 9})
    assert in_steps["model"]["vocab"] == at_once["model"]["vocab"]
    assert ids(in_steps, "corp. 's") == [5, 9]
