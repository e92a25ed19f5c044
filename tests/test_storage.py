"""Files are whole or absent."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

from ealm.storage import read_json, replaced, write_json, write_tensors, write_text


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with replaced(path) as draft:
        draft.write_text("half")
        assert not path.exists()
        assert draft.parent == path.parent  # a rename across file systems would not be atomic
    assert path.read_text() == "half"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_failure_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def write_half() -> None:
        with replaced(path) as draft:
            draft.write_text("new")
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        write_half()
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_missing_folder_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_text(tmp_path / "none" / "file", "text")


@pytest.mark.parametrize("write", [lambda p: write_text(p, "x"), lambda p: write_tensors(p, {"a": torch.ones(1)})])
def test_files_have_the_rights_that_the_user_asks_for(tmp_path: Path, write: Any) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "file")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


@pytest.mark.parametrize("value", [{"a": [1, 2.5, None, "Zürich"]}, [], "text", {"large": 2**100}])
def test_json_is_read_as_it_was_written(tmp_path: Path, value: object) -> None:
    write_json(tmp_path / "file.json", value)
    assert read_json(tmp_path / "file.json") == value
    text = (tmp_path / "file.json").read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert "\\u" not in text


def test_tensors_and_their_header_are_read_as_they_were_written(tmp_path: Path) -> None:
    shared = torch.arange(6.0).reshape(2, 3)
    tensors = {"plain": shared, "turned": shared.T, "same": shared, "none": torch.empty(0, dtype=torch.uint8)}
    write_tensors(tmp_path / "file", tensors | {"learned": torch.ones(2, requires_grad=True)}, {"note": "Zürich"})
    found = load_file(tmp_path / "file")
    assert found.keys() == {*tensors, "learned"}
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor)
    with safe_open(tmp_path / "file", framework="pt") as file:
        assert file.metadata()["note"] == "Zürich"
