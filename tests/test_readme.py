"""What the README shows is what its commands print, and its other commands do their work, in the shell that it assumes.

It needs no more than pytest and an installed ealm, so `make smoke` runs it against the wheel.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"<!-- run: (.+?) -->\n```\w+\n((?:[$>].*\n)+)((?:.*\n)*?)```", README)
"""Commands, the lines that the reader sees instead, and what these print."""
(TEXT,) = re.findall(r'^    (text=".+")$', README, re.MULTILINE)
MORE = re.findall(r"^    ((?:cat .+\| )?ealm .+?)(?:  +#.*)?$", README.partition("## More commands")[2], re.MULTILINE)
"""Commands without an output."""
NEEDS = {"parquet": "pyarrow", "backend ray": "ray", "notes.md": "markdown_it", "ealm adapt": "transformers"} | {
    "ealm train": "tensorboard",
    "runs/mine -i": "tensorboard",  # what the line before has trained
    "ealm evaluate": "rouge_score",
    "ealm serve": "fastapi",
}
"""What an installation without extras lacks."""
LONG = ("ealm adapt", "ealm train", "ealm serve")
"""What a user ends with Ctrl-C."""
SENTENCES = [
    f"The {who} {did} the {what} near the river because the winter was long."
    for who in ("mayor", "young doctor", "ferry company", "council")
    for did in ("opened", "has repaired", "will not sell", "painted")
    for what in ("bridge", "old school", "house", "harbour")
]


def test_every_command_was_found() -> None:
    assert len(SHOWN) == README.count("<!-- run: ") > 2
    assert len(MORE) == README.partition("## More commands")[2].partition("![")[0].count("\n    ") > 9


def shell(command: str, folder: Path) -> subprocess.Popen[str]:
    """Bash with the README's variable and the ealm of this environment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    line = ["bash", "-c", f"{TEXT}\n{command}"]
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    return subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, cwd=folder, env=environment, process_group=0)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "printed"), [(command, printed) for command, _, printed in SHOWN])
def test_the_output_is_real(command: str, printed: str, tmp_path: Path) -> None:
    with shell(command, tmp_path) as process:
        out, errors = process.communicate()
    assert (process.returncode, out) == (0, printed), errors


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the README takes for granted."""
    place = tmp_path_factory.mktemp("readme")
    texts = "".join(f"{text}\n" for text in SENTENCES[:16])
    (place / "dev").mkdir()
    references = "".join(f"{text.partition(' near')[0]}\n" for text in SENTENCES[:5])
    files = {"in.txt": texts, "corpus.txt": texts, "article.txt": " ".join(SENTENCES[:9]) + "\n"} | {
        "notes.md": f"# Notes\n\n{' '.join(SENTENCES[:9])}\n",
        "dev/input.txt": "".join(f"{text}\n" for text in SENTENCES[:5]),
        "dev/ref0.txt": references,
    }
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    if find_spec("pyarrow"):
        from pyarrow import parquet, table

        parquet.write_table(table({"text": SENTENCES}), place / "in.parquet")
    return place


@pytest.mark.slow
@pytest.mark.parametrize("command", MORE)
def test_other_commands_work(command: str, folder: Path) -> None:
    """In their order, each with what the ones before have written."""
    for part, module in NEEDS.items():
        if part in command and find_spec(module) is None:
            pytest.skip(f"{module} is not installed: {part} needs an extra")
    with shell(command, folder) as process:
        if command.startswith(LONG):
            let_it_work(process, command, folder)
        out, errors = process.communicate(timeout=300)
    assert process.returncode in ((0, 130, -signal.SIGINT) if command.startswith(LONG) else (0,)), out + errors
    assert "Traceback" not in errors


def has_begun(command: str, folder: Path) -> bool:
    """Whether there is something to see: what it writes, or that the service listens."""
    if command.startswith("ealm serve"):
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", 8000)) == 0
    return (folder / {"ealm adapt": "lm", "ealm train": "runs/mine/log.jsonl"}[" ".join(command.split()[:2])]).exists()


def let_it_work(process: subprocess.Popen[str], command: str, folder: Path) -> None:
    """Until there is something to see; then Ctrl-C."""
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None and not has_begun(command, folder):
        time.sleep(0.5)
    time.sleep(20)
    os.killpg(process.pid, signal.SIGINT)
