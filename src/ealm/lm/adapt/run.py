"""Fitting a language model on a corpus, on disk: start or resume, checkpoints, scores, a folder ready for use."""

import hashlib
import json
import math
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from torch import Tensor
from tqdm import tqdm

from ealm.common.errors import CorpusError, RunError, SettingsError
from ealm.common.optimizer_state import optimizer_tensors, restore_optimizer
from ealm.common.stopping import StopRequest
from ealm.common.storage import read_checkpoint, remove_drafts, write_json, write_tensors
from ealm.lm import bundled as embedded
from ealm.lm.adapt.corpus import CorpusReader, LmCorpus
from ealm.lm.adapt.fitting import FittingSettings, LmFitter, LmScores
from ealm.lm.adapt.start import StartingPoint, stored_weights, write_description, write_weights
from ealm.lm.masked_lm import TransformersMaskedLM, head_at_holes

CHECKPOINT_FILE = "fitting.safetensors"
REPORT_FILE = "fitting.json"
_DESCRIPTION_FILE = "config.json"
_WEIGHT = "weight."
_SHOWN_LOSSES = 100
_HELD_OUT_SHARE, _MOST_HELD_OUT = 0.02, 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptRequest:
    """What a user asks for."""

    corpus: Path
    folder: Path
    minutes: float
    lm: str = embedded.NAME
    held_out: Path | None = None
    pretokenized: bool = False
    resume: bool = False
    checkpoint_seconds: float = 120.0
    settings: FittingSettings
    say: Callable[[str], None] = print
    progress: bool = True


def open_adaptation(request: AdaptRequest) -> "Adaptation":
    """Read the corpus, load the model, and take up the checkpoint if there is one to go on from."""
    folder = request.folder
    # The description is written last: without it the first save was cut short, and there is nothing to go on from.
    exists = (folder / CHECKPOINT_FILE).exists() and (folder / _DESCRIPTION_FILE).exists()
    _check_request(request, exists=exists)
    report = _read_report(folder) if exists else None
    start = StartingPoint.load(str(folder.resolve()) if exists else request.lm)
    reader = CorpusReader(
        start.known_words(),
        unknown_id=start.tokenizer.unk_token_id,
        normalize=start.normalize,
        pretokenized=request.pretokenized,
        most_words=TransformersMaskedLM(start.model, start.tokenizer).max_words,
    )
    corpus = reader.read(request.corpus, progress=request.progress)
    held_out = reader.read(request.held_out) if request.held_out else None
    if not exists:
        reader.known.update(start.add_words(reader.new_words(corpus, start.free_places)))
    corpus, held_out = _settled(reader, corpus, held_out, request)
    if start.new_head and not exists:
        start.set_frequencies(corpus)
    fitter = LmFitter(
        start.model,
        head_at_holes(start.model),
        # In the order of the ids: the same words in the same places, whether the run is new or resumed.
        tokens=start.masking_tokens(sorted(reader.known.values()), reader.hidden_digits()),
        not_a_word=TransformersMaskedLM(start.model, start.tokenizer).not_a_word,
        settings=request.settings,
    )
    return Adaptation(request, start, fitter, corpus, held_out, report)


def _check_request(request: AdaptRequest, *, exists: bool) -> None:
    if not request.minutes > 0:
        raise SettingsError(f"minutes must be a number above 0, got {request.minutes}.")
    if not 0 < request.settings.learning_rate < math.inf:
        raise SettingsError(f"learning_rate must be a number above 0, got {request.settings.learning_rate}.")
    if exists and not request.resume:
        raise RunError(f"{request.folder} already holds a fitted model. Go on with --resume, or choose another --out.")
    if not exists and (request.folder / _DESCRIPTION_FILE).exists():
        raise RunError(f"{request.folder} holds a model that was not made here. Choose another --out.")


def _settled(
    reader: CorpusReader, corpus: LmCorpus, held_out: LmCorpus | None, request: AdaptRequest
) -> tuple[LmCorpus, LmCorpus]:
    """Corpus and held-out sentences by the ids of the final vocabulary."""
    corpus = reader.settle(corpus)
    reader.check_known(corpus, request.corpus)
    if held_out is None:
        return _split(corpus, request)
    held_out = reader.settle(held_out)
    reader.check_known(held_out, request.held_out or request.corpus)
    return corpus, held_out


def _split(corpus: LmCorpus, request: AdaptRequest) -> tuple[LmCorpus, LmCorpus]:
    aside = min(_MOST_HELD_OUT, int(_HELD_OUT_SHARE * len(corpus)))
    if not aside:
        raise CorpusError(
            f"{request.corpus} has {len(corpus)} usable sentences, too few to set some aside for scores. "
            "Give more text, or name sentences for scores with --heldout."
        )
    return corpus.split(aside, request.settings.seed)


class Adaptation:
    """A fitting run and its folder."""

    def __init__(
        self,
        request: AdaptRequest,
        start: StartingPoint,
        fitter: LmFitter,
        corpus: LmCorpus,
        held_out: LmCorpus,
        report: dict[str, Any] | None,
    ) -> None:
        self.request = request
        self.fitter = fitter
        self.corpus = corpus
        self.held_out = held_out
        self._start = start
        self._seconds_before = 0.0
        self._tokens = 0
        self._history: list[dict[str, Any]] = []
        self._fingerprint = _fingerprint(corpus, held_out)
        request.folder.mkdir(parents=True, exist_ok=True)
        remove_drafts(request.folder)
        if report is not None:
            self._take_up(report)
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time spent fitting, earlier parts included."""
        return self._seconds_before + time.monotonic() - self._started

    @property
    def last_scores(self) -> dict[str, Any] | None:
        """Scores when the folder was written last."""
        return self._history[-1] if self._history else None

    def go(self, *, stop: StopRequest | None = None) -> bool:
        """Fit until the time is over (True) or a stop is requested (False); the folder is complete either way."""
        whole = 60 * self.request.minutes
        saved_at = time.monotonic()
        if not self._history:
            self._score()
        losses: deque[float] = deque(maxlen=_SHOWN_LOSSES)
        stopped = False
        with self._bar(whole) as bar:
            for batch in (batch for chunk in self.fitter.chunks(self.corpus) for batch in chunk):
                stopped = stop is not None and stop.signal is not None
                if stopped or self.seconds >= whole:
                    break
                losses.append(self.fitter.update(batch, time_left=1 - self.seconds / whole))
                self._tokens += int(batch.attention.sum())
                bar.set_postfix_str(f"loss {sum(losses) / len(losses):.3f}", refresh=False)
                bar.update(int(min(self.seconds, whole)) - bar.n)
                if time.monotonic() - saved_at >= self.request.checkpoint_seconds:
                    self.save()
                    saved_at = time.monotonic()
        self.save()  # before the scores, which take a while
        self._score()
        self.save()
        return not stopped

    def _bar(self, whole: float) -> Any:
        return tqdm(
            total=int(whole) if whole < math.inf else None,
            initial=int(min(self.seconds, whole)),
            unit=" s",
            disable=not self.request.progress,
            file=sys.stderr,
            mininterval=0.5 if sys.stderr.isatty() else 30.0,
        )

    def _score(self) -> LmScores:
        scores = self.fitter.score(self.held_out)
        self._history.append(
            {
                "updates": self.fitter.updates,
                "tokens": self._tokens,
                "seconds": round(self.seconds, 1),
                **asdict(scores),
            }
        )
        self.request.say(f"After {self.fitter.updates:,} updates, held out: {scores}")
        return scores

    def save(self) -> None:
        """Write a folder that can be used as a language model, and the checkpoint to go on from."""
        folder = self.request.folder
        fitter = self.fitter
        write_weights(folder, fitter.finished_weights())
        learning = {f"{_WEIGHT}{name}": tensor for name, tensor in fitter.model.state_dict().items()}
        tensors = {**stored_weights(learning), **optimizer_tensors(fitter.optimizer)}
        report = {
            "format": 1,
            "settings": asdict(fitter.settings),
            "corpus": self._fingerprint,
            "sentences": len(self.corpus),
            "updates": fitter.updates,
            "chunk": fitter.chunk,
            "batches_done": fitter.batches_done,
            "tokens": self._tokens,
            "seconds": self.seconds,
            "history": self._history,
        }
        write_tensors(folder / CHECKPOINT_FILE, tensors, {"ealm": json.dumps(report)})
        write_json(folder / REPORT_FILE, report)
        write_description(folder, self._start)

    def _take_up(self, report: dict[str, Any]) -> None:
        before, now = report["settings"], asdict(self.fitter.settings)
        different = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
        other_text = report["corpus"] != self._fingerprint
        if other_text and "seed" not in different:  # another seed sets other sentences aside
            raise RunError("The run in this folder was started on other text: it cannot go on with this one.")
        if different:
            raise RunError(
                f"The run in this folder was started with another {' and '.join(different)}. Leave it as it was, "
                "or choose another --out."
            )
        tensors = report["tensors"]
        weights = {name.removeprefix(_WEIGHT): t for name, t in tensors.items() if name.startswith(_WEIGHT)}
        try:
            self._restore(weights, tensors, report["updates"])
        except (RuntimeError, KeyError, ValueError) as error:
            raise RunError(f"The checkpoint is damaged ({error}). Start again in another folder.") from error
        self.fitter.updates, self.fitter.chunk = report["updates"], report["chunk"]
        self.fitter.batches_done = report["batches_done"]
        self._seconds_before, self._tokens = report["seconds"], report["tokens"]
        self._history = report["history"]

    def _restore(self, weights: dict[str, Tensor], tensors: dict[str, Tensor], updates: int) -> None:
        model = self.fitter.model
        expected = stored_weights(model.state_dict()).keys()
        if expected != weights.keys():
            raise KeyError(f"weights are missing or foreign, such as {min(expected ^ weights.keys())}")
        if updates and not any(name.startswith("adam.") for name in tensors):
            raise KeyError("the optimizer's memory is missing")
        model.load_state_dict(weights, strict=False)
        model.tie_weights()
        restore_optimizer(self.fitter.optimizer, tensors)


def _fingerprint(corpus: LmCorpus, held_out: LmCorpus) -> str:
    """Tells whether a run is resumed on the text it was started on."""
    digest = hashlib.sha256()
    for part in (corpus, held_out):
        digest.update(part.flat.tobytes() + part.starts.tobytes())
    return digest.hexdigest()


_REPORT_FIELDS: dict[str, type | tuple[type, ...]] = {
    "settings": dict,
    "corpus": str,
    "updates": int,
    "chunk": int,
    "batches_done": int,
    "tokens": int,
    "seconds": (int, float),
    "history": list,
}


def _read_report(folder: Path) -> dict[str, Any]:
    path = folder / CHECKPOINT_FILE
    try:
        report, tensors = read_checkpoint(path)
        wrong = [name for name, kind in _REPORT_FIELDS.items() if not isinstance(report.get(name), kind)]
        if wrong:
            raise KeyError(f"{wrong[0]!r} is missing or of the wrong type")
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(f"{path} is damaged ({error}). Start again in another folder.") from error
    return {**report, "tensors": tensors}
