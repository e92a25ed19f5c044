"""Messages name Python arguments, and can be put in other terms."""

import pytest

from ealm.common.errors import EalmError, TextError, TextTypeError, with_names

NAMES = {"lm": "--lm", "effort": "--effort", "output_column": "--output-column"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Choose another model with lm=.", "Choose another model with --lm."),
        ("Name it: lm=", "Name it: --lm"),
        ("lm= must be a folder", "--lm must be a folder"),
        ("effort=plan needs it, or effort=search.", "--effort plan needs it, or --effort search."),
        ("(output_column=, lm=)", "(--output-column, --lm)"),
        ("goal.agent.lm=true", "goal.agent.lm=true"),
        ("a folder ?lm=3 /lm=3 --lm=3 xlm=3", "a folder ?lm=3 /lm=3 --lm=3 xlm=3"),
        ("words= is an argument of others", "words= is an argument of others"),
    ],
)
def test_arguments_go_by_other_names(message: str, expected: str) -> None:
    assert with_names(message, NAMES) == expected


def test_what_is_no_text_is_an_error_of_type_and_of_value() -> None:
    assert issubclass(TextTypeError, EalmError | TextError | TypeError)
