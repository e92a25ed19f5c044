"""Fitting a causal language model: corpus, loss, update, perplexity. Knows nothing of files."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ealm.baselines.cmatch.causal_lm import CausalLM
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.vocabulary import END, START, Vocabulary
from ealm.common.checkpoint import optimizer_tensors, prefixed, restore_optimizer
from ealm.common.errors import CorpusError
from ealm.lm.adapt.corpus import Ids, LmCorpus, chunks_of_sentences
from ealm.lm.batching import rows_by_length

_CHUNK = 4_096
"""Sentences that are sorted by length together."""
_IGNORED = -100
_WEIGHT = "weight."
_COUNTERS = ("updates", "chunk", "batches_done", "tokens")


def encoded(sentences: Sequence[Sequence[str]], vocabulary: Vocabulary, *, longest: int, name: str) -> LmCorpus:
    """Sentences as numbers, without those that are empty or too long; `name` is what an error calls them."""
    rows = [
        np.fromiter(map(vocabulary.number, sentence), dtype=np.int32, count=len(sentence))
        for sentence in sentences
        if 1 <= len(sentence) <= longest
    ]
    if len(rows) < 2:
        raise CorpusError(
            f"Of {len(sentences):,} {name}, {len(rows)} have 1 to {longest} words. Give at least two: "
            "one is set aside for the perplexity."
        )
    return LmCorpus(np.concatenate(rows), np.concatenate([[0], np.cumsum([len(row) for row in rows])]))


@dataclass(frozen=True, slots=True)
class LmBatch:
    """Sentences to predict word by word; both (sentences, 1 + words)."""

    ids: Tensor
    """The start token and the words."""
    wanted: Tensor
    """The words and the end token; positions behind the end are not asked."""

    @classmethod
    def of(cls, sentences: Sequence[Ids]) -> "LmBatch":
        """Fill up to the longest sentence."""
        longest = max(map(len, sentences))
        ids = torch.full((len(sentences), longest + 1), END)
        wanted = torch.full((len(sentences), longest + 1), _IGNORED)
        ids[:, 0] = START
        for row, sentence in enumerate(sentences):
            words = torch.from_numpy(sentence.astype(np.int64))
            ids[row, 1 : len(sentence) + 1] = words
            wanted[row, : len(sentence)] = words
            wanted[row, len(sentence)] = END
        return cls(ids, wanted)

    @property
    def tokens(self) -> int:
        """How many words and end tokens are asked."""
        return int((self.wanted != _IGNORED).sum())


def set_frequencies(model: CausalLM, corpus: LmCorpus) -> None:
    """Let the output start from how frequent each word is."""
    bias = model.output_words.bias
    counts = np.bincount(corpus.flat, minlength=len(bias)) + 1
    counts[END] += len(corpus)
    with torch.no_grad():
        bias.copy_(torch.from_numpy(np.log(counts / counts.sum())).float())


def estimated_loss(
    model: CausalLM, top: Tensor, wanted: Tensor, *, negatives: int, generator: torch.Generator
) -> Tensor:
    """Mean cross entropy of the wanted words (tokens), predicted from `top` (tokens, width).

    The softmax is over the wanted words of all tokens and some drawn from the others. Each of these stands for as
    many as there are others for one drawn, so that the sum below the fraction line is right on average.
    """
    asked, target = torch.unique(wanted, return_inverse=True)
    table = model.output_words
    other = torch.ones(table.out_features, dtype=torch.bool)
    other[asked] = False
    others = other.nonzero()[:, 0]
    drawn = others
    if 0 < negatives < len(others):
        drawn = others[torch.randperm(len(others), generator=generator)[:negatives]]
    chosen = torch.cat([asked, drawn])
    scores = nn.functional.linear(model.output(top), table.weight[chosen], table.bias[chosen])
    stands_for = torch.zeros(len(chosen))
    if len(drawn):
        stands_for[len(asked) :] = math.log(len(others) / len(drawn))
    return nn.functional.cross_entropy(scores + stands_for, target)


class CausalLmFitter:
    """Fits a model, one update at a time."""

    def __init__(self, model: CausalLM, settings: CMatchSettings, seed: int) -> None:
        self.model = model
        self.updates = 0
        self.chunk = 0
        """Number of the chunk of sentences that is learned from now."""
        self.batches_done = 0
        """Batches of that chunk that have been learned from."""
        self.tokens = 0
        self._settings = settings
        self._seed = seed
        self._generator = torch.Generator()
        fitted = [weight for weight in model.parameters() if weight.requires_grad]
        matrices = [weight for weight in fitted if weight.dim() > 1]
        vectors = [weight for weight in fitted if weight.dim() < 2]
        self._optimizer = torch.optim.AdamW(
            [{"params": matrices, "weight_decay": settings.weight_decay}, {"params": vectors, "weight_decay": 0.0}],
            lr=settings.learning_rate,
            fused=True,
        )

    def batches(self, corpus: LmCorpus) -> Iterator[LmBatch]:
        """Batches without end, from where the fitter is; they depend on nothing but the seed."""
        for number, sentences in chunks_of_sentences(corpus, size=_CHUNK, seed=self._seed, start=self.chunk):
            groups = list(rows_by_length([len(ids) + 1 for ids in sentences], self._settings.tokens_per_update))
            order = np.random.default_rng([self._seed, number, 3]).permutation(len(groups))
            for group in order[self.batches_done :]:
                yield LmBatch.of([sentences[row] for row in groups[group]])
            self.chunk, self.batches_done = number + 1, 0

    def update(self, batch: LmBatch, *, time_left: float) -> float:
        """One step; the learning rate falls with the share of the time that is still to come."""
        settings = self._settings
        self.model.train()
        torch.manual_seed(1_000_003 * self._seed + self.updates)  # for dropout
        self._generator.manual_seed(1_000_003 * self._seed + self.updates)
        warm_up = min(1.0, (self.updates + 1) / settings.warm_up_updates)
        for group in self._optimizer.param_groups:
            group["lr"] = settings.learning_rate * warm_up * min(1.0, max(0.0, time_left))
        asked = batch.wanted != _IGNORED
        top = self.model.read(batch.ids)[-1][asked]  # (tokens, width)
        loss = estimated_loss(
            self.model, top, batch.wanted[asked], negatives=settings.negative_words, generator=self._generator
        )
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), settings.gradient_clip)
        self._optimizer.step()
        self._optimizer.zero_grad()
        self.updates += 1
        self.batches_done += 1
        self.tokens += batch.tokens
        return loss.item()

    @torch.no_grad()
    def perplexity(self, corpus: LmCorpus) -> float:
        """Of all words and end tokens of a corpus, by the whole softmax."""
        self.model.eval()
        loss, tokens = 0.0, 0
        sentences = [corpus[number] for number in range(len(corpus))]
        for group in rows_by_length([len(ids) + 1 for ids in sentences], self._settings.tokens_per_update):
            batch = LmBatch.of([sentences[row] for row in group])
            asked = batch.wanted != _IGNORED
            scores = self.model.log_probabilities(self.model.read(batch.ids)[-1][asked])
            loss += nn.functional.nll_loss(scores, batch.wanted[asked], reduction="sum").item()
            tokens += batch.tokens
        return math.exp(min(loss / tokens, 700.0))

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Everything that the next update depends on: tensors, and values for JSON."""
        weights = prefixed(_WEIGHT, self.model.state_dict())
        return {**weights, **optimizer_tensors(self._optimizer)}, {name: getattr(self, name) for name in _COUNTERS}

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """The reverse; raises KeyError, TypeError, ValueError or RuntimeError if something does not fit."""
        for name in _COUNTERS:
            if not isinstance(values[name], int):
                raise TypeError(f"{name} is no number")
        weights = {name.removeprefix(_WEIGHT): t for name, t in tensors.items() if name.startswith(_WEIGHT)}
        self.model.load_state_dict(weights)
        restore_optimizer(self._optimizer, tensors, required=values["updates"] > 0)
        for name in _COUNTERS:
            setattr(self, name, values[name])
