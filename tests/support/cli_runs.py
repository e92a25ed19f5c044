"""Runs of the command line within the process, and what is looked for in their results."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from ealm.cli.main import main

SENTENCES = ["the police minister finds a silver bridge", "", "Zebra rises", "old engine burns in the quiet forest ."]
SCHEMA = Draft202012Validator(json.loads(Path(__file__).with_name("summary.schema.json").read_text(encoding="utf-8")))
TOO_LONG = "river " * 63
RAW_TEXT = "The police minister didn't find it (a silver bridge). It rises,  late!\nThe engine burns."

CUT = pytest.mark.parametrize("cut", [[], ["--pretokenized"]], ids=["raw", "pretokenized"])
"""For what holds for text as people write it and for words between spaces."""


@pytest.fixture
def sentences_file(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.txt"
    path.write_text("\n".join(SENTENCES) + "\n", encoding="utf-8")
    return path


def run(*arguments: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


def summarize(folder: Path, *arguments: object, stdin: str | bytes | None = None) -> Result:
    return run("summarize", "--model", folder, *arguments, stdin=stdin)


def refused(result: Result, *parts: str) -> None:
    """No traceback, a non-zero code, nothing on stdout, and a message with these parts."""
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code != 0
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for part in parts:
        assert part in result.stderr


def objects(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]
