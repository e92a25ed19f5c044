"""docs/paper.md names functions that exist and that the program runs, and settings that exist."""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

import ealm
from ealm.common.config import Settings

PACKAGE = Path(ealm.__file__).parent
TEXT = (Path(__file__).parents[2] / "docs" / "paper.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`((?:common|lm|paper|text|training)\.[a-z_]+(?:\.\w+)+)`", TEXT)))
GROUPS = "agent|data|decoding|ignored_words|learning|rewards|action_exploration|order_exploration"
SETTINGS = sorted(set(re.findall(rf"`((?:{GROUPS})\.\w+)(?:=[^`]*)?`", TEXT)))


@cache
def uses() -> dict[str, set[str]]:
    """Modules in which each name or attribute is used, other than by its own definition."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = node.id if isinstance(node, ast.Name) else node.attr
                found.setdefault(name, set()).add(path.relative_to(PACKAGE).with_suffix("").as_posix())
    return found


def test_the_page_names_the_formulas() -> None:
    formulas = {"paper.edits.reconstruction_question", "paper.rewards.reconstruction_rate", "paper.edits.skeleton"}
    assert formulas <= set(NAMES)
    assert len(NAMES) > 30


@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_names_exists_and_is_used(name: str) -> None:
    package, module, *attributes = name.split(".")
    thing = importlib.import_module(f"ealm.{package}.{module}")
    for attribute in attributes:
        known = attribute in getattr(thing, "__annotations__", {})
        assert known or hasattr(thing, attribute), f"{name} does not exist"
        thing = getattr(thing, attribute, None)
    assert uses().get(attributes[-1]), f"nothing in the program uses {name}"


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_the_page_names_exist(name: str) -> None:
    group, field = name.split(".")
    assert field in Settings().to_dict()[group]


def test_files_that_the_page_names_exist() -> None:
    tests = Path(__file__).parents[1]
    for name in re.findall(r"`((?:tests/)?(?:\w+/)*\w+\.py)`", TEXT):
        assert list(tests.rglob(Path(name).name)), name
