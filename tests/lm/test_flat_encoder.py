"""The bundled BERT without padding: the same states as with it, alone and in company, and in another process."""

import copy
import pickle

import pytest
import torch
from tiny_models import ids
from torch import Tensor

from ealm.lm.bert import LightEncoder
from ealm.lm.cloze import Masked
from ealm.lm.flat_encoder import FlatEncoder
from ealm.lm.masked_lm import TransformersMaskedLM

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="PyTorch was built without oneDNN")


@pytest.fixture(scope="module")
def plain() -> TransformersMaskedLM:
    return TransformersMaskedLM.load("embedded")


@pytest.fixture(scope="module")
def flat(plain: TransformersMaskedLM) -> FlatEncoder:
    encoder = plain.model.base_model
    assert isinstance(encoder, LightEncoder)
    return FlatEncoder(encoder)


@pytest.fixture
def asked(plain: TransformersMaskedLM) -> list[Masked[int]]:
    words = ids(plain, "the council will close the old bridge over the river in may")
    return [
        Masked((), (*words[:3], None)),
        Masked(words[1:8], tuple(None if place % 3 == 1 else word for place, word in enumerate(words))),
        Masked(words[:2], words[1:5]),
        Masked(words[:2], (None, None, *words[1:4])),
    ]


def states(lm: TransformersMaskedLM, encoder: torch.nn.Module, asked: list[Masked[int]]) -> Tensor:
    """At all holes of all questions: (holes, width)."""
    other = copy.copy(lm)
    other._encoder, other._head = encoder, torch.nn.Identity()
    other.not_a_word = torch.zeros(lm.width, dtype=torch.bool)
    return other.predict(asked)


def test_it_gives_the_same_but_for_last_digits(
    plain: TransformersMaskedLM, flat: FlatEncoder, asked: list[Masked[int]]
) -> None:
    for some in (asked, asked[1:2], [asked[1]] * 3):
        expected, found = states(plain, plain.model.base_model, some), states(plain, flat, some)
        assert found.shape == (sum(len(question.holes) for question in some), plain.width)
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


def test_a_row_does_not_depend_on_its_company(
    plain: TransformersMaskedLM, flat: FlatEncoder, asked: list[Masked[int]]
) -> None:
    alone = torch.cat([states(plain, flat, [question]) for question in asked if question.holes])
    torch.testing.assert_close(states(plain, flat, asked), alone, atol=1e-5, rtol=1e-5)
    assert torch.equal(states(plain, flat, asked), states(plain, flat, asked))


def test_it_can_be_copied_and_sent(plain: TransformersMaskedLM, flat: FlatEncoder, asked: list[Masked[int]]) -> None:
    expected = states(plain, flat, asked)
    for other in (copy.deepcopy(flat), pickle.loads(pickle.dumps(flat))):
        assert torch.equal(states(plain, other, asked), expected)


def test_only_what_is_put_side_by_side_is_a_copy_of_weights(plain: TransformersMaskedLM, flat: FlatEncoder) -> None:
    own = {weight.data_ptr() for weight in plain.model.parameters()}
    copied = sum(part.numel() for part in (*flat.parameters(), *flat.buffers()) if part.data_ptr() not in own)
    assert copied < 0.12 * sum(weight.numel() for weight in plain.model.parameters())
