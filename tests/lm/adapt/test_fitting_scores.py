"""The scores of a language model are what they say."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from fitting_runs import METHODS, changed, copy_of, corpus_of, fitter_of, model_without_dropout, text_corpus
from tiny_models import tiny_bert_model
from torch import Tensor, nn

from ealm.lm.adapt.corpus import LmCorpus
from ealm.lm.adapt.fitting import SCORED_WORDS, FittingSettings, LmFitter, LmScores
from ealm.lm.adapt.masking import MaskingTokens


@pytest.mark.parametrize("method", METHODS)
def test_scores_are_the_same_every_time(method: Any) -> None:
    fitter = fitter_of(tiny_bert_model(), method=method)  # with dropout, which must not play a role
    corpus = text_corpus()
    first = fitter.score(corpus)
    torch.rand(3)
    next(fitter.chunks(corpus))
    fitter.model.train()
    assert fitter.score(corpus) == first
    assert fitter_of(tiny_bert_model(), method=method, seed=9).score(corpus) == first


def test_scoring_changes_no_weight() -> None:
    model = model_without_dropout()
    fitter = fitter_of(model)
    before = copy_of(model.state_dict())
    fitter.score(text_corpus())
    assert changed(before, model.state_dict()) == set()
    assert all(weight.grad is None for weight in model.parameters())


class TableModel(nn.Module):
    """A language model whose scores depend on nothing but the largest id of a row; remembers what it was asked."""

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.table = nn.Parameter(table)  # (largest id, vocabulary)
        self.rows: list[list[int]] = []

    def base_model(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor]:
        assert input_ids.shape == attention_mask.shape == token_type_ids.shape
        self.rows += [row[mask.bool()].tolist() for row, mask in zip(input_ids, attention_mask, strict=True)]
        return (input_ids.amax(dim=1)[:, None].expand_as(input_ids),)  # (rows, tokens)

    def head(self, hidden: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        return self.table[hidden[rows, columns]]


VOCABULARY = 40
FIRST_WORD, LAST_WORD = 10, 30
NO_WORDS = [*range(FIRST_WORD), *range(LAST_WORD, VOCABULARY)]


def table_fitter(table: Tensor) -> tuple[LmFitter, TableModel]:
    model = TableModel(table)
    not_a_word = torch.zeros(VOCABULARY, dtype=torch.bool)
    not_a_word[NO_WORDS] = True
    tokens = MaskingTokens(
        start=1,
        separator=2,
        padding=0,
        mask=3,
        unknown=4,
        random_words=np.arange(FIRST_WORD, LAST_WORD, dtype=np.int32),
        shapes=np.arange(VOCABULARY, dtype=np.int32),
    )
    wrapped: Any = SimpleNamespace(
        base_model=model.base_model,
        eval=model.eval,
        train=model.train,
        parameters=model.parameters,
        named_parameters=model.named_parameters,
    )
    return LmFitter(wrapped, model.head, tokens=tokens, not_a_word=not_a_word, settings=FittingSettings()), model


def same_word_corpus(copies: int = 12) -> LmCorpus:
    """Sentences of one word each, repeated twelve times or more: what is open tells what is hidden."""
    return corpus_of([[word] * (12 + word % 5) for word in range(FIRST_WORD, LAST_WORD)] * copies)


def hand_scores(rows: list[list[int]], table: Tensor) -> LmScores:
    """The scores by plain arithmetic, word by word."""
    losses, ranks = [], []
    for row in rows:
        (word,) = set(row) - {1, 2, 3}
        scores = {other: table[word, other].item() for other in range(FIRST_WORD, LAST_WORD)}
        total = sum(math.exp(score) for score in scores.values())
        for _ in range(row.count(3)):
            losses.append(-math.log(math.exp(scores[word]) / total))
            ranks.append(sum(score > scores[word] for score in scores.values()))
    count = len(losses)
    return LmScores(
        math.exp(sum(losses) / count),
        sum(rank < 1 for rank in ranks) / count,
        sum(rank < 10 for rank in ranks) / count,
        count,
    )


def test_scores_are_those_of_a_calculation_by_hand() -> None:
    table = 2 * torch.randn(VOCABULARY, VOCABULARY, generator=torch.Generator().manual_seed(0))
    for word in range(FIRST_WORD, LAST_WORD, 3):  # a third is guessed right
        table[word, word] = 9.0
    table[:, NO_WORDS] = 50.0  # what is not a word takes no part
    fitter, model = table_fitter(table)
    scores = fitter.score(same_word_corpus())
    expected = hand_scores(model.rows, table)
    assert scores.perplexity == pytest.approx(expected.perplexity, rel=1e-5)
    assert (scores.top_1, scores.top_10, scores.words) == (expected.top_1, expected.top_10, expected.words)
    assert 0.2 < scores.top_1 < scores.top_10 < 1


def test_a_model_that_knows_nothing_has_the_number_of_words_as_perplexity() -> None:
    fitter, _ = table_fitter(torch.zeros(VOCABULARY, VOCABULARY))
    assert fitter.score(same_word_corpus()).perplexity == pytest.approx(LAST_WORD - FIRST_WORD)


def test_a_model_that_knows_everything_is_perfect() -> None:
    fitter, _ = table_fitter(100 * torch.eye(VOCABULARY))
    scores = fitter.score(same_word_corpus())
    assert (scores.perplexity, scores.top_1, scores.top_10) == (1.0, 1.0, 1.0)


def test_fifteen_in_a_hundred_words_of_lone_sentences_are_asked() -> None:
    fitter, model = table_fitter(torch.zeros(VOCABULARY, VOCABULARY))
    corpus = same_word_corpus(copies=60)
    scores = fitter.score(corpus)
    assert len(model.rows) == len(corpus)
    assert scores.words >= SCORED_WORDS
    assert scores.words == sum(row.count(3) for row in model.rows)
    # A little more than 15 %, as a sentence without a hole gets one.
    assert 0.145 < scores.words / len(corpus.flat) < 0.175
    assert sorted(len(row) - 2 for row in model.rows) == sorted(np.diff(corpus.starts).tolist())


def test_unknown_words_are_not_scored() -> None:
    fitter, model = table_fitter(torch.zeros(VOCABULARY, VOCABULARY))
    scores = fitter.score(corpus_of([[4, 4, 12, 4], [4, 4, 4, 4]] * 10))
    assert scores.words == len(model.rows) == 8 * 10  # eight times, since there are few
    assert {tuple(row) for row in model.rows} == {(1, 4, 4, 3, 4, 2)}


def test_the_first_sentences_are_scored_where_there_are_many() -> None:
    fitter, model = table_fitter(torch.zeros(VOCABULARY, VOCABULARY))
    corpus = corpus_of([[10 + number % 20] * (4 + number // 20) for number in range(200)])
    fitter.score(corpus, most=20)
    assert {len(row) for row in model.rows} == {6}
    assert len(model.rows) == 8 * 20


def test_few_sentences_are_scored_with_other_words_hidden_until_it_is_enough() -> None:
    fitter, model = table_fitter(torch.zeros(VOCABULARY, VOCABULARY))
    scores = fitter.score(corpus_of([[10 + number % 20 for number in range(20)]] * 200))  # 4,000 words
    assert SCORED_WORDS <= scores.words < 1.5 * SCORED_WORDS
    assert len(model.rows) == 4 * 200


def test_without_a_known_word_there_are_no_scores() -> None:
    fitter, _ = table_fitter(torch.zeros(VOCABULARY, VOCABULARY))
    scores = fitter.score(corpus_of([[4, 4, 4, 4]]))
    assert scores.words == 0
    assert all(math.isnan(value) for value in (scores.perplexity, scores.top_1, scores.top_10))


def test_a_model_gone_astray_has_an_endless_perplexity() -> None:
    table = torch.zeros(VOCABULARY, VOCABULARY)
    table[:, FIRST_WORD] = 5_000.0
    fitter, _ = table_fitter(table)
    assert fitter.score(same_word_corpus()).perplexity == math.inf


def test_scores_are_printed_for_people() -> None:
    assert str(LmScores(12.3456, 0.5, 0.87654, 12_345)) == (
        "perplexity 12.35, top-1 0.500, top-10 0.877 (12,345 words)"
    )
