"""Rates, floors and rewards (section 4.3.3, appendices A.3 and A.4). Arithmetic only, no model inside.

Steps count from 1. Rates and floors are shares between 0 and 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ealm.common.config import RewardSettings

ROUNDING = 1e-9
"""Two rates closer than this are the same fraction; true fractions of a sentence differ by far more."""

VIOLATION_PENALTY = -1.0


def compression_rate(summary_length: int, source_length: int) -> float:
    """Share of words that are removed (cr, section 4.3.3)."""
    return 1 - summary_length / source_length


@dataclass(frozen=True, slots=True)
class RateBounds:
    """The least and the greatest reconstruction rate still possible while some masks are open."""

    lower: float
    upper: float

    @property
    def settled(self) -> bool:
        """Whether the rate is known."""
        return self.lower == self.upper


def reconstruction_rate(source_ranks: Sequence[int | None], counted: Sequence[bool], settings: RewardSettings) -> float:
    """Share of counted words found among the top-k candidates (rr, appendix A.4).

    `source_ranks` has, for each source word, its rank among the candidates when its mask was filled: 0 for the best
    and for kept words, None while the mask is open, which counts as not found. With top_k = 1 and every word counted
    this is the rr of section 4.3.3.
    """
    total = sum(counted)
    if not total:
        return settings.all_ignored_rate
    top_k = settings.top_k
    ranks = zip(source_ranks, counted, strict=True)
    return sum(counts and rank is not None and rank < top_k for rank, counts in ranks) / total


def reconstruction_bounds(
    source_ranks: Sequence[int | None], counted: Sequence[bool], settings: RewardSettings
) -> RateBounds:
    """The reconstruction rate if no open mask recovers its word, and if all of them do."""
    lower = reconstruction_rate(source_ranks, counted, settings)
    if None not in source_ranks:
        return RateBounds(lower, lower)
    if_all = [0 if rank is None else rank for rank in source_ranks]
    return RateBounds(lower, reconstruction_rate(if_all, counted, settings))


def compression_floor(step: int, length: int, minimum: float) -> float:
    """Compression rate to exceed at a step (rho_t, section 4.3.3)."""
    return step * minimum / length


def reconstruction_floor(step: int, length: int, minimum: float) -> float:
    """Reconstruction rate to exceed at a step (tau_t, section 4.3.3)."""
    return 1 - step * (1 - minimum) / length


def clears(rate: float, floor: float, settings: RewardSettings) -> bool:
    """Whether a rate satisfies its floor: above it, or also at it if floors are not strict."""
    return rate - floor > (ROUNDING if settings.strict_floors else -ROUNDING)


def clears_compression(rate: float, *, step: int, length: int, settings: RewardSettings) -> bool:
    """Whether enough words are removed by this step."""
    return clears(rate, compression_floor(step, length, settings.min_compression), settings)


def clears_reconstruction(rate: float, *, step: int, length: int, settings: RewardSettings) -> bool:
    """Whether enough can still be rebuilt at this step."""
    return clears(rate, reconstruction_floor(step, length, settings.min_reconstruction), settings)


def shortening(summary_length: int, previous_length: int) -> float:
    """How much shorter this step made the summary (r_C, section 4.3.3)."""
    return 1 - summary_length / previous_length


def reconstruction_sign(clears_floor: bool) -> int:
    """1 while enough can be rebuilt, -1 otherwise (r_R, section 4.3.3)."""
    return 1 if clears_floor else -1


def step_reward(summary_length: int, previous_length: int, *, clears_floor: bool) -> float:
    """Reward for what this one action did (r_SR = r_C x r_R, section 4.3.3)."""
    return shortening(summary_length, previous_length) * reconstruction_sign(clears_floor)


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is measured at the last step T of a walk, before weighting."""

    last_step: int
    length: int
    """Words in the source (N)."""
    compression_rate: float
    reconstruction_rate: float
    similarity: float
    fluent: bool


def is_fluent(fluency: float, settings: RewardSettings) -> bool:
    """Thresholded fluency (llh, appendix A.3)."""
    return fluency > settings.fluency_threshold


def assessment_reward(assessment: Assessment, settings: RewardSettings) -> float:
    """Reward shared by all steps up to T for the summary they led to (r_SA, section 4.3.3)."""
    balance = assessment.compression_rate * assessment.reconstruction_rate
    quality = (
        balance
        + settings.similarity_weight * assessment.similarity
        + settings.fluency_weight * float(assessment.fluent)
    )
    return assessment.last_step / assessment.length * quality


def walk_rewards(
    summary_lengths: Sequence[int], *, violated: bool, assessment: Assessment, settings: RewardSettings
) -> tuple[float, ...]:
    """Reward of each step from 1 to T (r = r_SR + r_SA, with the violation penalty at T).

    `summary_lengths` are |y_1| to |y_T|. Steps before T broke no floor, or T would have been earlier.
    """
    shared = assessment_reward(assessment, settings)
    rewards = []
    previous = assessment.length
    for step, length in enumerate(summary_lengths, start=1):
        broken = violated and step == assessment.last_step
        own = VIOLATION_PENALTY if broken else step_reward(length, previous, clears_floor=True)
        rewards.append(own + shared)
        previous = length
    return tuple(rewards)


def earned_from(
    rewards: Sequence[float], discount: float, expected: Sequence[float | None] | None = None
) -> tuple[float, ...]:
    """For each step from 1 to T, the discounted sum of its own reward and those after it.

    `expected` has, for a step at which the walk explored, the value of the state before it, else None: what came of
    exploring says nothing about the steps before, so from there on their sum has that value instead (Watkins's Q).
    """
    earned: list[float] = []
    following = 0.0
    for reward, value in zip(reversed(rewards), reversed(expected or [None] * len(rewards)), strict=True):
        earned.append(reward + discount * following)
        following = earned[-1] if value is None else value
    return tuple(reversed(earned))
