"""Masked language models from folders and from the hub, and clear refusals."""

import gzip
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_models import POSITIONS, ids, save_tiny_bert, tiny_bert, tiny_bert_model, tiny_roberta, tiny_tokenizer

from ealm.common.errors import LanguageModelError
from ealm.lm.bert import LightTokenizer
from ealm.lm.cloze import Masked
from ealm.lm.loading import load_pretrained
from ealm.lm.masked_lm import TransformersMaskedLM, head_at_holes


def test_a_saved_model_is_loaded_as_it_was(tmp_path: Path) -> None:
    loaded, original = TransformersMaskedLM.load(save_tiny_bert(tmp_path)), tiny_bert()
    question = Masked(ids(original, "the old bridge"), (None, *ids(original, "bridge")))
    assert loaded.name == str(tmp_path.resolve())
    assert loaded.max_words == original.max_words == (POSITIONS - 3) // 2
    assert ids(loaded, "the old zebra") == ids(original, "the old zebra")
    torch.testing.assert_close(loaded.predict([question]), original.predict([question]))


def test_model_and_tokenizer_can_be_had_by_themselves(tmp_path: Path) -> None:
    model, tokenizer = load_pretrained(str(save_tiny_bert(tmp_path)))
    lm = TransformersMaskedLM(model, tokenizer)
    question = Masked(ids(lm, "the old bridge"), (None, *ids(lm, "bridge")))
    torch.testing.assert_close(lm.predict([question]), TransformersMaskedLM.load(tmp_path).predict([question]))


@pytest.mark.parametrize("build", [tiny_bert, tiny_roberta])
def test_the_head_at_holes_gives_the_scores_that_the_whole_model_gives_there(build: Any) -> None:
    model = build().model
    tokens = torch.arange(5, 17).reshape(2, 6)
    rows, columns = torch.tensor([0, 1, 1]), torch.tensor([3, 0, 5])
    with torch.no_grad():
        found = head_at_holes(model)(model.base_model(tokens)[0], rows, columns)
        torch.testing.assert_close(found, model(tokens).logits[rows, columns], rtol=1e-4, atol=1e-4)


def test_loading_prints_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    save_tiny_bert(tmp_path)
    capfd.readouterr()
    TransformersMaskedLM.load(tmp_path)
    assert capfd.readouterr() == ("", "")


def test_a_folder_without_a_masked_lm_head_is_refused(tmp_path: Path) -> None:
    save_tiny_bert(tmp_path, with_head=False)
    with pytest.raises(
        LanguageModelError, match=r"not a complete masked language model: it lacks \d+ weights, such as cls"
    ):
        TransformersMaskedLM.load(tmp_path)


def test_pickled_weights_are_not_read(tmp_path: Path) -> None:
    """Unpickling can run code, so even good weights are refused in that form."""
    save_tiny_bert(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    torch.save(tiny_bert_model().state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(LanguageModelError, match=f"No masked language model can be read from the folder {tmp_path}"):
        TransformersMaskedLM.load(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match=f"There is no folder {tmp_path}/nowhere"):
        TransformersMaskedLM.load(tmp_path / "nowhere")


def test_a_hub_name_that_cannot_be_had_is_named() -> None:
    with pytest.raises(
        LanguageModelError, match="There is no folder no-such-model-anywhere, and no masked language model"
    ):
        TransformersMaskedLM.load("no-such-model-anywhere")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match=f"No masked language model can be read from the folder {tmp_path}"):
        TransformersMaskedLM.load(tmp_path)


NO_CUDA = pytest.mark.skipif(torch.cuda.is_available(), reason="the device is there")


@pytest.mark.parametrize("device", ["abacus", pytest.param("cuda", marks=NO_CUDA)])
def test_a_device_that_is_not_there_is_named(tmp_path: Path, device: str) -> None:
    save_tiny_bert(tmp_path)
    with pytest.raises(LanguageModelError, match=f"Cannot use the device '{device}'"):
        TransformersMaskedLM.load(tmp_path, device=device)


def test_a_tokenizer_without_a_mask_is_refused() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.mask_token = None
    with pytest.raises(LanguageModelError, match="The tokenizer has no mask_token_id"):
        TransformersMaskedLM(tiny_bert_model(), tokenizer)


def test_a_head_of_an_unknown_kind_is_refused() -> None:
    model = tiny_bert_model()

    class Disguise:
        """Calls the model, but hides its head."""

        config, device, base_model = model.config, model.device, model.base_model

        def eval(self) -> "Disguise":
            return self

        def __call__(self, tokens: torch.Tensor) -> Any:
            return model(tokens)

    with pytest.raises(LanguageModelError, match="The masked-LM head of Disguise is not of a known kind"):
        TransformersMaskedLM(Disguise(), tiny_tokenizer())


@pytest.mark.hub
def test_the_model_of_the_paper_is_loaded_by_its_hub_name() -> None:
    lm = TransformersMaskedLM.load("bert-base-uncased")
    assert (lm.width, lm.max_words) == (768, 254)
    question = Masked(lm.word_ids(["paris", "is", "big", "."]), (*lm.word_ids(["paris", "is", "the", "capital"]), None))
    assert lm.words([int(lm.predict([question]).argmax())]) != ("",)


@pytest.mark.gpu
def test_a_gpu_predicts_and_encodes_as_the_processor_does(tmp_path: Path) -> None:
    save_tiny_bert(tmp_path)
    here, there = TransformersMaskedLM.load(tmp_path), TransformersMaskedLM.load(tmp_path, device="cuda")
    question = Masked((5, 6, 7), (8, None, 9, None))
    torch.testing.assert_close(there.predict([question]).cpu(), here.predict([question]), atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(there.encode([(5, 6)])[0].cpu(), here.encode([(5, 6)])[0], atol=1e-3, rtol=1e-3)


def test_a_compressed_tokenizer_is_read_like_a_plain_one(tmp_path: Path) -> None:
    plain = save_tiny_bert(tmp_path) / "tokenizer.json"
    expected = LightTokenizer.read(plain)("the river rises")
    (tmp_path / "tokenizer.json.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert LightTokenizer.read(plain)("the river rises") == expected


def test_a_compressed_tokenizer_that_never_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ealm.common.storage.LARGEST_JSON", 100)
    (tmp_path / "tokenizer.json.gz").write_bytes(gzip.compress(b" " * 101))
    with pytest.raises(LanguageModelError, match="more than 100 bytes"):
        LightTokenizer.read(tmp_path / "tokenizer.json")
