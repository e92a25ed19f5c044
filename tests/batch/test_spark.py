"""The example for Spark in the documentation, run as it stands."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from places import TESTS
from pyarrow import parquet

pytestmark = pytest.mark.slow

pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

TEXT = "The city council voted on Tuesday night to close the old ferry terminal after engineers gave a warning."


def example() -> str:
    """The only Python code of the section."""
    section = (
        (TESTS.parent / "docs" / "scale.md")
        .read_text(encoding="utf-8")
        .partition("\n## Spark\n")[2]
        .partition("\n## ")[0]
    )
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return str(code)


def test_the_documented_example_runs(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    table = pa.table({"id": [0, 1, 2], "text": [TEXT, None, TEXT]})
    parquet.write_table(table, tmp_path / "in" / "rows.parquet")
    (tmp_path / "example.py").write_text(example(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "example.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},  # else the python3 of the path, which may be another
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = sorted(parquet.read_table(tmp_path / "out").to_pylist(), key=lambda row: row["id"])
    assert [row["text"] for row in found] == [TEXT, None, TEXT]
    assert 0 < len(found[0]["summary"].split()) <= 8
    assert found[2]["summary"] == found[0]["summary"]
    assert (found[0]["error"] or None, found[1]["summary"] or None) == (None, None)
    assert "text" in found[1]["error"]
