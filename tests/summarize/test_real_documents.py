"""Texts of several sentences with the model in the package."""

import re
from functools import cache

import pytest

from ealm import Summarizer
from ealm.summarize.result import Summary

FERRY = """The Ferry at Larkmouth

The city council of Larkmouth voted on Tuesday night to close the 120-year-old ferry terminal after engineers warned \
that its wooden piers could not survive another winter storm. The decision ends a service that has carried commuters \
across the bay since 1904. It was adopted by seven votes to two.

Commuters who use the ferry every day were angry. Tom Reyes, a nurse who lives in Eastbank, said that the bus takes \
him more than an hour. The ferry takes twelve minutes. He plans to move closer to the hospital if the service does \
not return.

Three designs of a new terminal are under discussion:

- A floating pier that rises and falls with the tide and costs about 9 million dollars.
- A concrete terminal at the old site, which would need four years to build.
- A small landing stage next to the fish market, which would be ready by next summer.

Council members voted to close the ferry terminal on Tuesday night.
"""


@cache
def summarizer() -> Summarizer:
    return Summarizer()


def short(text: str, **options: object) -> Summary:
    return summarizer().summarize(text, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [15, 25, 40, 60, 90])
def test_a_sentence_is_there_and_well_formed_or_not_there(words: int) -> None:
    summary = short(FERRY, words=words)
    assert summary.complete
    assert len(summary.summary.split()) <= words
    statements = [own.summary for own in summary.sentences if own.summary and own.source.endswith(".")]
    assert statements
    assert all(len(own.split()) >= 3 for own in statements)


def test_forms_stay_what_they_are() -> None:
    for words in (40, 60, 90):
        lines = short(FERRY, words=words).summary.split("\n")
        assert lines[0] == "The Ferry at Larkmouth"
        items = [line for line in lines if line.startswith("- ")]
        assert len(items) in (0, 3)
        assert any(line.endswith("discussion:") for line in lines) is bool(items)


def test_references_have_what_they_refer_to() -> None:
    for words in range(15, 120, 20):
        summary = short(FERRY, words=words)
        parts = [own.summary for own in summary.sentences]
        for number, part in enumerate(parts):
            if re.match(r"(He|It|The decision)\b", part):
                assert parts[number - 1], (words, part)


def test_what_is_said_twice_is_said_once() -> None:
    summary = short(FERRY, words=60)
    assert summary.summary.count("voted") == 1


def test_whole_sentences_are_whole() -> None:
    summary = short(FERRY, words=70, whole_sentences=True)
    assert all(own.summary in ("", own.source) for own in summary.sentences)
    assert summary.summary.startswith("The Ferry at Larkmouth\n\nThe city council of Larkmouth voted on Tuesday")


def test_wrapped_paragraphs_are_read_as_paragraphs() -> None:
    wrapped = (
        "The city council of Larkmouth voted on Tuesday night to close the\n120-year-old ferry terminal after "
        "engineers warned that its wooden\npiers could not survive another winter storm.\n\n"
        "The terminal closes in November."
    )
    assert [len(own.source.split()) for own in short(wrapped, words=12).sentences] == [28, 5]
    assert short(wrapped, words=100).summary == wrapped
    assert "\n1" not in short(wrapped, words=20).summary


@pytest.mark.parametrize("pretokenized", [False, True])
@pytest.mark.parametrize("count", [20, pytest.param(150, marks=pytest.mark.slow)])  # 400 and 3,000 words
def test_sentences_without_an_end_are_cut_and_summarized(pretokenized: bool, count: int) -> None:
    clause = "the council voted to close the old ferry terminal and the workers asked for new jobs in the harbor and "
    text = clause * count + "nobody answered"
    summary = short(text, words=30, pretokenized=pretokenized)
    assert 5 <= len(summary.summary.split()) <= 30
    firsts = [own.source.split()[0] for own in summary.sentences]
    assert set(firsts[1:]) <= {"and", "nobody"}


def test_no_sentence_is_left_with_a_word() -> None:
    review = "Good value for the price. The milk frother does not work with oat milk."
    for words in (8, 10, 12):
        statements = [own.summary for own in short(review, words=words).sentences if own.summary]
        assert all(len(own.split()) >= 3 for own in statements)


def test_who_speaks_is_not_taken_for_whom_the_text_is_about() -> None:
    text = (
        "The old man at the end of the street never spoke to anyone in the village. "
        "My brother said that he had been a sailor in the war. Nobody knew where he came from."
    )
    for words in range(8, 34, 3):
        assert "brother had been" not in short(text, words=words).summary


def test_all_items_of_a_list_are_shortened_before_one_goes() -> None:
    text = (
        "Before you leave:\n\n- Call the plumber about the leaking pipe in the kitchen before Friday\n"
        "- Pay the rent for March to the new landlord by bank transfer\n"
        "- Buy two tickets for the concert on Saturday evening"
    )
    assert short(text, words=18).summary.count("\n- ") == 3
    assert short(text, words=12).summary.count("\n- ") == 2


NEWS = (
    "Brightwell Rowing Club announced today that it will open a second boathouse on the east bank of the Arle on 6 "
    "April next year, replacing the wooden shed that its members have used since the flood of 1987. "
    "The shed will be sold. Its roof leaks. The loan runs for fifteen years. Subscriptions stay as they are. "
    "The old pier stays open in winter. A boat was lost in March."
)


def test_what_matters_most_is_shortened_rather_than_left_out() -> None:
    assert "Brightwell Rowing Club announced today that it will open a second boathouse" in str(short(NEWS, words=26))


def test_what_fits_is_left_as_its_author_wrote_it() -> None:
    sentences = [own.strip() + "." for own in NEWS.split(". ")]
    for own in str(short(NEWS, words=52)).split(". "):
        assert own.strip().rstrip(".") + "." in [sentence.replace("..", ".") for sentence in sentences]


def test_conditions_in_a_list_are_whole() -> None:
    conditions = [
        "you have had a stroke or a heart attack in the past 12 months",
        "you have severe disease of the liver",
        "you take another medicine against fungi or took one in the last 7 days",
    ]
    text = "Do not take these tablets if\n\n" + "\n".join(f"- {own}" for own in conditions)
    for words in range(8, 45, 3):
        for line in str(short(text, words=words)).split("\n- ")[1:]:
            assert line in conditions


def test_a_phrase_is_whole_or_gone() -> None:
    present = "Present: Ms Karlsen (nursing), Mr Iyer (laboratory), Dr Feld (internal medicine)."
    text = (
        f"{present} The committee decided on Monday that the samples of both wards will be labelled at the bedside. "
        "In the store. Every tube is checked by one nurse and put on the shelf by another one."
    )
    for words in range(8, 40, 4):
        summary = short(text, words=words).summary
        assert present in summary or "Karlsen" not in summary
        assert "In the store." not in summary


def test_an_answer_is_worth_more_than_its_question() -> None:
    text = (
        "The inspector has looked after bridges for twenty years.\n\nHow many bridges do you look at?\n\n"
        "About a hundred bridges get a simple check in each year.\n\nWhat do you find under the bridges?\n\n"
        "Leaves have blocked the drains of most bridges since autumn."
    )
    assert "?" not in short(text, words=20).summary


RELEASE = """Tidewatch 3.2

This release brings offline maps and makes the start of the app twice as fast on older phones.

New
- Maps of the areas around your saved harbours are stored on the phone and can be used without a network.
- A widget shows the next high tide and low tide of the harbour that you opened last.
- Alarms can be set for a height of water, not only for a time.

Known problems
- On some tablets the widget is not updated until the app is opened."""


@pytest.mark.parametrize("words", [30, 50, 70])
def test_the_opening_sentence_is_worth_no_less_than_a_list(words: int) -> None:
    assert "This release brings offline maps" in str(short(RELEASE, words=words))


MINUTES = """Annual meeting of the garden society
Village Hall, 14 October

1. Welcome
The chair welcomed the members and thanked Ann Lyle for the tea.

2. Rents
The committee proposed to raise the rent of a full plot from 45 to 52 pounds from April.

3. Bonfires
It was agreed that bonfires are allowed only in November and only after dark."""


@pytest.mark.parametrize("words", [25, 40])
def test_a_title_stays_and_formalities_go_first(words: int) -> None:
    summary = str(short(MINUTES, words=words))
    assert summary.startswith("Annual meeting of the garden society")
    assert "welcomed" not in summary
    assert "45 to 52 pounds" in summary


def test_a_question_that_points_back_does_not_stand_alone() -> None:
    text = (
        "Hi all,\n\nthe supplier sends a technician on Thursday, but somebody must let him in before seven.\n\n"
        "Could one of you do that?\n\nPlease do not promise customers delivery within two days."
    )
    for words in range(6, 30, 3):
        summary = str(short(text, words=words))
        assert "do that" not in summary or "let him in" in summary


def test_a_question_with_its_case_is_no_answer() -> None:
    text = (
        "Library cards\n\nI lost my card. What should I do?\nYou are responsible for everything until you report it. "
        "A new card costs 5 euros.\n\nWhat does it cost?\nThe card is free for children."
    )
    summary = str(short(text, words=14))
    assert "costs 5 euros" in summary
    assert "free for children" in summary
    assert "I lost my card" not in summary


@pytest.mark.parametrize("markup", ["text", "markdown"])
def test_a_sentence_that_begins_with_code_is_one(markup: str) -> None:
    """Its subject was not seen, and so it never stood."""
    text = (
        "# harbor-tool\n\n`harbor-tool` keeps a list of boats and their berths in one file. It is small.\n\n"
        "1. Install Python 3.11 or newer.\n2. Create a file with `harbor init`.\n\nOpen an issue at our site."
    )
    for words in (15, 20, 25):
        assert "`harbor-tool` keeps a list of boats" in str(short(text, words=words, markup=markup))


def test_a_letter_ends_with_its_closing() -> None:
    text = (
        "Dear parents,\n\nthe school will lock all phones away from September on.\n\nPupils who need theirs for "
        "medical reasons keep it with them.\n\nWith kind regards,\nEdith Sorensen, head teacher"
    )
    assert "Sorensen" not in short(text, words=14).summary


def test_a_sentence_of_a_text_gives_only_what_it_can_spare() -> None:
    """No noun without what says which one is meant, no claim without whoever claims it, no half of a contrast."""
    text = (
        "A tide clock is a clock that is driven by the rise and fall of the sea. For years, guides have said that the "
        "one in Larkmouth is the oldest of its kind. The clock was repaired in spring, but the bell still rings late."
    )
    for size in range(18, 40):
        summary = str(short(text, words=size))
        assert "is a clock" not in summary or "driven by the rise and fall of the sea" in summary
        assert "the oldest" not in summary or "guides have said" in summary
        assert "was repaired" not in summary or "but the bell" in summary


def test_an_endless_sentence_says_its_clause_once() -> None:
    summary = short("the storm closed the harbour " * 608, words=8)
    assert (str(summary), summary.complete) == ("the storm closed the harbour", True)


LEAFLET = """Corvatin 5 mg tablets

What Corvatin is for
Corvatin belongs to a group of medicines that lower the pressure in the eye. It is used by adults whose pressure stays high. The tablets work within an hour and are taken twice a day.

Do not take Corvatin
- if you have had a kidney stone in the last year
- if your blood has too little potassium
- if you are taking a medicine that contains tolindrate

How to take it
Take one tablet in the morning and one in the evening with a glass of water. If you forget one, do not take two.
"""  # noqa: E501 - a paragraph is a line


@pytest.mark.parametrize("heading", ["Do not take Corvatin", "Do not take Corvatin\n", "## When to avoid Corvatin\n"])
def test_a_list_of_what_is_forbidden_keeps_the_line_that_forbids_it(heading: str) -> None:
    text = LEAFLET.replace("Do not take Corvatin", heading)
    found = [short(text, words=words).summary for words in range(15, 100, 6)]
    listed = [own for own in found if "- if" in own]
    assert listed
    assert all(heading.strip() in own for own in listed)


def test_no_marks_stay_without_words() -> None:
    text = (
        "# Tides\n\nThe median error was four centimetres in seven months. **Do not use it at sea.**\n\nIt is free.\n"
    )
    for words in range(2, 20):
        assert "****" not in short(text, words=words, markup="markdown").summary


def test_a_statement_that_is_taken_back_at_once_is_not_left_alone() -> None:
    text = "The bus to Ardhill has no timetable, or rather it has one that nobody reads."
    for words in range(3, 15):
        assert "no timetable" not in short(text, words=words).summary or "rather" in short(text, words=words).summary


def test_a_text_keeps_according_to_whom() -> None:
    text = (
        "Bees on the roofs of the harbour collect more pollen than bees in the fields, according to a study of forty "
        "hives. The hives were weighed each week for two years. The mayor wants more of them."
    )
    for words in range(10, 35):
        found = short(text, words=words).summary
        assert "collect more pollen" not in found or "according to a study" in found


def test_where_no_item_fits_a_statement_is_left_of_one_that_has_it() -> None:
    text = """Before the trip:

- Ask the neighbours whether they can water the tomatoes twice a week.
- Pay the electricity bill, which is due on the 14th.
- Pack the blue tent, since the green one leaks.
"""
    for words in (5, 8, 12):
        summary = short(text, words=words)
        assert summary.complete
        assert "Whether" not in summary.summary
