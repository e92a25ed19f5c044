"""Vectors of texts by the bundled encoder."""

from pathlib import Path

import pytest
import torch

from ealm.common.errors import LanguageModelError
from ealm.lm.sentence_encoder import MAX_TOKENS, SentenceEncoder

TEXTS = ["the old bridge was closed", "rain", "", "word " * 90]


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder.load()


def test_vectors_have_length_one_and_do_not_depend_on_their_company(encoder: SentenceEncoder) -> None:
    together = encoder(TEXTS)
    assert together.shape == (4, encoder.width)
    assert torch.allclose(together.norm(dim=1), torch.ones(4), atol=1e-5)
    alone = torch.cat([encoder([text]) for text in TEXTS])
    assert torch.allclose(together, alone, atol=1e-4)


def test_nothing_has_no_vectors(encoder: SentenceEncoder) -> None:
    assert encoder([]).shape == (0, encoder.width)


def test_a_text_beyond_the_encoders_reach_is_cut_off(encoder: SentenceEncoder) -> None:
    fits = "word " * (MAX_TOKENS - 2)
    assert torch.allclose(encoder([fits]), encoder([fits + "bridge"]), atol=1e-5)
    assert not torch.allclose(encoder([fits]), encoder(["bridge " + fits]), atol=1e-3)


def test_a_folder_without_weights_is_named(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match=r"config\.json cannot be used"):
        SentenceEncoder.load(tmp_path)
