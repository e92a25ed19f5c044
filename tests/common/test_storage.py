"""Files are whole or absent."""

import gzip
import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

from ealm.common import storage
from ealm.common.storage import read_json, remove_drafts, replaced, write_json, write_tensors, write_text


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


@pytest.mark.parametrize("place", ["none/file", "none/deeper/file"])
def test_a_missing_folder_is_named(tmp_path: Path, place: str) -> None:
    with pytest.raises(FileNotFoundError, match="no such folder") as caught:
        write_text(tmp_path / place, "text")
    assert caught.value.filename == str((tmp_path / place).parent)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("old", ["old", None])
def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path, old: str | None) -> None:
    real, link = tmp_path / "real" / "file", tmp_path / "links" / "link"
    real.parent.mkdir()
    link.parent.mkdir()
    link.symlink_to(Path("..") / "real" / "file")
    if old is not None:
        real.write_text(old)
    write_text(link, "new")
    assert link.is_symlink()
    assert link.readlink() == Path("..") / "real" / "file"
    assert not real.is_symlink()
    assert real.read_text() == "new"
    assert [each.name for each in (*real.parent.iterdir(), *link.parent.iterdir())] == ["file", "link"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()), daemon=True)
    reader.start()
    write_text(pipe, "through the pipe")
    reader.join(timeout=30)
    assert received == ["through the pipe"]
    assert pipe.is_fifo()
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


def test_a_device_is_written_to_directly() -> None:
    with replaced(Path(os.devnull)) as draft:
        assert draft == Path(os.devnull)
    terminal, its_other_end = os.openpty()
    try:
        write_text(Path(os.ttyname(its_other_end)), "shown\n")
        assert os.read(terminal, 100) == b"shown\r\n"
    finally:
        os.close(terminal)
        os.close(its_other_end)


def test_a_pipe_that_has_no_name_is_written_to_by_the_name_of_its_descriptor() -> None:
    """As in `-o /dev/stdout | less` and `-o >(less)`: a link that leads to no path."""
    program = (
        "from pathlib import Path; from ealm.common.storage import write_text; write_text(Path('/dev/stdout'), 'out')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "out"), done.stderr


def test_drafts_of_a_killed_process_are_removed_and_nothing_else(tmp_path: Path) -> None:
    kept = {"file", ".hidden", "notes.part", ".file.txt"}
    for name in kept:
        (tmp_path / name).write_text("kept")
    with replaced(tmp_path / "file") as draft:
        draft.write_text("kept")
    for pid in (str(os.getpid()), "1", "4000000"):
        draft.with_name(draft.name.replace(str(os.getpid()), pid)).write_text("half")
    assert len(list(tmp_path.iterdir())) == len(kept) + 3
    remove_drafts(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == kept
    assert {path.read_text() for path in tmp_path.iterdir()} == {"kept"}
    remove_drafts(tmp_path / "none")


WRITERS = [lambda p: write_text(p, "x"), lambda p: write_tensors(p, {"a": torch.ones(1)})]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o640])
def test_a_replaced_file_keeps_its_rights(tmp_path: Path, write: Any, mode: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    before = os.umask(0o022)
    try:
        write(path)
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    assert path.read_bytes() != b"old"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("write", WRITERS)
def test_new_files_have_the_rights_that_the_user_asks_for(tmp_path: Path, write: Any) -> None:
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


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:20] + b"x" * 20, lambda _: b"no gzip"])
def test_a_packed_file_is_read_in_place_of_a_plain_one(tmp_path, damage):
    data = gzip.compress(json.dumps(["a", "word"] * 50).encode())
    (tmp_path / "words.json.gz").write_bytes(data)
    assert json.loads(storage.read_text_or_packed(tmp_path / "words.json")) == ["a", "word"] * 50
    (tmp_path / "words.json.gz").write_bytes(damage(data))
    with pytest.raises((OSError, ValueError)):
        storage.read_text_or_packed(tmp_path / "words.json")
