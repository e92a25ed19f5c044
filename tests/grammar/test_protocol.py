import pytest

from ealm.common.errors import GrammarError
from ealm.grammar.protocol import NO_HEAD, Parse, is_tree

# The committee did not approve the plan
PARSE = Parse(
    heads=(1, 4, 4, 4, NO_HEAD, 6, 4),
    relations=("det", "nsubj", "aux", "neg", "ROOT", "det", "dobj"),
    tags=("DT", "NN", "VBD", "RB", "VB", "DT", "NN"),
)


def test_the_root_is_the_word_without_a_head() -> None:
    assert PARSE.root == 4
    assert len(PARSE) == 7


def test_dependents_come_from_left_to_right() -> None:
    assert PARSE.children[4] == (1, 2, 3, 6)
    assert PARSE.children[1] == (0,)
    assert PARSE.children[0] == ()


def test_a_subtree_holds_a_word_and_everything_below_it() -> None:
    assert PARSE.subtree(6) == (5, 6)
    assert PARSE.subtree(4) == tuple(range(7))


def test_ancestors_lead_to_the_root() -> None:
    assert PARSE.ancestors(5) == (6, 4)
    assert PARSE.ancestors(4) == ()


def test_dependents_by_relation() -> None:
    assert PARSE.related(4, "neg", "dobj") == (3, 6)
    assert PARSE.related(4, "prep") == ()


def test_no_words_have_an_empty_parse() -> None:
    assert len(Parse((), (), ())) == 0


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ([NO_HEAD], True),
        ([1, NO_HEAD, 1], True),
        ([], True),
        ([NO_HEAD, NO_HEAD], False),  # two roots
        ([1, 0], False),  # no root
        ([NO_HEAD, 2, 1], False),  # a loop beside the root
        ([NO_HEAD, 1], False),  # a word that hangs on itself
        ([NO_HEAD, 2], False),  # a head outside the sentence
        ([NO_HEAD, -2], False),
    ],
)
def test_what_is_a_tree(heads: list[int], expected: bool) -> None:
    assert is_tree(heads) is expected


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(GrammarError, match="not a tree"):
        Parse((1, 0), ("dep", "dep"), ("NN", "NN"))


def test_every_word_needs_all_three() -> None:
    with pytest.raises(GrammarError, match="one head, one relation and one tag"):
        Parse((NO_HEAD,), ("ROOT",), ())
