"""A value that is being worked out holds up nobody."""

import ast
import threading
from pathlib import Path

import ealm
from ealm.common.caching import cached_property


class Slow:
    """Its value waits for that of another."""

    def __init__(self, other: "Slow | None" = None) -> None:
        self._other = other
        self.asked = 0

    @cached_property
    def value(self) -> int:
        self.asked += 1
        if self._other is None:
            return 1
        found: list[int] = []
        thread = threading.Thread(target=lambda other=self._other: found.append(other.value), daemon=True)
        thread.start()
        thread.join(5)  # with one lock for all objects, this would last for ever
        return found[0] + 1


def test_a_value_is_worked_out_once_and_others_need_not_wait_for_it() -> None:
    slow = Slow(Slow())
    assert (slow.value, slow.value) == (2, 2)
    assert slow.asked == 1


def test_no_module_takes_the_one_with_a_lock() -> None:
    for path in Path(ealm.__file__).parent.rglob("*.py"):
        imports = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
        names = {alias.name for node in imports if node.module == "functools" for alias in node.names}
        assert "cached_property" not in names, path
