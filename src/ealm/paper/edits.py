"""Edit actions, the skeleton and the masked inputs of compression and reconstruction (sections 4.2 and 4.3.2).

A token is a string in tests and traces, and a vocabulary id in the converter.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import TypeVar

from ealm.lm.cloze import Masked

Token = TypeVar("Token")


class Action(IntEnum):
    """An edit of a word (the set A, section 4.2)."""

    REMOVE = 0
    KEEP = 1
    REPLACE = 2


def skeleton(source: Sequence[Token], actions: Sequence[Action]) -> tuple[Token | None, ...]:
    """Kept words at their indices, the null token everywhere else (z, section 4.3.2)."""
    check_lengths(source, actions)
    return tuple(token if action == Action.KEEP else None for token, action in zip(source, actions, strict=True))


def compression_question(source: Sequence[Token], actions: Sequence[Action]) -> Masked[Token]:
    """The source, then the summary with a mask for every Replace (input of C, section 4.3.2)."""
    kept = zip(skeleton(source, actions), actions, strict=True)
    return Masked(tuple(source), tuple(token for token, action in kept if action != Action.REMOVE))


def reconstruction_question(
    source: Sequence[Token], actions: Sequence[Action], summary: Sequence[Token]
) -> Masked[Token]:
    """The summary, then the source with a mask for every word not kept (input of R, section 4.3.2)."""
    return Masked(tuple(summary), skeleton(source, actions))


def summary_length(actions: Sequence[Action]) -> int:
    """Number of words of the summary, whatever the language model fills in (|y|)."""
    return len(actions) - sum(action == Action.REMOVE for action in actions)


def check_lengths(source: Sequence[Token], actions: Sequence[Action]) -> None:
    """Raise unless there is one action for each word."""
    if len(source) != len(actions):
        raise ValueError(f"expected one action for each of {len(source)} words, got {len(actions)}")
