"""A BERT that loads at once: the same arithmetic and weight names as `transformers`, without its seconds of imports.

Only what the embedded models need: a post-norm encoder with learned positions, and the masked-LM head.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from ealm.common.errors import LanguageModelError
from ealm.common.pieces import between_pieces
from ealm.common.storage import read_json
from ealm.lm.tokenizer_file import read_tokenizer

_MOST_LAYERS = 1_000
_LARGEST_SIZE = 1 << 24


@dataclass(frozen=True, slots=True)
class LightBertConfig:
    """The shape, by the names that `transformers` has for it."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    type_vocab_size: int
    layer_norm_eps: float

    @classmethod
    def read(cls, path: Path) -> "LightBertConfig":
        """Read the `config.json` of a model folder."""
        try:
            values = read_json(path)
            if values["hidden_act"] != "gelu":
                raise ValueError(f"the activation {values['hidden_act']!r} is not known")
            config = cls(**{name: values[name] for name in cls.__dataclass_fields__})
            config._check()
            return config
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise LanguageModelError(f"{path} cannot be used: {error!r}. Reinstall the package.") from error

    def _check(self) -> None:
        """Refuse what no BERT has, before anything is built: a stranger's file may say anything."""
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name == "layer_norm_eps":
                sane = isinstance(value, float) and 0 < value < 1
            else:
                sane = type(value) is int and 1 <= value <= (_MOST_LAYERS if "layers" in name else _LARGEST_SIZE)
            if not sane:
                raise ValueError(f"{name} {value!r} makes no sense")
        if self.hidden_size % self.num_attention_heads:
            raise ValueError("hidden_size is no multiple of num_attention_heads")


class _Linear(nn.Linear):
    def reset_parameters(self) -> None:
        """Nothing: weights are always given, and drawing them first would take time and a third of torch's imports."""


class _Table(nn.Embedding):
    def reset_parameters(self) -> None:
        """Nothing, as in `_Linear`."""


class LightBertForMaskedLM(nn.Module):
    """Encoder and head; called like the class of the same name in `transformers`."""

    def __init__(self, config: LightBertConfig) -> None:
        super().__init__()
        self.config = config
        self.bert = LightEncoder(config)
        self.cls = _Head(config)

    @classmethod
    def from_weights(cls, config: LightBertConfig, weights: Mapping[str, Tensor]) -> "LightBertForMaskedLM":
        """Build it around weights; the head projects with the word embeddings."""
        with torch.device("meta"):  # shapes alone, no memory
            model = cls(config)
        tied = {
            **weights,
            "cls.predictions.decoder.weight": weights["bert.embeddings.word_embeddings.weight"],
            "cls.predictions.decoder.bias": weights["cls.predictions.bias"],
        }
        del tied["cls.predictions.bias"]
        model.load_state_dict(tied, assign=True)
        return model.requires_grad_(False)

    @property
    def base_model(self) -> nn.Module:
        """The encoder alone."""
        return self.bert

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.bert.embeddings.word_embeddings.weight.device

    def forward(self, input_ids: Tensor, **inputs: Tensor) -> Any:
        """Scores of all words at all places, as `logits` (rows, tokens, vocabulary)."""
        return SimpleNamespace(logits=self.cls(self.bert(input_ids, **inputs)[0]))


def light_encoder(config: LightBertConfig, weights: Mapping[str, Tensor]) -> nn.Module:
    """An encoder alone, around the weights of a plain BERT; what it does not use is left."""
    with torch.device("meta"):
        encoder = LightEncoder(config)
    encoder.load_state_dict({name: weights[name] for name in encoder.state_dict()}, assign=True)
    return encoder.requires_grad_(False)


class LightEncoder(nn.Module):
    """Embeddings and layers, without a head."""

    def __init__(self, config: LightBertConfig) -> None:
        super().__init__()
        self.embeddings = _Embeddings(config)
        self.encoder = _Layers(config)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        *,
        all_layers: bool = False,
    ) -> tuple[Tensor, ...]:
        """Last hidden states (rows, tokens, width); or those of the embeddings and all layers, the last one last."""
        hidden = self.embeddings(input_ids, token_type_ids)
        bias = attention_bias(attention_mask, hidden.dtype)
        states = [hidden]
        for layer in self.encoder.layer:
            between_pieces()
            states = [*states, layer(states[-1], bias)] if all_layers else [layer(states[-1], bias)]
        return tuple(states)

    def at(
        self,
        places: "Places",
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
    ) -> Tensor:
        """Last hidden states at some places only: (places, width).

        The last layer needs keys and values of all tokens, but the rest of its work at these places alone.
        """
        hidden = self.embeddings(input_ids, token_type_ids)
        bias = attention_bias(attention_mask, hidden.dtype)
        *layers, last = self.encoder.layer
        for layer in layers:
            between_pieces()
            hidden = layer(hidden, bias)
        between_pieces()
        states: Tensor = last(hidden, bias, places)
        return states


def attention_bias(attention_mask: Tensor | None, dtype: torch.dtype) -> Tensor | None:
    """Nothing is added where a row attends, the least number where it does not: (rows, 1, 1, tokens)."""
    if attention_mask is None:
        return None
    return (1 - attention_mask[:, None, None].to(dtype)) * torch.finfo(dtype).min


class Places:
    """Places of a batch, some in each row, the first row first."""

    def __init__(self, columns: Sequence[Sequence[int]], device: torch.device) -> None:
        """`columns` has the places of each row."""
        most = max(map(len, columns), default=0)
        padded = [[*row, *[0] * (most - len(row))] for row in columns]
        self._padded = torch.tensor(padded, device=device)  # (rows, most)
        flat = [(row, place) for row, own in enumerate(columns) for place in range(len(own))]
        self._rows, self._place = torch.tensor(flat, dtype=torch.long, device=device).view(-1, 2).unbind(1)

    def numbers(self, starts: Tensor) -> Tensor:
        """The number of each place, if all tokens are counted on and row i starts at `starts[i]`: (places,)."""
        return starts[self._rows] + self._padded[self._rows, self._place]

    def spread(self, flat: Tensor) -> Tensor:
        """The reverse of `flat`: (places, width) to (rows, most places in a row, width)."""
        padded = flat.new_zeros(*self._padded.shape, flat.shape[-1])
        padded[self._rows, self._place] = flat
        return padded

    def padded(self, states: Tensor) -> Tensor:
        """The states (rows, tokens, width) at the places: (rows, most places in a row, width)."""
        return states.gather(1, self._padded[..., None].expand(-1, -1, states.shape[-1]))

    def flat(self, padded: Tensor) -> Tensor:
        """Without the padding: (places, width)."""
        return padded[self._rows, self._place]


class _Embeddings(nn.Module):
    def __init__(self, config: LightBertConfig) -> None:
        super().__init__()
        self.word_embeddings = _Table(config.vocab_size, config.hidden_size)
        self.position_embeddings = _Table(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = _Table(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None) -> Tensor:
        segments = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        summed = self.word_embeddings(input_ids) + self.token_type_embeddings(segments)
        normed: Tensor = self.LayerNorm(summed + self.position_embeddings(positions))
        return normed


class _Layers(nn.Module):
    def __init__(self, config: LightBertConfig) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config) for _ in range(config.num_hidden_layers))


class _Layer(nn.Module):
    def __init__(self, config: LightBertConfig) -> None:
        super().__init__()
        self.attention = _Attention(config)
        self.intermediate = _Dense(config.hidden_size, config.intermediate_size)
        self.output = _Output(config.intermediate_size, config)

    def forward(self, hidden: Tensor, bias: Tensor | None, places: Places | None = None) -> Tensor:
        attended = self.attention(hidden, bias, places)
        widened = nn.functional.gelu(self.intermediate.dense(attended))
        output: Tensor = self.output(widened, attended)
        return output


class _Dense(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.dense = _Linear(inputs, outputs)


class _Attention(nn.Module):
    def __init__(self, config: LightBertConfig) -> None:
        super().__init__()
        self.self = _SelfAttention(config)
        self.output = _Output(config.hidden_size, config)

    def forward(self, hidden: Tensor, bias: Tensor | None, places: Places | None) -> Tensor:
        asking = hidden if places is None else places.padded(hidden)
        mixed = self.self(asking, hidden, bias)
        if places is not None:
            mixed, asking = places.flat(mixed), places.flat(asking)
        output: Tensor = self.output(mixed, asking)
        return output


class _SelfAttention(nn.Module):
    def __init__(self, config: LightBertConfig) -> None:
        super().__init__()
        width = config.hidden_size
        self.query, self.key, self.value = (_Linear(width, width) for _ in range(3))
        self.heads = config.num_attention_heads

    def forward(self, asking: Tensor, hidden: Tensor, bias: Tensor | None) -> Tensor:
        """What the tokens `asking` (rows, some, width) find among all tokens."""

        def heads(projected: Tensor) -> Tensor:  # (rows, heads, tokens, width of a head)
            return projected.view(*projected.shape[:2], self.heads, -1).transpose(1, 2)

        mixed = nn.functional.scaled_dot_product_attention(
            heads(self.query(asking)), heads(self.key(hidden)), heads(self.value(hidden)), attn_mask=bias
        )
        return mixed.transpose(1, 2).flatten(-2)


class _Output(nn.Module):
    def __init__(self, inputs: int, config: LightBertConfig) -> None:
        super().__init__()
        self.dense = _Linear(inputs, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, hidden: Tensor, residual: Tensor) -> Tensor:
        normed: Tensor = self.LayerNorm(self.dense(hidden) + residual)
        return normed


class _Transform(_Dense):
    def __init__(self, config: LightBertConfig) -> None:
        super().__init__(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)


class _Predictions(nn.Module):
    def __init__(self, config: LightBertConfig) -> None:
        super().__init__()
        self.transform = _Transform(config)
        self.decoder = _Linear(config.hidden_size, config.vocab_size)


class _Head(nn.Module):
    def __init__(self, config: LightBertConfig) -> None:
        super().__init__()
        self.predictions = _Predictions(config)

    def forward(self, hidden: Tensor) -> Tensor:
        transform = self.predictions.transform
        scores: Tensor = self.predictions.decoder(transform.LayerNorm(nn.functional.gelu(transform.dense(hidden))))
        return scores


class LightTokenizer:
    """A BERT tokenizer with the few methods of `transformers` that a masked language model is asked with."""

    is_fast = True

    def __init__(self, tokenizer: Tokenizer, *, model_max_length: int = 512) -> None:
        self.backend_tokenizer = tokenizer
        self.model_max_length = model_max_length
        self.mask_token = "[MASK]"  # noqa: S105 - not a password
        self.mask_token_id = self._special(self.mask_token)
        self.unk_token_id, self.pad_token_id = self._special("[UNK]"), self._special("[PAD]")
        self.cls_token_id, self.sep_token_id = self._special("[CLS]"), self._special("[SEP]")

    @classmethod
    def read(cls, path: Path) -> "LightTokenizer":
        """Read the `tokenizer.json` of a model folder, or the `tokenizer.json.gz` in its place."""
        try:
            tokenizer = read_tokenizer(path)
        except Exception as error:  # the library raises plain exceptions
            raise LanguageModelError(f"{path} cannot be read: {error}. Reinstall the package.") from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return cls(tokenizer)

    def _special(self, token: str) -> int:
        number = self.backend_tokenizer.token_to_id(token)
        if number is None:
            raise LanguageModelError(f"The tokenizer has no {token}, which a BERT needs.")
        return int(number)

    @property
    def all_special_ids(self) -> list[int]:
        """Ids that are not text."""
        return [self.unk_token_id, self.sep_token_id, self.pad_token_id, self.cls_token_id, self.mask_token_id]

    def __len__(self) -> int:
        return int(self.backend_tokenizer.get_vocab_size())

    def __call__(
        self, text: str | Sequence[str], pair: str | None = None, *, add_special_tokens: bool = True
    ) -> dict[str, Any]:
        """Ids of a text, of a pair, or of many texts."""
        if isinstance(text, str):
            encoded = self.backend_tokenizer.encode(text, pair, add_special_tokens=add_special_tokens)
            return {"input_ids": encoded.ids}
        many = self.backend_tokenizer.encode_batch_fast(list(text), add_special_tokens=add_special_tokens)
        return {"input_ids": [encoded.ids for encoded in many]}

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str]:
        """Entries of the vocabulary."""
        return [self.backend_tokenizer.id_to_token(number) or "" for number in ids]

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """The written form of entries of the vocabulary."""
        return " ".join(tokens).replace(" ##", "")
