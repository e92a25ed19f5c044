"""What users may ask for, checked before anything is computed."""

import inspect
import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from ealm import Summarizer
from ealm.batch.dataframes import BatchSummarizer
from ealm.cli.summarize import summarize as command
from ealm.common.errors import SettingsError
from ealm.service.schemas import BatchLine, SummarizeRequest
from ealm.summarize.options import OPTIONS, SummarizeOptions
from ealm.text.lengths import UNITS, Limit


def test_by_default_negations_numbers_and_names_of_the_papers_agent_are_protected_and_nothing_else_is_asked_for() -> (
    None
):
    options = SummarizeOptions()
    assert options.keywords() == {name: option.default for name, option in OPTIONS.items()}
    assert (options.limit("a b c"), options.keep_words) == (None, ())
    assert options.protected_kinds("goal") == ("negation",)
    assert options.protected_kinds("paper") == ("negation", "numbers", "names")


def test_nothing_is_protected_in_pretokenized_text_unless_asked_for() -> None:
    for method in ("goal", "paper"):
        assert SummarizeOptions(pretokenized=True).protected_kinds(method) == ()
        assert SummarizeOptions(pretokenized=True, protect=["numbers"]).protected_kinds(method) == ("numbers",)
        assert SummarizeOptions(pretokenized=True, protect=None).protected_kinds(method) == ()
        assert SummarizeOptions(protect="none").protected_kinds(method) == ()
    assert SummarizeOptions(protect=[]).protected_kinds("paper") == ()


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit != "tokens"])
def test_a_number_is_the_limit_whatever_the_source(unit: str) -> None:
    options = SummarizeOptions(**{unit: 7})
    assert options.limit("") == options.limit("a b c") == Limit(7, unit)
    assert SummarizeOptions(**{unit: None}).limit("a b c") is None


def test_a_ratio_is_a_limit_of_words() -> None:
    assert SummarizeOptions(ratio=0.5).limit("a b c d") == Limit(2, "words")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("value", [0, -1, 1.5, 3.0, "3", True, False])
def test_a_length_that_is_no_number_is_refused(unit: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=rf"{unit}= must be a whole number of at least 1, got {value!r}"):
        SummarizeOptions(**{unit: value})


@pytest.mark.parametrize("value", [0, 0.0, -0.5, 1.01, 500, math.nan, math.inf, -math.inf])
def test_a_ratio_outside_its_range_is_refused(value: float) -> None:
    with pytest.raises(SettingsError, match=r"ratio= must be above 0 and at most 1, got"):
        SummarizeOptions(ratio=value)


@pytest.mark.parametrize(("value", "hint"), [(30, "0.3"), (1.5, "0.015"), (100, "1")])
def test_a_percentage_gets_a_hint(value: float, hint: str) -> None:
    with pytest.raises(SettingsError, match=rf"Did you mean {hint}\?"):
        SummarizeOptions(ratio=value)


@pytest.mark.parametrize("value", ["0.5", True, [0.5]])
def test_a_ratio_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(SettingsError, match="ratio="):
        SummarizeOptions(ratio=value)


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ({"words": 3, "chars": 20}, "Give one length, not 2: words= and chars="),
        ({"words": 3, "ratio": 0.5}, "Give one length, not 2: words= and ratio="),
        ({"words": 3, "chars": 20, "bytes": 9, "ratio": 0.5}, "Give one length, not 4"),
    ],
)
def test_only_one_length_can_be_given(lengths: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        SummarizeOptions(**lengths)


FLAGS = [name for name, option in OPTIONS.items() if option.kind == "flag"]
CHOICES = [(name, choice) for name, option in OPTIONS.items() if option.kind == "choice" for choice in option.choices]


@pytest.mark.parametrize("name", FLAGS)
def test_switches(name: str) -> None:
    assert getattr(SummarizeOptions(**{name: True}), name) is True
    assert getattr(SummarizeOptions(**{name: False}), name) is False
    with pytest.raises(SettingsError, match=f"{name}= must be True or False, got 'yes'"):
        SummarizeOptions(**{name: "yes"})


@pytest.mark.parametrize(("name", "choice"), CHOICES)
def test_choices(name: str, choice: str) -> None:
    assert getattr(SummarizeOptions(**{name: choice}), name) == choice
    with pytest.raises(SettingsError, match=rf"{name}= must be one of .*{choice}.*, got 'other'"):
        SummarizeOptions(**{name: "other"})


def test_numbers_of_numpy_are_numbers() -> None:
    options = SummarizeOptions(words=np.int64(3))
    assert (options.words, type(options.words)) == (3, int)
    assert SummarizeOptions(ratio=np.float32(0.5)).ratio == 0.5
    for ratio in ("0.5", True, float("nan"), 30):
        with pytest.raises(SettingsError, match="ratio="):
            SummarizeOptions(ratio=ratio)


def test_words_to_keep_are_strings() -> None:
    for keep in (5, ["river", 5], None):
        with pytest.raises(SettingsError, match="keep= must be a string or a list of strings"):
            SummarizeOptions(keep=keep)  # type: ignore[arg-type]


def test_a_single_word_to_keep_counts_as_a_list_of_one() -> None:
    assert SummarizeOptions(keep="river").keep_words == ("river",)
    assert SummarizeOptions(keep=["river", "bridge"]).keep_words == ("river", "bridge")
    assert SummarizeOptions(keep=iter(["river"])).keep_words == ("river",)
    assert SummarizeOptions(keep="").keep_words == ()
    assert SummarizeOptions(keep=[" ", ""]).keep_words == ()


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("New York", ("New", "York")),
        ("U.S.", ("U.S.",)),
        ("Acme Corp.", ("Acme", "Corp.")),
        ("$5.2 million", ("$", "5.2", "million")),
        ("Stone's", ("Stone", "'s")),
        ("don't", ("don't",)),
    ],
)
def test_a_phrase_to_keep_is_cut_as_the_text_will_be(phrase: str, expected: tuple[str, ...]) -> None:
    assert SummarizeOptions(keep=phrase).keep_words == expected


def test_an_initial_to_keep_is_cut_as_in_a_text() -> None:
    assert SummarizeOptions(keep="W.").keep_words == ("W.",)


def test_a_phrase_to_keep_in_pretokenized_text_is_cut_at_white_space() -> None:
    assert SummarizeOptions(keep="Stone's -lrb- 5.2%", pretokenized=True).keep_words == ("Stone's", "-lrb-", "5.2%")


def test_a_single_kind_counts_as_a_list_of_one() -> None:
    assert SummarizeOptions(protect="numbers").protected_kinds("goal") == ("numbers",)
    assert SummarizeOptions(protect=("names", "negation")).protected_kinds("goal") == ("negation", "names")


@pytest.mark.parametrize("protect", ["verbs", ["names", "verbs"]])
def test_an_unknown_kind_is_refused(protect: str | list[str]) -> None:
    with pytest.raises(SettingsError, match="protect= must be one of negation, numbers, names, none, got 'verbs'"):
        SummarizeOptions(protect=protect)


def test_what_the_message_offers_can_be_asked_for() -> None:
    assert SummarizeOptions(protect="none").protected_kinds("goal") == ()


def test_options_are_picked_from_other_arguments_by_name() -> None:
    assert SummarizeOptions.of({"self": None, "texts": "a", "words": 3}) == SummarizeOptions(words=3)
    assert SummarizeOptions(words=3, keep="a").keywords("length")["words"] == 3
    assert "keep" not in SummarizeOptions(words=3, keep="a").keywords("length")


def test_equal_options_are_one_key() -> None:
    assert len({SummarizeOptions(keep=["a"]), SummarizeOptions(keep=("a",)), SummarizeOptions(keep="a")}) == 1


def test_options_cannot_be_changed() -> None:
    options = SummarizeOptions()
    with pytest.raises(AttributeError):
        options.trace = True  # type: ignore[misc]


# One table for all ----------------------------------------------------------------------------------------------------


def keywords_of(function: Any) -> dict[str, Any]:
    """Keywords of a signature that are options, with their defaults."""
    parameters = inspect.signature(function).parameters.values()
    assert not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    return {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY and each.name in OPTIONS}


TABLE = {name: option.default for name, option in OPTIONS.items()}


TYPES = {row.name: row.type for row in fields(SummarizeOptions)}


@pytest.mark.parametrize("function", [Summarizer.summarize, BatchSummarizer.__init__])
def test_python_has_the_options_of_the_table_in_its_signatures(function: Any) -> None:
    found = keywords_of(function)
    missing = [name for name in TABLE if name not in found]
    assert not missing, (
        f"{function.__qualname__} lacks the keyword {missing[0]} of the table of options: in its signature, after "
        f"{list(TABLE)[list(TABLE).index(missing[0]) - 1]}, add {missing[0]}: {TYPES[missing[0]]} = {TABLE[missing[0]]}"
    )
    assert found == TABLE
    assert list(found) == list(TABLE)
    annotations = inspect.get_annotations(function)
    assert {name: annotations[name] for name in TABLE} == {name: TYPES[name] for name in TABLE}


def test_summarize_documents_the_options_of_the_table() -> None:
    text = str(inspect.getdoc(Summarizer.summarize))
    missing = [name for name in TABLE if f"    {name}: " not in text]
    assert not missing, f"The docstring of Summarizer.summarize lacks {missing[0]}: under Args, say what it does."
    keywords = [each for each in inspect.signature(Summarizer.summarize).parameters if each not in {"self", "texts"}]
    assert keywords == list(TABLE)


def test_curves_have_all_options_but_the_length() -> None:
    lengths = {name for name, option in OPTIONS.items() if option.group == "length"}
    expected = {name: default for name, default in TABLE.items() if name not in lengths}
    assert keywords_of(Summarizer.curve) == {**expected, "recoverability": True}


def test_requests_have_the_options_of_the_table() -> None:
    for request in (SummarizeRequest, BatchLine):
        assert set(OPTIONS) == set(request.model_fields) - {"text", "id"}
        assert request(text="a").options() == SummarizeOptions()


def test_the_command_has_the_options_of_the_table() -> None:
    parameters = {parameter.name: parameter for parameter in command.params}
    for name, option in OPTIONS.items():
        assert f"--{name.replace('_', '-')}" in parameters[name].opts
        assert option.help in str(parameters[name].help)
