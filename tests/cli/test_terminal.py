"""What people see in the terminal."""

import click
from hypothesis import given
from hypothesis import strategies as st

from ealm.cli.terminal import curve_lines, shown_lines, visible
from ealm.paper.edits import Action
from ealm.summarize.result import Edit, Summary
from ealm.text.tokenizer import tokenize

KEEP, REMOVE, REPLACE = Action.KEEP, Action.REMOVE, Action.REPLACE


def summary_of(
    source: str,
    summary: str,
    *,
    rate: float | None = None,
    edits: tuple[Edit, ...] = (),
    sentences: tuple[Summary, ...] = (),
) -> Summary:
    return Summary(
        source=source,
        summary=summary,
        compression_rate=0.5,
        reconstruction_rate=rate,
        step=1,
        edits=edits,
        trace=(),
        sentences=sentences,
    )


def edited(source: str, actions: str, new: str = "new") -> tuple[Edit, ...]:
    """One letter a word: k, r, or p for a replacement."""
    kinds = {"k": KEEP, "r": REMOVE, "p": REPLACE}
    return tuple(
        Edit(token.text, kinds[letter], None, new if letter == "p" else None)
        for token, letter in zip(tokenize(source), actions, strict=True)
    )


def removed(word: str) -> str:
    return click.style(word, fg="red", strikethrough=True)


def added(word: str) -> str:
    return click.style(word, fg="green")


# The source with its edits --------------------------------------------------------------------------------------------


def test_every_word_is_in_its_place_with_what_happened_to_it() -> None:
    source = "The old  bridge (of stone) falls."
    summary = summary_of(source, "New bridge falls.", edits=edited(source, "prkrrrrkk"))
    first = next(iter(shown_lines(summary)))
    assert first == (
        f"{removed('The')} {added('new')} {removed('old')}  bridge "
        f"{removed('(')}{removed('of')} {removed('stone')}{removed(')')} falls."
    )


@given(st.text(max_size=30), st.randoms(use_true_random=False))
def test_without_colours_and_replacements_it_is_the_source(source: str, rng: object) -> None:
    text = source.strip().replace("\x1b", "")
    actions = "".join(rng.choice("kr") for _ in tokenize(text))  # type: ignore[attr-defined]
    first = next(iter(shown_lines(summary_of(text, "x", edits=edited(text, actions)))))
    assert click.unstyle(first) == visible(text)


def test_a_word_that_is_part_of_an_earlier_one_is_found_in_its_own_place() -> None:
    source = "Island is a land"
    first = next(iter(shown_lines(summary_of(source, "x", edits=edited(source, "krkr")))))
    assert first == f"Island {removed('is')} a {removed('land')}"


def test_each_sentence_of_a_text_has_its_own_line() -> None:
    one = summary_of("It rises.", "It rises.", edits=edited("It rises.", "kkk"))
    two = summary_of("It falls.", "", edits=edited("It falls.", "rrr"))
    whole = summary_of("It rises. It falls.", "It rises.", sentences=(one, two))
    lines = list(shown_lines(whole))
    assert [click.unstyle(line) for line in lines] == ["It rises.", "It falls.", "= It rises.", "2 of 4 words"]
    assert lines[1] == f"{removed('It')} {removed('falls')}{removed('.')}"


def test_the_summary_is_bold_and_the_rates_say_what_it_costs() -> None:
    source = "The old bridge falls."
    summary = summary_of(source, "Bridge falls.", rate=0.754, edits=edited(source, "rrkkk"))
    assert list(shown_lines(summary))[1:] == [
        click.style("= Bridge falls.", bold=True),
        click.style("2 of 4 words, 75% recoverable", dim=True),
    ]


def test_a_rate_of_nothing_is_not_the_same_as_an_unknown_rate() -> None:
    assert ", 0% recoverable" in list(shown_lines(summary_of("a b", "a", rate=0.0, edits=edited("a b", "kr"))))[-1]
    assert "recoverable" not in list(shown_lines(summary_of("a b", "a", edits=edited("a b", "kr"))))[-1]


def test_without_colour_edits_are_marked_as_wdiff_does() -> None:
    source = "The old bridge falls."
    summary = summary_of(source, "New bridge falls.", rate=0.5, edits=edited(source, "prkkk"))
    assert list(shown_lines(summary, [summary], colour=False)) == [
        "[-The-] {+new+} [-old-] bridge falls.",
        "= New bridge falls.",
        "3 of 4 words, 50% recoverable",
        "",
        f">   3 words   50% {'█' * 10}{' ' * 10}  New bridge falls.",
    ]


def test_an_empty_text_can_be_shown() -> None:
    assert [click.unstyle(line) for line in shown_lines(summary_of("", ""))] == ["", "= ", "0 of 0 words"]


# The curve ------------------------------------------------------------------------------------------------------------

POINTS = [
    summary_of("one two three", "one two three", rate=1.0),
    summary_of("one two three", "one two", rate=0.5),
    summary_of("one two three", "one", rate=0.0),
]


def test_one_line_a_length_with_a_bar_of_what_can_be_recovered() -> None:
    assert list(curve_lines(POINTS)) == [
        f"    3 words  100% {'█' * 20}  one two three",
        f"    2 words   50% {'█' * 10}{' ' * 10}  one two",
        f"    1 word     0% {' ' * 20}  one",
    ]


def test_without_rates_there_are_no_bars() -> None:
    assert list(curve_lines([summary_of("one two three", "one two", rate=None)])) == ["    2 words  one two"]


def test_the_chosen_length_is_marked() -> None:
    lines = list(curve_lines(POINTS, chosen=2))
    assert [click.unstyle(line)[0] for line in lines] == [" ", ">", " "]
    assert [line != click.unstyle(line) for line in lines] == [False, True, False]
    assert all(click.unstyle(line)[0] == " " for line in curve_lines(POINTS, chosen=7))


def test_of_two_points_of_one_length_the_first_is_shown() -> None:
    points = [POINTS[1], summary_of("one two three", "two three", rate=0.9)]
    assert [line.split("  ")[-1] for line in curve_lines(points)] == ["one two"]


def test_an_unknown_rate_is_no_bar() -> None:
    (line,) = curve_lines([summary_of("one", "one")])
    assert "█" not in line


def test_the_curve_follows_the_summary_after_a_blank_line() -> None:
    summary = summary_of("one two three", "one two", rate=0.5, edits=edited("one two three", "kkr"))
    lines = [click.unstyle(line) for line in shown_lines(summary, POINTS)]
    assert lines[3] == ""
    assert [line[0] for line in lines[4:]] == [" ", ">", " "]
    assert len(lines) == 7


def test_a_summary_of_several_paragraphs_is_still_one_line_of_the_curve() -> None:
    (line,) = curve_lines([summary_of("One.\n\nTwo.", "One.\n\nTwo.", rate=1.0)])
    assert "\n" not in line


def test_a_text_cannot_send_commands_to_the_terminal() -> None:
    source = "The \x1b[2Jriver\x07"
    lines = list(shown_lines(summary_of(source, source, edits=edited(source, "k" * len(tokenize(source))))))
    assert not any("\x1b[2J" in line or "\x07" in line for line in lines)
