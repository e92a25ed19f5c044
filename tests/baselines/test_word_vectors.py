"""Initial embeddings of the baselines come from the bundled encoder and are reduced as they should be."""

import pytest
import torch

from ealm.baselines.word_vectors import cmatch_embeddings, principal_components, rescaled_components, seq3_embeddings


def test_vectors_come_from_the_embedded_encoder() -> None:
    words = ["river", "rivers", "stream", "minister", "u.s.", "☃☃"]
    whole, reduced = cmatch_embeddings(words, 384), cmatch_embeddings(words, 4)
    assert whole.shape == (9, 384)
    assert reduced.shape == (9, 4)
    for vectors in (whole, reduced):
        assert vectors.isfinite().all()
        assert vectors.norm(dim=1).mean().item() == pytest.approx(1.0, abs=1e-5)
    cosine = torch.nn.functional.cosine_similarity
    assert cosine(whole[3], whole[4], dim=0) > cosine(whole[3], whole[6], dim=0)


def test_principal_components_keep_distances_if_nothing_is_lost() -> None:
    rows = torch.randn(7, 3, generator=torch.Generator().manual_seed(0)) @ torch.randn(
        3, 6, generator=torch.Generator().manual_seed(1)
    )
    assert torch.allclose(
        torch.cdist(principal_components(rows, 3), principal_components(rows, 3)), torch.cdist(rows, rows), atol=1e-4
    )


def test_reduced_vectors_keep_the_directions_that_differ_most() -> None:
    vectors = torch.tensor([[10.0, 5, 0.1], [-10, 5, -0.1], [10, 5, -0.1], [-10, 5, 0.1]])
    found = rescaled_components(vectors, 1)
    assert found.shape == (4, 1)
    torch.testing.assert_close(found.abs(), torch.full((4, 1), 0.2))
    assert found.sign()[:, 0].tolist() in ([1, -1, 1, -1], [-1, 1, -1, 1])


def test_first_embeddings_come_from_the_embedded_encoder() -> None:
    words = ("monday", "tuesday", "bridge", "minister", "river", "##.#")
    table = seq3_embeddings(words, 5, first_word=6, generator=torch.Generator().manual_seed(0))
    assert table.shape == (12, 5)
    assert table.isfinite().all()
    monday = torch.nn.functional.cosine_similarity(table[6], table[7:11], dim=-1)
    assert monday.argmax() == 0
