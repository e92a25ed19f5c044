"""The checkpoint of a training run: what the run is, and the state of its trainer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from ealm.common.checkpoint import Kinds, SavedState, damage_reported
from ealm.common.config import Settings
from ealm.common.identity import differences

CHECKPOINT_FILE = "checkpoint.safetensors"
_VISITS_OF_AN_EXPERIENCE = 1_000
"""More than any run needs: most visits leave several experiences in the buffer, some none."""

_MOST_WORKERS = 10_000


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What must be the same for a run to be resumed."""

    settings: Settings
    seed: int
    lm: str
    similarity: str
    corpus: str
    """Fingerprint of the sentences."""
    workers: int = 0
    """Workers when the run was started, which decides for all of it how far ahead they collect; 0: none."""

    def differences(self, other: "RunIdentity") -> list[str]:
        """Names of what differs."""
        names = ("settings", "seed", "lm", "similarity", "corpus")
        before, now = ({name: getattr(each, name) for name in names} for each in (other, self))
        return differences(before, now)


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
            "settings": identity.settings.to_dict(),
            **{name: getattr(identity, name) for name in ("seed", "lm", "similarity", "corpus", "workers")},
            "values": self.values,
            "seconds": self.seconds,
        }
        SavedState(header, self.tensors).save(folder / CHECKPOINT_FILE)

    @classmethod
    def load(cls, folder: Path) -> "Checkpoint | None":
        """The folder's checkpoint, or None if there is none."""
        path = folder / CHECKPOINT_FILE
        state = SavedState.load(path, _KINDS, defaults={"workers": 0})
        if state is None:
            return None
        header = state.header
        with damage_reported(path):
            _check(header)
            _check_visits(header["values"], state.tensors)
            names = ("seed", "lm", "similarity", "corpus", "workers")
            identity = RunIdentity(Settings.from_dict(header["settings"]), **{name: header[name] for name in names})
        return cls(identity, state.tensors, header["values"], header["seconds"])


_KINDS: Kinds = {
    "settings": dict,
    "seed": int,
    "lm": str,
    "similarity": str,
    "corpus": str,
    "workers": int,
    "values": dict,
    "seconds": (int, float),
}


def _check(header: Mapping[str, Any]) -> None:
    """Refuse what no run has written."""
    if not 0 <= header["workers"] <= _MOST_WORKERS:
        raise ValueError("no run has so many workers")
    for name in ("updates", "visits", "pending_updates"):
        if name in header["values"] and not isinstance(header["values"][name], int):
            raise TypeError(f"{name!r} is of the wrong type")


def _check_visits(values: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    """A resumed run encodes all sentences from the oldest in the buffer on: with a wrong number it would never end."""
    numbers = tensors.get("replay.numbers")
    if numbers is None or not numbers.numel() or "visits" not in values:
        return
    oldest = int(numbers.reshape(len(numbers), -1)[:, 0].min())
    if not 0 <= values["visits"] - oldest <= _VISITS_OF_AN_EXPERIENCE * (len(numbers) + 10):
        raise ValueError("the visits do not fit the buffer")
