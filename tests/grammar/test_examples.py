import random

from ealm.grammar.protocol import Parse
from ealm.grammar.training.examples import Example, as_headline, as_prepared, varied, without_final_punctuation

# The bridge was closed (for 12 days) .
EXAMPLE = Example(
    ("The", "bridge", "was", "closed", "(", "for", "12", "days", ")", "."),
    Parse(
        (1, 3, 3, -1, 5, 3, 7, 5, 5, 3),
        ("det", "nsubjpass", "auxpass", "ROOT", "punct", "prep", "nummod", "pobj", "punct", "punct"),
        ("DT", "NN", "VBD", "VBN", "-LRB-", "IN", "CD", "NNS", "-RRB-", "."),
    ),
)


def test_prepared_text_keeps_its_tree() -> None:
    found = as_prepared(EXAMPLE)
    assert found.words == ("the", "bridge", "was", "closed", "-lrb-", "for", "##", "days", "-rrb-", ".")
    assert found.parse is EXAMPLE.parse


def test_the_final_full_stop_goes_with_its_arc() -> None:
    found = without_final_punctuation(EXAMPLE)
    assert found.words == EXAMPLE.words[:-1]
    assert found.parse.heads == EXAMPLE.parse.heads[:-1]
    assert without_final_punctuation(found) is found


def test_a_headline_has_no_articles_and_no_auxiliaries() -> None:
    found = as_headline(EXAMPLE)
    assert found.words == ("bridge", "closed", "(", "for", "12", "days", ")")
    assert found.parse.heads == (1, -1, 3, 1, 5, 3, 3)


def test_a_single_word_stays() -> None:
    alone = Example(("!",), Parse((-1,), ("ROOT",), (".",)))
    assert as_headline(alone) == alone


def test_most_sentences_stay_as_they_are_and_the_draw_decides() -> None:
    forms = [varied(EXAMPLE, random.Random(seed)) for seed in range(200)]
    assert 100 < sum(form is EXAMPLE for form in forms) < 180
    assert {len(form.words) for form in forms} == {10, 9, 7}
    assert forms == [varied(EXAMPLE, random.Random(seed)) for seed in range(200)]
