"""What is remembered of words is bounded in bytes: many are forgotten, and long ones not remembered."""

from pathlib import Path

import ealm
from ealm.common.caching import is_remembered, remember_short


def test_a_short_text_is_worked_out_once() -> None:
    asked: list[str] = []

    @remember_short(2)
    def length(text: str, times: int = 1) -> int:
        asked.append(text)
        return times * len(text)

    assert [length("one"), length("one"), length("one", times=2)] == [3, 3, 6]
    assert asked == ["one", "one"]


def test_the_oldest_is_forgotten() -> None:
    asked: list[str] = []
    remembered = remember_short(2)(asked.append)
    for text in ("one", "two", "three", "one"):
        remembered(text)
    assert asked == ["one", "two", "three", "one"]


def test_a_long_text_is_not_remembered() -> None:
    asked: list[int] = []
    remembered = remember_short(9)(lambda text: asked.append(len(text)))
    for _ in range(2):
        remembered("x" * 64)
        remembered("x" * 65)
    assert asked == [64, 65, 65]
    assert not is_remembered("x" * 65)


def test_no_other_cache_of_texts_is_bounded_in_entries_alone() -> None:
    sources = [path for path in Path(ealm.__file__).parent.rglob("*.py") if path.name != "caching.py"]
    assert len(sources) > 100
    assert not [path.name for path in sources if "lru_cache" in path.read_text(encoding="utf-8")]
