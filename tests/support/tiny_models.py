"""Masked language models small enough for tests: real architecture, random weights, an invented vocabulary."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.agent import Agent, pad
from ealm.paper.edits import Action

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PIECES = ("##ing", "##x", "##er")
NOT_WORDS = (*SPECIAL_TOKENS, "[unused1]", *PIECES)
"""Vocabulary entries that may never be predicted."""

WORDS = tuple(
    """
    the a of in on with and is not was be you may for to . , ' # [ ]
    machine learning perfect force river stone garden window market winter summer police minister report storm
    bridge village doctor teacher music paper silver copper engine harbor island forest mountain valley cafe
    opens closes falls rises wins loses says finds builds burns small great quiet sudden early late red green
    old new x
    """.split()
)
"""Every word that the tiny models know."""

POSITIONS = 128


def tiny_tokenizer(words: tuple[str, ...] = WORDS) -> Any:
    """An uncased BERT tokenizer over `words`, with pieces and a placeholder that are not words."""
    from transformers import BertTokenizerFast

    vocabulary = {token: number for number, token in enumerate((*NOT_WORDS, *words))}
    return BertTokenizerFast(vocab=vocabulary, model_max_length=POSITIONS)


def tiny_bert_model(seed: int = 0, words: tuple[str, ...] = WORDS, *, with_head: bool = True) -> Any:
    """Random weights, large enough that predictions differ clearly from position to position."""
    from transformers import BertConfig, BertForMaskedLM, BertModel

    config = BertConfig(
        vocab_size=len(NOT_WORDS) + len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=POSITIONS,
        initializer_range=0.5,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return (BertForMaskedLM if with_head else BertModel)(config)


def tiny_bert(seed: int = 0, words: tuple[str, ...] = WORDS, double: bool = False) -> TransformersMaskedLM:
    """A working masked language model; in double precision, batched and single results agree to the last digits."""
    model = tiny_bert_model(seed, words)
    return TransformersMaskedLM(model.double() if double else model, tiny_tokenizer(words))


def save_tiny_bert(folder: Path, seed: int = 0, words: tuple[str, ...] = WORDS, *, with_head: bool = True) -> Path:
    """Write model (safetensors) and tokenizer as a user's folder would hold them."""
    tiny_bert_model(seed, words, with_head=with_head).save_pretrained(folder)
    tiny_tokenizer(words).save_pretrained(folder)
    return folder


def ids(lm: TransformersMaskedLM, text: str) -> tuple[int, ...]:
    """A sentence as vocabulary ids."""
    return lm.word_ids(text.split())


def level_q_values(agent: Agent, lm: TransformersMaskedLM, texts: Sequence[str]) -> None:
    """Make an agent that was never trained take all three actions.

    Their values are set wide apart, and the same on average over random states of the sentences.
    """
    encodings, present = pad(lm.encode([lm.word_ids(text.split()) for text in texts]) * 64)
    generator = torch.Generator().manual_seed(0)
    decided = torch.randint(2, present.shape, generator=generator)
    anything = torch.randint(len(Action), present.shape, generator=generator)
    actions = torch.where(decided == 1, anything, int(Action.KEEP))
    with torch.no_grad():
        agent.output.weight.mul_(20)
        agent.output.bias -= agent(encodings, actions, decided, present)[present].mean(dim=0)


def tiny_roberta(*, model_max_length: int | None = POSITIONS) -> TransformersMaskedLM:
    """A model of another family: byte-level pieces, no segments, two separators between context and template."""
    from transformers import RobertaConfig, RobertaForMaskedLM

    tokenizer = _byte_level_tokenizer(model_max_length)
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=POSITIONS + 2,
        type_vocab_size=1,
        initializer_range=0.5,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return TransformersMaskedLM(RobertaForMaskedLM(config), tokenizer)


def _byte_level_tokenizer(model_max_length: int | None) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([" the river rises and the quiet village finds the old bridge ."] * 20, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    limit = {} if model_max_length is None else {"model_max_length": model_max_length}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
        **limit,
    )
