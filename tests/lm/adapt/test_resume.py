"""A fit that broke off goes on as if nothing had happened, and never as another one."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from adaptation_runs import (
    KINDS,
    QUICK,
    ROOMY,
    UPDATES,
    Clock,
    CrashError,
    assert_complete,
    fitted,
    report_of,
    request_for,
    same_tensors,
    save_bert,
    write_corpus,
)
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from ealm.common import checkpoint
from ealm.common.errors import RunError
from ealm.lm import bundled as embedded
from ealm.lm.adapt.run import CHECKPOINT_FILE, AdaptRequest, open_adaptation
from ealm.lm.adapt.start import stored_weights
from ealm.lm.int8_weights import write_compact

# Resuming -------------------------------------------------------------------------------------------------------------


def assert_goes_on_after_a_crash(request: AdaptRequest, clock: Clock) -> None:
    """A run that broke off ends like one that did not: weights, optimizer and all counters, to the last bit."""
    request = replace(request, checkpoint_seconds=0)
    undisturbed = request.folder.with_name("undisturbed")
    fitted(replace(request, folder=undisturbed))
    clock.crash_at = UPDATES - 3
    with pytest.raises(CrashError):
        fitted(request)
    saved = report_of(request.folder)["updates"]
    assert 0 < saved <= clock.crash_at
    assert_complete(request.folder)
    clock.crash_at = None
    clock.now += 5_000  # a night
    torch.manual_seed(1)
    run = open_adaptation(replace(request, resume=True))
    assert run.fitter.updates == saved
    assert run.go()
    assert_same_run(request.folder, undisturbed)


def assert_same_run(folder: Path, expected: Path) -> None:
    assert report_of(folder) == report_of(expected)
    assert same_tensors(folder / CHECKPOINT_FILE, expected / CHECKPOINT_FILE)
    assert same_tensors(folder / "model.safetensors", expected / "model.safetensors")
    assert any(name.startswith("adam.") for name in load_file(folder / CHECKPOINT_FILE))


@pytest.mark.parametrize("method", ["all", "head"])
def test_a_run_that_crashed_goes_on_as_if_nothing_had_happened(plain: AdaptRequest, clock: Clock, method: Any) -> None:
    assert_goes_on_after_a_crash(replace(plain, settings=replace(QUICK, method=method)), clock)


def test_a_run_with_new_words_that_crashed_goes_on_as_if_nothing_had_happened(
    plain: AdaptRequest, tmp_path: Path, clock: Clock
) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [*KINDS * 13])
    assert_goes_on_after_a_crash(replace(plain, corpus=path, pretokenized=False), clock)


def test_a_crash_while_saving_loses_what_came_after_the_checkpoint_and_no_more(
    plain: AdaptRequest, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = replace(plain, checkpoint_seconds=0)
    fitted(replace(plain, folder=tmp_path / "undisturbed"))
    write, calls = checkpoint.write_tensors, []

    def failing(*args: Any) -> None:
        calls.append(args)
        if len(calls) == 2:  # the model of the second checkpoint is on disk already
            raise CrashError
        write(*args)

    monkeypatch.setattr(checkpoint, "write_tensors", failing)
    with pytest.raises(CrashError):
        fitted(plain)
    fitted(replace(plain, resume=True))
    assert_same_run(plain.folder, tmp_path / "undisturbed")


@pytest.mark.parametrize("place", ["within a chunk", "between chunks"])
def test_a_run_that_was_stopped_goes_on_as_if_nothing_had_happened(
    plain: AdaptRequest, tmp_path: Path, clock: Clock, place: str
) -> None:
    undisturbed = fitted(replace(plain, folder=tmp_path / "undisturbed"))
    fresh = open_adaptation(plain)
    batches = len(next(fresh.fitter.chunks(fresh.corpus)))
    clock.stop_at = batches if place == "between chunks" else batches + 1
    run = open_adaptation(plain)
    assert not run.go(stop=clock.stop)
    assert run.fitter.updates == clock.stop_at < UPDATES
    resumed = open_adaptation(replace(plain, resume=True))
    assert resumed.go()
    assert resumed.fitter.updates == undisturbed.fitter.updates
    for name in (CHECKPOINT_FILE, "model.safetensors"):
        assert same_tensors(plain.folder / name, tmp_path / "undisturbed" / name)


@pytest.mark.parametrize("method", ["all", "head"])
def test_a_resumed_run_has_the_weights_and_the_optimizer_of_its_checkpoint(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, method: Any
) -> None:
    request = request_for(corpus, tmp_path / "out", lm_folder, settings=replace(QUICK, method=method))
    before = fitted(request)
    run = open_adaptation(replace(request, resume=True))
    assert run.fitter.updates == before.fitter.updates == 6
    assert run.fitter.chunk == before.fitter.chunk
    assert run.seconds == before.seconds
    assert run.history == before.history
    states = [each.fitter.model.state_dict() for each in (before, run)]
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    memories = [each.fitter.optimizer.state_dict()["state"] for each in (before, run)]
    assert memories[0].keys() == memories[1].keys()
    for number, memory in memories[0].items():
        assert memory["step"] == 6
        assert all(torch.equal(memory[name], memories[1][number][name]) for name in memory)
    decoder, embeddings = run.fitter.model.cls.predictions.decoder, run.fitter.model.get_input_embeddings()
    assert decoder.weight is embeddings.weight


def test_a_run_can_go_on_for_longer(started: Path, corpus: Path, lm_folder: Path, clock: Clock) -> None:
    run = fitted(request_for(corpus, started, lm_folder, updates=14, resume=True))
    assert run.fitter.updates == report_of(started)["updates"] == 14
    assert report_of(started)["seconds"] == 14
    assert [entry["updates"] for entry in report_of(started)["history"]] == [0, 6, 14]
    assert_complete(started)


def test_a_run_whose_time_is_over_changes_no_weight(
    started: Path, short_run: Path, corpus: Path, lm_folder: Path, clock: Clock
) -> None:
    assert open_adaptation(request_for(corpus, started, lm_folder, resume=True)).go()
    assert same_tensors(started / CHECKPOINT_FILE, short_run / CHECKPOINT_FILE)
    assert report_of(started)["updates"] == 6


def test_resuming_where_nothing_is_starts_a_run(tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock) -> None:
    run = fitted(request_for(corpus, tmp_path / "deep" / "out", lm_folder, resume=True))
    assert run.fitter.updates == 6
    assert_complete(tmp_path / "deep" / "out")


def test_resuming_needs_no_word_of_where_it_started(started: Path, corpus: Path, clock: Clock) -> None:
    run = fitted(request_for(corpus, started, "somebody/gone-since", updates=8, resume=True))
    assert run.fitter.updates == 8


def test_what_a_killed_process_left_behind_is_removed(started: Path, corpus: Path, lm_folder: Path) -> None:
    (started / ".model.safetensors.4711.part").write_bytes(b"half")
    open_adaptation(request_for(corpus, started, lm_folder, resume=True))
    assert_complete(started)


def test_a_folder_in_use_is_refused_and_left_alone(
    started: Path, short_run: Path, corpus: Path, lm_folder: Path
) -> None:
    with pytest.raises(RunError, match=r"already holds a run.*resume=.*out="):
        open_adaptation(request_for(corpus, started, lm_folder))
    assert same_tensors(started / CHECKPOINT_FILE, short_run / CHECKPOINT_FILE)


def test_the_model_to_start_from_is_not_overwritten(tmp_path: Path, corpus: Path, lm_folder: Path) -> None:
    folder = shutil.copytree(lm_folder, tmp_path / "lm")
    with pytest.raises(RunError, match="out="):
        open_adaptation(request_for(corpus, folder, folder))


@pytest.mark.parametrize(
    "name",
    [
        "mine",
        pytest.param(
            "embedded",
        ),
    ],
)
def test_a_folder_may_have_any_name(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    other = save_bert(tmp_path / "other", words=(*ROOMY, "another"))
    write_compact(other, stored_weights(load_file(other / "model.safetensors")))
    monkeypatch.setattr(embedded, "lm_folder", lambda: other)
    monkeypatch.chdir(tmp_path)
    request = request_for(corpus, Path(name), lm_folder)
    fitted(request)
    run = open_adaptation(replace(request, resume=True))
    assert run.fitter.updates == 6


def test_a_checkpoint_of_an_earlier_version_is_resumed(
    started: Path, corpus: Path, lm_folder: Path, clock: Clock
) -> None:
    """Its settings had the rank of adapters, which are gone."""
    path = started / CHECKPOINT_FILE
    with safe_open(path, framework="pt") as file:
        report = json.loads(file.metadata()["ealm"])
    names = {"format", "settings", "corpus", "sentences", "updates", "chunk", "batches_done", "tokens", "seconds"}
    assert report.keys() == {*names, "history"}
    report["settings"]["adapter_rank"] = 16
    save_file(load_file(path), path, {"ealm": json.dumps(report)})
    assert fitted(request_for(corpus, started, lm_folder, updates=8, resume=True)).updates == 8


# Another run than the one in the folder -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"method": "head"},
        {"learning_rate": 2e-2},
        {"seed": 1},
        {"tokens_per_update": 512},
        {"warm_up_updates": 6},
    ],
    ids=str,
)
def test_other_settings_are_refused(
    started: Path, short_run: Path, corpus: Path, lm_folder: Path, change: dict[str, Any]
) -> None:
    settings = replace(QUICK, **change)
    with pytest.raises(RunError, match=r"was started with another"):
        open_adaptation(request_for(corpus, started, lm_folder, settings=settings, resume=True))
    assert same_tensors(started / CHECKPOINT_FILE, short_run / CHECKPOINT_FILE)


@pytest.mark.parametrize("change", ["a word", "the order", "one more", "one less", "other text"])
def test_another_corpus_is_refused(tmp_path: Path, started: Path, corpus: Path, lm_folder: Path, change: str) -> None:
    lines = corpus.read_text().splitlines()
    changed = {
        "a word": [*lines[:3], lines[3].replace("small", "great"), *lines[4:]],
        "the order": lines[::-1],
        "one more": [*lines, KINDS[0]],
        "one less": lines[:-1],
        "other text": ["the river rises in winter"] * 100,
    }[change]
    other = write_corpus(tmp_path / "other.txt", changed)
    with pytest.raises(RunError, match="other text"):
        open_adaptation(request_for(other, started, lm_folder, resume=True))


def test_the_same_words_in_other_sentences_are_another_corpus(tmp_path: Path, lm_folder: Path, clock: Clock) -> None:
    held_out = write_corpus(tmp_path / "held_out.txt", [KINDS[3]])
    path = write_corpus(tmp_path / "corpus.txt", ["the river rises in winter and the old bridge falls ."] * 3)
    request = request_for(path, tmp_path / "out", lm_folder, held_out=held_out)
    fitted(request)
    write_corpus(path, ["the river rises in winter and", "the old bridge falls ."] * 3)
    with pytest.raises(RunError, match="other text"):
        open_adaptation(replace(request, resume=True))


def test_other_sentences_for_scores_are_refused(tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock) -> None:
    held_out = write_corpus(tmp_path / "held_out.txt", [KINDS[3]] * 5)
    request = request_for(corpus, tmp_path / "out", lm_folder, held_out=held_out)
    fitted(request)
    write_corpus(held_out, [KINDS[2]] * 5)
    with pytest.raises(RunError):
        open_adaptation(replace(request, resume=True))
