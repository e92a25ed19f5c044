"""The replay buffer of section 4.4."""

import numpy as np
import pytest

from ealm.paper.replay import Experience, ReplayBuffer


def experience(number: int, *, reward: float = 0.0) -> Experience:
    """One whose visit tells it from the others."""
    return Experience(
        visit=number, word=0, actions=b"\1", decided=b"\0", action=0, reward=reward, continues=False, next_value=0.0
    )


def filled(count: int, capacity: int = 5) -> ReplayBuffer:
    """A buffer that has seen experiences 0, 1, ..."""
    buffer = ReplayBuffer(capacity)
    buffer.extend([experience(number) for number in range(count)])
    return buffer


@pytest.mark.parametrize(
    ("count", "kept", "full"),
    [(0, [], False), (3, [0, 1, 2], False), (5, [0, 1, 2, 3, 4], True), (8, [3, 4, 5, 6, 7], True)],
)
def test_the_newest_experiences_stay_up_to_the_capacity(count: int, kept: list[int], full: bool) -> None:
    buffer = filled(count)
    assert [entry.visit for entry in buffer.experiences] == kept
    assert len(buffer) == len(kept)
    assert buffer.full is full
    assert buffer.oldest_visit == (kept[0] if kept else None)


def test_several_extensions_count_together() -> None:
    buffer = filled(4)
    buffer.extend((experience(10), experience(11)))
    assert [entry.visit for entry in buffer.experiences] == [1, 2, 3, 10, 11]


def test_the_mean_reward_is_over_what_is_in_the_buffer_now() -> None:
    buffer = ReplayBuffer(2)
    buffer.extend([experience(0, reward=100.0), experience(1, reward=1.0), experience(2, reward=-0.5)])
    assert buffer.mean_reward() == pytest.approx(0.25)


def test_a_sample_never_holds_an_experience_twice() -> None:
    buffer, rng = filled(5), np.random.default_rng(0)
    for _ in range(50):
        assert len({entry.visit for entry in buffer.sample(4, rng)}) == 4


def test_a_sample_of_everything_is_everything() -> None:
    chosen = filled(5).sample(5, np.random.default_rng(0))
    assert sorted(entry.visit for entry in chosen) == [0, 1, 2, 3, 4]


def test_every_experience_is_equally_likely_to_be_sampled() -> None:
    buffer, rng = filled(5), np.random.default_rng(0)
    counts = np.zeros(5)
    for _ in range(2_000):
        for entry in buffer.sample(2, rng):
            counts[entry.visit] += 1
    assert counts == pytest.approx(np.full(5, 800), rel=0.1)


def test_the_same_seed_gives_the_same_sample() -> None:
    first, second = (filled(5).sample(3, np.random.default_rng(7)) for _ in range(2))
    assert first == second


def test_a_larger_sample_than_the_buffer_holds_is_refused() -> None:
    with pytest.raises(ValueError, match="larger sample"):
        filled(2).sample(3, np.random.default_rng(0))
