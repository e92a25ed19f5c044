"""Words that a headline does without, and those that only look like it."""

import pytest

from ealm.text.headline_style import omissible_indices


def without(text: str) -> str:
    words = text.split()
    spare = omissible_indices(words)
    return " ".join(word for place, word in enumerate(words) if place not in spare)


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        ("The mayor has resigned after a scandal", "mayor resigned after scandal"),
        ("the roof of an old church was damaged", "roof of old church damaged"),
        ("nine people have been rescued", "nine people rescued"),
        ("the company did not raise its prices", "company not raise prices"),
        ("the bank has not lowered the rate", "bank not lowered rate"),
        ("workers had taken their tools", "workers taken tools"),
        ("shares are falling", "shares falling"),
        ("the $ 5 million plan", "$ 5 million plan"),
        ("the ## people", "## people"),
    ],
)
def test_what_a_headline_does_without(text: str, headline: str) -> None:
    assert without(text) == headline


@pytest.mark.parametrize(
    "text",
    [
        "man who was shot",  # not: who shot
        "he was named",
        "it is cheap",
        "rates may be raised",  # not: have been raised
        "tests to have started",
        "there are fears",
        "a few left",
        "Is it over ?",
        "they have plans",  # to have something is no auxiliary
        "what he did matters",
        "a lot of trouble",
        "vitamin A helps",
        "in The Hague",
        "she was n't there",
        "met the .",
        "being late",
    ],
)
def test_what_only_looks_like_it(text: str) -> None:
    assert without(text) == text


def test_no_words() -> None:
    assert omissible_indices([]) == frozenset()
