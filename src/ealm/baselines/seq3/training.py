"""A training run of SEQ3 on disk: language model, autoencoder, summarizer; checkpoints, log, progress."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor

from ealm.baselines.seq3.batches import Batch, BatchOrder
from ealm.baselines.seq3.candidates import CandidateDrawer
from ealm.baselines.seq3.folder import (
    CHECKPOINT_FILE,
    DESCRIPTION_FILE,
    load_checkpoint,
    write_description,
    write_variant,
)
from ealm.baselines.seq3.language_model import LanguageModel
from ealm.baselines.seq3.learner import AutoencoderLearner, LanguageModelLearner, Learner, Seq3Learner
from ealm.baselines.seq3.model import Seq3
from ealm.baselines.seq3.run_checks import Validation, check_validation, run_identity, usable_sentences
from ealm.baselines.seq3.settings import Seq3Settings
from ealm.baselines.seq3.summarizer import Seq3Summarizer
from ealm.baselines.seq3.vocabulary import Vocabulary
from ealm.baselines.word_vectors import seq3_embeddings
from ealm.common.checkpoint import SavedState, damage_reported, optimizer_tensors, prefixed, restore_optimizer
from ealm.common.errors import CorpusError, SettingsError
from ealm.common.identity import check_no_run, check_same_run, differences
from ealm.common.run_loop import LOG_EVERY_UPDATES, LOG_FILE, JsonLog, Means, Stopwatch, run_until
from ealm.common.stopping import Budget, StopRequest
from ealm.common.storage import remove_drafts

Phase = Literal["language model", "autoencoder", "summarizer"]
PHASES: tuple[Phase, ...] = get_args(Phase)
_RANDOM_STREAMS: Mapping[Phase, int] = {"language model": 0, "autoencoder": 2, "summarizer": 1}
"""Part of each phase's seed: a run without the autoencoder draws the same, whether or not there is such a phase."""


def train_seq3(
    sentences: Sequence[Sequence[str]],
    folder: Path,
    *,
    settings: Seq3Settings,
    seed: int,
    minutes: float = math.inf,
    autoencoder_minutes: float = math.inf,
    lm_minutes: float = math.inf,
    updates: int | None = None,
    autoencoder_updates: int | None = None,
    lm_updates: int | None = None,
    resume: bool = False,
    validation: Validation | None = None,
    progress: bool = True,
    checkpoint_seconds: float = 120.0,
    stop: StopRequest | None = None,
) -> bool:
    """Train SEQ3 on sentences of words until the time or the updates are spent (True) or a stop is asked for (False).

    The language model has `lm_minutes` or `lm_updates`. After it, learning to copy has `autoencoder_minutes` or
    `autoencoder_updates`, of which 0 leaves it out, and then the summarizer `minutes` or `updates`; earlier parts of a
    resumed run count. Without `stop`, Ctrl-C and `kill` are listened to. With a validation set, the best weights on it
    are kept beside the last ones (SEQ3+ beside SEQ3-).
    """
    budgets: dict[Phase, Budget] = {
        "language model": _budget("lm_", minutes=lm_minutes, updates=lm_updates),
        "autoencoder": _budget(
            "autoencoder_", minutes=autoencoder_minutes, updates=autoencoder_updates, may_be_nothing=True
        ),
        "summarizer": _budget("", minutes=minutes, updates=updates),
    }
    if not resume:
        check_no_run(folder, CHECKPOINT_FILE, DESCRIPTION_FILE)
    checkpoint = load_checkpoint(folder)
    run = _Run(sentences, folder, settings=settings, seed=seed, validation=validation, checkpoint=checkpoint)
    if stop is not None:
        return run.go(budgets, stop=stop, progress=progress, checkpoint_seconds=checkpoint_seconds)
    with StopRequest().listening() as listening:
        return run.go(budgets, stop=listening, progress=progress, checkpoint_seconds=checkpoint_seconds)


def _budget(prefix: str, *, minutes: float, updates: int | None, may_be_nothing: bool = False) -> Budget:
    """What a phase may take; the prefix is that of its arguments' names."""
    if not (minutes > 0 or (may_be_nothing and minutes == 0)):
        bound = "of at least 0" if may_be_nothing else "above 0"
        raise SettingsError(f"{prefix}minutes must be a number {bound}, got {minutes}.")
    least = 0 if may_be_nothing else 1
    if updates is not None and updates < least:
        raise SettingsError(f"{prefix}updates must be at least {least}, got {updates}.")
    if minutes == math.inf and updates is None:
        raise SettingsError(f"Give {prefix}minutes or {prefix}updates: training would never end.")
    return Budget(updates=updates, minutes=minutes)


class _Run:
    """A run and its folder."""

    def __init__(
        self,
        sentences: Sequence[Sequence[str]],
        folder: Path,
        *,
        settings: Seq3Settings,
        seed: int,
        validation: Validation | None,
        checkpoint: SavedState | None,
    ) -> None:
        sentences = usable_sentences(sentences, settings)
        if validation is not None:
            check_validation(validation)
        self._folder = folder
        self._settings = settings
        self._seed = seed
        self._validation = validation
        self._identity = run_identity(sentences, settings=settings, seed=seed, validation=validation)
        if checkpoint is not None:
            check_same_run(folder, differences(checkpoint.header["identity"], self._identity))
        self._vocabulary = Vocabulary.of(
            sentences,
            most=settings.vocabulary,
            least_count=settings.least_count,
            placeholders=settings.placeholders,
        )
        if not self._vocabulary.words:
            raise CorpusError(f"No word is there {settings.least_count} times. Give more text, or lower least_count.")
        self._encoded = [self._vocabulary.encode(sentence) for sentence in sentences]
        self._lm, self._model = self._first_models()
        self._enter(PHASES[0])
        self._best: dict[str, Any] | None = None
        """Updates and score of the best weights on the validation set."""
        self._best_weights: dict[str, Tensor] = {}
        self._log = JsonLog(folder / LOG_FILE)
        if checkpoint is not None:
            with damage_reported(folder / CHECKPOINT_FILE):
                self._restore(checkpoint)

    def _first_models(self) -> tuple[LanguageModel, Seq3]:
        """The models as they start; the initial weights depend on nothing but the seed."""
        settings, vocabulary = self._settings, self._vocabulary
        table = seq3_embeddings(
            vocabulary.words,
            settings.embedding_width,
            first_word=vocabulary.first_word,
            generator=torch.Generator().manual_seed(self._seed),
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self._seed)
            lm = LanguageModel(table, hidden=settings.hidden)
            model = Seq3(table, placeholders=vocabulary.placeholders, settings=settings)
        return lm, model

    def _drawer(self) -> CandidateDrawer:
        ids = torch.tensor([number for sentence in self._encoded for number in sentence.ids])
        return CandidateDrawer(
            torch.bincount(ids, minlength=self._vocabulary.size),
            most=self._settings.candidates,
            first_word=self._vocabulary.first_word,
        )

    def _enter(self, phase: Phase) -> None:
        """Begin a phase."""
        self._phase: Phase = phase
        self._learner = self._new_learner()
        self._random_stream = (self._seed, _RANDOM_STREAMS[phase])
        lengths = [len(sentence.ids) for sentence in self._encoded]
        self._order = BatchOrder(lengths, batch=self._settings.batch, seed=self._random_stream)
        self._means = Means()
        """Of the losses, since the last line of the log."""
        self.updates = 0
        """Of the phase, as the time is."""
        self._stopwatch = Stopwatch()

    def _new_learner(self) -> Learner:
        """A learner for the phase, with a new optimizer; the summarizer's freezes the language model."""
        if self._phase == "language model":
            return LanguageModelLearner(self._lm, self._drawer(), self._settings)
        if self._phase == "autoencoder":
            return AutoencoderLearner(self._model, self._drawer())
        weights = torch.tensor(self._vocabulary.inverse_frequencies(self._encoded))
        return Seq3Learner(self._model, self._lm, self._drawer(), inverse_frequencies=weights)

    @property
    def seconds(self) -> float:
        """Time spent in the phase, earlier parts included."""
        return self._stopwatch.seconds

    def go(
        self, budgets: Mapping[Phase, Budget], *, stop: StopRequest, progress: bool, checkpoint_seconds: float
    ) -> bool:
        """Go through the phases that are left; the folder is complete at the end."""
        self._folder.mkdir(parents=True, exist_ok=True)
        remove_drafts(self._folder)
        reached = PHASES.index(self._phase), self.updates
        self._log.keep(lambda record: (PHASES.index(record["phase"]), record["updates"]) <= reached)
        done = True
        for phase in PHASES[PHASES.index(self._phase) :]:
            if phase != self._phase:
                self._enter(phase)
            done = run_until(
                self, budgets[phase], stop=stop, checkpoint_seconds=checkpoint_seconds, progress=progress, name=phase
            )
            if not done:
                break
        if done and self._best is None and self._validation is not None:  # too short a run for `validate_every`
            self._validate(self._validation)
            self.save()
        return done

    def step(self) -> None:
        """One update."""
        batch = Batch.of([self._encoded[number] for number in self._order.sentences(self.updates)])
        self._means.add(self._learner.update(batch, _generator(*self._random_stream, self.updates)))
        self.updates += 1
        if self.updates % LOG_EVERY_UPDATES == 0:
            self._write_log(self._means.values())
            self._means.clear()
        if self._phase == "summarizer" and self._validation and self.updates % self._settings.validate_every == 0:
            self._validate(self._validation)

    def status(self) -> str:
        """Means of the losses since the last line of the log."""
        return ", ".join(f"{name} {mean:.2f}" for name, mean in self._means.values().items())

    def _validate(self, validation: Validation) -> None:
        """Keep the weights if they are the best so far (SEQ3+)."""
        summaries = Seq3Summarizer(self._model, self._vocabulary).summarize(validation.sources)
        value = validation.score(summaries, validation.references)
        self._write_log({"validation": value})
        if self._best is None or value > self._best["score"]:
            self._best = {"updates": self.updates, "score": value}
            self._best_weights = {name: tensor.clone() for name, tensor in self._model.state_dict().items()}

    def _write_log(self, values: Mapping[str, float]) -> None:
        counters = {"phase": self._phase, "updates": self.updates, "seconds": round(self.seconds, 1)}
        self._log.write({**counters, **values})

    def save(self) -> None:
        """Write the checkpoint, and the summarizer as it would be used now."""
        tensors = {
            **prefixed("lm.", self._lm.state_dict()),
            **optimizer_tensors(self._learner.optimizer),
            **prefixed("best.", self._best_weights),
        }
        if self._phase != "language model":  # until then, the model is as it starts
            tensors |= prefixed("model.", self._model.state_dict())
        header = {
            "identity": self._identity,
            "phase": self._phase,
            "updates": self.updates,
            "seconds": self.seconds,
            "best": self._best,
        }
        SavedState(header, tensors).save(self._folder / CHECKPOINT_FILE)
        if self._phase == "summarizer":
            if self._best is not None:
                write_variant(self._folder, "best", self._best_weights, self._best)
            write_variant(self._folder, "last", self._model.state_dict(), {"updates": self.updates})
            write_description(self._folder, self._settings, self._vocabulary)

    def _restore(self, checkpoint: SavedState) -> None:
        header = checkpoint.header
        phase = PHASES[PHASES.index(header["phase"])]
        self._lm.load_state_dict(checkpoint.part("lm."))
        if phase != "language model":
            self._model.load_state_dict(checkpoint.part("model."))
        self._enter(phase)
        restore_optimizer(self._learner.optimizer, checkpoint.tensors, required=header["updates"] > 0)
        if (best := header["best"]) is not None:
            self._best = {"updates": int(best["updates"]), "score": float(best["score"])}
            self._best_weights = checkpoint.part("best.")
            expected = {name: tensor.shape for name, tensor in self._model.state_dict().items()}
            if {name: tensor.shape for name, tensor in self._best_weights.items()} != expected:
                raise KeyError("some of the best weights are missing or foreign")
        self.updates, self._stopwatch = header["updates"], Stopwatch(header["seconds"])


def _generator(*seed: int) -> torch.Generator:
    """Randomness that depends on the update alone: a resumed run draws what the unbroken one would have."""
    state = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    return torch.Generator().manual_seed(int(state >> np.uint64(1)))
