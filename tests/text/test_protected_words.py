"""Words that may not be touched."""

import pytest

from ealm.common.errors import SettingsError
from ealm.text.protected_words import (
    DEFAULT_KINDS,
    KINDS,
    check_kinds,
    hedged_indices,
    named_indices,
    negated_indices,
    protected_indices,
    sign_indices,
)


def protected(text: str, *kinds: str) -> list[str]:
    words = text.split()
    return [words[place] for place in sorted(protected_indices(words, kinds))]


# Kinds ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word",
    "no not nor never none nobody nothing nowhere neither without cannot can't don't doesn't didn't won't wouldn't "
    "isn't aren't wasn't weren't hasn't haven't hadn't shouldn't couldn't mustn't n't hardly Not NEVER "
    "Don’t can’t n’t".split(),
)
def test_negations(word: str) -> None:
    assert protected_indices(["he", word, "left"], ["negation"]) == {1}
    assert protected_indices([word], ["negation"]) == {0}


@pytest.mark.parametrize("word", ["note", "knot", "nota", "know", "non", "and", "another", "noted", "nothings", ","])
def test_words_that_only_look_like_negations(word: str) -> None:
    assert protected_indices([word], ["negation"]) == frozenset()


@pytest.mark.parametrize("word", ["no-one", "oughtn't", "daren't"])
def test_rarer_negations(word: str) -> None:
    assert protected_indices([word], ["negation"]) == {0}


@pytest.mark.parametrize("word", ["5", "1,234.5", "55.31", "##.#", "3rd", "1990s", "F-16", "10-year-old", "٣"])
def test_numbers(word: str) -> None:
    assert protected_indices(["the", word], ["numbers"]) == {1}


@pytest.mark.parametrize(
    "word",
    [
        "river",
        "five",
        "%",
        "$",
        "#climate",
        "<h1>",
    ],
)
def test_words_without_digits_are_no_numbers(word: str) -> None:
    assert protected_indices(["the", word], ["numbers"]) == frozenset()


@pytest.mark.parametrize("word", ["½", "Ⅳ"])
def test_numbers_of_another_kind(word: str) -> None:
    assert protected_indices(["the", word], ["numbers"]) == {1}


def test_names_have_a_capital_inside_the_sentence() -> None:
    assert protected("The old River meets Élan and U.S. troops of eBay in 5 Ωmega", "names") == [
        "River",
        "Élan",
        "U.S.",
        "Ωmega",
    ]


def test_a_number_keeps_its_scale_and_no_its_longer() -> None:
    assert protected("It paid $ 4.85 billion and 3 percent , a million times", "numbers") == [
        "4.85",
        "billion",
        "3",
        "percent",
    ]
    assert protected("It will no longer pay a longer lease", "negation") == ["no", "longer"]


def test_weekdays_and_pronouns_are_no_names() -> None:
    assert protected("On Monday I met The River of the US", "names") == ["River", "US"]


def test_the_first_word_has_a_capital_anyway() -> None:
    assert protected("River rises", "names") == []


@pytest.mark.parametrize("mark", ["“", '"', "(", "-", "<p>"])
def test_the_first_word_may_stand_after_a_mark(mark: str) -> None:
    assert protected_indices([mark, "The", "river"], ["names"]) == frozenset()


def test_kinds_add_up() -> None:
    assert protected("Not 5 of River 's men", "negation", "numbers", "names") == ["Not", "5", "River"]
    assert protected("Not 5 of River 's men") == []
    assert protected_indices([], list(KINDS)) == frozenset()


def test_kinds_come_in_order_of_value_whatever_the_order_asked_for() -> None:
    assert check_kinds(["names", "negation", "numbers", "names"]) == ("negation", "numbers", "names")
    assert check_kinds(iter(["names", "numbers"])) == ("numbers", "names")
    assert check_kinds([]) == ()
    assert all(set(kinds) <= set(KINDS) for kinds in DEFAULT_KINDS.values())


@pytest.mark.parametrize("kinds", [["verbs"], ["names", "Names"], [""]])
def test_an_unknown_kind_is_named_with_those_that_exist(kinds: list[str]) -> None:
    with pytest.raises(SettingsError, match=rf"no kind of words '{kinds[-1]}'.*negation, numbers, names"):
        check_kinds(kinds)


# Words by name --------------------------------------------------------------------------------------------------------


def test_named_words_are_found_wherever_they_stand_and_in_any_case() -> None:
    words = ["River", "and", "RIVER", "rivers", "Straße", "river"]
    assert named_indices(words, ["river"]) == {0, 2, 5}
    assert named_indices(words, ["STRASSE"]) == {4}
    assert named_indices(words, ["bridge"]) == frozenset()
    assert named_indices(words, []) == frozenset()
    assert named_indices([], ["river"]) == frozenset()


def test_a_part_of_a_word_is_not_the_word() -> None:
    assert named_indices(["rivers", "riverside", "up-river"], ["river"]) == frozenset()


@pytest.mark.parametrize(("word", "named"), [("don’t", "don't"), ("cafe\u0301", "caf\u00e9")])
def test_the_same_word_written_in_another_way_is_found(word: str, named: str) -> None:
    assert named_indices([word], [named]) == {0}


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("it did not survive the winter", [("not", "survive")]),
        ("they have no plans , and cannot ever agree", [("no", "plans"), ("cannot", "agree")]),
        ("he said no", []),
        ("he did not , however , leave", []),  # a mark ends the clause
        ("it was not in the of to it now", []),  # nothing but function words in reach
    ],
)
def test_a_negation_negates_the_next_word_that_says_something(text: str, pairs: list[tuple[str, str]]) -> None:
    words = text.split()
    assert [(words[own], words[head]) for own, head in negated_indices(words).items()] == pairs


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("fell to $ 31.20", {2: 3}),
        ("up 12 % and £ 5", {2: 1, 4: 5}),
        ("at 40 ° now", {2: 1}),
        ("many $ here", {}),
        ("% of it", {}),
        ("", {}),
    ],
)
def test_signs_belong_to_their_numbers(text: str, places: dict[int, int]) -> None:
    assert sign_indices(text.split()) == places


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("rates may once again be raised", {1: 5}),
        ("it could fall , or might rise", {1: 2, 5: 6}),
        ("piers could not survive", {}),
        ("in May prices fell", {}),
        ("who could , did", {}),
        ("they may", {}),
    ],
)
def test_what_may_happen_has_its_doubt_with_it(text: str, places: dict[int, int]) -> None:
    assert hedged_indices(text.split()) == places
