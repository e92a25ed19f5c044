"""The agent that is told a length: which word goes next, seen from what is left of the sentence.

Its first layer is linear in the encodings of a word, of its neighbours in the draft and of the draft as a whole, so
that the large products are taken once per sentence (`Reading`); a step gathers and adds.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ealm.common.goal_config import GoalAgentSettings

_FAR = 5
"""Missing words between two neighbours are told apart up to this number."""

_MANY = 20
"""Scale of word counts."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the first layer makes of the words of sentences, before anything is removed."""

    own: Tensor
    """(batch, words, hidden), as are the others; neighbours have a last row more, for "no word there"."""
    left: Tensor | None
    right: Tensor | None
    draft: Tensor | None
    worth: Tensor | None
    """What the agent takes the words to be worth: (batch, words), with a last column more."""
    lengths: Tensor
    """Words of each sentence: (batch,)."""


class GoalAgent(nn.Module):
    """Q-value of removing each word of a draft, given the number of words that shall be left."""

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
        self.numbers = nn.Linear(_NUMBERS + _WORTHS * self.settings.estimates, hidden, bias=False)
        self.second = nn.Linear(hidden, hidden)
        self.advantage = nn.Linear(hidden, 1)
        if self.settings.dueling:
            self.value = nn.Linear(hidden, 1)
        if self.settings.estimates:
            layers = [nn.Linear(width, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 1)]
            self.worth = nn.ModuleList(layers)

    def worths(self, encodings: Tensor, dropout: "Dropout | None" = None) -> Tensor:
        """What words are worth to a draft, as far as one look tells: (..., width) to (...)."""
        hidden = encodings
        for layer in self.worth[:-1]:
            hidden = torch.relu(layer(dropout(hidden) if dropout else hidden))
        estimated: Tensor = self.worth[-1](dropout(hidden) if dropout else hidden)[..., 0]
        return estimated

    def read(self, encodings: Tensor, present: Tensor) -> Reading:
        """Look at sentences once; `encodings` is (batch, words, width), `present` (batch, words)."""
        left = right = draft = None
        if self.settings.neighbours:
            left, right = (_with_nobody(layer(encodings)) for layer in (self.left, self.right))
        if self.settings.draft:
            draft = self.draft(encodings)
        worth = None
        if self.settings.estimates:
            # A judgement of its own: what the Q-values need must not change it.
            worth = nn.functional.pad(self.worths(encodings).detach(), (0, 1))
        return Reading(self.own(encodings), left, right, draft, worth, present.sum(dim=1))

    def forward(self, reading: Reading, kept: Tensor, goal: Tensor) -> Tensor:
        """Q-values of removing each word: (batch, states, words), -inf where no word is left.

        `kept` (batch, states, words) tells what is left in each state, `goal` (batch,) how many words shall be.
        """
        before, after = neighbours(kept)
        numbers = self._numbers(kept, before, after, goal, reading.lengths)
        if reading.worth is not None:
            numbers = torch.cat([numbers, _worths_around(reading.worth, kept, before, after)], dim=-1)
        hidden = reading.own[:, None] + self.numbers(numbers)
        if reading.left is not None and reading.right is not None:
            hidden = hidden + _gathered(reading.left, before) + _gathered(reading.right, after)
        share = kept / kept.sum(dim=-1, keepdim=True).clamp_min(1)  # (batch, states, words)
        if reading.draft is not None:
            hidden = hidden + (share @ reading.draft)[:, :, None]
        hidden = torch.relu(self.second(torch.relu(hidden)))
        q_values: Tensor = self.advantage(hidden)[..., 0]
        if self.settings.dueling:
            mean = (share * q_values).sum(dim=-1, keepdim=True)
            state = (share[..., None] * hidden).sum(dim=2)  # (batch, states, hidden)
            q_values = self.value(state) + q_values - mean
        return q_values.masked_fill(~kept, -torch.inf)

    def _numbers(self, kept: Tensor, before: Tensor, after: Tensor, goal: Tensor, lengths: Tensor) -> Tensor:
        """What is told in numbers: (batch, states, words, numbers)."""
        words = kept.shape[-1]
        place = torch.arange(words, device=kept.device).expand(kept.shape)
        length = lengths[:, None, None].expand(kept.shape)
        left = kept.sum(dim=-1, keepdim=True).expand(kept.shape)
        wanted = goal[:, None, None].expand(kept.shape)
        last = torch.where(after == words, length, after)
        gaps = [(place - before % (words + 1) - 1), (last - place - 1)]
        gaps[0] = torch.where(before == words, place, gaps[0])
        near = [gap.clamp(0, _FAR) / _FAR for gap in gaps] + [(before == words), (after == words)]
        where = [place / length, place.clamp(max=_MANY) / _MANY]
        if not self.settings.neighbours:
            near = [torch.zeros_like(number) for number in near]
        if not self.settings.position:
            where = [torch.zeros_like(number) for number in where]
        told = [length / _MANY, left / _MANY, wanted / _MANY, (left - wanted) / _MANY, wanted / length, left / length]
        return torch.stack([number.to(self.own.weight.dtype) for number in (*near, *where, *told)], dim=-1)


_NUMBERS = 12
_WORTHS = 4


def _worths_around(worth: Tensor, kept: Tensor, before: Tensor, after: Tensor) -> Tensor:
    """Estimates for a word and its neighbours against the rest of the draft: (batch, states, words, 4)."""
    own = worth[:, None, :-1].expand(kept.shape)
    count = kept.sum(dim=-1, keepdim=True).clamp_min(1)
    mean = (own * kept).sum(dim=-1, keepdim=True) / count
    spread = ((own - mean).square() * kept).sum(dim=-1, keepdim=True).div(count).sqrt().expand(kept.shape)
    rows = worth[:, None].expand(*kept.shape[:2], -1)
    around = [torch.where(places == kept.shape[-1], 0, rows.gather(2, places) - mean) for places in (before, after)]
    return torch.stack([own - mean, *around, spread], dim=-1)


class Dropout:
    """Hides a share of the numbers, by a chance of its own, so that a run can be taken up exactly."""

    def __init__(self, share: float, seed: int) -> None:
        self._share = share
        self._generator = torch.Generator().manual_seed(seed)

    def __call__(self, values: Tensor) -> Tensor:
        chance = torch.rand(values.shape, generator=self._generator).to(values.device)
        return values * (chance >= self._share) / (1 - self._share)


def neighbours(kept: Tensor) -> tuple[Tensor, Tensor]:
    """Places of the next words that are left before and after each word, or the number of words for none.

    `kept` is (..., words), and so are both answers.
    """
    words = kept.shape[-1]
    place = torch.arange(words, device=kept.device)
    so_far = torch.where(kept, place, -1).cummax(dim=-1).values
    from_here = torch.where(kept, place, words).flip(-1).cummin(dim=-1).values.flip(-1)
    nobody = torch.full_like(so_far[..., :1], words)
    before = torch.cat([nobody, so_far[..., :-1]], dim=-1)
    after = torch.cat([from_here[..., 1:], nobody], dim=-1)
    return torch.where(before < 0, words, before), after


def _with_nobody(rows: Tensor) -> Tensor:
    """One row of zeros more: the neighbour of a word that has none."""
    return nn.functional.pad(rows, (0, 0, 0, 1))


def _gathered(rows: Tensor, places: Tensor) -> Tensor:
    """Rows (batch, words + 1, hidden) by place (batch, states, words): (batch, states, words, hidden)."""
    batch, height, hidden = rows.shape
    first = torch.arange(batch, device=rows.device)[:, None, None] * height
    return rows.flatten(0, 1).index_select(0, (places + first).flatten()).view(*places.shape, hidden)
