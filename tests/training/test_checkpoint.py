"""Checkpoints: read as written, refused when damaged, and only continued as the same run."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from ealm.common.config import PAPER, PUBLISHED_CODE
from ealm.common.errors import RunError
from ealm.training.checkpoint import CHECKPOINT_FILE, Checkpoint, RunIdentity

IDENTITY = RunIdentity(PAPER, seed=3, lm="some/lm", similarity="embedded", corpus="abc")
VALUES = {"updates": 7, "best_reward": None, "rng": np.random.default_rng(5).bit_generator.state}
TENSORS = {
    "agent.first": torch.linspace(0, 1, 6).reshape(2, 3),
    "replay.flags": torch.tensor([1, 2], dtype=torch.uint8),
}
CHECKPOINT = Checkpoint(IDENTITY, TENSORS, VALUES, seconds=12.5)


def test_a_checkpoint_is_read_as_it_was_written(tmp_path: Path) -> None:
    CHECKPOINT.save(tmp_path)
    found = Checkpoint.load(tmp_path)
    assert found is not None
    assert (found.identity, found.values, found.seconds) == (IDENTITY, VALUES, 12.5)
    assert found.tensors.keys() == TENSORS.keys()
    for name, tensor in TENSORS.items():
        assert found.tensors[name].dtype == tensor.dtype
        assert torch.equal(found.tensors[name], tensor)


def test_a_checkpoint_replaces_the_one_before(tmp_path: Path) -> None:
    CHECKPOINT.save(tmp_path)
    dataclasses.replace(CHECKPOINT, seconds=99.0).save(tmp_path)
    found = Checkpoint.load(tmp_path)
    assert found is not None
    assert found.seconds == 99.0
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT_FILE]


def test_a_loaded_checkpoint_does_not_change_when_the_file_does(tmp_path: Path) -> None:
    CHECKPOINT.save(tmp_path)
    found = Checkpoint.load(tmp_path)
    assert found is not None
    dataclasses.replace(CHECKPOINT, tensors={"agent.first": torch.zeros(2, 3)}).save(tmp_path)
    assert torch.equal(found.tensors["agent.first"], TENSORS["agent.first"])


def test_no_checkpoint_is_no_error(tmp_path: Path) -> None:
    assert Checkpoint.load(tmp_path) is None
    assert Checkpoint.load(tmp_path / "none") is None


def header(**changes: Any) -> dict[str, str]:
    values = {
        "format": 1,
        "settings": PAPER.to_dict(),
        "seed": 0,
        "lm": "lm",
        "similarity": "s",
        "corpus": "c",
        "values": {},
        "seconds": 1.0,
    }
    values |= changes
    return {"ealm": json.dumps({name: value for name, value in values.items() if value is not None})}


def test_a_checkpoint_from_before_there_were_workers_is_read(tmp_path: Path) -> None:
    save_file({"a": torch.ones(1)}, tmp_path / CHECKPOINT_FILE, header(values={"updates": 3}))
    found = Checkpoint.load(tmp_path)
    assert found is not None
    assert found.identity == RunIdentity(PAPER, seed=0, lm="lm", similarity="s", corpus="c", workers=0)
    assert (found.values, found.seconds) == ({"updates": 3}, 1.0)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (header(format=2), "another version of ealm"),
        (header(format=None), "damaged"),
        (header(seed=None), "damaged"),
        (header(values=None), "damaged"),
        (header(seconds=None), "damaged"),
        (header(settings={"rewards": {"top_k": 0}}), "damaged .*top_k"),
        (header(settings=None), "damaged"),
        ({"ealm": "{"}, "damaged"),
        ({"ealm": "[]"}, "damaged"),
        ({"other": "x"}, "damaged"),
        (None, "damaged"),
    ],
)
def test_a_damaged_header_is_an_error_with_advice(
    tmp_path: Path, metadata: dict[str, str] | None, message: str
) -> None:
    save_file({"a": torch.ones(1)}, tmp_path / CHECKPOINT_FILE, metadata)
    with pytest.raises(RunError, match=f"{CHECKPOINT_FILE} .*{message}") as caught:
        Checkpoint.load(tmp_path)
    assert "Start a new run in another folder" in str(caught.value)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.99])
def test_a_cut_checkpoint_is_an_error_with_advice(tmp_path: Path, share: float) -> None:
    CHECKPOINT.save(tmp_path)
    content = (tmp_path / CHECKPOINT_FILE).read_bytes()
    (tmp_path / CHECKPOINT_FILE).write_bytes(content[: int(share * len(content))])
    with pytest.raises(RunError, match=r"is damaged .*Start a new run in another folder"):
        Checkpoint.load(tmp_path)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"seed": 4}, ["seed"]),
        ({"settings": PUBLISHED_CODE}, ["settings"]),
        ({"lm": "x", "corpus": "y"}, ["lm", "corpus"]),
        ({"similarity": "x"}, ["similarity"]),
    ],
)
def test_a_run_goes_on_only_as_itself(changes: dict[str, Any], expected: list[str]) -> None:
    assert dataclasses.replace(IDENTITY, **changes).differences(IDENTITY) == expected
