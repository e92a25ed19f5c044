"""The one checkpoint reader: reads what was written, now or by earlier versions, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from ealm.common.checkpoint import SavedState, damage_reported, optimizer_tensors, prefixed, restore_optimizer
from ealm.common.errors import RunError

KINDS = {"updates": int, "note": (str, type(None))}
STATE = SavedState({"updates": 3, "note": None}, {"a.x": torch.arange(6.0), "b.x": torch.ones(2)})


def written(path: Path, header: str, **more: str) -> Path:
    save_file({"a": torch.ones(1)}, path, {"ealm": header, **more})
    return path


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    STATE.save(tmp_path / "state")
    found = SavedState.load(tmp_path / "state", KINDS)
    assert found is not None
    assert found.header == {"format": 1, **STATE.header}
    assert {name: each.tolist() for name, each in found.part("a.").items()} == {"x": [0, 1, 2, 3, 4, 5]}
    assert prefixed("b.", found.part("b.")).keys() == {"b.x"}


def test_the_file_is_safetensors_with_json_in_its_header(tmp_path: Path) -> None:
    STATE.save(tmp_path / "state")
    with safe_open(tmp_path / "state", framework="pt") as file:
        assert json.loads(file.metadata()["ealm"]) == {"format": 1, **STATE.header}
        assert set(file.keys()) == STATE.tensors.keys()


def test_no_file_is_no_state(tmp_path: Path) -> None:
    assert SavedState.load(tmp_path / "state", KINDS) is None


def test_fields_that_earlier_versions_did_not_write_have_defaults(tmp_path: Path) -> None:
    path = written(tmp_path / "state", '{"updates": 3}')
    found = SavedState.load(path, KINDS, defaults={"format": 1, "note": "none", "updates": 0})
    assert found is not None
    assert found.header == {"format": 1, "note": "none", "updates": 3}


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ("null", "damaged"),
        ("[" * 100_000, "damaged .*nested too deep"),
        ('{"format": 1, "updates": 3}', "damaged .*note"),
        ('{"format": 1, "updates": "3", "note": null}', "damaged .*'updates' is of the wrong type"),
        ('{"updates": 3, "note": null}', "damaged .*format"),
        ('{"format": 2, "updates": 3, "note": null}', "written by another version"),
    ],
)
def test_a_damaged_header_is_an_error_that_names_the_file(tmp_path: Path, header: str, reason: str) -> None:
    path = written(tmp_path / "state.safetensors", header)
    with pytest.raises(RunError, match=rf"state\.safetensors .*{reason}.*Start a new run in another folder"):
        SavedState.load(path, KINDS)


def test_no_file_is_read_through_a_link_that_leads_out(tmp_path: Path) -> None:
    STATE.save(tmp_path / "outside")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "state").symlink_to(tmp_path / "outside")
    with pytest.raises(RunError, match="leads out of its folder"):
        SavedState.load(folder / "state", KINDS)


@pytest.mark.parametrize("error", [KeyError("x"), ValueError("x"), RuntimeError("x"), RecursionError(), OSError("x")])
def test_what_damage_leads_to_is_told_with_the_file(error: Exception) -> None:
    with pytest.raises(RunError, match=r"^some/file is damaged .*another folder"), damage_reported(Path("some/file")):
        raise error


def test_our_own_mistakes_are_not_damage() -> None:
    with pytest.raises(AssertionError), damage_reported(Path("file")):
        raise AssertionError


def adam(steps: int) -> tuple[torch.nn.Parameter, torch.optim.Optimizer]:
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.Adam([weight], lr=0.1)
    for _ in range(steps):
        weight.square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return weight, optimizer


def test_an_optimizer_goes_on_as_if_it_had_never_been_saved() -> None:
    (weight, optimizer), (other_weight, other) = adam(3), adam(0)
    tensors: dict[str, Any] = {**optimizer_tensors(optimizer), "weights.x": torch.ones(1)}
    other_weight.data.copy_(weight.data)
    restore_optimizer(other, tensors, required=True)
    for each in (weight, other_weight):
        each.square().sum().backward()
    optimizer.step()
    other.step()
    assert torch.equal(weight, other_weight)


def test_a_missing_state_is_told_where_one_is_required() -> None:
    _, optimizer = adam(0)
    restore_optimizer(optimizer, {})
    with pytest.raises(KeyError, match="state of the optimizer is missing"):
        restore_optimizer(optimizer, {"weights.x": torch.ones(1)}, required=True)
