"""`ealm summarize`: what it says when something is wrong."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runs import SENTENCES, TOO_LONG, refused, summarize


def test_what_cannot_go_together_is_refused(agent_folder: Path, sentences_file: Path) -> None:
    refused(summarize(agent_folder, "river rises", "--trace"), "--trace goes with --json")
    refused(summarize(agent_folder, "river rises", "--reconstruction"), "--reconstruction goes with --json")
    refused(summarize(agent_folder, "river rises", "-i", sentences_file), "TEXT or --input, not both")
    refused(summarize(agent_folder, "river rises", "--words", 0), "--words")
    refused(summarize(agent_folder, "river rises", "--ratio", 1.5), "--ratio")
    refused(summarize(agent_folder, "river rises", "--show", "--json"), "--show", "--json")
    refused(summarize(agent_folder, "river rises", "--show", "--curve"), "--show", "--curve")
    refused(summarize(agent_folder, "river rises", "--curve", "--words", 3), "--curve gives every length")


def test_a_mistake_is_told_before_anything_is_loaded(tmp_path: Path) -> None:
    """Otherwise the missing model would be named."""
    missing = tmp_path / "none"
    refused(summarize(missing, "river", "--words", 3, "--chars", 9), "Give one length, not 2: --words and --chars")
    refused(summarize(missing, "river", "--protect", "verbs"), "--protect must be one of negation, numbers", "'verbs'")


def test_words_to_keep_that_do_not_fit_are_refused(agent_folder: Path) -> None:
    result = summarize(agent_folder, SENTENCES[0], "--keep", "silver bridge", "--words", 1)
    refused(result, "The words to keep take 2 words, and the limit is 1", "Allow more, or keep fewer words")


def test_a_missing_model_or_input_is_refused(tmp_path: Path, agent_folder: Path) -> None:
    refused(summarize(tmp_path / "none", "river"), "No trained agent in", "agent.json is missing", "ealm train")
    refused(summarize(agent_folder, "-i", tmp_path / "none.txt"), "none.txt", "does not exist")


def test_a_language_model_that_does_not_fit_is_refused(tmp_path: Path, agent_folder: Path) -> None:
    refused(summarize(agent_folder, "river", "--lm", tmp_path / "none"), "There is no folder", "--lm")
    refused(summarize(agent_folder, "river", "--lm", "embedded"), "width 32, but embedded gives 384", "with: --lm")
    refused(summarize(agent_folder, "river", "--effort", "plan"), "--effort plan goes with length-conditioned agents")
    refused(summarize(agent_folder, "river", "--style", "plain"), "--style goes with agents that plan")


def test_no_sentence_is_too_long(agent_folder: Path) -> None:
    lines = f"river rises\n{TOO_LONG}\n"
    for options in ([], ["--pretokenized"]):
        result = summarize(agent_folder, *options, stdin=lines)
        assert result.exit_code == 0, result.output
        assert len(result.stdout.splitlines()) == 2


def test_input_that_is_not_utf_8_is_refused_with_its_encoding(agent_folder: Path, tmp_path: Path) -> None:
    latin = b"river\nZ\xfcrich\n"
    refused(
        summarize(agent_folder, stdin=latin), "standard input, line 2", "not UTF-8", "Latin-1", "say --encoding latin-1"
    )
    (tmp_path / "latin.txt").write_bytes(latin)
    refused(summarize(agent_folder, "-i", tmp_path / "latin.txt"), "latin.txt, line 2", "say --encoding latin-1")
    refused(summarize(agent_folder, stdin=b"\xff\x00\xfe\n"), "standard input, line 1: not UTF-8 (byte 0xff at 0).")
    expected = summarize(agent_folder, stdin=latin.decode("latin-1")).stdout
    assert summarize(agent_folder, "-i", tmp_path / "latin.txt", "--encoding", "latin-1").stdout == expected
    assert summarize(agent_folder, "--encoding", "utf-16", stdin=latin.decode("latin-1").encode("utf-16")).stdout == (
        expected
    )
    for wrong in ("latin-99", "hex", ""):
        refused(
            summarize(agent_folder, "--encoding", wrong, stdin="river"), "There is no encoding", "--encoding latin-1"
        )


def test_a_word_without_end_is_refused_at_once(agent_folder: Path) -> None:
    refused(summarize(agent_folder, stdin="x" * 10_001), "Text 1 has more than 10,000 characters without a space")
    assert summarize(agent_folder, stdin="x" * 10_000).exit_code == 0


@pytest.mark.parametrize("text", ["river \udcff rises", "late storm\n\nriver \udce9"])
@pytest.mark.parametrize("options", [[], ["--json"], ["--words", "1"], ["--pretokenized"]])
def test_an_argument_that_is_not_utf_8_is_refused_in_one_line(
    agent_folder: Path, text: str, options: list[str]
) -> None:
    result = summarize(agent_folder, text, *options)
    refused(result, "Text 1 is not valid Unicode", "UTF-8")
    assert len(result.stderr.splitlines()) == 1


def test_nothing_to_summarize_on_a_terminal_is_refused_instead_of_waiting(agent_folder: Path) -> None:
    terminal, its_other_end = pty.openpty()
    try:
        command = [sys.executable, "-m", "ealm", "summarize", "--model", str(agent_folder)]
        done = subprocess.run(command, stdin=its_other_end, capture_output=True, text=True, timeout=120, check=False)
    finally:
        os.close(terminal)
        os.close(its_other_end)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "Nothing to summarize: give TEXT, --input FILE, or pipe" in done.stderr


def test_a_file_given_as_a_text_is_not_taken_for_one(
    agent_folder: Path, sentences_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sentences_file.parent)
    result = summarize(agent_folder, "sentences.txt", "--words", 3)
    refused(result, "sentences.txt is a file", "-i sentences.txt ", "-i sentences.txt --document")
    Path("my text.txt").touch()
    refused(summarize(agent_folder, "my text.txt"), "-i 'my text.txt'")
    for text in ("none.txt", "x\0y", "river " * 60):
        assert summarize(agent_folder, text).exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["river", "--words", "0"],
        ["river", "--wrds", "3"],
        ["river", "--words", "3", "--chars", "9"],
        ["river", "--protect", "verbs"],
        ["river", "--trace"],
        ["river", "--model", "no-such-folder"],
        ["river", "--lm", "no-such-folder"],
        ["-i", "none.txt"],
        ["-i", "in.csv", "--column", "body"],
        ["-i", "in.jsonl", "--column", "body", "-o", "out.jsonl"],
        ["-i", "in.jsonl", "-o", "in.jsonl"],
        ["-i", "in.jsonl", "-o", "out.csv"],
        ["-i", "in.jsonl", "-o", "old.jsonl"],
        ["-i", "in.csv", "--encoding", "latin-99"],
        ["in.csv"],
    ],
)
def test_usage_errors_have_one_exit_code(
    agent_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in {"in.csv": "text\nriver\n", "in.jsonl": '{"text": "river"}\n', "old.jsonl": ""}.items():
        Path(name).write_text(content)
    result = summarize(agent_folder, *arguments)
    refused(result, "Error: ")
    assert result.exit_code == 2


def test_what_fails_in_the_work_has_another_exit_code(agent_folder: Path) -> None:
    assert summarize(agent_folder, "--words", 1, "--keep", "river", stdin=TOO_LONG).exit_code == 1


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_missing_column_is_told_with_those_that_are_there(agent_folder: Path, tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"in.{kind}"
    source.write_text("id,body\n1,river\n" if kind == "csv" else '{"id": 1, "body": "river"}\n' * 3)
    refused(
        summarize(agent_folder, "-i", source, "-o", tmp_path / "out.txt"), "no column 'text'", "id, body", "--column"
    )
    assert list(tmp_path.iterdir()) == [source]
