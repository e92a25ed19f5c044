"""The lists of English words: in one place, in lower case, and related as their names say."""

import ast
from pathlib import Path

import pytest

import ealm
from ealm.text import word_lists
from ealm.text.word_lists import (
    ARTICLES,
    AUXILIARIES,
    COUNTS,
    DELETED_WORDS,
    DETERMINERS,
    DURATIVE_VERBS,
    FREE_NEGATIONS,
    FUNCTION_WORDS,
    HEDGES,
    INFINITIVES,
    NEGATIONS,
    PREPOSITIONS,
    PRESENT_PROGRESSIVE_VERBS,
    STOP_WORDS,
    VERB_NEGATIONS,
)

PACKAGE = Path(ealm.__file__).parent
LISTS = {name: words for name, words in vars(word_lists).items() if name.isupper() and not name.startswith("_")}


@pytest.mark.parametrize("name", LISTS)
def test_words_are_in_lower_case_and_not_empty(name: str) -> None:
    assert LISTS[name]
    assert all(word and word == word.lower() for word in LISTS[name])


def test_smaller_lists_are_parts_of_larger_ones() -> None:
    assert FREE_NEGATIONS < VERB_NEGATIONS < NEGATIONS
    assert ARTICLES < DETERMINERS < FUNCTION_WORDS
    assert HEDGES < AUXILIARIES
    assert set(DURATIVE_VERBS) | set(PRESENT_PROGRESSIVE_VERBS) < INFINITIVES
    assert set(DURATIVE_VERBS).isdisjoint(PRESENT_PROGRESSIVE_VERBS)


def test_the_two_lists_of_stop_words_differ_as_documented() -> None:
    assert {"year", "weeks", "#", "##.#"} <= STOP_WORDS - DELETED_WORDS
    assert DELETED_WORDS - NEGATIONS <= STOP_WORDS
    assert COUNTS | {"monday", "the", "was", "who"} <= STOP_WORDS
    assert STOP_WORDS.isdisjoint(PREPOSITIONS | NEGATIONS)
    assert STOP_WORDS.isdisjoint({"and", "or", "but", "if", "because", "although", "while", "very", "also"})


def word_lists_in(path: Path) -> list[int]:
    """Lines with a literal of three or more words that is split into a list."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
        and isinstance(node.func.value, ast.Constant)
        and len([word for word in str(node.func.value.value).split() if word.isalpha()]) > 2
    ]


@pytest.mark.parametrize("package", ["text", "lm", "grammar", "paper", "goal_agent", "summarize"])
def test_no_other_module_has_a_list_of_words(package: str) -> None:
    tables = {
        "word_lists.py",
        "german_words.py",
        "rules.py",
        "rule_words.py",
    }  # words by themselves, or as rules need them
    names = {"html_blocks.py", "clean_folder.py"}  # names of tags and of keys are no words of a language
    modules = [path for path in (PACKAGE / package).rglob("*.py") if path.name not in tables | names]
    assert {path.name: lines for path in modules if (lines := word_lists_in(path))} == {}
