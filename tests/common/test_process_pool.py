"""Processes that do jobs."""

import multiprocessing
from pathlib import Path

import pytest
from pool_fakes import DoublingRecipe, doubled

from ealm.common.errors import LanguageModelError, WorkersError
from ealm.common.process_pool import ProcessPool


def test_results_come_in_the_order_of_the_jobs_whatever_dies(tmp_path: Path) -> None:
    assert doubled(ProcessPool(DoublingRecipe(), 2)) == [0, 2, 4, 6, 8, 10]
    assert doubled(ProcessPool(DoublingRecipe("dies once", str(tmp_path)), 2)) == [0, 2, 4, 6, 8, 10]
    assert len(list(tmp_path.iterdir())) == 1
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        ("load", LanguageModelError, "^No masked language model in there.$"),
        ("job", LanguageModelError, "^The language model is gone.$"),
        ("bug", RuntimeError, "(?s)pool_fakes.py.*ZeroDivisionError: ours"),
        ("dies", WorkersError, "died 3 times.*Use fewer workers with workers="),
        ("dies loading", WorkersError, "die before they are ready.*Use fewer with workers="),
    ],
)
def test_what_goes_wrong_in_a_process_is_reported(
    tmp_path: Path, fault: str, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        doubled(ProcessPool(DoublingRecipe(fault, str(tmp_path)), 2))
    assert multiprocessing.active_children() == []
