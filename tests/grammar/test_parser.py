"""The parser around a small network with random weights: shapes, batches, folders."""

from pathlib import Path
from typing import Any

import pytest
import torch
from grammars import INPUTS, FakeWordEncoder

from ealm.common.errors import GrammarError
from ealm.common.pieces import pieces_watched
from ealm.grammar.neural.network import ParserNetwork, ParserShape
from ealm.grammar.neural.parser import EmbeddedGrammar
from ealm.grammar.neural.saved_parser import SHAPE_FILE, read_network, write_network
from ealm.grammar.protocol import ROOT_RELATION

SHAPE = ParserShape(
    INPUTS, relations=("ROOT", "det", "dobj"), tags=("DT", "NN"), width=8, arc_width=6, relation_width=4
)
SENTENCES = ["the bridge fell".split(), [], ["Stop"], "rain is likely in the north on Monday".split()]


def network() -> ParserNetwork:
    torch.manual_seed(5)
    made = ParserNetwork(SHAPE)
    torch.nn.init.normal_(made.mean)
    made.deviation.uniform_(0.5, 2)
    return made


def grammar(made: ParserNetwork | None = None) -> EmbeddedGrammar:
    encoder: Any = FakeWordEncoder()
    return EmbeddedGrammar(made or network(), encoder)


def test_others_may_be_served_between_two_trees() -> None:
    pieces: list[None] = []
    with pieces_watched(lambda: pieces.append(None)):
        grammar().parse(SENTENCES * 5)
    assert len(pieces) > 15


def test_every_word_gets_a_head_a_relation_and_a_tag() -> None:
    parses = grammar().parse(SENTENCES)
    assert [len(parse) for parse in parses] == [3, 0, 1, 8]
    for parse in parses:
        assert all(
            (head == -1) == (name == ROOT_RELATION) for head, name in zip(parse.heads, parse.relations, strict=True)
        )
        assert set(parse.relations) <= set(SHAPE.relations)
        assert set(parse.tags) <= set(SHAPE.tags)


def test_a_parse_does_not_depend_on_its_company() -> None:
    together = grammar().parse(SENTENCES)
    assert together == [grammar().parse([words])[0] for words in SENTENCES]


def test_states_that_are_there_already_give_the_same() -> None:
    layers = [FakeWordEncoder().states(words) for words in SENTENCES]
    assert grammar().parse_states(SENTENCES, layers) == grammar().parse(SENTENCES)


def test_normalization_folded_into_the_projection_changes_nothing() -> None:
    made = network().eval()
    states, shapes, mask = torch.randn(2, 5, INPUTS), torch.zeros(2, 5, made.written.in_features), torch.ones(2, 5) > 0
    with torch.no_grad():
        _, before = made(states, shapes, mask)
        made.fold_normalization()
        _, after = made.from_normalized(states, shapes, mask)
    assert torch.allclose(before, after, atol=1e-4)


def test_what_is_longer_than_any_sentence_is_one_tree_too() -> None:
    (parse,) = grammar().parse([["word"] * 450])
    assert len(parse) == 450
    assert parse.relations.count(ROOT_RELATION) == 1
    assert parse.relations.count("parataxis") == 2


def test_save_load_same_output(tmp_path: Path) -> None:
    write_network(tmp_path, network())
    once = grammar(read_network(tmp_path)).parse(SENTENCES)
    write_network(tmp_path, read_network(tmp_path))
    assert grammar(read_network(tmp_path)).parse(SENTENCES) == once


def test_a_folder_without_a_parser_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(GrammarError, match="ealm train-grammar CORPUS"):
        read_network(tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"width": 8', '"width": 9'),
        ('"width": 8', '"width": -1'),
        ('"ROOT"', '"root"'),
        ('"inputs": 12', '"inputs": "x"'),
    ],
)
def test_a_description_that_does_not_fit_is_refused(tmp_path: Path, old: str, new: str) -> None:
    write_network(tmp_path, network())
    path = tmp_path / SHAPE_FILE
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(GrammarError, match="No parser can be read"):
        read_network(tmp_path)
