"""One file that holds a training run: tensors, and everything else as JSON in the file's header."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from ealm.config import Settings
from ealm.errors import RunError, SettingsError
from ealm.storage import write_tensors

CHECKPOINT_FILE = "checkpoint.safetensors"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What must be the same for a run to go on."""

    settings: Settings
    seed: int
    lm: str
    similarity: str
    corpus: str
    """Fingerprint of the sentences."""

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
            with safe_open(path, framework="pt") as file:
                header = json.loads(file.metadata()["ealm"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
            if header["format"] != FORMAT:
                raise RunError(f"{path} was written by another version of ealm. Start a new run in another folder.")
            identity = RunIdentity(
                settings=Settings.from_dict(header["settings"]),
                seed=header["seed"],
                lm=header["lm"],
                similarity=header["similarity"],
                corpus=header["corpus"],
            )
            return cls(identity, tensors, header["values"], header["seconds"])
        except (OSError, SafetensorError, ValueError, KeyError, TypeError, SettingsError) as error:
            raise RunError(f"{path} is damaged ({error}). Start a new run in another folder.") from error
