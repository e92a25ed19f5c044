"""The head on the encoder's states: biaffine arcs and relations (Dozat and Manning, 2017), and part-of-speech tags.

States of all layers side by side -> a narrow projection -> two convolutions over neighbouring words -> scores. The
encoder is frozen; this is all that is trained.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ealm.text.word_shapes import SHAPES

_FARTHEST = 24
"""Words between head and dependent up to which the distance counts."""


@dataclass(frozen=True, slots=True)
class ParserShape:
    """Sizes of a parser network and the names of what it predicts."""

    inputs: int
    relations: tuple[str, ...]
    tags: tuple[str, ...]
    width: int = 232
    arc_width: int = 160
    relation_width: int = 64


class ParserNetwork(nn.Module):
    """Scores arcs, relations and tags of padded sentences."""

    def __init__(self, shape: ParserShape, *, dropout: float = 0.15) -> None:
        super().__init__()
        width = shape.width
        self.shape = shape
        self.mean: Tensor
        self.deviation: Tensor
        self.register_buffer("mean", torch.zeros(shape.inputs))
        self.register_buffer("deviation", torch.ones(shape.inputs))
        self.project = nn.Linear(shape.inputs, width)
        self.written = nn.Linear(SHAPES, width, bias=False)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.convolutions = nn.ModuleList(nn.Linear(3 * width, width) for _ in range(2))
        self.arcs = _Arcs(width, shape.arc_width)
        self.relations = _Relations(width, shape.relation_width, count=len(shape.relations))
        self.tags = nn.Linear(width, len(shape.tags))
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, shapes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Contexts (rows, words, width) and scores of arcs (rows, words, words + 1); head 0 is above the root.

        `states` (rows, words, inputs) of the encoder, `shapes` (rows, words, SHAPES), `mask` (rows, words): is a word.
        """
        return self.from_normalized((states - self.mean) / self.deviation, shapes, mask)

    def from_normalized(self, states: Tensor, shapes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The same for states with mean 0 and deviation 1."""
        hidden = self._projected(states) + self.written(shapes)
        for norm, convolution in zip(self.norms, self.convolutions, strict=False):
            hidden = hidden + self.dropout(nn.functional.gelu(convolution(_neighbours(norm(hidden), mask))))
        context = self.dropout(self.norms[-1](hidden))
        return context, self.arcs(context, mask)

    @torch.no_grad()
    def fold_normalization(self) -> None:
        """Put mean and deviation of the inputs into the projection, so that bare states go to `from_normalized`."""
        weight = self.project.weight / self.deviation
        self.project.bias.sub_(weight @ self.mean)
        self.project.weight.copy_(weight)
        self.mean.zero_()
        self.deviation.fill_(1)

    def _projected(self, states: Tensor) -> Tensor:
        if not self.training:
            return self.project(states)  # type: ignore[no-any-return]
        # One mask for the whole batch, on the weights: far cheaper than one on the wide states.
        weight = self.project.weight * self.dropout(torch.ones_like(self.project.weight[:1]))
        return nn.functional.linear(states, weight, self.project.bias)


class _Arcs(nn.Module):
    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.dependent, self.head = nn.Linear(inputs, width), nn.Linear(inputs, width)
        self.pair = nn.Linear(width, width)
        self.root = nn.Parameter(torch.zeros(width))
        self.distance = nn.Parameter(torch.zeros(2 * _FARTHEST + 1))
        self.dropout = nn.Dropout(0.15)

    def forward(self, context: Tensor, mask: Tensor) -> Tensor:
        dependents = self.pair(self.dropout(nn.functional.gelu(self.dependent(context))))
        heads = self.dropout(nn.functional.gelu(self.head(context)))
        heads = torch.cat([self.root.expand(len(heads), 1, -1), heads], dim=1)
        scores: Tensor = dependents @ heads.transpose(1, 2)  # (rows, words, words + 1)
        index = torch.arange(context.shape[1], device=context.device)
        distances = (index[None, :] - index[:, None]).clamp(-_FARTHEST, _FARTHEST) + _FARTHEST
        scores = scores + nn.functional.pad(self.distance[distances], (1, 0))
        return scores.masked_fill(~nn.functional.pad(mask, (1, 0), value=True)[:, None], float("-inf"))


class _Relations(nn.Module):
    def __init__(self, inputs: int, width: int, *, count: int) -> None:
        super().__init__()
        self.dependent, self.head = nn.Linear(inputs, width), nn.Linear(inputs, width)
        self.root = nn.Parameter(torch.zeros(width))
        self.pair = nn.Linear(width * width, count)
        self.single = nn.Linear(2 * width, count, bias=False)
        self.dropout = nn.Dropout(0.15)

    def forward(self, context: Tensor, heads: Tensor) -> Tensor:
        """(rows, words, relations), given the heads (rows, words); 0 is above the root."""
        dependents = self.dropout(nn.functional.gelu(self.dependent(context)))
        every = self.dropout(nn.functional.gelu(self.head(context)))
        every = torch.cat([self.root.expand(len(every), 1, -1), every], dim=1)
        chosen = every.gather(1, heads[..., None].expand(-1, -1, every.shape[-1]))
        products = (dependents[..., :, None] * chosen[..., None, :]).flatten(-2)
        scores: Tensor = self.pair(products) + self.single(torch.cat([dependents, chosen], dim=-1))
        return scores


def _neighbours(hidden: Tensor, mask: Tensor) -> Tensor:
    """Each word between the word before and the word after it: (rows, words, 3 * width)."""
    padded = nn.functional.pad(hidden * mask[..., None], (0, 0, 1, 1))
    return torch.cat([padded[:, :-2], padded[:, 1:-1], padded[:, 2:]], dim=-1)
