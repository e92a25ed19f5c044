"""Distilling a parser from a teacher, on disk: parse and encode a corpus once, then train; both parts resume."""

import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from ealm.common.checkpoint import Kinds, SavedState, damage_reported, optimizer_tensors, prefixed, restore_optimizer
from ealm.common.config import DataSettings
from ealm.common.errors import CorpusError, GrammarError
from ealm.common.identity import check_no_run, check_same_run, differences
from ealm.common.run_loop import Stopwatch, run_until
from ealm.common.stopping import Budget, StopRequest
from ealm.common.storage import remove_drafts, write_json
from ealm.grammar.neural.network import ParserNetwork
from ealm.grammar.neural.parser import EmbeddedGrammar
from ealm.grammar.neural.saved_parser import read_network, write_network
from ealm.grammar.protocol import Grammar
from ealm.grammar.spacy_grammar import SpacyGrammar
from ealm.grammar.training.agreement import Agreement, agreement
from ealm.grammar.training.example_cache import EXAMPLES_FILE, ExampleCache
from ealm.grammar.training.examples import Example, as_prepared, varied
from ealm.grammar.training.trainer import ParserTrainer, shape_for
from ealm.lm.word_encoder import WordEncoder
from ealm.text.corpus import Corpus, read_corpus

CHECKPOINT_FILE = "training.safetensors"
REPORT_FILE = "agreement.json"
_SENTENCES_AT_ONCE = 256
_HELD_OUT_SHARE, _MOST_HELD_OUT = 0.02, 500
_WEIGHT, _AVERAGE = "weight.", "average."
_KINDS: Kinds = {"corpus": str, "teacher": str, "seed": int, "updates": int, "seconds": (int, float)}
_SHOWN_LOSSES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class GrammarRequest:
    """What a user asks for."""

    corpus: Path
    teacher: str
    folder: Path
    minutes: float = 60.0
    updates: int | None = None
    """Counts instead of the minutes, if given."""
    data: DataSettings
    seed: int = 0
    resume: bool = False
    checkpoint_seconds: float = 120.0
    say: Callable[[str], None] = print
    progress: bool = True


def teacher_named(name: str) -> Grammar:
    """The teacher that a user names, as in `spacy:en_core_web_sm`."""
    kind, _, own = name.partition(":")
    if kind != "spacy" or not own:
        raise GrammarError(f"The teacher must be named as spacy:PIPELINE, such as spacy:en_core_web_sm, got {name!r}.")
    return SpacyGrammar.load(own)


class GrammarRun:
    """A training run and its folder."""

    def __init__(self, request: GrammarRequest, teacher: Grammar, encoder: WordEncoder) -> None:
        folder = request.folder
        if not request.resume:
            check_no_run(folder, CHECKPOINT_FILE, EXAMPLES_FILE)
        self.request = request
        self._teacher, self._encoder = teacher, encoder
        self._corpus: Corpus = read_corpus(
            request.corpus, settings=request.data, longest=request.data.max_words, seed=request.seed
        )
        sentences = self._corpus.sentences
        aside = min(_MOST_HELD_OUT, int(_HELD_OUT_SHARE * len(sentences)))
        if not aside:
            raise CorpusError(f"{request.corpus} has {len(sentences)} usable sentences; 50 are the least to train on.")
        order = random.Random(request.seed).sample(range(len(sentences)), len(sentences))  # noqa: S311
        self._held_out = [sentences[number] for number in order[:aside]]
        self._sentences = [sentences[number] for number in order[aside:]]
        folder.mkdir(parents=True, exist_ok=True)
        remove_drafts(folder)
        self._checkpoint = SavedState.load(folder / CHECKPOINT_FILE, _KINDS)
        if self._checkpoint is not None:
            check_same_run(folder, differences(self._checkpoint.header, self._identity()))
        self._cache = ExampleCache(folder, inputs=encoder.layers_width)
        self._budget = Budget(minutes=request.minutes) if request.updates is None else Budget(updates=request.updates)
        self._losses: deque[float] = deque(maxlen=_SHOWN_LOSSES)

    @property
    def updates(self) -> int:
        """Updates done, earlier parts included."""
        return self._trainer.updates

    @property
    def seconds(self) -> float:
        """Time spent training, earlier parts included; parsing and encoding do not count."""
        return self._stopwatch.seconds

    def go(self, *, stop: StopRequest | None = None) -> bool:
        """Parse, encode and train until the time is over (True) or a stop is requested (False)."""
        if not self._prepare(stop):
            return False
        self._start_training()
        done = run_until(
            self,
            self._budget,
            stop=stop,
            checkpoint_seconds=self.request.checkpoint_seconds,
            progress=self.request.progress,
        )
        if done:
            self._report()
        return done

    def _prepare(self, stop: StopRequest | None) -> bool:
        """Parse and encode what the cache does not have yet."""
        ready = len(self._cache)
        with tqdm(
            total=len(self._sentences),
            initial=ready,
            unit=" sentences",
            disable=not self.request.progress,
            file=sys.stderr,
        ) as bar:
            for start in range(ready, len(self._sentences), _SENTENCES_AT_ONCE):
                if stop is not None and stop.signal is not None:
                    return False
                examples = self._examples(self._sentences[start : start + _SENTENCES_AT_ONCE], start)
                states = self._encoder.encode_layers([example.words for example in examples])
                self._cache.add(examples, [own.layers for own in states])
                bar.update(len(examples))
        return True

    def _examples(self, sentences: Sequence[Sequence[str]], start: int) -> list[Example]:
        chance = random.Random(f"{self.request.seed} {start}")  # noqa: S311 - not for secrets
        parses = self._teacher.parse(sentences)
        return [varied(Example(tuple(words), parse), chance) for words, parse in zip(sentences, parses, strict=True)]

    def _start_training(self) -> None:
        torch.manual_seed(self.request.seed)
        network = ParserNetwork(shape_for(self._cache, inputs=self._encoder.layers_width))
        network.mean.copy_(self._cache.mean)
        network.deviation.copy_(self._cache.deviation)
        self._trainer = ParserTrainer(network, self._cache, seed=self.request.seed)
        saved = self._checkpoint
        if saved is not None:
            with damage_reported(self.request.folder / CHECKPOINT_FILE):
                network.load_state_dict(saved.part(_WEIGHT))
                self._trainer.average = {**self._trainer.average, **saved.part(_AVERAGE)}
                restore_optimizer(self._trainer.optimizer, saved.tensors, required=saved.header["updates"] > 0)
            self._trainer.updates = saved.header["updates"]
        self._stopwatch = Stopwatch(saved.header["seconds"] if saved else 0.0)
        self._batches: Iterator[list[int]] = self._trainer.batches()

    def step(self) -> None:
        """One update."""
        left = self._budget.share_left(updates=self.updates, seconds=self.seconds)
        self._losses.append(self._trainer.update(next(self._batches), time_left=left))

    def status(self) -> str:
        """The loss of the last updates."""
        return f"loss {sum(self._losses) / len(self._losses):.3f}"

    def save(self) -> None:
        """Write a folder that can be used as a grammar, and the checkpoint."""
        trainer, folder = self._trainer, self.request.folder
        averaged = ParserNetwork(trainer.network.shape)
        averaged.load_state_dict(trainer.average)
        write_network(folder, averaged)
        header = {**self._identity(), "updates": self.updates, "seconds": self.seconds}
        tensors = {
            **prefixed(_WEIGHT, trainer.network.state_dict()),
            **prefixed(_AVERAGE, trainer.average),
            **optimizer_tensors(trainer.optimizer),
        }
        SavedState(header, tensors).save(folder / CHECKPOINT_FILE)

    def _identity(self) -> dict[str, Any]:
        """What makes the run what it is."""
        return {"corpus": self._corpus.fingerprint, "teacher": self.request.teacher, "seed": self.request.seed}

    def _report(self) -> None:
        """Agreement with the teacher on sentences that were set aside, as written and as prepared corpora have them."""
        grammar = EmbeddedGrammar(read_network(self.request.folder), self._encoder)
        parses = self._teacher.parse(self._held_out)
        raw = [Example(tuple(words), parse) for words, parse in zip(self._held_out, parses, strict=True)]
        scores = {"raw": _agreement(grammar, raw), "prepared": _agreement(grammar, list(map(as_prepared, raw)))}
        write_json(self.request.folder / REPORT_FILE, {name: score.to_dict() for name, score in scores.items()})
        for name, score in scores.items():
            self.request.say(f"Held out, {len(raw)} sentences, {name}: {score}")
        self.request.say(scores["raw"].table())


def _agreement(grammar: Grammar, examples: Sequence[Example]) -> Agreement:
    return agreement([example.parse for example in examples], grammar.parse([example.words for example in examples]))
