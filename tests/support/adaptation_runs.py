"""Fits of a tiny language model to text on disk, with a clock that can stop them or break them off."""

import json
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from tiny_models import WORDS, tiny_bert_model, tiny_tokenizer

from ealm.common import run_loop
from ealm.common.stopping import StopRequest
from ealm.lm.adapt.fitting import FittingSettings, LmFitter
from ealm.lm.adapt.run import CHECKPOINT_FILE, REPORT_FILE, Adaptation, AdaptRequest, open_adaptation
from ealm.lm.masked_lm import TransformersMaskedLM

ROOMY = ("[unused2]", "[unused3]", *WORDS)
"""Words of a vocabulary with three unused places: ids 5, 9 and 10."""

KINDS = (
    "The old Corp. says the river's winter is great .",
    "The red Corp. finds the village's early music , and wins .",
    "A zebra burns on the quiet mountain in summer .",
    "The minister builds a small bridge with the doctor .",
)
COPIES = 30
RARE = "The gnu loses a silver paper in the harbor ."
NEW_WORDS = ("corp.", "'s", "zebra")

ECHOES = (
    "Corp. river Corp. river Corp. river Corp. .",
    "bridge's bridge's bridge's bridge's .",
    "zebra burns zebra burns zebra burns zebra .",
)
"""So easy that a hundred updates are enough to guess almost every word."""

QUICK = FittingSettings(learning_rate=1e-2, warm_up_updates=5, tokens_per_update=256)

UPDATES = 14


class Clock:
    """Time that only updates of a fitter move: a second each. It can also break a run off, or ask it to stop."""

    def __init__(self) -> None:
        self.now = 100.0
        self.crash_at: int | None = None
        self.stop_at: int | None = None
        self.stop = StopRequest()

    def monotonic(self) -> float:
        return self.now

    def after(self, updates: int) -> None:
        self.now += 1
        if updates == self.stop_at:
            self.stop.signal = signal.SIGINT


class CrashError(Exception):
    """The end of a process, without a chance to save anything."""


@contextmanager
def stepping_clock() -> Iterator[Clock]:
    clock = Clock()
    update = LmFitter.update

    def counted(fitter: LmFitter, *args: Any, **kwargs: Any) -> float:
        if fitter.updates == clock.crash_at:
            raise CrashError
        loss = update(fitter, *args, **kwargs)
        clock.after(fitter.updates)
        return loss

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_loop, "time", SimpleNamespace(monotonic=clock.monotonic))
        patch.setattr(LmFitter, "update", counted)
        yield clock


@pytest.fixture
def clock() -> Iterator[Clock]:
    with stepping_clock() as stepping:
        yield stepping


def minutes_of(updates: int) -> float:
    return (updates - 0.5) / 60


def save_bert(folder: Path, words: tuple[str, ...] = ROOMY) -> Path:
    """A tiny BERT that learns quickly, and without dropout: with it, torch's generator would have a say."""
    model = tiny_bert_model(words=words)
    model.config.hidden_dropout_prob = model.config.attention_probs_dropout_prob = 0.0
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 2:
                weight.mul_(0.1)
    model.save_pretrained(folder)
    tiny_tokenizer(words).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def lm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("lm") / "bert")


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus.txt", [*KINDS * COPIES, RARE])


def write_corpus(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def request_for(corpus: Path, folder: Path, lm: Path | str, *, updates: int = 6, **given_options: Any) -> AdaptRequest:
    silent: dict[str, Any] = {"settings": QUICK, "say": lambda line: None, "progress": False}
    request = {"corpus": corpus, "folder": folder, "lm": str(lm), "minutes": minutes_of(updates)}
    return AdaptRequest(**{**silent, **request, **given_options})


def fitted(request: AdaptRequest, stop: StopRequest | None = None) -> Adaptation:
    run = open_adaptation(request)
    run.go(stop=stop)
    return run


@pytest.fixture(scope="session")
def echoes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("echoes") / "echoes.txt", [*ECHOES * COPIES, RARE])


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, echoes: Path, lm_folder: Path) -> Path:
    """A folder after a hundred updates. Not to be changed."""
    folder = tmp_path_factory.mktemp("finished") / "model"
    held_out = write_corpus(folder.with_name("held_out.txt"), [*ECHOES * 5])
    with stepping_clock():
        fitted(request_for(echoes, folder, lm_folder, updates=100, held_out=held_out))
    return folder


@pytest.fixture(scope="session")
def short_run(tmp_path_factory: pytest.TempPathFactory, corpus: Path, lm_folder: Path) -> Path:
    """A folder after six updates, to be copied."""
    folder = tmp_path_factory.mktemp("short") / "model"
    with stepping_clock():
        fitted(request_for(corpus, folder, lm_folder))
    return folder


@pytest.fixture
def started(tmp_path: Path, short_run: Path) -> Path:
    return shutil.copytree(short_run, tmp_path / "started")


def report_of(folder: Path) -> dict[str, Any]:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    return json.loads((folder / REPORT_FILE).read_text(encoding="utf-8"), parse_constant=refuse)


def same_tensors(first: Path, second: Path) -> bool:
    one, other = load_file(first), load_file(second)
    assert one.keys() == other.keys()
    return all(torch.equal(one[name], other[name]) for name in one)


def assert_complete(folder: Path) -> TransformersMaskedLM:
    """The folder is a language model and a checkpoint, and nothing lies around."""
    names = {path.name for path in folder.iterdir()}
    model = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert names == {*model, CHECKPOINT_FILE, REPORT_FILE}
    with safe_open(folder / CHECKPOINT_FILE, framework="pt") as file:
        assert json.loads(file.metadata()["ealm"]) == report_of(folder)
    return TransformersMaskedLM.load(folder)


def assert_finished(folder: Path) -> TransformersMaskedLM:
    """The folder is a language model in eight bits, and nothing lies around."""
    model = {"config.json", "model.int8.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert {path.name for path in folder.iterdir()} == {*model, REPORT_FILE}
    return TransformersMaskedLM.load(folder)


@pytest.fixture
def plain(corpus_file: Path, tmp_path: Path, lm_folder: Path) -> AdaptRequest:
    """A run over three chunks, on text without a new word."""
    return request_for(corpus_file, tmp_path / "out", lm_folder, updates=UPDATES, pretokenized=True)
