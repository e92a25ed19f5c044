"""A baseline is a module and a row of the table: names, messages and loading follow from the row."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from types import ModuleType

import pytest
from click.testing import CliRunner

from ealm.baselines import table
from ealm.baselines.table import BASELINES, Baseline, baseline_list, find_baseline
from ealm.cli.main import main
from ealm.evaluation.systems import UnknownSystemError, load_system, parse_systems


@dataclass(frozen=True)
class LastWords:
    """A toy: the last words of each text."""

    size: int

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:
        size = self.size if words is None else min(self.size, words)
        return [" ".join(text.split()[-size:]) for text in texts]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Baseline:
    module = ModuleType("ealm.baselines.toy")
    module.LastWords = LastWords  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    row = Baseline("toy-N", "toy:LastWords", "the last N words")
    monkeypatch.setattr(table, "BASELINES", (*BASELINES, row))
    return row


@pytest.mark.usefixtures("toy")
def test_a_new_row_is_a_system() -> None:
    first, second = parse_systems("toy-3,toy-12:end")
    assert (first.kind, second.kind, second.name) == ("toy-3", "toy-12", "end")
    assert load_system(first, None) == LastWords(3)
    assert load_system(second, None).summarize(["one two three"], words=2) == ["two three"]


@pytest.mark.usefixtures("toy")
def test_a_new_row_is_in_the_messages() -> None:
    assert "toy-N (the last N words)" in baseline_list(about=True)
    with pytest.raises(UnknownSystemError, match=r"no system 'toy'\. Systems: .* stopwords, .*, toy-N, file:"):
        parse_systems("toy")
    with pytest.raises(UnknownSystemError, match="toy-3 has no folder: leave =DIR out"):
        parse_systems("toy-3=DIR")


@pytest.mark.parametrize("row", BASELINES)
def test_every_row_names_something_that_can_be_called(row: Baseline) -> None:
    assert callable(resolve_name(f"ealm.baselines.{row.maker}"))
    assert find_baseline(row.name.replace("N", "7")) is row
    assert find_baseline(f"{row.name}x".replace("N", "7")) is not row


def test_the_command_lists_every_row() -> None:
    shown = CliRunner().invoke(main, ["evaluate", "--help"]).stdout
    assert "".join(baseline_list(about=True).split()) in "".join(shown.split())
