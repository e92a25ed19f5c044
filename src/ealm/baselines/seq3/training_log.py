"""What a run tells: a line of JSON for the means over many updates, and a progress bar."""

import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from tqdm import tqdm

from ealm.common.storage import write_text

LOG_FILE = "log.jsonl"
Phase = Literal["language model", "autoencoder", "summarizer"]
PHASES: tuple[Phase, ...] = ("language model", "autoencoder", "summarizer")


class LogWindow:
    """Means since the last line of the log."""

    def __init__(self) -> None:
        self._values: defaultdict[str, list[float]] = defaultdict(list)

    def add(self, values: Mapping[str, float]) -> None:
        """Take in what an update returned."""
        for name, value in values.items():
            self._values[name].append(value)

    def take(self) -> dict[str, float]:
        """The means; begins anew."""
        means = {name: sum(values) / len(values) for name, values in self._values.items()}
        self._values.clear()
        return means

    def shown(self) -> str:
        """The means for the progress bar."""
        return ", ".join(f"{name} {sum(values) / len(values):.2f}" for name, values in self._values.items())


def progress_bar(phase: Phase, *, total: int | None, position: int, by_time: bool, show: bool) -> Any:
    """A bar on stderr that counts seconds or updates."""
    return tqdm(
        desc=phase,
        total=total,
        initial=position,
        unit=" s" if by_time else " updates",
        disable=not show,
        file=sys.stderr,
        mininterval=0.5 if sys.stderr.isatty() else 30.0,
    )


def write_record(path: Path, *, phase: Phase, updates: int, seconds: float, values: Mapping[str, float]) -> None:
    """Add a line to the log."""
    record = {"phase": phase, "updates": updates, "seconds": round(seconds, 1), **values}
    with path.open("a", encoding="utf-8") as log:
        log.write(json.dumps(record) + "\n")


def drop_log_after(path: Path, *, phase: Phase, updates: int) -> None:
    """Forget what was logged after the checkpoint: a resumed run writes it again."""
    if not path.exists():
        return
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
            if (PHASES.index(record["phase"]), record["updates"]) <= (PHASES.index(phase), updates):
                kept.append(line + "\n")
        except (ValueError, KeyError, TypeError):
            continue  # a line that a kill cut off
    write_text(path, "".join(kept))
