"""A sentence with what must stay of it, at any length."""

from collections.abc import Sequence
from typing import Any

import pytest
from fakes import TableMaskedLM
from hypothesis import given
from hypothesis import strategies as st

from ealm.common.config import IgnoredWordsSettings
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.rollout import Step, Walk
from ealm.summarize.length_fitting import shorten
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.prepared_sentence import PreparedSentence
from ealm.text.lengths import Limit, Unit, measure
from ealm.text.sentences import Sentence, pretokenized_sentence
from ealm.text.tokenizer import tokenize

LM = TableMaskedLM({"cue": "follower"}, ["river", "rises", "not", "the", "."])
IGNORED = IgnoredWords(IgnoredWordsSettings(infrequent="none"))
KEEP, REMOVE, REPLACE = Action.KEEP, Action.REMOVE, Action.REPLACE


def prepared_from(text: str, **given_options: object) -> PreparedSentence:
    options = SummarizeOptions(**given_options)  # type: ignore[arg-type]
    sentence = pretokenized_sentence(text) if options.pretokenized else Sentence(text, tuple(tokenize(text)))
    return PreparedSentence.prepare(sentence, LM, IGNORED, options)


def words_at(prepared: PreparedSentence, indices: Sequence[int]) -> list[str]:
    return [prepared.sentence.words[index] for index in indices]


def walk_over(prepared: PreparedSentence, order: Sequence[int] | None = None, action: Action = REMOVE) -> Walk:
    """The same decision for every word that is not locked, from left to right unless told otherwise."""
    indices = range(len(prepared.sentence.tokens)) if order is None else order
    steps = [Step(index, action, (0.0, 0.0, 0.0)) for index in indices if index not in prepared.locked]
    return Walk(len(prepared.sentence.tokens), tuple(steps))


def shortest(prepared: PreparedSentence, walk: Walk, size: int, unit: Unit) -> str:
    return prepared.text(prepared.shortened(walk, Limit(size, unit)).actions)


# Preparing ------------------------------------------------------------------------------------------------------------


def test_words_are_looked_up() -> None:
    prepared = prepared_from("The river rises.")
    assert prepared.source.words == ("The", "river", "rises", ".")
    assert prepared.source.ids == LM.word_ids(["The", "river", "rises", "."])


def test_a_sign_stays_or_goes_with_its_number() -> None:
    prepared = prepared_from("Bridge falls to $31.20 or 5%.", protect=[])
    assert {
        prepared.sentence.words[own]: prepared.sentence.words[head] for own, head in prepared.dependents.items()
    } == {
        "$": "31.20",
        "%": "5",
    }
    assert shortest(prepared, walk_over(prepared, [0, 1, 2, 5, 6, 4]), 1, "words") == "$31.20."
    assert prepared_from("$ 31.20", pretokenized=True).dependents == {}


def test_named_words_are_pinned_and_no_longer_precious() -> None:
    prepared = prepared_from("The river does not rise.", keep=["River", "not", "."])
    assert words_at(prepared, sorted(prepared.hard_keep)) == ["river", "not", "."]
    assert prepared.soft_keep == ()
    assert prepared.locked == prepared.hard_keep


def test_precious_words_come_by_kind_and_the_final_mark_last() -> None:
    prepared = prepared_from("In Oslo 5 men said no.", protect=["names", "numbers", "negation"])
    assert words_at(prepared, prepared.soft_keep) == ["no", "5", "Oslo", "."]
    assert prepared.locked == set(prepared.soft_keep)


def test_a_negation_is_tied_to_the_word_that_it_negates() -> None:
    prepared = prepared_from("In Oslo 5 men did not leave.")
    assert [(words_at(prepared, pair)) for pair in prepared.dependents.items()] == [["not", "leave"]]
    assert words_at(prepared, prepared.soft_keep) == ["."]
    assert prepared.locked == {*prepared.dependents, *prepared.soft_keep}


@pytest.mark.parametrize(
    ("given_options", "soft_keep"), [({"keep": ["leave"]}, ["not", "."]), ({"keep": ["not"]}, ["."])]
)
def test_a_negation_of_a_word_that_stays_anyway_is_protected_itself(
    given_options: dict[str, Any], soft_keep: list[str]
) -> None:
    prepared = prepared_from("In Oslo 5 men did not leave.", **given_options)
    assert not prepared.dependents
    assert words_at(prepared, prepared.soft_keep) == soft_keep


def test_a_word_of_two_kinds_is_precious_once() -> None:
    prepared = prepared_from("He met F-16 men", protect=["names", "numbers"])
    assert words_at(prepared, prepared.soft_keep) == ["F-16"]


def test_marks_are_all_punctuation() -> None:
    prepared = prepared_from("“Not (really), 5 men,” he said…")
    assert words_at(prepared, sorted(prepared.punctuation)) == ["“", "(", ")", ",", ",", "”", "…"]


def test_in_pretokenized_text_no_mark_is_special() -> None:
    prepared = prepared_from("the river did not rise .", pretokenized=True)
    assert (prepared.hard_keep, prepared.soft_keep, prepared.punctuation) == (frozenset(), (), frozenset())
    protected = prepared_from("the river did not rise .", pretokenized=True, protect=["negation"])
    assert [words_at(protected, pair) for pair in protected.dependents.items()] == [["not", "rise"]]


# Writing --------------------------------------------------------------------------------------------------------------


def test_dangling_marks_are_tidied_away() -> None:
    prepared = prepared_from("The river (old), rises.")
    actions = [KEEP, KEEP, KEEP, REMOVE, KEEP, KEEP, KEEP, KEEP]
    assert prepared.kept(actions) == [0, 1, 5, 6, 7]
    assert prepared.text(actions) == "The river, rises."


def test_pinned_marks_are_not_tidied_away() -> None:
    prepared = prepared_from("The river (old), rises.", keep="(")
    actions = [REMOVE, KEEP, KEEP, REMOVE, KEEP, KEEP, KEEP, KEEP]
    assert 2 in prepared.kept(actions)
    assert 4 not in prepared.kept(actions)


def test_pretokenized_words_are_not_tidied() -> None:
    prepared = prepared_from("the river -lrb- old -rrb- rises .", pretokenized=True)
    actions = [REMOVE, KEEP, KEEP, REMOVE, REMOVE, KEEP, KEEP]
    assert prepared.text(actions) == "river -lrb- rises ."


def test_new_words_are_written_in_their_places() -> None:
    prepared = prepared_from("The river rises.")
    assert prepared.text([REPLACE, REMOVE, KEEP, KEEP], {0: "a"}) == "A rises."


def test_if_nothing_is_left_nothing_is_written() -> None:
    assert prepared_from("The river rises.").text([REMOVE] * 4) == ""


# Shortening -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "unit", "expected"),
    [
        (9, "words", "The old river (Oslo) rises, then falls."),
        (7, "words", "The old river (Oslo) rises, then falls."),
        (6, "words", "Old river (Oslo) rises, then falls."),
        (4, "words", "(Oslo) rises, then falls."),
        (3, "words", "Rises, then falls."),
        (2, "words", "Then falls."),
        (1, "words", "Falls."),
        (39, "chars", "The old river (Oslo) rises, then falls."),
        (38, "chars", "Old river (Oslo) rises, then falls."),
        (18, "chars", "Rises, then falls."),
        (17, "chars", "Then falls."),
        (6, "chars", "Falls."),
    ],
)
def test_punctuation_does_not_count_as_words_and_is_tidied_before_measuring(
    size: int, unit: Unit, expected: str
) -> None:
    prepared = prepared_from("The old river (Oslo) rises, then falls.")
    assert shortest(prepared, walk_over(prepared), size, unit) == expected


def test_bytes_are_those_of_utf8() -> None:
    prepared = prepared_from("Zürich öde übel")
    walk = walk_over(prepared)
    assert shortest(prepared, walk, 17, "bytes") == "Öde übel"
    assert shortest(prepared, walk, 18, "bytes") == "Zürich öde übel"


def test_a_negation_that_negates_nothing_and_then_the_full_stop_stay_longest() -> None:
    prepared = prepared_from("The river said no.")
    walk = walk_over(prepared, action=KEEP)
    assert shortest(prepared, walk, 1, "words") == "No."
    assert shortest(prepared, walk, 2, "words") == "The no."
    assert shortest(prepared, walk, 2, "chars") == "No"


def test_a_negation_stays_and_goes_with_its_word() -> None:
    prepared = prepared_from("The river did not rise.")
    rising = [prepared.source.words.index("rise")]
    last = walk_over(prepared, [0, 1, 2, *rising])
    assert [shortest(prepared, last, size, "words") for size in (4, 3, 2)] == [
        "River did not rise.",
        "Did not rise.",
        "Not rise.",
    ]
    first = walk_over(prepared, [*rising, 0, 1, 2])
    assert [shortest(prepared, first, size, "words") for size in (4, 3, 2, 1)] == ["The river did."] * 2 + [
        "River did.",
        "Did.",
    ]


def test_pinned_words_stay_even_if_they_do_not_fit() -> None:
    prepared = prepared_from("The river did not rise.", keep=["river", "rise"])
    assert shortest(prepared, walk_over(prepared), 1, "words") == "River rise"


def test_pretokenized_marks_count_as_words() -> None:
    prepared = prepared_from("the river , rises .", pretokenized=True)
    walk = walk_over(prepared)
    assert [shortest(prepared, walk, size, "words") for size in (5, 4, 3, 2, 1)] == [
        "the river , rises .",
        "river , rises .",
        ", rises .",
        "rises .",
        ".",
    ]


@pytest.mark.parametrize("unit", ["words", "chars", "bytes"])
def test_what_fits_is_not_touched(unit: Unit) -> None:
    text = "“The (old) river,” he said — no…"
    prepared = prepared_from(text)
    result = prepared.shortened(walk_over(prepared), Limit(measure(text, unit), unit))
    assert result.step == 0
    assert prepared.text(result.actions) == text


@pytest.mark.parametrize("text", ["NATO/EU/UN", "not/no", "“Never”/“not”"])
def test_what_fits_is_not_touched_though_its_precious_words_alone_would_not_fit(text: str) -> None:
    prepared = prepared_from(text, protect=["negation", "names"])
    assert shortest(prepared, walk_over(prepared), 1, "words") == text


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Oslo, river", (0, 2, 1)),
        ("Stone's", (0, 1)),
        ("$5", (1, 0)),
        ("Old (river)", (0, 2, 1, 3)),
        ("old/river", (0, 2, 1)),
    ],
)
@pytest.mark.parametrize("unit", ["chars", "bytes"])
def test_a_sign_that_would_be_tidied_away_is_not_all_that_is_left(
    text: str, order: tuple[int, ...], unit: Unit
) -> None:
    """Whatever the limit: what does not fit is cut later, but nothing is not a summary."""
    prepared = prepared_from(text)
    assert shortest(prepared, walk_over(prepared, order), 1, unit)


@given(
    st.sampled_from(("The old river (Oslo) rises, then falls.", "“No,” he said; the river rose 5.2%!")),
    st.sampled_from((KEEP, REMOVE)),
    st.sampled_from(("words", "chars", "bytes")),
    st.integers(1, 45),
    st.data(),
)
def test_no_length_is_exceeded_unless_a_single_word_does(
    text: str, action: Action, unit: Unit, size: int, data: st.DataObject
) -> None:
    prepared = prepared_from(text)
    order = data.draw(st.permutations(range(len(prepared.sentence.tokens))))
    result = shortest(prepared, walk_over(prepared, order, action), size, unit)
    assert result
    assert measure(result, unit) <= size or len(result.split()) == 1


@given(
    st.sampled_from(
        ("The (old river) rises/falls, then “falls.”", "$5 a day, he said: “No (yes)!”", "東京 は ($ 5) ß no")
    ),
    st.sampled_from(("words", "chars", "bytes")),
    st.integers(1, 40),
    st.data(),
)
def test_bounds_do_not_change_what_fits(text: str, unit: Unit, size: int, data: st.DataObject) -> None:
    """As if every state of the walk were written and measured."""
    prepared = prepared_from(text)
    order = data.draw(st.permutations(range(len(prepared.sentence.tokens))))
    walk = walk_over(prepared, order, data.draw(st.sampled_from((KEEP, REMOVE))))

    def fits(indices: Sequence[int]) -> bool:
        actions = [KEEP if index in indices else REMOVE for index in range(walk.length)]
        return measure(prepared.text(actions), unit) <= size

    expected = shorten(
        walk,
        fits,
        hard_keep=prepared.hard_keep,
        soft_keep=prepared.soft_keep,
        dependents=prepared.dependents,
        punctuation=prepared.punctuation,
    )
    assert prepared.shortened(walk, Limit(size, unit)) == expected


OPTION_VALUES: list[dict[str, Any]] = [{}, {"protect": []}, {"keep": "river"}]


@pytest.mark.parametrize("given_options", OPTION_VALUES)
def test_longer_limits_give_longer_texts_where_decisions_are_alike(given_options: dict[str, Any]) -> None:
    prepared = prepared_from("The old river of Oslo rises not now but then", **given_options)
    lengths = [len(shortest(prepared, walk_over(prepared), size, "words").split()) for size in range(1, 12)]
    assert lengths == [*range(1, 11), 10]
