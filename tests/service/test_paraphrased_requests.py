"""Shorter words for phrases: asked for in Python, on the command line, and of the service."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_runs import SCHEMA, objects, refused
from cli_runs import summarize as run_summarize
from starlette.testclient import TestClient

from ealm import Summarizer
from ealm.common.errors import SettingsError
from ealm.service.app import create_app
from ealm.summarize.options import SummarizeOptions

TEXT = "The prime minister of the United States is planning cuts of 7.4 percent."


def test_new_words_do_not_go_with_extractive(agent_folder: Path) -> None:
    with pytest.raises(SettingsError, match=r"extractive= allows no new word.*Leave one out"):
        SummarizeOptions(reword=True, extractive=True)
    assert SummarizeOptions(reword=True).reword
    refused(run_summarize(agent_folder, TEXT, "--reword", "--extractive"), "--extractive allows no", "Leave one out")


@pytest.mark.parametrize("options", [[], ["--pretokenized"], ["--trace"]])
def test_the_command_line(agent_folder: Path, options: list[str]) -> None:
    (values,) = objects(run_summarize(agent_folder, TEXT, "--words", 9, "--json", "--reword", *options))
    SCHEMA.validate(values)
    assert values["source"] == TEXT
    assert "U.S." in values["summary"]
    assert "United" in {edit["word"] for edit in values["edits"] if edit["action"] == "replace"}


def test_the_command_line_leaves_words_alone_unless_asked(agent_folder: Path) -> None:
    plain = run_summarize(agent_folder, TEXT, "--words", 9).stdout
    assert run_summarize(agent_folder, TEXT, "--words", 9, "--no-reword").stdout == plain
    assert "premier" not in plain.lower()


def test_the_command_line_shows_both_words_and_every_length(agent_folder: Path) -> None:
    shown = run_summarize(agent_folder, TEXT, "--words", 9, "--reword", "--show").stdout
    assert "[-prime-] {+premier+}" in shown
    curve = run_summarize(agent_folder, TEXT, "--reword", "--curve").stdout.splitlines()
    assert curve[0].endswith(TEXT)
    assert curve[1].endswith("The premier of the U.S. plans cuts of 7.4%.")


def test_files_are_reworded_too(agent_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(f"{TEXT}\n", encoding="utf-8")
    options = ["--words", "9", "--reword"]
    assert run_summarize(agent_folder, "-i", tmp_path / "in.txt", "-o", tmp_path / "out.txt", *options).exit_code == 0
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == run_summarize(agent_folder, TEXT, *options).stdout


@pytest.fixture(scope="module")
def client(agent_folder: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Summarizer.from_pretrained(agent_folder))) as client:
        yield client


def test_the_service(client: TestClient) -> None:
    (found,) = client.post("/v1/summarize", json={"text": TEXT, "words": 9, "reword": True}).json()["summaries"]
    assert "premier" in found["summary"]
    (plain,) = client.post("/v1/summarize", json={"text": TEXT, "words": 9}).json()["summaries"]
    assert "premier" not in plain["summary"].lower()
    line = client.post(
        "/v1/summarize/batch",
        content=json.dumps({"text": TEXT, "words": 9, "reword": True}),
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert json.loads(line.text)["summary"] == found["summary"]


def test_the_service_refuses_new_words_in_extractive_summaries(client: TestClient) -> None:
    for path in ("/v1/summarize", "/v1/curve"):
        response = client.post(path, json={"text": TEXT, "reword": True, "extractive": True})
        assert response.status_code == 422
        assert "Leave one out" in response.json()["detail"]


def test_a_curve_of_the_service_has_what_the_page_needs(client: TestClient) -> None:
    found = client.post("/v1/curve", json={"text": TEXT, "reword": True}).json()
    words = [word["text"] for word in found["words"]]
    assert "".join(words) == TEXT.replace(" ", "")
    assert found["points"][0]["summary"] == TEXT
    for point in found["points"]:
        assert len(point["actions"]) == len(words)
        replaced = {str(place) for place, letter in enumerate(point["actions"]) if letter == "r"}
        assert replaced == point["replacements"].keys()
    assert found["points"][1]["replacements"]["1"] == "premier"
    assert found["points"][1]["actions"][1:3] == "rd"
