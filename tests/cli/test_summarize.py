"""`ealm summarize`: texts in, summaries out, as lines or JSON, on stdout or in a file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_runs import CUT, RAW_TEXT, SCHEMA, SENTENCES, TOO_LONG, objects, refused, run, summarize
from click.testing import Result

import ealm
from ealm.cli.main import main

# Summarizing ----------------------------------------------------------------------------------------------------------


@CUT
def test_a_file_and_stdin_give_the_same_lines(agent_folder: Path, sentences_file: Path, cut: list[str]) -> None:
    text = "\n".join(SENTENCES)
    results = [
        summarize(agent_folder, *cut, "-i", sentences_file),
        summarize(agent_folder, *cut, "--input", "-", stdin=text),
        summarize(agent_folder, *cut, stdin=text + "\n"),
        summarize(agent_folder, *cut, stdin=b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()),
    ]
    for result in results:
        assert result.exit_code == 0, result.output
        assert result.stderr == ""
        assert result.stdout == results[0].stdout
    lines = results[0].stdout.split("\n")
    summarizer = ealm.Summarizer.from_pretrained(agent_folder)
    expected = [str(summary) for summary in summarizer.summarize(SENTENCES, pretokenized=bool(cut))]
    assert lines == [*expected, ""]
    assert expected != SENTENCES


@CUT
@pytest.mark.parametrize("text", [*SENTENCES, "\n".join(SENTENCES), RAW_TEXT, "river\n\n rises"])
def test_an_argument_is_one_text_as_a_document_is(
    agent_folder: Path, tmp_path: Path, text: str, cut: list[str]
) -> None:
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    results = [
        summarize(agent_folder, *cut, text),
        summarize(agent_folder, *cut, text, "--document"),
        summarize(agent_folder, *cut, "--document", stdin=text),
        summarize(agent_folder, *cut, "--document", "-i", tmp_path / "text.txt"),
    ]
    expected = ealm.Summarizer.from_pretrained(agent_folder).summarize(text, pretokenized=bool(cut))
    for result in results:
        assert (result.exit_code, result.stderr) == (0, ""), result.output
        assert result.stdout == f"{expected}\n"


def test_blank_lines_stay_blank_lines(agent_folder: Path) -> None:
    lines = summarize(agent_folder, stdin="\nriver rises\n \n\nlate storm").stdout.split("\n")
    assert [bool(line) for line in lines] == [False, True, False, False, True, False]


@pytest.mark.parametrize("text", ["", "\n"])
def test_an_empty_text_gives_one_empty_line(agent_folder: Path, text: str) -> None:
    assert summarize(agent_folder, text).stdout == "\n"


def test_empty_input_gives_empty_output(agent_folder: Path) -> None:
    result = summarize(agent_folder, stdin="")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


@CUT
def test_json_follows_its_schema(agent_folder: Path, sentences_file: Path, cut: list[str]) -> None:
    plain = summarize(agent_folder, *cut, "-i", sentences_file)
    found = objects(summarize(agent_folder, *cut, "-i", sentences_file, "--json"))
    for values in found:
        SCHEMA.validate(values)
        assert "trace" not in values
        assert values["sentences"] == []
        assert " ".join(edit["word"] for edit in values["edits"]) == values["source"]
    assert [values["source"] for values in found] == SENTENCES
    assert [values["summary"] for values in found] == plain.stdout.splitlines()


@pytest.mark.parametrize("options", [[], ["--trace"]])
def test_the_json_of_a_text_has_its_sentences(agent_folder: Path, options: list[str]) -> None:
    (values,) = objects(summarize(agent_folder, RAW_TEXT, "--json", *options))
    SCHEMA.validate(values)
    assert values["source"] == RAW_TEXT
    assert [part["source"] for part in values["sentences"]] == [
        "The police minister didn't find it (a silver bridge).",
        "It rises,  late!",
        "The engine burns.",
    ]
    assert values["edits"] == [edit for part in values["sentences"] for edit in part["edits"]]
    for part in values["sentences"]:
        assert ("trace" in part) is bool(options)
        assert "".join(edit["word"] for edit in part["edits"]) == "".join(part["source"].split())


def test_the_schema_can_say_no(agent_folder: Path) -> None:
    (values,) = objects(summarize(agent_folder, "river rises late", "--json"))
    assert SCHEMA.is_valid(values)
    for wrong in (values | {"extra": 1}, values | {"step": -1}, values | {"edits": [{"word": "river"}]}):
        assert not SCHEMA.is_valid(wrong)
    for name in values:
        assert not SCHEMA.is_valid({key: value for key, value in values.items() if key != name})
    sentence = {key: value for key, value in values.items() if key != "sentences"}
    assert SCHEMA.is_valid(values | {"sentences": [sentence, sentence]})
    for wrong in (values, sentence | {"extra": 1}, sentence | {"step": -1}, {"source": "river"}):
        assert not SCHEMA.is_valid(values | {"sentences": [wrong]})


@pytest.mark.parametrize("length", [[], ["--words", "2"]])
def test_a_trace_has_every_step_also_where_the_length_is_given(agent_folder: Path, length: list[str]) -> None:
    options = ["--json", "--trace", "--pretokenized", *length]
    found = objects(summarize(agent_folder, *options, stdin="\n".join(SENTENCES)))
    assert [values["source"] for values in found] == SENTENCES
    for values in found:
        SCHEMA.validate(values)
        assert len(values["trace"]) == len(values["source"].split())


def test_json_keeps_letters_readable(agent_folder: Path) -> None:
    assert "Zürich" in summarize(agent_folder, "Zürich rises", "--json").stdout


def test_a_number_of_words_is_met(agent_folder: Path) -> None:
    result = summarize(agent_folder, "--words", 2, "--pretokenized", stdin="\n".join(SENTENCES))
    assert [len(line.split()) for line in result.stdout.splitlines()] == [2, 0, 2, 2]
    options = ["--pretokenized", "--words", 2, "--json"]
    (values,) = objects(summarize(agent_folder, SENTENCES[0], *options))
    assert values["reconstruction_rate"] is None
    (values,) = objects(summarize(agent_folder, SENTENCES[0], *options, "--recoverability"))
    assert values["reconstruction_rate"] is not None
    SCHEMA.validate(values)


@pytest.mark.parametrize(
    ("options", "given_options"),
    [
        (["--chars", "20"], {"chars": 20}),
        (["--bytes", "20"], {"bytes": 20}),
        (["--ratio", "0.5"], {"ratio": 0.5}),
        (["--words", "3", "--keep", "silver", "--keep", "bridge"], {"words": 3, "keep": ["silver", "bridge"]}),
        (["--words", "3", "--extractive"], {"words": 3, "extractive": True}),
        (["--words", "3", "--protect", "negation, numbers"], {"words": 3, "protect": ["negation", "numbers"]}),
        (["--words", "3", "--protect", "none"], {"words": 3, "protect": []}),
        (["--extractive"], {"extractive": True}),
    ],
)
@pytest.mark.filterwarnings("ignore::ealm.common.errors.EalmWarning")  # the second text lacks the words to keep
@pytest.mark.parametrize("text", [SENTENCES[0], "The minister finds 3 bridges, not 2."])
def test_the_options_are_those_of_the_package(
    agent_folder: Path, options: list[str], given_options: dict[str, Any], text: str
) -> None:
    (values,) = objects(summarize(agent_folder, text, "--json", *options))
    expected = ealm.Summarizer.from_pretrained(agent_folder).summarize(text, **given_options)
    assert values == json.loads(json.dumps(expected.to_dict()))


def test_without_a_model_the_embedded_one_summarizes() -> None:
    text = "The city council voted on Tuesday night to close the old ferry terminal before winter."
    result = run("summarize", text, "--words", 6)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    assert 1 <= len(result.stdout.split()) <= 6
    assert run("summarize", text, "--words", 6, "--model", "embedded").stdout == result.stdout


def test_a_curve_has_every_length_from_the_longest(agent_folder: Path) -> None:
    options = ["--curve", "--pretokenized", *SENTENCES[:1]]
    lengths = [int(line.split()[0]) for line in summarize(agent_folder, *options).stdout.splitlines()]
    assert lengths == [7, 6, 5, 4, 3, 2, 1]
    (points,) = objects(summarize(agent_folder, *options, "--json"))
    assert isinstance(points, list)
    for point, words in zip(points, lengths, strict=True):
        SCHEMA.validate(point)
        assert len(point["summary"].split()) == words


def test_a_curve_tells_what_can_still_be_recovered(agent_folder: Path) -> None:
    (points,) = objects(summarize(agent_folder, "--curve", "--pretokenized", "--json", SENTENCES[0]))
    expected = ealm.Summarizer.from_pretrained(agent_folder).curve(SENTENCES[0], pretokenized=True)
    assert [point["reconstruction_rate"] for point in points] == [point.reconstruction_rate for point in expected]
    assert points[0]["reconstruction_rate"] == 1.0


def test_a_curve_without_recoverability_has_no_rates(agent_folder: Path) -> None:
    lines = summarize(agent_folder, "--curve", "--no-recoverability", "--pretokenized", SENTENCES[0]).output
    assert "%" not in lines
    assert "%" in summarize(agent_folder, "--curve", "--pretokenized", SENTENCES[0]).output


def test_showing_prints_edits_summary_and_curve_without_colour_where_nobody_sees_it(agent_folder: Path) -> None:
    result = summarize(agent_folder, SENTENCES[0], "--show", "--words", 3, "--pretokenized")
    assert result.exit_code == 0, result.output
    expected = summarize(agent_folder, SENTENCES[0], "--words", 3, "--pretokenized").stdout.strip()
    assert expected in result.stdout
    assert "3 of 7 words" in result.stdout
    assert "\x1b" not in result.stdout
    assert [line for line in result.stdout.splitlines() if line.startswith(">")]


def test_decoding_can_be_chosen(agent_folder: Path) -> None:
    for decoding in ("approximate", "parallel"):
        assert summarize(agent_folder, SENTENCES[0], "--decoding", decoding).exit_code == 0
    assert summarize(agent_folder, SENTENCES[0], "--decoding", "sequential").stdout == (
        summarize(agent_folder, SENTENCES[0]).stdout
    )
    refused(summarize(agent_folder, SENTENCES[0], "--decoding", "random"), "sequential", "parallel")


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x85", "\r"])
def test_only_line_feeds_end_the_lines_of_a_file_and_nothing_ends_an_argument(agent_folder: Path, mark: str) -> None:
    text = f"late storm{mark}river rises\nold engine burns{mark}"
    options = ["--json", "--pretokenized"]
    from_stdin = objects_by_line(summarize(agent_folder, *options, stdin=text.encode()))
    assert [values["source"] for values in from_stdin] == ["late storm river rises", "old engine burns"]
    (from_argument,) = objects_by_line(summarize(agent_folder, *options, text))
    assert from_argument["source"] == "late storm river rises old engine burns"


def objects_by_line(result: Result) -> list[dict[str, Any]]:
    """Told apart by line feeds alone, unlike `objects`."""
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.rstrip("\n").split("\n")]


# Output files ---------------------------------------------------------------------------------------------------------


def test_an_output_file_holds_what_stdout_would(agent_folder: Path, sentences_file: Path, tmp_path: Path) -> None:
    result = summarize(agent_folder, "-i", sentences_file, "-o", tmp_path / "out.txt")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    expected = summarize(agent_folder, "-i", sentences_file).stdout
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("more", [[], ["--json"], ["--overwrite"], ["--json", "--overwrite"]])
def test_the_file_that_is_read_is_never_written(
    agent_folder: Path, sentences_file: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    before = sentences_file.read_bytes()
    link, hard_link = sentences_file.with_name("link.txt"), sentences_file.with_name("hard.txt")
    link.symlink_to(sentences_file)
    hard_link.hardlink_to(sentences_file)
    monkeypatch.chdir(sentences_file.parent)
    for output in (sentences_file, sentences_file.name, f"../{sentences_file.parent.name}/{link.name}", hard_link):
        result = summarize(agent_folder, "-i", sentences_file, "-o", output, *more)
        refused(result, "Input and output are the same file", "--output")
        refused(summarize(agent_folder, "-i", output, "-o", sentences_file, *more), "the same file")
    assert (sentences_file.read_bytes(), link.is_symlink()) == (before, True)
    assert [path.name for path in sentences_file.parent.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_file_that_exists_is_replaced_only_if_that_is_said(
    agent_folder: Path, sentences_file: Path, tmp_path: Path, more: list[str]
) -> None:
    output = tmp_path / "out.txt"
    output.write_text("old")
    for source in (["-i", sentences_file], *([["river rises"]] if more else [])):
        refused(summarize(agent_folder, *source, "-o", output, *more), f"{output} exists", "--overwrite", "--output")
        assert {path.name for path in tmp_path.iterdir()} == {"out.txt", "sentences.txt"}
        assert output.read_text() == "old"
    assert summarize(agent_folder, "-i", sentences_file, "-o", output, *more, "--overwrite").exit_code == 0
    assert output.read_text() == summarize(agent_folder, "-i", sentences_file, *more).stdout


@pytest.mark.parametrize("old", [None, "old summaries\n"])
@pytest.mark.parametrize("before", [1, 200])
def test_an_output_file_is_written_whole_or_not_at_all(
    agent_folder: Path, tmp_path: Path, old: str | None, before: int
) -> None:
    output = tmp_path / "out.txt"
    if old is not None:
        output.write_text(old)
    stdin = "late storm\n" * before + f"{TOO_LONG}\nriver rises\n"
    options = ["-o", output, "--words", 1, "--json", "--keep", "river", "--overwrite"]
    result = summarize(agent_folder, *options, stdin=stdin)
    refused(result, "The words to keep take 63 words")
    assert (output.read_text() if output.exists() else None) == old
    assert [path.name for path in tmp_path.iterdir()] == ([] if old is None else ["out.txt"])


def test_an_output_folder_that_is_not_there_is_refused(agent_folder: Path, tmp_path: Path) -> None:
    result = summarize(agent_folder, "river rises", "-o", tmp_path / "none" / "out.txt")
    refused(result, f"{tmp_path / 'none'}: there is no such folder")
    refused(summarize(agent_folder, "river rises", "-o", tmp_path), "directory")


class Pipe:
    """Standard input of which a part comes only when what was there is answered."""

    def __init__(self, parts: list[str], answered: Callable[[], list[str]]) -> None:
        self.buffer = self
        self._parts, self._answered = iter(parts), answered
        self.seen: list[int] = []

    def isatty(self) -> bool:
        return False

    def read1(self, _: int) -> bytes:
        self.seen.append(len(self._answered()))
        return next(self._parts, "").encode()


@pytest.mark.parametrize("kind", ["text", "jsonl"])
def test_lines_of_a_pipe_are_answered_as_they_come(
    agent_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    lines = [json.dumps({"text": text}) if kind == "jsonl" else text for text in ("river rises", "Zebra rises", "late")]
    answers: list[str] = []

    def answered() -> list[str]:
        answers.extend(capsys.readouterr().out.splitlines())
        return answers

    pipe = Pipe([lines[0] + "\n", lines[1] + "\n" + lines[2][:3], lines[2][3:] + "\n"], answered)
    monkeypatch.setattr("sys.stdin", pipe)
    options = ["--model", str(agent_folder), "--pretokenized", "--format", kind]
    main(["summarize", *options], standalone_mode=False)
    assert pipe.seen == [0, 1, 2, 3]
    assert len(answered()) == 3


# Warnings -------------------------------------------------------------------------------------------------------------


def test_words_to_keep_that_do_not_occur_are_named_in_one_line_on_stderr(agent_folder: Path) -> None:
    result = summarize(agent_folder, SENTENCES[0], "--keep", "tram", "--keep", "SILVER", "--words", 3)
    assert result.exit_code == 0
    assert result.stderr == "Warning: --keep names 'tram', not found in the text.\n"
    assert "silver" in result.stdout
    lines = summarize(agent_folder, "--keep", "silver", "--keep", "zebra", "--words", 1, stdin="\n".join(SENTENCES))
    assert (lines.exit_code, lines.stderr) == (0, "")


def test_every_flag_can_be_switched_off_again(agent_folder: Path) -> None:
    plain = summarize(agent_folder, SENTENCES[0], "--words", 3)
    assert summarize(agent_folder, SENTENCES[0], "--words", 3, "--reword", "--no-reword").stdout == plain.stdout


def test_markdown_and_html_are_told_by_the_name_of_the_file_or_by_format(agent_folder: Path, tmp_path: Path) -> None:
    text = "# Late storm\n\nThe *river* rises in `winter`.\n"
    (tmp_path / "in.md").write_text(text)
    (tmp_path / "in.html").write_text("<p>The <b>river</b> rises</p>")
    assert summarize(agent_folder, "-i", tmp_path / "in.md", "--words", 9).stdout == text
    assert summarize(agent_folder, "--format", "markdown", "-i", "-", "--words", 9, stdin=text).stdout == text
    assert summarize(agent_folder, "-i", tmp_path / "in.html", "--words", 9).stdout == "<p>The <b>river</b> rises</p>\n"
    as_text = summarize(agent_folder, "--format", "text", "-i", tmp_path / "in.md", "--words", 9)
    assert as_text.stdout.splitlines() == text.splitlines()
