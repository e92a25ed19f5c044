"""Fitting a language model on a corpus, on disk: start or resume, checkpoints, scores, a folder ready for use."""

import hashlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor
from tqdm import tqdm

from ealm import embedded
from ealm.errors import CorpusError, RunError
from ealm.lm_corpus import CorpusReader, LmCorpus
from ealm.lm_fitting import FittingSettings, LmFitter, LmScores
from ealm.lm_start import StartingPoint, stored_weights, write_description, write_weights
from ealm.masked_lm import TransformersMaskedLM, head_at_holes
from ealm.optimizer_state import optimizer_tensors, restore_optimizer
from ealm.run import StopRequest
from ealm.storage import remove_drafts, write_json, write_tensors

CHECKPOINT_FILE = "fitting.safetensors"
REPORT_FILE = "fitting.json"
_WEIGHT = "weight."
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
    exists = (folder / CHECKPOINT_FILE).exists()
    if exists and not request.resume:
        raise RunError(f"{folder} already holds a fitted model. Go on with --resume, or choose another --out.")
    report = _read_report(folder) if exists else None
    start = StartingPoint.load(str(folder) if exists else request.lm)
    reader = CorpusReader(
        start.known_words(),
        unknown_id=start.tokenizer.unk_token_id,
        normalize=start.normalize,
        pretokenized=request.pretokenized,
    )
    corpus = reader.read(request.corpus, progress=request.progress)
    held_out = reader.read(request.held_out) if request.held_out else None
    if not exists:
        reader.known.update(start.add_words(reader.new_words(corpus, start.free_places)))
    corpus = reader.settle(corpus)
    if held_out is None:
        corpus, held_out = _split(corpus, request)
    else:
        held_out = reader.settle(held_out)
    if start.new_head and not exists:
        start.set_frequencies(corpus)
    fitter = LmFitter(
        start.model,
        head_at_holes(start.model),
        tokens=start.masking_tokens(list(reader.known.values()), reader.hidden_digits()),
        not_a_word=TransformersMaskedLM(start.model, start.tokenizer).not_a_word,
        settings=request.settings,
    )
    return Adaptation(request, start, fitter, corpus, held_out, report)


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
        self._fingerprint = hashlib.sha256(corpus.flat.tobytes()).hexdigest()
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
        request = self.request
        whole = 60 * request.minutes
        saved_at = time.monotonic()
        if not self._history:
            self._score()
        stopped = False
        bar = tqdm(
            total=int(whole),
            initial=min(int(self.seconds), int(whole)),
            unit=" s",
            disable=not request.progress,
            file=sys.stderr,
            mininterval=0.5 if sys.stderr.isatty() else 30.0,
        )
        with bar:
            for chunk in self.fitter.chunks(self.corpus):
                losses: list[float] = []
                for batch in chunk:
                    stopped = stop is not None and stop.signal is not None
                    if stopped or self.seconds >= whole:
                        break
                    losses.append(self.fitter.update(batch, time_left=1 - self.seconds / whole))
                    self._tokens += int(batch.attention.sum())
                    bar.set_postfix_str(f"loss {sum(losses) / len(losses):.3f}", refresh=False)
                    bar.update(min(int(self.seconds), int(whole)) - bar.n)
                if stopped or self.seconds >= whole:
                    break
                if time.monotonic() - saved_at >= request.checkpoint_seconds:
                    self.save()
                    saved_at = time.monotonic()
        self._score()
        self.save()
        return not stopped

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
        write_description(folder, self._start)
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
            "tokens": self._tokens,
            "seconds": self.seconds,
            "history": self._history,
        }
        write_tensors(folder / CHECKPOINT_FILE, tensors, {"ealm": json.dumps(report)})
        write_json(folder / REPORT_FILE, report)

    def _take_up(self, report: dict[str, Any]) -> None:
        if report["corpus"] != self._fingerprint:
            raise RunError("The run in this folder was started on other text: it cannot go on with this one.")
        if report["settings"] != asdict(self.fitter.settings):
            raise RunError("The run in this folder was started with other settings. Leave them as they were.")
        tensors = report.pop("tensors")
        weights = {name.removeprefix(_WEIGHT): t for name, t in tensors.items() if name.startswith(_WEIGHT)}
        self.fitter.model.load_state_dict(weights, strict=False)
        self.fitter.model.tie_weights()
        restore_optimizer(self.fitter.optimizer, tensors)
        self.fitter.updates, self.fitter.chunk = report["updates"], report["chunk"]
        self._seconds_before, self._tokens = report["seconds"], report["tokens"]
        self._history = report["history"]


def _read_report(folder: Path) -> dict[str, Any]:
    path = folder / CHECKPOINT_FILE
    try:
        with safe_open(path, framework="pt") as file:
            report: dict[str, Any] = json.loads(file.metadata()["ealm"])
            tensors: dict[str, Tensor] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no dict
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} is damaged ({error}). Start again in another folder.") from error
    return {**report, "tensors": tensors}
