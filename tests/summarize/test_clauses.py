"""Texts that never end: they are cut where a statement begins, and a statement keeps what it depends on."""

import pytest

from ealm import Summarizer
from ealm.grammar.loading import load_grammar
from ealm.grammar.protocol import Grammar
from ealm.summarize.clauses import clause_beginnings


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    loaded = load_grammar("embedded")
    assert loaded is not None
    return loaded


@pytest.mark.parametrize(
    "marked",
    [
        "every nurse lost a red umbrella | the farmer closed the window | a young teacher read the report",
        "the baker read the report | and then Maria closed the window | but the driver missed the last train",
        "if you do not pay the invoice in time we will charge interest | the goods remain our property until you pay",
        "the mayor said the bridge is safe and the ferry will return in May",
        "the clerk told the visitors the archive was closed",
        "the guest who she invited found the box that the dog had buried",
        "the bridge is safe the mayor said",
        "the tenant pays the rent or the landlord ends the lease",
        "the farmer found a wooden box | the baker sold the old car",
        "nobody forgot the day the baker sold the old car",
        "the choir sang an old song because the organ was broken",
        "the seller pays the fees only if the buyer signs the form",
    ],
)
def test_a_statement_begins_where_nothing_before_it_bears_on_it(grammar: Grammar, marked: str) -> None:
    pieces = [piece.split() for piece in marked.split(" | ")]
    words = [word for piece in pieces for word in piece]
    expected = {sum(map(len, pieces[:number])) for number in range(1, len(pieces))}
    assert clause_beginnings(words, grammar.parse) == expected


_WHO = (
    "the baker,our neighbour,a tired nurse,the mayor,my brother,the engineer,an old sailor,a teacher,the farmer".split(
        ","
    )
)
_DID = (
    "opened the shop,counted the coins,forgot the keys,painted the door,repaired the engine,wrote a long letter,"
    "did not answer the phone,lost a red umbrella,found a wooden box,sold the old car,planted seven trees"
).split(",")


def _clauses(count: int) -> list[str]:
    """Different ones, as long as there are any."""
    return [f"{_WHO[number % len(_WHO)]} {_DID[number % len(_DID)]}" for number in range(count)]


def test_places_in_a_long_text_do_not_depend_on_where_a_window_ends(grammar: Grammar) -> None:
    clauses = _clauses(90)
    words = " ".join(clauses).split()
    starts, at = set(), 0
    for clause in clauses[:-1]:
        at += len(clause.split())
        starts.add(at)
    found = clause_beginnings(words, grammar.parse)
    assert found <= starts
    assert len(found) > 0.9 * len(starts)


SPEECH = (
    "good evening to all of you I begin with the money because most of you asked for it we spent 40000 euros on the "
    "roof last year and the insurance company says that the tiles must be replaced before spring the school pays a "
    "third if we give them the hall on Tuesdays then there is the fee it has been 25 euros since 2009 the board "
    "suggests 30 euros from January and nobody has to pay it who cannot afford it"
)


@pytest.mark.parametrize("pretokenized", [False, True])
def test_a_piece_does_not_begin_with_what_hangs_on_another_one(pretokenized: bool) -> None:
    for words in range(8, 50, 3):
        summary = str(Summarizer().summarize(SPEECH, words=words, pretokenized=pretokenized, style="plain"))
        assert "it has been 25 euros" not in summary or "there is the fee it has been" in summary
        assert summary.split()[0] not in ("and", "then")


@pytest.mark.parametrize(("count", "pretokenized"), [(12, False), (90, False), (600, False), (600, True)])
def test_what_stays_of_a_text_without_punctuation_is_whole_clauses(count: int, pretokenized: bool) -> None:
    clauses = _clauses(count)
    text = " ".join(clauses)
    found = Summarizer().summarize(text, words=25, pretokenized=pretokenized, style="plain")
    summary = str(found)
    assert 0 < len(summary.split()) <= 25
    left = summary
    for clause in sorted(clauses, key=len, reverse=True):
        left = left.replace(clause, "|")
    assert set(left) <= set("| "), summary
