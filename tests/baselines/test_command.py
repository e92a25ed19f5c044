"""`ealm train-baseline`: both baselines from the command line to a row of the table."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ealm.cli.main import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def data(tmp_path: Path, corpus_file: Path) -> Path:
    sentences = corpus_file.read_text(encoding="utf-8").splitlines()[:4]
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "input.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    (folder / "ref0.txt").write_text("\n".join(text.split()[0] for text in sentences) + "\n", encoding="utf-8")
    return folder


COMMON = ["--pretokenized", "--quiet", "--minutes", 0.01]


def test_seq3_of_both_kinds(tmp_path: Path, corpus_file: Path, data: Path) -> None:
    out = tmp_path / "seq3"
    result = run(
        "train-baseline", "seq3", corpus_file, "--out", out, *COMMON, "--lm-minutes", 0.01, "--validation", data
    )
    assert result.exit_code == 0, result.output
    scored = run(
        *("evaluate", "--data", data, "--pretokenized", "--rouge-only", "--json", "--words", 3, "--quiet"),
        *("--systems", f"seq3={out},seq3+={out}"),
    )
    assert scored.exit_code == 0, scored.output
    assert [system["name"] for system in json.loads(scored.stdout)["systems"]] == ["seq3", "seq3+"]
    again = run("train-baseline", "seq3", corpus_file, "--out", out, *COMMON)
    assert again.exit_code == 2
    assert "already holds a run" in again.stderr


def test_cmatch(tmp_path: Path, corpus_file: Path, data: Path) -> None:
    out = tmp_path / "cmatch"
    result = run("train-baseline", "cmatch", corpus_file, "--out", out, *COMMON, "--headlines", data / "ref0.txt")
    # References of one word are no headlines to learn from.
    assert result.exit_code == 1
    assert "no sentence of 2 to" in result.stderr
    headlines = ("--headlines", data / "input.txt", "--fluency-weight", 0.015)
    result = run("train-baseline", "cmatch", corpus_file, "--out", out, *COMMON, *headlines)
    assert result.exit_code == 0, result.output
    assert json.loads((out / "cmatch.json").read_text(encoding="utf-8"))["settings"]["fluency_weight"] == 0.015
    scored = run(
        *("evaluate", "--data", data, "--pretokenized", "--rouge-only", "--json", "--words", 3, "--quiet"),
        *("--systems", f"cmatch={out}"),
    )
    assert scored.exit_code == 0, scored.output
    assert json.loads(scored.stdout)["systems"][0]["LEN"] <= 3
