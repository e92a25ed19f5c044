"""`ealm adapt`: what it does, what it prints, and plain messages."""

import errno
import gzip
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from adaptation_runs import (
    NEW_WORDS,
    ROOMY,
    Clock,
    assert_complete,
    assert_finished,
    minutes_of,
    report_of,
    write_corpus,
)
from click.testing import CliRunner, Result
from tiny_models import save_tiny_bert, tiny_bert_model, tiny_roberta, tiny_tokenizer

from ealm.cli.main import main
from ealm.common import checkpoint
from ealm.lm import bundled as embedded
from ealm.lm.adapt.fitting import LmFitter
from ealm.lm.adapt.run import CHECKPOINT_FILE, Adaptation
from ealm.lm.adapt.start import stored_weights
from ealm.lm.int8_weights import write_compact
from ealm.lm.masked_lm import TransformersMaskedLM
from tools.bundle_weights import bundle_encoder


def adapt(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["adapt", *map(str, arguments)])


def refused(result: Result, code: int, *parts: str) -> None:
    """A message with these parts on stderr, this exit code, and no traceback."""
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for part in parts:
        assert part in result.stderr


def test_without_an_update_nothing_is_called_fitted(
    tmp_path: Path, corpus: Path, lm_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Adaptation, "updates", 0)
    result = adapt(corpus, "--out", tmp_path / "out", "--lm", lm_folder, "--minutes", 0.001)
    assert "Not fitted: there was no time for an update" in result.stderr
    assert "Fitted in" not in result.stderr
    assert "The corpus is small: scores are of " in result.stderr


def test_the_command_fits_and_says_what_it_did(tmp_path: Path, corpus: Path, lm_folder: Path) -> None:
    folder = tmp_path / "my model"
    result = adapt(corpus, "--out", folder, "--lm", lm_folder, "--minutes", 0.01)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert f"{corpus}: 97 sentences to fit on, 24 for scores" in result.stderr
    assert "After 0 updates, held out: perplexity " in result.stderr
    assert f"Fitted in {folder}. Use it with: ealm train CORPUS --lm '{folder}'" in result.stderr
    lm = assert_finished(folder)
    assert lm.unknown_id not in lm.word_ids(NEW_WORDS)
    settings = report_of(folder)["settings"]
    assert settings == {**settings, "method": "all", "learning_rate": 5e-4, "seed": 0}


def test_the_options_arrive(tmp_path: Path, lm_folder: Path, clock: Clock) -> None:
    path = tmp_path / "corpus.txt.gz"
    path.write_bytes(gzip.compress(("the river-bed rises in winter .\n" * 30).encode()))
    held_out = write_corpus(tmp_path / "held_out.txt", ["the river rises ."] * 3)
    options = ["--method", "head", "--learning-rate", 0.01, "--seed", 7, "--pretokenized", "--quiet"]
    common = [path, "--out", tmp_path / "out", "--lm", lm_folder, "--heldout", held_out, *options]
    first = adapt(*common, "--minutes", minutes_of(3))
    assert first.exit_code == 0, first.output
    assert "30 sentences to fit on, 3 for scores" in first.stderr
    report = report_of(tmp_path / "out")
    assert report["settings"] == {**report["settings"], "method": "head", "learning_rate": 0.01, "seed": 7}
    lm = TransformersMaskedLM.load(tmp_path / "out")
    assert lm.unknown_id not in lm.word_ids(["river-bed"])
    again = adapt(*common, "--minutes", minutes_of(3), "--resume")
    assert (again.exit_code, again.stderr) == (0, f"{tmp_path / 'out'} is finished.\n")
    longer = adapt(*common, "--minutes", minutes_of(5), "--resume")
    refused(longer, 2, "holds a model already", "--out", "name it with --lm")


def test_a_finished_folder_is_small_and_tells_the_score_of_what_it_holds(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock
) -> None:
    folder = tmp_path / "out"
    result = adapt(corpus, "--out", folder, "--lm", lm_folder, "--minutes", minutes_of(3), "--quiet")
    assert result.exit_code == 0, result.output
    files = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert files.keys() == {
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "fitting.json",
        "model.int8.safetensors",
    }
    whole = sum(path.stat().st_size for path in lm_folder.glob("*.safetensors"))
    assert files["model.int8.safetensors"] < 0.6 * whole  # a tiny model has large vectors
    *_, exact, rounded = report_of(folder)["history"]
    assert "rounded to eight bits: perplexity " in result.stderr
    assert rounded["perplexity"] == pytest.approx(exact["perplexity"], rel=0.05)
    assert rounded["words"] == exact["words"] > 100


def test_killed_while_it_finishes_a_run_is_finished_by_the_next(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    common = [corpus, "--out", tmp_path / "out", "--lm", lm_folder, "--minutes", minutes_of(3), "--quiet"]
    score = Adaptation._score

    def killed(run: Adaptation, how: str = "held out") -> None:
        if "rounded" in how:
            raise KeyboardInterrupt
        score(run, how)

    with monkeypatch.context() as patch:
        patch.setattr(Adaptation, "_score", killed)
        assert adapt(*common).exit_code != 0
    assert (tmp_path / "out" / CHECKPOINT_FILE).exists()
    TransformersMaskedLM.load(tmp_path / "out")
    again = adapt(*common, "--resume")
    assert again.exit_code == 0, again.output
    assert_finished(tmp_path / "out")
    for name in (CHECKPOINT_FILE, "model.safetensors", ".model.safetensors.1.part"):  # killed before it removed these
        (tmp_path / "out" / name).write_bytes(b"left over")
    assert "is finished" in adapt(*common, "--resume").stderr
    assert_finished(tmp_path / "out")


@pytest.mark.parametrize("quiet", [True, False])
def test_progress_is_shown_unless_it_is_not_wanted(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, quiet: bool
) -> None:
    options = ["--lm", lm_folder, "--minutes", minutes_of(3), *(["--quiet"] if quiet else [])]
    result = adapt(corpus, "--out", tmp_path / "out", *options)
    assert result.exit_code == 0, result.output
    assert ("%|" in result.stderr) is not quiet
    assert ("reading" in result.stderr) is not quiet


def test_ctrl_c_stops_saves_and_says_how_to_go_on(
    tmp_path: Path, corpus: Path, lm_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = LmFitter.update

    def interrupted(fitter: LmFitter, *args: Any, **kwargs: Any) -> float:
        loss = update(fitter, *args, **kwargs)
        if fitter.updates == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return loss

    monkeypatch.setattr(LmFitter, "update", interrupted)
    folder = tmp_path / "out"
    result = adapt(corpus, "--out", folder, "--lm", lm_folder, "--minutes", 5, "--quiet")
    refused(result, 128 + signal.SIGINT, f"Stopped; the folder {folder} is complete", "--resume")
    assert_complete(folder)
    assert report_of(folder)["updates"] == 2
    again = adapt(corpus, "--out", folder, "--lm", lm_folder, "--minutes", 0.0001, "--quiet", "--resume")
    assert again.exit_code == 0, again.output


def test_the_embedded_model_is_the_default(
    tmp_path: Path, corpus: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a tiny model in its place, of compact weights like itself."""
    model = tiny_bert_model(words=ROOMY)
    model.config.save_pretrained(tmp_path / "package")
    tiny_tokenizer(ROOMY).save_pretrained(tmp_path / "package")
    write_compact(tmp_path / "package", stored_weights(model.state_dict()))
    monkeypatch.setattr(embedded, "lm_folder", lambda: tmp_path / "package")
    result = adapt(corpus, "--out", tmp_path / "out", "--minutes", minutes_of(2), "--quiet")
    assert result.exit_code == 0, result.output
    lm = assert_finished(tmp_path / "out")
    assert lm.unknown_id not in lm.word_ids(NEW_WORDS)


def test_the_bare_encoder_gets_a_head(
    tmp_path: Path, corpus: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle_encoder(save_tiny_bert(tmp_path / "full", words=ROOMY, with_head=False), tmp_path / "encoder")
    monkeypatch.setattr(embedded, "encoder_folder", lambda: tmp_path / "encoder")
    common = [corpus, "--out", tmp_path / "out", "--lm", "encoder", "--quiet"]
    result = adapt(*common, "--minutes", minutes_of(2))
    assert result.exit_code == 0, result.output
    assert_finished(tmp_path / "out")


def test_a_folder_in_use_is_refused_by_the_command(started: Path, corpus: Path, lm_folder: Path) -> None:
    refused(adapt(corpus, "--out", started, "--lm", lm_folder), 2, str(started), "--resume", "--out")


def test_other_text_and_other_settings_are_refused_by_the_command(
    tmp_path: Path, started: Path, corpus: Path, lm_folder: Path
) -> None:
    other = write_corpus(tmp_path / "other.txt", ["the river rises in winter ."] * 60)
    refused(adapt(other, "--out", started, "--lm", lm_folder, "--resume", "--quiet"), 2, "other text")
    refused(adapt(corpus, "--out", started, "--lm", lm_folder, "--resume", "--quiet"), 2, "was started with another")


def test_a_damaged_checkpoint_is_refused_by_the_command(started: Path, corpus: Path, lm_folder: Path) -> None:
    (started / CHECKPOINT_FILE).write_bytes(b"damaged")
    refused(adapt(corpus, "--out", started, "--lm", lm_folder, "--resume"), 1, CHECKPOINT_FILE, "damaged")


BAD_CORPORA: dict[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["no sentence of 4 to "]),
    "too short": (b"river rises\n" * 90, ["no sentence of 4 to "]),
    "few": (b"the river rises in winter\n" * 9, ["9 usable sentences, too few", "--held-out"]),
    "latin 1": ("the river rises in Zürich\n".encode("latin1") * 60, ["line 1", "not UTF-8", "iconv"]),
}


@pytest.mark.parametrize(("content", "parts"), BAD_CORPORA.values(), ids=BAD_CORPORA)
def test_an_unusable_corpus_is_refused_by_the_command(
    tmp_path: Path, lm_folder: Path, content: bytes, parts: list[str]
) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(content)
    refused(adapt(path, "--out", tmp_path / "out", "--lm", lm_folder, "--quiet"), 1, str(path), *parts)
    assert not (tmp_path / "out").exists()


def test_a_compressed_corpus_that_is_cut_off_is_refused_by_the_command(tmp_path: Path, lm_folder: Path) -> None:
    path = tmp_path / "corpus.gz"
    path.write_bytes(gzip.compress(b"the river rises in winter .\n" * 60)[:-12])
    refused(adapt(path, "--out", tmp_path / "out", "--lm", lm_folder, "--quiet"), 1, "Cannot read", str(path))


def test_a_model_that_cannot_be_fitted_is_refused_by_the_command(tmp_path: Path, corpus: Path) -> None:
    lm = tiny_roberta()
    lm.model.save_pretrained(tmp_path / "roberta")
    lm._tokenizer.save_pretrained(tmp_path / "roberta")
    common = [corpus, "--out", tmp_path / "out", "--quiet", "--lm"]
    refused(adapt(*common, tmp_path / "roberta"), 1, "only BERT models can be fitted")
    refused(adapt(*common, "somebody/no-such-model"), 2, "no folder somebody/no-such-model")
    refused(adapt(*common, tmp_path), 1, str(tmp_path))
    assert not (tmp_path / "out").exists()


def test_a_full_disk_is_told_by_the_command(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(checkpoint, "write_tensors", full)
    result = adapt(corpus, "--out", tmp_path / "out", "--lm", lm_folder, "--minutes", minutes_of(2), "--quiet")
    refused(result, 1, CHECKPOINT_FILE, "No space left on device")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--minutes", 0], "--minutes"),
        (["--minutes", -3], "--minutes"),
        (["--method", "everything"], "everything"),
        (["--learning-rate", 0], "--learning-rate"),
        (["--seed", -1], "--seed"),
        (["--checkpoint-seconds", -1], "--checkpoint-seconds"),
        (["--held-out", "no-such-file.txt"], "no-such-file.txt"),
        *(
            pytest.param(
                [option, value],
                option,
            )
            for option, value in (("--minutes", "nan"), ("--learning-rate", "nan"), ("--learning-rate", "inf"))
        ),
    ],
)
def test_options_that_make_no_sense_are_refused_by_the_command(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, options: list[object], part: str
) -> None:
    short = [] if "--minutes" in options else ["--minutes", minutes_of(2)]
    result = adapt(corpus, "--out", tmp_path / "out", "--lm", lm_folder, "--quiet", *short, *options)
    refused(result, 2, "Usage:", part)
    assert not (tmp_path / "out").exists()


def test_what_is_missing_is_named_by_the_command(tmp_path: Path, corpus: Path) -> None:
    refused(adapt(), 2, "CORPUS")
    refused(adapt(corpus), 2, "--out")
    refused(adapt(tmp_path / "none.txt", "--out", tmp_path / "out"), 2, "none.txt")
    refused(adapt(corpus, "--out", corpus), 2, str(corpus))
