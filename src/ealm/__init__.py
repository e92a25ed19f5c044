"""ealm: the unsupervised summarizer that learns to edit.

>>> from ealm import Summarizer
>>> Summarizer().summarize("The council voted on Tuesday to close the old bridge.", words=6)  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ealm.common.config import PRESETS, Settings
    from ealm.common.errors import EalmError, EalmWarning
    from ealm.lm.masked_lm import MaskedLM, TransformersMaskedLM
    from ealm.paper.edits import Action
    from ealm.summarize.options import SummarizeOptions
    from ealm.summarize.result import Edit, Summary, TraceStep
    from ealm.summarize.summarizer import Summarizer
    from ealm.training.api import TrainingResult, train

__version__ = "1.0.0"

_HOMES = {
    "PRESETS": "common.config",
    "Settings": "common.config",
    "Action": "paper.edits",
    "EalmError": "common.errors",
    "EalmWarning": "common.errors",
    "MaskedLM": "lm.masked_lm",
    "TransformersMaskedLM": "lm.masked_lm",
    "Summarizer": "summarize.summarizer",
    "SummarizeOptions": "summarize.options",
    "Edit": "summarize.result",
    "Summary": "summarize.result",
    "TraceStep": "summarize.result",
    "TrainingResult": "training.api",
    "train": "training.api",
}

__all__ = [
    "PRESETS",
    "Action",
    "EalmError",
    "EalmWarning",
    "Edit",
    "MaskedLM",
    "Settings",
    "SummarizeOptions",
    "Summarizer",
    "Summary",
    "TraceStep",
    "TrainingResult",
    "TransformersMaskedLM",
    "train",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import ealm` and `ealm --help` stay instant."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"ealm.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
