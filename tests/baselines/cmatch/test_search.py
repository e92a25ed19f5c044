"""The beam search finds what trying everything finds, never looks back, and keeps to lengths."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
import torch

from ealm.baselines.cmatch.candidates import Candidates, candidates_of
from ealm.baselines.cmatch.causal_lm import CausalLM
from ealm.baselines.cmatch.matching import contextual_embedding
from ealm.baselines.cmatch.search import BeamSearch, Finished, SearchBatch, choose_length, take_longest
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.vocabulary import END, START, UNKNOWN, Vocabulary

VOCABULARY = Vocabulary(["the", "river", "stream", "rises", "falls", "."])
NEAR = {4: (4, 5), 6: (6, 7)}
SOURCES = (
    "the river rises .".split(),
    "Zorb , the river".split(),
    "rises".split(),
    "the the stream the".split(),
)


def lm(seed: int) -> CausalLM:
    torch.manual_seed(seed)
    model = CausalLM(len(VOCABULARY), 8, 2)
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.8)
    return model.eval()


def candidates(source: list[str]) -> Candidates:
    return candidates_of(source, VOCABULARY, lambda numbers: [NEAR.get(number, (number,)) for number in numbers])


def batch_of(*sources: list[str]) -> SearchBatch:
    found = [candidates(source) for source in sources]
    return SearchBatch.of(found, [[(number,) for number in each.numbers] for each in found])


class ByHand:
    """Scores of finished summaries, word by word from whole sentences."""

    def __init__(self, source: Candidates, contextual: CausalLM, fluency: CausalLM, settings: CMatchSettings) -> None:
        self.source = source
        self.contextual = contextual
        self.fluency = fluency
        self.settings = settings
        self.embeddings = cache(self.embeddings)
        self.predicted = cache(self.predicted)

    @torch.no_grad()
    def embeddings(self, numbers: tuple[int, ...]) -> np.ndarray:
        return contextual_embedding(self.contextual.read(torch.tensor([[START, *numbers]])))[0, 1:].numpy()

    @torch.no_grad()
    def predicted(self, prefix: tuple[int, ...]) -> list[float]:
        return self.fluency.log_probabilities(self.fluency.read(torch.tensor([[START, *prefix]]))[-1][0, -1]).tolist()

    def best(self, prefix: tuple[int, ...], word: int, last: int) -> tuple[float, int]:
        source = self.source
        cosines = self.embeddings(source.source) @ self.embeddings((*prefix, source.numbers[word]))[-1]
        first = last + 1 if self.settings.strictly_forward else max(last, 0)
        allowed = [place for place in range(first, len(cosines)) if source.alignable[word, place]]
        return max(((float(cosines[place]), place) for place in allowed), default=(-math.inf, 0))

    def score(self, words: tuple[int, ...]) -> float:
        """-inf if there is no alignment."""
        total, last = 0.0, -1
        prefix: tuple[int, ...] = ()
        for word in words:
            cosine, place = self.best(prefix, word, last)
            if cosine == -math.inf:
                return -math.inf
            if self.settings.normalised_matching:
                others = [self.best(prefix, other, last)[0] for other in range(len(self.source.numbers))]
                cosine -= math.log(sum(map(math.exp, others)))
            total += cosine + self.settings.fluency_weight * self.predicted(prefix)[self.source.numbers[word]]
            last = place
            prefix = (*prefix, self.source.numbers[word])
        return total + self.settings.fluency_weight * self.predicted(prefix)[END]


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("strictly", [False, True])
def test_a_wide_beam_finds_what_trying_everything_finds(normalised: bool, strictly: bool) -> None:
    contextual, fluency = lm(1), lm(2)
    settings = CMatchSettings(beam=200, strictly_forward=strictly, normalised_matching=normalised, fluency_weight=0.3)
    search = BeamSearch(contextual, fluency, settings)
    for words, longest in ((SOURCES[0], 3), (SOURCES[1], 2)):
        source = candidates(words)
        by_hand = ByHand(source, contextual, fluency, settings)
        found = search.finished(batch_of(words), longest)
        assert len(found) == longest
        for length, finished in enumerate(found, start=1):
            tried = {each: by_hand.score(each) for each in itertools.product(range(len(source.numbers)), repeat=length)}
            assert finished.score.item() == pytest.approx(max(tried.values()), abs=1e-5)
            assert tried[tuple(finished.words[0].tolist())] == pytest.approx(max(tried.values()), abs=1e-5)


@pytest.mark.parametrize("strictly", [False, True])
@pytest.mark.parametrize("fluency_weight", [0.02, 0.3, 2.0])
def test_what_is_not_followed_could_not_have_been_among_the_best(
    strictly: bool, fluency_weight: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = CMatchSettings(beam=2, strictly_forward=strictly, fluency_weight=fluency_weight)
    rng = np.random.default_rng(0)
    words = ["the", "river", "stream", "rises", "falls", ".", "Zorb"]
    sources = [[str(word) for word in rng.choice(words, size=size)] for size in (3, 9, 14, 14)]
    few = BeamSearch(lm(1), lm(2), settings).finished(batch_of(*sources), 8)
    monkeypatch.setattr("ealm.baselines.cmatch.search._FOLLOWED_FIRST", 1_000)
    every = BeamSearch(lm(1), lm(2), settings).finished(batch_of(*sources), 8)
    assert len(few) == len(every)
    for some, all_of_them in zip(few, every, strict=True):
        assert torch.allclose(some.score, all_of_them.score, atol=1e-5)
        there = some.score > -torch.inf
        assert some.words[there].tolist() == all_of_them.words[there].tolist()


def test_alone_and_in_company_are_the_same() -> None:
    search = BeamSearch(lm(1), lm(2), CMatchSettings(beam=3))
    together = search.finished(batch_of(*SOURCES), 4)
    for row, words in enumerate(SOURCES):
        for length, alone in enumerate(search.finished(batch_of(words), 4)):
            assert together[length].score[row].item() == pytest.approx(alone.score.item(), abs=1e-5)
            assert together[length].words[row].tolist() == alone.words[0].tolist()


def test_unknown_words_keep_the_order_of_the_source() -> None:
    """They may only be aligned with themselves, and alignments go forward."""
    source = ["Zorb", "Quix", "Blan"]
    found = candidates(source)
    assert set(found.numbers) == {UNKNOWN}
    finished = BeamSearch(lm(1), lm(2), CMatchSettings(beam=50)).finished(batch_of(source), 9)
    assert len(finished) == 3  # each word once
    assert finished[2].words.tolist() == [[0, 1, 2]]
    assert finished[1].words[0].tolist() in [[0, 1], [0, 2], [1, 2]]


def test_strictly_forward_there_are_no_more_words_than_positions() -> None:
    assert len(BeamSearch(lm(1), lm(2), CMatchSettings()).finished(batch_of(["rises"]), 5)) == 1
    loose = CMatchSettings(strictly_forward=False)
    assert len(BeamSearch(lm(1), lm(2), loose).finished(batch_of(["rises"]), 5)) == 5


def finished_with(*scores: float) -> list[Finished]:
    return [Finished(torch.tensor([score]), torch.arange(n)[None]) for n, score in enumerate(scores, start=1)]


@pytest.mark.parametrize(
    ("scores", "exponent", "length"),
    [
        ((-1.0, -1.9, -3.1), 0.0, 1),
        ((-1.0, -1.9, -3.1), 1.0, 2),
        ((0.8, 1.5, 1.55), 0.1, 2),  # 0.8, 1.40, 1.39
        ((0.8, 1.5, 1.55), 0.0, 3),
        ((-2.0, -math.inf, -math.inf), 0.1, 1),
    ],
)
def test_the_length_is_chosen_by_the_normalised_score(scores: tuple[float, ...], exponent: float, length: int) -> None:
    assert len(choose_length(finished_with(*scores), 0, exponent=exponent)) == length


def test_the_longest_summary_there_is() -> None:
    assert take_longest(finished_with(-1.0, -9.0, -math.inf), 0) == [0, 1]
