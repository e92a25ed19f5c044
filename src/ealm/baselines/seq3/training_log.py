"""The log of a run: means over many updates, a line of JSON each."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ealm.storage import write_text

LOG_FILE = "log.jsonl"
Phase = Literal["language model", "summarizer"]
PHASES: tuple[Phase, Phase] = ("language model", "summarizer")


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
