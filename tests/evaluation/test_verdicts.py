"""Verdicts counted by system and kind, and the agreement of readers."""

import pytest

from ealm.evaluation.reading import Row
from ealm.evaluation.verdicts import Agreement, agreement_table, agreements, cohen_kappa, count, count_table

ROWS = [
    Row(("mine", "theirs"), "news", "one", "text"),
    Row(("mine",), "chat", "two", "text"),
    Row(("theirs",), "chat", "three", "text"),
]


def test_a_shared_row_counts_for_both_systems() -> None:
    counts = {(each.system, each.kind): each for each in count(ROWS, [["flawed", "printable", "broken"]])}
    assert counts["mine", "all"].verdicts == {"printable": 1, "flawed": 1, "broken": 0, "misleading": 0}
    assert counts["theirs", "all"].verdicts == {"printable": 0, "flawed": 1, "broken": 1, "misleading": 0}
    assert counts["theirs", "news"].verdicts["flawed"] == 1
    assert counts["theirs", "chat"].share("broken") == 1
    assert len(counts) == 6


def test_readers_are_added_up() -> None:
    first = count(ROWS, [["flawed", "printable", "broken"], ["printable"] * 3])[0]
    assert (first.system, first.read, first.share("printable")) == ("mine", 4, 0.75)


def test_one_kind_needs_no_rows_of_its_own() -> None:
    rows = [Row(("mine",), "", "one", "text")]
    assert [(each.kind, each.read) for each in count(rows, [["printable"]])] == [("all", 1)]


def test_the_table_leaves_out_what_was_not_read() -> None:
    lines = count_table(count(ROWS[:2], [["flawed", "printable"]])).splitlines()
    assert lines[0].split() == ["system", "kind", "read", "printable", "flawed", "broken", "misleading"]
    assert lines[2].split() == "mine all 2 1 (50.0%) 1 (50.0%) 0 (0.0%) 0 (0.0%)".split()
    assert not any(line.split()[:2] == ["theirs", "chat"] for line in lines)


@pytest.mark.parametrize(
    ("one", "other", "kappa"),
    [
        ("ppbb", "ppbb", 1.0),
        ("ppbb", "bbpp", -1.0),
        ("ppbb", "pbpb", 0.0),
        # Cohen's textbook table: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no.
        ("y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15, 0.4),
        ("pppp", "pppp", None),
    ],
)
def test_kappa_is_agreement_beyond_chance(one: str, other: str, kappa: float | None) -> None:
    assert cohen_kappa(one, other) == (None if kappa is None else pytest.approx(kappa))


def test_every_two_readers_are_compared() -> None:
    found = agreements({"a": ["printable", "broken"], "b": ["printable", "flawed"], "c": ["printable", "broken"]})
    assert [(each.one, each.other, each.share) for each in found] == [("a", "b", 0.5), ("a", "c", 1), ("b", "c", 0.5)]
    assert agreements({"a": ["printable"]}) == []


def test_no_kappa_is_a_dash() -> None:
    assert agreement_table([Agreement("a", "b", 1.0, None)]).splitlines()[-1].split() == ["a", "b", "100.0%", "–"]
