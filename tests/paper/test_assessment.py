"""Appendix A.3: similarity with the real embedded model, fluency against the formula."""

import math
from pathlib import Path

import oracle
import pytest
import torch
from tiny_models import save_tiny_bert, tiny_bert

from ealm.common.errors import LanguageModelError
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.assessment import SentenceSimilarity, fluencies

SOURCE = "police closed the old bridge after a sudden storm on monday"


@pytest.fixture(scope="module")
def similarity() -> SentenceSimilarity:
    return SentenceSimilarity.load()


def test_a_summary_that_says_the_same_is_more_similar_than_one_that_does_not(similarity: SentenceSimilarity) -> None:
    same, near, far = similarity([SOURCE] * 3, [SOURCE, "police close bridge after storm", "the cook likes ripe pears"])
    assert same == pytest.approx(1.0, abs=1e-5)
    assert same > near > 0.5 > far


def test_similarity_is_between_nothing_and_one(similarity: SentenceSimilarity) -> None:
    summaries = [SOURCE, "storm", ".", "zzz qqq", "the opposite of that", "pears"]
    assert all(0 <= value <= 1 for value in similarity([SOURCE] * len(summaries), summaries))


def test_an_empty_summary_is_not_similar_to_anything(similarity: SentenceSimilarity) -> None:
    empty, full = similarity([SOURCE, SOURCE], ["", SOURCE])
    assert empty == 0.0
    assert full > 0.9


def test_every_summary_is_compared_with_its_own_source(similarity: SentenceSimilarity) -> None:
    sources = [SOURCE, "the minister opens a small garden", "copper falls"]
    assert similarity(sources, sources) == pytest.approx([1.0] * 3, abs=1e-5)
    assert all(value < 0.9 for value in similarity(sources, sources[1:] + sources[:1]))


def test_similarity_is_the_same_alone_in_company_and_in_any_order(similarity: SentenceSimilarity) -> None:
    summaries = ["police close bridge", "storm", "a much longer summary of what happened at the bridge on monday", ""]
    together = similarity([SOURCE] * 4, summaries)
    alone = [similarity([SOURCE], [summary])[0] for summary in summaries]
    assert together == pytest.approx(alone, abs=1e-5)
    assert similarity([SOURCE] * 4, summaries[::-1])[::-1] == pytest.approx(alone, abs=1e-5)


def test_opposite_vectors_have_no_negative_similarity() -> None:
    similarity = SentenceSimilarity(lambda _texts: torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))
    assert similarity(["warm"], ["cold"]) == [0.0]


def test_another_model_of_sentence_transformers_can_be_named(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    words = Transformer(str(save_tiny_bert(tmp_path / "bert", with_head=False)))
    SentenceTransformer(modules=[words, Pooling(32)]).save(str(tmp_path / "model"))
    same, other = SentenceSimilarity.load(tmp_path / "model")(["river rises"] * 2, ["river rises", "stone"])
    assert same == pytest.approx(1, abs=1e-5)
    assert other < 0.99


def test_a_similarity_model_that_cannot_be_had_is_named(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match=f"No sentence-similarity model can be loaded from {tmp_path}/nowhere"):
        SentenceSimilarity.load(tmp_path / "nowhere")


# Fluency ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lm() -> TransformersMaskedLM:
    return tiny_bert(3, double=True)


SUMMARIES = (
    "the river rises .",
    "river",
    "zebra the river unicorn falls",
    "police find the the the old machine in a quiet village on the island",
    "zebra",
    "",
    "red garden",
)


def test_fluency_follows_its_formula(lm: TransformersMaskedLM) -> None:
    ids = [lm.word_ids(text.split()) for text in SUMMARIES]
    found = fluencies(lm, ids)
    assert found == pytest.approx([oracle.fluency(lm, summary) for summary in ids], rel=1e-9)
    assert all(0 < value < 1 for place, value in enumerate(found) if place not in (4, 5))


@pytest.mark.parametrize("text", ["", "zebra", "zebra unicorn"])
def test_a_summary_without_a_known_word_is_not_fluent(lm: TransformersMaskedLM, text: str) -> None:
    assert fluencies(lm, [lm.word_ids(text.split())]) == [0.0]


def test_nothing_has_no_fluencies(lm: TransformersMaskedLM) -> None:
    assert fluencies(lm, []) == []


def test_fluency_is_the_same_alone_in_company_and_in_any_order(
    lm: TransformersMaskedLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [lm.word_ids(text.split()) for text in SUMMARIES]
    alone = [fluencies(lm, [summary])[0] for summary in ids]
    assert fluencies(lm, ids) == pytest.approx(alone, rel=1e-9)
    assert fluencies(lm, ids[::-1])[::-1] == pytest.approx(alone, rel=1e-9)
    monkeypatch.setattr("ealm.paper.assessment._TOKEN_BUDGET", 7)
    assert fluencies(lm, ids) == pytest.approx(alone, rel=1e-9)


def test_fluency_in_few_passes_hides_every_nth_known_word(lm: TransformersMaskedLM) -> None:
    summary = lm.word_ids("zebra the river falls in a village".split())
    mean = 0.0
    for hidden in ((1, 3, 5), (2, 4, 6)):  # the unknown word is not hidden and not counted
        template = tuple(None if place in hidden else word for place, word in enumerate(summary))
        scores = lm.predict([Masked((), template)]).log_softmax(dim=-1)
        mean += sum(float(scores[row, summary[place]]) for row, place in enumerate(hidden)) / 6
    assert fluencies(lm, [summary], passes=2) == pytest.approx([math.exp(mean)], rel=1e-6)


@pytest.mark.parametrize("passes", [7, 100])
def test_as_many_passes_as_words_are_the_formula(lm: TransformersMaskedLM, passes: int) -> None:
    ids = [lm.word_ids(text.split()[:7]) for text in SUMMARIES]
    assert fluencies(lm, ids, passes=passes) == pytest.approx(fluencies(lm, ids), rel=1e-9)
