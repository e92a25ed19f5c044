"""The models that come with the package, in its folder `default`.

The sentence encoder is all-MiniLM-L6-v2 in 8 bits. The masked language model was fitted on top of it, and the agents
were trained with both. `tools/bundle_weights.py` writes the folder.
"""

import os
from pathlib import Path

NAME = "embedded"
"""Name under which users ask for the embedded models."""

PAPER_AGENT = "embedded-paper"
"""Name of the embedded agent that was trained as in the paper."""

_DEFAULT = Path(__file__).parent / "default"


def encoder_folder() -> Path:
    """Folder of the embedded sentence encoder."""
    return _DEFAULT / "encoder"


def lm_folder() -> Path:
    """Folder of the embedded masked language model."""
    return _DEFAULT / "lm"


_AGENTS = {NAME: "agent", PAPER_AGENT: "paper_agent"}


def agent_folder(name_or_folder: str | os.PathLike[str] = NAME) -> Path:
    """Folder of an embedded agent by its name; any other name is a folder itself."""
    own = _AGENTS.get(os.fspath(name_or_folder))
    return Path(name_or_folder) if own is None else _DEFAULT / own
