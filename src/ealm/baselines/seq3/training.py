"""A training run of SEQ3 on disk: language model, autoencoder, summarizer; checkpoints, log, progress."""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ealm.baselines.seq3.batches import Batch, BatchOrder
from ealm.baselines.seq3.candidates import CandidateDrawer
from ealm.baselines.seq3.embeddings import first_embeddings
from ealm.baselines.seq3.folder import Checkpoint, prefixed, write_description, write_variant
from ealm.baselines.seq3.language_model import LanguageModel
from ealm.baselines.seq3.learner import AutoencoderLearner, LanguageModelLearner, Learner, Seq3Learner
from ealm.baselines.seq3.model import Seq3
from ealm.baselines.seq3.run_checks import (
    Validation,
    check_same_run,
    check_validation,
    run_identity,
    usable_sentences,
)
from ealm.baselines.seq3.settings import Seq3Settings
from ealm.baselines.seq3.summarizer import Seq3Summarizer
from ealm.baselines.seq3.training_log import (
    LOG_FILE,
    PHASES,
    LogWindow,
    Phase,
    drop_log_after,
    progress_bar,
    write_record,
)
from ealm.baselines.seq3.vocabulary import Vocabulary
from ealm.common.errors import CorpusError, RunError, SettingsError
from ealm.common.optimizer_state import optimizer_tensors, restore_optimizer
from ealm.common.stopping import Budget, StopRequest
from ealm.common.storage import remove_drafts

_LOG_EVERY_UPDATES = 100
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
    checkpoint = Checkpoint.to_go_on_from(folder, resume=resume)
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
        checkpoint: Checkpoint | None,
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
            check_same_run(checkpoint.identity, self._identity)
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
        self._phase: Phase = PHASES[0]
        self._learner = self._new_learner()
        self._updates = 0
        self._seconds_before = 0.0
        self._started = time.monotonic()
        self._best: dict[str, Any] | None = None
        self._best_weights: dict[str, Tensor] = {}
        if checkpoint is not None:
            self._restore(checkpoint)

    def _first_models(self) -> tuple[LanguageModel, Seq3]:
        """The models as they start; the initial weights depend on nothing but the seed."""
        settings, vocabulary = self._settings, self._vocabulary
        table = first_embeddings(vocabulary, settings.embedding_width, torch.Generator().manual_seed(self._seed))
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

    def _new_learner(self) -> Learner:
        """A learner for the phase, its optimizer without memory; the summarizer's freezes the language model."""
        if self._phase == "language model":
            return LanguageModelLearner(self._lm, self._drawer(), self._settings)
        if self._phase == "autoencoder":
            return AutoencoderLearner(self._model, self._drawer())
        weights = torch.tensor(self._vocabulary.inverse_frequencies(self._encoded))
        return Seq3Learner(self._model, self._lm, self._drawer(), inverse_frequencies=weights)

    @property
    def _seconds(self) -> float:
        """Time spent in the phase, earlier parts included."""
        return self._seconds_before + time.monotonic() - self._started

    def go(
        self, budgets: Mapping[Phase, Budget], *, stop: StopRequest, progress: bool, checkpoint_seconds: float
    ) -> bool:
        """Go through the phases that are left; the folder is complete at the end."""
        self._folder.mkdir(parents=True, exist_ok=True)
        remove_drafts(self._folder)
        drop_log_after(self._folder / LOG_FILE, phase=self._phase, updates=self._updates)
        done = True
        for phase in PHASES[PHASES.index(self._phase) :]:
            if phase != self._phase:
                self._phase, self._updates, self._seconds_before = phase, 0, 0.0
                self._learner = self._new_learner()
            self._started = time.monotonic()
            done = self._train(budgets[phase], stop=stop, progress=progress, checkpoint_seconds=checkpoint_seconds)
            self._save()
            if not done:
                break
        return done

    def _train(self, budget: Budget, *, stop: StopRequest, progress: bool, checkpoint_seconds: float) -> bool:
        """Update until the phase's budget is spent (True) or a stop is asked for (False)."""
        lengths = [len(sentence.ids) for sentence in self._encoded]
        seed = (self._seed, _RANDOM_STREAMS[self._phase])
        order = BatchOrder(lengths, batch=self._settings.batch, seed=seed)
        window = LogWindow()
        saved_at = time.monotonic()
        with self._bar(budget, progress) as bar:
            while not (done := budget.spent(updates=self._updates, seconds=self._seconds)):
                if stop.signal is not None:
                    break
                batch = Batch.of([self._encoded[number] for number in order.sentences(self._updates)])
                window.add(self._learner.update(batch, _generator(*seed, self._updates)))
                self._updates += 1
                if self._updates % _LOG_EVERY_UPDATES == 0:
                    self._log(window.take())
                if self._phase == "summarizer" and self._updates % self._settings.validate_every == 0:
                    self._validate()
                bar.set_postfix_str(window.shown(), refresh=False)
                bar.update((self._updates if budget.updates is not None else int(self._seconds)) - bar.n)
                if time.monotonic() - saved_at >= checkpoint_seconds:
                    self._save()
                    saved_at = time.monotonic()
        if done and self._phase == "summarizer" and self._best is None:  # too short a run for `validate_every`
            self._validate()
        return done

    def _bar(self, budget: Budget, progress: bool) -> Any:
        by_time = budget.updates is None
        return progress_bar(
            self._phase,
            total=int(60 * (budget.minutes or 0)) if by_time else budget.updates,
            position=int(self._seconds) if by_time else self._updates,
            by_time=by_time,
            show=progress,
        )

    def _validate(self) -> None:
        """Keep the weights if they are the best so far (SEQ3+)."""
        if self._validation is None:
            return
        summaries = Seq3Summarizer(self._model, self._vocabulary).summarize(self._validation.sources)
        value = self._validation.score(summaries, self._validation.references)
        self._log({"validation": value})
        if self._best is None or value > self._best["score"]:
            self._best = {"updates": self._updates, "score": value}
            self._best_weights = {name: tensor.clone() for name, tensor in self._model.state_dict().items()}

    def _log(self, values: Mapping[str, float]) -> None:
        path = self._folder / LOG_FILE
        write_record(path, phase=self._phase, updates=self._updates, seconds=self._seconds, values=values)

    def _save(self) -> None:
        """Write the checkpoint, and the summarizer as it would be used now."""
        tensors = {
            **prefixed("lm.", self._lm.state_dict()),
            **optimizer_tensors(self._learner.optimizer),
            **prefixed("best.", self._best_weights),
        }
        if self._phase != "language model":  # until then, the model is as it starts
            tensors |= prefixed("model.", self._model.state_dict())
        Checkpoint(self._identity, self._phase, self._updates, self._seconds, self._best, tensors).save(self._folder)
        if self._phase == "summarizer":
            if self._best is not None:
                write_variant(self._folder, "best", self._best_weights, self._best)
            write_variant(self._folder, "last", self._model.state_dict(), {"updates": self._updates})
            write_description(self._folder, self._settings, self._vocabulary)

    def _restore(self, checkpoint: Checkpoint) -> None:
        try:
            self._phase = PHASES[PHASES.index(checkpoint.phase)]
            self._lm.load_state_dict(checkpoint.part("lm."))
            if self._phase != "language model":
                self._model.load_state_dict(checkpoint.part("model."))
            self._learner = self._new_learner()
            restore_optimizer(self._learner.optimizer, checkpoint.tensors)
            self._best, self._best_weights = checkpoint.checked_best(self._model)
            if checkpoint.updates and not any(name.startswith("adam.") for name in checkpoint.tensors):
                raise KeyError("the optimizer's memory is missing")
        except (KeyError, ValueError, TypeError, RuntimeError, AttributeError) as error:
            raise RunError(f"The checkpoint is damaged ({error!r}). Start a new run in another folder.") from error
        self._updates, self._seconds_before = checkpoint.updates, checkpoint.seconds


def _generator(*seed: int) -> torch.Generator:
    """Randomness that depends on the update alone: a resumed run draws what the unbroken one would have."""
    state = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    return torch.Generator().manual_seed(int(state >> np.uint64(1)))
