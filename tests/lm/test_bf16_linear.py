"""Linear layers in sixteen bits: all of them, nearly exact; and the engine that takes them where they pay."""

import pytest
import torch
from torch import nn

from ealm.lm import bf16_linear, sentence_encoder
from ealm.lm.bf16_linear import Bf16Linear, bf16_pays
from ealm.lm.sentence_encoder import SentenceEncoder

TEXTS = ["The council will close the old bridge over the river in May.", "It rains.", "Nobody was hurt, he said."]


def count(module: nn.Module, kind: type[nn.Module]) -> int:
    return sum(isinstance(part, kind) for part in module.modules())


def test_a_layer_is_nearly_exact_with_and_without_a_bias() -> None:
    torch.manual_seed(0)
    rows = torch.randn(9, 48) * torch.logspace(-4, 4, 9)[:, None]
    for linear in (nn.Linear(48, 20), nn.Linear(48, 20, bias=False)):
        found, expected = Bf16Linear(linear)(rows), linear(rows)
        assert found.dtype == torch.float32
        assert ((found - expected).norm(dim=1) / expected.norm(dim=1)).max() < 0.01
        assert not torch.equal(found, expected)


@pytest.mark.parametrize("pays", [True, False])
def test_the_engine_auto_takes_sixteen_bits_where_they_pay(pays: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_encoder, "bf16_pays", lambda device: pays)
    exact, chosen = SentenceEncoder.load(engine="torch"), SentenceEncoder.load(engine="auto")
    layers = count(exact._encoder, nn.Linear)
    assert layers >= 36
    assert count(chosen._encoder, Bf16Linear) == (layers if pays else 0)
    assert count(chosen._encoder, nn.Linear) == (0 if pays else layers)
    error = (chosen(TEXTS) - exact(TEXTS)).norm(dim=1).max()
    assert (0 < error < 0.03) if pays else error == 0


def test_they_pay_on_a_processor_that_has_such_arithmetic_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bf16_linear.torch.cpu, "_is_avx512_bf16_supported", lambda: True, raising=False)
    assert bf16_pays("cpu")
    assert not bf16_pays("cuda")
    monkeypatch.setattr(bf16_linear.torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    assert not bf16_pays("cpu")
    monkeypatch.delattr(bf16_linear.torch.cpu, "_is_avx512_bf16_supported")
    assert not bf16_pays("cpu")
