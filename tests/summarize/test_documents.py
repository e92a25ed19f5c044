"""Several sentences and one length for all of them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from fakes import TableMaskedLM
from hypothesis import given, settings
from hypothesis import strategies as st

from ealm.common.config import IgnoredWordsSettings
from ealm.common.errors import TextError
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.rollout import Step, Walk
from ealm.summarize.documents import LengthPlanner, Text, assembled, cut
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.prepared_sentence import PreparedSentence
from ealm.summarize.salience import Floats
from ealm.text.lengths import UNITS, Limit, Unit, measure
from ealm.text.sentences import Sentence, split_sentences

UNITS_OF_TEXT = [unit for unit, row in UNITS.items() if not row.by_tokenizer]
LM = TableMaskedLM({"cue": "follower"}, ["river"])
IGNORED = IgnoredWords(IgnoredWordsSettings(infrequent="none"))


def text_of(text: str, **given_options: object) -> Text:
    options = SummarizeOptions(**given_options)  # type: ignore[arg-type]
    sentences = [PreparedSentence.prepare(sentence, LM, IGNORED, options) for sentence in split_sentences(text)]
    return Text(tuple(sentences), options.limit(text), options)


def walks_of(text: Text, action: Action = Action.REMOVE) -> list[Walk]:
    """Every word from left to right."""
    return [
        Walk(
            len(prepared.sentence.tokens),
            tuple(
                Step(index, action, (0.0, 0.0, 0.0))
                for index in range(len(prepared.sentence.tokens))
                if index not in prepared.locked
            ),
        )
        for prepared in text.sentences
    ]


def unlike(text: Text) -> Floats:
    """Vectors of sentences that have nothing in common."""
    return np.eye(len(text.sentences))


def planner_of(text: Text, action: Action = Action.REMOVE, vectors: Floats | None = None, **how: bool) -> LengthPlanner:
    return LengthPlanner(text.sentences, walks_of(text, action), unlike(text) if vectors is None else vectors, **how)


def planned(
    text: Text,
    size: int,
    unit: Unit = "words",
    action: Action = Action.REMOVE,
    vectors: Floats | None = None,
    **how: bool,
) -> str:
    result = planner_of(text, action, vectors, **how).plan(Limit(size, unit))
    parts = [prepared.text(chosen.actions) for prepared, chosen in zip(text.sentences, result, strict=True)]
    return assembled([prepared.sentence for prepared in text.sentences], parts)


# Putting together -----------------------------------------------------------------------------------------------------


def put_together(text: str, kept: Sequence[str]) -> str:
    """What is left if each sentence is replaced by what is given for it."""
    return assembled(split_sentences(text), kept)


THREE = "One river.  Two rivers.\n\nThree rivers."


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["A.", "B.", "C."], "A.  B.\n\nC."),
        (["", "B.", "C."], "B.\n\nC."),
        (["A.", "", "C."], "A.\n\nC."),
        (["A.", "B.", ""], "A.  B."),
        (["A.", "", ""], "A."),
        (["", "", "C."], "C."),
        (["", "", ""], ""),
    ],
)
def test_gaps_stay_between_what_is_left(parts: list[str], expected: str) -> None:
    assert put_together(THREE, parts) == expected


@pytest.mark.parametrize(
    ("text", "parts", "expected"),
    [
        ("One.\nTwo. Three.", ["A.", "", "C."], "A.\nC."),
        ("One.\n\nTwo.\nThree.", ["A.", "", "C."], "A.\n\nC."),
        ("One.\r\n\r\nTwo. Three.", ["A.", "", "C."], "A.\r\n\r\nC."),
        ("一。二。三。", ["一。", "", "三。"], "一。三。"),
        ("Ⅰ. One. Two.", ["", "A.", "B."], "A. B."),
    ],
)
def test_the_widest_gap_stays_where_a_sentence_is_dropped(text: str, parts: list[str], expected: str) -> None:
    assert put_together(text, parts) == expected


def test_pieces_of_an_endless_sentence_do_not_grow_together() -> None:
    """Cut between words, the gap may be empty; a dropped piece must not join its neighbours."""
    sentences = [Sentence("one", (), ""), Sentence("/two", (), " "), Sentence("three", (), "")]
    assert assembled(sentences, ["one", "", "three"]) == "one three"


@given(st.lists(st.sampled_from(("One.", "It rises!", "no end")), max_size=4), st.sampled_from((" ", "\n", "\n\n")))
def test_a_text_with_all_its_sentences_is_itself(sentences: list[str], gap: str) -> None:
    text = gap.join(sentences)
    assert put_together(text, [sentence.text for sentence in split_sentences(text)]) == text


# One sentence ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "expected"), [(1, "Rises"), (2, "River rises"), (3, "The river rises"), (9, "The river rises")]
)
def test_a_single_sentence_has_the_limit_for_itself(size: int, expected: str) -> None:
    assert planned(text_of("The river rises"), size) == expected


def test_words_to_keep_that_do_not_fit_are_an_error_that_says_how_long_they_are() -> None:
    text = text_of("The river and the bridge", keep=["river", "bridge"])
    assert planned(text, 2) == "River bridge"
    with pytest.raises(TextError, match=r"words to keep take 2 words, and the limit is 1\. Allow more, or keep fewer"):
        planned(text, 1)
    with pytest.raises(TextError, match=r"words to keep take 12 chars, and the limit is 11"):
        planned(text, 11, "chars")


# Several sentences ----------------------------------------------------------------------------------------------------

STORY = (
    "The river rises in winter. “It is late,” says the doctor.\n\n"
    "The old bridge (of stone) falls, and nobody is on it. Yes.\nThe village waits for the summer…"
)


@pytest.mark.parametrize("unit", UNITS_OF_TEXT)
def test_with_room_for_all_nothing_changes(unit: Unit) -> None:
    assert planned(text_of(STORY), measure(STORY, unit), unit) == STORY
    assert planned(text_of(STORY), measure(STORY, unit) + 9, unit) == STORY


@pytest.mark.parametrize("action", [Action.REMOVE, Action.KEEP])
@pytest.mark.parametrize("unit", UNITS_OF_TEXT)
def test_the_whole_text_meets_the_limit_at_every_size(unit: Unit, action: Action) -> None:
    text = text_of(STORY)
    whole = measure(STORY, unit)
    for size in {1, 2, 3, 5, *range(8, whole, whole // 8), whole - 1, whole, whole + 1}:
        result = planned(text, size, unit, action)
        assert measure(result, unit) <= size or len(result.split()) == 1
        assert result


def test_the_limit_is_used() -> None:
    """Every word is a step: only four words are worth a new sentence."""
    text = text_of("One two three four five six.\nSeven eight nine ten.\nEleven twelve thirteen fourteen fifteen")
    lengths = [len(planned(text, size).split()) for size in range(1, 17)]
    assert lengths[:6] == [1, 2, 3, 4, 5, 6]
    assert all(size - 3 <= length <= size for size, length in enumerate(lengths, start=1))


def test_a_short_sentence_does_not_keep_a_long_one_out() -> None:
    """Fifteen per cent of the long sentence are more than the limit, but five words of it are not."""
    text = text_of(" ".join(f"word{number}" for number in range(100)) + ". Yes.")
    assert len(planned(text, 5).split()) == 5


@pytest.mark.parametrize("size", [3, 9, 10, 11])
def test_a_word_that_is_too_long_is_still_better_than_marks(size: int) -> None:
    """It is cut then."""
    assert planned(text_of("— !\n\nRiverbridge"), size, "chars") == "Riverbridge"
    assert planned(text_of("— !\n\n[…]"), size, "chars") != ""


def test_marks_to_keep_are_not_given_up_for_a_word_that_does_not_fit() -> None:
    text = text_of("— !\n\nRiverbridge", keep="—")
    assert planned(text, 5, "chars") == "— !"
    assert planned(text, 14, "chars") == "—\n\nRiverbridge"


@pytest.mark.parametrize("unit", ["chars", "bytes"])
def test_gaps_of_unlike_width_do_not_cost_a_sentence(unit: Unit) -> None:
    text = "One. Two.\n\n\n\n\nThree. Four."
    assert planned(text_of(text), measure(text, unit), unit) == text


def test_a_character_of_chinese_or_japanese_is_a_word() -> None:
    text = "東京は雨。北京も雨。"
    assert planned(text_of(text), 8) == text
    assert planned(text_of(text), 4) == "東京は雨。"


def test_paragraphs_stay_apart() -> None:
    text = text_of("One two three four five.\n\nSix seven eight nine ten.")
    result = planned(text, 9)
    assert result.count("\n\n") == 1
    assert len(result.split()) == 9


def test_what_the_text_is_about_stays() -> None:
    text = text_of("Cats sleep so much.\nDogs bark at night.\nRivers flood the fields.\nRivers kill old trees.")
    about = np.array([[1.0, 0.0, 0.0], [-0.6, 0.0, 0.8], [0.5, 0.86, 0.0], [-0.5, 0.86, 0.0]])
    assert planned(text, 4, vectors=about) == "Rivers flood the fields."


def test_an_opening_sentence_is_worth_more() -> None:
    text = text_of("One two three four. Five six seven eight. Nine ten eleven twelve.")
    assert planned(text, 4) == "One two three four."


def test_what_is_said_twice_is_said_once() -> None:
    text = text_of("Wide river rises fast.\nWide river rises fast today.\nStones of river fall.")
    same = np.array([[1.0, 0.0], [0.99, 0.141], [0.0, 1.0]])
    assert planned(text, 8, vectors=same) == "Wide river rises fast.\nStones of river fall."


@pytest.mark.parametrize(
    ("text", "reference", "antecedent"),
    [
        ("Snow falls hard now. The dam broke at noon. It was old and very weak.", "It", "broke"),
        ("Snow falls. The firm sells boats here. The company said it would grow.", "company", "firm"),
        ("Snow falls.\nThe judge freed Tom Reyes.\nThe court was full.\nHe wept for hours.", "He", "Reyes"),
        ("Snow falls.\nThe dam broke.\nBut nobody drowned in the village.", "But", "dam"),
    ],
)
def test_a_reference_does_not_stand_alone(text: str, reference: str, antecedent: str) -> None:
    read = text_of(text)
    needed = next(i for i, own in enumerate(read.sentences) if antecedent in own.sentence.words)
    seen = set()
    for size in range(2, measure(text, "words")):
        result = planner_of(read).plan(Limit(size, "words"))
        parts = [own.text(chosen.actions) for own, chosen in zip(read.sentences, result, strict=True)]
        assert parts[needed] or not any(reference in part for part in parts)
        seen |= {reference in part for part in parts}
    assert seen == {True, False}


def test_nothing_but_whole_sentences() -> None:
    text = text_of(STORY)
    for size in range(1, measure(STORY, "words")):
        result = planned(text, size, whole_sentences=True)
        if size >= 5:
            assert {own.text for own in split_sentences(result)} <= {own.sentence.text for own in text.sentences}
    assert planned(text, 2, whole_sentences=True)


NOTES = """Plan of the harbor

Work begins soon in the harbor. These are the steps:

- Divers look at the wooden piers first
- Cranes lift the oldest stones away
- Masons build the new wall

Costs

Nobody knows the costs yet."""


def test_a_heading_stands_whole_with_its_section_and_a_list_stays_a_list() -> None:
    for size in range(6, measure(NOTES, "words")):
        lines = planned(text_of(NOTES), size).split("\n")
        assert not {"Plan", "Plan of", "Harbor"} & set(lines)
        items = [line for line in lines if line.startswith("- ")]
        assert all(len(item.split()) > 1 for item in items)
        assert ("These are the steps:" in lines[-1:]) is False
        if "Costs" in lines:
            assert lines[-1] != "Costs"
        if items and "These are the steps:" not in "\n".join(lines):
            raise AssertionError(lines)


def test_all_items_of_a_list_are_shortened_before_one_goes() -> None:
    result = planned(text_of(NOTES), 27)
    assert result.count("\n- ") == 3
    assert "Masons build the new wall" not in result or "Divers look at the wooden piers first" not in result


STEPS = """The pump needs care once a month, and it is easy. Clean the filter:

1. Turn the pump off at the wall
2. Take the filter out of the case
3. Rinse the filter under the tap

Never open the case while it runs."""


def test_steps_are_all_there_or_none() -> None:
    counts = {planned(text_of(STEPS), size).count("\n") for size in range(4, measure(STEPS, "words"))}
    found = {sum(f"\n{n}. " in planned(text_of(STEPS), size) for n in (1, 2, 3)) for size in range(4, 42)}
    assert found == {0, 3}
    assert len(counts) > 1


def test_a_list_on_each_side_of_a_heading_is_two_lists() -> None:
    text = "Ingredients\n\n- two red onions\n- one lemon\n\nMethod\n\n1. Chop the onions\n2. Press the lemon"
    assert planned(text_of(text), 12) in (
        "Ingredients\n\n- two red onions\n- one lemon",
        "Method\n\n1. Chop the onions\n2. Press the lemon",
    )


@pytest.mark.parametrize("size", range(6, 30))
def test_no_section_is_left_below_the_heading_of_another(size: int) -> None:
    text = (
        "Guide\n\nThe town is old.\n\nBoats\n\nThey leave at nine from here.\n\nTrains\n\nThe station is near the port."
    )
    lines = [line for line in planned(text_of(text), size).split("\n") if line]
    if "Boats" in lines or "Trains" in lines:
        assert ("Trains" in lines) == any("port" in line for line in lines)
        assert ("Boats" in lines) == any("here" in line for line in lines)


def test_the_end_of_a_letter_is_there_as_a_whole_or_not_at_all() -> None:
    text = (
        "Hi all,\n\nThe lift is out of order until Friday. Please use the stairs.\n\nBest regards,\nAda\nHouse office"
    )
    for size in range(4, measure(text, "words")):
        result = planned(text_of(text), size)
        assert ("Best regards," in result) == ("House office" in result)


def test_code_and_tables_are_whole_or_gone() -> None:
    rows = "| name | price |\n| tea | 3 |"
    text = f"The shop sells tea and coffee in the harbor.\n\n```\nrun --all now\n```\n\n{rows}\n\nIt opens at nine."
    for size in range(3, measure(text, "words")):
        result = planned(text_of(text), size)
        for line in result.split("\n"):
            if "|" in line or "run" in line:
                assert line in text.split("\n")


def test_a_sentence_with_a_word_to_keep_is_not_dropped() -> None:
    text = text_of("One two three four. Five six seven eight. Nine ten.", keep=["three", "Nine"])
    for size in range(2, 12):
        words = planned(text, size).replace(".", "").casefold().split()
        assert {"three", "nine"} <= set(words)
        assert len(words) <= size
    with pytest.raises(TextError, match="words to keep take 2 words, and the limit is 1"):
        planned(text, 1)


@pytest.mark.parametrize("unit", UNITS_OF_TEXT)
def test_words_to_keep_in_every_sentence(unit: Unit) -> None:
    text = text_of("One two\nThree four\n\nFive six", keep=["two", "four", "six"])
    least = "Two\nFour\n\nSix"
    assert planned(text, measure(least, unit), unit) == least
    with pytest.raises(TextError, match="words to keep take"):
        planned(text, measure(least, unit) - 1, unit)


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(("One river.", "“No,” he said.", "It is 5.2%!", "(A) b", "東京は雨。", "x")),
        min_size=2,
        max_size=4,
    ),
    st.sampled_from((" ", "\n", "\n\n\n")),
    st.sampled_from(tuple(UNITS_OF_TEXT)),
    st.integers(1, 60),
    st.sampled_from((Action.KEEP, Action.REMOVE)),
)
def test_no_text_is_too_long_or_empty(sentences: list[str], gap: str, unit: Unit, size: int, action: Action) -> None:
    result = planned(text_of(gap.join(sentences)), size, unit, action)
    assert measure(cut(result, Limit(size, unit)), unit) <= size
    assert measure(result, unit) <= size or len(result.removeprefix("(A)").split()) == 1
    assert result.strip()


def test_one_planner_serves_all_lengths() -> None:
    text = text_of(STORY)
    planner = planner_of(text)
    for unit in UNITS_OF_TEXT:
        for size in range(measure(STORY, unit), 0, -7):
            limit = Limit(size, unit)
            assert planner.plan(limit) == planner_of(text).plan(limit)


# The last resort ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size", "unit", "expected"),
    [
        ("River", 5, "chars", "River"),
        ("River", 3, "chars", "Riv"),
        ("River", 1, "chars", "R"),
        ("Zürich", 2, "bytes", "Z"),
        ("Zürich", 3, "bytes", "Zü"),
        ("one two", 4, "chars", "one"),
        ("one two", 1, "words", "one"),
        ("cafe\u0301s", 4, "chars", "caf"),
        ("cafe\u0301s", 5, "chars", "cafe\u0301"),
        ("👨‍👩‍👧 family", 4, "chars", "👨"),
        ("👨‍👩‍👧 family", 5, "chars", "👨‍👩‍👧"),
        ("éa", 1, "bytes", "a"),
        ("é", 1, "bytes", ""),
        ("日本", 2, "bytes", ""),
        ("日本", 5, "bytes", "日"),
        ("", 3, "chars", ""),
        ("a\r\nb", 2, "chars", "a"),
    ],
)
def test_as_many_whole_characters_as_fit(text: str, size: int, unit: Unit, expected: str) -> None:
    assert cut(text, Limit(size, unit)) == expected


@given(st.text(max_size=15), st.integers(1, 20), st.sampled_from(tuple(UNITS_OF_TEXT)))
def test_what_is_cut_fits_and_is_a_part_of_the_text(text: str, size: int, unit: Unit) -> None:
    limit = Limit(size, unit)
    result = cut(text, limit)
    assert limit.allows(result)
    assert result in text
    if any(limit.allows(character) for character in text.strip()):
        assert result


def test_a_text_keeps_its_limit() -> None:
    text = text_of("The river rises. It falls.", words=3)
    assert text.limit == Limit(3, "words")
    assert [prepared.sentence.text for prepared in text.sentences] == ["The river rises.", "It falls."]
    assert replace(text, limit=None).sentences == text.sentences
