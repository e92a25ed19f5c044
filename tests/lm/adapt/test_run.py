"""A language model is fitted to text on disk, and leaves a folder for everybody."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from adaptation_runs import (
    COPIES,
    ECHOES,
    NEW_WORDS,
    QUICK,
    Clock,
    assert_complete,
    fitted,
    report_of,
    request_for,
    same_tensors,
)
from safetensors.torch import load_file
from tiny_models import WORDS

from ealm.lm.adapt.run import open_adaptation
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.text.tokenizer import tokenize


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


@pytest.mark.parametrize("method", ["all", "head"])
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
    assert len(said) == 3
    assert said[0].startswith("After 0 updates, held out: perplexity ")
    assert said[1].startswith("The corpus is small: scores are of ")
    assert said[2].startswith("After 6 updates, held out: perplexity ")
