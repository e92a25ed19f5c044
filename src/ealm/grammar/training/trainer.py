"""Updates of a parser network on cached examples."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from ealm.grammar.neural.network import ParserNetwork, ParserShape
from ealm.grammar.neural.parser import padded
from ealm.grammar.protocol import ROOT_RELATION
from ealm.grammar.training.example_cache import ExampleCache
from ealm.lm.batching import rows_by_length
from ealm.text.word_shapes import CASE_SHAPES

_LEARNING_RATE = 1.6e-3
_WARM_UP = 100
_LAST_SHARE = 0.02
"""Share of the learning rate that is left in the end."""
_BATCH_WORDS = 800
_LARGEST_NORM = 2.0
_TAG_SHARE = 0.5
_AVERAGE = 0.998
_LOWER_CASE_SHARE = 0.35
"""Sentences whose capitals are hidden: the encoder is uncased, so no other states are needed."""
_LEAST_UNSEEN = -1
"""Class of padding and of names too rare to have one: it does not count in a loss."""
_RARE = 5


def shape_for(cache: ExampleCache, *, inputs: int) -> ParserShape:
    """A network that predicts what the examples have; what hardly occurs is not learned."""
    relations = Counter(name for example in cache.examples for name in example.parse.relations)
    tags = Counter(name for example in cache.examples for name in example.parse.tags)
    frequent = (tuple(sorted(n for n, count in counts.items() if count >= _RARE)) for counts in (relations, tags))
    known_relations, known_tags = frequent
    return ParserShape(
        inputs,
        relations=tuple(sorted({*known_relations, ROOT_RELATION})),
        tags=known_tags or tuple(sorted(tags)),
    )


class ParserTrainer:
    """Trains a network and keeps a running average of its weights, which is what is used in the end."""

    def __init__(self, network: ParserNetwork, cache: ExampleCache, *, seed: int) -> None:
        self.network = network.train()
        self.updates = 0
        self.optimizer = torch.optim.AdamW(
            network.parameters(), lr=_LEARNING_RATE, betas=(0.9, 0.98), weight_decay=0.01
        )
        self.average = {name: tensor.clone() for name, tensor in network.state_dict().items()}
        self._cache = cache
        self._seed = seed
        self._relations = {name: number for number, name in enumerate(network.shape.relations)}
        self._tags = {name: number for number, name in enumerate(network.shape.tags)}

    def batches(self) -> Iterator[list[int]]:
        """Numbers of examples for the updates still to come; the order depends on the seed alone."""
        lengths = [len(example.words) for example in self._cache.examples]
        done, epoch = 0, 0
        while True:
            batches = list(rows_by_length(lengths, _BATCH_WORDS))
            random.Random(f"{self._seed} {epoch}").shuffle(batches)  # noqa: S311 - not for secrets
            for batch in batches:
                done += 1
                if done > self.updates:
                    yield batch
            epoch += 1

    def update(self, batch: Sequence[int], *, time_left: float) -> float:
        """One step; returns the loss. `time_left` is the share of the run that is still to come."""
        torch.manual_seed(self._seed + self.updates)  # so that a resumed run draws what it would have drawn
        for group in self.optimizer.param_groups:
            group["lr"] = self._learning_rate(time_left)
        loss = self._loss(batch)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), _LARGEST_NORM)
        self.optimizer.step()
        self.updates += 1
        self._update_average()
        return loss.item()

    def _learning_rate(self, time_left: float) -> float:
        cosine = 0.5 * (1 - math.cos(math.pi * min(1.0, max(0.0, time_left))))
        return _LEARNING_RATE * min(1.0, (self.updates + 1) / _WARM_UP) * (_LAST_SHARE + (1 - _LAST_SHARE) * cosine)

    def _loss(self, batch: Sequence[int]) -> Tensor:
        examples = [self._cache.examples[number] for number in batch]
        layers = [self._cache.states(number) for number in batch]
        states, shapes, mask = padded([example.words for example in examples], layers)
        hidden = torch.rand(len(batch)) < _LOWER_CASE_SHARE
        shapes[hidden, :, :CASE_SHAPES] = 0
        heads = _classes([[head + 1 for head in example.parse.heads] for example in examples])
        names = [example.parse.relations for example in examples]
        relations = _classes([[self._relations.get(name, _LEAST_UNSEEN) for name in own] for own in names])
        tag_names = [example.parse.tags for example in examples]
        tags = _classes([[self._tags.get(name, _LEAST_UNSEEN) for name in own] for own in tag_names])
        context, arcs = self.network.from_normalized(states, shapes, mask)
        loss = _cross_entropy(arcs, heads) + _cross_entropy(
            self.network.relations(context, heads.clamp_min(0)), relations
        )
        return loss + _TAG_SHARE * _cross_entropy(self.network.tags(context), tags)

    @torch.no_grad()
    def _update_average(self) -> None:
        decay = min(_AVERAGE, (1 + self.updates) / (10 + self.updates))
        for name, tensor in self.network.state_dict().items():
            self.average[name].lerp_(tensor, 1 - decay)


def _classes(rows: Sequence[Sequence[int]]) -> Tensor:
    tensors = [torch.tensor(row, dtype=torch.long) for row in rows]
    return nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=_LEAST_UNSEEN)


def _cross_entropy(scores: Tensor, classes: Tensor) -> Tensor:
    finite = scores.masked_fill(torch.isinf(scores), -1e4)
    return nn.functional.cross_entropy(finite.flatten(0, 1), classes.flatten(), ignore_index=_LEAST_UNSEEN)
