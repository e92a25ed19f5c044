"""What a sentence may lose at no cost: found by its marks and its parse."""

import pytest

from ealm.grammar.drafts.trims import trims
from ealm.grammar.protocol import NO_HEAD, Parse
from ealm.text.detokenizer import is_punctuation


def parsed(rows: str) -> tuple[list[str], Parse]:
    """Each word as "word head relation tag"."""
    cells = [row.split() for row in rows.split(" | ")]
    heads = tuple(NO_HEAD if own[1] == "-" else int(own[1]) for own in cells)
    return [own[0] for own in cells], Parse(heads, tuple(own[2] for own in cells), tuple(own[3] for own in cells))


def left(rows: str) -> list[str]:
    """The sentence without each of its trims."""
    words, parse = parsed(rows)
    found = trims(words, parse, [not is_punctuation(word) for word in words])
    return [" ".join(word for i, word in enumerate(words) if i not in own.gone) for own in found]


RELATIVE = (
    "The 1 det DT | boat 8 nsubj NN | , 1 punct , | which 5 nsubjpass WDT | was 5 auxpass VBD | {verb} 1 relcl VBN | "
    "{last} 5 advmod RB | , 1 punct , | sank - ROOT VBD | . 8 punct ."
)


def test_a_relative_clause_between_commas_may_go() -> None:
    assert left(RELATIVE.format(verb="built", last="here")) == ["The boat sank ."]


@pytest.mark.parametrize("last", ["only", "not", "unless", "however"])
def test_what_limits_stays(last: str) -> None:
    assert left(RELATIVE.format(verb="built", last=last)) == []


def test_an_apposition_may_go_and_an_item_of_a_list_may_not() -> None:
    plain = (
        "Ann 6 nsubj NNP | , 0 punct , | a 4 det DT | retired 4 amod JJ | pilot 0 appos NN | , 0 punct , | "
        "left - ROOT VBD"
    )
    assert left(plain) == ["Ann left"]
    listed = plain.replace("retired 4 amod JJ", "retired 4 conj NN")
    assert left(listed) == []


@pytest.mark.parametrize(
    ("opening", "expected"),
    [("Finally", ["we left ."]), ("However", []), ("Otherwise", []), ("Meanwhile", ["we left ."])],
)
def test_what_leads_on_may_go_and_what_contradicts_may_not(opening: str, expected: list[str]) -> None:
    assert left(f"{opening} 3 advmod RB | , 3 punct , | we 3 nsubj PRP | left - ROOT VBD | . 3 punct .") == expected


def test_brackets_may_go_but_for_measures_and_short_names() -> None:
    rows = (
        "Use - ROOT VB | acid 0 dobj NN | ( 1 punct -LRB- | {own} 1 appos NN | {other} 3 dep NN | ) 1 punct -RRB- | "
        ". 0 punct ."
    )
    assert left(rows.format(own="from", other="lemons")) == ["Use acid ."]
    assert left(rows.format(own="30", other="grams")) == []
    assert left(rows.format(own="if", other="needed")) == []


def test_the_day_of_what_was_said_may_go() -> None:
    rows = (
        "The 1 det DT | firm 2 nsubj NN | {verb} - ROOT {tag} | it 5 nsubj PRP | will 5 aux MD | close 2 ccomp VB | "
        "on 2 prep IN | Monday 6 pobj NNP | . 2 punct ."
    )
    assert left(rows.format(verb="said", tag="VBD")) == ["The firm said it will close ."]
    assert left(rows.format(verb="says", tag="VBZ")) == []


def test_nothing_of_a_quotation_goes() -> None:
    rows = (
        '" 7 punct `` | The 2 det DT | boat 7 nsubj NN | ( 2 punct -LRB- | from 2 prep IN | Holm 4 pobj NNP | '
        ") 2 punct -RRB- | sank - ROOT VBD | \" 7 punct '' | . 7 punct ."
    )
    assert left(rows) == []
