"""What users may ask for, checked before anything is computed."""

import inspect
from typing import Any

import numpy as np
import pytest

from ealm import Summarizer
from ealm.batch.dataframes import BatchSummarizer
from ealm.cli.summarize import summarize as command
from ealm.common.errors import SettingsError
from ealm.service.schemas import BatchLine, SummarizeRequest
from ealm.summarize.options import OPTIONS, SummarizeOptions
from ealm.text.lengths import LengthRequest


def test_by_default_negations_are_protected_and_nothing_else_is_asked_for() -> None:
    options = SummarizeOptions()
    assert options.keywords() == {name: option.default for name, option in OPTIONS.items()}
    assert (options.length, options.keep_words, options.protected_kinds) == (LengthRequest(), (), ("negation",))


def test_nothing_is_protected_in_pretokenized_text_unless_asked_for() -> None:
    assert SummarizeOptions(pretokenized=True).protected_kinds == ()
    assert SummarizeOptions(pretokenized=True, protect=["numbers"]).protected_kinds == ("numbers",)
    assert SummarizeOptions(pretokenized=True, protect=None).protected_kinds == ()
    assert SummarizeOptions(protect=None).protected_kinds == ("negation",)
    assert SummarizeOptions(protect=[]).protected_kinds == ()


@pytest.mark.parametrize("name", ["words", "chars", "bytes"])
def test_a_length_is_passed_on(name: str) -> None:
    assert SummarizeOptions(**{name: 9}).length == LengthRequest(**{name: 9})
    assert SummarizeOptions(**{name: None}).length == LengthRequest()


def test_a_ratio_is_passed_on() -> None:
    assert SummarizeOptions(ratio=0.3).length == LengthRequest(ratio=0.3)


@pytest.mark.parametrize("given_options", [{"words": 0}, {"ratio": 2}, {"words": 3, "chars": 9}])
def test_a_bad_length_is_refused(given_options: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        SummarizeOptions(**given_options)


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
    assert SummarizeOptions(protect="numbers").protected_kinds == ("numbers",)
    assert SummarizeOptions(protect=("names", "negation")).protected_kinds == ("negation", "names")


@pytest.mark.parametrize("protect", ["verbs", ["names", "verbs"]])
def test_an_unknown_kind_is_refused(protect: str | list[str]) -> None:
    with pytest.raises(SettingsError, match="protect= must be one of negation, numbers, names, none, got 'verbs'"):
        SummarizeOptions(protect=protect)


def test_what_the_message_offers_can_be_asked_for() -> None:
    assert SummarizeOptions(protect="none").protected_kinds == ()


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


def test_summarize_has_the_options_of_the_table_in_its_signature() -> None:
    found = keywords_of(Summarizer.summarize)
    assert found == TABLE
    assert list(found) == list(TABLE)
    annotations = inspect.get_annotations(SummarizeOptions)
    own = inspect.get_annotations(Summarizer.summarize)
    assert {name: own[name] for name in TABLE} == {name: annotations[name] for name in TABLE}
    keywords = [each for each in inspect.signature(Summarizer.summarize).parameters if each not in {"self", "texts"}]
    assert keywords == list(TABLE)
    text = inspect.getdoc(Summarizer.summarize)
    assert [name for name in TABLE if f"    {name}: " not in str(text)] == []


def test_curves_have_all_options_but_the_length() -> None:
    lengths = {name for name, option in OPTIONS.items() if option.group == "length"}
    expected = {name: default for name, default in TABLE.items() if name not in lengths}
    assert keywords_of(Summarizer.curve) == {**expected, "recoverability": True}


def test_data_frames_and_requests_have_the_options_of_the_table() -> None:
    assert keywords_of(BatchSummarizer) == TABLE
    for request in (SummarizeRequest, BatchLine):
        assert set(OPTIONS) == set(request.model_fields) - {"text", "id"}
        assert request(text="a").options() == SummarizeOptions()


def test_the_command_has_the_options_of_the_table() -> None:
    parameters = {parameter.name: parameter for parameter in command.params}
    for name, option in OPTIONS.items():
        assert f"--{name}" in parameters[name].opts
        assert option.help in str(parameters[name].help)
