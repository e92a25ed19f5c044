"""Values that are worked out when they are first asked for."""

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801 - as the one that it stands for
    """`functools.cached_property` without the lock that it has before Python 3.12.

    That lock is one for all objects of a class. Long work lets others go first between its pieces; whoever went first
    and needed the same property of any object would wait for the lock, and the one that has it for its turn, for ever.
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(func)
        self.lock = nullcontext()
