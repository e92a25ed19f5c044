"""The beam search finds what trying everything finds, never looks back, and ends at the end of the source."""

import itertools
import math
from functools import cache

import pytest
import torch

from ealm.baselines.cmatch.candidates import Candidates, candidates_of
from ealm.baselines.cmatch.causal_lm import CausalLM
from ealm.baselines.cmatch.matching import nearest_candidates, similarity
from ealm.baselines.cmatch.search import BeamSearch, Scored, SearchBatch, choose_length, take_longest
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.vocabulary import END, START, UNKNOWN, Vocabulary

VOCABULARY = Vocabulary(["the", "river", "stream", "rises", "falls", "."])
NEAR = {4: 5, 6: 7}
SOURCES = (
    "the river rises .".split(),
    "Zorb , the river".split(),
    "rises".split(),
    "the the stream the".split(),
)
WEIGHT = 0.3


def lm(seed: int) -> CausalLM:
    torch.manual_seed(seed)
    model = CausalLM(len(VOCABULARY), 7, 8, 2)
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.8)
    return model.eval()


CONTEXTUAL, FLUENCY = lm(1), lm(2)
UNITS = torch.nn.functional.normalize(FLUENCY.output_words.weight.detach(), dim=-1)


def candidates(source: list[str]) -> Candidates:
    return candidates_of(source, VOCABULARY, lambda numbers: [NEAR[number] for number in numbers if number in NEAR])


def batch_of(*sources: list[str]) -> SearchBatch:
    return SearchBatch.of([candidates(source) for source in sources], UNITS)


def search(beam: int) -> BeamSearch:
    return BeamSearch(CONTEXTUAL, FLUENCY, CMatchSettings(beam=beam, fluency_weight=WEIGHT))


class ByHand:
    """Scores of summaries, word by word from whole sentences."""

    def __init__(self, source: Candidates) -> None:
        self.source = source
        self.clusters, self.owner = nearest_candidates(UNITS, torch.tensor(source.numbers))
        self.best = cache(self.best)
        self.fluency = cache(self.fluency)

    @torch.no_grad()
    def best(self, prefix: tuple[int, ...], word: int, last: int) -> tuple[float, int]:
        source = self.source
        read = [layer[0, 1:] for layer in CONTEXTUAL.read(torch.tensor([[START, *source.source]]))]
        ours = CONTEXTUAL.read(torch.tensor([[START, *prefix, source.numbers[word]]]))
        cosines = similarity([layer[0, -1:] for layer in ours], read)[0].tolist()
        if source.numbers[word] == END:
            cosines[-1] = 1.0
        allowed = [place for place in range(last + 1, len(cosines)) if source.alignable[word, place]]
        return max(((cosines[place], place) for place in allowed), default=(-math.inf, 0))

    @torch.no_grad()
    def fluency(self, prefix: tuple[int, ...], word: int) -> float:
        top = FLUENCY.read(torch.tensor([[START, *prefix]]))[-1][0, -1]
        return FLUENCY.log_probabilities(top)[self.clusters == self.owner[word]].exp().sum().log().item()

    def score(self, words: tuple[int, ...]) -> tuple[float, bool]:
        """-inf if there is no alignment; and whether it has ended."""
        total, last, end = 0.0, -1, len(self.source.source) - 1
        prefix: tuple[int, ...] = ()
        for word in words:
            cosine, place = self.best(prefix, word, last)
            if cosine == -math.inf:
                return -math.inf, False
            others = [self.best(prefix, other, -1)[0] for other in range(len(self.source.numbers))]
            total += cosine - math.log(sum(map(math.exp, others))) + WEIGHT * self.fluency(prefix, word)
            last = place
            prefix = (*prefix, self.source.numbers[word])
        return total, last == end


def test_a_wide_beam_finds_what_trying_everything_finds() -> None:
    for words in SOURCES[:2]:
        source = candidates(words)
        by_hand = ByHand(source)
        found = search(beam=500).run(batch_of(words), 3)
        assert len(found) == 3
        for length, both in enumerate(found, start=1):
            tried = {each: by_hand.score(each) for each in itertools.product(range(len(source.numbers)), repeat=length)}
            for has_ended, scored in zip((True, False), both, strict=True):
                expected = max(score for score, ended in tried.values() if ended == has_ended)
                assert scored.score.item() == pytest.approx(expected, abs=1e-5)
                assert tried[tuple(scored.words[0].tolist())] == (pytest.approx(expected, abs=1e-5), has_ended)


def test_alone_and_in_company_are_the_same() -> None:
    together = search(beam=3).run(batch_of(*SOURCES), 4)
    for row, words in enumerate(SOURCES):
        for length, alone in enumerate(search(beam=3).run(batch_of(words), 4)):
            for ours, theirs in zip(alone, together[length], strict=True):
                assert theirs.score[row].item() == pytest.approx(ours.score.item(), abs=1e-5)
                if ours.score > -math.inf:
                    assert theirs.words[row].tolist() == ours.words[0].tolist()


def test_unknown_words_keep_the_order_of_the_source() -> None:
    """They may only be aligned with themselves, and alignments go forward."""
    source = ["Zorb", "Quix", "Blan"]
    assert set(candidates(source).numbers[:-1]) == {UNKNOWN}
    found = search(beam=50).run(batch_of(source), 9)
    assert len(found) == 4  # each word once, and the end
    assert [ended.words.tolist() for ended, _ in found][3] == [[0, 1, 2, 3]]
    assert found[1][1].words[0].tolist() in [[0, 1], [0, 2], [1, 2]]


def test_without_an_end_nothing_is_aligned_with_it() -> None:
    found = search(beam=50).run(batch_of(*SOURCES).without_end(), 9)
    assert all((ended.score == -math.inf).all() for ended, _ in found)
    assert [len(take_longest([going_on for _, going_on in found], row)) for row in range(4)] == [4, 4, 1, 4]


def scored(*scores: float) -> list[Scored]:
    return [Scored(torch.tensor([score]), torch.arange(n)[None]) for n, score in enumerate(scores, start=1)]


@pytest.mark.parametrize(
    ("scores", "offset", "words"),
    [
        ((-1.0, -1.9, -3.1), 0.0, [0]),  # -1, -0.95, -1.03
        ((-1.0, -2.0, -2.94), 0.1, [0, 1]),  # -1.11, -1.05, -1.01: the end is left out
        ((-1.0, -2.0, -3.1), 0.1, [0]),  # -1.11, -1.05, -1.07: kinder to long ones than without the offset
        ((-2.0, -math.inf, -math.inf), 0.1, []),
        ((-math.inf, -math.inf), 0.1, None),
    ],
)
def test_the_length_is_chosen_by_the_mean(scores: tuple[float, ...], offset: float, words: list[int] | None) -> None:
    assert choose_length(scored(*scores), 0, offset=offset) == words


def test_the_longest_summary_there_is() -> None:
    assert take_longest(scored(-1.0, -9.0, -math.inf), 0) == [0, 1]
