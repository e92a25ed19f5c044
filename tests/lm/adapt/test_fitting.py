"""Fitting makes the loss fall, and changes what the method allows and nothing else."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from fitting_runs import METHODS, changed, copy_of, corpus_of, fit, fitter_of, model_without_dropout, text_corpus
from tiny_models import tiny_bert_model, tiny_tokenizer

from ealm.lm.adapt.fitting import LmFitter
from ealm.lm.adapt.masking import NOT_ASKED, Batch
from ealm.lm.masked_lm import TransformersMaskedLM

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
    untouched = set(before) - changed(before, fitter.model.state_dict())
    assert {name for name in untouched if "position_ids" not in name} == set()


def test_the_head_alone_learns_by_the_method_head() -> None:
    model = model_without_dropout()
    before = copy_of(model.state_dict())
    fitter = fitter_of(model, method="head")
    fit(fitter, 5)
    found = changed(before, fitter.model.state_dict())
    assert found  # something learned,
    assert all(name.startswith("cls.") for name in found)  # and no weight of the encoder moved, bit for bit
    assert not any(name.startswith("bert.") for name in changed(before, model.state_dict()))
    assert torch.equal(model.cls.predictions.decoder.weight, before["bert.embeddings.word_embeddings.weight"])


@pytest.mark.parametrize("method", METHODS)
def test_finished_weights_are_those_of_a_plain_model(method: Any) -> None:
    torch.manual_seed(0)
    model = model_without_dropout()
    names = set(model.state_dict())
    fitter = fitter_of(model, method=method)
    fit(fitter, 10)
    finished = copy_of(fitter.model.state_dict())
    assert finished.keys() == names
    plain = model_without_dropout(seed=1)
    plain.load_state_dict(finished)
    ids = torch.tensor([[2, 20, 21, 4, 23, 3], [2, 30, 4, 32, 33, 3]])
    with torch.no_grad():
        expected, got = model.eval()(ids).logits, plain.eval()(ids).logits
    assert got == pytest.approx(expected, abs=1e-5)


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
    groups = fitter.optimizer.param_groups
    for group in groups:
        assert group["params"]
        assert {weight.dim() for weight in group["params"]} == ({2} if group["weight_decay"] else {1})
    assert {group["weight_decay"] for group in groups} == {0.0, 0.3}
    learning = [weight for weight in fitter.model.parameters() if weight.requires_grad]
    assert sum(len(group["params"]) for group in groups) == len(learning)


def test_words_that_never_come_keep_their_probability() -> None:
    """A push that is the same for all absent words must not become a full step for each (Adam's way)."""

    def rise_of_the_rest(epsilon: float) -> float:
        model = model_without_dropout()
        bias = model.cls.predictions.bias
        corpus = text_corpus()
        absent = torch.ones(len(bias), dtype=torch.bool)
        absent[torch.from_numpy(corpus.flat).long()] = False
        with torch.no_grad():
            bias[absent] = -12.0  # improbable from the start: nothing is left to learn about them
        fit(fitter_of(model, rare_word_epsilon=epsilon), 60, corpus)
        return float((bias.detach()[absent] + 12.0).abs().mean())

    assert rise_of_the_rest(1e-5) < 0.1 * rise_of_the_rest(1e-8)


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


def losses_with_global_seed(model: Any, seed: int, **settings: Any) -> list[float]:
    torch.manual_seed(seed)
    return fit(fitter_of(model, seed=5, **settings), 4)


def test_the_same_seed_gives_the_same_fit_with_dropout() -> None:
    first, second = (losses_with_global_seed(tiny_bert_model(), seed) for seed in (1, 2))
    assert first == second


@pytest.mark.parametrize("method", ["all", "head"])
def test_the_same_seed_gives_the_same_fit_without_dropout(method: Any) -> None:
    first, second = (losses_with_global_seed(model_without_dropout(), seed, method=method) for seed in (1, 2))
    assert first == second
