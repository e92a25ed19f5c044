"""The command line: what it prints, where, and what it says when something is wrong."""

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from tiny_models import save_tiny_bert

import ealm
from ealm.agent_folder import SavedAgent
from ealm.checkpoint import Checkpoint
from ealm.cli import main
from ealm.commands.train import DEFAULT_UPDATES
from ealm.config import PRESETS, Settings
from ealm.training import Trainer

SENTENCES = ["the police minister finds a silver bridge", "", "Zebra rises", "old engine burns in the quiet forest ."]
SCHEMA = Draft202012Validator(json.loads(Path(__file__).with_name("summary.schema.json").read_text(encoding="utf-8")))
TOO_LONG = "river " * 63
RAW_TEXT = "The police minister didn't find it (a silver bridge). It rises,  late!\nThe engine burns."


def run(*arguments: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


def train(*arguments: object) -> Result:
    """A training on words between spaces that is over in a moment, should it start at all."""
    quick = ["--updates", 1, "--quiet", "--set", "rewards.similarity_weight=0"]
    return run("train", *arguments, "--pretokenized", *quick)


def refused(result: Result, *parts: str) -> None:
    """No traceback, a non-zero code, nothing on stdout, and a message with these parts."""
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code != 0
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for part in parts:
        assert part in result.stderr


# Help -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("command", [[], *([name] for name in sorted(main.commands))])
def test_every_command_explains_itself(command: list[str], option: str) -> None:
    result = run(*command, option)
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: ")
    assert result.stderr == ""


def test_the_commands_are_listed() -> None:
    expected = "adapt evaluate report serve settings summarize train train-baseline weigh"
    assert sorted(main.commands) == expected.split()
    for name in main.commands:
        assert name in run("-h").stdout


def test_the_version_is_that_of_the_package() -> None:
    assert run("--version").stdout == f"ealm, version {ealm.__version__}\n"


@pytest.mark.parametrize("name", [None, *PRESETS])
def test_settings_are_printed_as_json_that_can_be_read_back(name: str | None) -> None:
    result = run("settings", *(["--preset", name] if name else []))
    assert Settings.from_dict(json.loads(result.stdout)) == PRESETS[name or "paper"]
    assert result.stderr == ""


def test_an_unknown_command_and_an_unknown_preset_are_refused() -> None:
    refused(run("sumarize"), "No such command", "-h")
    refused(run("settings", "--preset", "best"), "'best' is not one of", "paper")


# Training -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory, corpus_file: Path, bert_folder: Path) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "finished"
    result = train(corpus_file, "--out", folder, "--lm", bert_folder, "--seed", 3, "--set", "learning.batch_size=8")
    assert result.exit_code == 0, result.output
    return folder


def test_training_reports_on_stderr_how_to_use_its_result(tmp_path: Path, corpus_file: Path, bert_folder: Path) -> None:
    messy = tmp_path / "messy.txt"
    messy.write_text(corpus_file.read_text() + "\nalone\n" + "river " * 50 + "\n")
    options = ["--set", "data.max_sentences=50", "--set", "learning.batch_size=8"]
    result = train(messy, "--out", tmp_path / "run", "--lm", bert_folder, *options)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert "50 sentences, sampled from 60" in result.stderr
    assert "1 blank, 1 of one word, 1 of more than 49 words" in result.stderr
    assert f"ealm summarize --model {tmp_path / 'run'}" in result.stderr
    assert "buffer never filled" in result.stderr
    assert run("summarize", "--model", tmp_path / "run", "river rises", "--pretokenized").exit_code == 0


def trained_settings(folder: Path) -> Settings:
    return SavedAgent.load(folder).settings


def test_raw_text_is_learned_from_unless_it_was_cut_into_words_before(tmp_path: Path, bert_folder: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("Stop!\nThe river rises.\n(Late.)\nThe old engine burns.\n" * 4)
    options = ["--lm", bert_folder, "--updates", 1, "--quiet", "--set", "rewards.similarity_weight=0"]
    options += ["--set", "learning.batch_size=4"]
    raw = run("train", corpus, "--out", tmp_path / "raw", *options)
    cut = run("train", corpus, "--out", tmp_path / "cut", *options, "--pretokenized")
    same = run("train", corpus, "--out", tmp_path / "same", *options, "--set", "data.pretokenized=true")
    for result in (raw, cut, same):
        assert result.exit_code == 0, result.output
    assert "16 sentences\n" in raw.stderr
    assert "8 sentences; skipped lines: 8 of one word\n" in cut.stderr
    assert trained_settings(tmp_path / "raw").data.pretokenized is False
    assert trained_settings(tmp_path / "cut") == trained_settings(tmp_path / "same")
    assert trained_settings(tmp_path / "cut").data.pretokenized is True
    agents = [(tmp_path / name / "agent.safetensors").read_bytes() for name in ("raw", "cut", "same")]
    assert agents[0] != agents[1] == agents[2]
    again = run("train", corpus, "--out", tmp_path / "raw", "--resume", "--pretokenized", "--quiet")
    refused(again, "started with another settings and corpus", "--out")


CORPORA: dict[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["is empty", "one sentence a line"]),
    "blank": (b"\n  \n\n", ["no sentence of 2 to 49 words", "3 blank"]),
    "too long": (TOO_LONG.encode() + b"\n", ["no sentence of 2 to 49 words", "1 of more than 49 words"]),
    "one word a line": (b"river\nrises\n", ["2 of one word", "one sentence a line"]),
    "latin 1": ("fine line\nfine Zürich\n".encode("latin1"), ["corpus.txt, line 2", "not UTF-8", "iconv"]),
}


@pytest.mark.parametrize(("content", "parts"), CORPORA.values(), ids=CORPORA)
def test_an_unusable_corpus_is_refused(tmp_path: Path, bert_folder: Path, content: bytes, parts: list[str]) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(content)
    refused(train(corpus, "--out", tmp_path / "run", "--lm", bert_folder), str(corpus), *parts)
    assert not (tmp_path / "run").exists()


OPTIONS: dict[str, tuple[list[str], list[str]]] = {
    "unknown setting": (["--set", "learning.speed=1"], ["no setting 'learning.speed'", "learning.discount"]),
    "group": (["--set", "learning=1"], ["no setting 'learning'"]),
    "bad value": (["--set", "rewards.min_compression=30"], ["between 0 and 1, got 30", "Did you mean 0.3?"]),
    "bad type": (["--set", "learning.batch_size=many"], ["batch_size must be int", "'many'"]),
    "bad choice": (["--set", "learning.loss=absolute"], ["loss must be one of squared, huber", "'absolute'"]),
    "no value": (["--set", "learning.discount"], ["--set expects NAME=VALUE", "'learning.discount'"]),
    "preset as a setting": (["--set", "preset=published-code"], ["chosen with --preset"]),
    "no such preset": (["--preset", "best"], ["'best' is not one of", "published-code"]),
    "negative seed": (["--seed", "-1"], ["--seed", "-1"]),
    "no updates": (["--updates", "0"], ["--updates", "0"]),
    "no time": (["--minutes", "0"], ["--minutes", "0"]),
    "no such device": (["--device", "abacus"], ["Cannot use the device 'abacus'"]),
}


@pytest.mark.parametrize(("options", "parts"), OPTIONS.values(), ids=OPTIONS)
def test_a_bad_option_is_refused(
    tmp_path: Path, corpus_file: Path, bert_folder: Path, options: list[str], parts: list[str]
) -> None:
    result = run("train", corpus_file, "--out", tmp_path / "run", "--lm", bert_folder, "--quiet", *options)
    refused(result, *parts)
    assert not (tmp_path / "run").exists()


def test_a_missing_corpus_and_a_missing_option_are_refused(tmp_path: Path, corpus_file: Path) -> None:
    refused(train(tmp_path / "none.txt", "--out", tmp_path / "run"), "none.txt", "does not exist")
    refused(train(corpus_file), "--out")


def test_training_uses_the_embedded_language_model_unless_another_is_named(
    tmp_path: Path, corpus_file: Path, bert_folder: Path
) -> None:
    few = tmp_path / "few.txt"
    few.write_text("".join(corpus_file.read_text().splitlines(keepends=True)[:8]))
    options = ["--set", "learning.batch_size=4", "--set", "learning.sentences_per_collection=2"]
    for name, lm in (("default", []), ("named", ["--lm", "embedded"])):
        result = train(few, "--out", tmp_path / name, *lm, *options)
        assert result.exit_code == 0, result.output
        saved = SavedAgent.load(tmp_path / name)
        assert (saved.lm_name, saved.width) == ("embedded", 384)
    assert (tmp_path / "default" / "agent.safetensors").read_bytes() == (
        (tmp_path / "named" / "agent.safetensors").read_bytes()
    )
    result = summarize(tmp_path / "default", "The river rises late.")
    assert (result.exit_code, result.stderr) == (0, "")
    refused(train(few, "--out", tmp_path / "named", "--resume", "--lm", bert_folder), "another", "lm")


def test_a_language_model_that_is_not_there_or_not_complete_is_refused(tmp_path: Path, corpus_file: Path) -> None:
    out = ["--out", tmp_path / "run"]
    refused(train(corpus_file, *out, "--lm", tmp_path / "none"), "There is no folder", "--lm", "model.safetensors")
    (tmp_path / "empty").mkdir()
    refused(train(corpus_file, *out, "--lm", tmp_path / "empty"), "No masked language model", "empty")
    headless = save_tiny_bert(tmp_path / "headless", with_head=False)
    refused(train(corpus_file, *out, "--lm", headless), "not a complete masked language model", "masked-LM head")


def test_a_folder_with_a_run_is_not_overwritten(finished_run: Path, corpus_file: Path, bert_folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in finished_run.iterdir() if path.is_file()}
    refused(train(corpus_file, "--out", finished_run, "--lm", bert_folder), "already holds a run", "--resume", "--out")
    assert {path.name: path.read_bytes() for path in finished_run.iterdir() if path.is_file()} == before


def test_an_agent_without_its_checkpoint_is_not_overwritten_either(agent_folder: Path, corpus_file: Path) -> None:
    refused(train(corpus_file, "--out", agent_folder), "already holds a run (agent.json)")


@pytest.mark.parametrize(
    ("options", "different"),
    [
        (["--seed", "4"], "seed"),
        (["--set", "learning.discount=0.5"], "settings"),
        (["--preset", "published-code", "--pretokenized"], "settings"),
        (["--seed", "4", "--set", "rewards.top_k=1"], "settings and seed"),
    ],
)
def test_a_run_is_not_resumed_as_another(
    finished_run: Path, corpus_file: Path, options: list[str], different: str
) -> None:
    agent = (finished_run / "agent.safetensors").read_bytes()
    result = run("train", corpus_file, "--out", finished_run, "--resume", "--updates", 9, "--quiet", *options)
    refused(result, f"started with another {different}", "Leave the options out", "--out")
    assert (finished_run / "agent.safetensors").read_bytes() == agent


def test_a_run_is_not_resumed_on_another_corpus_or_language_model(
    tmp_path: Path, finished_run: Path, corpus_file: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("river rises late\n" + corpus_file.read_text())
    refused(run("train", other, "--out", finished_run, "--resume", "--quiet"), "another corpus")
    lm = save_tiny_bert(tmp_path / "lm", seed=1)
    refused(run("train", corpus_file, "--out", finished_run, "--resume", "--quiet", "--lm", lm), "another lm")


def test_a_run_is_resumed_without_repeating_its_options(finished_run: Path, corpus_file: Path, tmp_path: Path) -> None:
    result = run("train", corpus_file, "--out", finished_run, "--resume", "--updates", 2, "--quiet")
    assert result.exit_code == 0, result.output
    assert "2 updates" in result.stderr


def test_a_damaged_checkpoint_is_refused(tmp_path: Path, corpus_file: Path) -> None:
    (tmp_path / "checkpoint.safetensors").write_bytes(b"half")
    result = run("train", corpus_file, "--out", tmp_path, "--resume", "--quiet")
    refused(result, "checkpoint.safetensors is damaged", "another folder")


def train_until_stopped(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> Result:
    """A training that is sent a signal in its second update."""
    update = Trainer.update

    def update_and_stop(trainer: Trainer) -> float:
        if trainer.updates == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        return update(trainer)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "update", update_and_stop)
        return run("train", *arguments, "--quiet")


@pytest.mark.parametrize(
    ("budget", "advised"),
    [
        (["--updates", "9"], ["--updates", "9"]),
        (["--minutes", "2.5"], ["--minutes", "2.5"]),
        (["--minutes", "30", "--updates", "700"], ["--updates", "700", "--minutes", "30"]),
        ([], ["--updates", str(DEFAULT_UPDATES["paper"])]),
    ],
)
@pytest.mark.parametrize("name", ["plain", "with a space", "don't; $HOME"])
def test_a_stopped_training_says_how_to_go_on_to_the_same_end(
    tmp_path: Path,
    corpus_file: Path,
    bert_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    budget: list[str],
    advised: list[str],
    name: str,
) -> None:
    corpus, folder = tmp_path / f"{name}.txt", tmp_path / name
    corpus.write_text(corpus_file.read_text())
    options = ["--pretokenized", "--set", "rewards.similarity_weight=0", "--set", "learning.batch_size=8"]
    result = train_until_stopped(monkeypatch, corpus, "--out", folder, "--lm", bert_folder, *options, *budget)
    assert result.exit_code == 128 + signal.SIGTERM, result.output
    assert result.stdout == ""
    assert "Stopped after 2 updates" in result.stderr
    advice = shlex.split(result.stderr.rpartition("Go on with: ")[2])
    assert advice == ["ealm", "train", str(corpus), "--out", str(folder), "--resume", *advised]
    if budget == ["--updates", "9"]:
        assert "9 updates" in run(*advice[1:], "--quiet").stderr


@pytest.mark.parametrize(("given", "is_folder"), [("models/mine", True), ("some/hub-name", False), ("embedded", False)])
def test_a_similarity_folder_is_remembered_by_its_full_path_and_a_name_as_it_is(
    tmp_path: Path,
    corpus_file: Path,
    bert_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: str,
    is_folder: bool,
) -> None:
    here, elsewhere, out = tmp_path / "here", tmp_path / "elsewhere", tmp_path / "run"
    (here / "models" / "mine").mkdir(parents=True)
    elsewhere.mkdir()
    monkeypatch.chdir(here)
    result = train(corpus_file, "--out", out, "--lm", bert_folder, "--similarity", given)
    assert result.exit_code == 0, result.output
    checkpoint = Checkpoint.load(out)
    assert checkpoint is not None
    assert checkpoint.identity.similarity == (str((here / given).resolve()) if is_folder else given)
    monkeypatch.chdir(elsewhere)
    resumed = run("train", corpus_file, "--out", out, "--resume", "--updates", 1, "--quiet")
    assert resumed.exit_code == 0, resumed.output


# Summarizing ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def sentences_file(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.txt"
    path.write_text("\n".join(SENTENCES) + "\n", encoding="utf-8")
    return path


def summarize(folder: Path, *arguments: object, stdin: str | bytes | None = None) -> Result:
    return run("summarize", "--model", folder, *arguments, stdin=stdin)


CUT = pytest.mark.parametrize("cut", [[], ["--pretokenized"]], ids=["raw", "pretokenized"])
"""For what holds for text as people write it and for words between spaces."""


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


def objects(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


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
    ("options", "wishes"),
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
@pytest.mark.parametrize("text", [SENTENCES[0], "The minister finds 3 bridges, not 2."])
def test_the_options_are_those_of_the_package(
    agent_folder: Path, options: list[str], wishes: dict[str, Any], text: str
) -> None:
    (values,) = objects(summarize(agent_folder, text, "--json", *options))
    expected = ealm.Summarizer.from_pretrained(agent_folder).summarize(text, **wishes)
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


def test_showing_prints_edits_summary_and_curve_without_colour_where_nobody_sees_it(agent_folder: Path) -> None:
    result = summarize(agent_folder, SENTENCES[0], "--show", "--words", 3, "--pretokenized")
    assert result.exit_code == 0, result.output
    expected = summarize(agent_folder, SENTENCES[0], "--words", 3, "--pretokenized").stdout.strip()
    assert expected in result.stdout
    assert "3 of 7 words" in result.stdout
    assert "\x1b" not in result.stdout
    assert [line for line in result.stdout.splitlines() if line.startswith(">")]


def test_decoding_can_be_chosen(agent_folder: Path) -> None:
    assert summarize(agent_folder, SENTENCES[0], "--decoding", "parallel").exit_code == 0
    assert summarize(agent_folder, SENTENCES[0], "--decoding", "sequential").stdout == (
        summarize(agent_folder, SENTENCES[0]).stdout
    )
    refused(summarize(agent_folder, SENTENCES[0], "--decoding", "random"), "sequential", "parallel")


def test_what_cannot_go_together_is_refused(agent_folder: Path, sentences_file: Path) -> None:
    refused(summarize(agent_folder, "river rises", "--trace"), "--trace goes with --json")
    refused(summarize(agent_folder, "river rises", "-i", sentences_file), "TEXT or --input, not both")
    refused(summarize(agent_folder, "river rises", "--words", 0), "--words")
    refused(summarize(agent_folder, "river rises", "--ratio", 1.5), "--ratio")
    refused(summarize(agent_folder, "river rises", "--show", "--json"), "--show", "--json")
    refused(summarize(agent_folder, "river rises", "--show", "--curve"), "--show", "--curve")
    refused(summarize(agent_folder, "river rises", "--curve", "--words", 3), "--curve gives every length")


def test_a_mistake_is_told_before_anything_is_loaded(tmp_path: Path) -> None:
    """Otherwise the missing model would be named."""
    missing = tmp_path / "none"
    refused(summarize(missing, "river", "--words", 3, "--chars", 9), "Give one length, not 2: words and chars")
    refused(summarize(missing, "river", "--protect", "verbs"), "no kind of words 'verbs'", "negation, numbers, names")


def test_words_to_keep_that_do_not_fit_are_refused(agent_folder: Path) -> None:
    result = summarize(agent_folder, SENTENCES[0], "--keep", "silver bridge", "--words", 1)
    refused(result, "The words to keep take 2 words, and the limit is 1", "Allow more, or keep fewer words")


def test_a_missing_model_or_input_is_refused(tmp_path: Path, agent_folder: Path) -> None:
    refused(summarize(tmp_path / "none", "river"), "No trained agent in", "agent.json is missing", "ealm train")
    refused(summarize(agent_folder, "-i", tmp_path / "none.txt"), "none.txt", "does not exist")


def test_a_language_model_that_does_not_fit_is_refused(tmp_path: Path, agent_folder: Path) -> None:
    refused(summarize(agent_folder, "river", "--lm", tmp_path / "none"), "There is no folder", "--lm")
    refused(summarize(agent_folder, "river", "--lm", "embedded"), "width 32, but embedded gives 384", "--lm")


def test_a_sentence_that_is_too_long_is_refused_where_it_cannot_be_cut(agent_folder: Path) -> None:
    lines = f"river rises\n{TOO_LONG}\n"
    refused(summarize(agent_folder, "--pretokenized", stdin=lines), "Sentence 2 has 63 words", "62", "Split it")
    raw = summarize(agent_folder, stdin=lines)
    assert raw.exit_code == 0, raw.output
    assert len(raw.stdout.splitlines()) == 2


def test_input_that_is_not_utf_8_is_refused(agent_folder: Path, tmp_path: Path) -> None:
    refused(summarize(agent_folder, stdin=b"river\nZ\xfcrich\n"), "standard input, line 2", "not UTF-8", "iconv")
    (tmp_path / "latin.txt").write_bytes(b"Z\xfcrich\n")
    refused(summarize(agent_folder, "-i", tmp_path / "latin.txt"), "latin.txt, line 1", "not UTF-8", "iconv")


@pytest.mark.parametrize("text", ["river \udcff rises", "late storm\n\nriver \udce9"])
@pytest.mark.parametrize("options", [[], ["--json"], ["--words", "1"], ["--pretokenized"]])
def test_an_argument_that_is_not_utf_8_is_refused_in_one_line(
    agent_folder: Path, text: str, options: list[str]
) -> None:
    result = summarize(agent_folder, text, *options)
    refused(result, "Sentence 1 is not valid Unicode", "UTF-8")
    assert len(result.stderr.splitlines()) == 1


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


# Output files ---------------------------------------------------------------------------------------------------------


def test_an_output_file_holds_what_stdout_would(agent_folder: Path, sentences_file: Path, tmp_path: Path) -> None:
    result = summarize(agent_folder, "-i", sentences_file, "-o", tmp_path / "out.txt")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    expected = summarize(agent_folder, "-i", sentences_file).stdout
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == expected


def test_a_file_can_be_replaced_by_its_own_summary(agent_folder: Path, sentences_file: Path) -> None:
    expected = summarize(agent_folder, "-i", sentences_file).stdout
    summarize(agent_folder, "-i", sentences_file, "-o", sentences_file)
    assert sentences_file.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("old", [None, "old summaries\n"])
@pytest.mark.parametrize("before", [1, 200])
def test_an_output_file_is_written_whole_or_not_at_all(
    agent_folder: Path, tmp_path: Path, old: str | None, before: int
) -> None:
    output = tmp_path / "out.txt"
    if old is not None:
        output.write_text(old)
    stdin = "late storm\n" * before + f"{TOO_LONG}\nriver rises\n"
    result = summarize(agent_folder, "-o", output, "--words", 1, "--json", "--pretokenized", stdin=stdin)
    refused(result, f"Sentence {before + 1} has 63 words")
    assert (output.read_text() if output.exists() else None) == old
    assert [path.name for path in tmp_path.iterdir()] == ([] if old is None else ["out.txt"])


def test_an_output_folder_that_is_not_there_is_refused(agent_folder: Path, tmp_path: Path) -> None:
    result = summarize(agent_folder, "river rises", "-o", tmp_path / "none" / "out.txt")
    refused(result, f"{tmp_path / 'none'}: there is no such folder")
    refused(summarize(agent_folder, "river rises", "-o", tmp_path), "directory")
