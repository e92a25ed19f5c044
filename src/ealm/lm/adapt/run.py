"""Fitting a language model on a corpus, on disk: start or resume, checkpoints, scores, a folder ready for use."""

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ealm.common.checkpoint import (
    FORMAT,
    Kinds,
    SavedState,
    damage_reported,
    optimizer_tensors,
    prefixed,
    restore_optimizer,
)
from ealm.common.errors import CorpusError, LanguageModelError, RunRequestError, SettingsError
from ealm.common.identity import check_no_run, check_same_run, differences, fingerprint
from ealm.common.run_loop import Stopwatch, run_until
from ealm.common.stopping import Budget, StopRequest
from ealm.common.storage import read_json, remove_drafts, write_json
from ealm.lm import bundled as embedded
from ealm.lm.adapt.corpus import CorpusReader, LmCorpus
from ealm.lm.adapt.fitting import SCORED_WORDS, FittingSettings, LmFitter
from ealm.lm.adapt.masking import Batch
from ealm.lm.adapt.start import (
    WEIGHTS_FILE,
    StartingPoint,
    stored_weights,
    write_description,
    write_weights,
)
from ealm.lm.int8_weights import COMPACT_FILE, restored, rounded, write_compact
from ealm.lm.loading import load_pretrained
from ealm.lm.masked_lm import TransformersMaskedLM, head_at_holes

CHECKPOINT_FILE = "fitting.safetensors"
REPORT_FILE = "fitting.json"
_DESCRIPTION_FILE = "config.json"
_WEIGHT = "weight."
_SHOWN_LOSSES = 100
_HELD_OUT_SHARE, _MOST_HELD_OUT = 0.02, 5_000
_LARGEST_HELD_OUT_SHARE = 0.2
_FEWEST_SENTENCES = 10
_HELD_OUT_WORDS = 4_000
"""Words of the sentences that are set aside of a small corpus: enough to score 2,000 of them, hidden in turn."""


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
    """Read the corpus, load the model, and restore the checkpoint if there is one to resume from."""
    folder = request.folder
    # The description is written last: without it the first save was cut short, and there is nothing to resume from.
    exists = (folder / CHECKPOINT_FILE).exists() and (folder / _DESCRIPTION_FILE).exists()
    _check_request(request, exists=exists)
    checkpoint = load_checkpoint(folder) if exists else None
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
        reader.known.update(start.add_words(reader.new_words(corpus, start.room)))
    corpus, held_out = _encoded(reader, corpus, held_out, request)
    if start.new_head and not exists:
        start.set_frequencies(corpus)
    fitter = LmFitter(
        start.model,
        head_at_holes(start.model),
        # In the order of the ids: the same words at the same indices, whether the run is new or resumed.
        tokens=start.masking_tokens(sorted(reader.known.values()), reader.hidden_digits()),
        not_a_word=TransformersMaskedLM(start.model, start.tokenizer).not_a_word,
        settings=request.settings,
    )
    return Adaptation(request, start, fitter, corpus, held_out, checkpoint)


def _check_request(request: AdaptRequest, *, exists: bool) -> None:
    if not request.minutes > 0:
        raise SettingsError(f"minutes must be a number above 0, got {request.minutes}.")
    if exists and not request.resume:
        check_no_run(request.folder, CHECKPOINT_FILE)
    if not exists and (request.folder / _DESCRIPTION_FILE).exists():
        raise RunRequestError(
            f"{request.folder} holds a model already. Choose another out=; to fit that model further, name it with lm=."
        )


def _encoded(
    reader: CorpusReader, corpus: LmCorpus, held_out: LmCorpus | None, request: AdaptRequest
) -> tuple[LmCorpus, LmCorpus]:
    """Corpus and held-out sentences by the ids of the final vocabulary."""
    corpus = reader.encode(corpus)
    reader.check_known(corpus, request.corpus)
    if held_out is None:
        return _split(corpus, request)
    held_out = reader.encode(held_out)
    reader.check_known(held_out, request.held_out or request.corpus)
    return corpus, held_out


def _split(corpus: LmCorpus, request: AdaptRequest) -> tuple[LmCorpus, LmCorpus]:
    least = math.ceil(_HELD_OUT_WORDS * len(corpus) / len(corpus.flat))
    aside = min(max(least, int(_HELD_OUT_SHARE * len(corpus))), int(_LARGEST_HELD_OUT_SHARE * len(corpus)))
    aside = min(_MOST_HELD_OUT, aside)
    if len(corpus) < _FEWEST_SENTENCES:
        raise CorpusError(
            f"{request.corpus} has {len(corpus)} usable sentences, too few to set some aside for scores. "
            "Give more text, or name sentences for scores with held_out=."
        )
    return corpus.split(aside, request.settings.seed)


def is_finished(request: AdaptRequest) -> bool:
    """Whether the folder holds what is asked for: a finished run that took as long."""
    try:
        report = read_json(request.folder / REPORT_FILE)
        return request.resume and report["finished"] is True and report["seconds"] >= 60 * request.minutes
    except (OSError, ValueError, KeyError, TypeError):
        return False


def remove_leftovers(folder: Path) -> None:
    """Remove what only an unfinished run needs; also for a run that was killed right before it did so itself."""
    remove_drafts(folder)
    (folder / CHECKPOINT_FILE).unlink(missing_ok=True)
    if (folder / COMPACT_FILE).exists():
        (folder / WEIGHTS_FILE).unlink(missing_ok=True)


_KINDS: Kinds = {
    "settings": dict,
    "corpus": str,
    "updates": int,
    "chunk": int,
    "batches_done": int,
    "tokens": int,
    "seconds": (int, float),
    "history": list,
}


def load_checkpoint(folder: Path) -> SavedState | None:
    """The folder's checkpoint, or None if there is none."""
    return SavedState.load(folder / CHECKPOINT_FILE, _KINDS)


class Adaptation:
    """A fitting run and its folder."""

    def __init__(
        self,
        request: AdaptRequest,
        start: StartingPoint,
        fitter: LmFitter,
        corpus: LmCorpus,
        held_out: LmCorpus,
        checkpoint: SavedState | None,
    ) -> None:
        self.request = request
        self.fitter = fitter
        self.corpus = corpus
        self.held_out = held_out
        self.history: list[dict[str, Any]] = []
        """Scores on the held-out sentences, the last ones last."""
        self._start = start
        self._budget = Budget(minutes=request.minutes)
        self._tokens = 0
        self._losses: deque[float] = deque(maxlen=_SHOWN_LOSSES)
        arrays = (corpus.flat, corpus.starts, held_out.flat, held_out.starts)
        self._fingerprint = fingerprint(array.tobytes() for array in arrays)
        request.folder.mkdir(parents=True, exist_ok=True)
        remove_drafts(request.folder)
        if checkpoint is not None:
            self._check_same_run(checkpoint.header)
            with damage_reported(request.folder / CHECKPOINT_FILE):
                self._restore(checkpoint)
        self._stopwatch = Stopwatch(checkpoint.header["seconds"] if checkpoint else 0.0)

    @property
    def updates(self) -> int:
        """Updates done, earlier parts included."""
        return self.fitter.updates

    @property
    def seconds(self) -> float:
        """Time spent fitting, earlier parts included."""
        return self._stopwatch.seconds

    def go(self, *, stop: StopRequest | None = None) -> bool:
        """Fit until the time is over (True) or a stop is requested (False); the folder is complete either way."""
        request = self.request
        if not self.history:
            self._score()
            if (scored := self.history[0]["words"]) < SCORED_WORDS:
                request.say(
                    f"The corpus is small: scores are of {scored:,} hidden words and may differ by chance. "
                    f"With more text, or more sentences for scores, they are of {SCORED_WORDS:,}."
                )
        self._batches: Iterator[Batch] = (batch for chunk in self.fitter.chunks(self.corpus) for batch in chunk)
        done = run_until(
            self,
            self._budget,
            stop=stop,
            checkpoint_seconds=request.checkpoint_seconds,
            progress=request.progress,
        )
        self._score()  # when all is saved: it takes a while
        self.save()
        return done

    def step(self) -> None:
        """One update."""
        batch = next(self._batches)
        left = self._budget.share_left(updates=self.updates, seconds=self.seconds)
        self._losses.append(self.fitter.update(batch, time_left=left))
        self._tokens += int(batch.attention.sum())

    def status(self) -> str:
        """The loss of the last updates."""
        return f"loss {sum(self._losses) / len(self._losses):.3f}"

    def _score(self, how: str = "held out") -> None:
        scores = self.fitter.score(self.held_out)
        counters = {"updates": self.updates, "tokens": self._tokens, "seconds": round(self.seconds, 1)}
        self.history.append(counters | asdict(scores))
        self.request.say(f"After {self.updates:,} updates, {how}: {scores}")

    def save(self) -> None:
        """Write a folder that can be used as a language model, and the checkpoint."""
        folder = self.request.folder
        fitter = self.fitter
        weights = fitter.model.state_dict()
        write_weights(folder, weights)
        tensors = {**stored_weights(prefixed(_WEIGHT, weights)), **optimizer_tensors(fitter.optimizer)}
        report = {
            "format": FORMAT,
            "settings": fitter.settings.to_dict(),
            "corpus": self._fingerprint,
            "sentences": len(self.corpus),
            "updates": fitter.updates,
            "chunk": fitter.chunk,
            "batches_done": fitter.batches_done,
            "tokens": self._tokens,
            "seconds": self.seconds,
            "history": self.history,
        }
        SavedState(report, tensors).save(folder / CHECKPOINT_FILE)
        write_json(folder / REPORT_FILE, report)
        write_description(folder, self._start)

    def finish(self) -> None:
        """Leave only what it takes to use the model, in eight bits if our own code can read it: a twelfth of the size.

        What is removed is removed last, so that a kill leaves a folder that can be used and resumed.
        """
        folder, model = self.request.folder, self.fitter.model
        weights = stored_weights(model.state_dict())
        write_compact(folder, weights)
        try:
            load_pretrained(str(folder))
        except LanguageModelError:  # a BERT of another kind than ours
            (folder / COMPACT_FILE).unlink()
        else:
            model.load_state_dict(restored(rounded(weights)), strict=False)
            model.tie_weights()
            self._score("rounded to eight bits")
        write_json(folder / REPORT_FILE, {**read_json(folder / REPORT_FILE), "history": self.history, "finished": True})
        remove_leftovers(folder)

    def _check_same_run(self, header: Mapping[str, Any]) -> None:
        before = {**header["settings"], "text": header["corpus"]}
        different = differences(before, {"text": self._fingerprint, **self.fitter.settings.to_dict()})
        if "seed" in different:  # another seed sets other sentences aside
            different = [name for name in different if name != "text"]
        check_same_run(self.request.folder, different)

    def _restore(self, checkpoint: SavedState) -> None:
        fitter, header = self.fitter, checkpoint.header
        weights = checkpoint.part(_WEIGHT)
        expected = stored_weights(fitter.model.state_dict()).keys()
        if expected != weights.keys():
            raise KeyError(f"weights are missing or foreign, such as {min(expected ^ weights.keys())}")
        fitter.model.load_state_dict(weights, strict=False)
        fitter.model.tie_weights()
        restore_optimizer(fitter.optimizer, checkpoint.tensors, required=header["updates"] > 0)
        fitter.updates, fitter.chunk, fitter.batches_done = (
            header[name] for name in ("updates", "chunk", "batches_done")
        )
        self._tokens, self.history = header["tokens"], header["history"]
