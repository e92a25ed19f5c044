"""Fitting makes the loss fall, changes what the method allows and nothing else, and scores are what they say."""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tiny_models import tiny_bert_model, tiny_tokenizer
from torch import Tensor, nn

from ealm.lm_corpus import LmCorpus
from ealm.lm_fitting import FittingSettings, LmFitter, LmScores
from ealm.masked_lm import TransformersMaskedLM, head_at_holes
from ealm.masking import NOT_ASKED, Batch, MaskingTokens

METHODS = ("all", "head", "adapters")
TEXT = (
    "the river rises in winter",
    "a quiet village finds the old bridge",
    "the police minister says not to burns",
    "small engine falls on the red stone",
)


def corpus_of(sentences: Sequence[Sequence[int]]) -> LmCorpus:
    flat = np.concatenate([np.array(sentence, dtype=np.int32) for sentence in sentences])
    return LmCorpus(flat, np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences])]))


def text_corpus(copies: int = 20) -> LmCorpus:
    return corpus_of([tiny_tokenizer()(line, add_special_tokens=False)["input_ids"] for line in TEXT * copies])


def model_without_dropout(seed: int = 0) -> Any:
    model = tiny_bert_model(seed)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return model


def fitter_of(model: Any, **settings: Any) -> LmFitter:
    tokenizer = tiny_tokenizer()
    lm = TransformersMaskedLM(model, tokenizer)
    words = (~lm.not_a_word).nonzero()[:, 0].numpy().astype(np.int32)
    tokens = MaskingTokens(
        start=tokenizer.cls_token_id,
        separator=tokenizer.sep_token_id,
        padding=tokenizer.pad_token_id,
        mask=tokenizer.mask_token_id,
        unknown=tokenizer.unk_token_id,
        random_words=words,
        shapes=np.arange(len(lm.not_a_word), dtype=np.int32),
    )
    quick = {"learning_rate": 1e-2, "warm_up_updates": 5, "tokens_per_update": 256, "adapter_rank": 4}
    return LmFitter(
        model,
        head_at_holes(model),
        tokens=tokens,
        not_a_word=lm.not_a_word,
        settings=FittingSettings(**{**quick, **settings}),
    )


def fit(fitter: LmFitter, updates: int, corpus: LmCorpus | None = None) -> list[float]:
    losses: list[float] = []
    for chunk in fitter.chunks(corpus or text_corpus()):
        for batch in chunk:
            losses.append(fitter.update(batch, time_left=1.0))
            if len(losses) == updates:
                return losses
    raise AssertionError("chunks never end")


def copy_of(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in weights.items()}


def changed(before: dict[str, Tensor], after: dict[str, Tensor]) -> set[str]:
    assert before.keys() == after.keys()
    return {name for name in before if not torch.equal(before[name], after[name])}


# Learning -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_the_loss_falls_and_hidden_words_are_guessed_better(method: Any) -> None:
    torch.manual_seed(0)
    fitter = fitter_of(model_without_dropout(), method=method)
    corpus = text_corpus()
    before = fitter.score(corpus)
    losses = fit(fitter, 60, corpus)
    after = fitter.score(corpus)
    assert all(map(math.isfinite, losses))
    assert np.mean(losses[-8:]) < 0.7 * np.mean(losses[:8])
    assert after.perplexity < 0.5 * before.perplexity
    assert after.top_1 > before.top_1
    assert after.words == before.words
    assert fitter.updates == 60


def test_all_weights_learn_by_the_method_all() -> None:
    model = model_without_dropout()
    before = copy_of(model.state_dict())
    fitter = fitter_of(model)
    fit(fitter, 3)
    untouched = set(before) - changed(before, fitter.finished_weights())
    assert {name for name in untouched if "position_ids" not in name} == set()


def test_the_head_alone_learns_by_the_method_head() -> None:
    model = model_without_dropout()
    before = copy_of(model.state_dict())
    fitter = fitter_of(model, method="head")
    fit(fitter, 5)
    found = changed(before, fitter.finished_weights())
    assert found  # something learned,
    assert all(name.startswith("cls.") for name in found)  # and no weight of the encoder moved, bit for bit
    assert not any(name.startswith("bert.") for name in changed(before, model.state_dict()))
    assert torch.equal(model.cls.predictions.decoder.weight, before["bert.embeddings.word_embeddings.weight"])


def test_adapters_leave_the_weights_below_them_as_they_were() -> None:
    torch.manual_seed(0)
    model = model_without_dropout()
    before = copy_of(model.state_dict())
    fitter = fitter_of(model, method="adapters")
    fit(fitter, 5)
    inside = model.state_dict()
    originals = {name: tensor for name, tensor in inside.items() if name.endswith("weight.original")}
    assert len(originals) == 2 * 6  # layers; query, key, value and output of the attention, both of the feed-forward
    for name, tensor in originals.items():
        assert torch.equal(tensor, before[name.replace("parametrizations.weight.original", "weight")]), name
    for name in before.keys() & inside.keys():
        if name.startswith("bert."):  # biases, norms, embeddings
            assert torch.equal(inside[name], before[name]), name


@pytest.mark.parametrize("method", METHODS)
def test_finished_weights_are_those_of_a_plain_model(method: Any) -> None:
    torch.manual_seed(0)
    model = model_without_dropout()
    names = set(model.state_dict())
    fitter = fitter_of(model, method=method)
    fit(fitter, 10)
    finished = copy_of(fitter.finished_weights())
    assert finished.keys() == names
    plain = model_without_dropout(seed=1)
    plain.load_state_dict(finished)
    ids = torch.tensor([[2, 20, 21, 4, 23, 3], [2, 30, 4, 32, 33, 3]])
    with torch.no_grad():
        expected, got = model.eval()(ids).logits, plain.eval()(ids).logits
    assert got == pytest.approx(expected, abs=1e-5)
    if method == "adapters":
        start = model_without_dropout().state_dict()
        moved = changed(copy_of(start), finished)
        assert {name for name in moved if name.startswith("bert.")} == {
            name
            for name in names
            if name.startswith("bert.encoder") and name.endswith("weight") and start[name].dim() == 2
        }


def test_adapters_start_as_if_they_were_not_there() -> None:
    model = model_without_dropout()
    before = copy_of(model.state_dict())
    assert changed(before, fitter_of(model, method="adapters").finished_weights()) == set()


def test_adapters_are_few_weights() -> None:
    model = model_without_dropout()
    encoder = sum(weight.numel() for weight in model.bert.encoder.parameters())
    fitter_of(model, method="adapters", adapter_rank=2)
    learning = [weight for name, weight in model.named_parameters() if weight.requires_grad and "bert" in name]
    assert 0 < sum(weight.numel() for weight in learning) < 0.25 * encoder


# Updates --------------------------------------------------------------------------------------------------------------


def learning_rates(fitter: LmFitter) -> set[float]:
    return {group["lr"] for group in fitter.optimizer.param_groups}


def one_batch(fitter: LmFitter) -> Batch:
    return next(fitter.chunks(text_corpus()))[0]


def test_the_learning_rate_warms_up_and_falls_with_the_time_that_is_left() -> None:
    fitter = fitter_of(model_without_dropout(), learning_rate=1e-3, warm_up_updates=4)
    batch = one_batch(fitter)
    seen = []
    for time_left in (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.1):
        fitter.update(batch, time_left=time_left)
        (rate,) = learning_rates(fitter)
        seen.append(rate)
    assert seen == pytest.approx([0.25e-3, 0.5e-3, 0.75e-3, 1e-3, 1e-3, 0.5e-3, 0.1e-3])


@pytest.mark.parametrize("time_left", [0.0, -0.2])
def test_nothing_is_learned_when_the_time_is_over(time_left: float) -> None:
    model = model_without_dropout()
    fitter = fitter_of(model)
    before = copy_of(model.state_dict())
    fitter.update(one_batch(fitter), time_left=time_left)
    assert changed(before, model.state_dict()) == set()
    assert learning_rates(fitter) == {0.0}


def test_the_loss_is_the_mean_over_all_words_that_are_asked() -> None:
    model = model_without_dropout()
    fitter = fitter_of(model)
    batch = one_batch(fitter)
    with torch.no_grad():
        scores = model(
            input_ids=batch.ids, attention_mask=batch.attention, token_type_ids=batch.segments
        ).logits.masked_fill(TransformersMaskedLM(model, tiny_tokenizer()).not_a_word, -torch.inf)
        expected = -scores.log_softmax(-1).gather(-1, batch.wanted.clamp_min(0)[..., None])[..., 0]
    asked = batch.wanted != NOT_ASKED
    assert fitter.update(batch, time_left=1.0) == pytest.approx(expected[asked].mean().item(), rel=1e-4)


def test_weights_that_must_not_decay_do_not() -> None:
    fitter = fitter_of(model_without_dropout(), weight_decay=0.3)
    decaying, steady = fitter.optimizer.param_groups
    assert decaying["weight_decay"] == 0.3
    assert {weight.dim() for weight in decaying["params"]} == {2}
    assert steady["weight_decay"] == 0
    assert {weight.dim() for weight in steady["params"]} == {1}
    learning = [weight for weight in fitter.model.parameters() if weight.requires_grad]
    assert len(decaying["params"]) + len(steady["params"]) == len(learning)


# Chunks ---------------------------------------------------------------------------------------------------------------


def as_lists(chunk: list[Batch]) -> list[list[list[int]]]:
    return [[batch.ids.tolist(), batch.wanted.tolist()] for batch in chunk]


def test_chunks_go_on_from_the_number_that_comes_next() -> None:
    corpus = text_corpus()
    fitter = fitter_of(model_without_dropout())
    endless = fitter.chunks(corpus)
    found = [as_lists(next(endless)) for _ in range(3)]
    later = fitter_of(model_without_dropout())
    later.chunk = 2
    assert as_lists(next(later.chunks(corpus))) == found[2]
    assert found[0] != found[1] != found[2]


def test_chunks_depend_on_the_seed() -> None:
    first, again, other = (
        as_lists(next(fitter_of(model_without_dropout(), seed=seed).chunks(text_corpus()))) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_batches_keep_to_the_budget() -> None:
    chunk = next(fitter_of(model_without_dropout(), tokens_per_update=100).chunks(text_corpus()))
    assert len(chunk) > 5
    assert all(batch.ids.numel() <= 100 for batch in chunk)


def test_sentences_without_a_known_word_are_left_out() -> None:
    unknown = tiny_tokenizer().unk_token_id
    fitter = fitter_of(model_without_dropout())
    chunk = next(fitter.chunks(corpus_of([[unknown] * 5, [20, 21, 22, 23], [unknown] * 4])))
    assert sum(len(batch.ids) for batch in chunk) == 1


SEEDS_DO_NOT_REACH_TORCH = "the seed of the settings does not reach torch: {} are drawn from its global generator"


def losses_with_global_seed(model: Any, seed: int, **settings: Any) -> list[float]:
    torch.manual_seed(seed)
    return fit(fitter_of(model, seed=5, **settings), 4)


def test_the_same_seed_gives_the_same_adapters() -> None:
    first, second = (losses_with_global_seed(model_without_dropout(), seed, method="adapters") for seed in (1, 2))
    assert first == second


def test_the_same_seed_gives_the_same_fit_with_dropout() -> None:
    first, second = (losses_with_global_seed(tiny_bert_model(), seed) for seed in (1, 2))
    assert first == second


@pytest.mark.parametrize("method", ["all", "head"])
def test_the_same_seed_gives_the_same_fit_without_dropout(method: Any) -> None:
    first, second = (losses_with_global_seed(model_without_dropout(), seed, method=method) for seed in (1, 2))
    assert first == second


# Scores ---------------------------------------------------------------------------------------------------------------


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
    corpus = same_word_corpus(copies=40)
    scores = fitter.score(corpus)
    assert len(model.rows) == len(corpus)
    assert scores.words == sum(row.count(3) for row in model.rows)
    # A little more than 15 %, as a sentence without a hole gets one.
    assert 0.145 < scores.words / len(corpus.flat) < 0.175
    assert sorted(len(row) - 2 for row in model.rows) == sorted(np.diff(corpus.starts).tolist())


def test_unknown_words_are_not_scored() -> None:
    fitter, model = table_fitter(torch.zeros(VOCABULARY, VOCABULARY))
    scores = fitter.score(corpus_of([[4, 4, 12, 4], [4, 4, 4, 4]] * 10))
    assert scores.words == len(model.rows) == 10
    assert {tuple(row) for row in model.rows} == {(1, 4, 4, 3, 4, 2)}


def test_the_first_sentences_are_scored_where_there_are_many() -> None:
    fitter, model = table_fitter(torch.zeros(VOCABULARY, VOCABULARY))
    corpus = corpus_of([[10 + number % 20] * (4 + number // 20) for number in range(200)])
    fitter.score(corpus, most=20)
    assert {len(row) for row in model.rows} == {6}
    assert len(model.rows) == 20


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
