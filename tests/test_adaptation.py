"""A language model is fitted to text on disk: a folder for everybody, checkpoints, resuming, and plain messages."""

import bz2
import errno
import gzip
import json
import lzma
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tiny_models import POSITIONS, WORDS, save_tiny_bert, tiny_bert_model, tiny_roberta, tiny_tokenizer

from ealm import adaptation, embedded
from ealm.adaptation import CHECKPOINT_FILE, REPORT_FILE, Adaptation, AdaptRequest, open_adaptation
from ealm.cli import main
from ealm.compact_weights import write_compact
from ealm.config import IgnoredWordsSettings
from ealm.edits import Masked
from ealm.errors import CorpusError, EalmError, RunError
from ealm.ignored_words import IgnoredWords
from ealm.lm_fitting import FittingSettings, LmFitter
from ealm.lm_start import stored_weights
from ealm.masked_lm import TransformersMaskedLM
from ealm.run import StopRequest
from ealm.source import Source
from ealm.tokens import tokenize

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

QUICK = FittingSettings(learning_rate=1e-2, warm_up_updates=5, tokens_per_update=256, adapter_rank=4)


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
        patch.setattr(adaptation, "time", SimpleNamespace(monotonic=clock.monotonic))
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


@pytest.fixture(scope="module")
def lm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("lm") / "bert")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus.txt", [*KINDS * COPIES, RARE])


def write_corpus(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def request_for(corpus: Path, folder: Path, lm: Path | str, *, updates: int = 6, **wishes: Any) -> AdaptRequest:
    silent: dict[str, Any] = {"settings": QUICK, "say": lambda line: None, "progress": False}
    request = {"corpus": corpus, "folder": folder, "lm": str(lm), "minutes": minutes_of(updates)}
    return AdaptRequest(**{**silent, **request, **wishes})


def fitted(request: AdaptRequest, stop: StopRequest | None = None) -> Adaptation:
    torch.manual_seed(0)  # adapters start from torch's own generator
    run = open_adaptation(request)
    run.go(stop=stop)
    return run


@pytest.fixture(scope="module")
def echoes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("echoes") / "echoes.txt", [*ECHOES * COPIES, RARE])


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, echoes: Path, lm_folder: Path) -> Path:
    """A folder after a hundred updates. Not to be changed."""
    folder = tmp_path_factory.mktemp("finished") / "model"
    held_out = write_corpus(folder.with_name("held_out.txt"), [*ECHOES * 5])
    with stepping_clock():
        fitted(request_for(echoes, folder, lm_folder, updates=100, held_out=held_out))
    return folder


@pytest.fixture(scope="module")
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


# A fitted folder ------------------------------------------------------------------------------------------------------


def test_a_fitted_folder_is_a_language_model_that_knows_the_new_words(finished: Path) -> None:
    lm = assert_complete(finished)
    new = lm.word_ids(NEW_WORDS)
    assert sorted(new) == [5, 9, 10]
    assert lm.words(new) == NEW_WORDS
    assert not lm.not_a_word[list(new)].any()
    assert lm.word_ids(["Corp.", "gnu"]) == (new[0], lm.unknown_id)
    assert lm.unknown_id not in lm.word_ids(WORDS)


@pytest.mark.parametrize(("line", "new"), list(zip(ECHOES, NEW_WORDS, strict=True)))
def test_new_words_are_predicted_as_whole_words(finished: Path, line: str, new: str) -> None:
    lm = TransformersMaskedLM.load(finished)
    words = [token.text.lower() for token in tokenize(line)]
    ids = lm.word_ids(words)
    places = [place for place, word in enumerate(words) if word == new]
    assert len(places) == 4
    questions = [Masked((), (*ids[:place], None, *ids[place + 1 :])) for place in places]
    guesses = [lm.words(lm.predict([question]).argmax(dim=1).tolist())[0] for question in questions]
    assert guesses.count(new) >= 3


def test_the_folder_is_read_by_transformers_alone(finished: Path) -> None:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(finished)
    model, report = AutoModelForMaskedLM.from_pretrained(finished, output_loading_info=True)
    assert not any(report.values())
    line = "the old corp. says the river 's winter is great ."
    assert tokenizer.tokenize(line) == line.split()
    inputs = tokenizer("corp. river [MASK] river corp. river corp. .", return_tensors="pt")
    with torch.no_grad():
        guess = model.eval()(**inputs).logits[0, 3].argmax().item()
    assert tokenizer.convert_ids_to_tokens(guess) == "corp."


def test_the_report_tells_how_the_scores_rose(finished: Path) -> None:
    report = report_of(finished)
    first, last = report["history"][0], report["history"][-1]
    assert (first["updates"], last["updates"], report["updates"]) == (0, 100, 100)
    assert last["perplexity"] < first["perplexity"] / 5
    assert last["top_1"] > first["top_1"]
    assert last["words"] == first["words"] > 0
    assert report["sentences"] == len(ECHOES) * COPIES + 1
    assert report["tokens"] > 10_000
    assert report["seconds"] == 100
    assert report["settings"]["learning_rate"] == QUICK.learning_rate


def test_a_fitted_folder_can_be_where_another_fit_starts(
    finished: Path, tmp_path: Path, echoes: Path, clock: Clock
) -> None:
    run = open_adaptation(request_for(echoes, tmp_path / "second", finished))
    assert run.fitter.score(run.corpus).perplexity < 3  # it remembers
    run.go()
    before, after = (TransformersMaskedLM.load(path).word_ids(NEW_WORDS) for path in (finished, tmp_path / "second"))
    assert before == after


@pytest.mark.parametrize("method", ["all", "head", "adapters"])
def test_every_method_leaves_a_complete_folder(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, method: Any
) -> None:
    run = fitted(request_for(corpus, tmp_path / "out", lm_folder, settings=replace(QUICK, method=method)))
    lm = assert_complete(tmp_path / "out")
    ids = torch.tensor([[2, 30, 5, 4, 9, 3]])
    with torch.no_grad():
        assert torch.allclose(lm.model(ids).logits, run.fitter.model.eval()(ids).logits, atol=1e-5)
    # New words had to get their embeddings; apart from these, "head" moves nothing in the encoder.
    before, after = load_file(lm_folder / "model.safetensors"), load_file(tmp_path / "out" / "model.safetensors")
    moved = {name for name in after if name.startswith("bert.") and not torch.equal(after[name], before[name])}
    embeddings = "bert.embeddings.word_embeddings.weight"
    if method == "head":
        assert moved == {embeddings}
        rows = (after[embeddings] != before[embeddings]).any(dim=1).nonzero()[:, 0].tolist()
        assert rows == [5, 9, 10]
    else:
        assert len(moved) > 10


def test_the_same_seed_gives_the_same_model(tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock) -> None:
    for name, seed in (("first", 4), ("again", 4), ("other", 5)):
        fitted(request_for(corpus, tmp_path / name, lm_folder, settings=replace(QUICK, seed=seed)))
    first, again, other = (tmp_path / name / "model.safetensors" for name in ("first", "again", "other"))
    assert same_tensors(first, again)
    assert not same_tensors(first, other)


def test_scores_are_told_before_and_after(tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock) -> None:
    said: list[str] = []
    fitted(request_for(corpus, tmp_path / "out", lm_folder, say=said.append))
    assert len(said) == 2
    assert said[0].startswith("After 0 updates, held out: perplexity ")
    assert said[1].startswith("After 6 updates, held out: perplexity ")


# Text -----------------------------------------------------------------------------------------------------------------

PACKERS: dict[str, Callable[..., bytes]] = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


@pytest.mark.parametrize(("ending", "pack"), PACKERS.items(), ids=PACKERS)
def test_compressed_corpora_are_the_same_corpora(
    tmp_path: Path, started: Path, corpus: Path, lm_folder: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = tmp_path / f"corpus.txt{ending}"
    packed.write_bytes(pack(corpus.read_bytes()))
    # Resuming takes the same sentences and nothing else.
    run = open_adaptation(request_for(packed, started, lm_folder, resume=True))
    assert len(run.corpus) == report_of(started)["sentences"]


def test_two_in_a_hundred_sentences_are_held_out(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [*KINDS * 50])
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder))
    assert (len(run.corpus), len(run.held_out)) == (196, 4)


def test_sentences_for_scores_can_be_named(tmp_path: Path, lm_folder: Path, clock: Clock) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [*KINDS * 5])  # too few to set some aside
    held_out = write_corpus(tmp_path / "held_out.txt", [KINDS[3], "too short", KINDS[2]])
    run = fitted(request_for(path, tmp_path / "out", lm_folder, held_out=held_out))
    assert (len(run.corpus), len(run.held_out)) == (20, 2)
    assert_complete(tmp_path / "out")


def test_words_of_the_held_out_sentences_get_no_place(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [KINDS[3]] * 30)
    held_out = write_corpus(tmp_path / "held_out.txt", [KINDS[2]] * 30)
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder, held_out=held_out))
    assert run.held_out[0][1] == tiny_tokenizer().unk_token_id


def test_too_few_sentences_to_set_some_aside_are_told(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [*KINDS * 12])
    with pytest.raises(CorpusError, match=r"48 usable sentences, too few .* --heldout"):
        open_adaptation(request_for(path, tmp_path / "out", lm_folder))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", ["", "too short\n" * 60])
@pytest.mark.parametrize("what", ["corpus", "held_out"])
def test_text_without_a_usable_sentence_is_told(
    tmp_path: Path, corpus: Path, lm_folder: Path, content: str, what: str
) -> None:
    path = tmp_path / "useless.txt"
    path.write_text(content)
    request = request_for(corpus, tmp_path / "out", lm_folder)
    with pytest.raises(CorpusError, match=r"useless\.txt has no sentence of 4 to "):
        open_adaptation(replace(request, **{what: path}))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("what", ["corpus", "held_out"])
def test_text_without_a_known_word_is_told(tmp_path: Path, corpus: Path, lm_folder: Path, what: str) -> None:
    path = write_corpus(tmp_path / "foreign.txt", ["der fluss steigt im herbst"] * 10)
    request = request_for(corpus, tmp_path / "out", lm_folder, held_out=corpus)
    with pytest.raises(CorpusError, match=r"foreign\.txt"):
        open_adaptation(replace(request, **{what: path}))


def test_a_text_that_is_cut_already_keeps_its_words(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", ["the river-bed rises in n't winter. `` `` -lrb-"] * 60)
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder, pretokenized=True))
    tokens = run._start.tokenizer.convert_ids_to_tokens(run.corpus[0].tolist())
    assert tokens[0] == "the"
    assert len(tokens) == 9
    # Three places; the quotation mark is the most frequent new word, and the first ones come next.
    assert [token for token in tokens if token != "[UNK]"] == "the river-bed rises in n't `` ``".split()


NOT_WORDS_AT_ALL: dict[str, tuple[str, bool]] = {
    "an ideograph": ("東", False),
    "ideographs in a text that is cut already": ("東京", True),
    "a sign that nobody sees": ("\u200b", False),
    "a placeholder": ("[unused1]", True),
}


@pytest.mark.parametrize(("word", "pretokenized"), NOT_WORDS_AT_ALL.values(), ids=NOT_WORDS_AT_ALL)
def test_what_is_fitted_can_be_predicted(tmp_path: Path, lm_folder: Path, word: str, pretokenized: bool) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [f"the river {word} rises in winter ."] * 60)
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder, pretokenized=pretokenized))
    lm = TransformersMaskedLM(run._start.model, run._start.tokenizer)
    wanted = {int(number) for number in np.unique(run.corpus.flat)} - {lm.unknown_id}
    assert not lm.not_a_word[sorted(wanted)].any()
    assert all(torch.isfinite(weight).all() for weight in run.fitter.finished_weights().values())


def test_special_tokens_in_the_text_stay_special(tmp_path: Path) -> None:
    from transformers import BertTokenizerFast

    tiny_bert_model(words=ROOMY).save_pretrained(tmp_path / "cased")
    BertTokenizerFast(
        vocab=tiny_tokenizer(ROOMY).get_vocab(), model_max_length=POSITIONS, do_lower_case=False
    ).save_pretrained(tmp_path / "cased")
    path = write_corpus(tmp_path / "corpus.txt", ["the river [SEP] rises in winter ."] * 60)
    run = open_adaptation(request_for(path, tmp_path / "out", tmp_path / "cased", pretokenized=True))
    assert run._start.tokenizer.sep_token_id == tiny_tokenizer(ROOMY).sep_token_id


def test_a_shape_that_is_known_keeps_its_place(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", ["the river rises 7 in winter ."] * 60)
    before = TransformersMaskedLM.load(lm_folder).word_ids(["#"])
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder))
    assert TransformersMaskedLM(run._start.model, run._start.tokenizer).word_ids(["#"]) == before


PLACES_BEHIND_THE_WORDS = "CorpusReader.hidden_digits is too short where unused or special tokens are the last ids"


@pytest.mark.parametrize("last", ["unused", "special"])
def test_unused_or_special_tokens_may_be_the_last_of_the_vocabulary(tmp_path: Path, last: str, clock: Clock) -> None:
    from transformers import BertTokenizerFast

    tokens = sorted(tiny_tokenizer(ROOMY).get_vocab(), key=tiny_tokenizer(ROOMY).get_vocab().__getitem__)
    behind = [token for token in tokens if token.startswith("[unused")] if last == "unused" else tokens[:5]
    ordered = [token for token in tokens if token not in behind] + behind
    vocabulary = {token: number for number, token in enumerate(ordered)}
    tiny_bert_model(words=ROOMY).save_pretrained(tmp_path / "lm")
    BertTokenizerFast(vocab=vocabulary, model_max_length=POSITIONS).save_pretrained(tmp_path / "lm")
    path = write_corpus(tmp_path / "corpus.txt", [*KINDS * COPIES, RARE])
    fitted(request_for(path, tmp_path / "out", tmp_path / "lm"))
    assert_complete(tmp_path / "out")


def test_sentences_that_are_too_long_for_the_model_are_left_out(tmp_path: Path, lm_folder: Path, clock: Clock) -> None:
    longest = TransformersMaskedLM.load(lm_folder).max_words
    assert longest < 120
    lines = [" ".join(["river"] * length) for length in (longest, longest + 1, 120)] * 60
    path = write_corpus(tmp_path / "corpus.txt", lines)
    run = fitted(request_for(path, tmp_path / "out", lm_folder))
    assert set(np.diff(run.corpus.starts)) == {longest}


@pytest.mark.parametrize(
    "line",
    [
        *KINDS,
        "In 1987 the CAFÉ opens -- a co-op , 7,5 % `` great '' !",
        pytest.param(
            "The old Corp. says the river’s winter is great .",
        ),
    ],
)
def test_text_is_read_for_fitting_as_it_will_be_read_in_use(finished: Path, tmp_path: Path, line: str) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [line] * 60)
    run = open_adaptation(request_for(path, tmp_path / "out", finished))
    lm = TransformersMaskedLM.load(finished)
    ignored = IgnoredWords(IgnoredWordsSettings(infrequent="none"))
    used = Source.prepare([token.text for token in tokenize(line)], lm, ignored)
    assert run.corpus[0].tolist() == list(used.ids)


# Resuming -------------------------------------------------------------------------------------------------------------

UPDATES = 14


@pytest.fixture
def plain(corpus_file: Path, tmp_path: Path, lm_folder: Path) -> AdaptRequest:
    """A run over three chunks, on text without a new word."""
    return request_for(corpus_file, tmp_path / "out", lm_folder, updates=UPDATES, pretokenized=True)


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


@pytest.mark.parametrize("method", ["all", "head", "adapters"])
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
    write, calls = adaptation.write_tensors, []

    def failing(*args: Any) -> None:
        calls.append(args)
        if len(calls) == 2:  # the model of the second checkpoint is on disk already
            raise CrashError
        write(*args)

    monkeypatch.setattr(adaptation, "write_tensors", failing)
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


@pytest.mark.parametrize("method", ["all", "head", "adapters"])
def test_a_resumed_run_has_the_weights_and_the_optimizer_of_its_checkpoint(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, method: Any
) -> None:
    request = request_for(corpus, tmp_path / "out", lm_folder, settings=replace(QUICK, method=method))
    before = fitted(request)
    run = open_adaptation(replace(request, resume=True))
    assert run.fitter.updates == before.fitter.updates == 6
    assert run.fitter.chunk == before.fitter.chunk
    assert run.seconds == before.seconds
    assert run.last_scores == before.last_scores
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
    with pytest.raises(RunError, match=r"already holds a fitted model.*--resume.*--out"):
        open_adaptation(request_for(corpus, started, lm_folder))
    assert same_tensors(started / CHECKPOINT_FILE, short_run / CHECKPOINT_FILE)


def test_the_model_to_start_from_is_not_overwritten(tmp_path: Path, corpus: Path, lm_folder: Path) -> None:
    folder = shutil.copytree(lm_folder, tmp_path / "lm")
    with pytest.raises(RunError, match="--out"):
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


# Damaged checkpoints --------------------------------------------------------------------------------------------------


def refused_as_damaged(folder: Path, corpus: Path, lm: Path) -> None:
    with pytest.raises(RunError, match="damaged") as caught:
        open_adaptation(request_for(corpus, folder, lm, resume=True))
    assert "another folder" in str(caught.value)


@pytest.mark.parametrize("left", [0, 4, 1_000, -1])
def test_a_truncated_checkpoint_is_told(started: Path, corpus: Path, lm_folder: Path, left: int) -> None:
    path = started / CHECKPOINT_FILE
    path.write_bytes(path.read_bytes()[:left])
    refused_as_damaged(started, corpus, lm_folder)


@pytest.mark.parametrize("content", [b"\x00" * 100, b"not a checkpoint\n" * 10])
def test_a_file_of_another_kind_is_told(started: Path, corpus: Path, lm_folder: Path, content: bytes) -> None:
    (started / CHECKPOINT_FILE).write_bytes(content)
    refused_as_damaged(started, corpus, lm_folder)


NO_CHECK_OF_THE_CONTENT = (
    "_take_up does not check what is in the checkpoint: a traceback, or a run that goes on wrongly"
)


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {},
        {"format": "pt"},
        {"ealm": "no json"},
        *(pytest.param({"ealm": text}) for text in ("{}", "[]", "null")),
    ],
    ids=str,
)
def test_a_checkpoint_without_its_report_is_told(
    started: Path, corpus: Path, lm_folder: Path, metadata: dict[str, str] | None
) -> None:
    path = started / CHECKPOINT_FILE
    save_file(load_file(path), path, metadata)
    refused_as_damaged(started, corpus, lm_folder)


@pytest.mark.parametrize("damage", ["no weights", "a weight less", "no optimizer", "another shape", "no counter"])
def test_a_checkpoint_that_is_not_whole_is_told(started: Path, corpus: Path, lm_folder: Path, damage: str) -> None:
    path = started / CHECKPOINT_FILE
    with safe_open(path, framework="pt") as file:
        report = json.loads(file.metadata()["ealm"])
    tensors = load_file(path)
    weight = "weight.bert.encoder.layer.0.output.dense.weight"
    if damage == "no weights":
        tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("weight.")}
    elif damage == "a weight less":
        del tensors[weight]
    elif damage == "no optimizer":
        tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("adam.")}
    elif damage == "another shape":
        tensors[weight] = torch.ones(3, 3)
    else:
        del report["chunk"]
    save_file(tensors, path, {"ealm": json.dumps(report)})
    refused_as_damaged(started, corpus, lm_folder)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_damaged_model_is_told(started: Path, corpus: Path, lm_folder: Path, name: str) -> None:
    path = started / name
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(EalmError) as caught:
        open_adaptation(request_for(corpus, started, lm_folder, resume=True))
    assert str(started) in str(caught.value)


# Time and stopping ----------------------------------------------------------------------------------------------------


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


# The command ----------------------------------------------------------------------------------------------------------


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


def test_the_command_fits_and_says_what_it_did(tmp_path: Path, corpus: Path, lm_folder: Path) -> None:
    folder = tmp_path / "my model"
    result = adapt(corpus, "--out", folder, "--lm", lm_folder, "--minutes", 0.01)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert f"{corpus}: 119 sentences to fit on, 2 for scores" in result.stderr
    assert "After 0 updates, held out: perplexity " in result.stderr
    assert f"Fitted in {folder}. Use it with: ealm train CORPUS --lm '{folder}'" in result.stderr
    lm = assert_complete(folder)
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
    second = adapt(*common, "--minutes", minutes_of(5), "--resume")
    assert second.exit_code == 0, second.output
    assert report_of(tmp_path / "out")["updates"] == 5


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
    lm = assert_complete(tmp_path / "out")
    assert lm.unknown_id not in lm.word_ids(NEW_WORDS)


def test_the_bare_encoder_gets_a_head(
    tmp_path: Path, corpus: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = save_tiny_bert(tmp_path / "encoder", words=ROOMY, with_head=False)
    monkeypatch.setattr(embedded, "encoder_folder", lambda: encoder)
    common = [corpus, "--out", tmp_path / "out", "--lm", "encoder", "--quiet"]
    result = adapt(*common, "--minutes", minutes_of(2))
    assert result.exit_code == 0, result.output
    assert_complete(tmp_path / "out")
    result = adapt(*common, "--minutes", minutes_of(4), "--resume")
    assert result.exit_code == 0, result.output
    assert report_of(tmp_path / "out")["updates"] == 4


def test_a_folder_in_use_is_refused_by_the_command(started: Path, corpus: Path, lm_folder: Path) -> None:
    refused(adapt(corpus, "--out", started, "--lm", lm_folder), 1, str(started), "--resume", "--out")


def test_other_text_and_other_settings_are_refused_by_the_command(
    tmp_path: Path, started: Path, corpus: Path, lm_folder: Path
) -> None:
    other = write_corpus(tmp_path / "other.txt", ["the river rises in winter ."] * 60)
    refused(adapt(other, "--out", started, "--lm", lm_folder, "--resume", "--quiet"), 1, "other text")
    refused(adapt(corpus, "--out", started, "--lm", lm_folder, "--resume", "--quiet"), 1, "was started with another")


def test_a_damaged_checkpoint_is_refused_by_the_command(started: Path, corpus: Path, lm_folder: Path) -> None:
    (started / CHECKPOINT_FILE).write_bytes(b"damaged")
    refused(adapt(corpus, "--out", started, "--lm", lm_folder, "--resume"), 1, CHECKPOINT_FILE, "damaged")


BAD_CORPORA: dict[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["no sentence of 4 to "]),
    "too short": (b"river rises\n" * 90, ["no sentence of 4 to "]),
    "few": (b"the river rises in winter\n" * 49, ["49 usable sentences, too few", "--heldout"]),
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
    refused(adapt(*common, "somebody/no-such-model"), 1, "no folder somebody/no-such-model")
    refused(adapt(*common, tmp_path), 1, str(tmp_path))
    assert not (tmp_path / "out").exists()


def test_a_full_disk_is_told_by_the_command(
    tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(adaptation, "write_tensors", full)
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
        (["--heldout", "no-such-file.txt"], "no-such-file.txt"),
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


def test_a_run_without_an_end_can_be_asked_for(tmp_path: Path, corpus: Path, lm_folder: Path, clock: Clock) -> None:
    clock.stop_at = 2
    run = open_adaptation(request_for(corpus, tmp_path / "out", lm_folder, minutes=float("inf")))
    assert run.go(stop=clock.stop) is False
    assert run.fitter.updates == 2


def test_what_is_missing_is_named_by_the_command(tmp_path: Path, corpus: Path) -> None:
    refused(adapt(), 2, "CORPUS")
    refused(adapt(corpus), 2, "--out")
    refused(adapt(tmp_path / "none.txt", "--out", tmp_path / "out"), 2, "none.txt")
    refused(adapt(corpus, "--out", corpus), 2, str(corpus))
