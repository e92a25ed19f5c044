"""One file that holds a training run: tensors, and everything else as JSON in the file's header."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from torch import Tensor

from ealm.common.config import Settings
from ealm.common.errors import RunError
from ealm.common.storage import read_checkpoint, write_tensors

CHECKPOINT_FILE = "checkpoint.safetensors"
FORMAT = 1
_VISITS_OF_AN_EXPERIENCE = 1_000
"""More than any run needs: most visits leave several experiences in the buffer, some none."""

_MOST_WORKERS = 10_000


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What must be the same for a run to go on."""

    settings: Settings
    seed: int
    lm: str
    similarity: str
    corpus: str
    """Fingerprint of the sentences."""
    workers: int = 0
    """How many collected when the run was started, which tells for all of it how far they are ahead; 0: none."""

    def differences(self, other: "RunIdentity") -> list[str]:
        """Names of what differs."""
        names = ("settings", "seed", "lm", "similarity", "corpus")
        return [name for name in names if getattr(self, name) != getattr(other, name)]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A run between two updates."""

    identity: RunIdentity
    tensors: Mapping[str, Tensor]
    values: Mapping[str, Any]
    seconds: float
    """Time trained so far."""

    def save(self, folder: Path) -> None:
        """Replace the folder's checkpoint."""
        identity = self.identity
        header = {
            "format": FORMAT,
            "settings": identity.settings.to_dict(),
            "seed": identity.seed,
            "lm": identity.lm,
            "similarity": identity.similarity,
            "corpus": identity.corpus,
            "workers": identity.workers,
            "values": self.values,
            "seconds": self.seconds,
        }
        write_tensors(folder / CHECKPOINT_FILE, self.tensors, {"ealm": json.dumps(header)})

    @classmethod
    def load(cls, folder: Path) -> "Checkpoint | None":
        """The folder's checkpoint, or None if there is none."""
        path = folder / CHECKPOINT_FILE
        if not path.exists():
            return None
        try:
            header, tensors = read_checkpoint(path)
            header = {"workers": 0} | header  # earlier versions had none
            _check(header)
            _check_visits(header["values"], tensors)
            if header["format"] != FORMAT:
                raise RunError(f"{path} was written by another version of ealm. Start a new run in another folder.")
            identity = RunIdentity(
                settings=Settings.from_dict(header["settings"]),
                seed=header["seed"],
                lm=header["lm"],
                similarity=header["similarity"],
                corpus=header["corpus"],
                workers=header["workers"],
            )
            return cls(identity, tensors, header["values"], header["seconds"])
        except (OSError, SafetensorError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise RunError(f"{path} is damaged ({error}). Start a new run in another folder.") from error


_KINDS: dict[str, type | tuple[type, ...]] = {
    "settings": dict,
    "seed": int,
    "lm": str,
    "similarity": str,
    "corpus": str,
    "workers": int,
    "values": dict,
    "seconds": (int, float),
}


def _check(header: Any) -> None:
    """Refuse what no run has written."""
    for name, kind in _KINDS.items():
        if not isinstance(header[name], kind):
            raise TypeError(f"{name!r} is of the wrong type")
    if not 0 <= header["workers"] <= _MOST_WORKERS:
        raise ValueError("no run has so many workers")
    for name in ("updates", "visits", "pending_updates"):
        if name in header["values"] and not isinstance(header["values"][name], int):
            raise TypeError(f"{name!r} is of the wrong type")


def _check_visits(values: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    """A run that goes on reads all sentences from the oldest in the buffer on: one wrong number, and it never ends."""
    numbers = tensors.get("replay.numbers")
    if numbers is None or not numbers.numel() or "visits" not in values:
        return
    oldest = int(numbers.reshape(len(numbers), -1)[:, 0].min())
    if not 0 <= values["visits"] - oldest <= _VISITS_OF_AN_EXPERIENCE * (len(numbers) + 10):
        raise ValueError("the visits do not fit the buffer")
