"""Batches of rows, and the options of the command for Ray."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from batch_fakes import FakeRecipe
from click.testing import CliRunner, Result

import ealm
from ealm.batch.dataframes import BatchSummarizer
from ealm.batch.model_recipe import ModelRecipe
from ealm.cli.main import main
from ealm.common.errors import BatchError, ModelFolderError, SettingsError, TextError

TEXTS = ["the police minister finds a silver bridge", "Zebra rises", "old engine burns in the quiet forest ."]


@pytest.fixture(scope="module")
def summarize(agent_folder: Path) -> BatchSummarizer:
    return BatchSummarizer(model=str(agent_folder), column="body", words=4, pretokenized=True)


@pytest.fixture(scope="module")
def expected(agent_folder: Path) -> list[str]:
    found = ealm.Summarizer.from_pretrained(agent_folder).summarize(TEXTS, words=4, pretokenized=True)
    return [summary.summary for summary in found]


def test_arrays_keep_their_columns_and_get_two_more(summarize: BatchSummarizer, expected: list[str]) -> None:
    batch = {"id": np.arange(3), "body": np.array(TEXTS)}
    found = summarize(batch)
    assert list(batch) == ["id", "body"]
    assert list(found) == ["id", "body", "summary", "error"]
    assert found["id"] is batch["id"]
    assert found["summary"].tolist() == expected
    assert found["error"].tolist() == [None] * 3
    assert {name: len(column) for name, column in summarize({"body": np.array([])}).items()} == {
        "body": 0,
        "summary": 0,
        "error": 0,
    }


def test_a_bad_row_has_a_reason_and_the_others_their_summaries(summarize: BatchSummarizer, expected: list[str]) -> None:
    bodies = [TEXTS[0], None, "bad \udcff", float("nan"), 7, TEXTS[1], "half \ud800", TEXTS[2]]
    found = summarize({"body": np.array(bodies, dtype=object)})
    assert found["summary"].tolist() == [expected[0], None, None, None, None, expected[1], None, expected[2]]
    errors = found["error"].tolist()
    assert [errors[index] for index in (0, 5, 7)] == [None] * 3
    assert errors[1] == errors[3] == "column 'body' is empty (null)"
    assert "surrogate" in errors[2]
    assert errors[4] == "column 'body' is int, not a string"
    assert errors[6]  # a lone surrogate


def test_data_frames_and_tables_stay_what_they_are(summarize: BatchSummarizer, expected: list[str]) -> None:
    columns = {"id": [1, 2, 3, 4], "body": [*TEXTS, None]}
    frame = summarize(pd.DataFrame(columns))
    assert list(frame.columns) == ["id", "body", "summary", "error"]
    assert frame["summary"].tolist()[:3] == expected
    assert frame["error"].tolist()[3] == "column 'body' is empty (null)"
    table = summarize(pa.table(columns))
    assert table.schema.types == [pa.int64(), pa.string(), pa.string(), pa.string()]
    assert table["summary"].to_pylist() == [*expected, None]
    assert table["error"].to_pylist() == [None, None, None, "column 'body' is empty (null)"]


def test_mistakes_are_reported_with_the_name_of_the_argument(summarize: BatchSummarizer) -> None:
    with pytest.raises(BatchError, match=r"no column 'body'\. Name one with column=: id, text"):
        summarize({"id": np.arange(1), "text": np.array(["river"])})
    with pytest.raises(BatchError, match=r"column 'error' already\. Give another name with .*error_column="):
        summarize({"error": np.arange(1), "body": np.array(["river"])})
    with pytest.raises(BatchError, match="different names"):
        BatchSummarizer(output_column="text")
    with pytest.raises((SettingsError, TextError), match="words"):
        BatchSummarizer(model="nowhere", words=0)
    with pytest.raises(ModelFolderError):
        BatchSummarizer(model="nowhere")


def test_a_large_batch_is_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def summarize(texts):
        sizes.append(len(texts))
        return FakeRecipe().summarize(texts)

    monkeypatch.setattr(ModelRecipe, "load", lambda self, threads: summarize)
    found = BatchSummarizer()({"text": np.array([f"w{n} x" for n in range(300)])})
    assert found["summary"].tolist() == [f"W{n}" for n in range(300)]
    assert sizes == [128, 128, 44]


def test_the_callable_class_needs_neither_ray_nor_torch_to_be_imported() -> None:
    code = "import sys, json, ealm.batch.dataframes; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"ray", "torch", "pyarrow", "pandas"} & set(json.loads(done.stdout))


# The command ----------------------------------------------------------------------------------------------------------


def command(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["summarize", *map(str, arguments)], input="river")


def test_without_ray_the_command_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    (tmp_path / "in.txt").write_text("river\n")
    result = command("--backend", "ray", "-i", tmp_path / "in.txt", "-o", tmp_path / "out.txt")
    assert result.exit_code == 1
    assert "pip install 'ealm[ray]'" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_what_does_not_go_together_is_said() -> None:
    for arguments in (["--backend", "ray"], ["--engine", "ray"], ["--backend", "ray", "-o", "out.txt", "--json"]):
        result = command(*arguments)
        assert result.exit_code == 2
        assert "--backend ray, --resume and --restart go with --output" in result.stderr
    result = command("--address", "localhost:6379", "-o", "out.txt")
    assert result.exit_code == 2
    assert "--address goes with --backend ray" in result.stderr


def test_help_tells_of_ray() -> None:
    text = " ".join(command("--help-all").stdout.split())
    assert "--backend [local|ray]" in text
    assert "--engine [auto|torch|int8] " in text
    assert "--address HOST:PORT" in text


def test_effort_style_and_decoding_are_options(agent_folder: Path) -> None:
    made = BatchSummarizer(model=str(agent_folder), words=3, decoding="parallel", effort="walk")
    summary = ealm.Summarizer(agent_folder).summarize(TEXTS[0], words=3, decoding="parallel", effort="walk")
    assert made({"text": [TEXTS[0]]})["summary"].tolist() == [summary.summary]
    with pytest.raises(SettingsError, match="effort=plan goes with length-conditioned agents"):
        BatchSummarizer(model=str(agent_folder), effort="plan")
