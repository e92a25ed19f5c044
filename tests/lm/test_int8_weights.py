"""Weights in a quarter of their size: what rounding takes away is bounded, and a bad file is told as such."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tiny_models import WORDS, tiny_bert, tiny_bert_model, tiny_tokenizer
from torch import Tensor

from ealm.common.errors import LanguageModelError
from ealm.lm.adapt.start import stored_weights
from ealm.lm.cloze import Masked
from ealm.lm.int8_weights import COMPACT_FILE, read_compact, restored, rounded, write_compact
from ealm.lm.masked_lm import TransformersMaskedLM

LEVELS = 127


def random_matrix(rows: int, columns: int, seed: int = 0) -> Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


def there_and_back(weight: Tensor) -> Tensor:
    return restored(rounded({"layer.weight": weight}))["layer.weight"]


# Rounding -------------------------------------------------------------------------------------------------------------


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 999), st.sampled_from([1e-6, 1e-2, 1.0, 1e4]))
def test_rounding_takes_at_most_half_a_step_of_its_row(rows: int, columns: int, seed: int, size: float) -> None:
    weight = size * random_matrix(rows, columns, seed)
    back = there_and_back(weight)
    assert back.shape == weight.shape
    assert back.dtype == torch.float32
    step = weight.abs().amax(dim=1, keepdim=True) / LEVELS
    assert ((back - weight).abs() <= step * 0.5001).all()


def test_a_small_row_is_not_lost_beside_a_large_one() -> None:
    weight = random_matrix(2, 50)
    weight[0] *= 1e-6
    error = (there_and_back(weight) - weight).abs().amax(dim=1) / weight.abs().amax(dim=1)
    assert (error < 0.005).all()


def test_the_largest_weight_of_a_row_and_zeros_stay_as_they_are() -> None:
    weight = torch.tensor([[0.0, -3.0, 1.0], [2.0, 0.0, -0.5]])
    back = there_and_back(weight)
    assert back[0, 1].item() == pytest.approx(-3.0)
    assert back[1, 0].item() == pytest.approx(2.0)
    assert back[0, 0] == back[1, 1] == 0


def test_a_row_of_zeros_stays_one() -> None:
    weight = random_matrix(3, 8)
    weight[1] = 0
    back = there_and_back(weight)
    assert torch.isfinite(back).all()
    assert (back[1] == 0).all()
    assert (back[[0, 2]] != 0).any()
    assert (there_and_back(torch.zeros(4, 4)) == 0).all()


def test_a_row_too_small_for_a_scale_is_still_a_number() -> None:
    tiny = torch.full((1, 4), 1e-40)
    back = there_and_back(tiny)
    assert torch.isfinite(back).all()
    assert (back - tiny).abs().max() < 1e-37


def test_rounding_twice_is_rounding_once() -> None:
    once = there_and_back(random_matrix(20, 30))
    assert torch.allclose(there_and_back(once), once, rtol=1e-6, atol=0)


@pytest.mark.parametrize("shape", [(7,), (), (2, 3, 4)])
def test_what_is_no_matrix_is_kept_as_it_is(shape: tuple[int, ...]) -> None:
    weight = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    compact = rounded({"bias": weight})
    assert list(compact) == ["bias"]
    assert torch.equal(restored(compact)["bias"], weight)


def test_matrices_take_a_quarter() -> None:
    weight = random_matrix(100, 400)
    size = sum(tensor.numel() * tensor.element_size() for tensor in rounded({"weight": weight}).values())
    assert size < 0.26 * weight.numel() * weight.element_size()


def test_names_come_back_as_they_went() -> None:
    weights = {"a.weight": random_matrix(3, 4), "a.bias": random_matrix(1, 3)[0], "b.weight": random_matrix(2, 2, 1)}
    assert restored(rounded(weights)).keys() == weights.keys()


def test_half_precision_is_rounded_as_well() -> None:
    weight = random_matrix(200, 30).half()
    assert (there_and_back(weight) - weight.float()).abs().max() < 0.006 * weight.float().abs().max()


def test_brain_floats_keep_their_sign() -> None:
    weight = random_matrix(200, 30).bfloat16()
    assert (there_and_back(weight) - weight.float()).abs().max() < 0.02 * weight.float().abs().max()


# Files ----------------------------------------------------------------------------------------------------------------


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    weights = {"a.weight": random_matrix(30, 40), "a.bias": random_matrix(1, 30)[0]}
    write_compact(tmp_path, weights)
    back = read_compact(tmp_path)
    expected = restored(rounded(weights))
    assert back.keys() == expected.keys()
    assert all(torch.equal(back[name], expected[name]) for name in back)
    assert [path.name for path in tmp_path.iterdir()] == [COMPACT_FILE]


def unreadable(folder: Path) -> str:
    with pytest.raises(LanguageModelError) as caught:
        read_compact(folder)
    return str(caught.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    assert str(tmp_path / COMPACT_FILE) in unreadable(tmp_path)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_a_truncated_file_is_told(tmp_path: Path, share: float) -> None:
    write_compact(tmp_path, {"a.weight": random_matrix(30, 40)})
    path = tmp_path / COMPACT_FILE
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    message = unreadable(tmp_path)
    assert str(path) in message
    assert "Reinstall" in message


@pytest.mark.parametrize("content", [b"the river rises in winter\n" * 20, b"\x00" * 64, b"\xff" * 64, b"{}"])
def test_a_file_of_another_kind_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / COMPACT_FILE).write_bytes(content)
    assert str(tmp_path / COMPACT_FILE) in unreadable(tmp_path)


def test_whole_numbers_without_their_scales_are_told(tmp_path: Path) -> None:
    save_file({"a.weight": torch.ones(3, 4, dtype=torch.int8)}, tmp_path / COMPACT_FILE)
    assert "a.weight.scale" in unreadable(tmp_path)


def test_scales_of_another_matrix_are_told(tmp_path: Path) -> None:
    tensors = {"a.weight": torch.ones(3, 4, dtype=torch.int8), "a.weight.scale": torch.ones(5)}
    save_file(tensors, tmp_path / COMPACT_FILE)
    assert str(tmp_path / COMPACT_FILE) in unreadable(tmp_path)


# A language model with compact weights --------------------------------------------------------------------------------


@pytest.fixture
def compact_folder(tmp_path: Path) -> Path:
    model = tiny_bert_model()
    model.config.save_pretrained(tmp_path)
    tiny_tokenizer().save_pretrained(tmp_path)
    write_compact(tmp_path, stored_weights(model.state_dict()))
    return tmp_path


def test_a_model_with_compact_weights_predicts_like_the_whole_one(compact_folder: Path) -> None:
    whole, compact = tiny_bert(), TransformersMaskedLM.load(compact_folder)
    ids = whole.word_ids(WORDS[:12])
    assert compact.word_ids(WORDS) == whole.word_ids(WORDS)
    question = Masked(ids[:4], (ids[5], None, ids[6], None, ids[7]))
    expected, got = (lm.predict([question]).softmax(dim=1) for lm in (whole, compact))
    assert got.shape == expected.shape
    assert ((expected == 0) == (got == 0)).all()
    assert (got - expected).abs().sum(dim=1).max() < 0.2
    for first, second in zip(whole.encode([ids[:6]]), compact.encode([ids[:6]]), strict=True):
        assert torch.cosine_similarity(first, second, dim=1).min() > 0.99


def test_a_model_whose_compact_weights_are_damaged_is_refused(compact_folder: Path) -> None:
    path = compact_folder / COMPACT_FILE
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(LanguageModelError, match="cannot be read"):
        TransformersMaskedLM.load(compact_folder)


@pytest.mark.parametrize("change", ["of something else", "without a layer", "of another size"])
def test_weights_that_are_not_of_this_model_are_refused(compact_folder: Path, change: str) -> None:
    path = compact_folder / COMPACT_FILE
    tensors = load_file(path)
    if change == "of something else":
        tensors = {"layer.weight": torch.ones(2, 2)}
    elif change == "without a layer":
        tensors = {name: tensor for name, tensor in tensors.items() if "encoder.layer.1." not in name}
    else:
        tensors["cls.predictions.bias"] = torch.ones(7)
    save_file(tensors, path)
    with pytest.raises(LanguageModelError) as caught:
        TransformersMaskedLM.load(compact_folder)
    assert str(compact_folder) in str(caught.value)
