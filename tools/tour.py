"""Runs the commands of docs/tour.md in examples/tour and writes what they print into the page.

python tools/tour.py
"""

import os
import re
import shlex
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner

from ealm.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tour.md"
FILES = ROOT / "examples" / "tour"

_RUN = re.compile(r"^```console\n\$ ealm (?P<arguments>.+)\n(?P<printed>(?:.*\n)*?)```$", re.MULTILINE)


def commands(page: str) -> list[str]:
    """The arguments of all commands on a page."""
    return [found["arguments"] for found in _RUN.finditer(page)]


def updated(page: str) -> str:
    """The page with what its commands print now: warnings first, as in a terminal."""
    return _RUN.sub(lambda found: f"```console\n$ ealm {found['arguments']}\n{_printed(found['arguments'])}```", page)


def _printed(arguments: str) -> str:
    with chdir(FILES):
        done = CliRunner().invoke(main, shlex.split(arguments))
    if done.exit_code != 0:
        raise RuntimeError(f"ealm {arguments}: {done.output}")
    return done.stderr + done.stdout


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
