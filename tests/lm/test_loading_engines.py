"""A language model in 8 bits says nearly what it says in full precision, and leaves the original as it is."""

from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_models import save_tiny_bert, tiny_bert, tiny_roberta

from ealm.common.errors import LanguageModelError
from ealm.lm import loading
from ealm.lm.cloze import Masked
from ealm.lm.loading import check_engine
from ealm.lm.masked_lm import TransformersMaskedLM

QUESTIONS = [
    Masked((5, 6, 7), (8, None, 9, None)),
    Masked((), (None, 10, 11)),
    Masked(tuple(range(5, 25)), (None,) * 12),
]


def likeness(first: torch.Tensor, second: torch.Tensor) -> float:
    """Least cosine between rows."""
    return float(torch.nn.functional.cosine_similarity(first, second).min())


@pytest.mark.parametrize("build", [tiny_bert, tiny_roberta])
def test_in_8_bits_predictions_are_nearly_the_same_and_encodings_the_same(build: Any) -> None:
    lm = build()
    before = lm.predict(QUESTIONS)
    rounded = TransformersMaskedLM(lm.model, lm._tokenizer, engine="int8")
    allowed = before[0].isfinite()
    assert likeness(rounded.predict(QUESTIONS)[:, allowed], before[:, allowed]) > 0.9
    assert not torch.equal(rounded.predict(QUESTIONS), before)
    sentences = [tuple(range(5, 12)), (7,)]
    for mine, expected in zip(rounded.encode(sentences), lm.encode(sentences), strict=True):
        assert torch.equal(mine, expected)
    assert torch.equal(lm.predict(QUESTIONS), before)


def test_a_model_is_loaded_with_the_engine_asked_for(tmp_path: Path) -> None:
    save_tiny_bert(tmp_path)
    full = TransformersMaskedLM.load(tmp_path)
    rounded = TransformersMaskedLM.load(tmp_path, engine="int8")
    expected = TransformersMaskedLM(full.model, full._tokenizer, engine="int8")
    assert torch.equal(rounded.predict(QUESTIONS), expected.predict(QUESTIONS))
    assert not torch.equal(rounded.predict(QUESTIONS), full.predict(QUESTIONS))


def test_an_engine_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(LanguageModelError, match=r"There is no engine 'steam'\. Engines: auto, torch, int8"):
        check_engine("steam", torch.device("cpu"))


def test_rounding_is_refused_where_it_does_not_run() -> None:
    with pytest.raises(LanguageModelError, match="The int8 engine runs on the CPU"):
        check_engine("int8", torch.device("cuda"))


def test_the_weights_of_the_embedded_model_are_read_when_it_is_first_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = loading.load_pretrained

    def noted(name: str) -> tuple[Any, Any]:
        read.append(name)
        return whole(name)

    monkeypatch.setattr(loading, "load_pretrained", noted)
    lm = TransformersMaskedLM.load("embedded")
    assert lm.words(lm.word_ids(["river", "bridge"])) == ("river", "bridge")
    assert (lm.width, lm.max_words, read) == (384, 254, [])
    first = lm.predict([Masked((), (None,))])
    assert (len(first), read) == (1, ["embedded"])
    assert torch.equal(lm.predict([Masked((), (None,))]), first)
    assert read == ["embedded"]
