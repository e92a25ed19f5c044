"""A fit ends when its time is over or when it is asked to, and saves in between."""

import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from adaptation_runs import NEW_WORDS, UPDATES, Clock, assert_complete, fitted, report_of, request_for

from ealm.lm.adapt.fitting import LmFitter
from ealm.lm.adapt.run import Adaptation, AdaptRequest, open_adaptation


@pytest.mark.parametrize("updates", [0, 4])
def test_a_stop_leaves_a_complete_folder(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, updates: int
) -> None:
    if updates:
        clock.stop_at = updates
    else:
        clock.stop.signal = signal.SIGINT
    run = open_adaptation(request_for(corpus, tmp_path / "out", lm_folder, updates=50))
    assert run.go(stop=clock.stop) is False
    lm = assert_complete(tmp_path / "out")
    assert run.fitter.updates == report_of(tmp_path / "out")["updates"] == updates
    assert lm.unknown_id not in lm.word_ids(NEW_WORDS)
    resumed = open_adaptation(request_for(corpus, tmp_path / "out", lm_folder, updates=8, resume=True))
    assert resumed.go() is True
    assert resumed.fitter.updates == 8


def test_a_run_ends_when_its_time_is_over(tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock) -> None:
    run = open_adaptation(request_for(corpus, tmp_path / "out", lm_folder, updates=9))
    assert run.go(stop=clock.stop) is True
    assert run.fitter.updates == 9


def test_a_run_of_real_time_is_over_in_time(tmp_path: Path, corpus: Path, lm_folder: Path) -> None:
    run = open_adaptation(request_for(corpus, tmp_path / "out", lm_folder, minutes=0.01))
    assert run.go() is True
    assert run.seconds < 30  # and not an hour
    assert_complete(tmp_path / "out")


def test_the_learning_rate_falls_to_nothing_over_the_time(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    update, shares = LmFitter.update, []

    def noted(fitter: LmFitter, batch: Any, *, time_left: float) -> float:
        shares.append(time_left)
        return update(fitter, batch, time_left=time_left)

    monkeypatch.setattr(LmFitter, "update", noted)
    request = request_for(corpus, tmp_path / "out", lm_folder, minutes=10 / 60)
    clock.stop_at = 4
    open_adaptation(request).go(stop=clock.stop)
    clock.now += 1_000
    open_adaptation(replace(request, resume=True)).go()
    assert shares == pytest.approx([1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])


@pytest.mark.parametrize(("seconds", "often"), [(0, True), (10_000, False)])
def test_checkpoints_come_as_often_as_asked(
    plain: AdaptRequest, clock: Clock, monkeypatch: pytest.MonkeyPatch, seconds: float, often: bool
) -> None:
    save, saved = Adaptation.save, []

    def noted(run: Adaptation) -> None:
        saved.append(run.fitter.updates)
        save(run)

    monkeypatch.setattr(Adaptation, "save", noted)
    fitted(replace(plain, checkpoint_seconds=seconds))
    assert saved[-1] == UPDATES
    assert (len(set(saved)) > 2) == often
    if not often:
        assert set(saved) == {UPDATES}


def test_a_run_without_an_end_can_be_asked_for(tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock) -> None:
    clock.stop_at = 2
    run = open_adaptation(request_for(corpus, tmp_path / "out", lm_folder, minutes=float("inf")))
    assert run.go(stop=clock.stop) is False
    assert run.fitter.updates == 2
