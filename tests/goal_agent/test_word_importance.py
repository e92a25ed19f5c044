"""Measuring the importance of words, and storing it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from importance import SENTENCE, WEIGHT, weighted_overlap

from ealm.common.errors import RunError
from ealm.goal_agent.word_importance import (
    ImportanceModel,
    WordImportance,
    load_importance,
    save_importance,
    sentence_key,
)


def test_similarity_is_measured_without_each_word_and_of_each_word_alone() -> None:
    (importance,) = ImportanceModel(weighted_overlap).measure([SENTENCE])
    total = 0.95
    assert importance.leave_one_out_similarity[[0, 2, 3]] == pytest.approx(
        [1 - total + WEIGHT[w] for w in SENTENCE if w != ","]
    )
    assert importance.word_similarity == pytest.approx([0.0 if word == "," else WEIGHT[word] for word in SENTENCE])
    assert importance.leave_one_out_similarity[1] == 0.0  # punctuation is not measured


def test_sentences_that_were_measured_before_are_not_measured_again() -> None:
    known = {sentence_key(SENTENCE): WordImportance(np.zeros(4, np.float32), np.ones(4, np.float32))}
    measured: list[str] = []

    def watched(sources: Sequence[str], drafts: Sequence[str]) -> list[float]:
        measured.extend(set(sources))
        return weighted_overlap(sources, drafts)

    first, second = ImportanceModel(watched, known).measure([SENTENCE, ("Rome", "fell")])
    assert measured == ["Rome fell"]
    assert first.word_similarity.tolist() == [1, 1, 1, 1]
    assert second.word_similarity == pytest.approx([0.5, 0.3])


def test_importance_comes_back_from_a_file(tmp_path: Path) -> None:
    sentences = [SENTENCE, ("Rome", "fell")]
    stored = dict(zip(map(sentence_key, sentences), ImportanceModel(weighted_overlap).measure(sentences), strict=True))
    save_importance(tmp_path / "w.safetensors", stored, "embedded")
    loaded = load_importance(tmp_path / "w.safetensors", "embedded")
    assert loaded.keys() == stored.keys()
    for key, row in stored.items():
        assert np.array_equal(loaded[key].leave_one_out_similarity, row.leave_one_out_similarity)
        assert np.array_equal(loaded[key].word_similarity, row.word_similarity)


def test_a_file_of_another_similarity_model_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    save_importance(path, {}, "embedded")
    with pytest.raises(RunError, match=r"measured with 'embedded', not with 'other'.*ealm word-importance"):
        load_importance(path, "other")
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(RunError, match=r"holds no word importance.*ealm word-importance"):
        load_importance(path, "embedded")
