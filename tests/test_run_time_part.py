"""`pip install ealm` without extras: what it loads, what works with it, and what the rest says."""

import json
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tools.licences import needed, run_time

TRUTHS = Path(__file__).parent / "truth" / "negation.jsonl"
SENTENCE = "The city council voted on Tuesday night to close the old ferry terminal after engineers gave a warning."


def optional_modules() -> list[str]:
    """Everything that is installed but not needed at run time, by the names under which it is imported."""
    present = set(needed(run_time()))
    owners = packages_distributions()
    return sorted(
        module for module, names in owners.items() if not {canonicalize_name(name) for name in names} & (present | OWN)
    )


OWN = {"ealm", "setuptools"}


def run_without_extras(code: str, cwd: Path) -> str:
    """Standard output of code in a process where optional packages cannot be imported."""
    hidden = f"import sys; sys.modules.update(dict.fromkeys({optional_modules()!r}))\n"
    done = subprocess.run([sys.executable, "-c", hidden + code], capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_summarizing_needs_no_extra(tmp_path: Path) -> None:
    code = f"""
from ealm import Summarizer
summarizer = Summarizer()
print(summarizer.summarize({SENTENCE!r}, words=6, recoverability=True).summary)
print(summarizer.with_effort("search").summarize({SENTENCE!r}, words=6).summary)
"""
    assert [len(line.split()) for line in run_without_extras(code, tmp_path).splitlines()] == [6, 6]


def test_making_a_summarizer_loads_no_extra(tmp_path: Path) -> None:
    code = "import sys, json, ealm\nealm.Summarizer()\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert {"torch", "tokenizers", "ealm"} <= loaded
    assert not loaded & {"transformers", "sentence_transformers", "tensorboard", "nltk", "sklearn", "scipy", "pandas"}


COMMANDS = {
    "train corpus.txt --out run": "train",
    "adapt corpus.txt --out lm --minutes 0.01": "train",
    "evaluate --data data --systems lead-8": "evaluate",
    "serve --port 0": "serve",
    "summarize --input rows.parquet --output out.parquet": "parquet",
    "summarize --input rows.txt.zst --output out.txt": "parquet",
    "summarize --input corpus.txt --output out.jsonl --backend ray": "ray",
    "summarize --lm models/bert word": "transformers",
    "weigh corpus.txt --out weights --similarity models/other": "transformers",
}
"""Commands that need an extra, and which."""

DRIVER = """
import json
from click.testing import CliRunner
from ealm.cli.main import main
for line in {lines!r}:
    result = CliRunner().invoke(main, line.split())
    print(json.dumps([line, result.exit_code, result.stdout, result.stderr, repr(result.exception)]))
"""


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A folder with everything that the commands name."""
    (tmp_path / "corpus.txt").write_text(f"{SENTENCE}\n" * 8)
    (tmp_path / "data").mkdir()
    (tmp_path / "models" / "bert").mkdir(parents=True)
    for name in ("input.txt", "ref0.txt"):
        (tmp_path / "data" / name).write_text(f"{SENTENCE}\n")
    (tmp_path / "truth").mkdir()
    shutil.copy(TRUTHS, tmp_path / "truth")
    for name in ("rows.parquet", "rows.txt.zst"):
        (tmp_path / name).write_bytes(b"PAR1")
    return tmp_path


@pytest.mark.slow
def test_commands_that_need_an_extra_say_so_in_one_line(places: Path) -> None:
    out = run_without_extras(DRIVER.format(lines=list(COMMANDS)), places)
    for line, code, _, error, exception in map(json.loads, out.splitlines()):
        assert (line, code, exception) == (line, 1, "SystemExit(1)")
        assert "not installed. Install it with: pip install" in error, (line, error)
        assert f"'ealm[{COMMANDS[line]}]'" in error.strip().splitlines()[-1], (line, error)


WORKING = [
    "--help",
    "settings --preset paper",
    "summarize --words 6 word",
    "summarize --input corpus.txt --output out.jsonl --words 5",
    "weigh corpus.txt --out weights",
    "read prepare --texts corpus.txt --systems lead-8 --out sheet.tsv --key key.json",
    "evaluate --truth truth --systems lead-8",
]


@pytest.mark.slow
def test_other_commands_work(places: Path) -> None:
    out = run_without_extras(DRIVER.format(lines=WORKING), places)
    for line, code, stdout, error, exception in map(json.loads, out.splitlines()):
        assert (line, code) == (line, 0), (stdout, error, exception)
    assert len((places / "out.jsonl").read_text().splitlines()) == 8


def test_run_time_packages_are_few() -> None:
    """Those that the package asks for itself, and what these bring."""
    assert {"click", "numpy", "torch", "tokenizers"} <= set(needed(run_time()))
    assert not set(needed(run_time())) & {"transformers", "sentence-transformers", "pandas", "pyarrow", "nltk"}
