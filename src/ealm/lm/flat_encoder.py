"""The bundled BERT on the tokens of a batch one after the other: no padding but inside the attention.

The same weights and the same numbers as `LightEncoder.at`, but for last digits, with linear layers by oneDNN: tokens
are filled up once for all of them, and queries, keys and values are one product.
"""

from typing import Any

import torch
from torch import Tensor, nn

from ealm.common.pieces import between_pieces
from ealm.lm.bert import LightEncoder, Places, attention_bias
from ealm.lm.onednn_linear import OneDnnLinear, filled_up


class FlatEncoder(nn.Module):
    """Around a `LightEncoder`, whose tables and norms it shares."""

    def __init__(self, encoder: LightEncoder) -> None:
        super().__init__()
        self.embeddings = encoder.embeddings
        *layers, last = encoder.encoder.layer
        self.layers = nn.ModuleList(_Layer(layer) for layer in layers)
        self.last = _LastLayer(last)

    def at(
        self,
        places: Places,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor | None = None,
    ) -> Tensor:
        """Last hidden states at some places only: (places, width)."""
        table = _Table(attention_mask)
        hidden = table.flat(self.embeddings(input_ids, token_type_ids).flatten(0, 1))  # (tokens, width)
        for layer in self.layers:
            between_pieces()
            hidden = layer(hidden, table)
        between_pieces()
        states: Tensor = self.last(hidden, table, places)
        return states


class _Table:
    """Where the tokens of a batch are in padded rows."""

    def __init__(self, attention_mask: Tensor) -> None:
        self._shape = attention_mask.shape
        lengths = attention_mask.sum(dim=1)
        self.starts = lengths.cumsum(0) - lengths
        """Number of the first token of each row: (rows,)."""
        real = attention_mask.flatten().nonzero()[:, 0]
        self._whole = len(real) == attention_mask.numel()
        self.bias = None if self._whole else attention_bias(attention_mask, torch.float32)
        # What is filled up, and what pads a row, is some token or other: finite, and nobody looks at it.
        self._flat = filled_up(real[:, None])[:, 0]
        self._padded = torch.zeros(attention_mask.numel(), dtype=torch.long)
        self._padded[real] = torch.arange(len(real))

    def flat(self, padded: Tensor) -> Tensor:
        """From padded rows, one after the other, to tokens, filled up."""
        return padded.index_select(0, self._flat)

    def padded(self, flat: Tensor) -> Tensor:
        """From tokens to (rows, tokens, width)."""
        whole = flat[: self._shape.numel()] if self._whole else flat.index_select(0, self._padded)
        return whole.view(*self._shape, -1)


class _Layer(nn.Module):
    """All but the last."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        own = layer.attention.self
        self.projections = OneDnnLinear(_side_by_side(own.query, own.key, own.value))
        self.rest = _Rest(layer)
        self._heads = own.heads

    def forward(self, hidden: Tensor, table: _Table) -> Tensor:
        query, key, value = table.padded(self.projections(hidden)).chunk(3, dim=-1)
        mixed = _attention(query, key, value, heads=self._heads, bias=table.bias)
        output: Tensor = self.rest(table.flat(mixed.flatten(0, 1)), hidden)
        return output


class _LastLayer(nn.Module):
    """Keys and values of all tokens, and the rest of its work at some places alone."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        own = layer.attention.self
        self.query = OneDnnLinear(own.query)
        self.projections = OneDnnLinear(_side_by_side(own.key, own.value))
        self.rest = _Rest(layer)
        self._heads = own.heads

    def forward(self, hidden: Tensor, table: _Table, places: Places) -> Tensor:
        asking = hidden.index_select(0, places.numbers(table.starts))  # (places, width)
        key, value = table.padded(self.projections(hidden)).chunk(2, dim=-1)
        mixed = _attention(places.spread(self.query(asking)), key, value, heads=self._heads, bias=table.bias)
        count = len(asking)
        output: Tensor = self.rest(filled_up(places.flat(mixed)), filled_up(asking))
        return output[:count]


class _Rest(nn.Module):
    """What a layer does with each token by itself."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.mixing = OneDnnLinear(layer.attention.output.dense)
        self.widening = OneDnnLinear(layer.intermediate.dense)
        self.narrowing = OneDnnLinear(layer.output.dense)
        self.mixed_norm: nn.Module = layer.attention.output.LayerNorm
        self.norm: nn.Module = layer.output.LayerNorm

    def forward(self, mixed: Tensor, hidden: Tensor) -> Tensor:
        attended = self.mixed_norm(self.mixing(mixed).add_(hidden))
        widened = nn.functional.gelu(self.widening(attended))
        output: Tensor = self.norm(self.narrowing(widened).add_(attended))
        return output


def _attention(query: Tensor, key: Tensor, value: Tensor, *, heads: int, bias: Tensor | None) -> Tensor:
    """What queries (rows, some, width) find among all tokens of their row, in as many parts as there are heads."""

    def parts(projected: Tensor) -> Tensor:  # (rows, heads, tokens, width of a head)
        return projected.view(*projected.shape[:2], heads, -1).transpose(1, 2)

    mixed = nn.functional.scaled_dot_product_attention(parts(query), parts(key), parts(value), attn_mask=bias)
    return mixed.transpose(1, 2).flatten(-2)


def _side_by_side(*linears: nn.Linear) -> nn.Linear:
    """Several layers with the same input as one."""
    with torch.device("meta"):
        joined = nn.Linear(linears[0].in_features, sum(linear.out_features for linear in linears))
    joined.weight = nn.Parameter(torch.cat([linear.weight.detach() for linear in linears]), requires_grad=False)
    joined.bias = nn.Parameter(torch.cat([linear.bias.detach() for linear in linears]), requires_grad=False)
    return joined
