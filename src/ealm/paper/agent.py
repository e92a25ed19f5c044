"""The editorial agent: state encoder and Q-network (section 4.3.1).

`Agent.forward` is the formula of the paper. `WalkEncoder` computes the same Q-values along a walk from products that
are computed once per sentence: biases are scalars, so l_i . l_j and the first layer are linear in them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ealm.common.config import AgentSettings
from ealm.paper.edits import Action

ACTIONS = len(Action)


class Agent(nn.Module):
    """Q-values of the three actions for each word, given what has been decided so far."""

    def __init__(self, width: int, settings: AgentSettings | None = None, *, spread: float = 1.0) -> None:
        """`width` is the length of an encoding e_i, `spread` the standard deviation of its numbers."""
        super().__init__()
        self.width = width
        self.settings = settings or AgentSettings()
        hidden = self.settings.hidden_units
        # Drawn, not 0: only by its biases does the agent see what has been decided.
        largest = self.settings.bias_range * spread
        self.action_bias = nn.Parameter(torch.empty(ACTIONS).uniform_(-largest, largest))
        self.decided_bias = nn.Parameter(torch.empty(2).uniform_(-largest, largest))
        self.first = nn.Linear(2 * width, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, ACTIONS)

    def bias(self, actions: Tensor, decided: Tensor) -> Tensor:
        """b^a + b^u for each word; any shape, kept."""
        return self.action_bias[actions] + self.decided_bias[decided]

    def local_encoding(self, encodings: Tensor, actions: Tensor, decided: Tensor) -> Tensor:
        """l_i = e_i + b^a + b^u: (batch, words, width)."""
        return encodings + self.bias(actions, decided)[..., None]

    def forward(
        self, encodings: Tensor, actions: Tensor, decided: Tensor, present: Tensor, word: Tensor | None = None
    ) -> Tensor:
        """Q-values of every word, (batch, words, actions), or of one `word` (batch,) each, (batch, actions).

        `encodings` is (batch, words, width); `actions`, `decided` and `present` are (batch, words),
        `present` being False at padding.
        """
        if word is not None:
            return self._of_one_word(encodings, self.bias(actions, decided), present, word)
        local = self.local_encoding(encodings, actions, decided)
        scores = local @ local.transpose(1, 2)  # l_i . l_j: (batch, words, words)
        global_encoding = attention(scores, present) @ local  # g_i: (batch, words, width)
        state = torch.cat([local, global_encoding], dim=-1)  # s_i = [l_i; g_i]
        return self.head(self.first(state))

    def _of_one_word(self, encodings: Tensor, bias: Tensor, present: Tensor, word: Tensor) -> Tensor:
        """The same for one word of each sentence: biases are scalars, so no local encoding but its own is built."""
        own = encodings[torch.arange(len(word), device=word.device), word]  # e_i: (batch, width)
        own_bias, sums = bias.gather(1, word[:, None]), encodings.sum(dim=-1)
        products = (encodings @ own[..., None])[..., 0]  # e_i . e_j: (batch, words)
        scores = products + bias * sums.gather(1, word[:, None]) + own_bias * (sums + self.width * bias)
        weights = attention(scores[:, None], present)  # (batch, 1, words)
        global_encoding = (weights @ encodings)[:, 0] + (weights[:, 0] * bias).sum(dim=1, keepdim=True)
        return self.head(self.first(torch.cat([own + own_bias, global_encoding], dim=-1)))

    def head(self, first: Tensor) -> Tensor:
        """The layers after the first linear one."""
        hidden = torch.relu(first) if self.settings.activate_first_layer else first
        q_values: Tensor = self.output(torch.relu(self.second(hidden)))
        return q_values


def attention(scores: Tensor, present: Tensor) -> Tensor:
    """Weights w_j: ReLU in place of exp (section 4.3.1 and its footnote); zero at padding.

    A word always attends to itself, as l_i . l_i > 0; the clamp only keeps an all-zero row from dividing by zero.
    """
    weights = torch.relu(scores) * present[:, None, :]
    return weights / weights.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(weights.dtype).tiny)


def pad(encodings: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Sentences of different lengths as one batch: encodings (batch, words, width) and present (batch, words)."""
    batch = nn.utils.rnn.pad_sequence(list(encodings), batch_first=True)
    lengths = torch.tensor([len(sentence) for sentence in encodings], device=batch.device)
    present = torch.arange(batch.shape[1], device=batch.device)[None] < lengths[:, None]
    return batch, present


@dataclass(frozen=True, slots=True)
class Projection:
    """What the Q-values of a sentence need of an agent's first layer, whatever has been decided."""

    products: Tensor
    """e_i . e_j: (words, words)"""
    sums: Tensor
    """Of each encoding: (words,)"""
    own: Tensor
    """A e_i: (words, hidden)"""
    shared: Tensor
    """B e_j: (words, hidden)"""

    @classmethod
    @torch.no_grad()
    def of(cls, agent: Agent, encodings: Tensor) -> "Projection":
        """For one sentence (words, width), or for a batch of them."""
        own, shared = agent.first.weight[:, : agent.width], agent.first.weight[:, agent.width :]
        return cls(
            encodings @ encodings.transpose(-1, -2),
            encodings.sum(dim=-1),
            encodings @ own.T + agent.first.bias,
            encodings @ shared.T,
        )

    @classmethod
    def padded(cls, projections: Sequence["Projection"]) -> "Projection":
        """Sentences as one batch."""
        longest = max(len(each.sums) for each in projections)
        products = projections[0].products.new_zeros(len(projections), longest, longest)
        for row, each in zip(products, projections, strict=True):
            row[: len(each.sums), : len(each.sums)] = each.products
        rest = ([getattr(each, name) for each in projections] for name in ("sums", "own", "shared"))
        return cls(products, *(nn.utils.rnn.pad_sequence(column, batch_first=True) for column in rest))


class WalkEncoder:
    """Q-values along the walks of a batch of sentences, at a fraction of `Agent.forward`.

    With c_i = b^a + b^u, a scalar, and W = [A; B] the first layer:
    l_i . l_j = e_i . e_j + c_j sum(e_i) + c_i sum(e_j) + c_i c_j width, and
    W s_i = (A e_i + c_i A 1) + sum_j w_ij (B e_j + c_j B 1).
    The weights w_ij are not normalised before the sum over j but after it, where there is less to divide.
    """

    @torch.no_grad()
    def __init__(self, agent: Agent, projection: Projection, present: Tensor) -> None:
        self._agent = agent
        own, shared = agent.first.weight[:, : agent.width], agent.first.weight[:, agent.width :]
        # -inf at padding becomes the weight 0.
        self._products = projection.products.masked_fill(~present[:, None], -torch.inf)  # (batch, words, words)
        self._sums = projection.sums  # (batch, words)
        self._own = projection.own  # (batch, words, hidden)
        self._own_ones, self._shared_ones = own.sum(dim=1), shared.sum(dim=1)  # (hidden,)
        ones = torch.ones_like(self._sums)
        # What is summed over j: B e_j, then c_j (filled in at each step), then 1 for the sum of the weights.
        self._summed = torch.cat([projection.shared, ones[..., None], ones[..., None]], dim=-1)

    @torch.no_grad()
    def q_values(self, actions: Tensor, decided: Tensor, words: Tensor) -> Tensor:
        """Q-values of the words numbered in `words` (rows, some): (rows, some, actions).

        `actions`, `decided` and `words` may leave out the last rows of the batch.
        """
        agent = self._agent
        hidden = len(self._own_ones)
        rows, all_words = actions.shape
        # Plain copies of whole rows by flat number; indexing by two tensors takes several times longer.
        flat = (words + all_words * torch.arange(rows, device=words.device)[:, None]).flatten()

        def of_words(values: Tensor) -> Tensor:
            return values.flatten(0, 1).index_select(0, flat).view(*words.shape, -1)

        bias = agent.bias(actions, decided)  # c: (rows, all words)
        own_bias = bias.gather(1, words)[..., None]
        own_sums = self._sums[:rows].gather(1, words)[..., None]
        left = torch.cat([own_sums + agent.width * own_bias, own_bias], dim=-1)  # (rows, some, 2)
        right = torch.stack([bias, self._sums[:rows]], dim=1)  # (rows, 2, all words)
        weights = torch.baddbmm(of_words(self._products), left, right).relu_()  # (rows, some, all words)
        self._summed[:rows, :, hidden] = bias
        summed = weights @ self._summed[:rows]  # (rows, some, hidden + 2)
        total = summed[..., hidden + 1 :].clamp_min(torch.finfo(summed.dtype).tiny)
        shared = torch.addcmul(summed[..., :hidden], summed[..., hidden : hidden + 1], self._shared_ones)
        own = torch.addcmul(of_words(self._own), own_bias, self._own_ones)
        return agent.head(torch.addcdiv(own, shared, total))
