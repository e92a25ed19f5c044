"""Words, numbers, candidates, and the vectors that both language models start from."""

import pytest

from ealm.baselines.cmatch.candidates import candidates_of
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.vocabulary import END, FIRST_WORD, UNKNOWN, Vocabulary
from ealm.common.errors import SettingsError


def nothing(_numbers):
    return []


def test_frequent_words_come_first_and_rare_ones_are_unknown() -> None:
    vocabulary = Vocabulary.of([["The", "river"], ["the", "bridge"], ["river", "the"]], most=5, least_count=2)
    assert vocabulary.words == ("the", "river")
    assert vocabulary.number("THE") == FIRST_WORD
    assert vocabulary.number("bridge") == UNKNOWN
    assert vocabulary.word(FIRST_WORD + 1) == "river"
    assert len(vocabulary) == FIRST_WORD + 2


def test_no_more_words_than_asked() -> None:
    assert Vocabulary.of([["a", "b", "c"]], most=2, least_count=1).words == ("a", "b")


def test_numbers_go_by_their_shape_and_marks_for_unknown_words_are_none() -> None:
    vocabulary = Vocabulary.of([["12", "34", "<unk>", "UNK", "<unk>", "UNK"]], most=9, least_count=2)
    assert vocabulary.words == ("##",)
    assert vocabulary.number("56") == vocabulary.number("##") == FIRST_WORD
    assert vocabulary.number("<unk>") == vocabulary.number("UNK") == vocabulary.number("5") == UNKNOWN


def test_candidates_are_unique_and_printed_as_first_written() -> None:
    vocabulary = Vocabulary(["the", "river", "stream"])
    found = candidates_of(["The", "river", "the", "River"], vocabulary, lambda numbers: [1 + numbers[1]])
    assert found.written == ("The", "river", "stream", "")
    assert found.numbers == (3, 4, 5, END)
    assert found.source == (3, 4, 3, 4, END)
    assert found.alignable[:3].all()
    assert found.alignable[3].tolist() == [False, False, False, False, True]


def test_a_word_of_the_source_is_no_second_candidate_as_a_neighbour() -> None:
    found = candidates_of(["river", "stream"], Vocabulary(["river", "stream"]), lambda numbers: [4, 3])
    assert found.written == ("river", "stream", "")


def test_unknown_words_and_shapes_go_only_where_they_stand() -> None:
    vocabulary = Vocabulary(["the", "##"])
    found = candidates_of(["Zorb", "the", "Quix", "12", "34", "zorb"], vocabulary, nothing)
    assert found.written == ("Zorb", "the", "Quix", "12", "34", "")
    assert found.numbers == (UNKNOWN, 3, UNKNOWN, 4, 4, END)
    rows = ["#....#.", "#######", "..#....", "...#...", "....#..", "......#"]
    assert ["".join("#" if may else "." for may in row) for row in found.alignable] == rows


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("beam", 0, "beam must be at least 1, got 0"),
        ("beam", 2.5, "beam must be int, got 2.5"),
        ("embedding_width", 500, "embedding_width must be between 2 and 384"),
        ("learning_rate", 0.0, "learning_rate must be above 0"),
        ("fluency_weight", float("nan"), "finite"),
        ("length_offset", 1.0, "length_offset must be between 0 and 0.9"),
        ("dropout", True, "dropout must be float"),
    ],
)
def test_settings_check_themselves(name: str, value: object, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        CMatchSettings(**{name: value})


def test_settings_survive_json_and_name_what_they_do_not_know() -> None:
    settings = CMatchSettings(beam=3, fluency_weight=1)
    assert CMatchSettings.from_dict(settings.to_dict()) == settings
    with pytest.raises(SettingsError, match="no setting 'beams'"):
        CMatchSettings.from_dict({"beams": 3})


def test_published_values_are_the_defaults() -> None:
    settings = CMatchSettings()
    assert (settings.fluency_weight, settings.length_offset, settings.beam) == (0.11, 0.1, 10)
    assert (settings.candidates_per_word, settings.screened_words, settings.frequent_words) == (6, 10, 300)
