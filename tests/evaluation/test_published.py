"""The rows of the paper's table, found by the names of folders."""

from pathlib import Path

import pytest

from ealm.evaluation.published import HEADINGS, published_rows, table_systems
from ealm.evaluation.systems import UnknownSystemError, parse_systems


def folders(place: Path, *names: str) -> Path:
    for name in names:
        (place / name).mkdir()
    return place


def test_all_rows_of_the_table_with_the_seeds_that_all_have(tmp_path: Path) -> None:
    names = ("ealm-0", "ealm-1", "ealm-2", "seq3-0", "seq3-1", "cmatch-0", "cmatch-1", "notes", "ealm-best")
    systems, seeds, missing = table_systems(folders(tmp_path, *names))
    assert (seeds, missing) == ([0, 1], [])
    named = [spec.name for spec in parse_systems(systems, seeds=seeds)]
    assert named == ["lead-8", "lead-15", "stopwords", "SEQ3+", "SEQ3-", "CMatch", "EALM", "default"]


def test_kinds_that_were_not_trained_are_named(tmp_path: Path) -> None:
    systems, seeds, missing = table_systems(folders(tmp_path, "ealm-3"))
    assert (seeds, missing) == ([3], ["cmatch", "seq3"])
    assert f"ealm:EALM={tmp_path}/ealm-{{seed}}" in systems.split(",")


@pytest.mark.parametrize(("names", "message"), [((), "holds no trained systems"), (("ealm-0", "seq3-1"), "no seed")])
def test_folders_that_make_no_table_are_an_error(tmp_path: Path, names: tuple[str, ...], message: str) -> None:
    with pytest.raises(UnknownSystemError, match=message):
        table_systems(folders(tmp_path, *names))


def test_published_rows_have_a_cell_for_each_test_set() -> None:
    assert {len(row) for row in published_rows()} == {len(HEADINGS)}
    assert published_rows()[-1] == ["EALM", "25.00/7.61/22.48", "21.69/5.25/18.88", "22.50/5.80/19.47"]
