"""docs/comparison.md from what was measured."""

from pathlib import Path
from typing import Any


def write_page(results: dict[str, Any], page: Path) -> None:
    pass
