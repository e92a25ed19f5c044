"""Fitting both language models of CMatch in a folder: start or resume, checkpoints, log, stopping without loss."""

import hashlib
import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor
from tqdm import tqdm

from ealm.baselines.cmatch.causal_lm import CausalLM
from ealm.baselines.cmatch.fitting import CausalLmFitter, encoded, set_frequencies
from ealm.baselines.cmatch.folder import DESCRIPTION_FILE, PARTS, Description, Part, load_vocabulary, save_model
from ealm.baselines.cmatch.settings import SEARCH_SETTINGS, CMatchSettings
from ealm.baselines.cmatch.vocabulary import Vocabulary
from ealm.baselines.cmatch.word_vectors import word_vectors
from ealm.common.errors import CorpusError, ModelFolderError, RunError, SettingsError
from ealm.common.stopping import Budget, StopRequest
from ealm.common.storage import remove_drafts, write_tensors, write_text
from ealm.lm.adapt.corpus import LmCorpus

LOG_FILE = "log.jsonl"
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
) -> None:
    """Fit the contextual encoder on sentences and the fluency model on headlines, both sequences of words.

    `minutes` are shared by the two and count earlier parts of a resumed run; `updates` bounds each of them as well.
    After a requested stop the folder is complete up to there, and a resumed run goes on exactly from there.
    """
    _check_request(folder, minutes=minutes, updates=updates, resume=resume)
    vocabulary = _vocabulary(sentences, folder, settings)
    corpora: dict[Part, LmCorpus] = {
        "contextual": encoded(sentences, vocabulary, longest=settings.longest_sentence, name="sentences"),
        "fluency": encoded(headlines, vocabulary, longest=settings.longest_sentence, name="headlines"),
    }
    prints: dict[str, str] = {part: _fingerprint(corpus) for part, corpus in corpora.items()}
    _describe(folder, Description(settings, seed, prints), vocabulary)
    shares = {"contextual": settings.contextual_share, "fluency": 1 - settings.contextual_share}
    for number, part in enumerate(PARTS):
        fit = _Fit(folder, part, corpora[part], vocabulary, settings=settings, seed=2 * seed + number)
        budget = Budget(updates=updates, minutes=minutes * shares[part])
        if not fit.go(budget, stop=stop, progress=progress, checkpoint_seconds=checkpoint_seconds):
            return


def _check_request(folder: Path, *, minutes: float, updates: int | None, resume: bool) -> None:
    if not minutes > 0:
        raise SettingsError(f"minutes must be a number above 0, got {minutes}.")
    if updates is not None and updates < 1:
        raise SettingsError(f"updates must be at least 1, got {updates}.")
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file. Choose a folder.")
    if (folder / DESCRIPTION_FILE).exists() and not resume:
        raise RunError(f"{folder} already holds CMatch models. Resume their training, or choose another folder.")


def _vocabulary(sentences: Sequence[Sequence[str]], folder: Path, settings: CMatchSettings) -> Vocabulary:
    """That of a run that goes on, or a new one from the sentences alone: no headline reaches the encoder."""
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
    """Write the description of a new run, or check that a run goes on as it began."""
    if (folder / DESCRIPTION_FILE).exists():
        try:
            before = Description.load(folder)
        except ModelFolderError as error:
            raise RunError(f"This run cannot be resumed: {error}") from error
        different = _differences(before, now)
        if different:
            raise RunError(
                f"The run in {folder} was started with another {' and '.join(different)}. Leave it as it was, or "
                "choose another folder."
            )
    folder.mkdir(parents=True, exist_ok=True)
    remove_drafts(folder)
    now.save(folder, vocabulary)


def _differences(before: Description, now: Description) -> list[str]:
    old, new = before.settings.to_dict(), now.settings.to_dict()
    different = [name for name in old if old[name] != new[name] and name not in SEARCH_SETTINGS]
    if before.seed != now.seed:
        different.append("seed")
    if before.corpora != now.corpora:
        different.append("text")
    return different


def _fingerprint(corpus: LmCorpus) -> str:
    """Tells whether a run is resumed on the text it was started on."""
    return hashlib.sha256(corpus.flat.tobytes() + corpus.starts.tobytes()).hexdigest()


@dataclass(slots=True)
class _Losses:
    """Of the updates since the last line of the log."""

    total: float = 0.0
    count: int = 0

    def add(self, loss: float) -> None:
        self.total += loss
        self.count += 1

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None


class _Fit:
    """One language model on its way, and its files."""

    def __init__(
        self,
        folder: Path,
        part: Part,
        corpus: LmCorpus,
        vocabulary: Vocabulary,
        *,
        settings: CMatchSettings,
        seed: int,
    ) -> None:
        self._folder = folder
        self._part = part
        self._settings = settings
        aside = max(1, min(_MOST_HELD_OUT, int(_HELD_OUT_SHARE * len(corpus))))
        self._corpus, self._held_out = corpus.split(aside, seed)
        checkpoint = _read_checkpoint(self._checkpoint_path)
        torch.manual_seed(seed)
        model = CausalLM(len(vocabulary), settings.width, settings.layers, settings.dropout)
        if checkpoint is None:
            with torch.no_grad():
                model.embedding.weight.copy_(word_vectors(vocabulary.words, settings.width))
            set_frequencies(model, self._corpus)
        self._fitter = CausalLmFitter(model, settings, seed)
        self._losses = _Losses()
        self._seconds_before = 0.0
        if checkpoint is not None:
            self._take_up(*checkpoint)
        _keep_log(folder / LOG_FILE, part, self._fitter.updates or -1)
        self._started = time.monotonic()

    @property
    def _checkpoint_path(self) -> Path:
        return self._folder / f"{self._part}_checkpoint.safetensors"

    @property
    def _seconds(self) -> float:
        return self._seconds_before + time.monotonic() - self._started

    def go(self, budget: Budget, *, stop: StopRequest | None, progress: bool, checkpoint_seconds: float) -> bool:
        """Fit until the budget is spent (True) or a stop is requested (False)."""
        fitter = self._fitter
        saved_at = time.monotonic()
        if not fitter.updates:
            self._log()
        done = budget.spent(updates=fitter.updates, seconds=self._seconds)
        fresh = not done
        with self._bar(budget, progress) as bar:
            for batch in () if done else fitter.batches(self._corpus):
                if stop is not None and stop.signal is not None:
                    break
                self._losses.add(fitter.update(batch, time_left=1 - self._spent(budget)))
                if fitter.updates % self._settings.log_every_updates == 0:
                    self._log(bar)
                bar.update(self._place(budget) - bar.n)
                done = budget.spent(updates=fitter.updates, seconds=self._seconds)
                if done:
                    break
                if time.monotonic() - saved_at >= checkpoint_seconds:
                    self._save()
                    saved_at = time.monotonic()
        if fresh:
            self._save()
        return done

    def _spent(self, budget: Budget) -> float:
        """Share of the budget that is used up; by updates where they are counted, and not by the clock."""
        if budget.updates is not None:
            return self._fitter.updates / budget.updates
        assert budget.minutes is not None
        return self._seconds / (60 * budget.minutes)

    def _place(self, budget: Budget) -> int:
        return int(self._seconds) if budget.updates is None else self._fitter.updates

    def _bar(self, budget: Budget, show: bool) -> Any:
        whole = budget.updates if budget.updates is not None else 60 * (budget.minutes or 0)
        return tqdm(
            total=whole if whole < math.inf else None,
            initial=self._place(budget),
            unit=" s" if budget.updates is None else " updates",
            desc=f"{self._part} language model",
            disable=not show,
            file=sys.stderr,
            mininterval=0.5 if sys.stderr.isatty() else 30.0,
        )

    def _log(self, bar: Any = None) -> None:
        perplexity = self._fitter.perplexity(self._held_out)
        record = {
            "model": self._part,
            "updates": self._fitter.updates,
            "tokens": self._fitter.tokens,
            "seconds": round(self._seconds, 1),
            "loss": self._losses.mean,
            "perplexity": perplexity,
        }
        self._losses = _Losses()
        with (self._folder / LOG_FILE).open("a", encoding="utf-8") as log:
            log.write(json.dumps(record) + "\n")
        if bar is not None:
            bar.set_postfix_str(f"perplexity {perplexity:.1f}", refresh=False)

    def _save(self) -> None:
        """Write the checkpoint, and the model as it would be used now."""
        tensors, values = self._fitter.state()
        losses = {"loss_total": self._losses.total, "loss_count": self._losses.count}
        header = {**values, **losses, "seconds": self._seconds}
        write_tensors(self._checkpoint_path, tensors, {"ealm": json.dumps(header)})
        save_model(self._folder, self._part, self._fitter.model)

    def _take_up(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        try:
            self._fitter.restore(tensors, values)
            self._losses = _Losses(float(values["loss_total"]), int(values["loss_count"]))
            self._seconds_before = float(values["seconds"])
        except (KeyError, ValueError, TypeError, RuntimeError) as error:
            raise RunError(f"{self._checkpoint_path} is damaged ({error}). Start again in another folder.") from error


def _read_checkpoint(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    if not path.exists():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            values = json.loads(file.metadata()["ealm"])
            return {name: file.get_tensor(name) for name in file.keys()}, values  # noqa: SIM118 - not a dict
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} is damaged ({error}). Start again in another folder.") from error


def _keep_log(path: Path, part: Part, updates: int) -> None:
    """Forget what was logged of a model after its checkpoint: a resumed run writes it again."""
    if not path.exists():
        return
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
            if record["model"] != part or record["updates"] <= updates:
                kept.append(line + "\n")
        except (ValueError, KeyError, TypeError):
            continue  # a line that a kill cut off
    write_text(path, "".join(kept))
