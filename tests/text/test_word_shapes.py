from ealm.text.word_shapes import CASE_SHAPES, SHAPES, word_shapes


def test_every_word_has_as_many_numbers() -> None:
    found = word_shapes(["The", "U.S.-led", "don't", "#.#", "—"])
    assert [len(shape) for shape in found] == [SHAPES] * 5
    assert word_shapes([]) == []


def test_capitals_are_told_by_the_first_numbers_alone() -> None:
    (cased,), (lower,) = word_shapes(["NATO"]), word_shapes(["nato"])
    assert cased[:CASE_SHAPES] == [1, 1, 0]
    assert lower[:CASE_SHAPES] == [0, 0, 0]
    assert cased[CASE_SHAPES:] == lower[CASE_SHAPES:]
    assert word_shapes(["iPhone"])[0][:CASE_SHAPES] == [0, 0, 1]


def test_forms_and_endings() -> None:
    def marks(word: str) -> set[int]:
        return {index for index, value in enumerate(word_shapes(["a", word, "b"])[1]) if value}

    assert marks("12") == marks("#")  # a digit, or the sign that stands for one
    assert marks("?") == marks("—")
    assert marks("don’t") == marks("can't")
    assert marks("low-cost") != marks("cost")
    assert marks("closed") & marks("sold") == set()


def test_the_first_and_the_last_word_are_marked() -> None:
    assert [shape[-2:] for shape in word_shapes(["a", "b", "c"])] == [[1, 0], [0, 0], [0, 1]]
