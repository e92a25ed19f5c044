"""Memory that the work has let go of goes back to the system, where the C library is GNU's.

Its large and small blocks lie among each other, so that the library keeps most of what becomes free: without this, the
process grows for as long as new kinds of requests come in a new order.
"""

import ctypes
import gc
import os
import sys
import time
from contextlib import suppress

_ARENAS = -8
"""The number of arenas, in the words of the C library."""
_SECONDS = 1.0
"""Between two times: each takes some 20 milliseconds after much work."""


def share_memory_among_threads() -> None:
    """Let all threads take memory from the same place; call it before they start.

    One of them computes at a time. With a place of its own, each would keep as much as its largest piece of work took.
    """
    _call("mallopt", _ARENAS, 1)


def remember_few_shapes() -> None:
    """Let oneDNN keep code for the newest shapes of tensors only; call it before anything is computed.

    It would keep that of 1,024, and texts of all lengths come: dozens of megabytes that save no time.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")


def spare_what_is_loaded() -> None:
    """What is there now stays for good: Python need not go through all of it whenever it looks for garbage."""
    gc.collect()
    gc.freeze()


class FreeMemory:
    """Gives it back from time to time."""

    def __init__(self) -> None:
        self._next = 0.0

    def give_back(self) -> bool:
        """Give it back if the last time is long enough ago; whether it did."""
        if time.monotonic() < self._next:
            return False
        _call("malloc_trim", 0)
        self._next = time.monotonic() + _SECONDS
        return True


def _call(name: str, *numbers: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library than GNU's
            getattr(ctypes.CDLL(None), name)(*numbers)
