"""Holes for fitting: how many, of which kinds, in which layout; the same seed gives the same holes."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import WORDS, tiny_bert

from ealm.lm.adapt.corpus import Ids
from ealm.lm.adapt.masking import (
    FEW_HIDDEN,
    HIDDEN_DIGITS_SHARE,
    LEAST_HIDDEN,
    LEFT_SHARE,
    MOST_HIDDEN,
    NOT_ASKED,
    PAIR_SHARE,
    RANDOM_SHARE,
    Batch,
    MaskingTokens,
    Row,
    batches,
    masked_row,
    scoring_row,
)
from ealm.lm.cloze import Masked

PADDING, START, SEPARATOR, MASK, UNKNOWN = range(5)
RANDOM_WORDS = np.arange(900, 1_000, dtype=np.int32)
"""Apart from all words of the sentences here, so that a random word is known by its id."""


def tokens(*, shapes: dict[int, int] | None = None) -> MaskingTokens:
    table = np.arange(1_000, dtype=np.int32)
    for number, shape in (shapes or {}).items():
        table[number] = shape
    return MaskingTokens(START, SEPARATOR, PADDING, MASK, UNKNOWN, random_words=RANDOM_WORDS, shapes=table)


def sentence_of(*numbers: int) -> Ids:
    return np.array(numbers, dtype=np.int32)


def is_pair(row: Row) -> bool:
    return bool(row.segments.any())


def template_of(row: Row) -> tuple[Ids, Ids]:
    """Words and wishes of the part that has the holes."""
    start = int(row.segments.argmax()) if is_pair(row) else 1
    return row.ids[start:-1], row.wanted[start:-1]


def context_of(row: Row) -> Ids:
    return row.ids[1 : int(row.segments.argmax()) - 1] if is_pair(row) else row.ids[:0]


def many_rows(sentence: Ids, count: int, *, seed: int = 0, known: MaskingTokens | None = None) -> list[Row]:
    rng = np.random.default_rng(seed)
    rows = [masked_row(sentence, known or tokens(), rng) for _ in range(count)]
    assert all(row is not None for row in rows)
    return [row for row in rows if row is not None]


SENTENCE = sentence_of(*range(100, 140))


# Shares ---------------------------------------------------------------------------------------------------------------


def test_chosen_words_are_mostly_hidden_and_sometimes_left_or_random() -> None:
    words, wanted = (np.concatenate(part) for part in zip(*map(template_of, many_rows(SENTENCE, 2_000)), strict=True))
    asked = wanted != NOT_ASKED
    assert asked.sum() > 20_000
    hidden, left, random = (words == MASK)[asked], (words == wanted)[asked], (words >= RANDOM_WORDS[0])[asked]
    assert (hidden | left | random).all()
    assert left.mean() == pytest.approx(LEFT_SHARE, abs=0.01)
    assert random.mean() == pytest.approx(RANDOM_SHARE, abs=0.01)
    assert hidden.mean() == pytest.approx(1 - LEFT_SHARE - RANDOM_SHARE, abs=0.01)
    assert not ((words == MASK) & ~asked).any()
    assert not ((words >= RANDOM_WORDS[0]) & ~asked).any()


def test_every_random_word_comes_up() -> None:
    rows = many_rows(SENTENCE, 1_000)
    words = np.concatenate([template_of(row)[0] for row in rows])
    assert set(words[words >= RANDOM_WORDS[0]].tolist()) == set(RANDOM_WORDS.tolist())


def test_a_quarter_of_the_sentences_stands_behind_what_is_left_of_them() -> None:
    assert np.mean([is_pair(row) for row in many_rows(SENTENCE, 4_000)]) == pytest.approx(PAIR_SHARE, abs=0.03)


def test_few_or_many_words_are_chosen() -> None:
    rows = many_rows(np.tile(SENTENCE, 50), 600)  # so long that chance hardly moves the share of one row
    shares = {pair: [] for pair in (False, True)}
    for row in rows:
        shares[is_pair(row)].append((template_of(row)[1] != NOT_ASKED).mean())
    for each in shares.values():
        assert LEAST_HIDDEN - 0.03 < min(each) < LEAST_HIDDEN + 0.06
        assert MOST_HIDDEN - 0.06 < max(each) < MOST_HIDDEN + 0.03
    assert np.mean(shares[True]) == pytest.approx((LEAST_HIDDEN + MOST_HIDDEN) / 2, abs=0.05)
    # Half have at most `FEW_HIDDEN`, and of the other half those that happen to.
    few = 0.5 + 0.5 * (FEW_HIDDEN - LEAST_HIDDEN) / (MOST_HIDDEN - LEAST_HIDDEN)
    assert np.mean(np.array(shares[False]) <= FEW_HIDDEN) == pytest.approx(few, abs=0.08)


def test_every_word_of_a_sentence_is_as_likely_to_be_chosen() -> None:
    chosen = np.mean([template_of(row)[1] != NOT_ASKED for row in many_rows(SENTENCE, 4_000)], axis=0)
    assert chosen == pytest.approx(np.full(len(SENTENCE), chosen.mean()), abs=0.035)


def test_a_fifth_of_the_sentences_has_hidden_digits_everywhere() -> None:
    shaped = tokens(shapes={100: 200, 101: 201})
    rows = many_rows(SENTENCE, 3_000, known=shaped)
    kinds = []
    for row in rows:
        words, wanted = template_of(row)
        seen = set(np.where(wanted != NOT_ASKED, wanted, words).tolist())
        assert (seen & {100, 101}, seen & {200, 201}) in [({100, 101}, set()), (set(), {200, 201})]
        kinds.append(200 in seen)
        assert not set(context_of(row).tolist()) & ({100, 101} if kinds[-1] else {200, 201})
    assert np.mean(kinds) == pytest.approx(HIDDEN_DIGITS_SHARE, abs=0.025)


def test_scores_are_taken_on_masks_alone() -> None:
    rng = np.random.default_rng(0)
    rows = [scoring_row(SENTENCE, tokens(shapes={100: 200}), 0.15, rng) for _ in range(2_000)]
    asked = []
    for row in rows:
        assert row is not None
        assert not is_pair(row)
        words, wanted = template_of(row)
        assert ((words == MASK) == (wanted != NOT_ASKED)).all()
        assert np.where(words == MASK, wanted, words).tolist() == SENTENCE.tolist()
        asked.append((wanted != NOT_ASKED).mean())
    assert np.mean(asked) == pytest.approx(0.15, abs=0.01)


# Any sentence ---------------------------------------------------------------------------------------------------------

any_sentence = st.lists(st.sampled_from([UNKNOWN, *range(100, 120)]), min_size=1, max_size=12)


@given(any_sentence, st.integers(0, 10_000))
def test_unknown_words_are_never_asked_and_never_touched(numbers: list[int], seed: int) -> None:
    sentence = sentence_of(*numbers)
    for row in (
        masked_row(sentence, tokens(), np.random.default_rng(seed)),
        scoring_row(sentence, tokens(), 0.5, np.random.default_rng(seed)),
    ):
        if row is None:
            assert set(numbers) == {UNKNOWN}
            continue
        words, wanted = template_of(row)
        assert (wanted != UNKNOWN).all()
        assert (words[sentence == UNKNOWN] == UNKNOWN).all()


@given(any_sentence, st.integers(0, 10_000))
def test_a_row_tells_the_sentence_and_asks_for_at_least_one_word(numbers: list[int], seed: int) -> None:
    sentence = sentence_of(*numbers)
    before = sentence.copy()
    row = masked_row(sentence, tokens(), np.random.default_rng(seed))
    assert (sentence == before).all()
    if row is None:
        return
    words, wanted = template_of(row)
    assert (wanted != NOT_ASKED).any()
    assert np.where(wanted != NOT_ASKED, wanted, words).tolist() == numbers
    assert len(row.ids) == len(row.segments) == len(row.wanted)
    assert {part.dtype for part in (row.ids, row.segments, row.wanted)} == {np.dtype(np.int32)}
    inside = np.isin(np.arange(len(row.ids)), np.arange(len(row.ids) - 1 - len(numbers), len(row.ids) - 1))
    assert (row.wanted[~inside] == NOT_ASKED).all()


@pytest.mark.parametrize("numbers", [[UNKNOWN], [UNKNOWN] * 7])
def test_a_sentence_of_unknown_words_cannot_be_asked(numbers: list[int]) -> None:
    for seed in range(20):
        assert masked_row(sentence_of(*numbers), tokens(), np.random.default_rng(seed)) is None
        assert scoring_row(sentence_of(*numbers), tokens(), 0.15, np.random.default_rng(seed)) is None


@pytest.mark.parametrize("share", [0.0, 0.15, 1.0])
def test_the_only_known_word_is_asked_whatever_the_share(share: float) -> None:
    for seed in range(20):
        row = scoring_row(sentence_of(UNKNOWN, 107, UNKNOWN), tokens(), share, np.random.default_rng(seed))
        assert row is not None
        assert row.ids.tolist() == [START, UNKNOWN, MASK, UNKNOWN, SEPARATOR]
        assert row.wanted.tolist() == [NOT_ASKED, NOT_ASKED, 107, NOT_ASKED, NOT_ASKED]


def test_all_known_words_can_be_asked_at_once() -> None:
    row = scoring_row(sentence_of(101, UNKNOWN, 102), tokens(), 1.0, np.random.default_rng(0))
    assert row is not None
    assert row.ids.tolist() == [START, MASK, UNKNOWN, MASK, SEPARATOR]


def test_the_same_seed_gives_the_same_rows() -> None:
    def as_lists(rows: list[Row]) -> list[list[list[int]]]:
        return [[row.ids.tolist(), row.segments.tolist(), row.wanted.tolist()] for row in rows]

    first, again, other = (as_lists(many_rows(SENTENCE, 30, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


# Layout ---------------------------------------------------------------------------------------------------------------


def test_a_pair_is_the_open_words_and_then_the_sentence_with_its_holes() -> None:
    pairs = [row for row in many_rows(SENTENCE, 400) if is_pair(row)]
    assert pairs
    for row in pairs:
        words, wanted = template_of(row)
        open_words = SENTENCE[wanted == NOT_ASKED]
        assert row.ids.tolist() == [START, *open_words, SEPARATOR, *words, SEPARATOR]
        assert row.segments.tolist() == [0] * (len(open_words) + 2) + [1] * (len(words) + 1)
        assert len(words) == len(SENTENCE)


def test_a_lone_sentence_is_one_segment() -> None:
    lone = [row for row in many_rows(SENTENCE, 50) if not is_pair(row)]
    assert lone
    for row in lone:
        words, _ = template_of(row)
        assert row.ids.tolist() == [START, *words, SEPARATOR]
        assert len(words) == len(SENTENCE)


def rows_that_differ_from_questions(sentence_length: int) -> list[tuple[list[int], list[int]]]:
    """Rows of a real vocabulary whose layout is not the one in which the language model will be asked."""
    lm = tiny_bert()
    ids = lm.word_ids(WORDS)
    special = MaskingTokens(
        start=lm.inputs([Masked((), (ids[0],))])["input_ids"][0, 0].item(),
        separator=lm.inputs([Masked((), (ids[0],))])["input_ids"][0, -1].item(),
        padding=0,
        mask=lm.mask_id,
        unknown=lm.unknown_id,
        random_words=np.array(ids, dtype=np.int32),
        shapes=np.arange(lm.not_a_word.shape[0], dtype=np.int32),
    )
    sentence = np.array(ids[:sentence_length], dtype=np.int32)
    wrong = []
    for row in many_rows(sentence, 300, known=special):
        words, wanted = template_of(row)
        context = tuple(sentence[wanted == NOT_ASKED].tolist()) if is_pair(row) else ()
        template = tuple(None if word == lm.mask_id else word for word in words.tolist())
        question = lm.inputs([Masked(context, template)])
        expected = question["input_ids"][0].tolist(), question["token_type_ids"][0].tolist()
        if (row.ids.tolist(), row.segments.tolist()) != expected:
            wrong.append((row.ids.tolist(), expected[0]))
    return wrong


def test_rows_are_laid_out_like_the_questions_of_the_converter() -> None:
    assert rows_that_differ_from_questions(25) == []


def test_a_pair_of_which_no_word_stays_open_is_a_lone_sentence() -> None:
    assert rows_that_differ_from_questions(1) == []


# Batches --------------------------------------------------------------------------------------------------------------


def plain_row(length: int, number: int = 0) -> Row:
    ids = np.full(length, number, dtype=np.int32)
    return Row(ids, np.zeros_like(ids), np.full_like(ids, NOT_ASKED))


@given(st.lists(st.integers(3, 40), max_size=60), st.integers(40, 200), st.integers(0, 99))
def test_batches_hold_every_row_once_within_the_budget(lengths: list[int], budget: int, seed: int) -> None:
    rows = [plain_row(length, number) for number, length in enumerate(lengths)]
    groups = batches(rows, budget, np.random.default_rng(seed))
    assert sorted(int(row.ids[0]) for group in groups for row in group) == list(range(len(rows)))
    for group in groups:
        assert group
        assert len(group) * max(len(row.ids) for row in group) <= budget
    spans = sorted((min(len(row.ids) for row in group), max(len(row.ids) for row in group)) for group in groups)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


def test_a_row_above_the_budget_stands_alone() -> None:
    groups = batches([plain_row(10), plain_row(500), plain_row(10)], 100, np.random.default_rng(0))
    assert sorted([len(row.ids) for row in group] for group in groups) == [[10, 10], [500]]


def test_batches_come_in_random_order_with_changing_company() -> None:
    rows = [plain_row(10 + number // 20, number) for number in range(200)]

    def groups(seed: int) -> list[list[int]]:
        return [[int(row.ids[0]) for row in group] for group in batches(rows, 100, np.random.default_rng(seed))]

    assert groups(1) == groups(1)
    assert sorted(map(sorted, groups(1))) != sorted(map(sorted, groups(2)))
    firsts = [min(group) for group in groups(1)]
    assert firsts != sorted(firsts)


def test_a_batch_is_padded_to_its_longest_row() -> None:
    short = Row(sentence_of(1, 5, 2), sentence_of(0, 0, 0), sentence_of(NOT_ASKED, 7, NOT_ASKED))
    long = Row(
        sentence_of(1, 5, 2, 3, 2), sentence_of(0, 0, 0, 1, 1), sentence_of(NOT_ASKED, NOT_ASKED, NOT_ASKED, 8, -100)
    )
    batch = Batch.of([short, long], padding=9)
    assert batch.ids.tolist() == [[1, 5, 2, 9, 9], [1, 5, 2, 3, 2]]
    assert batch.segments.tolist() == [[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]]
    assert batch.attention.tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
    assert batch.wanted.tolist() == [[-100, 7, -100, -100, -100], [-100, -100, -100, 8, -100]]
    assert {part.dtype for part in (batch.ids, batch.segments, batch.attention, batch.wanted)} == {torch.int64}
