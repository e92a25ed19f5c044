"""`ealm read`: from texts to a sheet, and from sheets to counts."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ealm.cli.main import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["read", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    records = [{"kind": kind, "text": f"{kind} {number} is a text"} for kind in ("news", "chat") for number in range(3)]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return tmp_path


def prepare(folder: Path, *more: object) -> Result:
    files = ("--out", folder / "sheet.tsv", "--key", folder / "key.json")
    return run("prepare", "--texts", folder / "texts.jsonl", "--systems", "lead-2,lead-3", *files, *more)


def judge(sheet: Path, verdicts: str) -> Path:
    """Write a copy with one letter a row."""
    lines = sheet.read_text(encoding="utf-8").splitlines()
    filled = [line.replace("\t\t", f"\t{verdict}\t", 1) for line, verdict in zip(lines[1:], verdicts, strict=True)]
    path = sheet.with_name(f"{verdicts}.tsv")
    path.write_text("\n".join([lines[0], *filled]), encoding="utf-8")
    return path


def test_a_sheet_is_prepared_judged_and_counted(folder: Path) -> None:
    prepared = prepare(folder, "--count", 2, "--seed", 7)
    assert prepared.exit_code == 0, prepared.output
    assert prepared.stderr.splitlines()[:2] == ["… lead-2", "… lead-3"]
    assert "4 rows to judge" in prepared.stderr
    assert "lead" not in (folder / "sheet.tsv").read_text(encoding="utf-8")
    sheets = [judge(folder / "sheet.tsv", verdicts) for verdicts in ("pfbm", "pfbb")]
    counted = run("count", *sheets, "--key", folder / "key.json")
    assert counted.exit_code == 0, counted.output
    assert [line.split()[:3] for line in counted.stdout.splitlines()[2:4]] == [
        ["lead-2", "all", "4"],
        ["lead-3", "all", "4"],
    ]
    assert "75.0%" in counted.stdout.splitlines()[-1]
    values = json.loads(run("count", *sheets, "--key", folder / "key.json", "--json").stdout)
    assert sum(each["verdicts"]["broken"] for each in values["counts"] if each["kind"] == "all") == 3
    assert values["agreement"][0]["share"] == 0.75


def test_one_sheet_has_no_agreement(folder: Path) -> None:
    assert prepare(folder, "--count", 1, "--quiet").stderr.count("…") == 0
    counted = run("count", judge(folder / "sheet.tsv", "pm"), "--key", folder / "key.json")
    assert counted.exit_code == 0, counted.output
    assert "kappa" not in counted.stdout


def test_mistakes_are_told_in_one_line(folder: Path) -> None:
    prepare(folder)
    again = prepare(folder)
    assert (again.exit_code, again.stderr.count("\n")) == (1, 1)
    assert "may hold verdicts" in again.stderr
    unread = run("count", folder / "sheet.tsv", "--key", folder / "key.json")
    assert unread.exit_code == 1
    assert "12 rows without a verdict" in unread.stderr
