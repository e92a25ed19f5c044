"""Optional packages: a missing one is named in one line, with the extra that installs it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from ealm.common.errors import EalmError


class MissingExtraError(EalmError, ImportError):
    """Something was asked for that needs a package which is not installed."""


@contextmanager
def needs_extra(extra: str, purpose: str) -> Iterator[None]:
    """Put around imports: `with needs_extra("train", "Training"): import tensorboard`."""
    try:
        yield
    except MissingExtraError:
        raise
    except ModuleNotFoundError as error:
        raise _missing(error.name or str(error), extra=extra, purpose=purpose) from error


def require_extra(extra: str, purpose: str, *modules: str) -> None:
    """Refuse early, before any work, where one of these packages is not installed; nothing is imported."""
    for module in modules:
        if sys.modules.get(module) is None and find_spec(module) is None:
            raise _missing(module, extra=extra, purpose=purpose)


def _missing(module: str, *, extra: str, purpose: str) -> MissingExtraError:
    package = module.partition(".")[0]
    return MissingExtraError(
        f"{purpose} needs {package}, which is not installed. Install it with: pip install 'ealm[{extra}]'"
    )
