"""Statements in fewer words: what a clause may leave unsaid, and what a headline does without."""

import pytest

from ealm import Summarizer
from ealm.grammar.drafts.valency import belongs, is_never_bare


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize(
    ("text", "words", "summary"),
    [
        (
            "Do not take this medicine if you are allergic to penicillin, if you have liver problems, or if you are "
            "more than six months pregnant.",
            8,
            "Do not take medicine if allergic to penicillin.",
        ),
        (
            "A will that is not signed in the presence of two witnesses is invalid, even if there is no doubt that it "
            "expresses the wishes of the deceased.",
            12,
            "A will not signed in the presence of two witnesses is invalid.",
        ),
        (
            "Light from the sun takes a little more than eight minutes to reach us, whereas the energy it carries may "
            "have needed 100,000 years to get from the core to the surface.",
            12,
            "Light from the sun takes more than eight minutes to reach us.",
        ),
        (
            "Veteran investor Greta Lindholm urged Norvex on Monday to sell off its ferry business, which employs 900 "
            "people in the north.",
            8,
            "Lindholm urged Norvex to sell off ferry business.",
        ),
        (
            "The harbour board of Calder is still unwilling to pay for the repair of the northern pier, its chairman "
            "told reporters on Wednesday.",
            5,
            "Harbour board unwilling to pay.",
        ),
        (
            "Unemployment in the eurozone's smallest economy fell to 4.1 percent in August, its lowest since 2007, "
            "although youth unemployment rose for the third month in a row.",
            8,
            "Unemployment in eurozone's smallest economy fell to 4.1%.",
        ),
        (
            "By opening the parcel, you declare that you are at least 18 years old and that you have read the leaflet.",
            8,
            "You declare you're at least 18 years old.",
        ),
        (
            "The Tenant shall not move the walls without the prior written permission of the owner.",
            8,
            "Tenant shall not move walls without written permission.",
        ),
        (
            "Cyclists should avoid the old bridge on Saturday evening, when two lanes will be dug up for a new water "
            "main.",
            9,
            "Cyclists should avoid the old bridge on Saturday evening.",
        ),
        (
            "With up to 40 hours of light and a solid steel body, the Kestra lantern is ideal for long winter hikes.",
            8,
            "The Kestra lantern is ideal for winter hikes.",
        ),
        (
            "Digs carried out in the old harbour in 2015 revealed the walls of a granary and several broken jars.",
            8,
            "Digs revealed walls of granary and several jars.",
        ),
        (
            "I spoke to the landlord this morning and he says the heating engineer can't come before Tuesday, but he's "
            "willing to take 50 euros off this month's rent.",
            8,
            "The heating engineer can't come before Tuesday.",
        ),
    ],
)
def test_a_statement_in_fewer_words(summarizer: Summarizer, text: str, words: int, summary: str) -> None:
    assert summarizer.summarize(text, words=words).summary == summary


@pytest.mark.parametrize(
    ("text", "words", "never", "unless"),
    [
        (
            "The ferry may sail if the wind drops below forty knots before noon, the harbour office in Lerwick said.",
            9,
            "drops",
            "below",
        ),
        (
            "The grey-tailed marmot does not hibernate and feeds on bark and dried grass in winter.",
            8,
            "marmot",
            "grey-tailed",
        ),
        (
            "Most species of the genus are pollinated by bees, but a few of them depend on flies or hummingbirds.",
            8,
            "pollinated",
            "bees",
        ),
        (
            "Please tell Marcus to stop replying to the whole group every time he loses his keys.",
            9,
            "replying",
            "group",
        ),
        (
            "A tree is a connected graph that contains no cycles, so that there is one way between two points.",
            9,
            "graph",
            "cycles",
        ),
        (
            "We may share your data with other firms where the law requires us to do so or a court has asked for it.",
            9,
            "share",
            "law",
        ),
        (
            "Nausea and dizziness were more common among the patients who took the higher dose of the new drug.",
            8,
            "nausea",
            "dizziness",
        ),
        ("Applicants must complete sections A through D of the form and sign the declaration on page 6.", 10, "a", "d"),
    ],
)
def test_what_says_something_else_without_a_word_keeps_it(
    summarizer: Summarizer, text: str, words: int, never: str, unless: str
) -> None:
    for limit in range(3, words + 1):
        short = summarizer.summarize(text, words=limit)
        said = short.summary.lower().replace(".", "").replace(",", "").split()
        assert not short.complete or never not in said or unless in said, short.summary


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("The tank holds 1.8 litres (2.2 with the large lid) and is at the back.", "(2.2 with the large lid)"),
        ("Restart the agent in the tray (right-click, Restart) before you open the window again.", "(right-click,"),
        ("Memory use while importing large folders has fallen by about a third in this version.", "Memory use"),
        ("The unemployment rate in the north fell to 4.1 percent in the spring quarter.", "unemployment rate"),
    ],
)
def test_what_says_nothing_by_half_is_whole_or_gone(summarizer: Summarizer, text: str, together: str) -> None:
    pieces = together.strip("(),").lower().split()
    for words in range(3, len(text.split())):
        said = summarizer.summarize(text, words=words).summary.lower()
        if pieces[-1] in said.replace(",", " ").split():
            assert together.lower() in said


def test_a_subject_is_no_rival_of_what_it_found(summarizer: Summarizer) -> None:
    text = (
        "Although Henrik Solvang described the particle in 1957, it was not observed until almost thirty years later."
    )
    for words in range(4, 14):
        assert "Solvang was" not in summarizer.summarize(text, words=words).summary


def test_where_no_statement_fits_shorter_words_are_tried(summarizer: Summarizer) -> None:
    text = "Unfortunately, we will not be able to process your refund request because the item was returned too late."
    assert summarizer.summarize(text, words=7).summary == "Unfortunately, we cannot process your refund request."
    assert "cannot" not in summarizer.summarize(text, words=7, extractive=True).summary


def test_what_fits_is_not_written_otherwise(summarizer: Summarizer) -> None:
    text = "Sales fell 4 percent in May after a weak winter."
    assert summarizer.summarize(text, words=4).summary == "Sales fell 4 percent."
    assert summarizer.summarize(text, words=len(text.split())).summary == text


def test_an_extractive_summary_keeps_the_word_percent(summarizer: Summarizer) -> None:
    text = "Unemployment in the smallest economy of the eurozone fell to 4.1 percent in August, its lowest since 2007."
    for words in range(4, 14):
        assert "%" not in summarizer.summarize(text, words=words, extractive=True).summary


def test_the_sign_is_an_edit_of_the_number(summarizer: Summarizer) -> None:
    text = "Unemployment in the eurozone's smallest economy fell to 4.1 percent in August, its lowest since 2007."
    summary = summarizer.summarize(text, words=8)
    assert ("4.1", "4.1%") in [(edit.word, edit.replacement) for edit in summary.edits]


@pytest.mark.parametrize(
    "text",
    [
        "Calder Rail operator Norvik Coast Lines will spend more than 200 million pounds on new ferries next year.",
        "Danish ferry operator Skov Marine Corp plans to buy six electric ships from a yard in Turku by 2030.",
    ],
)
def test_the_name_of_a_company_is_not_shortened_to_its_last_word(summarizer: Summarizer, text: str) -> None:
    for words in range(4, 12):
        short = summarizer.summarize(text, words=words).summary
        assert not short.startswith(("Lines", "Marine")), short


def test_whoever_speaks_keeps_articles_where_something_else_fits(summarizer: Summarizer) -> None:
    text = (
        "We are sorry to hear that the chair arrived with a cracked leg; please keep the packaging, take two photos, "
        "and do not try to repair it yourself."
    )
    assert summarizer.summarize(text, words=8).summary == "Keep the packaging and take two photos."


def test_the_learned_table_knows_phrases_and_verbs() -> None:
    assert belongs("imposed", "object", "on")
    assert not belongs("imposed", "object", "because")
    assert is_never_bare("considers", passive=False)
    assert not is_never_bare("arrived", passive=False)
