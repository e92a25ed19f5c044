"""Progress of a job on stderr: a bar on a terminal, elsewhere a line every minute."""

import sys
import time
from typing import Any

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 60.0
"""Without a terminal. A shorter job prints nothing."""


class Progress:
    """Rows done, rows a second, time left."""

    def __init__(self, *, quiet: bool, rows: int) -> None:
        """`rows`: done by an earlier process."""
        self._quiet = quiet
        self._rows = self._rows_before = rows
        self._started = self._last_line = time.monotonic()
        self._before: int | None = None
        self._bar: Any = None

    def update(self, rows: int, position: tuple[int, int | None]) -> None:
        """Count more rows; `position`: how much of the input is read, of how much."""
        self._rows += rows
        if self._quiet:
            return
        if self._before is None:
            self._before = 0 if self._rows == rows else position[0]
        if sys.stderr.isatty():
            self._update_bar(*position)
        elif time.monotonic() - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            sys.stderr.write(f"{self._line(*position)}\n")
            sys.stderr.flush()

    def _update_bar(self, done: int, total: int | None) -> None:
        if self._bar is None:
            form = "{percentage:3.0f}%|{bar}| {postfix} [{elapsed}<{remaining}]" if total else "{postfix} [{elapsed}]"
            start = self._before or 0
            self._bar = tqdm(
                total=total, initial=start, bar_format=form, postfix=self._rate(), dynamic_ncols=True, leave=False
            )
        self._bar.set_postfix_str(self._rate(), refresh=False)
        self._bar.update(done - self._bar.n)

    def _rate(self) -> str:
        seconds = max(time.monotonic() - self._started, 1e-3)
        return f"{self._rows:,} rows, {(self._rows - self._rows_before) / seconds:,.1f} rows/s"

    def _line(self, done: int, total: int | None) -> str:
        line = self._rate()
        new = done - (self._before or 0)
        if total and new > 0:
            left = (time.monotonic() - self._started) * (total - done) / new
            line += f", {done / total:.0%}, {tqdm.format_interval(left)} left"
        return line

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._bar is not None:
            self._bar.close()
