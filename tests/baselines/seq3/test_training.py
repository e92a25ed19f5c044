"""Training SEQ3 on disk, resuming it exactly, and summarizing with what was trained."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from seq3_runs import (
    WORDS,
    StopAfter,
    all_tensors,
    log_lines,
    sentences,
    train,
    validation,
    without,
)

from ealm.baselines.seq3.folder import CHECKPOINT_FILE, DESCRIPTION_FILE, VOCABULARY_FILE, WEIGHTS_FILES
from ealm.baselines.seq3.settings import Seq3Settings
from ealm.baselines.seq3.summarizer import Seq3Summarizer
from ealm.common.errors import CorpusError, EalmError, ModelFolderError, RunError, SettingsError, TextError


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seq3") / "run"
    assert train(folder)
    return folder


# Resuming -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("looks", [1, 3, 4, 5, 6, 8])
def test_a_resumed_run_ends_with_the_same_numbers(trained: Path, tmp_path: Path, looks: int) -> None:
    """Stopped in each of the three phases and between them."""
    assert not train(tmp_path, stop=StopAfter(looks))
    assert (tmp_path / DESCRIPTION_FILE).exists() == (looks >= 5)
    assert train(tmp_path, resume=True)
    assert all_tensors(tmp_path) == all_tensors(trained)


def test_after_a_kill_the_last_checkpoint_counts(trained: Path, tmp_path: Path) -> None:
    train(tmp_path, updates=2)
    kept = (tmp_path / CHECKPOINT_FILE).read_bytes()
    train(tmp_path, updates=4, resume=True)
    (tmp_path / CHECKPOINT_FILE).write_bytes(kept)  # as if killed before the second checkpoint
    (tmp_path / f".{CHECKPOINT_FILE}.1.part").write_bytes(b"half")
    train(tmp_path, resume=True)
    assert all_tensors(tmp_path) == all_tensors(trained)
    assert not list(tmp_path.glob(".*.part"))
    assert [(line["phase"], line["updates"]) for line in log_lines(tmp_path)] == [("summarizer", 2), ("summarizer", 4)]


def test_checkpoints_are_written_on_the_way(tmp_path: Path) -> None:
    assert not train(tmp_path, stop=StopAfter(7), checkpoint_seconds=0.0)
    with safe_open(tmp_path / CHECKPOINT_FILE, framework="pt") as file:
        header = json.loads(file.metadata()["ealm"])
    assert (header["phase"], header["updates"]) == ("summarizer", 2)
    assert Seq3Summarizer.load(tmp_path).summarize(["the old bridge"])[0]


def test_a_checkpoint_written_by_hand_in_the_form_of_earlier_versions_is_resumed(trained: Path, tmp_path: Path) -> None:
    train(tmp_path, stop=StopAfter(4))
    with safe_open(tmp_path / CHECKPOINT_FILE, framework="pt") as file:
        header = json.loads(file.metadata()["ealm"])
    tensors = load_file(tmp_path / CHECKPOINT_FILE)
    assert {name.partition(".")[0] for name in tensors} == {"lm", "model", "adam"}
    old = {name: header[name] for name in ("identity", "phase", "updates", "seconds")}
    assert old["identity"].keys() == {"settings", "seed", "corpus", "validation set"}
    assert (old["phase"], old["updates"]) == ("autoencoder", 1)
    save_file(tensors, tmp_path / CHECKPOINT_FILE, {"ealm": json.dumps({"format": 1, **old, "best": None})})
    assert train(tmp_path, resume=True)
    assert all_tensors(tmp_path) == all_tensors(trained)


def test_time_ends_a_run(tmp_path: Path) -> None:
    by_time = {"lm_updates": None, "autoencoder_updates": None, "updates": None}
    assert train(tmp_path, **by_time, lm_minutes=1e-6, autoencoder_minutes=1e-6, minutes=1e-6)
    assert (tmp_path / WEIGHTS_FILES["last"]).exists()


def test_a_line_of_the_log_has_all_losses(tmp_path: Path) -> None:
    few = [["the", "bridge", "closed"], ["the", "road", "closed"]]
    train(tmp_path, sentences=few, validation=None, lm_updates=100, autoencoder_updates=100, updates=100)
    lm, autoencoder, summarizer = log_lines(tmp_path)
    assert lm["phase"] == "language model"
    assert lm["loss"] > 0
    assert autoencoder["phase"] == "autoencoder"
    assert autoencoder["loss"] == pytest.approx(autoencoder["compressor"] + autoencoder["reconstructor"])
    assert {"loss", "reconstruction", "prior", "topic", "length", "mean_length", "updates"} <= summarizer.keys()
    assert not (tmp_path / WEIGHTS_FILES["best"]).exists()


# Variants -------------------------------------------------------------------------------------------------------------


def test_both_variants_are_stored_and_marked(trained: Path) -> None:
    facts = {}
    for variant, name in WEIGHTS_FILES.items():
        with safe_open(trained / name, framework="pt") as file:
            facts[variant] = json.loads(file.metadata()["ealm"])
        assert Seq3Summarizer.load(trained, variant=variant).summarize(["the old bridge"])[0]
    assert facts["last"] == {"variant": "last", "updates": 5}
    assert facts["best"]["variant"] == "best"
    logged = {line["updates"]: line["validation"] for line in log_lines(trained)}
    assert facts["best"]["score"] == max(logged.values())
    assert logged[facts["best"]["updates"]] == facts["best"]["score"]


def test_the_best_variant_needs_a_validation_set(trained: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(trained, tmp_path / "run")
    (folder / WEIGHTS_FILES["best"]).unlink()
    with pytest.raises(ModelFolderError, match="without a validation set"):
        Seq3Summarizer.load(folder, variant="best")
    with pytest.raises(SettingsError, match="variant must be last"):
        Seq3Summarizer.load(folder, variant="first")  # type: ignore[arg-type]


# Summarizing ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def summarizer(trained: Path) -> Seq3Summarizer:
    return Seq3Summarizer.load(trained)


def random_texts(count: int) -> list[str]:
    rng = np.random.default_rng(11)
    words = [*WORDS, "Zebra", "<unk>", "Łódź", "1,234", "OOV1", "🙂", "-lrb-"]
    return [" ".join(rng.choice(words, size=int(rng.integers(0, 30)))) for _ in range(count)]


@pytest.mark.parametrize("words", [None, 1, 2, 7, 100])
def test_limits_are_never_exceeded_and_nothing_is_empty(summarizer: Seq3Summarizer, words: int | None) -> None:
    texts = random_texts(60)
    summaries = summarizer.summarize(texts, words=words)
    assert len(summaries) == len(texts)
    for text, summary in zip(texts, summaries, strict=True):
        length, size = len(text.split()), len(summary.split())
        limit = int(length / 2 + 0.5) if words is None else min(words, length)
        assert min(1, length) <= size <= max(limit, min(1, length))
        assert "<unk>" not in summary.split()


def test_texts_do_not_see_each_other(summarizer: Seq3Summarizer) -> None:
    texts = random_texts(40)
    assert summarizer.summarize(texts) == [summarizer.summarize([text])[0] for text in texts]


def test_copied_words_are_printed_as_the_source_wrote_them(trained: Path) -> None:
    """With a bias for placeholders, the summary is made of them."""
    summarizer = Seq3Summarizer.load(trained)
    summarizer._model.compressor.word_bias[4:7] += 100
    (found,) = summarizer.summarize(["the Łódź-born Okapi saw Zyx"], words=3)
    assert set(found.split()) <= {"Łódź-born", "Okapi", "saw"}
    (raw,) = summarizer.summarize(["The Quagga's <b class='x'>Okapi</b>."], words=4, pretokenized=False)
    assert raw
    assert set(raw.split()) <= {"Quagga", "'s", "<b", "class='x'>", "Okapi", "</b>"}
    assert len(raw.split()) <= 4


@pytest.mark.parametrize("text", ["", " \t ", "x", "<unk>", "a\x1cb\u00a0c", "\u200b", "word " * 300])
def test_odd_texts(summarizer: Seq3Summarizer, text: str) -> None:
    for pretokenized in (True, False):
        (found,) = summarizer.summarize([text], pretokenized=pretokenized)
        assert bool(found) == bool(text.split())
    assert summarizer.summarize([]) == []


def test_wrong_requests(summarizer: Seq3Summarizer) -> None:
    with pytest.raises(TextError, match="Put it into a list"):
        summarizer.summarize("one text")
    with pytest.raises(SettingsError, match="words= must be a whole number of at least 1, got 0"):
        summarizer.summarize(["a text"], words=0)


# Mistakes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"sentences": []}, CorpusError, "no sentence of 2 to 60 words among the 0 given"),
        ({"sentences": [["one"]]}, CorpusError, "no sentence of 2 to 60 words"),
        ({"sentences": ["one text"]}, CorpusError, "Sentence 1 must be a list of words"),
        ({"sentences": [["a", "b"], ["a b", "c"]]}, CorpusError, "Sentence 2 has a word"),
        ({"sentences": [["a", "b"]]}, CorpusError, "lower least_count"),
        ({"validation": validation([], [])}, CorpusError, "at least one"),
        ({"validation": validation(["a"], ["b", "c"])}, CorpusError, "got 1 sources and 2 references"),
        ({"updates": None}, SettingsError, "Give minutes or updates"),
        ({"lm_minutes": 0.0}, SettingsError, "lm_minutes must be a number above 0"),
        ({"updates": 0}, SettingsError, "updates must be at least 1"),
        ({"autoencoder_updates": None}, SettingsError, "Give autoencoder_minutes or autoencoder_updates"),
        ({"autoencoder_updates": -1}, SettingsError, "autoencoder_updates must be at least 0, got -1"),
        ({"autoencoder_minutes": -0.5}, SettingsError, "autoencoder_minutes must be a number of at least 0, got -0.5"),
        ({"autoencoder_minutes": math.nan}, SettingsError, "autoencoder_minutes must be a number of at least 0"),
        ({"seed": -1}, SettingsError, "seed must be at least 0"),
    ],
)
def test_what_cannot_be_trained(tmp_path: Path, changes: dict[str, Any], kind: type[EalmError], message: str) -> None:
    with pytest.raises(kind, match=message):
        train(tmp_path / "run", **changes)
    assert not (tmp_path / "run").exists()


def test_a_folder_in_use_is_left_alone(trained: Path) -> None:
    before = all_tensors(trained)
    with pytest.raises(RunError, match="already holds a run"):
        train(trained)
    with pytest.raises(RunError, match="another seed"):
        train(trained, resume=True, seed=4)
    with pytest.raises(RunError, match="another corpus"):
        train(trained, resume=True, sentences=sentences(seed=9))
    with pytest.raises(RunError, match="another settings and validation set"):
        train(trained, resume=True, settings=Seq3Settings(), validation=None)
    assert all_tensors(trained) == before


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def without_a_tensor(path: Path) -> None:
    without(path, "compressor.word_bias")


@pytest.mark.parametrize(
    "damage",
    [
        cut,
        lambda path: without(path, "lm.to_words"),
        lambda path: without(path, "model.compressor.word_bias"),
        lambda path: without(path, "best.compressor.word_bias"),
        lambda path: without(path, "adam."),
    ],
)
def test_a_damaged_checkpoint_says_so(trained: Path, tmp_path: Path, damage: Any) -> None:
    folder = shutil.copytree(trained, tmp_path / "run")
    damage(folder / CHECKPOINT_FILE)
    with pytest.raises(RunError, match="damaged"):
        train(folder, resume=True, updates=9)


@pytest.mark.parametrize("damage", [cut, without_a_tensor, Path.unlink])
def test_damaged_weights_say_so(trained: Path, tmp_path: Path, damage: Any) -> None:
    folder = shutil.copytree(trained, tmp_path / "run")
    damage(folder / WEIGHTS_FILES["last"])
    with pytest.raises(ModelFolderError, match=r"seq3-last.safetensors (cannot be read|does not fit)"):
        Seq3Summarizer.load(folder)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (DESCRIPTION_FILE, "{", "cannot be read"),
        (DESCRIPTION_FILE, "[]", "'settings' is missing"),
        (DESCRIPTION_FILE, '{"format": 9, "settings": {}}', "has format 9"),
        (DESCRIPTION_FILE, '{"format": 1, "settings": {"hidden": 3}}', "hidden must be even"),
        (VOCABULARY_FILE, "{}", "expected a list of words"),
        (VOCABULARY_FILE, '["two words"]', "expected a list of words"),
        (VOCABULARY_FILE, '["one"]', "does not fit"),
    ],
)
def test_damaged_descriptions_say_so(trained: Path, tmp_path: Path, name: str, text: str, message: str) -> None:
    folder = shutil.copytree(trained, tmp_path / "run")
    (folder / name).write_text(text)
    with pytest.raises(ModelFolderError, match=message):
        Seq3Summarizer.load(folder)


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match=r"No trained SEQ3 in .*seq3.json is missing"):
        Seq3Summarizer.load(tmp_path)


def test_training_leaves_the_global_randomness_alone(tmp_path: Path) -> None:
    before = torch.random.get_rng_state()
    train(tmp_path, lm_updates=1, autoencoder_updates=1, updates=1)
    assert torch.equal(before, torch.random.get_rng_state())
