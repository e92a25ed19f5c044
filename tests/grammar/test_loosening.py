"""Reports that leave out at last what narrows no statement, so that a statement fits where only a phrase did."""

import pytest

from ealm import Summarizer


@pytest.fixture(scope="module")
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (
            "The harbour office said on Monday it would suspend a $3 million fine it had levied against a ferry firm "
            "controlled by a local family.",
            "Harbour office will suspend $3 million fine.",
        ),
        (
            "Shares in Norvik suffered their biggest one-day loss in nearly six years on Friday as riots spread in the "
            "capital.",
            "Shares in Norvik suffered one-day loss.",
        ),
        (
            "Finnish ferry group Norvik will appeal to a Swedish court to overturn a decision forcing it to hand back "
            "the best-known brand of its former partner.",
            "Norvik will appeal to court to overturn decision.",
        ),
        (
            "The krona slumped on Thursday after the central bank unveiled a bold plan to pump money into the economy.",
            "Krona slumped after bank unveiled plan.",
        ),
        (
            "Norvik Airlines on Wednesday said it plans to add nonstop flights to Bergen and Tromso from Lerwick North "
            "Island Airport next year.",
            "Norvik Airlines plans to add flights to Bergen.",
        ),
    ],
)
def test_less_is_said_of_one_thing(summarizer: Summarizer, text: str, summary: str) -> None:
    found = summarizer.summarize(text, words=8)
    assert (found.summary, found.complete) == (summary, True)


@pytest.mark.parametrize(
    ("text", "never", "unless"),
    [
        (
            "The board said it would not accept a plan that leaves the northern pier without a ferry in winter, "
            "whatever the costs may be.",
            "not accept",
            "without",
        ),
        (
            "The union said it would strike unless the yard drops a plan that cuts the night shift by a third.",
            "drops",
            "cuts",
        ),
        ("You may keep a dog that weighs less than ten kilograms in any of the flats.", "keep", "weighs"),
        (
            "Only a firm that has paid the fee in full may use a berth that lies within the inner harbour.",
            "use",
            "lies",
        ),
    ],
)
def test_nothing_is_said_of_more(summarizer: Summarizer, text: str, never: str, unless: str) -> None:
    for words in range(3, 20):
        summary = summarizer.summarize(text, words=words).summary
        assert never not in summary or unless in summary, summary


@pytest.mark.parametrize(
    ("text", "words", "summary"),
    [
        (
            "Lerwick, June 5 (Newsroom) - The harbour board called on Tuesday for new ferries, citing a rise in "
            "visitors.",
            8,
            "The harbour board called for new ferries.",
        ),
        (
            "Just a quick note to say that the parcel for your team is at the front desk and needs a signature before "
            "five.",
            10,
            "The parcel for your team is at the front desk.",
        ),
        (
            "Norvik named Greta Lindholm, a former head of the harbour office, to its board on Monday, according to a "
            "filing.",
            8,
            "Norvik named Greta Lindholm to board.",
        ),
        (
            "Ferry fares fell on Monday, at the first auction since the strike, but not enough to suggest that "
            "travellers will come back soon.",
            8,
            "Ferry fares fell at first auction since strike.",
        ),
    ],
)
def test_openings_and_marks(summarizer: Summarizer, text: str, words: int, summary: str) -> None:
    assert summarizer.summarize(text, words=words).summary == summary


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        (
            "Lisbon is a special case and other towns should not fear a flood, the minister told a radio station.",
            "and other towns.",
        ),
        (
            "Norvik Financial Corp said on Monday that late payments rose to a five-year high and turmoil in the ferry "
            "market may hurt earnings, and its shares fell.",
            "rose may",
        ),
        (
            "Parliament passed a bill on Friday that makes it easier for tenants to challenge a rise in court.",
            "easier.",
        ),
        ("Minister Ann Holm called for all local boards to abandon plans to close the ferries in winter.", "called."),
        ("hey, are we still on for tonight or should I tell Ann that we're meeting on Sunday instead?", "on should"),
        (
            "The mill's inability to take quick, firm decisions has deepened its debt crisis this year.",
            "inability decisions",
        ),
    ],
)
def test_signs_of_a_wrong_parse(summarizer: Summarizer, text: str, broken: str) -> None:
    for words in range(3, 16):
        assert broken not in summarizer.summarize(text, words=words).summary
