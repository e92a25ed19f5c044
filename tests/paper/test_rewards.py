"""Section 4.3.3 and appendices A.3, A.4: rates, floors and rewards, against the paper's table and its formulas."""

from dataclasses import replace
from fractions import Fraction

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ealm.common.config import RewardSettings
from ealm.paper.rewards import (
    Assessment,
    RateBounds,
    assessment_reward,
    clears,
    clears_compression,
    clears_reconstruction,
    compression_floor,
    compression_rate,
    earned_from,
    is_fluent,
    reconstruction_bounds,
    reconstruction_floor,
    reconstruction_rate,
    reconstruction_sign,
    shortening,
    step_reward,
    walk_rewards,
)

PAPER = RewardSettings()
LENIENT = RewardSettings(strict_floors=False)
EXACT_MATCH = RewardSettings(top_k=1)

# The paper's table: «May the force be with you», tau = .5, rho = .3, alpha = beta = .1 ------------------------------

LENGTH = 6
SUMMARY_LENGTHS = (5, 4, 3)
RECOVERED = (6, 6, 3)
"""Words of the source found again at steps 1, 2 and 3."""


def table_rates(step: int) -> tuple[float, float]:
    """Compression and reconstruction rate at a step of the table."""
    found = RECOVERED[step - 1]
    ranks = [0] * found + [1] * (LENGTH - found)
    return compression_rate(SUMMARY_LENGTHS[step - 1], LENGTH), reconstruction_rate(ranks, [True] * LENGTH, EXACT_MATCH)


@pytest.mark.parametrize(
    ("step", "cr", "rho", "rr", "tau"),
    [(1, 0.17, 0.05, 1.0, 0.91), (2, 0.33, 0.10, 1.0, 0.83), (3, 0.50, 0.15, 0.50, 0.75)],
)
def test_the_papers_table_prints_these_rates_and_floors(
    step: int, cr: float, rho: float, rr: float, tau: float
) -> None:
    """Two digits as printed; the paper cuts 0.9166 to .91, so that one is allowed to be off by a digit."""
    rates = table_rates(step)
    assert rates == pytest.approx((cr, rr), abs=0.005)
    assert compression_floor(step, LENGTH, 0.3) == pytest.approx(rho, abs=1e-12)
    assert reconstruction_floor(step, LENGTH, 0.5) == pytest.approx(tau, abs=0.007)


@pytest.mark.parametrize(("step", "violated"), [(1, False), (2, False), (3, True)])
def test_the_papers_table_breaks_the_reconstruction_floor_at_step_three(step: int, violated: bool) -> None:
    cr, rr = table_rates(step)
    assert clears_compression(cr, step=step, length=LENGTH, settings=PAPER)
    assert clears_reconstruction(rr, step=step, length=LENGTH, settings=PAPER) is not violated


def table_assessment() -> Assessment:
    """What the table measures at T = 3."""
    cr, rr = table_rates(3)
    return Assessment(
        last_step=3, length=LENGTH, compression_rate=cr, reconstruction_rate=rr, similarity=0.5, fluent=True
    )


def test_the_papers_table_shares_an_assessment_reward_of_0_20() -> None:
    assert assessment_reward(table_assessment(), PAPER) == pytest.approx(0.5 * (0.25 + 0.05 + 0.1))
    assert assessment_reward(table_assessment(), PAPER) == pytest.approx(0.20)


def test_the_papers_table_by_its_own_formula_not_by_the_step_rewards_it_prints() -> None:
    """The table prints r_SR = 1.0 at steps 1 and 2; the formula 1 - |y_t| / |y_(t-1)| gives 1/6 and 1/5."""
    rewards = walk_rewards(SUMMARY_LENGTHS, violated=True, assessment=table_assessment(), settings=PAPER)
    assert rewards == pytest.approx((1 / 6 + 0.2, 1 / 5 + 0.2, -1 + 0.2))


# Formulas one by one ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("summary", "source", "expected"), [(6, 6, 0.0), (3, 6, 0.5), (0, 6, 1.0), (7, 10, 0.3)])
def test_compression_rate_is_the_share_of_words_gone(summary: int, source: int, expected: float) -> None:
    assert compression_rate(summary, source) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ranks", "counted", "top_k", "expected"),
    [
        ([0, 0, 0, 0], [True] * 4, 10, 1.0),
        ([0, 9, 10, 11], [True] * 4, 10, 0.5),  # ranks count from 0: the tenth candidate has rank 9
        ([0, 1, 2, 3], [True] * 4, 1, 0.25),
        ([50, 0, 50, 50], [True, True, False, False], 10, 0.5),  # ignored words do not count, found or not
        ([0, 0, 50, 50], [False, False, True, True], 10, 0.0),
    ],
)
def test_reconstruction_rate_counts_words_among_the_best_candidates(
    ranks: list[int], counted: list[bool], top_k: int, expected: float
) -> None:
    settings = RewardSettings(top_k=top_k)
    assert reconstruction_rate(ranks, counted, settings) == pytest.approx(expected)
    flags = [rank < top_k for rank in ranks]
    assert reconstruction_rate(ranks, counted, settings) == float(oracle.reconstruction_rate(flags, counted))


@pytest.mark.parametrize("rate", [1.0, 0.0, 0.25])
def test_a_sentence_in_which_no_word_counts_has_the_rate_of_the_settings(rate: float) -> None:
    settings = RewardSettings(all_ignored_rate=rate)
    assert reconstruction_rate([50, 50], [False, False], settings) == rate
    assert reconstruction_bounds([None, 50], [False, False], settings) == RateBounds(rate, rate)


def test_by_default_a_sentence_in_which_no_word_counts_can_be_rebuilt() -> None:
    assert reconstruction_rate([50], [False], PAPER) == 1.0


@pytest.mark.parametrize(
    ("ranks", "lower", "upper"),
    [
        ([None, None, None, None], 0.0, 1.0),
        ([0, None, None, None], 0.25, 1.0),
        ([0, 50, None, None], 0.25, 0.75),
        ([0, 50, 50, 3], 0.5, 0.5),
    ],
)
def test_open_holes_leave_the_rate_between_bounds(ranks: list[int | None], lower: float, upper: float) -> None:
    bounds = reconstruction_bounds(ranks, [True] * 4, PAPER)
    assert bounds == RateBounds(lower, upper)
    assert bounds.settled is (lower == upper)


def test_an_open_hole_of_an_ignored_word_unsettles_nothing() -> None:
    assert reconstruction_bounds([0, None], [True, False], PAPER) == RateBounds(1.0, 1.0)


def test_ranks_and_counted_flags_must_be_as_many() -> None:
    with pytest.raises(ValueError, match="zip"):
        reconstruction_rate([0, 0], [True], PAPER)


@given(st.lists(st.tuples(st.none() | st.integers(0, 20), st.booleans()), min_size=1, max_size=12), st.integers(0, 20))
def test_bounds_hold_whatever_ranks_the_open_holes_get(rows: list[tuple[int | None, bool]], rank: int) -> None:
    ranks, counted = [rank for rank, _ in rows], [counts for _, counts in rows]
    bounds = reconstruction_bounds(ranks, counted, PAPER)
    finished = [rank if known is None else known for known in ranks]
    assert bounds.lower <= reconstruction_rate(finished, counted, PAPER) <= bounds.upper


@pytest.mark.parametrize(
    ("step", "length", "minimum", "expected"), [(1, 10, 0.3, 0.03), (10, 10, 0.3, 0.3), (5, 10, 1.0, 0.5), (3, 6, 0, 0)]
)
def test_the_compression_floor_rises_to_its_minimum(step: int, length: int, minimum: float, expected: float) -> None:
    assert compression_floor(step, length, minimum) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("step", "length", "minimum", "expected"),
    [(1, 10, 0.5, 0.95), (10, 10, 0.5, 0.5), (7, 9, 1.0, 1.0), (3, 6, 0, 0.5)],
)
def test_the_reconstruction_floor_falls_to_its_minimum(step: int, length: int, minimum: float, expected: float) -> None:
    assert reconstruction_floor(step, length, minimum) == pytest.approx(expected)


def test_a_floor_is_to_be_exceeded_unless_floors_are_lenient() -> None:
    assert not clears(0.5, 0.5, PAPER)
    assert clears(0.5, 0.5, LENIENT)
    assert clears(0.51, 0.5, PAPER)
    assert not clears(0.49, 0.5, LENIENT)


def test_three_of_ten_removed_is_exactly_the_floor_at_the_end_whatever_floating_point_says() -> None:
    """1 - 7/10 is 0.30000000000000004 in floating point: above the floor by nothing but rounding."""
    rate = compression_rate(7, 10)
    assert rate > 0.3
    assert not clears_compression(rate, step=10, length=10, settings=PAPER)
    assert clears_compression(rate, step=10, length=10, settings=LENIENT)
    assert clears_compression(compression_rate(6, 10), step=10, length=10, settings=PAPER)
    assert not clears_compression(compression_rate(8, 10), step=10, length=10, settings=LENIENT)


TENTHS = st.integers(0, 10)


@given(
    st.integers(1, 60).flatmap(
        lambda length: st.tuples(
            st.just(length), st.integers(1, length), st.integers(0, length), st.integers(1, length), st.integers(0, 60)
        )
    ),
    TENTHS,
    TENTHS,
    st.booleans(),
)
def test_violations_are_those_of_exact_fractions(
    walk: tuple[int, int, int, int, int], tenths_tau: int, tenths_rho: int, strict: bool
) -> None:
    length, step, left, counted, recovered = walk
    recovered = min(recovered, counted)
    settings = RewardSettings(
        min_reconstruction=tenths_tau / 10, min_compression=tenths_rho / 10, strict_floors=strict, top_k=1
    )
    exact = oracle.Hyperparameters(tau=Fraction(tenths_tau, 10), rho=Fraction(tenths_rho, 10), strict=strict)
    rr = reconstruction_rate([0] * recovered + [1] * (counted - recovered), [True] * counted, settings)
    cleared = clears_compression(
        compression_rate(left, length), step=step, length=length, settings=settings
    ) and clears_reconstruction(rr, step=step, length=length, settings=settings)
    broken = oracle.violates(
        oracle.compression_rate(left, length), Fraction(recovered, counted), step=step, length=length, given=exact
    )
    assert cleared is not broken


@pytest.mark.parametrize("length", [1, 2, 6, 49])
@pytest.mark.parametrize("settings", [PAPER, LENIENT])
def test_a_keep_at_step_one_violates_the_compression_floor(length: int, settings: RewardSettings) -> None:
    assert not clears_compression(compression_rate(length, length), step=1, length=length, settings=settings)


@pytest.mark.parametrize("length", [1, 2, 6, 49])
def test_a_remove_at_step_one_clears_the_compression_floor(length: int) -> None:
    assert clears_compression(compression_rate(length - 1, length), step=1, length=length, settings=PAPER)


@pytest.mark.parametrize(("now", "before", "expected"), [(5, 6, 1 / 6), (4, 5, 1 / 5), (4, 4, 0.0), (0, 1, 1.0)])
def test_the_step_reward_is_the_shortening_signed_by_the_reconstruction(now: int, before: int, expected: float) -> None:
    assert shortening(now, before) == pytest.approx(expected)
    assert step_reward(now, before, clears_floor=True) == pytest.approx(expected)
    assert step_reward(now, before, clears_floor=False) == pytest.approx(-expected)


def test_the_sign_of_the_reconstruction() -> None:
    assert (reconstruction_sign(True), reconstruction_sign(False)) == (1, -1)


@pytest.mark.parametrize(("fluency", "expected"), [(0.0, False), (0.005, False), (0.0051, True), (1.0, True)])
def test_a_summary_is_fluent_above_the_threshold(fluency: float, expected: bool) -> None:
    assert is_fluent(fluency, PAPER) is expected


def test_the_threshold_of_fluency_is_a_setting() -> None:
    assert not is_fluent(0.3, RewardSettings(fluency_threshold=0.4))


QUIET = Assessment(last_step=4, length=8, compression_rate=0.5, reconstruction_rate=0.75, similarity=0.6, fluent=False)


@pytest.mark.parametrize(
    ("changes", "settings", "expected"),
    [
        ({}, PAPER, 0.5 * (0.375 + 0.06)),
        ({"fluent": True}, PAPER, 0.5 * (0.375 + 0.06 + 0.1)),
        ({"last_step": 8}, PAPER, 0.375 + 0.06),
        ({"compression_rate": 0.0}, PAPER, 0.5 * 0.06),
        ({"reconstruction_rate": 0.0}, PAPER, 0.5 * 0.06),
        ({"fluent": True}, RewardSettings(similarity_weight=0.0, fluency_weight=2.0), 0.5 * (0.375 + 2.0)),
        ({"fluent": True}, RewardSettings(similarity_weight=1.0, fluency_weight=0.0), 0.5 * (0.375 + 0.6)),
    ],
)
def test_the_assessment_reward_follows_its_formula(
    changes: dict[str, float], settings: RewardSettings, expected: float
) -> None:
    assert assessment_reward(replace(QUIET, **changes), settings) == pytest.approx(expected)  # type: ignore[arg-type]


def test_a_walk_without_violation_gets_step_rewards_to_its_end() -> None:
    assessment = replace(QUIET, last_step=3, length=3)
    shared = assessment_reward(assessment, PAPER)
    rewards = walk_rewards((2, 2, 1), violated=False, assessment=assessment, settings=PAPER)
    assert rewards == pytest.approx((1 / 3 + shared, shared, 1 / 2 + shared))


def test_only_the_last_step_of_a_violating_walk_pays_the_penalty_instead_of_its_own_reward() -> None:
    assessment = replace(QUIET, last_step=2)
    shared = assessment_reward(assessment, PAPER)
    rewards = walk_rewards((7, 6), violated=True, assessment=assessment, settings=PAPER)
    assert rewards == pytest.approx((1 / 8 + shared, -1 + shared))


def test_what_a_walk_earns_from_a_step_on_is_its_discounted_future() -> None:
    assert earned_from((1.0, -2.0, 4.0), 0.5) == (1.0 - 1.0 + 1.0, -2.0 + 2.0, 4.0)
    assert earned_from((), 0.5) == ()


def test_what_comes_of_exploring_is_not_earned_by_the_steps_before() -> None:
    assert earned_from((1.0, -2.0, 4.0), 0.5, (None, None, 10.0)) == (1.0 - 1.0 + 2.5, -2.0 + 5.0, 4.0)
    assert earned_from((1.0, -2.0, 4.0), 0.5, (3.0, None, None)) == earned_from((1.0, -2.0, 4.0), 0.5)
