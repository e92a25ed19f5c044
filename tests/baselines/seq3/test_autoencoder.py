"""The warm start of SEQ3: learning to copy before learning to summarize."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from safetensors import safe_open
from safetensors.torch import load_file
from seq3_runs import StopAfter, all_tensors, log_lines, train, without

from ealm.baselines.seq3.batches import Batch
from ealm.baselines.seq3.candidates import CandidateDrawer
from ealm.baselines.seq3.folder import CHECKPOINT_FILE, WEIGHTS_FILES
from ealm.baselines.seq3.language_model import LanguageModel
from ealm.baselines.seq3.learner import AutoencoderLearner, Learner, Seq3Learner
from ealm.baselines.seq3.losses import reconstruction_loss
from ealm.baselines.seq3.model import Seq3
from ealm.baselines.seq3.modules import LOW, Words
from ealm.baselines.seq3.settings import Seq3Settings
from ealm.baselines.seq3.vocabulary import END, SPECIAL, UNKNOWN, Encoded
from ealm.cli.main import main
from ealm.common.errors import RunError

PLACEHOLDERS, KNOWN = 2, 20
FIRST_WORD = SPECIAL + PLACEHOLDERS
WORDS = FIRST_WORD + KNOWN
SETTINGS = Seq3Settings(
    embedding_width=16,
    hidden=32,
    placeholders=PLACEHOLDERS,
    dropout=0.0,
    learning_rate=0.01,
    autoencoder_learning_rate=0.01,
)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def toy_model(settings: Seq3Settings = SETTINGS) -> Seq3:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        table = torch.randn(WORDS, settings.embedding_width)
        return Seq3(table, placeholders=PLACEHOLDERS, settings=settings)


def toy_batch(seed: int, rows: int = 32) -> Batch:
    """Sentences of 4 to 6 words in any order: nothing but the source tells the next word."""
    random = generator(seed)
    lengths = torch.randint(4, 7, (rows,), generator=random).tolist()
    ids = torch.randint(FIRST_WORD, WORDS, (rows, 6), generator=random).tolist()
    return Batch.of([Encoded(tuple(row[:length]), ()) for row, length in zip(ids, lengths, strict=True)])


# The model ------------------------------------------------------------------------------------------------------------


def test_both_decoders_are_asked_for_every_word_that_they_can_write() -> None:
    """A lost word is not asked for, the end is; what the compressor may not write has no chance."""
    model = toy_model()
    batch = Batch.of([Encoded((10, UNKNOWN, SPECIAL, 11), ("x",)), Encoded((12, 13), ())])
    compressor, reconstructor = model.copy_source(batch, Words.of(model.table), generator())
    for scores, wanted in (compressor, reconstructor):
        assert scores.shape == (7, WORDS)
        assert wanted.tolist() == [10, SPECIAL, 11, END, 12, 13, END]
    scores = compressor[0]
    assert (scores[:, UNKNOWN] == LOW).all()
    assert (scores[:, END] == LOW).tolist() == [True, False, False, False, True, False, False]
    assert (scores[:, SPECIAL] == LOW).tolist() == [False] * 4 + [True] * 3
    assert (scores[:, SPECIAL + 1] == LOW).all()


def test_copying_is_summarizing_with_the_words_and_the_length_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    model = toy_model(replace(SETTINGS, word_dropout=0.0))
    words = Words.of(model.table)
    batch = Batch.of([Encoded((10, 11, 12, 13), ()), Encoded((14, 15, 16, 17), ())])
    (scores, _), _ = model.copy_source(batch, words, generator())
    source: Iterator[torch.Tensor] = iter(batch.ids.unbind(dim=1))
    monkeypatch.setattr(
        "ealm.baselines.seq3.model.gumbel_softmax", lambda scores, **_: (next(source), scores.softmax(dim=-1))
    )
    summary = model.sample(batch, batch.lengths, words, generator())
    torch.testing.assert_close(scores, summary.scores.flatten(end_dim=1))


def test_copying_teaches_the_encoder_and_both_decoders() -> None:
    model = toy_model()
    guesses = model.copy_source(toy_batch(0), Words.of(model.table), generator())
    (reconstruction_loss(*guesses[0]) + reconstruction_loss(*guesses[1])).backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().sum() > 0, name


# Learning -------------------------------------------------------------------------------------------------------------


def copied_share(model: Seq3) -> float:
    """How many words of summaries of half the length are their sources', of sentences that were not learned from."""
    batch = toy_batch(seed=999, rows=100)
    summaries = model.summaries(batch, batch.lengths // 2)
    found = [number in source for ids, source in zip(summaries, batch.ids.tolist(), strict=True) for number in ids]
    return sum(found) / len(found)


def after_updates(learner: Learner, updates: int) -> list[dict[str, float]]:
    return [learner.update(toy_batch(update), generator(5_000 + update)) for update in range(updates)]


def test_who_has_learned_to_copy_copies_when_it_summarizes() -> None:
    warm, cold = toy_model(), toy_model()
    drawer = CandidateDrawer(torch.ones(WORDS), most=WORDS, first_word=FIRST_WORD)
    losses = after_updates(AutoencoderLearner(warm, drawer), 60)
    for name in ("compressor", "reconstructor"):
        assert losses[-1][name] < 0.5 * losses[0][name]
    weights = torch.tensor([0.0] * SPECIAL + [1.0] * (WORDS - SPECIAL))
    lm = LanguageModel(torch.zeros(WORDS, 16), hidden=8)
    after_updates(Seq3Learner(cold, lm, drawer, inverse_frequencies=weights), 60)
    assert copied_share(warm) > 0.9
    assert copied_share(warm) > copied_share(cold) + 0.2


# The run --------------------------------------------------------------------------------------------------------------


def phase_of(folder: Path) -> tuple[str, int]:
    with safe_open(folder / CHECKPOINT_FILE, framework="pt") as file:
        header = json.loads(file.metadata()["ealm"])
    return header["phase"], header["updates"]


def model_weights(folder: Path) -> dict[str, torch.Tensor]:
    tensors = load_file(folder / CHECKPOINT_FILE)
    return {name: tensor for name, tensor in tensors.items() if name.startswith("model.")}


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """A run that was stopped after one of two updates of the phase, before there was a summarizer."""
    folder = tmp_path / "stopped"
    assert not train(folder, stop=StopAfter(4))
    assert phase_of(folder) == ("autoencoder", 1)
    assert not any((folder / name).exists() for name in WEIGHTS_FILES.values())
    return folder


def test_after_a_kill_in_the_phase_the_last_checkpoint_counts(stopped: Path, tmp_path: Path) -> None:
    kept = (stopped / CHECKPOINT_FILE).read_bytes()
    assert not train(stopped, resume=True, stop=StopAfter(2))
    assert phase_of(stopped) == ("summarizer", 1)
    (stopped / CHECKPOINT_FILE).write_bytes(kept)  # as if killed before the later checkpoints
    assert train(stopped, resume=True)
    assert train(tmp_path / "unbroken")
    assert all_tensors(stopped) == all_tensors(tmp_path / "unbroken")


def test_the_phase_learns_and_its_checkpoint_has_the_weights(stopped: Path, tmp_path: Path) -> None:
    assert not train(tmp_path / "before", stop=StopAfter(3))
    before, after = model_weights(tmp_path / "before"), model_weights(stopped)
    assert before.keys() == after.keys()
    assert after
    assert all(not torch.equal(before[name], after[name]) for name in after)


@pytest.mark.parametrize("lost", ["model.encoder", "adam."])
def test_a_damaged_checkpoint_of_the_phase_says_so(stopped: Path, tmp_path: Path, lost: str) -> None:
    folder = shutil.copytree(stopped, tmp_path / "run")
    without(folder / CHECKPOINT_FILE, lost)
    with pytest.raises(RunError, match="damaged"):
        train(folder, resume=True)


@pytest.mark.parametrize("nothing", [{"autoencoder_updates": 0}, {"autoencoder_minutes": 0}])
def test_nothing_for_the_phase_leaves_it_out(tmp_path: Path, nothing: dict[str, Any]) -> None:
    """The summarizer's first update is then that of a model that has learned nothing before."""
    assert not train(tmp_path / "cold", **nothing, stop=StopAfter(3))
    assert phase_of(tmp_path / "cold") == ("summarizer", 0)
    assert not train(tmp_path / "start", stop=StopAfter(3))
    assert phase_of(tmp_path / "start") == ("autoencoder", 0)
    cold, start = model_weights(tmp_path / "cold"), model_weights(tmp_path / "start")
    assert all(torch.equal(cold[name], start[name]) for name in start)
    assert train(tmp_path / "cold", **nothing, resume=True)
    assert {line["phase"] for line in log_lines(tmp_path / "cold")} == {"summarizer"}


# The command ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], 4.0), (["--autoencoder-minutes", "3"], 3.0), (["--autoencoder-minutes", "0"], 0.0)],
)
def test_the_command_passes_the_time_on(
    tmp_path: Path, corpus_file: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], expected: float
) -> None:
    given: dict[str, Any] = {}

    def remember(*_: object, **arguments: object) -> bool:
        given.update(arguments)
        return True

    monkeypatch.setattr("ealm.baselines.seq3.training.train_seq3", remember)
    arguments = ["train-baseline", "seq3", str(corpus_file), "--out", str(tmp_path / "run"), "--minutes", "8", *options]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert given["autoencoder_minutes"] == expected
    assert given["minutes"] == 8


@pytest.mark.parametrize(("value", "message"), [("-1", "range x>=0"), ("nan", "got nan"), ("soon", "valid float")])
def test_the_command_refuses_what_is_no_time(tmp_path: Path, corpus_file: Path, value: str, message: str) -> None:
    arguments = ["train-baseline", "seq3", str(corpus_file), "--out", str(tmp_path / "run")]
    result = CliRunner().invoke(main, [*arguments, "--autoencoder-minutes", value])
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "run").exists()
