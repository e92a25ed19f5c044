"""Fitting a masked language model: loss, update, scores. Knows nothing of files."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from ealm.common.checks import Checked, check_above_zero, check_at_least
from ealm.lm.adapt.corpus import LmCorpus, chunks_of_sentences
from ealm.lm.adapt.masking import NOT_ASKED, Batch, MaskingTokens, batches, masked_row, scoring_row

Method = Literal["all", "head"]

_CHUNK = 4_096
"""Sentences that are sorted by length together."""
_SCORED_SHARE = 0.15
_SCORING_SEED = 7
SCORED_WORDS = 2_000
_MOST_PASSES = 8
"""A score is of so many hidden words at least, unless they would be the same ones again and again."""
_SCORING_TOKENS = 4_096
_BETAS, _BETAS_OF_WORDS = (0.9, 0.98), (0.9, 0.999)
"""Adam's decay rates. The second moment of words decays slowly, so that it spans the updates between two occurrences of
a rare word."""
_GREATEST_LOSS = 700.0
"""Its exponential is near the greatest number there is."""


@dataclass(frozen=True, kw_only=True)
class FittingSettings(Checked):
    """How to fit."""

    method: Method = "all"
    """What learns: all weights, or the head alone."""
    learning_rate: float = 5e-4
    tokens_per_update: int = 2_048
    warm_up_updates: int = 60
    weight_decay: float = 0.01
    rare_word_epsilon: float = 1e-5
    """Adam's epsilon for the word table and the words' biases. Adam makes steps of the same size of small gradients as
    of great ones, and every update asks nearly all words to become a little less probable: without this damping rare
    words drift away until they are worse guesses than their frequency."""
    gradient_clip: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_above_zero(self, "learning_rate", "rare_word_epsilon", "gradient_clip")
        check_at_least(self, 1, "tokens_per_update", "warm_up_updates")
        check_at_least(self, 0, "weight_decay", "seed")


@dataclass(frozen=True, slots=True)
class LmScores:
    """How well hidden words are guessed: 15 % of the known words of lone sentences."""

    perplexity: float
    top_1: float
    top_10: float
    words: int

    def __str__(self) -> str:
        return (
            f"perplexity {self.perplexity:.2f}, top-1 {self.top_1:.3f}, top-10 {self.top_10:.3f} ({self.words:,} words)"
        )


class LmFitter:
    """Fits a model, one update at a time."""

    def __init__(
        self, model: Any, head: Any, *, tokens: MaskingTokens, not_a_word: Tensor, settings: FittingSettings
    ) -> None:
        """`head` gives scores from hidden states, rows and columns, as in `masked_lm`."""
        self.model = model
        self.settings = settings
        self.updates = 0
        self.chunk = 0
        """Number of the chunk of sentences that is learned from now."""
        self.batches_done = 0
        """Batches of that chunk that have been learned from."""
        self._head = head
        self._tokens = tokens
        self._not_a_word = not_a_word
        self._learning = _make_learnable(model, settings)
        self.optimizer = _optimizer(self._learning, len(not_a_word), settings)

    def chunks(self, corpus: LmCorpus) -> Iterator[list[Batch]]:
        """Masked batches, a chunk of sentences at a time, without end, from where the fitter is."""
        seed = self.settings.seed
        for number, sentences in chunks_of_sentences(corpus, size=_CHUNK, seed=seed, start=self.chunk):
            rng = np.random.default_rng([seed, number, 2])
            rows = [row for row in (masked_row(ids, self._tokens, rng) for ids in sentences) if row is not None]
            grouped = batches(rows, self.settings.tokens_per_update, rng)
            yield [Batch.of(group, self._tokens.padding) for group in grouped[self.batches_done :]]
            self.chunk, self.batches_done = number + 1, 0

    def update(self, batch: Batch, *, time_left: float) -> float:
        """One step; `time_left` is the share of the time still to come, by which the learning rate falls."""
        self.model.train()
        torch.manual_seed(1_000_003 * self.settings.seed + self.updates)  # for dropout, where a model has it
        warm_up = min(1.0, (self.updates + 1) / self.settings.warm_up_updates)
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * warm_up * max(0.0, time_left)
        scores, wanted = self._scores(batch)
        loss = nn.functional.cross_entropy(scores, wanted)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._learning, self.settings.gradient_clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.updates += 1
        self.batches_done += 1
        return loss.item()

    def _scores(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Scores of all words at the chosen positions (positions, vocabulary), and the words that stood there."""
        hidden = self.model.base_model(
            input_ids=batch.ids, attention_mask=batch.attention, token_type_ids=batch.segments
        )[0]
        rows, columns = (batch.wanted != NOT_ASKED).nonzero(as_tuple=True)
        scores = self._head(hidden, rows, columns)
        return scores.masked_fill(self._not_a_word, -torch.inf), batch.wanted[rows, columns]

    @torch.no_grad()
    def score(self, corpus: LmCorpus, *, most: int = 5_000) -> LmScores:
        """Scores on held-out sentences: always the same holes."""
        self.model.eval()
        rng = np.random.default_rng(_SCORING_SEED)
        sentences = (corpus[number] for number in range(min(most, len(corpus))))
        rows = _with_holes([*sentences], self._tokens, rng)
        loss, first, tenth, count = 0.0, 0, 0, 0
        for group in batches(rows, _SCORING_TOKENS, rng):
            scores, wanted = self._scores(Batch.of(group, self._tokens.padding))
            loss += nn.functional.cross_entropy(scores, wanted, reduction="sum").item()
            best = scores.topk(10).indices == wanted[:, None]
            first += int(best[:, 0].sum())
            tenth += int(best.any(dim=1).sum())
            count += len(wanted)
        if not count:
            return LmScores(math.nan, math.nan, math.nan, 0)
        mean = loss / count
        return LmScores(math.exp(mean) if mean < _GREATEST_LOSS else math.inf, first / count, tenth / count, count)


def _with_holes(sentences: Sequence[Any], tokens: MaskingTokens, rng: np.random.Generator) -> list[Any]:
    """Sentences with some words hidden; several times with other ones, if there are few sentences."""
    found: list[Any] = []
    hidden = 0
    for _ in range(_MOST_PASSES):
        rows = [scoring_row(ids, tokens, _SCORED_SHARE, rng) for ids in sentences]
        found += [row for row in rows if row is not None]
        hidden = sum(int((np.asarray(row.wanted) != NOT_ASKED).sum()) for row in found)
        if hidden >= SCORED_WORDS:
            break
    return found


def _optimizer(learning: Iterable[nn.Parameter], words: int, settings: FittingSettings) -> torch.optim.AdamW:
    """AdamW; weights with a row for each of the `words` have a way of their own."""
    of_words: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for weight in learning:
        (of_words if len(weight) == words else others).append(weight)
    damped = {"betas": _BETAS_OF_WORDS, "eps": settings.rare_word_epsilon}
    groups = [
        {"params": [weight for weight in others if weight.dim() > 1], "weight_decay": settings.weight_decay},
        {"params": [weight for weight in others if weight.dim() < 2], "weight_decay": 0.0},
        {
            "params": [weight for weight in of_words if weight.dim() > 1],
            "weight_decay": settings.weight_decay,
            **damped,
        },
        {"params": [weight for weight in of_words if weight.dim() < 2], "weight_decay": 0.0, **damped},
    ]
    return torch.optim.AdamW(groups, lr=settings.learning_rate, betas=_BETAS, fused=True)


def _make_learnable(model: Any, settings: FittingSettings) -> list[nn.Parameter]:
    """Turn learning on and off by the method; returns the weights that learn."""
    if settings.method == "head":
        for weight in model.base_model.parameters():
            weight.requires_grad_(False)
    return [weight for weight in model.parameters() if weight.requires_grad]
