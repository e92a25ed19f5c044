"""Raw text into words: nothing is lost, and what belongs together stays together."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.text.tokenizer import Token, tokenize

TEXTS = st.text(
    st.sampled_from(
        [*"abZé1. ,;:'’\"“”()[]-–—/@#$%&_<>!?…\n\r\t\u00a0\u200b\u200d\u0301日はя", "\x00", "\x1c", "👍", "🏽"]
    ),
    max_size=20,
)


def words(text: str) -> list[str]:
    return [token.text for token in tokenize(text)]


# Nothing is lost ------------------------------------------------------------------------------------------------------


@given(st.one_of(TEXTS, st.text(max_size=30)))
def test_only_white_space_lies_between_the_words_of_any_text(text: str) -> None:
    end = 0
    for token in tokenize(text):
        assert text[end : token.start].strip() == ""
        assert token.start < token.end
        assert text[token.start : token.end] == token.text
        end = token.end
    assert text[end:].strip() == ""


@given(st.one_of(TEXTS, st.text(max_size=30)))
def test_no_word_is_white_space(text: str) -> None:
    assert all(token.text.strip() for token in tokenize(text))


@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n", "\u00a0\u3000\u2028", "\x1c\x85"])
def test_white_space_has_no_words(text: str) -> None:
    assert tokenize(text) == []


def test_a_word_knows_its_place() -> None:
    assert tokenize(" Old  bridge.") == [Token("Old", 1, 4), Token("bridge", 6, 12), Token(".", 12, 13)]


@given(st.lists(st.sampled_from("river Old don't U.S. 1,234.5 e-mail O'Neil 日 3rd AT&T".split()), max_size=6))
def test_words_apart_are_cut_as_each_of_them_alone(parts: list[str]) -> None:
    assert words(" ".join(parts)) == parts


# What stays whole -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word",
    [
        # contractions and names with apostrophes
        "don't",
        "can’t",
        "I'm",
        "we’ll",
        "they've",
        "o'clock",
        "O'Neil",
        "d'État",
        "L’Oréal",
        "y'all",
        # abbreviations
        "U.S.",
        "p.m.",
        "e.g.",
        "U.S.-listed",
        "Ph.D.",
        "Corp.",
        "Mr.",
        "Jan.",
        # numbers
        "5",
        "1,234.5",
        "55.31",
        "10:30",
        "3/4",
        "2020-01-02",
        "6-4",
        "3rd",
        "1990s",
        "50bn",
        "10-year-old",
        "##.#",
        # joined words
        "well-known",
        "state-of-the-art",
        "Jean-Luc",
        "COVID-19",
        "F-16s",
        "AT&T",
        "R&D",
        "snake_case",
        "#climate",
        # addresses
        "<https://example.org/a?b=1>",
        "<a.b@example.org>",
        "https://example.org/a?b=c#d",
        "http://example.org/",
        "www.example.com",
        "first.last+tag@mail.example.co.uk",
        # other scripts
        "naïve",
        "cafe\u0301",
        "İstanbul",
        "река",
        "العربية",
        "हिन्दी",
        "می\u200cخواهم",
        "서울에서",
        # tags
        "<b>",
        "</b>",
        "<br/>",
        "<BR />",
        "<h1>",
        '<a href="http://a.example/?b=c&d=e">',
        "<img src=a.png alt='the old river'/>",
        # signs of several characters
        "...",
        "--",
        "``",
        "''",
        "👨‍👩‍👧‍👦",
        "👍🏽",
        "🇩🇪",
        "🏳️‍🌈",
        # cut before
        "-lrb-",
        "<unk>",
    ],
)
def test_what_belongs_together_stays_together(word: str) -> None:
    assert words(word) == [word]
    assert words(f"the {word} river") == ["the", word, "river"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The river rises.", "The|river|rises|."),
        ("Stone's men", "Stone|'s|men"),
        ("Stone’s men", "Stone|’s|men"),
        ("Acme Corp.'s river", "Acme|Corp.|'s|river"),
        ("the U.S.'s river", "the|U.S.|'s|river"),
        ("it's late", "it|'s|late"),
        ("James' dog", "James|'|dog"),
        ("O'Neil's dog", "O'Neil|'s|dog"),
        ("mother-in-law's", "mother-in-law|'s"),
        ("$5.2 million", "$|5.2|million"),
        ("up 5.2%.", "up|5.2|%|."),
        ("€3bn", "€|3bn"),
        ("red and/or green", "red|and|/|or|green"),
        ("(AP) - The", "(|AP|)|-|The"),
        ("“Go,” he said.", "“|Go|,|”|he|said|."),
        ("``Go'' now", "``|Go|''|now"),
        ("left—quickly—then", "left|—|quickly|—|then"),
        ("left -- quickly", "left|--|quickly"),
        ("wait... what?!", "wait|...|what|?|!"),
        ("[sic]", "[|sic|]"),
        ("see https://example.org/a.", "see|https://example.org/a|."),
        ("(www.example.com)", "(|www.example.com|)"),
        ("Mr. J. K. Stone left at 5 p.m. on Jan. 3.", "Mr.|J.|K.|Stone|left|at|5|p.m.|on|Jan.|3|."),
        ("i.e., no", "i.e.|,|no"),
        ("the St. Louis river", "the|St.|Louis|river"),
        ("of rivers. It", "of|rivers|.|It"),
        ("東京は雨。", "東|京|は|雨|。"),
        ("العربية، نعم؟", "العربية|،|نعم|؟"),
        ("do n't -lrb- stop -rrb-", "do|n't|-lrb-|stop|-rrb-"),
        ("it 's late", "it|'s|late"),
        ("a\tb\r\nc\u00a0d", "a|b|c|d"),
        ("pre- and post-war", "pre|-|and|post-war"),
        ("if a<b and c>d", "if|a|<|b|and|c|>|d"),
        ("I <3 it > that", "I|<|3|it|>|that"),
        ("x < y > z", "x|<|y|>|z"),
    ],
)
def test_the_rest_is_cut(text: str, expected: str) -> None:
    assert words(text) == expected.split("|")


# No splinters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to -5 degrees", "to|-5|degrees"),
        ("to −5 degrees", "to|−5|degrees"),
        ("by @river_bot today", "by|@river_bot|today"),
        ("on example.com today", "on|example.com|today"),
        ("in notes.txt today", "in|notes.txt|today"),
        ("with v1.2.3 today", "with|v1.2.3|today"),
        ("the '90s river", "the|'90s|river"),
        ("the ’90s river", "the|’90s|river"),
        ("in C# and C++ now", "in|C#|and|C++|now"),
        ("press 1️⃣ now", "press|1️⃣|now"),
        ("2020年に雨", "2020|年|に|雨"),
        ("私はRiverが好き", "私|は|River|が|好|き"),
        ("No. 5 river", "No.|5|river"),
        ("a well\u2011known river", "a|well\u2011known|river"),
        ("at 20°C today", "at|20°C|today"),
    ],
)
def test_nothing_is_torn_apart(text: str, expected: str) -> None:
    assert words(text) == expected.split("|")


@pytest.mark.parametrize(
    "text",
    [
        "river \u0301 rises",
        "a \u0308b",
        "see www.example.com\x1cnow",
    ],
)
def test_no_word_has_white_space_inside(text: str) -> None:
    assert not any(character.isspace() for word in words(text) for character in word)


@pytest.mark.parametrize(
    ("unit", "count"),
    [
        ("a-", 3_000),
        ("....", 3_000),
        ("'", 3_000),
        ("(", 3_000),
        ("/river", 3_000),
        ("<a", 3_000),
        ("<a\u00a0b=c", 3_000),
        ("http", 3_000),
        ("ab.", 1_500),
        ("日", 5_000),
    ],
)
def test_a_line_without_spaces_takes_hardly_longer_than_one_with_spaces(unit: str, count: int) -> None:
    assert seconds(unit * count) < 5 * max(seconds(f"{unit} " * count), 0.005)


def seconds(text: str) -> float:
    times = []
    for _ in range(2):
        start = time.process_time()
        tokenize(text)
        times.append(time.process_time() - start)
    return min(times)
