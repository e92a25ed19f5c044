"""Whether a run is resumed as the run that it was started as."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from ealm.common.errors import RunRequestError


def fingerprint(parts: Iterable[bytes]) -> str:
    """SHA-256 of all parts, one after the other."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def text_fingerprint(lines: Iterable[str]) -> str:
    """Fingerprint of lines of text."""
    return fingerprint(line.encode() + b"\n" for line in lines)


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Names of what is not as it was before; names that are gone do not count."""
    return [name for name in now if before.get(name) != now[name]]


def check_no_run(folder: Path, *names: str) -> None:
    """Raise if a folder holds one of the files of a run: a new one must not be started there."""
    for name in names:
        if (folder / name).exists():
            raise RunRequestError(
                f"{folder} already holds a run ({name}). Continue it with resume=, or choose another out=."
            )


def check_same_run(folder: Path, different: Collection[str]) -> None:
    """Raise if anything that makes a run what it is differs from how the run in the folder was started."""
    if different:
        raise RunRequestError(
            f"The run in {folder} was started with another {' and '.join(different)}: it cannot be resumed with these. "
            "Leave them as they were, or choose another out=."
        )
