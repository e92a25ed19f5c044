"""Fingerprints of earlier versions still hold, and another run is told by what differs."""

import hashlib
from pathlib import Path

import pytest

from ealm.common.errors import RunError
from ealm.common.identity import check_no_run, check_same_run, differences, fingerprint, text_fingerprint


def test_a_fingerprint_is_that_of_all_bytes() -> None:
    assert fingerprint([b"ab", b"", b"c"]) == hashlib.sha256(b"abc").hexdigest()
    assert text_fingerprint(["a b", "ö"]) == hashlib.sha256("a b\nö\n".encode()).hexdigest()
    assert text_fingerprint(["a", "b"]) != text_fingerprint(["ab"])


def test_differences_are_those_of_what_a_run_has_now() -> None:
    before = {"seed": 1, "text": "x", "gone since": 4}
    assert differences(before, {"seed": 1, "text": "x"}) == []
    assert differences(before, {"new": 3, "text": "y", "seed": 1}) == ["new", "text"]


def test_another_run_is_refused_by_name() -> None:
    check_same_run(Path("runs/a"), [])
    with pytest.raises(RunError, match=r"runs/a was started with another seed and text: .*choose another"):
        check_same_run(Path("runs/a"), ["seed", "text"])


def test_a_new_run_needs_a_folder_without_one(tmp_path: Path) -> None:
    check_no_run(tmp_path, "checkpoint", "settings")
    (tmp_path / "settings").touch()
    with pytest.raises(RunError, match=r"already holds a run \(settings\)"):
        check_no_run(tmp_path, "checkpoint", "settings")
