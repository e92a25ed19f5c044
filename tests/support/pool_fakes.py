"""Work that takes no time and can be made to fail or die; it loads nothing, so that workers start at once."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ealm.common.errors import LanguageModelError
from ealm.common.worker_pool import Pool


@dataclass(frozen=True)
class DoublingRecipe:
    """Doubles numbers, the earlier ones slowly."""

    fault: str | None = None
    """What goes wrong: "load", "dies loading"; with the number 2: "job", "bug", "dies" (always) or "dies once"."""
    deaths: str = ""
    """A folder for a file of each death."""

    def load(self, threads: int | None) -> Callable[[int], int]:
        if self.fault == "load":
            raise LanguageModelError("No masked language model in there.")
        if self.fault == "dies loading":
            os.kill(os.getpid(), signal.SIGKILL)
        return self._double

    def _double(self, number: int) -> int:
        time.sleep(0.05 * max(0, 2 - number))
        if number == 2 and self.fault:
            self._fail()
        return 2 * number

    def _fail(self) -> None:
        if self.fault == "job":
            raise LanguageModelError("The language model is gone.")
        if self.fault == "bug":
            raise ZeroDivisionError("ours")
        before = len(list(Path(self.deaths).iterdir()))
        if self.fault == "dies" or not before:
            (Path(self.deaths) / str(before)).touch()
            os.kill(os.getpid(), signal.SIGKILL)


def doubled(pool: Pool) -> list[int]:
    """The results for the numbers 0 to 5; closes the pool."""
    with closing(pool):
        for number in range(6):
            pool.submit(number)
        return [pool.result() for _ in range(6)]
