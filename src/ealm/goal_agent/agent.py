"""The goal agent: Q-values of removing each word, given the kept words and the goal length.

The first layer is linear in the encodings of a word, of its kept neighbours and of the selection as a whole, so the
large products are computed once per sentence (`FirstLayer`); a step gathers and adds.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ealm.common.goal_config import GoalAgentSettings

_LARGEST_GAP = 5
"""The number of words removed between two neighbours is clipped here."""

_COUNT_SCALE = 20
"""Scale of word counts."""


@dataclass(frozen=True, slots=True)
class FirstLayer:
    """Products of the first layer for sentences of which nothing is removed yet."""

    own: Tensor
    """(batch, words, hidden), as are the others; neighbours have a last row more, for "no word there"."""
    left: Tensor | None
    right: Tensor | None
    draft: Tensor | None
    word_scores: Tensor | None
    """Estimated scores of the words: (batch, words + 1), the last column for "no word there"."""
    lengths: Tensor
    """Words of each sentence: (batch,)."""


class GoalAgent(nn.Module):
    """Q-value of removing each word of a sentence, given the number of words to keep.

    The names of the layers are names in saved weights.
    """

    def __init__(self, width: int, settings: GoalAgentSettings | None = None) -> None:
        """`width` is the length of an encoding."""
        super().__init__()
        self.width = width
        self.settings = settings or GoalAgentSettings()
        hidden = self.settings.hidden_units
        self.own = nn.Linear(width, hidden)
        if self.settings.neighbours:
            self.left = nn.Linear(width, hidden, bias=False)
            self.right = nn.Linear(width, hidden, bias=False)
        if self.settings.draft:
            self.draft = nn.Linear(width, hidden, bias=False)
        self.numbers = nn.Linear(_FEATURES + _SCORE_FEATURES * self.settings.estimates, hidden, bias=False)
        self.second = nn.Linear(hidden, hidden)
        self.advantage = nn.Linear(hidden, 1)
        if self.settings.dueling:
            self.value = nn.Linear(hidden, 1)
        if self.settings.estimates:
            layers = [nn.Linear(width, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 1)]
            self.worth = nn.ModuleList(layers)

    def word_scores(self, encodings: Tensor, dropout: "Dropout | None" = None) -> Tensor:
        """Estimated word scores, from encodings alone: (..., width) to (...)."""
        hidden = encodings
        for layer in self.worth[:-1]:
            hidden = torch.relu(layer(dropout(hidden) if dropout else hidden))
        estimated: Tensor = self.worth[-1](dropout(hidden) if dropout else hidden)[..., 0]
        return estimated

    def first_layer(self, encodings: Tensor, present: Tensor) -> FirstLayer:
        """Products that all steps share; `encodings` is (batch, words, width), `present` (batch, words)."""
        left = right = draft = None
        if self.settings.neighbours:
            left, right = (_with_empty_row(layer(encodings)) for layer in (self.left, self.right))
        if self.settings.draft:
            draft = self.draft(encodings)
        scores = None
        if self.settings.estimates:
            # The gradient of the Q-values must not change the estimates.
            scores = nn.functional.pad(self.word_scores(encodings).detach(), (0, 1))
        return FirstLayer(self.own(encodings), left, right, draft, scores, present.sum(dim=1))

    def forward(self, first: FirstLayer, kept: Tensor, goal: Tensor) -> Tensor:
        """Q-values of removing each word: (batch, states, words), -inf for words that are not kept.

        `kept` (batch, states, words) are the kept words of each state, `goal` (batch,) the number of words to keep.
        """
        before, after = neighbours(kept)
        features = self._features(kept, before, after, goal, first.lengths)
        if first.word_scores is not None:
            features = torch.cat([features, _score_features(first.word_scores, kept, before, after)], dim=-1)
        hidden = first.own[:, None] + self.numbers(features)
        if first.left is not None and first.right is not None:
            hidden = hidden + _gathered(first.left, before) + _gathered(first.right, after)
        share = kept / kept.sum(dim=-1, keepdim=True).clamp_min(1)  # (batch, states, words)
        if first.draft is not None:
            hidden = hidden + (share @ first.draft)[:, :, None]
        hidden = torch.relu(self.second(torch.relu(hidden)))
        q_values: Tensor = self.advantage(hidden)[..., 0]
        if self.settings.dueling:
            mean = (share * q_values).sum(dim=-1, keepdim=True)
            state = (share[..., None] * hidden).sum(dim=2)  # (batch, states, hidden)
            q_values = self.value(state) + q_values - mean
        return q_values.masked_fill(~kept, -torch.inf)

    def _features(self, kept: Tensor, before: Tensor, after: Tensor, goal: Tensor, lengths: Tensor) -> Tensor:
        """Gaps, positions and lengths: (batch, states, words, features)."""
        words = kept.shape[-1]
        index = torch.arange(words, device=kept.device).expand(kept.shape)
        length = lengths[:, None, None].expand(kept.shape)
        left = kept.sum(dim=-1, keepdim=True).expand(kept.shape)
        wanted = goal[:, None, None].expand(kept.shape)
        last = torch.where(after == words, length, after)
        gaps = [(index - before % (words + 1) - 1), (last - index - 1)]
        gaps[0] = torch.where(before == words, index, gaps[0])
        near = [gap.clamp(0, _LARGEST_GAP) / _LARGEST_GAP for gap in gaps] + [(before == words), (after == words)]
        position = [index / length, index.clamp(max=_COUNT_SCALE) / _COUNT_SCALE]
        if not self.settings.neighbours:
            near = [torch.zeros_like(number) for number in near]
        if not self.settings.position:
            position = [torch.zeros_like(number) for number in position]
        counts = [number / _COUNT_SCALE for number in (length, left, wanted, left - wanted)]
        features = (*near, *position, *counts, wanted / length, left / length)
        return torch.stack([number.to(self.own.weight.dtype) for number in features], dim=-1)


_FEATURES = 12
_SCORE_FEATURES = 4


def _score_features(scores: Tensor, kept: Tensor, before: Tensor, after: Tensor) -> Tensor:
    """Scores of a word and its neighbours against the other kept words: (batch, states, words, 4)."""
    own = scores[:, None, :-1].expand(kept.shape)
    count = kept.sum(dim=-1, keepdim=True).clamp_min(1)
    mean = (own * kept).sum(dim=-1, keepdim=True) / count
    deviation = ((own - mean).square() * kept).sum(dim=-1, keepdim=True).div(count).sqrt().expand(kept.shape)
    rows = scores[:, None].expand(*kept.shape[:2], -1)
    around = [torch.where(index == kept.shape[-1], 0, rows.gather(2, index) - mean) for index in (before, after)]
    return torch.stack([own - mean, *around, deviation], dim=-1)


class Dropout:
    """Dropout with its own random generator, so that a resumed run is exactly the uninterrupted one."""

    def __init__(self, rate: float, seed: int) -> None:
        self._rate = rate
        self._generator = torch.Generator().manual_seed(seed)

    def __call__(self, values: Tensor) -> Tensor:
        drawn = torch.rand(values.shape, generator=self._generator).to(values.device)
        return values * (drawn >= self._rate) / (1 - self._rate)


def neighbours(kept: Tensor) -> tuple[Tensor, Tensor]:
    """Indices of the next kept words before and after each word, or the number of words if there is none.

    `kept` is (..., words), and so are both results.
    """
    words = kept.shape[-1]
    index = torch.arange(words, device=kept.device)
    so_far = torch.where(kept, index, -1).cummax(dim=-1).values
    from_here = torch.where(kept, index, words).flip(-1).cummin(dim=-1).values.flip(-1)
    nobody = torch.full_like(so_far[..., :1], words)
    before = torch.cat([nobody, so_far[..., :-1]], dim=-1)
    after = torch.cat([from_here[..., 1:], nobody], dim=-1)
    return torch.where(before < 0, words, before), after


def _with_empty_row(rows: Tensor) -> Tensor:
    """One row of zeros more: the neighbour of a word that has none."""
    return nn.functional.pad(rows, (0, 0, 0, 1))


def _gathered(rows: Tensor, indices: Tensor) -> Tensor:
    """Rows (batch, words + 1, hidden) by index (batch, states, words): (batch, states, words, hidden)."""
    batch, height, hidden = rows.shape
    first = torch.arange(batch, device=rows.device)[:, None, None] * height
    return rows.flatten(0, 1).index_select(0, (indices + first).flatten()).view(*indices.shape, hidden)
