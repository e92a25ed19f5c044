from ealm.grammar.protocol import Parse
from ealm.grammar.training.agreement import agreement

EXPECTED = Parse((1, -1, 1), ("nsubj", "ROOT", "dobj"), ("PRP", "VBD", "NN"))
FOUND = Parse((1, -1, 0), ("dep", "ROOT", "dobj"), ("PRP", "VBZ", "NN"))


def test_heads_relations_and_tags_are_counted_by_word() -> None:
    found = agreement([EXPECTED], [FOUND])
    assert (found.words, found.unlabelled, found.labelled, found.tags) == (3, 0.6667, 0.3333, 0.6667)
    assert found.relations["nsubj"].unlabelled == 1
    assert found.relations["nsubj"].labelled == 0
    assert found.relations["dobj"].unlabelled == 0
    assert str(found) == "unlabelled 0.667, labelled 0.333, tags 0.667"


def test_the_table_has_a_line_for_each_relation() -> None:
    lines = agreement([EXPECTED, EXPECTED], [EXPECTED, FOUND]).table().splitlines()
    assert len(lines) == 4
    assert lines[1].split() == ["nsubj", "2", "1.000", "0.500"]


def test_nothing_to_compare() -> None:
    assert agreement([], []).words == 0


def test_json_has_what_the_table_has() -> None:
    values = agreement([EXPECTED], [FOUND]).to_dict()
    assert values["labelled"] == 0.3333
    assert values["relations"]["dobj"] == {"words": 1, "unlabelled": 0.0, "labelled": 0.0}
