"""Runs what the pages show and writes what it prints into them, after rules or models have changed.

python tools/shown.py

Commands of the README, the tour and "How it works", the Python sessions of docs/python.md, and the summaries in the
tables of docs/model-cards.md.
"""

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from ealm import Summarizer
from ealm.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
FILES = ROOT / "examples" / "tour"
CARD_WORDS = 8
"""What the tables of the model cards were asked for."""

_RUN = re.compile(r"^```console\n\$ ealm (?P<arguments>.+)\n(?P<printed>(?:.*\n)*?)```$", re.MULTILINE)
_NAMED = re.compile(
    r"^(?P<head><!-- run: (?P<command>.+?) -->\n```\w+\n(?:[$>].*\n)+)(?P<printed>(?:.*\n)*?)```$", re.MULTILINE
)
_VARIABLE = re.compile(r'^    (text=".+")$', re.MULTILINE)
_PYTHON = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^\| source \| (?P<columns>.+) \|\n\|[-|]+\n(?P<rows>(?:\|.*\n)+)", re.MULTILINE)


def commands(page: str) -> list[str]:
    """The arguments of all commands of the tour."""
    return [found["arguments"] for found in _RUN.finditer(page)]


def tour(page: str) -> str:
    """Commands in examples/tour: warnings first, as in a terminal."""
    return _RUN.sub(lambda found: f"```console\n$ ealm {found['arguments']}\n{_printed(found['arguments'])}```", page)


def _printed(arguments: str) -> str:
    with chdir(FILES):
        done = CliRunner().invoke(main, shlex.split(arguments))
    if done.exit_code != 0:
        raise RuntimeError(f"ealm {arguments}: {done.output}")
    return done.stderr + done.stdout


def shell(page: str) -> str:
    """Commands that are named above what the reader sees, in a shell with the page's variable."""
    variable = _VARIABLE.search(page)
    before = f"{variable[1]}\n" if variable else ""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(found: re.Match[str]) -> str:
        line = ["bash", "-c", before + found["command"]]
        done = subprocess.run(line, capture_output=True, text=True, check=True, env={**os.environ, "PATH": path})
        return f"{found['head']}{done.stdout}```"

    return _NAMED.sub(run, page)


def sessions(page: str) -> str:
    """All blocks of Python, one after the other in one session, in a folder with a corpus and with little time."""
    session = _taken_for_granted()

    def run(found: re.Match[str]) -> str:
        if ">>> " not in found["code"]:
            exec(compile(found["code"].replace("updates=3000", "updates=2"), "page", "exec"), session)
            return found[0]
        parts = doctest.DocTestParser().parse(found["code"])
        return "```python\n" + "".join(_typed(part, session) for part in parts) + "```"

    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("corpus.txt").write_text("\n".join(session["texts"] * 8) + "\n", encoding="utf-8")
        return _PYTHON.sub(run, page)


def _taken_for_granted() -> dict[str, Any]:
    """Names that docs/python.md uses and does not make."""
    import datasets
    import pandas as pd

    texts = ["The mayor opened the new bridge on Friday.", "The old ferry will not run in winter."]
    return {"df": pd.DataFrame({"text": texts}), "dataset": datasets.Dataset.from_dict({"text": texts}), "texts": texts}


def _typed(part: str | doctest.Example, session: dict[str, Any]) -> str:
    """What a terminal shows once this is typed in."""
    if isinstance(part, str):
        return part
    first, *rest = part.source.splitlines()
    typed = "".join(f"{line}\n" for line in (f">>> {first}", *(f"... {line}" for line in rest)))
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(part.source, "page", "single"), session)
    return typed + printed.getvalue()


def cards(page: str) -> str:
    """Summaries in the columns that are named after a way to summarize."""

    def table(found: re.Match[str]) -> str:
        ways = [WAYS.get(name) for name in found["columns"].split(" | ")]
        rows = (line.strip("|").split("|") for line in found["rows"].splitlines())
        lines = [_row(source.strip(), [cell.strip() for cell in cells], ways) for source, *cells in rows]
        return found[0].removesuffix(found["rows"]) + "".join(lines)

    return _TABLE.sub(table, page)


def _row(source: str, cells: list[str], ways: list[Callable[[str], str] | None]) -> str:
    new = [way(source) if way else cell for way, cell in zip(ways, cells, strict=True)]
    return f"| {' | '.join([source, *new])} |\n"


@cache
def _summarizer() -> Summarizer:
    return Summarizer()


def _default(source: str) -> str:
    return str(_summarizer().summarize(source, words=CARD_WORDS))


def _by_q_values(source: str) -> str:
    return str(_summarizer().summarize(source, words=CARD_WORDS, effort="walk"))


WAYS = {"summary": _default, "default": _default, "by Q-values": _by_q_values}


PAGES: dict[str, Callable[[str], str]] = {
    "README.md": shell,
    "docs/tour.md": tour,
    "docs/how-it-works.md": shell,
    "docs/python.md": sessions,
    "docs/model-cards.md": cards,
}


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name, updated in PAGES.items():
        page = ROOT / name
        page.write_text(updated(page.read_text(encoding="utf-8")), encoding="utf-8")
