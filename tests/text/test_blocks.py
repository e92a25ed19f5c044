"""Blocks of plain text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.text.blocks import split_blocks
from ealm.text.sentences import split_sentences


@given(st.lists(st.sampled_from(("One two", "- item", "# Head", "| a | b |", "", "  x", "```", "1. one.")), max_size=7))
def test_nothing_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert "".join(own.lead + own.text + own.gap for own in split_blocks(text)) == text.strip()


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("Title of it\n\nThe river rises. It falls.", ["heading", "prose"]),
        ("# Title.\nThe river rises.", ["heading", "prose"]),
        ("- one\n* two\n1. three\n(a) four\n• five", ["item"] * 5),
        ("- one", ["prose"]),
        ("Text.\n\n```\ncode here\n\nmore\n```\nText.", ["prose", "verbatim", "prose"]),
        ("Text.\n| a | b |\n|---|---|\nname\tprice\tsize", ["prose", *["verbatim"] * 3]),
        ("Text.\nhttps://example.org/a", ["prose", "verbatim"]),
        ("A verse is short\nand stands alone", ["prose", "prose"]),
        ("He said so.\n\nThe end.", ["prose", "prose"]),
        (
            "Minutes\n\n1. Money\n\nWe have some.\n\n2. Other business\n\nNone.",
            [*["heading", "heading", "prose"], *["heading", "prose"]],
        ),
        ("1. One\n\n2. Two\n\n3. Three\n\nText.", [*["item"] * 3, "prose"]),
        ("Money\nThe garden has more money in the bank than it had last year.", ["heading", "prose"]),
        ("Minutes of the board\nDate: 3 May\nPresent: Ada\n\nText.", ["heading", "aside", "verbatim", "prose"]),
        ("From: Ada\nTo: Bo\nSubject: Boats\n\nText.", ["aside", "aside", "heading", "prose"]),
        ("Price: 5 euros.\n\nText.", ["prose", "prose"]),
        (
            "Text.\n\nBest regards,\nAda\n\nOn Monday Bo wrote:\n> One.\n> Two.\n> Three.\n> Four.\n> Five.",
            ["prose", *["aside"] * 8],
        ),
    ],
)
def test_forms(text: str, forms: list[str]) -> None:
    assert [block.form for block in split_blocks(text)] == forms


def test_wrapped_lines_are_one_paragraph_and_bullets_begin_a_new_block() -> None:
    text = (
        "The council voted on Tuesday night to close the old\nferry terminal of the town. Nobody was there to see\n"
        "it happen.\n- An item that goes on for long enough to be wrapped\n  into a second line"
    )
    assert [len(block.text.split()) for block in split_blocks(text)] == [22, 15]


@pytest.mark.parametrize("space", [" ", "\t", " \n", "\n ", "\u3000", "\r"])
def test_white_space_without_end_is_read_at_once(space: str) -> None:
    """Every place of it used to be the beginning of a new search: minutes for a hundred thousand spaces."""
    text = f"River{space * (60_000 // len(space))}rises."
    started = time.process_time()
    sentences = split_sentences(text, unwrap=True)
    assert time.process_time() - started < 2
    assert [own.text.split() for own in sentences] in ([["River", "rises."]], [["River"], ["rises."]])


_PROSE = "The river rises every spring, and the meadows are under water."


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        (f"Annual meeting\nRowing club, 3 May\n\n{_PROSE}", ["heading", "aside", "prose"]),
        (f"Annual meeting\nRowing club, 3 May.\n\n{_PROSE}", ["prose", "prose", "prose"]),
        ("The sun goes down\nbehind the hill\n\nThe moon comes up\nand all is still", ["prose"] * 4),
        (f"- one\n- two\n\n{_PROSE}", ["item", "item", "prose"]),
        (f"High water\n\nBy Martha Okello\n\n{_PROSE}", ["heading", "aside", "prose"]),
        (f"High water\n\nBy the river\n\n{_PROSE}", ["heading", "heading", "prose"]),
        (f"Finch and Lowe\n12 Quay Street\n\nDear Ms Dawson,\n\n{_PROSE}", ["aside", "aside", "aside", "prose"]),
        (f"Subject: Boats\nFrom: Ada\n\nDear Bo,\n\n{_PROSE}", ["heading", "aside", "aside", "prose"]),
        (f"{_PROSE}\n\nDear Ms Dawson,\n\n{_PROSE}", ["prose", "aside", "prose"]),
    ],
)
def test_what_stands_around_a_title(text: str, forms: list[str]) -> None:
    assert [block.form for block in split_blocks(text)] == forms


def test_headings_on_the_lines_of_their_paragraphs_are_headings() -> None:
    text = "The club.\n\n1. Money. We have some.\n\n2. Boats. We have two.\n\n3. Next steps. We buy one."
    assert [block.text for block in split_blocks(text) if block.form == "heading"] == [
        "Money.",
        "Boats.",
        "Next steps.",
    ]
    assert "".join(block.lead + block.text + block.gap for block in split_blocks(text)) == text
    answers = "How often?\n\nTwice. I fell.\n\nWhy?\n\nIce. It froze.\n\nWhen?\n\nMay. It was late."
    assert all(block.form == "prose" for block in split_blocks(answers))


def test_a_name_behind_a_letter_is_an_aside() -> None:
    text = "Dear all,\n\nthe boat is sold.\n\nWe buy another.\n\nMargit Lang, Mill Lane 8"
    assert split_blocks(text)[-1].form == "aside"
