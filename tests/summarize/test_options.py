"""What users may ask for, checked before anything is computed."""

import pytest

from ealm.common.errors import SettingsError
from ealm.summarize.options import SummarizeOptions, Wishes
from ealm.text.lengths import LengthRequest


def test_by_default_negations_are_protected_and_nothing_else_is_asked_for() -> None:
    assert SummarizeOptions.of() == SummarizeOptions(
        length=LengthRequest(),
        keep=(),
        protect=("negation",),
        extractive=False,
        pretokenized=False,
        trace=False,
        recoverability=False,
        reconstruction=False,
    )


def test_nothing_is_protected_in_pretokenized_text_unless_asked_for() -> None:
    assert SummarizeOptions.of(pretokenized=True).protect == ()
    assert SummarizeOptions.of(pretokenized=True, protect=["numbers"]).protect == ("numbers",)
    assert SummarizeOptions.of(pretokenized=True, protect=None).protect == ()
    assert SummarizeOptions.of(protect=None).protect == ("negation",)
    assert SummarizeOptions.of(protect=[]).protect == ()


@pytest.mark.parametrize("name", ["words", "chars", "bytes"])
def test_a_length_is_passed_on(name: str) -> None:
    assert SummarizeOptions.of(**{name: 9}).length == LengthRequest(**{name: 9})
    assert SummarizeOptions.of(**{name: None}).length == LengthRequest()


def test_a_ratio_is_passed_on() -> None:
    assert SummarizeOptions.of(ratio=0.3).length == LengthRequest(ratio=0.3)


@pytest.mark.parametrize("wishes", [{"words": 0}, {"ratio": 2}, {"words": 3, "chars": 9}])
def test_a_bad_length_is_refused(wishes: Wishes) -> None:
    with pytest.raises(SettingsError):
        SummarizeOptions.of(**wishes)


@pytest.mark.parametrize("name", ["extractive", "pretokenized", "trace", "recoverability"])
def test_switches(name: str) -> None:
    assert getattr(SummarizeOptions.of(**{name: True}), name) is True
    assert getattr(SummarizeOptions.of(**{name: False}), name) is False


def test_a_single_word_to_keep_counts_as_a_list_of_one() -> None:
    assert SummarizeOptions.of(keep="river").keep == ("river",)
    assert SummarizeOptions.of(keep=["river", "bridge"]).keep == ("river", "bridge")
    assert SummarizeOptions.of(keep=iter(["river"])).keep == ("river",)
    assert SummarizeOptions.of(keep="").keep == ()
    assert SummarizeOptions.of(keep=[" ", ""]).keep == ()


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
    assert SummarizeOptions.of(keep=phrase).keep == expected


def test_an_initial_to_keep_is_cut_as_in_a_text() -> None:
    assert SummarizeOptions.of(keep="W.").keep == ("W.",)


def test_a_phrase_to_keep_in_pretokenized_text_is_cut_at_white_space() -> None:
    assert SummarizeOptions.of(keep="Stone's -lrb- 5.2%", pretokenized=True).keep == ("Stone's", "-lrb-", "5.2%")


def test_a_single_kind_counts_as_a_list_of_one() -> None:
    assert SummarizeOptions.of(protect="numbers").protect == ("numbers",)
    assert SummarizeOptions.of(protect=("names", "negation")).protect == ("negation", "names")


@pytest.mark.parametrize("protect", ["verbs", ["names", "verbs"]])
def test_an_unknown_kind_is_refused(protect: str | list[str]) -> None:
    with pytest.raises(SettingsError, match="no kind of words 'verbs'"):
        SummarizeOptions.of(protect=protect)


def test_what_the_message_offers_can_be_asked_for() -> None:
    assert SummarizeOptions.of(protect="none").protect == ()


def test_an_unknown_option_is_named_with_those_that_exist() -> None:
    with pytest.raises(TypeError, match=r"There is no option 'length'\. Options: words, chars, bytes, ratio, keep"):
        SummarizeOptions.of(length=3)  # type: ignore[call-arg]


def test_options_cannot_be_changed() -> None:
    options = SummarizeOptions.of()
    with pytest.raises(AttributeError):
        options.trace = True  # type: ignore[misc]
