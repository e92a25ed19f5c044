"""What commas enclose, what neighbours show, and what is no statement whatever the parse says."""

import pytest

from ealm import Summarizer


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize(
    ("text", "words", "summary"),
    [
        (
            "Metal shrinks when it cools, which is why rails that are not fixed can bend in a frost.",
            8,
            "Metal shrinks when it cools.",
        ),
        (
            "The Elbe runs through two countries, fewer than any other great river of the region, before it meets the "
            "sea.",
            8,
            "The Elbe runs through two countries.",
        ),
        (
            "The harbour board said on Monday it had approved a loan of two million euros for a new crane.",
            8,
            "Harbour board approved loan of two million euros.",
        ),
        (
            "Hi Ben, just a short note to let you know that the delivery of the chairs has been moved to Thursday.",
            8,
            "The delivery of the chairs has been moved.",
        ),
        (
            "The court held that the tenant was not entitled to claim the deposit because she had failed to clean the "
            "flat before she left.",
            12,
            "Court held that tenant was not entitled to claim deposit.",
        ),
        (
            "Our museum will extend its visiting hours during the fair, staying open until ten from Monday to Friday.",
            8,
            "Our museum will extend its visiting hours.",
        ),
        (
            "Release 3.1 mends a fault that caused the reader to freeze when two people opened the same page.",
            8,
            "Release 3.1 mends a fault.",
        ),
        (
            "Former judge Ina Holm, who left office in May amid a row over money, announced on her blog that she would "
            "not run for the council next year.",
            12,
            "Former judge Ina Holm would not run for council next year.",
        ),
        (
            "Do not use vinegar or rough cloths on the table, as these may leave deep scratches or bleach the wood.",
            8,
            "Do not use vinegar on the table.",
        ),
        (
            "Adela Brandt (1830–1899) was an Austrian painter and teacher who made more than 200 portraits in Prague.",
            8,
            "Adela Brandt was an Austrian painter and teacher.",
        ),
        (
            "The judge rejected the claim because the form had been sent two weeks after the deadline.",
            6,
            "Judge rejected claim.",
        ),
        (
            "ok so the plumber finally mended the boiler but now the hot water doesn't work lol",
            8,
            "plumber mended boiler but hot water doesn't work",
        ),
        (
            "If the renter fails to pay within ten days of the due date, the owner may charge interest at a rate of 2 "
            "percent per month.",
            12,
            "If conditions are met, the owner may charge interest.",
        ),
    ],
)
def test_the_statement_that_the_marks_show(summarizer: Summarizer, text: str, words: int, summary: str) -> None:
    found = summarizer.summarize(text, words=words)
    assert str(found) == summary
    assert found.complete


@pytest.mark.parametrize(
    ("text", "words", "never"),
    [
        (
            "In a trial of 900 adults, those who swam for an hour a week were 20 percent less likely to catch a cold "
            "than those who did not.",
            8,
            "cold than",
        ),
        (
            "Doctors found that pupils who eat less than two meals a day score lower on spelling tests, but they could "
            "not explain it.",
            12,
            "found that pupils but",
        ),
        (
            "I think we should meet at the bridge at nine instead of ten because the ferry leaves early.",
            12,
            "nine ten",
        ),
        (
            "You can export the list as a table or as a plain text file, but colours and notes are only kept in the "
            "first format.",
            12,
            "notes are kept",
        ),
        (
            "I bought this kettle six months ago and used it almost every day until the handle started smelling of "
            "burnt rubber last week.",
            12,
            "bought this kettle until",
        ),
        (
            "Do not take these drops if you are allergic to nuts or if you have ever had a stomach ulcer or kidney "
            "stones.",
            12,
            "conditions",
        ),
        (
            "if you get there before me grab a seat near the stage and order me a lemonade pls",
            8,
            "conditions",
        ),
    ],
)
def test_what_is_no_statement_is_not_written(summarizer: Summarizer, text: str, words: int, never: str) -> None:
    assert never not in str(summarizer.summarize(text, words=words))
