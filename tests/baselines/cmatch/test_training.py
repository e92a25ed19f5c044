"""Both language models learn, a run goes on exactly where it was, and summaries come out as asked."""

import json
import math
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from ealm.baselines.cmatch.causal_lm import CausalLM
from ealm.baselines.cmatch.fitting import CausalLmFitter, LmBatch, encoded, estimated_loss
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.summarizer import CMatchSummarizer
from ealm.baselines.cmatch.training import train_cmatch
from ealm.baselines.cmatch.vocabulary import END, START, Vocabulary
from ealm.common.errors import CorpusError, ModelFolderError, RunError, SettingsError
from ealm.common.stopping import StopRequest

NOUNS = "police minister river bridge village doctor storm engine market winter".split()
VERBS = "finds builds burns opens closes".split()
SETTINGS = CMatchSettings(
    embedding_width=10,
    width=12,
    tokens_per_update=128,
    warm_up_updates=3,
    learning_rate=0.03,
    log_every_updates=5,
    negative_words=8,
    beam=4,
    candidates_per_word=2,
)
MODELS = ("contextual_lm.safetensors", "fluency_lm.safetensors")


def invented(seed: int, count: int = 60) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [
        ["the", rng.choice(NOUNS), rng.choice(VERBS), "a", rng.choice(NOUNS), "in", "the", rng.choice(NOUNS), "."]
        for _ in range(count)
    ]


SENTENCES = invented(1)
HEADLINES = [[words[1], words[2], words[4]] for words in invented(2)]


def train(folder: Path, *, updates: int = 15, resume: bool = False, stop: StopRequest | None = None, **changes) -> bool:
    arguments = {"settings": SETTINGS, "seed": 3, "minutes": 60.0, **changes}
    sentences = arguments.pop("sentences", SENTENCES)
    headlines = arguments.pop("headlines", HEADLINES)
    how = {"resume": resume, "progress": False, "updates": updates, "stop": stop}
    return train_cmatch(sentences, headlines, folder, **arguments, **how)


def log_of(folder: Path) -> list[dict]:
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    return [{name: value for name, value in json.loads(line).items() if name != "seconds"} for line in lines]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cmatch") / "run"
    train(folder)
    return folder


@pytest.fixture(scope="module")
def summarizer(trained: Path) -> CMatchSummarizer:
    return CMatchSummarizer.load(trained)


# Fitting --------------------------------------------------------------------------------------------------------------


def test_the_perplexity_falls_for_both(trained: Path) -> None:
    for part in ("contextual", "fluency"):
        lines = [line for line in log_of(trained) if line["model"] == part]
        assert [line["updates"] for line in lines] == [0, 5, 10, 15]
        assert lines[-1]["perplexity"] < 0.95 * lines[0]["perplexity"]


def test_headlines_do_not_touch_the_encoder(trained: Path, tmp_path: Path) -> None:
    train(tmp_path / "other", headlines=HEADLINES[:10], updates=15)
    ours, other = (load_file(folder / MODELS[0]) for folder in (trained, tmp_path / "other"))
    assert all(torch.equal(ours[name], other[name]) for name in ours)


def test_batches_ask_for_every_word_and_the_end() -> None:
    batch = LmBatch.of([np.array([5, 6], dtype=np.int32), np.array([7], dtype=np.int32)])
    assert batch.ids.tolist() == [[START, 5, 6], [START, 7, END]]
    assert batch.wanted.tolist() == [[5, 6, END], [7, END, -100]]
    assert batch.tokens == 5


def test_the_estimated_loss_is_right_on_average_and_exact_without_drawing() -> None:
    torch.manual_seed(0)
    model = CausalLM(200, 7, 8, 1)
    top, wanted = torch.randn(1, 8), torch.tensor([77])
    exact = torch.nn.functional.nll_loss(model.log_probabilities(top), wanted).item()
    generator = torch.Generator().manual_seed(1)

    def loss(negatives: int) -> float:
        return estimated_loss(model, top, wanted, negatives=negatives, generator=generator).item()

    assert loss(0) == pytest.approx(exact, rel=1e-5)
    assert loss(500) == pytest.approx(exact, rel=1e-5)
    # Right is the sum below the fraction line, not its logarithm.
    assert np.mean([math.exp(loss(60)) for _ in range(300)]) == pytest.approx(math.exp(exact), rel=0.1)


def test_batches_go_on_where_they_were() -> None:
    vocabulary = Vocabulary.of(SENTENCES, most=50, least_count=1)
    corpus = encoded(SENTENCES, vocabulary, longest=20, name="sentences")
    fitter = CausalLmFitter(CausalLM(len(vocabulary), 4, 4, 1), SETTINGS, seed=0)
    batches = fitter.batches(corpus)
    rows = []
    for _ in range(12):
        rows.append(next(batches).ids)
        fitter.batches_done += 1
    later = CausalLmFitter(CausalLM(len(vocabulary), 4, 4, 1), SETTINGS, seed=0)
    later.chunk, later.batches_done = fitter.chunk, fitter.batches_done - 1
    assert fitter.chunk > 0
    assert torch.equal(next(later.batches(corpus)).ids, rows[-1])


# A run on disk --------------------------------------------------------------------------------------------------------


class StopAfter(StopRequest):
    """Asks for a stop after being looked at some times: once an update."""

    def __init__(self, updates: int) -> None:
        self._left = updates

    @property
    def signal(self) -> signal.Signals | None:
        self._left -= 1
        return signal.SIGINT if self._left < 0 else None


@pytest.mark.parametrize("stopped_after", [0, 7, 22])  # at the start, in the first model, in the second
def test_a_resumed_run_ends_as_one_that_was_never_stopped(trained: Path, tmp_path: Path, stopped_after: int) -> None:
    folder = tmp_path / "run"
    assert train(folder, stop=StopAfter(stopped_after)) is False
    with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write('{"model": "contextual", "updates": 99}\n{"model": "flu')  # a kill after the checkpoint
    assert train(folder, resume=True) is True
    for name in (*MODELS, "contextual_checkpoint.safetensors", "fluency_checkpoint.safetensors"):
        ours, theirs = load_file(trained / name), load_file(folder / name)
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[key], theirs[key]) for key in ours), name
    assert log_of(folder) == log_of(trained)


def test_a_finished_run_stays_as_it_is(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    train(folder, resume=True)
    assert (folder / MODELS[1]).read_bytes() == (trained / MODELS[1]).read_bytes()
    assert log_of(folder) == log_of(trained)


def test_time_ends_a_run_too(tmp_path: Path) -> None:
    train(tmp_path / "run", minutes=1e-6, updates=None)
    assert [line["updates"] for line in log_of(tmp_path / "run")] == [0, 0]


def test_the_same_seed_gives_the_same_models_and_another_one_others(trained: Path, tmp_path: Path) -> None:
    train(tmp_path / "run", seed=4)
    ours, other = (load_file(folder / MODELS[1])["output_words.bias"] for folder in (trained, tmp_path / "run"))
    assert not torch.equal(ours, other)


# What a user may get wrong --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"sentences": []}, CorpusError, "No word occurs 2 times in 0 sentences"),
        ({"headlines": []}, CorpusError, "Of 0 headlines, 0 have 1 to 60 words"),
        ({"headlines": [["a"] * 61] * 5}, CorpusError, "Of 5 headlines, 0 have"),
        ({"minutes": 0.0}, SettingsError, "minutes must be"),
        ({"updates": 0}, SettingsError, "updates must be"),
    ],
)
def test_wrong_requests_leave_nothing_behind(changes: dict, error: type, message: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=message):
        train(tmp_path / "run", **changes)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"resume": False}, "already holds a run"),
        ({"seed": 9}, "another seed"),
        ({"settings": CMatchSettings()}, "another embedding_width and width and .*learning_rate"),
        ({"headlines": HEADLINES[:9]}, "another text"),
    ],
)
def test_a_run_goes_on_only_as_it_began(trained: Path, changes: dict, message: str) -> None:
    with pytest.raises(RunError, match=message):
        train(trained, **{"resume": True, **changes})


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("", encoding="utf-8")
    with pytest.raises(RunError, match="is a file"):
        train(tmp_path / "run")


@pytest.mark.parametrize("name", ["cmatch.json", "vocabulary.json", *MODELS])
@pytest.mark.parametrize("content", ["", "[1]", '{"format": 1}'])
def test_damaged_folders_are_named(trained: Path, tmp_path: Path, name: str, content: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(ModelFolderError, match=name):
        CMatchSummarizer.load(folder)


def test_a_model_of_another_size_is_refused(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    (folder / "vocabulary.json").write_text('["river"]', encoding="utf-8")
    with pytest.raises(ModelFolderError, match="does not fit"):
        CMatchSummarizer.load(folder)


def test_missing_models_are_named(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match="No CMatch models"):
        CMatchSummarizer.load(tmp_path)
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    (folder / MODELS[1]).unlink()
    with pytest.raises(ModelFolderError, match="no fluency language model yet"):
        CMatchSummarizer.load(folder)


@pytest.mark.parametrize("name", ["cmatch.json", "vocabulary.json", "fluency_checkpoint.safetensors"])
def test_a_damaged_run_cannot_be_resumed(trained: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    (folder / name).write_text("{", encoding="utf-8")
    with pytest.raises(RunError, match=name):
        train(folder, resume=True)


def test_models_of_the_first_format_are_to_be_trained_anew(trained: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(trained, tmp_path / "run")
    description = json.loads((folder / "cmatch.json").read_text(encoding="utf-8"))
    old = {**description, "format": 1, "settings": {"width": 192, "length_exponent": 0.1}}
    (folder / "cmatch.json").write_text(json.dumps(old), encoding="utf-8")
    with pytest.raises(ModelFolderError, match=r"another version of ealm. Train the models anew"):
        CMatchSummarizer.load(folder)
    with pytest.raises(RunError, match=r"cannot be resumed: .*another version of ealm"):
        train(folder, resume=True)


def test_a_checkpoint_is_not_read_through_a_link_that_leads_out(trained: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(trained, tmp_path / "run")
    path = folder / "fluency_checkpoint.safetensors"
    shutil.move(path, tmp_path / "outside")
    path.symlink_to(tmp_path / "outside")
    with pytest.raises(RunError, match=r"fluency_checkpoint.safetensors is damaged .*leads out of its folder"):
        train(folder, resume=True)


def test_json_that_is_nested_too_deep_is_damage(trained: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(trained, tmp_path / "run")
    path = folder / "fluency_checkpoint.safetensors"
    save_file(load_file(path), path, {"ealm": "[" * 100_000})
    with pytest.raises(RunError, match=r"fluency_checkpoint.safetensors is damaged .*nested too deep"):
        train(folder, resume=True)


# Summaries ------------------------------------------------------------------------------------------------------------

TEXTS = (
    "the police finds a bridge in the winter .",
    "",
    "the Zorblax opens 12 markets , 13 rivers and a village .",
    "river",
    "  ",
    "Quix Blan Zorb",
    "the storm burns a engine",
)


@pytest.mark.parametrize("words", [1, 3, 50])
def test_no_summary_is_longer_than_asked_or_empty(summarizer: CMatchSummarizer, words: int) -> None:
    for text, summary in zip(TEXTS, summarizer.summarize(TEXTS, words=words), strict=True):
        assert len(summary.split()) <= min(words, len(text.split()))
        assert bool(summary) == bool(text.split())
        if words <= 3:
            assert len(summary.split()) == min(words, len(text.split()))


def test_without_a_length_the_longest_is_a_setting(summarizer: CMatchSummarizer) -> None:
    short = summarizer.with_search(max_words=2, beam=100)
    for text, summary in zip(TEXTS, short.summarize(TEXTS), strict=True):
        assert len(summary.split()) <= 2 or summary == text.removesuffix(" .")  # if nothing comes to the end
        assert bool(summary) == bool(text.split())


@pytest.mark.parametrize("words", [None, 3])
def test_texts_do_not_change_each_other(summarizer: CMatchSummarizer, words: int | None) -> None:
    together = summarizer.summarize(TEXTS, words=words)
    assert together == [summarizer.summarize([text], words=words)[0] for text in TEXTS]
    assert list(reversed(together)) == summarizer.summarize(list(reversed(TEXTS)), words=words)


def test_extractive_summaries_have_only_words_of_the_source_as_written(summarizer: CMatchSummarizer) -> None:
    extractive = summarizer.with_search(candidates_per_word=1)
    for text, summary in zip(TEXTS, extractive.summarize(TEXTS), strict=True):
        assert set(summary.split()) <= set(text.split())
    assert extractive.summarize(["Quix Blan Zorb"], words=3) == ["Quix Blan Zorb"]


def test_raw_text_is_cut_into_words(summarizer: CMatchSummarizer) -> None:
    raw = summarizer.with_search(candidates_per_word=1).summarize(["Zorblax, Quix."], words=4, pretokenized=False)
    assert raw == ["Zorblax , Quix ."] or len(raw[0].split()) < 4
    assert "Zorblax," not in raw[0]


def test_search_settings_need_no_new_models(summarizer: CMatchSummarizer) -> None:
    other = summarizer.with_search(beam=2, screened_words=0)
    assert all(other.summarize(TEXTS, words=2)[row] for row in (0, 2, 3, 5, 6))
    with pytest.raises(SettingsError, match="width is no setting of the search"):
        summarizer.with_search(width=8)


def test_words_that_stand_in_like_places_are_no_candidates_unless_frequent(summarizer: CMatchSummarizer) -> None:
    def new_words(**changes: int) -> int:
        chosen = summarizer.with_search(candidates_per_word=30, fluency_weight=0.0, beam=30, **changes)
        own = TEXTS[0].split()
        return sum(word not in own for word in chosen.summarize(TEXTS[:1], words=8)[0].split())

    everything = {"screened_words": 100}
    assert new_words(**everything, frequent_words=0) == 0
    assert new_words(screened_words=0) == new_words(**everything, frequent_words=300)


def test_a_length_below_one_is_refused(summarizer: CMatchSummarizer) -> None:
    with pytest.raises(SettingsError, match="words must be at least 1, got 0"):
        summarizer.summarize(["river"], words=0)
