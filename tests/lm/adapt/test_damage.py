"""A checkpoint or a model that is damaged is told instead of going on with it."""

import json
from pathlib import Path

import pytest
import torch
from adaptation_runs import request_for
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from ealm.common.errors import EalmError, RunError
from ealm.lm.adapt.run import CHECKPOINT_FILE, open_adaptation


def refused_as_damaged(folder: Path, corpus: Path, lm: Path) -> None:
    with pytest.raises(RunError, match="damaged") as caught:
        open_adaptation(request_for(corpus, folder, lm, resume=True))
    assert "another folder" in str(caught.value)


@pytest.mark.parametrize("left", [0, 4, 1_000, -1])
def test_a_truncated_checkpoint_is_told(started: Path, corpus: Path, lm_folder: Path, left: int) -> None:
    path = started / CHECKPOINT_FILE
    path.write_bytes(path.read_bytes()[:left])
    refused_as_damaged(started, corpus, lm_folder)


@pytest.mark.parametrize("content", [b"\x00" * 100, b"not a checkpoint\n" * 10])
def test_a_file_of_another_kind_is_told(started: Path, corpus: Path, lm_folder: Path, content: bytes) -> None:
    (started / CHECKPOINT_FILE).write_bytes(content)
    refused_as_damaged(started, corpus, lm_folder)


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {},
        {"format": "pt"},
        {"ealm": "no json"},
        *(pytest.param({"ealm": text}) for text in ("{}", "[]", "null")),
    ],
    ids=str,
)
def test_a_checkpoint_without_its_report_is_told(
    started: Path, corpus: Path, lm_folder: Path, metadata: dict[str, str] | None
) -> None:
    path = started / CHECKPOINT_FILE
    save_file(load_file(path), path, metadata)
    refused_as_damaged(started, corpus, lm_folder)


@pytest.mark.parametrize("damage", ["no weights", "a weight less", "no optimizer", "another shape", "no counter"])
def test_a_checkpoint_that_is_not_whole_is_told(started: Path, corpus: Path, lm_folder: Path, damage: str) -> None:
    path = started / CHECKPOINT_FILE
    with safe_open(path, framework="pt") as file:
        report = json.loads(file.metadata()["ealm"])
    tensors = load_file(path)
    weight = "weight.bert.encoder.layer.0.output.dense.weight"
    if damage == "no weights":
        tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("weight.")}
    elif damage == "a weight less":
        del tensors[weight]
    elif damage == "no optimizer":
        tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("adam.")}
    elif damage == "another shape":
        tensors[weight] = torch.ones(3, 3)
    else:
        del report["chunk"]
    save_file(tensors, path, {"ealm": json.dumps(report)})
    refused_as_damaged(started, corpus, lm_folder)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_damaged_model_is_told(started: Path, corpus: Path, lm_folder: Path, name: str) -> None:
    path = started / name
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(EalmError) as caught:
        open_adaptation(request_for(corpus, started, lm_folder, resume=True))
    assert str(started) in str(caught.value)
