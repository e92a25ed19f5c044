"""Where fitting a language model starts: a model, its tokenizer and their vocabulary, from a folder or the package."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ealm.common.errors import LanguageModelError
from ealm.common.extras import require_extra
from ealm.common.storage import write_json, write_tensors
from ealm.lm import bundled as embedded
from ealm.lm.adapt.corpus import LmCorpus
from ealm.lm.adapt.masking import MaskingTokens
from ealm.lm.adapt.vocabulary import unused_ids, with_new_words
from ealm.lm.bert import LightBertConfig, LightBertForMaskedLM, LightTokenizer
from ealm.lm.int8_weights import read_compact
from ealm.lm.loading import load_pretrained, quiet_transformers
from ealm.lm.masked_lm import TransformersMaskedLM

BARE_ENCODER = "encoder"
"""Name for the sentence encoder of the installation, which gets a new head."""

WEIGHTS_FILE = "model.safetensors"
_NOT_WEIGHTS = ("position_ids", "pooler")


@dataclass(slots=True)
class StartingPoint:
    """A BERT to be fitted; `tokenizer_json` is the description of its tokenizer."""

    model: Any
    tokenizer: Any
    tokenizer_json: dict[str, Any]
    new_head: bool

    @classmethod
    def load(cls, name_or_folder: str) -> "StartingPoint":
        """The embedded language model, the bare encoder, or any BERT by folder or hub name."""
        require_extra("train", "Fitting a language model", "transformers")
        with quiet_transformers():
            if name_or_folder == BARE_ENCODER:
                model, tokenizer = _encoder_with_new_head()
            else:
                model, tokenizer = _for_fitting(*load_pretrained(name_or_folder))
        if type(model).__name__ != "BertForMaskedLM" or not tokenizer.is_fast:
            raise LanguageModelError(
                f"{name_or_folder} is a {type(model).__name__}; only BERT models can be fitted. "
                f"Start from the embedded one (leave lm= out), from {BARE_ENCODER!r}, or from a BERT."
            )
        description = json.loads(tokenizer.backend_tokenizer.to_str())
        # Half precision is for use, not for learning.
        return cls(model.float(), tokenizer, description, name_or_folder == BARE_ENCODER)

    def known_words(self) -> dict[str, int]:
        """The whole words of the vocabulary."""
        lm = TransformersMaskedLM(self.model, self.tokenizer)
        words = (~lm.not_a_word).nonzero()[:, 0].tolist()
        return dict(zip(lm.words(words), words, strict=True))

    def normalize(self, word: str) -> str:
        """A word as the vocabulary writes it."""
        normalizer = self.tokenizer.backend_tokenizer.normalizer
        return word if normalizer is None else str(normalizer.normalize_str(word)).strip()

    @property
    def room(self) -> int:
        """How many words can be added to the vocabulary."""
        return len(unused_ids(self.tokenizer_json))

    def add_words(self, words: Sequence[str]) -> dict[str, int]:
        """Give words unused ids, which are returned; each word starts as the mean of the pieces that it was read as."""
        special = set(self.tokenizer.all_special_tokens)
        wanted = [word for word in words if word not in special]
        ids = dict(zip(wanted, unused_ids(self.tokenizer_json), strict=False))
        embeddings = self.model.get_input_embeddings().weight
        with torch.no_grad():
            for word, number in ids.items():
                pieces = self.tokenizer(word, add_special_tokens=False)["input_ids"]
                embeddings[number] = embeddings[pieces].mean(dim=0)
        self.tokenizer_json = with_new_words(self.tokenizer_json, ids)
        self.tokenizer = _tokenizer(self.tokenizer_json, _settings(self.tokenizer))
        found = self.known_words()
        return {word: number for word, number in ids.items() if found.get(word) == number}

    def set_frequencies(self, corpus: LmCorpus) -> None:
        """Let a new head start from how frequent each word is."""
        counts = np.bincount(corpus.flat, minlength=self.model.config.vocab_size) + 1
        logarithms = torch.from_numpy(np.log(counts / counts.sum())).float()
        with torch.no_grad():
            self.model.cls.predictions.bias.copy_(logarithms - logarithms.mean())

    def masking_tokens(self, random_words: Sequence[int], shapes: Any) -> MaskingTokens:
        """What masking needs to know of the vocabulary."""
        tokenizer = self.tokenizer
        return MaskingTokens(
            start=tokenizer.cls_token_id,
            separator=tokenizer.sep_token_id,
            padding=tokenizer.pad_token_id,
            mask=tokenizer.mask_token_id,
            unknown=tokenizer.unk_token_id,
            random_words=np.array(random_words, dtype=np.int32),
            shapes=shapes,
        )


_FREE_PLACES = 1_000
_WORD_TABLE = "embeddings.word_embeddings.weight"


def _encoder_with_new_head() -> tuple[Any, Any]:
    """The bundled encoder below a new masked-LM head, its vocabulary with room for new words."""
    folder = embedded.encoder_folder()
    shape = LightBertConfig.read(folder / "config.json")
    model = _trainable(replace(shape, vocab_size=shape.vocab_size + _FREE_PLACES))
    weights = read_compact(folder)
    weights[_WORD_TABLE] = torch.cat([weights[_WORD_TABLE], torch.zeros(_FREE_PLACES, shape.hidden_size)])
    model.bert.load_state_dict({name: weights[name] for name in model.bert.state_dict()})
    transform = model.cls.predictions.transform.dense
    with torch.no_grad():  # as if there were no transformation: it learns much faster from here than from noise
        transform.weight.copy_(torch.eye(shape.hidden_size))
        transform.bias.zero_()
    description = json.loads(LightTokenizer.read(folder / "tokenizer.json").backend_tokenizer.to_str())
    free = {f"[unused{number}]": shape.vocab_size + number for number in range(_FREE_PLACES)}
    description["model"]["vocab"] |= free
    return model, _tokenizer(description, _BERT_SETTINGS)


def _for_fitting(model: Any, tokenizer: Any) -> tuple[Any, Any]:
    """A light BERT as one of `transformers`, which can also be fitted and saved; others are that already."""
    if not isinstance(model, LightBertForMaskedLM):
        return model, tokenizer
    full = _trainable(model.config)
    full.load_state_dict(model.state_dict(), strict=False)
    full.tie_weights()
    return full, _tokenizer(json.loads(tokenizer.backend_tokenizer.to_str()), _BERT_SETTINGS)


def _trainable(shape: LightBertConfig) -> Any:
    """A BERT of `transformers` with random weights."""
    from transformers import BertConfig, BertForMaskedLM

    # With dropout the loss soon stops falling: there is far more text than a small model can learn by heart.
    config = BertConfig(**asdict(shape), hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return BertForMaskedLM(config)


def _tokenizer(description: Mapping[str, Any], settings: Mapping[str, Any]) -> Any:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(json.dumps(description)), **settings)


_BERT_SETTINGS = {
    "model_max_length": 512,
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}


def _settings(tokenizer: Any) -> dict[str, Any]:
    """The special tokens and the greatest length of a tokenizer."""
    return {name: getattr(tokenizer, name) for name in _BERT_SETTINGS}


def write_description(folder: Path, start: StartingPoint) -> None:
    """Write what a model folder holds beside the weights."""
    write_json(folder / "tokenizer.json", start.tokenizer_json)
    write_json(
        folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", **_settings(start.tokenizer)}
    )
    config = start.model.config.to_dict()
    config.update(architectures=["BertForMaskedLM"], model_type="bert")
    write_json(folder / "config.json", {name: value for name, value in config.items() if not name.startswith("_")})


def stored_weights(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What belongs into a file: everything but counters and the second names of shared weights."""
    stored: dict[str, torch.Tensor] = {}
    seen: set[tuple[int, torch.Size]] = set()
    for name, tensor in weights.items():
        storage = (tensor.data_ptr(), tensor.shape)
        second_name = "cls.predictions.decoder" in name and storage in seen
        if not second_name and not any(part in name for part in _NOT_WEIGHTS):
            stored[name] = tensor
            seen.add(storage)
    return stored


def write_weights(folder: Path, weights: Mapping[str, torch.Tensor]) -> None:
    """Write the weights for `transformers`."""
    write_tensors(folder / WEIGHTS_FILE, stored_weights(weights), {"format": "pt"})
