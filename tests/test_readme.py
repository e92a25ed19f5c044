"""What the README shows is what its commands print, in the shell that it assumes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"<!-- run: (.+?) -->\n```\w+\n((?:[$>].*\n)+)((?:.*\n)*?)```", README)
"""Commands, the lines that the reader sees instead, and what these print."""
(TEXT,) = re.findall(r'^    (text=".+")$', README, re.MULTILINE)


def test_every_command_with_an_output_was_found() -> None:
    assert len(SHOWN) == README.count("<!-- run: ") > 2


@pytest.mark.slow
@pytest.mark.parametrize(("command", "printed"), [(command, printed) for command, _, printed in SHOWN])
def test_the_output_is_real(command: str, printed: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    line = ["bash", "-c", f"{TEXT}\n{command}"]
    done = subprocess.run(
        line, capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "PATH": path}
    )
    assert (done.returncode, done.stdout) == (0, printed), done.stderr
