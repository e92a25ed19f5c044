"""Statements that fit eight words where a phrase, or a torn sentence, stood before: one rule a row."""

import pytest

from ealm import Summarizer


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (
            "Norvik Financial Inc, a mortgage lender, said on Friday it will dismiss about 300 employees, or a third "
            "of its staff, as it closes branches, given tough market conditions.",
            "Norvik Financial will dismiss about 300 employees.",
        ),
        (
            "Harbour chief Marta Ilves is to meet creditors on Tuesday and present a plan after unions rejected her "
            "offer last week, according to people familiar with the talks.",
            "Harbour chief Marta Ilves is to meet creditors.",
        ),
        (
            "The central bank said the island's economy will likely shrink in the first half of 2031 due mainly to "
            "the failed harvest.",
            "Island's economy will likely shrink.",
        ),
        (
            "Grain prices climbed toward 90 crowns per sack on Wednesday as hopes that the drought was ending lifted "
            "markets and drew buyers back.",
            "Grain prices climbed toward 90 crowns per sack.",
        ),
        (
            "Lerwick Foods on Wednesday posted a 7 percent rise in yearly profit as a result of a strong season for "
            "its bakeries, as well as one-time gains.",
            "Lerwick Foods posted 7% rise in yearly profit.",
        ),
        (
            "Seabed plans to stop contributing to its main pension fund beginning in 2031 and will instead raise "
            "wages.",
            "Seabed plans to stop contributing to pension fund.",
        ),
        (
            "Norvik is discussing quietly whether to approach its rival Seabed about a merger, several people close "
            "to the matter said.",
            "Norvik discussing quietly whether to approach Seabed: sources.",
        ),
        (
            "Norvik Holdings Inc plans to sell about 90 paintings by living artists at an auction in September.",
            "Norvik Holdings plans to sell about 90 paintings.",
        ),
        (
            "Robert Halden, the nominee to head the museum, on Wednesday told the board that he would not hesitate to "
            "question its habits and do his best for visitors.",
            "Robert Halden would not hesitate to question habits.",
        ),
        (
            "Island banks borrowed a record 32 million crowns from the central bank in May, up from 28 million crowns "
            "in April, official figures showed.",
            "Island banks borrowed record 32 million crowns.",
        ),
        (
            "Norvik detailed plans for its debts on Wednesday, including the sale of two ferries, that could raise up "
            "to 4 million crowns.",
            "Norvik detailed plans including sale of two ferries.",
        ),
        (
            "Shares in Seabed headed towards their biggest gain in a year on Wednesday after the firm reported a "
            "surprising profit.",
            "Shares headed towards their biggest gain in year.",
        ),
        (
            "World stocks rose on Monday on hopes the island economy can avoid another recession, although a chief "
            "economist warned of weak growth.",
            "World stocks rose.",
        ),
        (
            "The long flight of a banker whose fund lost 40 million crowns when he bet against the krona ended on "
            "Friday when he was caught in a hotel.",
            "Flight ended when he was caught in hotel.",
        ),
        (
            "Norvik Stores Inc said on Thursday President Ann Lee earned 2 million crowns in the year that ended in "
            "January.",
            "President Ann Lee earned 2 million crowns.",
        ),
        (
            "The harbour office called on the town on Monday to spare small ferries from the most complex parts of "
            "the new rules.",
            "Harbour office called on town to spare ferries.",
        ),
        (
            "Norvik will buy the non-E.U. business of its rival Seabed for 20 million crowns.",
            "Norvik will buy non-E.U. business of rival Seabed.",
        ),
        (
            "As head of the school, Ann Martens' main task is to train young teachers.",
            "Ann Martens' task is to train young teachers.",
        ),
        (
            "The army plans to sell 24 old K-16C/D transport planes to a museum.",
            "Army plans to sell K-16C/D transport planes.",
        ),
        (
            "Sea otters hold hands while they sleep so that they do not drift apart.",
            "Sea otters hold hands while they sleep.",
        ),
    ],
)
def test_a_statement_fits(summarizer: Summarizer, text: str, summary: str) -> None:
    found = summarizer.summarize(text, words=8)
    assert (found.summary, found.complete) == (summary, True)


@pytest.mark.parametrize(
    ("text", "lost", "unless"),
    [
        ("The guarantor undertakes to pay any sum, up to a maximum of 900 crowns, that is due.", "any sum", "up to"),
        ("The board named a former harbour pilot as its head, but a judge blocked the choice.", "named", "as"),
        ("Two of the clerks were charged with insider trading in shares of a ferry firm.", "trading", "insider"),
    ],
)
def test_what_still_belongs_together(summarizer: Summarizer, text: str, lost: str, unless: str) -> None:
    for words in range(3, 16):
        summary = summarizer.summarize(text, words=words).summary.lower()
        assert lost not in summary or unless in summary, summary
