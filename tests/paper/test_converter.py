"""Section 4.3.2 and appendix A.1: from actions to summary and reconstruction."""

from collections.abc import Callable, Sequence

import pytest
import torch
from tiny_models import WORDS, tiny_bert
from torch import Tensor

from ealm.common.config import DecodingSettings
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.converter import Conversion, Converter
from ealm.paper.edits import Action

KEEP, REMOVE, REPLACE = Action.KEEP, Action.REMOVE, Action.REPLACE
Answers = Callable[[Masked[int], int], Sequence[float]]


class ScriptedLM:
    """A language model that answers from a script: question and hole in, scores of all words out."""

    name, width, max_words, unknown_id = "script", 1, 100, 0

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.asked: list[Masked[int]] = []

    def word_ids(self, words: Sequence[str]) -> tuple[int, ...]:
        return tuple(map(int, words))

    def words(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(map(str, ids))

    def encode(self, sentences: Sequence[Sequence[int]]) -> list[Tensor]:
        raise NotImplementedError

    def predict(self, questions: Sequence[Masked[int]]) -> Tensor:
        self.asked += questions
        return torch.tensor([list(self._answers(question, hole)) for question in questions for hole in question.holes])


def shares(**by_word: float) -> list[float]:
    """Log-probabilities of words 1 to 4 (`w1` to `w4`); the unknown word 0 has none, as the protocol demands."""
    return [-torch.inf, *torch.tensor([by_word.get(f"w{word}", 1e-6) for word in range(1, 5)]).log().tolist()]


def convert(lm: ScriptedLM, source: Sequence[int], actions: Sequence[Action], **settings: object) -> Conversion:
    """Through both, to the end."""
    conversion = Conversion(source, actions)
    Converter(lm, DecodingSettings(**settings)).finish([conversion])  # type: ignore[arg-type]
    return conversion


def never(question: Masked[int], hole: int) -> Sequence[float]:
    """For conversions that have nothing to ask."""
    raise AssertionError(f"asked {question} at {hole}")


def one_then_two(question: Masked[int], hole: int) -> Sequence[float]:
    """Word 1 is always best, word 2 second, then 3 and 4."""
    return shares(w1=0.4, w2=0.3, w3=0.2, w4=0.1)


# Simple cases -------------------------------------------------------------------------------------------------------


def test_all_keep_gives_the_source_back_without_a_question() -> None:
    conversion = convert(ScriptedLM(never), (3, 4, 0), (KEEP, KEEP, KEEP))
    assert conversion.summary == conversion.reconstruction == (3, 4, 0)
    assert conversion.source_ranks == [0, 0, 0]


def test_all_remove_gives_an_empty_summary_and_asks_for_the_source_without_context() -> None:
    lm = ScriptedLM(one_then_two)
    conversion = convert(lm, (3, 1), (REMOVE, REMOVE))
    assert conversion.summary == ()
    assert conversion.reconstruction == (1, 1)
    assert lm.asked[0] == Masked((), (None, None))


def test_an_empty_sentence_is_finished_at_once() -> None:
    conversion = convert(ScriptedLM(never), (), ())
    assert conversion.summary == conversion.reconstruction == ()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_actions_raises(count: int) -> None:
    with pytest.raises(ValueError, match=f"each of 2 words, got {count}"):
        Conversion((1, 2), [KEEP] * count)


def test_no_conversions_are_finished_at_once() -> None:
    Converter(ScriptedLM(never)).finish([])


# Contexts -----------------------------------------------------------------------------------------------------------


def test_the_source_is_the_context_of_the_summary_and_the_summary_that_of_the_reconstruction() -> None:
    lm = ScriptedLM(one_then_two)
    conversion = convert(lm, (3, 4, 2), (REPLACE, KEEP, REMOVE))
    assert conversion.summary == (1, 4)
    assert lm.asked[0] == Masked((3, 4, 2), (None, 4))
    assert lm.asked[1] == Masked((1, 4), (None, 4, None))


def test_the_summary_is_known_before_the_reconstruction() -> None:
    conversion = Conversion((3, 4, 2), (REPLACE, KEEP, REMOVE))
    assert conversion.compressing
    assert conversion.summary is None
    Converter(ScriptedLM(one_then_two)).advance([conversion])
    assert conversion.summary == (1, 4)
    assert not conversion.compressing
    assert not conversion.finished
    assert conversion.reconstruction is None
    assert conversion.source_ranks == [None, 0, None]


# What is filled in --------------------------------------------------------------------------------------------------


def test_replace_may_not_give_back_the_word_that_it_replaces() -> None:
    assert convert(ScriptedLM(one_then_two), (1, 4), (REPLACE, KEEP)).summary == (2, 4)


def test_replace_is_forbidden_the_word_in_its_own_place_only() -> None:
    """The second hole stood for word 3 and may become 1, though the first hole may not."""
    assert convert(ScriptedLM(one_then_two), (1, 4, 3), (REPLACE, REMOVE, REPLACE)).summary == (2, 1)


def test_the_reconstruction_may_find_every_word_again() -> None:
    assert convert(ScriptedLM(one_then_two), (1, 4), (REPLACE, KEEP)).reconstruction == (1, 4)


def test_an_unknown_word_that_is_replaced_forbids_nothing() -> None:
    conversion = convert(ScriptedLM(one_then_two), (0, 4), (REPLACE, KEEP))
    assert conversion.summary == (1, 4)
    assert conversion.source_ranks[0] == 4


@pytest.mark.parametrize(("word", "rank"), [(1, 0), (2, 1), (3, 2), (4, 3), (0, 4)])
def test_the_rank_is_the_number_of_better_candidates(word: int, rank: int) -> None:
    assert convert(ScriptedLM(one_then_two), (word,), (REMOVE,)).source_ranks == [rank]


# Order --------------------------------------------------------------------------------------------------------------


def second_hole_is_surer(question: Masked[int], hole: int) -> Sequence[float]:
    """Hole 1 has the best probability, hole 0 the best raw score; a neighbour that is filled changes the other."""
    if question.template[1 - hole] is not None:
        return shares(w3=0.9) if hole == 0 else shares(w4=0.9)
    return [-torch.inf, 10.0, 9.9, 9.9, 9.9] if hole == 0 else [-torch.inf, -5.0, 5.0, -5.0, -5.0]


def test_the_surest_hole_is_filled_first_and_seen_by_the_others() -> None:
    conversion = convert(ScriptedLM(second_hole_is_surer), (3, 2), (REMOVE, REMOVE))
    assert conversion.reconstruction == (3, 2)
    assert conversion.source_ranks == [0, 0]


def test_by_logit_the_hole_with_the_highest_raw_score_is_filled_first() -> None:
    conversion = convert(ScriptedLM(second_hole_is_surer), (3, 2), (REMOVE, REMOVE), fill_order="logit")
    assert conversion.reconstruction == (1, 4)
    assert conversion.source_ranks[0] in (1, 2, 3)


def test_sureness_is_the_models_own_probability_even_where_a_word_is_forbidden() -> None:
    """Hole 0 gives 0.9 to the forbidden word and 0.09 to the next, which is less than the 0.4 of hole 1."""

    def answers(question: Masked[int], hole: int) -> Sequence[float]:
        if question.template[1 - hole] is not None:
            return shares(w3=0.9)
        return shares(w1=0.9, w4=0.09) if hole == 0 else shares(w4=0.4, w2=0.3, w1=0.3)

    assert convert(ScriptedLM(answers), (1, 2), (REPLACE, REPLACE)).summary == (3, 4)


def test_equally_sure_holes_are_filled_from_left_to_right() -> None:
    lm = ScriptedLM(one_then_two)
    convert(lm, (1, 2, 3), (REMOVE, REMOVE, REMOVE))
    assert [question.template for question in lm.asked] == [(None, None, None), (1, None, None), (1, 1, None)]


def test_one_round_fills_one_hole_of_each_conversion() -> None:
    conversions = [Conversion((1,) * length, [REMOVE] * length) for length in (1, 2, 4)]
    Converter(ScriptedLM(one_then_two)).advance(conversions)
    assert [conversion.source_ranks.count(0) for conversion in conversions] == [1, 1, 1]


@pytest.mark.parametrize(
    ("confidence", "rounds"),
    [(0.0, 1), (0.39, 1), (0.41, 2), (1.0, 3)],
)
def test_in_parallel_every_sure_hole_is_filled_in_the_round(confidence: float, rounds: int) -> None:
    """Holes 0, 1 and 2 are 0.4, 0.5 and 0.9 sure, and grow no surer; the surest is filled whatever it is."""

    def answers(question: Masked[int], hole: int) -> Sequence[float]:
        best = (0.4, 0.5, 0.9)[hole]
        return shares(w1=best, w2=(1 - best) * 0.6, w3=(1 - best) * 0.4)

    lm = ScriptedLM(answers)
    conversion = convert(lm, (1, 1, 1), [REMOVE] * 3, mode="parallel", parallel_confidence=confidence)
    assert len(lm.asked) == rounds
    assert conversion.reconstruction == (1, 1, 1)
    assert conversion.source_ranks == [0, 0, 0]


# With a real architecture -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lm() -> TransformersMaskedLM:
    return tiny_bert(3, double=True)


def some_conversions(lm: TransformersMaskedLM) -> list[Conversion]:
    """Sentences of different lengths under different actions."""
    rng = torch.Generator().manual_seed(0)
    conversions = []
    for length in (7, 1, 12, 4, 9, 2, 5, 11):
        words = [WORDS[int(place)] for place in torch.randint(len(WORDS), (length,), generator=rng)]
        actions = [Action(int(number)) for number in torch.randint(3, (length,), generator=rng)]
        conversions.append(Conversion(lm.word_ids(words), actions))
    return conversions


def results(conversions: Sequence[Conversion]) -> list[tuple[object, ...]]:
    """Everything that a conversion ends with."""
    return [(entry.summary, entry.reconstruction, tuple(entry.source_ranks)) for entry in conversions]


@pytest.mark.parametrize("mode", ["sequential", "approximate", "parallel"])
def test_a_conversion_ends_the_same_alone_in_company_and_in_any_order(lm: TransformersMaskedLM, mode: str) -> None:
    settings = DecodingSettings(mode=mode)  # type: ignore[arg-type]
    alone, together, turned, cramped = (some_conversions(lm) for _ in range(4))
    for conversion in alone:
        Converter(lm, settings).finish([conversion])
    Converter(lm, settings).finish(together)
    Converter(lm, settings).finish(turned[::-1])
    Converter(lm, settings, token_budget=25).finish(cramped)
    assert results(alone) == results(together) == results(turned) == results(cramped)


def test_parallel_filling_of_unsure_holes_only_is_sequential_filling(lm: TransformersMaskedLM) -> None:
    sequential, parallel = some_conversions(lm), some_conversions(lm)
    Converter(lm).finish(sequential)
    Converter(lm, DecodingSettings(mode="parallel", parallel_confidence=1.0)).finish(parallel)
    assert results(sequential) == results(parallel)


def test_in_a_single_round_nobody_asks_for_words_that_do_not_count(lm: TransformersMaskedLM) -> None:
    source = lm.word_ids(("police", "the", "silver", "bridge"))
    actions = (Action.REMOVE, Action.REMOVE, Action.REPLACE, Action.REMOVE)
    converter = Converter(lm, DecodingSettings(mode="parallel", parallel_confidence=0))
    every = Conversion(source, actions)
    some = Conversion(source, actions, counted=(True, False, True, False))
    for _ in range(2):  # the Replace, then the reconstruction
        converter.advance([every, some])
    assert every.finished
    assert some.summary == every.summary
    assert some.source_ranks == [every.source_ranks[0], None, every.source_ranks[2], None]


def test_only_whole_known_words_are_filled_in(lm: TransformersMaskedLM) -> None:
    conversions = some_conversions(lm)
    Converter(lm).finish(conversions)
    for conversion in conversions:
        assert conversion.summary is not None
        assert conversion.reconstruction is not None
        assert set(lm.words((*conversion.summary, *conversion.reconstruction))) <= set(WORDS)


@pytest.mark.parametrize(
    ("context", "removed", "replaced"),
    [
        ("pair", ((1, 3), False), ((1, 2), False)),
        ("joined", ((1, 3), True), ((1, 2), True)),
        ("pair-if-replaced", ((), False), ((1, 2), False)),
    ],
)
def test_the_context_stands_before_the_template_as_the_settings_say(
    context: str, removed: tuple[tuple[int, ...], bool], replaced: tuple[tuple[int, ...], bool]
) -> None:
    def two(question: Masked[int], hole: int) -> Sequence[float]:
        return shares(w2=0.9)

    for actions, expected in (((KEEP, REMOVE, KEEP), removed), ((KEEP, REPLACE, REMOVE), replaced)):
        lm = ScriptedLM(two)
        convert(lm, (1, 4, 3), actions, context=context)
        question = next(asked for asked in lm.asked if len(asked.template) == 3)  # the reconstruction
        assert (question.context, question.joined) == expected


# What another step found ----------------------------------------------------------------------------------------------


def test_a_conversion_inherits_sure_words_of_one_with_more_open_masks(lm: TransformersMaskedLM) -> None:
    source = lm.word_ids(("police", "minister", "silver", "bridge"))
    later = Conversion(source, (REMOVE, REMOVE, KEEP, REMOVE))
    Converter(lm).finish([later])
    later.source_ranks = [0, 3, 0, 2]
    earlier = Conversion(source, (REMOVE, REMOVE, KEEP, KEEP))
    earlier.inherit(later, rank=2)
    assert earlier.source_ranks == [0, None, 0, 0]
    assert earlier.rebuilt == (later.rebuilt[0], None, source[2], source[3])


def test_nothing_is_inherited_before_the_summary_is_known(lm: TransformersMaskedLM) -> None:
    source = lm.word_ids(("police", "minister"))
    later = Conversion(source, (REMOVE, REMOVE))
    Converter(lm).finish([later])
    replacing = Conversion(source, (REPLACE, REMOVE))
    replacing.inherit(later, rank=1_000)
    assert replacing.source_ranks == [None, None]


def test_ranks_at_open_masks_are_noted_by_approximate_decoding_alone(lm: TransformersMaskedLM) -> None:
    exact, noted = (Conversion(lm.word_ids(("police", "minister", "silver")), (REMOVE,) * 3) for _ in range(2))
    Converter(lm).advance([exact])
    Converter(lm, DecodingSettings(mode="approximate")).advance([noted])
    assert exact.open_ranks == {}
    assert list(noted.open_ranks) == [word for word, rank in enumerate(noted.source_ranks) if rank is None]
