"""Commands that die at numbered moments of their writing, at one after the other, and are resumed."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fault_tools import COUNTS, ENVIRONMENT, LONG_FORM, contents, some
from killed_jobs import OLD, rows_of, write_input
from killed_training import SMALL, assert_same_run, assert_usable
from places import SUPPORT

from ealm.lm.masked_lm import TransformersMaskedLM

pytestmark = pytest.mark.slow

DYING = SUPPORT / "dying.py"
FILE_TOO_LONG = -signal.SIGXFSZ


class Dying:
    """A process that runs commands in children which die as ordered."""

    def __init__(self, process: subprocess.Popen[str], errors: Path) -> None:
        self._process = process
        self._errors = errors

    def run(
        self, *arguments: object, folder: Path, die_at: int | None = None, most_bytes: int | None = None
    ) -> dict[str, Any]:
        order = {"arguments": [str(argument) for argument in arguments], "folder": str(folder), "die_at": die_at}
        order |= {"most_bytes": most_bytes, "errors": str(self._errors)}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def moments(self, *arguments: object, folder: Path) -> int:
        """Run to the end; how many moments that has."""
        answer = self.run(*arguments, folder=folder)
        assert answer["code"] == 0, self._errors.read_text()
        return int(answer["moments"])

    def finish(self, *arguments: object, folder: Path) -> None:
        assert self.run(*arguments, folder=folder)["code"] == 0, self._errors.read_text()


@pytest.fixture(scope="module")
def dying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dying]:
    command = [sys.executable, str(DYING)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=ENVIRONMENT) as process:
        yield Dying(process, tmp_path_factory.mktemp("dying") / "errors.txt")
        assert process.stdin is not None
        process.stdin.close()


def fresh(folder: Path) -> Path:
    """An empty folder of that name."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def job(folder: Path, ending: str, *more: object) -> list[object]:
    """A job of three chunks; `more` names the models."""
    source, output = folder.parent / f"in.{ending.partition('.')[0]}", folder / f"out.{ending}"
    options = ["--pretokenized", "--words", 4, "--quiet", "--overwrite", "--resume"]
    return ["summarize", "-i", source, "-o", output, *options, *more]


@pytest.mark.parametrize("ending", ["jsonl", "csv.gz", "parquet"])
def test_a_job(
    tmp_path: Path, dying: Dying, agent_folder: Path, light_folder: Path, texts: list[str], ending: str
) -> None:
    write_input(tmp_path / f"in.{ending.partition('.')[0]}", texts[:300])
    models = ["--model", agent_folder, "--lm", light_folder]
    folder = fresh(tmp_path / "out")
    output, command = folder / f"out.{ending}", job(folder, ending, *models)
    output.write_bytes(OLD)
    moments = dying.moments(*command, folder=folder)
    expected = output.read_bytes()
    assert rows_of(output) == 300
    assert moments > 15
    for moment in some(range(1, moments + 1), few=4, many=100):
        fresh(folder)
        output.write_bytes(OLD)
        assert dying.run(*command, folder=folder, die_at=moment)["code"] == -signal.SIGKILL
        assert output.read_bytes() in (OLD, expected)
        dying.finish(*command, folder=folder)
        assert contents(folder) == {output.name: expected}, moment
        COUNTS["kills of jobs at a numbered moment of writing"] += 1


def training(corpus: Path, folder: Path, lm: Path, *more: object) -> list[object]:
    options = ["--updates", 3, "--checkpoint-seconds", 0, *SMALL, *more]
    return ["train", corpus, "--out", folder, "--lm", lm, "--resume", *options]


def test_training(tmp_path: Path, dying: Dying, corpus_file: Path, light_folder: Path) -> None:
    whole, folder = tmp_path / "whole", tmp_path / "run"
    moments = dying.moments(*training(corpus_file, whole, light_folder), folder=whole)
    assert moments > 50
    for moment in some(range(1, moments + 1), few=4, many=60):
        shutil.rmtree(folder, ignore_errors=True)
        command = training(corpus_file, folder, light_folder)
        assert dying.run(*command, folder=folder, die_at=moment)["code"] == -signal.SIGKILL
        assert_usable(folder)
        dying.finish(*command, folder=folder)
        assert_same_run(folder, whole)
        assert contents(folder).keys() == contents(whole).keys(), moment
        COUNTS["kills of training at a numbered moment of writing"] += 1


def test_training_in_the_middle_of_a_file(tmp_path: Path, dying: Dying, corpus_file: Path, light_folder: Path) -> None:
    """At any byte of the longest file, the checkpoint, and so of the others too."""
    whole, folder = tmp_path / "whole", tmp_path / "run"
    dying.finish(*training(corpus_file, whole, light_folder), folder=whole)
    longest = max(len(content) for content in contents(whole).values())
    rng = np.random.default_rng(3)
    for most in rng.integers(1, longest, size=20 if LONG_FORM else 2).tolist():
        shutil.rmtree(folder, ignore_errors=True)
        command = training(corpus_file, folder, light_folder)
        assert dying.run(*command, folder=folder, most_bytes=most)["code"] == FILE_TOO_LONG
        assert_usable(folder)
        dying.finish(*command, folder=folder)
        assert_same_run(folder, whole)
        assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []
        COUNTS["kills of training in the middle of a file"] += 1


def test_adaptation(tmp_path: Path, dying: Dying, corpus_file: Path, bert_folder: Path) -> None:
    """Its learning rate follows the clock, so its weights are never the same twice; but it always goes on."""
    folder = tmp_path / "fitted"
    options = ["--lm", bert_folder, "--pretokenized", "--quiet", "--resume", "--checkpoint-seconds", 0]
    command = ["adapt", corpus_file, "--out", folder, *options, "--minutes", 0.01]
    moments = dying.moments(*command, folder=folder)
    files = contents(folder).keys()
    assert moments > 40
    for moment in some(range(1, moments + 1), few=3, many=50):
        shutil.rmtree(folder, ignore_errors=True)
        code = dying.run(*command, folder=folder, die_at=moment)["code"]
        assert code in (-signal.SIGKILL, 0)  # slower than before, it may be over before that moment
        if (folder / "config.json").exists():
            TransformersMaskedLM.load(folder)
        dying.finish(*command, folder=folder)
        assert contents(folder).keys() == files, moment
        COUNTS["kills of adaptation at a numbered moment of writing"] += code != 0
