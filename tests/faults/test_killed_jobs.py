"""Jobs that are killed end with the same bytes as those that nobody disturbed, and lose no row."""

import signal
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fault_tools import COUNTS, KILLS, Forked, Paces, Process, finish, run_into_kill, undisturbed
from killed_jobs import OLD, rows_of, write_input

pytestmark = pytest.mark.slow

FORMS = [("in.jsonl", "out.jsonl"), ("in.csv", "out.csv.gz"), ("in.parquet", "out.parquet"), ("in.txt", "out.txt.zst")]
REPEATED = 3
KILLS_OF_A_JOB = 6


class Jobs:
    """The same rows in several forms; for each the file that an undisturbed job writes, and how long that takes."""

    def __init__(self, folder: Path, model: Path, lm: Path, texts: list[str]) -> None:
        self.folder = folder
        self.rows = len(texts)
        self.errors = folder / "errors.txt"
        self._options = ["--model", model, "--lm", lm, "--pretokenized", "--words", 4, "--quiet", "--overwrite"]
        for source, _ in FORMS:
            write_input(folder / source, texts)
        self._whole: dict[str, tuple[bytes, Paces]] = {}

    def command(self, source: str, output: str, *more: object) -> Callable[[], Process]:
        paths = ["-i", self.folder / source, "-o", self.folder / output]
        return lambda: Forked("summarize", *self._options, *paths, *more, errors=self.errors)

    def journal(self, output: str) -> Callable[[], Any]:
        """Changes with each chunk."""
        path = self.folder / f".{output}.partial.journal"
        return lambda: path.stat().st_size if path.exists() else 0

    def whole(self, source: str, output: str) -> tuple[bytes, Paces]:
        if source not in self._whole:
            name = f"whole-{output}"
            paces = undisturbed(self.command(source, name), self.journal(name))
            assert rows_of(self.folder / name) == self.rows
            self._whole[source] = ((self.folder / name).read_bytes(), paces)
        return self._whole[source]


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory, agent_folder: Path, light_folder: Path, texts: list[str]) -> Jobs:
    return Jobs(tmp_path_factory.mktemp("jobs"), agent_folder, light_folder, texts * REPEATED)


def killed_job(jobs: Jobs, source: str, name: str, *, kills: int, workers: int, rng: np.random.Generator) -> int:
    """Kill a job some times, then let it end; gives how often it was killed."""
    expected, paces = jobs.whole(source, name)
    output = jobs.folder / name
    output.write_bytes(OLD)
    resumed = jobs.command(source, name, "--resume", "--workers", workers)
    survived = 0
    while survived < kills:
        code = run_into_kill(resumed, jobs.journal(name), paces=paces, rng=rng)
        if code == 0:
            break
        assert code == -signal.SIGKILL, jobs.errors.read_text()
        assert output.read_bytes() in (OLD, expected)
        survived += 1
    else:
        finish(resumed, jobs.errors)
    assert output.read_bytes() == expected
    COUNTS["rows of jobs that were killed"] += jobs.rows
    COUNTS["rows lost"] += jobs.rows - rows_of(output)
    assert [path.name for path in jobs.folder.iterdir() if path.name.startswith(".")] == []
    output.unlink()
    return survived


def test_killed_at_random_moments(jobs: Jobs) -> None:
    rng = np.random.default_rng(1)
    survived = 0
    for number, (source, name) in enumerate(cycle(FORMS)):
        # Workers other than the process itself take longer to start than to do this little work: once is enough.
        workers = 2 if number == 1 else 1
        kills = min(KILLS_OF_A_JOB, KILLS - survived)
        done = killed_job(jobs, source, name, kills=kills, workers=workers, rng=rng)
        survived += done
        COUNTS["kills of jobs at random moments"] += done
        if survived >= KILLS:
            break
    assert COUNTS["rows lost"] == 0
