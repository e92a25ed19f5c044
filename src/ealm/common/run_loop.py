"""The loop of everything that runs long: budget, stop request, progress bar, log, and checkpoints on the way."""

import json
import math
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from tqdm import tqdm

from ealm.common.errors import RunError
from ealm.common.stopping import Budget, StopRequest
from ealm.common.storage import own_file, write_text

LOG_FILE = "log.jsonl"
LOG_EVERY_UPDATES = 100


class Stopwatch:
    """Seconds of a run, earlier parts of a resumed run included."""

    def __init__(self, before: float = 0.0) -> None:
        self._before = before
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Until now."""
        return self._before + time.monotonic() - self._started


class Run(Protocol):
    """What the loop drives."""

    @property
    def updates(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    def step(self) -> None:
        """Do the next piece of work, an update at most."""

    def status(self) -> str:
        """Text behind the progress bar."""

    def save(self) -> None:
        """Write the checkpoint, and what the run has made so far."""


def run_until(
    run: Run,
    budget: Budget,
    *,
    stop: StopRequest | None,
    checkpoint_seconds: float,
    progress: bool,
    name: str | None = None,
) -> bool:
    """Drive a run until its budget is spent (True) or a stop is requested (False); it is saved either way.

    `name` stands before the progress bar.
    """
    saved_at = time.monotonic()
    with _Bar(run, budget, name=name, show=progress) as bar:
        while not (done := budget.spent(updates=run.updates, seconds=run.seconds)):
            if stop is not None and stop.signal is not None:
                break
            run.step()
            bar.show()
            if time.monotonic() - saved_at >= checkpoint_seconds:
                run.save()
                saved_at = time.monotonic()
    run.save()
    return done


_BY_TIME = "{l_bar}{bar}| {n_fmt}/{total_fmt} s{postfix}"
_ENDLESS = "{desc}{n_fmt} s{postfix}"
"""Seconds have no rate, and how many are left can be seen."""


class _Bar:
    """Progress on stderr, in updates if the budget counts them, otherwise in seconds."""

    def __init__(self, run: Run, budget: Budget, *, name: str | None, show: bool) -> None:
        self._run = run
        self._by_time = budget.updates is None
        total = 60 * (budget.minutes or math.inf) if budget.updates is None else budget.updates
        self._total = math.ceil(total) if total < math.inf else None
        self._bar = tqdm(
            desc=name,
            total=self._total,
            initial=self._position(),
            unit=" updates",
            bar_format=(_ENDLESS if self._total is None else _BY_TIME) if self._by_time else None,
            disable=not show,
            file=sys.stderr,
            mininterval=0.5 if sys.stderr.isatty() else 30.0,
            dynamic_ncols=True,
        )

    def _position(self) -> int:
        position = int(self._run.seconds) if self._by_time else self._run.updates
        return position if self._total is None else min(position, self._total)

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self) -> None:
        """Move to where the run is."""
        if not self._bar.disable:
            updates = f"{self._run.updates:,} updates, " if self._by_time else ""
            self._bar.set_postfix_str(updates + self._run.status(), refresh=False)
            self._bar.update(self._position() - self._bar.n)


class JsonLog:
    """One JSON object a line."""

    def __init__(self, path: Path) -> None:
        """Raises a `RunError` if the file is a link that leads out of its folder, which would be written to."""
        try:
            self._path = own_file(path)
        except (OSError, ValueError) as error:
            raise RunError(f"{path} cannot be used: {error}") from error

    def write(self, record: Mapping[str, Any]) -> None:
        """Add a line."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def keep(self, wanted: Callable[[Any], bool]) -> None:
        """Drop lines that are not wanted, or that a kill cut off: what was logged after the checkpoint comes again."""
        if not self._path.exists():
            return
        kept = []
        for line in self._path.read_text(encoding="utf-8").splitlines():
            try:
                if wanted(json.loads(line)):
                    kept.append(line + "\n")
            except (ValueError, KeyError, TypeError):
                continue
        write_text(self._path, "".join(kept))


class Means:
    """Running means by name."""

    def __init__(self) -> None:
        self.totals: dict[str, float] = {}
        self.counts: dict[str, int] = {}

    def add(self, values: Mapping[str, float]) -> None:
        """Take in one value for each name."""
        for name, value in values.items():
            self.totals[name] = self.totals.get(name, 0.0) + value
            self.counts[name] = self.counts.get(name, 0) + 1

    def values(self) -> dict[str, float]:
        """The means so far."""
        return {name: total / self.counts[name] for name, total in self.totals.items()}

    def clear(self) -> None:
        """Begin anew."""
        self.totals.clear()
        self.counts.clear()
