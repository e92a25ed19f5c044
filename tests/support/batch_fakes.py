"""A summarizer for jobs that takes no time and can be made to die."""

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ealm.batch.chunks import RowResult
from ealm.batch.model_recipe import Answering
from ealm.common.errors import ModelFolderError


@dataclass(frozen=True)
class FakeRecipe:
    """Every text becomes its first word in capitals; "bad ..." cannot be summarized."""

    name: str = "fake"
    deaths: str | None = None
    """A folder; the process that gets "die" leaves a file there and dies, until there are `most_deaths`."""
    most_deaths: int = 1
    broken: str | None = None
    """`load` fails so: "missing" with an error, "killed" without a word."""

    def load(self, threads: int | None) -> Answering:
        if self.broken == "missing":
            raise ModelFolderError("No trained agent in there.")
        if self.broken == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        return self.summarize

    def identity(self) -> dict[str, Any]:
        return {"model": self.name}

    def summarize(self, texts: Sequence[str]) -> list[RowResult]:
        if self.deaths is not None and "die" in texts:
            before = len(list(Path(self.deaths).iterdir()))
            if before < self.most_deaths:
                (Path(self.deaths) / str(before)).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return [
            RowResult(error="a bad text") if text.startswith("bad") else RowResult(text.partition(" ")[0].upper())
            for text in texts
        ]


class SlowRecipe(FakeRecipe):
    """Takes its time, so that a test can come between."""

    def summarize(self, texts: Sequence[str]) -> list[RowResult]:
        time.sleep(0.02)
        return super().summarize(texts)


@dataclass(frozen=True)
class WatchedRecipe(FakeRecipe):
    """Takes its time, and leaves a file with the name of the node of a Ray cluster that it works at."""

    seen: str = ""

    def summarize(self, texts: Sequence[str]) -> list[RowResult]:
        import ray

        (Path(self.seen) / ray.get_runtime_context().get_node_id()).touch()
        time.sleep(0.1)
        return super().summarize(texts)
