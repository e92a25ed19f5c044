"""Fitting both language models of CMatch in a folder: start or resume, checkpoints and log."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from ealm.baselines.cmatch.causal_lm import CausalLM
from ealm.baselines.cmatch.fitting import CausalLmFitter, LmBatch, encoded, set_frequencies
from ealm.baselines.cmatch.folder import (
    DESCRIPTION_FILE,
    PARTS,
    Description,
    Part,
    load_model,
    load_vocabulary,
    save_model,
)
from ealm.baselines.cmatch.settings import SEARCH_SETTINGS, CMatchSettings
from ealm.baselines.cmatch.vocabulary import Vocabulary
from ealm.baselines.word_vectors import cmatch_embeddings
from ealm.common.checkpoint import Kinds, SavedState, damage_reported
from ealm.common.errors import CorpusError, ModelFolderError, RunError, SettingsError
from ealm.common.identity import check_no_run, check_same_run, differences, fingerprint
from ealm.common.run_loop import LOG_FILE, JsonLog, Means, Stopwatch, run_until
from ealm.common.stopping import Budget, StopRequest
from ealm.common.storage import remove_drafts
from ealm.lm.adapt.corpus import LmCorpus

_HELD_OUT_SHARE, _MOST_HELD_OUT = 0.01, 500


def train_cmatch(
    sentences: Sequence[Sequence[str]],
    headlines: Sequence[Sequence[str]],
    folder: Path,
    *,
    settings: CMatchSettings,
    seed: int,
    minutes: float,
    resume: bool,
    progress: bool,
    updates: int | None = None,
    stop: StopRequest | None = None,
    checkpoint_seconds: float = 120.0,
) -> bool:
    """Fit the contextual encoder on sentences and the fluency model on headlines, both sequences of words.

    `minutes` are shared by the two and count earlier parts of a resumed run; `updates` bounds each of them as well.
    Gives False after a requested stop: the folder is complete up to there, and a resumed run continues exactly there.
    """
    _check_request(folder, minutes=minutes, updates=updates, resume=resume)
    vocabulary = _vocabulary(sentences, folder, settings)
    corpora: dict[Part, LmCorpus] = {
        "contextual": encoded(sentences, vocabulary, longest=settings.longest_sentence, name="sentences"),
        "fluency": encoded(headlines, vocabulary, longest=settings.longest_sentence, name="headlines"),
    }
    prints: dict[str, str] = {
        part: fingerprint([corpus.flat.tobytes(), corpus.starts.tobytes()]) for part, corpus in corpora.items()
    }
    _describe(folder, Description(settings, seed, prints), vocabulary)
    shares = {"contextual": settings.contextual_share, "fluency": 1 - settings.contextual_share}
    for number, part in enumerate(PARTS):
        budget = Budget(updates=updates, minutes=minutes * shares[part])
        fit = _Fit(folder, part, corpora[part], vocabulary, settings=settings, seed=2 * seed + number, budget=budget)
        if not fit.go(stop=stop, progress=progress, checkpoint_seconds=checkpoint_seconds):
            return False
    return True


def _check_request(folder: Path, *, minutes: float, updates: int | None, resume: bool) -> None:
    if not minutes > 0:
        raise SettingsError(f"minutes must be a number above 0, got {minutes}.")
    if updates is not None and updates < 1:
        raise SettingsError(f"updates must be at least 1, got {updates}.")
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file. Choose a folder.")
    if not resume:
        check_no_run(folder, DESCRIPTION_FILE)


def _vocabulary(sentences: Sequence[Sequence[str]], folder: Path, settings: CMatchSettings) -> Vocabulary:
    """That of a resumed run, or a new one from the sentences alone: no headline reaches the encoder."""
    if (folder / DESCRIPTION_FILE).exists():
        try:
            return load_vocabulary(folder)
        except ModelFolderError as error:
            raise RunError(f"This run cannot be resumed: {error}") from error
    vocabulary = Vocabulary.of(sentences, most=settings.vocabulary_words, least_count=settings.least_count)
    if not vocabulary.words:
        raise CorpusError(
            f"No word occurs {settings.least_count} times in {len(sentences):,} sentences. Give more text."
        )
    return vocabulary


def _describe(folder: Path, now: Description, vocabulary: Vocabulary) -> None:
    """Write the description of a new run, or check that a run is resumed as it was started."""
    if (folder / DESCRIPTION_FILE).exists():
        try:
            before = Description.load(folder)
        except ModelFolderError as error:
            raise RunError(f"This run cannot be resumed: {error}") from error
        check_same_run(folder, differences(_identity(before), _identity(now)))
    folder.mkdir(parents=True, exist_ok=True)
    remove_drafts(folder)
    now.save(folder, vocabulary)


def _identity(description: Description) -> dict[str, object]:
    settings = description.settings.to_dict()
    fitting = {name: value for name, value in settings.items() if name not in SEARCH_SETTINGS}
    return {**fitting, "seed": description.seed, "text": description.corpora}


_KINDS: Kinds = {"loss_total": (int, float), "loss_count": int, "seconds": (int, float)}


class _Fit:
    """The run of one language model, and its files."""

    def __init__(
        self,
        folder: Path,
        part: Part,
        corpus: LmCorpus,
        vocabulary: Vocabulary,
        *,
        settings: CMatchSettings,
        seed: int,
        budget: Budget,
    ) -> None:
        self._folder = folder
        self._part = part
        self._settings = settings
        self._budget = budget
        aside = max(1, min(_MOST_HELD_OUT, int(_HELD_OUT_SHARE * len(corpus))))
        self._corpus, self._held_out = corpus.split(aside, seed)
        self._checkpoint_path = folder / f"{part}_checkpoint.safetensors"
        checkpoint = load_checkpoint(self._checkpoint_path)
        torch.manual_seed(seed)
        sizes = len(vocabulary), settings.embedding_width, settings.width, settings.layers
        model = CausalLM(*sizes, dropout=settings.dropout)
        if checkpoint is None:
            self._prepare(model, vocabulary)
        self._fitter = CausalLmFitter(model, settings, seed)
        self._losses = Means()
        """Since the last line of the log."""
        self._perplexity: float | None = None
        self._stopwatch = Stopwatch()
        if checkpoint is not None:
            with damage_reported(self._checkpoint_path):
                self._restore(checkpoint)
        self._log = JsonLog(folder / LOG_FILE)
        last = self.updates or -1
        self._log.keep(lambda record: record["model"] != part or record["updates"] <= last)

    @property
    def updates(self) -> int:
        """Updates done, earlier parts included."""
        return self._fitter.updates

    @property
    def seconds(self) -> float:
        """Time spent fitting, earlier parts included."""
        return self._stopwatch.seconds

    def go(self, *, stop: StopRequest | None, progress: bool, checkpoint_seconds: float) -> bool:
        """Fit until the budget is spent (True) or a stop is requested (False)."""
        if not self.updates:
            self._write_log()
        self._batches: Iterator[LmBatch] = self._fitter.batches(self._corpus)
        name = f"{self._part} language model"
        return run_until(
            self, self._budget, stop=stop, checkpoint_seconds=checkpoint_seconds, progress=progress, name=name
        )

    def step(self) -> None:
        """One update."""
        left = self._budget.share_left(updates=self.updates, seconds=self.seconds)
        self._losses.add({"loss": self._fitter.update(next(self._batches), time_left=left)})
        if self.updates % self._settings.log_every_updates == 0:
            self._write_log()

    def status(self) -> str:
        """The last perplexity of held-out sentences."""
        return "" if self._perplexity is None else f"perplexity {self._perplexity:.1f}"

    def _prepare(self, model: CausalLM, vocabulary: Vocabulary) -> None:
        """Headlines are few: their model goes on from that of sentences. The first starts from given embeddings."""
        if self._part == "fluency":
            first = load_model(self._folder, "contextual", len(vocabulary), self._settings)
            model.load_state_dict(first.state_dict())
        else:
            width = self._settings.embedding_width
            table = cmatch_embeddings(vocabulary.words, width)
            with torch.no_grad():
                model.embedding.weight.copy_(table * width**0.5)  # of a size that gates can use
                model.output_words.weight.copy_(table)
        set_frequencies(model, self._corpus)

    def _write_log(self) -> None:
        self._perplexity = self._fitter.perplexity(self._held_out)
        record = {
            "model": self._part,
            "updates": self.updates,
            "tokens": self._fitter.tokens,
            "seconds": round(self.seconds, 1),
            "loss": self._losses.values().get("loss"),
            "perplexity": self._perplexity,
        }
        self._losses.clear()
        self._log.write(record)

    def save(self) -> None:
        """Write the checkpoint, and the model as it would be used now."""
        tensors, values = self._fitter.state()
        losses = {
            "loss_total": self._losses.totals.get("loss", 0.0),
            "loss_count": self._losses.counts.get("loss", 0),
        }
        SavedState({**values, **losses, "seconds": self.seconds}, tensors).save(self._checkpoint_path)
        save_model(self._folder, self._part, self._fitter.model)

    def _restore(self, checkpoint: SavedState) -> None:
        header = checkpoint.header
        self._fitter.restore(checkpoint.tensors, header)
        if header["loss_count"]:
            self._losses.totals["loss"], self._losses.counts["loss"] = header["loss_total"], header["loss_count"]
        self._stopwatch = Stopwatch(header["seconds"])


def load_checkpoint(path: Path) -> SavedState | None:
    """The checkpoint of one of the language models, or None if there is none."""
    return SavedState.load(path, _KINDS)
