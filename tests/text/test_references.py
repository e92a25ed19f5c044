"""What a sentence needs before it."""

import pytest

from ealm.text.references import (
    ReadSentence,
    asks_the_reader,
    cuts_behind_colon,
    cuts_into_clause,
    ends_openly,
    lost_conjunction,
    lost_main_clause,
    lost_speaker,
    lost_subject,
    only_announces,
    says_how_it_went,
    sentences_needed,
)


def read(text: str) -> ReadSentence:
    return ReadSentence(tuple(text.split()))


BEFORE = [read("The judge freed Tom Reyes"), read("the court was full")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it was old", 1),
        ("the dam broke because it was old", 0),
        ("it is clear that the dam broke", 0),
        ("it took years to build the dam", 0),
        ("he wept", 2),
        ("in spring , however , the dam broke", 1),
        ("then Anna said she wept", 1),
        ("later Anna said she wept", 0),
        ("this ended the trial", 1),
        ("this year the dam broke", 0),
        ("with these the dam held", 1),
        ("during this year the dam broke", 0),
        ("the other would hold longer", 1),
        ("the cheaper one would hold longer", 1),
        ("at the same time the dam broke", 0),
        ("the company said nothing", 1),
        ("the company that built the dam said nothing", 0),
        ("but nobody drowned", 1),
        ("nobody drowned", 0),
        ("it was sold from Oslo to Rome", 1),
        ("because Anna counted them herself", 1),
        ("because Anna counted them , she knew", 0),
        ("I did , and Anna was wrong", 1),
        ("I did not", 1),
        ("I did the work", 0),
        ("if you can't , tell Anna", 1),
        ("if you can't swim , tell Anna", 0),
        ("Anna may therefore be wrong", 1),
        ("`dam` broke because it was old", 0),
        (". . .", 0),
    ],
)
def test_sentences_needed(text: str, expected: int) -> None:
    sentence = read(text)
    assert sentences_needed(sentence, range(len(sentence.words)), BEFORE) == expected


@pytest.mark.parametrize(
    ("text", "tags", "expected"),
    [
        ("could Ada do that ?", "MD NNP VB DT .", 1),
        ("could Ada do that job ?", "MD NNP VB DT NN .", 0),
        ("the nurse did that .", "DT NN VBD DT .", 1),
        ("printers with a cable can skip this .", "NNS IN DT NN MD VB DT .", 1),
        ("Ada wants both .", "NNP VBZ DT .", 1),
        ("Ada wants both of the boats .", "NNP VBZ DT IN DT NNS .", 0),
        ("the boats are old and Ada wants both .", "DT NNS VBP JJ CC NNP VBZ DT .", 0),
        ("you must do so by May", "PRP MD VB RB IN NNP", 1),
        ("rains do so much harm", "NNS VBP RB JJ NN", 0),
        ("Ada said that .", "NNP VBD DT .", 1),
        ("Ada said that Bo fell", "NNP VBD IN NNP VBD", 0),
    ],
)
def test_objects_that_point_to_the_sentence_before(text: str, tags: str, expected: int) -> None:
    sentence = ReadSentence(tuple(text.split()), tuple(tags.split()))
    assert sentences_needed(sentence, range(len(sentence.words)), BEFORE) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("thanks for the quick answers", True),
        ("The chair welcomed the members", True),
        ("The chair of the society opened the meeting", True),
        ("The mayor welcomed the ruling", False),
        ("I hope this helps", True),
        ("Readers thanked the paper for the meeting closed", False),
        (". . .", False),
    ],
)
def test_courtesies(text: str, expected: bool) -> None:
    assert says_how_it_went(text.split()) is expected


def test_what_is_left_decides() -> None:
    sentence = read("the company said Anna said she wept")
    assert sentences_needed(sentence, [3, 4, 5, 6], BEFORE) == 0
    assert sentences_needed(sentence, [1, 2, 5, 6], BEFORE) == 2  # its article is left out, and Anna
    assert sentences_needed(sentence, [1, 2], BEFORE) == 1


def test_nobody_is_too_far_away() -> None:
    far = [read("the judge freed Tom Reyes"), *[read("the court was full")] * 4]
    assert sentences_needed(read("he wept"), [0, 1], far) is None
    assert sentences_needed(read("it fell"), [0, 1], []) == 0


def test_tags_tell_names_and_nouns() -> None:
    sentence = ReadSentence(("Bus", "takes", "him"), ("NN", "VBZ", "PRP"))
    assert sentences_needed(sentence, [0, 1, 2], BEFORE) == 2
    sentence = ReadSentence(("Tom", "said", "he", "left"), ("NNP", "VBD", "PRP", "VBD"))
    assert sentences_needed(sentence, range(4), BEFORE) == 0
    sentence = ReadSentence(("Sailors", "tie", "it"), ("NNS", "VBP", "PRP"))  # no sailor is an it
    assert sentences_needed(sentence, range(3), BEFORE) == 1


def test_words_that_point_back_inside_of_a_sentence() -> None:
    tags = ("NNP", "VBD", "CD", "IN", "DT", "NNS")
    assert sentences_needed(ReadSentence(tuple("Ada kept one of those letters".split()), tags), range(6), BEFORE) == 1
    assert sentences_needed(ReadSentence(tuple("Ada kept one of those days".split()), tags), range(4), BEFORE) == 0
    tags = ("NNS", "VBD", "IN", "DT", "NNS")
    assert sentences_needed(ReadSentence(tuple("Colonies died in these hives".split()), tags), range(5), BEFORE) == 0


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ("between you the firm", True),
        ("between you firm", True),
        ("between you and the firm", False),
        ("between the firm", False),
    ],
)
def test_a_conjunction_between_neighbours_is_missed(kept: str, expected: bool) -> None:
    words = "between you and the firm , of course".split()
    assert lost_conjunction(words, [words.index(word) for word in kept.split()]) is expected


def test_a_clause_without_the_main_one_is_no_sentence() -> None:
    words = "when the ship came , they left".split()
    assert lost_main_clause(words, range(4))
    assert not lost_main_clause(words, range(7))
    assert not lost_main_clause(words, [5, 6])
    assert not lost_main_clause("when will you go".split(), range(4))


def test_he_may_be_somebody_else_than_who_speaks() -> None:
    words = tuple("my brother said that he had been a sailor".split())
    sentence = ReadSentence(words, ("PRP$", "NN", "VBD", "IN", "PRP", "VBD", "VBN", "DT", "NN"))
    assert lost_speaker(sentence, [0, 1, 5, 6, 7, 8])
    assert not lost_speaker(sentence, range(9))
    assert not lost_speaker(sentence, [0, 1])


def test_a_noun_may_name_somebody() -> None:
    before = [ReadSentence(("the", "technician", "came"), ("DT", "NN", "VBD"))]
    assert before[0].persons() == {1}
    assert sentences_needed(ReadSentence(("he", "left"), ("PRP", "VBD")), [0, 1], [*before, read("it rained")]) == 2


def test_a_last_word_that_leads_on_is_noticed() -> None:
    sentence = ReadSentence(("It", "grew", "until", "it", "fell"), ("PRP", "VBD", "IN", "PRP", "VBD"))
    assert ends_openly(sentence, [0, 1, 2])
    assert not ends_openly(sentence, [0, 1])
    assert not ends_openly(sentence, range(5))


def test_a_verb_does_not_lose_its_pronoun() -> None:
    sentence = ReadSentence(("Later", "it", "read", "the", "list"), ("RB", "PRP", "VBD", "DT", "NN"))
    assert lost_subject(sentence, [2, 3, 4])
    assert not lost_subject(sentence, [1, 2, 3, 4])


def test_what_a_colon_announces_is_all_there_or_gone() -> None:
    words = "Two things help : rest and water .".split()
    assert cuts_behind_colon(words, [0, 1, 2, 3, 4])
    assert not cuts_behind_colon(words, [0, 1, 2])
    assert not cuts_behind_colon(words, range(len(words)))


def test_a_relative_clause_does_not_lose_its_beginning_alone() -> None:
    words = "She paid ten pounds , which he halved because it rained .".split()
    assert cuts_into_clause(words, [0, 1, 2, 3, 8, 9, 10])
    assert not cuts_into_clause(words, [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("words", "tags", "expected"),
    [
        ("The second is wine", "DT JJ VBZ NN", 1),
        ("The second boat sank", "DT JJ NN VBD", 0),
        ("In return they slept", "IN NN PRP VBD", 1),
        ("Have leeks instead", "VB NNS RB", 1),
    ],
)
def test_more_words_that_point_back(words: str, tags: str, expected: int) -> None:
    sentence = ReadSentence(tuple(words.split()), tuple(tags.split()))
    assert sentences_needed(sentence, range(len(sentence.words)), BEFORE) == expected


@pytest.mark.parametrize(
    ("text", "tags", "expected"),
    [
        ("the council fills them", "DT NN VBZ PRP", 1),
        ("the nurses fill them", "DT NNS VBP PRP", 0),
        ("over two winters they slept", "IN CD NNS PRP VBD", 1),
        ("in March she slept", "IN NNP PRP VBD", 2),
        ("engineers put the cost of that at two million", "NNS VBD DT NN IN DT IN CD CD", 1),
        ("we hope to fix this in May", "PRP VBP TO VB DT IN NNP", 1),
        ("we hope to fix this roof in May", "PRP VBP TO VB DT NN IN NNP", 0),
        ("he voted against because of it", "PRP VBD IN IN IN PRP", 2),
        ("Ann voted against because prices rise", "NNP VBD IN IN NNS VBP", 1),
        ("Ann voted against the plan", "NNP VBD IN DT NN", 0),
    ],
)
def test_what_tags_tell_about_references(text: str, tags: str, expected: int) -> None:
    sentence = ReadSentence(tuple(text.split()), tuple(tags.split()))
    assert sentences_needed(sentence, range(len(sentence.words)), BEFORE) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There is one piece of bad news .", True),
        ("If your seat is affected , you have two choices .", True),
        ("There are two bakeries in the village .", False),
        ("We ask three things of you .", True),
        ("The council rejected two options .", True),
        ("The two options differ in price , and the council took the cheaper of the two .", False),
    ],
)
def test_some_sentences_only_announce(text: str, expected: bool) -> None:
    assert only_announces(text.split()) is expected


def test_a_request_is_no_mere_question() -> None:
    assert asks_the_reader("Could you send me the figures ?".split())
    assert not asks_the_reader("Do you need a tumbler ?".split())


@pytest.mark.parametrize(
    "text",
    [
        "Present : Ms Lark , Mr Fenn",
        "Present were Ada and Bo .",
        "I hope you had a good summer .",
        "The minutes of 9 April were approved .",
        "Thanks to Ada , who wrote the code .",
    ],
)
def test_lists_of_those_present_and_wishes_are_formalities(text: str) -> None:
    assert says_how_it_went(text.split())
