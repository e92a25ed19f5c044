"""The suite of truths itself: cases that a whole source passes and that some removal of words fails."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from ealm.evaluation.truth import Case, read_suite, sentences_of

FOLDER = Path(__file__).parent
CASES = read_suite(FOLDER)
KINDS = {
    *("negation", "denial", "condition", "exception", "quantifier"),
    *("modality", "attribution", "roles", "coordination", "comparison"),
    *("number", "date", "time", "scope", "speech"),
    *("question", "relative_clause", "purpose", "substitution", "coreference"),
}
FEWEST_CASES, FEWEST_OF_A_KIND = 400, 24
SHORTEST, LONGEST = 8, 45
"""Words of a text."""


def rules_of(case: Case) -> list[Case]:
    """The same text with one of its rules at a time."""
    alone = replace(case, never=(), pairs=())
    never = [replace(alone, never=(pattern,)) for pattern in case.never]
    return never + [replace(alone, pairs=(pair,)) for pair in case.pairs]


def witness(rule: Case) -> str | None:
    """The fewest words of the text, in their order, that the rule is about."""
    pattern = rule.never[0] if rule.never else rule.pairs[0].where
    words = pattern.witness(sentences_of(rule.text))
    return None if words is None else " ".join(words)


def test_every_kind_has_its_cases() -> None:
    counts = Counter(case.kind for case in CASES)
    assert set(counts) == KINDS
    assert counts.total() >= FEWEST_CASES
    assert {kind: count for kind, count in counts.items() if count < FEWEST_OF_A_KIND} == {}


def test_no_text_comes_twice() -> None:
    counts = Counter(" ".join(word for words in sentences_of(case.text) for word in words) for case in CASES)
    assert [text for text, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.place.replace(", line ", ":"))
def test_a_case_can_be_passed_and_failed(case: Case) -> None:
    assert case.violations(case.text) == [], "the source itself fails"
    assert SHORTEST <= len(case.text.split()) <= LONGEST
    for rule in rules_of(case):
        said = witness(rule)
        assert said is not None, f"no removal of words can break {rule.never or rule.pairs}"
        assert rule.violations(said), f"{said!r} ought to break {rule.never or rule.pairs}"
