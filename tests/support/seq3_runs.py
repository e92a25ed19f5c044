"""Small runs of SEQ3 on disk."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from ealm.baselines.seq3.folder import CHECKPOINT_FILE, WEIGHTS_FILES
from ealm.baselines.seq3.run_checks import Validation
from ealm.baselines.seq3.settings import Seq3Settings
from ealm.baselines.seq3.training import train_seq3
from ealm.common.run_loop import LOG_FILE
from ealm.common.stopping import StopRequest
from ealm.evaluation.rouge import mean_rouge

WORDS = "the old bridge over river was closed on monday officials said minister opens new road near city".split()


SETTINGS = Seq3Settings(
    least_count=2,
    vocabulary=12,
    placeholders=3,
    candidates=14,
    embedding_width=8,
    hidden=8,
    batch=8,
    learning_rate=0.01,
    validate_every=2,
)


def sentences(count: int = 40, seed: int = 0) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [rng.choice(WORDS, size=int(rng.integers(3, 12))).tolist() for _ in range(count)]


def validation(sources: list[str], references: list[str]) -> Validation:
    return Validation(sources, references, score=mean_rouge)


VALIDATION = validation(
    ["the old bridge was closed", "minister opens new road near city"], ["old bridge closed", "new road"]
)


def train(folder: Path, **changes: Any) -> bool:
    given: dict[str, Any] = {
        "settings": SETTINGS,
        "seed": 3,
        "lm_updates": 3,
        "autoencoder_updates": 2,
        "updates": 5,
        "validation": VALIDATION,
        "progress": False,
        **changes,
    }
    return train_seq3(given.pop("sentences", sentences()), folder, **given)


def all_tensors(folder: Path) -> dict[str, bytes]:
    """Every number of the checkpoint, the memory of the optimizer included, and of both variants."""
    return {
        f"{name}/{key}": tensor.numpy().tobytes()
        for name in (CHECKPOINT_FILE, *WEIGHTS_FILES.values())
        for key, tensor in load_file(folder / name).items()
    }


def log_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / LOG_FILE).read_text(encoding="utf-8").splitlines()]


class StopAfter(StopRequest):
    """Asks to stop when it has been looked at so often."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    @property
    def signal(self) -> Any:  # type: ignore[override]
        self._looks -= 1
        return 2 if self._looks < 0 else None


def without(path: Path, beginning: str) -> None:
    with safe_open(path, framework="pt") as file:
        header = file.metadata()
    save_file({name: each for name, each in load_file(path).items() if not name.startswith(beginning)}, path, header)
