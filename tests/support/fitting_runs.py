"""Fits of a tiny language model to a few sentences."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from tiny_models import tiny_bert_model, tiny_tokenizer
from torch import Tensor, nn

from ealm.lm.adapt.corpus import LmCorpus
from ealm.lm.adapt.fitting import FittingSettings, LmFitter
from ealm.lm.adapt.masking import MaskingTokens
from ealm.lm.masked_lm import TransformersMaskedLM, head_at_holes

METHODS = ("all", "head")
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
    quick = {"learning_rate": 1e-2, "warm_up_updates": 5, "tokens_per_update": 256}
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
