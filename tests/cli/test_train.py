"""`ealm train`: what it prints, where, and what it says when something is wrong."""

import os
import shlex
import signal
from pathlib import Path

import pytest
from cli_runs import TOO_LONG, refused, run, summarize
from click.testing import Result
from tiny_models import save_tiny_bert

from ealm.common.config import Settings
from ealm.summarize.saved_agent import SavedAgent
from ealm.training.checkpoint import Checkpoint
from ealm.training.paper_trainer import PaperTrainer


def train(*arguments: object) -> Result:
    """A training on words between spaces that is over in a moment, should it start at all."""
    quick = ["--updates", 1, "--quiet", "--set", "rewards.similarity_weight=0"]
    return run("train", *arguments, "--pretokenized", *quick)


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
    assert "50 sentences, sampled from 54 (data.max_sentences), 6 more held out" in result.stderr
    assert "1 blank, 1 of one word, 1 of more than 49 words" in result.stderr
    assert f"ealm summarize --model {tmp_path / 'run'}" in result.stderr
    assert "Too short to judge which agent was best" in result.stderr
    assert f"Train longer with: ealm train {messy} --out {tmp_path / 'run'} --resume --" in result.stderr
    assert "return of its walks on held-out sentences" in result.stderr
    assert run("summarize", "--model", tmp_path / "run", "river rises", "--pretokenized").exit_code == 0


def test_a_run_without_an_update_says_that_it_learned_nothing(
    tmp_path: Path, corpus_file: Path, bert_folder: Path
) -> None:
    arguments = [corpus_file, "--out", tmp_path / "run", "--lm", bert_folder, "--preset", "paper", "--minutes", "0.001"]
    result = run("train", *arguments)
    assert result.exit_code == 0, result.output
    assert "0 updates" in result.stderr
    assert "the replay buffer was not filled" in result.stderr
    assert "--resume --minutes 0.01" in result.stderr


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
    assert "15 sentences, 1 more held out\n" in raw.stderr
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
    refused(result, f"started with another {different}", "Leave them as they were", "--out")
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
    update = PaperTrainer.update

    def update_and_stop(trainer: PaperTrainer) -> float:
        if trainer.updates == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        return update(trainer)

    with monkeypatch.context() as patch:
        patch.setattr(PaperTrainer, "update", update_and_stop)
        return run("train", *arguments, "--quiet")


@pytest.mark.parametrize(
    ("budget", "advised"),
    [
        (["--updates", "9"], ["--updates", "9"]),
        (["--minutes", "2.5"], ["--minutes", "2.5"]),
        (["--minutes", "30", "--updates", "700"], ["--updates", "700", "--minutes", "30"]),
        ([], []),
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
    advice = shlex.split(result.stderr.rpartition("Resume with: ")[2])
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
