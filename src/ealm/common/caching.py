"""Values that are worked out when they are first asked for, and remembered within bounds of memory."""

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Concatenate, ParamSpec, TypeVar

T = TypeVar("T")
Others = ParamSpec("Others")

_LONGEST_REMEMBERED = 64
"""Characters. Words are shorter; what is longer is rare, and would make the memory depend on the text."""


class cached_property(functools.cached_property[T]):  # noqa: N801 - as the one that it stands for
    """`functools.cached_property` without the lock that it has before Python 3.12.

    That lock is one for all objects of a class. Long work lets others go first between its pieces; whoever went first
    and needed the same property of any object would wait for the lock, and the one that has it for its turn, for ever.
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(func)
        self.lock = nullcontext()


def is_remembered(text: str) -> bool:
    """Whether a text is short enough that a bounded number of such texts takes a bounded number of bytes."""
    return len(text) <= _LONGEST_REMEMBERED


def remember_short(
    entries: int,
) -> Callable[[Callable[Concatenate[str, Others], T]], Callable[Concatenate[str, Others], T]]:
    """Remember what a function makes of so many short texts, its first argument; longer ones are worked out anew.

    An entry takes less than a kilobyte, and so the memory is bounded in bytes.
    """

    def decorate(function: Callable[Concatenate[str, Others], T]) -> Callable[Concatenate[str, Others], T]:
        remembered: Any = functools.lru_cache(maxsize=entries)(function)

        @functools.wraps(function)
        def call(text: str, /, *args: Others.args, **kwargs: Others.kwargs) -> T:
            found: T = (remembered if is_remembered(text) else function)(text, *args, **kwargs)
            return found

        return call

    return decorate
