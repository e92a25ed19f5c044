"""Linear layers in eight bits: all of them, nearly exact, and each row by itself."""

from typing import Any

import pytest
import torch
from tiny_models import ids, tiny_bert, tiny_roberta
from torch import Tensor, nn

from ealm.lm import int8_linear
from ealm.lm.cloze import Masked
from ealm.lm.int8_linear import Int8Linear
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.lm.other_linears import with_other_linears


def layers(module: nn.Module, kind: type[nn.Module]) -> int:
    return sum(isinstance(part, kind) for part in module.modules())


def embedded(engine: str = "torch") -> TransformersMaskedLM:
    return TransformersMaskedLM.load("embedded", engine=engine)


@pytest.mark.parametrize("build", [tiny_bert, tiny_roberta, embedded])
def test_every_linear_layer_of_the_copy_is_in_eight_bits_and_none_of_the_original(build: Any) -> None:
    encoder = build().model.base_model
    count = layers(encoder, nn.Linear)
    made = with_other_linears(encoder, Int8Linear)
    assert count >= 12
    assert (layers(made, nn.Linear), layers(made, Int8Linear)) == (0, count)
    assert (layers(encoder, nn.Linear), layers(encoder, Int8Linear)) == (count, 0)
    tables = [part.weight for module in (encoder, made) for part in module.modules() if isinstance(part, nn.Embedding)]
    half = len(tables) // 2
    assert all(mine is own for mine, own in zip(tables[:half], tables[half:], strict=True))


@pytest.fixture
def linear() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(48, 20)


def rows_of_all_sizes() -> Tensor:
    torch.manual_seed(1)
    return torch.randn(9, 48) * torch.logspace(-4, 4, 9)[:, None]


def test_a_row_is_nearly_exact_whatever_the_size_of_its_numbers(linear: nn.Linear) -> None:
    rows = rows_of_all_sizes()
    found, expected = Int8Linear(linear)(rows) - linear.bias, linear(rows) - linear.bias
    assert ((found - expected).norm(dim=1) / expected.norm(dim=1)).max() < 0.02


def test_a_row_does_not_depend_on_its_company(linear: nn.Linear, monkeypatch: pytest.MonkeyPatch) -> None:
    made, rows = Int8Linear(linear), rows_of_all_sizes()
    together = made(rows)
    assert torch.equal(together, torch.cat([made(row[None]) for row in rows]))
    assert torch.equal(together.view(3, 3, -1), made(rows.view(3, 3, -1)))
    monkeypatch.setattr(int8_linear, "_NUMBERS_AT_ONCE", 2 * 48)  # two rows at a time
    monkeypatch.setattr(int8_linear, "_LEAST_ROWS", 1)
    assert torch.equal(together, made(rows))


def test_the_result_does_not_depend_on_the_processor(linear: nn.Linear, monkeypatch: pytest.MonkeyPatch) -> None:
    found, kinds = [], []
    for pays in (True, False):
        monkeypatch.setattr(int8_linear, "int8_pays", lambda pays=pays: pays)
        made = Int8Linear(linear)
        found.append(made(rows_of_all_sizes()))
        kinds.append(made.weight.dtype)
    assert kinds == [torch.int8, torch.float32]
    assert torch.equal(*found)


def test_nothing_gives_the_bias_and_no_rows_give_none(linear: nn.Linear) -> None:
    assert torch.equal(Int8Linear(linear)(torch.zeros(1, 48))[0], linear.bias)
    assert Int8Linear(linear)(torch.zeros(0, 48)).shape == (0, 20)
    unbiased = nn.Linear(48, 20, bias=False)
    assert torch.equal(Int8Linear(unbiased)(torch.zeros(1, 48)), torch.zeros(1, 20))


def test_the_embedded_model_answers_the_same_alone_and_in_company() -> None:
    lm, exact = embedded("int8"), embedded()
    words = ids(lm, "the council will close the old bridge over the river in may")
    asked = [
        Masked((), (*words[:3], None)),
        Masked(words[1:8], tuple(None if place % 3 == 1 else word for place, word in enumerate(words))),
        Masked(words[:2], (None, *words[1:5])),
    ]
    together = lm.predict(asked)[:, ~lm.not_a_word]
    alone = torch.cat([lm.predict([question]) for question in asked])[:, ~lm.not_a_word]
    rounded_away = (together - exact.predict(asked)[:, ~lm.not_a_word]).abs().max()
    # A last digit of single precision may tip a rounding; that is far less than rounding itself.
    assert (together - alone).abs().max() < 0.2 * rounded_away
    assert rounded_away > 0
