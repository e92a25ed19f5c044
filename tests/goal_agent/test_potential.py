"""What drafts are worth: parts, their sum, and the best draft of a length."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from fakes import TableMaskedLM
from hypothesis import given
from hypothesis import strategies as st

from ealm.common.config import DecodingSettings
from ealm.common.errors import RunError
from ealm.common.goal_config import PartSettings
from ealm.goal_agent.potential import SentenceValues, best_draft, standardized
from ealm.goal_agent.potential_terms import DraftJudge, FinishedDraft, SentenceJudge, protection, with_rules
from ealm.goal_agent.word_importance import Weigher, WordWeights, load_weights, save_weights, sentence_key
from ealm.paper.converter import Converter
from ealm.paper.source import Source

FLOATS = st.floats(-5, 5, width=32)


@st.composite
def valued_sentences(draw: st.DrawFn) -> SentenceValues:
    length = draw(st.integers(1, 8))
    words = draw(st.lists(FLOATS, min_size=length, max_size=length))
    pairs = draw(st.lists(FLOATS, min_size=length - 1, max_size=length - 1))
    row = np.array(words, np.float32)
    return SentenceValues(row, np.array(pairs, np.float32), row)


def mask(places: Sequence[int], length: int) -> np.ndarray:
    return np.isin(np.arange(length), list(places))


def test_a_draft_is_worth_its_words_and_the_neighbours_that_are_both_there() -> None:
    row = np.array([1, 2, 4, 8], np.float32)
    values = SentenceValues(row, np.array([10, 20, 40], np.float32), row)
    assert values.of(mask([0, 1, 3], 4)) == pytest.approx(1 + 2 + 8 + 10)
    assert values.of(np.stack([mask([2, 3], 4), mask([], 4)])) == pytest.approx([12 + 40, 0])


@given(valued_sentences(), st.integers(1, 8), st.sets(st.integers(0, 7)))
def test_the_best_draft_is_better_than_every_other_of_its_length(
    values: SentenceValues, size: int, must_stay: set[int]
) -> None:
    length = len(values.words)
    stay = {place for place in must_stay if place < length}
    size = min(max(size, len(stay)), length)
    best = best_draft(values, size, [place not in stay for place in range(length)])
    assert best.sum() == size
    assert all(best[place] for place in stay)
    others = (kept for kept in combinations(range(length), size) if stay <= set(kept))
    assert values.of(best) == pytest.approx(max(float(values.of(mask(kept, length))) for kept in others), abs=1e-4)


def test_standardized_values_have_mean_zero_and_spread_one_over_what_is_judged() -> None:
    row = standardized([1, 5, 100, 9], [True, True, False, True])
    assert row[[0, 1, 3]].mean() == pytest.approx(0, abs=1e-6)
    assert row[[0, 1, 3]].std() == pytest.approx(1)
    assert row[2] == 0
    assert standardized([3, 3], [True, True]).tolist() == [0, 0]
    assert standardized([3, 4], [False, False]).tolist() == [0, 0]


WEIGHT = {"Rome": 0.5, "fell": 0.3, "yesterday": 0.1, ",": 0.05, "the": 0.0}


def weighted_overlap(sources: Sequence[str], drafts: Sequence[str]) -> list[float]:
    """A similarity in which each word has a known weight."""
    return [sum(WEIGHT[word] for word in set(draft.split())) for draft in drafts]


SENTENCE = ("yesterday", ",", "Rome", "fell")


def test_meaning_is_what_is_lost_without_a_word_and_likeness_what_it_has_alone() -> None:
    (weights,) = Weigher(weighted_overlap).weigh([SENTENCE])
    total = 0.95
    assert weights.meaning[[0, 2, 3]] == pytest.approx([1 - total + WEIGHT[w] for w in SENTENCE if w != ","])
    assert weights.likeness == pytest.approx([0.0 if word == "," else WEIGHT[word] for word in SENTENCE])
    assert weights.meaning[1] == 0.0  # punctuation is not looked at


def test_sentences_that_were_weighed_before_are_not_looked_at() -> None:
    known = {sentence_key(SENTENCE): WordWeights(np.zeros(4, np.float32), np.ones(4, np.float32))}
    looked: list[str] = []

    def watched(sources: Sequence[str], drafts: Sequence[str]) -> list[float]:
        looked.extend(set(sources))
        return weighted_overlap(sources, drafts)

    first, second = Weigher(watched, known).weigh([SENTENCE, ("Rome", "fell")])
    assert looked == ["Rome fell"]
    assert first.likeness.tolist() == [1, 1, 1, 1]
    assert second.likeness == pytest.approx([0.5, 0.3])


def test_weights_come_back_from_a_file(tmp_path: Path) -> None:
    sentences = [SENTENCE, ("Rome", "fell")]
    weights = dict(zip(map(sentence_key, sentences), Weigher(weighted_overlap).weigh(sentences), strict=True))
    save_weights(tmp_path / "w.safetensors", weights, "embedded")
    loaded = load_weights(tmp_path / "w.safetensors", "embedded")
    assert loaded.keys() == weights.keys()
    for key, row in weights.items():
        assert np.array_equal(loaded[key].meaning, row.meaning)
        assert np.array_equal(loaded[key].likeness, row.likeness)


def test_weights_of_another_similarity_model_or_no_weights_at_all_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    save_weights(path, {}, "embedded")
    with pytest.raises(RunError, match=r"weighed with 'embedded', not with 'other'.*ealm weigh"):
        load_weights(path, "other")
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(RunError, match=r"holds no weights of words.*ealm weigh"):
        load_weights(path, "embedded")


def test_words_are_worth_the_weighted_sum_of_their_parts_and_marks_less_than_any() -> None:
    parts = PartSettings(meaning=2.0, likeness=1.0, early=0.5, unbroken=0.25)
    (values,) = SentenceJudge(parts, Weigher(weighted_overlap)).values([SENTENCE])
    spoken = [True, False, True, True]
    carried = np.array([WEIGHT[word] for word in SENTENCE])
    expected = 3 * standardized(carried, spoken) + 0.5 * standardized([0, -1, -2, -3], spoken)
    assert values.words[[0, 2, 3]] == pytest.approx(expected[[0, 2, 3]], abs=1e-5)
    assert values.words[1] == values.words[[0, 2, 3]].min() - 1
    assert values.pairs.tolist() == [0, 0, 0.25]  # a mark is nobody's neighbour


def test_protected_words_are_numbers_names_and_negations() -> None:
    assert protection("It is not Rome in 1914".split()).tolist() == [0, 0, 1, 1, 0, 1]


def test_without_weight_for_meaning_or_likeness_nothing_is_weighed() -> None:
    (values,) = SentenceJudge(PartSettings(meaning=0, unbroken=1), None).values([("Rome", "fell")])
    assert values.words.tolist() == [0, 0]
    assert values.pairs.tolist() == [1]


LM = TableMaskedLM({"prime": "minister", "new": "york"}, ["resigned", "city"])


def judge(parts: PartSettings) -> DraftJudge:
    converter = Converter(LM, DecodingSettings())
    judged = DraftJudge(parts, lm=LM, similarity=weighted_overlap, converter=converter, top_k=1)
    judged.learn_frequencies(Counter(dict.fromkeys(range(10), 1)))
    return judged


def finished(words: str, kept: Sequence[int]) -> FinishedDraft:
    source = Source(tuple(words.split()), LM.word_ids(words.split()), (True,) * len(words.split()))
    return FinishedDraft(source, tuple(kept))


def test_finished_drafts_are_as_similar_as_the_similarity_says() -> None:
    draft = FinishedDraft(Source(SENTENCE, (0,) * 4, (True,) * 4), (2, 3))
    assert judge(PartSettings(meaning=0, similarity=2)).values([draft]) == pytest.approx([2 * 0.8])


def test_a_draft_in_which_words_announce_each_other_is_more_fluent() -> None:
    whole = finished("prime minister resigned", [0, 1])
    broken = finished("prime minister resigned", [0, 2])
    good, bad = judge(PartSettings(meaning=0, fluency=1)).values([whole, broken])
    assert good > bad


def test_joints_are_judged_alone() -> None:
    # The joint between "prime" and "resigned" is as bad in both; the second has more good words elsewhere.
    short = finished("prime minister resigned", [0, 2])
    long = finished("new york prime minister resigned", [0, 1, 2, 4])
    both = judge(PartSettings(meaning=0, joints=1)).values([short, long])
    whole = finished("prime minister resigned", [0, 1, 2])
    (unbroken,) = judge(PartSettings(meaning=0, joints=1)).values([whole])
    assert unbroken == 1.0
    assert max(both) < unbroken


def test_the_reconstruction_part_is_the_share_of_words_kept_or_recovered() -> None:
    recoverable = finished("prime minister resigned", [0, 2])
    lost = finished("prime minister resigned", [1, 2])
    rates = judge(PartSettings(meaning=0, reconstruction=1)).values([recoverable, lost])
    assert rates == pytest.approx([1, 2 / 3])


def test_words_that_lean_on_a_neighbour_are_worth_less_without_it() -> None:
    words = ["ferry", "of", "larkmouth", "'s", "council", "'s", "on", "."]
    worth = np.ones(len(words), np.float32)
    plain = with_rules(words, worth, PartSettings(unbroken=1))
    leaning = with_rules(words, worth, PartSettings(unbroken=1, hanging=3))

    def loss(*kept: int) -> float:
        row = np.array([place in kept for place in range(len(words))])
        return float(plain.of(row) - leaning.of(row))

    assert loss(0, 2, 4) == 0  # nothing leans
    assert loss(0, 1, 2) == 0  # "of" has what follows it
    assert loss(0, 1) == 3  # and here it has not
    assert loss(2, 3, 4) == 0  # "'s" has both of its sides
    assert loss(3, 4) == loss(2, 3) == 3
    assert loss(3) == 6
    assert loss(6) == 3  # a mark is no support
    assert leaning.worth.tolist() == [1.0] * 8  # a rule, nothing to learn
    before_article = with_rules(["bridges", "in", "the", "valley"], worth[:4], PartSettings(unbroken=1, hanging=3))
    assert before_article.words.tolist() == [1, 1, -2, 1]
    assert before_article.pairs.tolist() == [1, 1, 4]
    negated = with_rules(["piers", "could", "not", "survive"], worth[:4], PartSettings(unbroken=1, hanging=3))
    assert negated.words.tolist() == [1, -2, 1, 1]
    assert negated.pairs.tolist() == [1, 1, 1]
    assert leaning.words[7] < leaning.words[:7].min()


def test_a_word_should_not_lose_its_preposition() -> None:
    words = ["plans", "to", "cut", "the", "jobs"]
    worth = np.ones(5, np.float32)
    bare = with_rules(words, worth, PartSettings(unbroken=1, bare=2))
    assert bare.words.tolist() == [1, 1, -1, 1, 1]
    assert bare.pairs.tolist() == [1, 3, 1, 1]
    after_article = with_rules(["in", "the", "valley"], worth[:3], PartSettings(unbroken=1, bare=2))
    assert after_article.words.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("words", "values", "pairs"),
    [
        (["bank", "of", "Tovaria"], [1, -5, 1], [4, 4]),  # leans on both sides
        (["7.4", "percent", "lower"], [1, -2, 1], [4, 1]),
        (
            ["a", "percent"],
            [-2, -2],
            [
                7,
            ],
        ),
    ],
)
def test_what_says_nothing_without_the_word_before_it(
    words: list[str], values: list[float], pairs: list[float]
) -> None:
    found = with_rules(words, np.ones(len(words), np.float32), PartSettings(unbroken=1, hanging=3))
    assert found.words.tolist() == values
    assert found.pairs.tolist() == pairs
