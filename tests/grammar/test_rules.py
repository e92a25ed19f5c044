"""Every rule of grammar and truth on an example: where one word stays, another must stay too, at every length."""

import json

import pytest
from places import TESTS

from ealm.goal_agent.tree_planning import NestedDrafts, UnitTree
from ealm.grammar.drafts.structure import structure_of
from ealm.grammar.protocol import Parse
from ealm.text.detokenizer import is_punctuation

EXAMPLES = [json.loads(line) for line in (TESTS / "grammar" / "rules.jsonl").read_text(encoding="utf-8").splitlines()]


def drafts(example: dict, *, headline: bool, values: list[float]) -> list[set[str]]:
    words = example["words"]
    parse = Parse(tuple(example["heads"]), tuple(example["relations"]), tuple(example["tags"]))
    is_word = [not is_punctuation(word) for word in words]
    structure = structure_of(words, parse, is_word, headline=headline)
    tree = UnitTree(structure, values, [int(own) for own in is_word], adjacency=0.0)
    return [{words[i] for i in tree.words(draft)} for draft in NestedDrafts(tree).all()]


@pytest.mark.parametrize("headline", [True, False])
@pytest.mark.parametrize("example", EXAMPLES, ids=[example["rule"] for example in EXAMPLES])
def test_what_belongs_together_stays_together(example: dict, headline: bool) -> None:
    """Whatever words are worth: the one that must stay may be worth nothing, and the other everything."""
    where, must = example["where"], example["must"]
    for low in (-5.0, 0.0, 5.0):
        values = [9.0 if word == where else low if word == must else 1.0 for word in example["words"]]
        for words in drafts(example, headline=headline, values=values):
            assert where not in words or must in words, words


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["rule"] for example in EXAMPLES])
def test_the_whole_sentence_is_a_draft(example: dict) -> None:
    words = {word for word in example["words"] if not is_punctuation(word)}
    assert drafts(example, headline=True, values=[1.0] * len(example["words"]))[0] == words


def test_every_rule_has_an_example_of_its_own() -> None:
    names = [example["rule"] for example in EXAMPLES]
    assert len(set(names)) == len(names) >= 45
