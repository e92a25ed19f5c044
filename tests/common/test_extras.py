"""A missing optional package is named in one line, with the remedy."""

import sys

import pytest

from ealm.common.errors import EalmError
from ealm.common.extras import MissingExtraError, needs_extra, require_extra

LINE = "Drawing needs no_such_package, which is not installed. Install it with: pip install 'ealm[evaluate]'"


def test_a_failed_import_names_package_and_extra() -> None:
    with pytest.raises(MissingExtraError) as caught, needs_extra("evaluate", "Drawing"):
        import no_such_package.part  # noqa: F401
    assert str(caught.value) == LINE
    assert isinstance(caught.value, EalmError)


def test_a_package_is_looked_for_without_importing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    require_extra("evaluate", "Drawing", "this")
    assert "this" not in sys.modules
    with pytest.raises(MissingExtraError) as caught:
        require_extra("evaluate", "Drawing", "this", "no_such_package")
    assert str(caught.value) == LINE


def test_other_errors_pass_through() -> None:
    with pytest.raises(ZeroDivisionError), needs_extra("evaluate", "Drawing"):
        1 / 0  # noqa: B018
