"""The installed command, from raw sentences to summaries, also when it is killed on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from places import SUPPORT

from ealm.cli.main import main
from ealm.common.run_loop import LOG_FILE
from ealm.training.checkpoint import Checkpoint

pytestmark = pytest.mark.slow

EALM = Path(sys.executable).parent / "ealm"
SCHEMA = Draft202012Validator(json.loads((SUPPORT / "summary.schema.json").read_text(encoding="utf-8")))
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
SENTENCES = ["the police minister finds a silver bridge", "", "Zebra rises", "old engine burns in the quiet forest ."]
PATIENCE = 120

QUICK = [
    *("--pretokenized", "--checkpoint-seconds", "0", "--quiet"),
    *("--set", "rewards.similarity_weight=0", "--set", "agent.hidden_units=20"),
    *("--set", "learning.batch_size=8", "--set", "learning.replay_size=60"),
    *("--set", "learning.sentences_per_collection=8", "--set", "learning.target_period=30"),
]
UPDATES = 130


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [str(EALM), *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=ENVIRONMENT)


def finish(process: subprocess.Popen[str], stdin: str | None = None) -> tuple[str, str]:
    """Stdout and stderr of a process that must not fail."""
    out, err = process.communicate(stdin, timeout=PATIENCE)
    assert process.returncode == 0, err
    return out, err


@dataclass(frozen=True)
class Stopped:
    """A training that a signal ended; its folder is that of the resumed run."""

    folder: Path
    returncode: int
    out: str
    err: str
    updates: int
    """In the checkpoint that was left behind."""


@dataclass(frozen=True)
class Runs:
    """The same training three times: left alone, killed, interrupted."""

    whole: Path
    killed: Stopped
    interrupted: Stopped


def wait_for_updates(process: subprocess.Popen[str], folder: Path, least: int) -> None:
    """Until the checkpoint of a running training has so many updates."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        checkpoint = Checkpoint.load(folder)
        if checkpoint is not None and checkpoint.values["updates"] >= least:
            return
        time.sleep(0.03)
    raise TimeoutError("no checkpoint")


def in_this_process(*arguments: object) -> None:
    """The same command without the time that loading the libraries takes."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, bert_folder: Path, corpus_file: Path) -> Runs:
    """Side by side, because most of their time is the loading of libraries."""
    parent = tmp_path_factory.mktemp("runs")
    signals = {"killed": signal.SIGKILL, "interrupted": signal.SIGINT}
    options = ["--lm", bert_folder, "--updates", UPDATES, "--seed", 5, *QUICK]
    started = {name: start("train", corpus_file, "--out", parent / name, *options) for name in signals}
    stopped = {}
    for name, number in signals.items():
        wait_for_updates(started[name], parent / name, 20)
        started[name].send_signal(number)
        out, err = started[name].communicate(timeout=PATIENCE)
        checkpoint = Checkpoint.load(parent / name)
        assert checkpoint is not None
        stopped[name] = Stopped(parent / name, started[name].returncode, out, err, checkpoint.values["updates"])
    resumed = start("train", corpus_file, "--out", parent / "killed", "--resume", *options)
    in_this_process("train", corpus_file, "--out", parent / "whole", *options)
    # Options that are left out are as in the checkpoint.
    in_this_process("train", corpus_file, "--out", parent / "interrupted", "--resume", "--updates", UPDATES, "--quiet")
    assert finish(resumed)[0] == ""
    return Runs(parent / "whole", stopped["killed"], stopped["interrupted"])


def test_from_raw_sentences_to_summaries(tmp_path: Path, corpus_file: Path, bert_folder: Path) -> None:
    model = tmp_path / "model"
    options = ["--set", "learning.batch_size=16", "--set", "learning.replay_size=100", "--updates", 200]
    options += ["--pretokenized"]
    out, err = finish(start("train", corpus_file, "--out", model, "--lm", bert_folder, *options))
    assert out == ""
    assert "200 updates" in err
    log = [json.loads(line) for line in (model / LOG_FILE).read_text(encoding="utf-8").splitlines()]
    assert [line["updates"] for line in log] == [100, 200]

    (tmp_path / "sentences.txt").write_text("\n".join(SENTENCES) + "\n", encoding="utf-8")
    summarize = ["summarize", "--model", model, "--json", "--pretokenized"]
    from_file = start(*summarize, "-i", tmp_path / "sentences.txt")
    from_stdin = start(*summarize, "--trace")
    from_argument = start(*summarize, SENTENCES[0])
    results = [finish(from_file), finish(from_stdin, "\n".join(SENTENCES)), finish(from_argument)]
    parsed = [[json.loads(line) for line in out.splitlines()] for out, _ in results]
    for (_, err), objects in zip(results, parsed, strict=True):
        assert err == ""
        for values in objects:
            SCHEMA.validate(values)
    assert [values["source"] for values in parsed[0]] == SENTENCES
    assert all("trace" in values for values in parsed[1])
    assert [{k: v for k, v in values.items() if k != "trace"} for values in parsed[1]] == parsed[0]
    assert parsed[2] == parsed[0][:1]


def test_from_raw_text_to_a_summary_with_nothing_but_what_is_installed(tmp_path: Path) -> None:
    text = "The city council did not close the old ferry terminal, although nobody liked it."
    out, err = finish(start("summarize", text, "--words", 8, "--json", "--trace"))
    assert err == ""
    values = json.loads(out)
    SCHEMA.validate(values)
    assert values["source"] == text
    assert 1 <= len(values["summary"].split()) <= 8
    assert "not" in values["summary"].split()  # a negation stays with its verb
    output = tmp_path / "out.txt"
    out, _ = finish(start("summarize", "-o", output, "--words", 8), f"{text}\n\n{text}\n")
    assert out == ""
    assert output.read_text(encoding="utf-8") == f"{values['summary']}\n\n{values['summary']}\n"


def agent_of(folder: Path) -> bytes:
    return (folder / "agent.safetensors").read_bytes()


def test_a_run_that_was_killed_ends_as_one_that_was_not(runs: Runs) -> None:
    assert runs.killed.returncode == -signal.SIGKILL
    assert 20 <= runs.killed.updates < UPDATES
    assert agent_of(runs.killed.folder) == agent_of(runs.whole)


def test_a_run_that_was_interrupted_saves_and_says_how_to_go_on(runs: Runs, corpus_file: Path) -> None:
    stopped = runs.interrupted
    assert stopped.returncode == 128 + signal.SIGINT
    assert 20 <= stopped.updates < UPDATES
    assert f"Stopped after {stopped.updates} updates" in stopped.err
    assert f"ealm train {corpus_file} --out {stopped.folder} --resume" in stopped.err
    assert "Traceback" not in stopped.err


def test_a_run_that_was_interrupted_ends_as_one_that_was_not(runs: Runs) -> None:
    assert agent_of(runs.interrupted.folder) == agent_of(runs.whole)


def test_training_prints_nothing_on_stdout(runs: Runs) -> None:
    assert (runs.killed.out, runs.interrupted.out) == ("", "")
