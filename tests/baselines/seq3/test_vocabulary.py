"""Words as numbers, placeholders for unknown words, candidates of an update, batches."""

import math
from collections import Counter

import pytest
import torch

from ealm.baselines.seq3.batches import Batch, BatchOrder
from ealm.baselines.seq3.candidates import CandidateDrawer
from ealm.baselines.seq3.vocabulary import END, PADDING, SPECIAL, UNKNOWN, Encoded, Vocabulary

VOCABULARY = Vocabulary(("the", "cat", "saw"), placeholders=2)
"""Numbers 0 to 3 are special, 4 and 5 placeholders, the words come from 6 on."""


def test_the_most_frequent_words_are_known_in_lower_case() -> None:
    sentences = [["The", "cat", "saw", "the", "dog"], ["a", "cat", "<unk>", "<unk>"], ["THE", "<unk>"]]
    found = Vocabulary.of(sentences, most=3, least_count=1, placeholders=2)
    assert found.words == ("the", "cat", "a")
    assert Vocabulary.of(sentences, most=9, least_count=2, placeholders=2).words == ("the", "cat")


def test_unknown_words_become_placeholders_and_come_back_as_they_were_written() -> None:
    encoded = VOCABULARY.encode(["The", "Zebra", "saw", "ZEBRA", "Quagga", "okapi", "<unk>"])
    assert encoded == Encoded((6, 4, 8, 4, 5, UNKNOWN, UNKNOWN), ("Zebra", "Quagga"))
    assert VOCABULARY.decode([5, 8, 4, 6], encoded.unknown) == ["Quagga", "saw", "Zebra", "the"]


def test_words_that_look_like_signs_are_just_words() -> None:
    encoded = VOCABULARY.encode(["OOV1", "<pad>"])
    assert VOCABULARY.decode(encoded.ids, encoded.unknown) == ["OOV1", "<pad>"]


def test_inverse_frequencies_count_sentences() -> None:
    sentences = [VOCABULARY.encode(words.split()) for words in ("the cat the", "the okapi", "saw the")]
    weights = VOCABULARY.inverse_frequencies(sentences)
    assert weights[:SPECIAL] == [0.0] * SPECIAL
    assert weights[4:] == pytest.approx([math.log(4), math.log(4), math.log(4 / 3), math.log(4), math.log(4)])


def test_batches_are_padded_and_ended() -> None:
    batch = Batch.of([Encoded((6, 7, 4), ("x",)), Encoded((8,), ())])
    assert batch.ids.tolist() == [[6, 7, 4], [8, PADDING, PADDING]]
    assert batch.unknown.tolist() == [1, 0]
    assert batch.ended().tolist() == [[6, 7, 4, END], [8, END, PADDING, PADDING]]


def test_every_epoch_takes_every_sentence_once_in_a_new_order() -> None:
    order = BatchOrder([1 + number % 7 for number in range(23)], batch=5, seed=[3, 1])
    epochs = [[tuple(order.sentences(epoch * 5 + update)) for update in range(5)] for epoch in range(2)]
    for epoch in epochs:
        assert sorted(number for group in epoch for number in group) == list(range(23))
    assert epochs[0] != epochs[1]
    again = BatchOrder([1 + number % 7 for number in range(23)], batch=5, seed=[3, 1])
    assert tuple(again.sentences(7)) == epochs[1][2]


def test_candidates_hold_special_numbers_frequent_words_and_the_batch() -> None:
    counts = torch.tensor([0, 0, 0, 0, 9, *range(60, 0, -1)])
    drawer = CandidateDrawer(counts, most=20, first_word=5)
    ids = torch.tensor([[5, 40, 63], [6, 0, 0]])
    candidates = drawer.draw(ids, torch.Generator().manual_seed(0))
    assert len(candidates.numbers) == 20
    assert candidates.numbers[:10].tolist() == list(range(10))
    assert candidates.numbers[candidates.indices(ids)].tolist() == ids.tolist()
    assert candidates.correction[:10].tolist() == [0.0] * 10
    assert (candidates.correction[10:] > 0).all()


def test_the_correction_is_the_chance_of_being_a_candidate() -> None:
    """Sums over corrected candidates are sums over the whole vocabulary, on average."""
    counts = torch.tensor([0, 0, 0, 0, *range(40, 0, -1)]).float()
    drawer = CandidateDrawer(counts, most=16, first_word=4)
    generator = torch.Generator().manual_seed(1)
    sums: Counter[int] = Counter()
    rounds = 2_000
    for _ in range(rounds):
        ids = torch.multinomial(counts, 6, replacement=True, generator=generator)
        drawn = drawer.draw(ids, generator)
        for number, weight in zip(drawn.numbers.tolist(), drawn.correction.exp().tolist(), strict=True):
            sums[number] += weight
    means = torch.tensor([sums[number] / rounds for number in range(44)])
    torch.testing.assert_close(means, torch.ones(44), atol=0.25, rtol=0)
    assert means.mean().item() == pytest.approx(1, abs=0.03)


def test_a_small_vocabulary_is_looked_at_as_a_whole() -> None:
    candidates = CandidateDrawer(torch.ones(12), most=12, first_word=4).draw(torch.tensor([5]), torch.Generator())
    assert candidates.numbers.tolist() == list(range(12))
    assert not candidates.correction.any()
