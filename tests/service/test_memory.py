"""Memory that became free between blocks that are in use goes back to the system."""

import ctypes
import gc
import os
import subprocess
import sys

import pytest

from ealm.service import memory
from ealm.service.memory import FreeMemory, spare_what_is_loaded

HOLES = """
import ctypes
from pathlib import Path
from ealm.service.memory import FreeMemory, share_memory_among_threads


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


share_memory_among_threads()
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
blocks = [library.malloc(65536) for _ in range(3200)]
for block in blocks:
    ctypes.memset(block, 1, 65536)
for block in blocks[::2]:  # every other one stays, so the heap cannot shrink from its end
    library.free(block)
kept = resident()
assert FreeMemory().give_back()
print(kept - resident())
"""


GNU = pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library is not GNU's"
)


@GNU
def test_holes_go_back_to_the_system() -> None:
    found = subprocess.run([sys.executable, "-c", HOLES], check=True, capture_output=True, text=True)
    assert int(found.stdout) > 80_000_000  # of 105 million bytes in holes


def test_few_shapes_are_remembered_unless_somebody_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
    monkeypatch.setenv(name, "9")
    memory.remember_few_shapes()
    assert os.environ[name] == "9"
    monkeypatch.delenv(name)
    memory.remember_few_shapes()
    assert os.environ[name] == "64"


def test_it_is_done_from_time_to_time_only(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, now = [], [100.0]
    monkeypatch.setattr(memory, "_call", lambda *call: calls.append(call))
    monkeypatch.setattr(memory.time, "monotonic", lambda: now[0])
    free = FreeMemory()
    assert [free.give_back(), free.give_back()] == [True, False]
    now[0] += 5
    assert free.give_back()
    assert calls == [("malloc_trim", 0)] * 2


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_elsewhere_nothing_is_called(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    def fails(_name: None) -> None:
        raise AssertionError

    monkeypatch.setattr(memory.sys, "platform", platform)
    monkeypatch.setattr(memory.ctypes, "CDLL", fails)
    memory.share_memory_among_threads()
    assert FreeMemory().give_back()


def test_what_is_loaded_is_no_garbage_and_not_looked_through_again() -> None:
    before = gc.get_freeze_count()
    try:
        spare_what_is_loaded()
        assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()
