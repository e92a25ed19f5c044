"""Linear layers by oneDNN: all of them, nearly the same numbers, each row by itself; and the engine that takes them."""

import copy
import pickle
from typing import Any

import pytest
import torch
from tiny_models import ids, tiny_bert, tiny_roberta
from torch import nn

from ealm.lm import loading, onednn_linear
from ealm.lm.bert import LightEncoder
from ealm.lm.cloze import Masked
from ealm.lm.flat_encoder import FlatEncoder
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.lm.onednn_linear import OneDnnLinear, filled_up, onednn_pays
from ealm.lm.other_linears import with_other_linears

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="PyTorch was built without oneDNN")


def layers(module: nn.Module, kind: type[nn.Module]) -> int:
    return sum(isinstance(part, kind) for part in module.modules())


@pytest.fixture
def linear() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(48, 20)


def test_a_layer_gives_the_same_but_for_last_digits(linear: nn.Linear) -> None:
    rows = torch.randn(7, 3, 48)
    for plain in (linear, nn.Linear(48, 20, bias=False)):
        torch.testing.assert_close(OneDnnLinear(plain)(rows), plain(rows).detach(), atol=1e-5, rtol=1e-5)
    assert OneDnnLinear(linear)(torch.zeros(0, 48)).shape == (0, 20)
    part_of_rows = rows.transpose(0, 1)[:, ::2]
    torch.testing.assert_close(OneDnnLinear(linear)(part_of_rows), linear(part_of_rows).detach(), atol=1e-5, rtol=1e-5)


def test_a_row_does_not_depend_on_its_company(linear: nn.Linear) -> None:
    made, rows = OneDnnLinear(linear), torch.randn(70, 48)
    together = made(rows)
    for count in (1, 2, 5, 16, 33, 69):
        assert torch.equal(made(rows[:count]), together[:count])


def test_numbers_of_rows_are_few() -> None:
    counts = {len(filled_up(torch.ones(count, 2))) for count in range(513)}
    assert counts == {*range(0, 64, 4), *range(64, 128, 8), *range(128, 256, 16), *range(256, 513, 32)}
    filled = filled_up(torch.ones(5, 2))
    assert filled.sum() == 10
    assert filled[5:].count_nonzero() == 0
    whole = torch.ones(8, 2)
    assert filled_up(whole) is whole


def test_it_shares_the_weights_and_can_be_copied_and_sent(linear: nn.Linear) -> None:
    made, rows = OneDnnLinear(linear), torch.randn(3, 48)
    assert made.weight.data_ptr() == linear.weight.data_ptr()
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert torch.equal(other(rows), made(rows))


@pytest.mark.parametrize("build", [tiny_bert, tiny_roberta])
def test_every_linear_layer_of_a_copy_is_exchanged_and_none_of_the_original(build: Any) -> None:
    encoder = build().model.base_model
    count = layers(encoder, nn.Linear)
    made = with_other_linears(encoder, OneDnnLinear)
    assert count >= 12
    assert (layers(made, nn.Linear), layers(made, OneDnnLinear)) == (0, count)
    assert (layers(encoder, nn.Linear), layers(encoder, OneDnnLinear)) == (count, 0)


@pytest.mark.parametrize("pays", [True, False])
def test_the_engine_auto_takes_them_where_they_pay(pays: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "onednn_pays", lambda device: pays)
    plain, chosen = (TransformersMaskedLM.load("embedded", engine=engine) for engine in ("torch", "auto"))
    assert isinstance(plain._encoder, LightEncoder)
    assert isinstance(chosen._encoder, FlatEncoder if pays else LightEncoder)
    assert layers(plain._head, OneDnnLinear) == 0
    assert layers(chosen._head, OneDnnLinear) == (layers(plain._head, nn.Linear) if pays else 0)
    # What the agent decides by is the same number for number.
    words = ids(plain, "the council will close the old bridge over the river in may")
    assert torch.equal(plain.encode([words])[0], chosen.encode([words])[0])
    asked = [Masked(words[1:8], tuple(None if place % 3 == 1 else word for place, word in enumerate(words)))]
    known = ~plain.not_a_word
    torch.testing.assert_close(plain.predict(asked)[:, known], chosen.predict(asked)[:, known], atol=1e-4, rtol=1e-4)


def test_other_precisions_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "onednn_pays", lambda device: True)
    doubled = nn.Sequential(nn.Linear(4, 4)).double()
    assert loading.on_engine("auto", doubled) is doubled
    single = nn.Sequential(nn.Linear(4, 4))
    assert loading.on_engine("torch", single) is single


def test_they_pay_with_avx_512_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onednn_linear.torch.cpu, "_is_avx512_supported", lambda: True, raising=False)
    assert onednn_pays("cpu")
    assert not onednn_pays("cuda")
    monkeypatch.setattr(onednn_linear.torch.cpu, "_is_avx512_supported", lambda: False)
    assert not onednn_pays("cpu")
    monkeypatch.delattr(onednn_linear.torch.cpu, "_is_avx512_supported")
    assert not onednn_pays("cpu")
