"""The replay buffer as tensors, for checkpoints."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from ealm.paper.replay import Experience


def replay_to_tensors(experiences: Sequence[Experience]) -> dict[str, Tensor]:
    """Numbers and values by row; actions and decided flags of all rows, one after the other."""
    flags = b"".join(experience.actions + experience.decided for experience in experiences)
    numbers = [
        (e.visit, e.word, e.action, -1 if e.next_word is None else e.next_word, len(e.actions)) for e in experiences
    ]
    return {
        "replay.flags": torch.frombuffer(bytearray(flags), dtype=torch.uint8) if flags else torch.empty(0).byte(),
        "replay.numbers": torch.tensor(numbers, dtype=torch.long).reshape(-1, 5),
        "replay.values": torch.tensor([(e.reward, e.next_value) for e in experiences], dtype=torch.double).reshape(
            -1, 2
        ),
    }


def replay_from_tensors(tensors: Mapping[str, Tensor]) -> list[Experience]:
    """The reverse of `replay_to_tensors`."""
    flags = tensors["replay.flags"].numpy().tobytes()
    experiences = []
    start = 0
    numbers, values = tensors["replay.numbers"].tolist(), tensors["replay.values"].tolist()
    for (visit, word, action, next_word, length), (reward, next_value) in zip(numbers, values, strict=True):
        experience = Experience(
            visit=visit,
            word=word,
            actions=flags[start : start + length],
            decided=flags[start + length : start + 2 * length],
            action=action,
            reward=reward,
            next_word=None if next_word < 0 else next_word,
            next_value=next_value,
        )
        experiences.append(experience)
        start += 2 * length
    return experiences
