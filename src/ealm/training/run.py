"""A training run on disk: checkpoints, log, progress, and stopping without loss."""

import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from ealm.common.config import Settings
from ealm.common.errors import RunError
from ealm.common.stopping import Budget, StopRequest
from ealm.common.storage import remove_drafts, write_text
from ealm.summarize.saved_agent import SavedAgent
from ealm.training.checkpoint import Checkpoint, RunIdentity
from ealm.training.paper_trainer import Collected

LOG_FILE = "log.jsonl"
TENSORBOARD_FOLDER = "tensorboard"
_LOG_EVERY_UPDATES = 100


class Learns(Protocol):
    """What a run drives: one trainer or another."""

    visits: int
    pending_updates: int

    @property
    def updates(self) -> int: ...
    @property
    def best_reward(self) -> float | None: ...
    @property
    def rates(self) -> Mapping[str, float]: ...
    @property
    def replay(self) -> "HasReward": ...
    def collect(self) -> Sequence[Collected]: ...
    def update(self) -> float: ...
    def result(self) -> SavedAgent: ...
    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]: ...
    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None: ...
    def close(self) -> None: ...


class HasReward(Protocol):
    """A replay buffer, seen from the log."""

    def mean_reward(self) -> float: ...


class TrainingRun:
    """Drives a trainer and keeps its folder up to date."""

    def __init__(
        self,
        trainer: Learns,
        folder: Path,
        identity: RunIdentity,
        *,
        checkpoint_seconds: float = 120.0,
        resumed_from: Checkpoint | None = None,
    ) -> None:
        self.trainer = trainer
        self.folder = folder
        self._identity = identity
        self._checkpoint_seconds = checkpoint_seconds
        self._seconds_before = 0.0
        self._started = time.monotonic()
        self._window = _Window()
        folder.mkdir(parents=True, exist_ok=True)
        if resumed_from is not None:
            _restore(trainer, resumed_from, folder)
            self._seconds_before = resumed_from.seconds
        remove_drafts(folder)
        _drop_log_after(folder / LOG_FILE, trainer.updates)

    @property
    def settings(self) -> Settings:
        """What the run does."""
        return self._identity.settings

    @property
    def seconds(self) -> float:
        """Time trained, earlier parts included."""
        return self._seconds_before + time.monotonic() - self._started

    def go(self, budget: Budget, *, stop: StopRequest | None = None, progress: bool = True) -> bool:
        """Train until the budget is spent (True) or a stop is requested (False); the folder is complete either way."""
        trainer = self.trainer
        last_checkpoint = time.monotonic()
        writer = SummaryWriter(str(self.folder / TENSORBOARD_FOLDER), purge_step=trainer.updates + 1)
        with (
            _told_once(),
            (self.folder / LOG_FILE).open("a", encoding="utf-8") as log,
            _Bar(budget, self, progress) as bar,
        ):
            while not (done := budget.spent(updates=trainer.updates, seconds=self.seconds)):
                if stop is not None and stop.signal is not None:
                    break
                if trainer.pending_updates == 0:
                    self._window.add_walks(trainer.collect())
                else:
                    self._window.add_loss(trainer.update())
                    if trainer.updates % _LOG_EVERY_UPDATES == 0:
                        self._log(log, writer)
                bar.show(self._window)
                if time.monotonic() - last_checkpoint >= self._checkpoint_seconds:
                    self.save()
                    last_checkpoint = time.monotonic()
        writer.close()
        self.save()
        return done

    def save(self) -> None:
        """Write the checkpoint, and the agent as it would be used now."""
        tensors, values = self.trainer.state()
        Checkpoint(self._identity, tensors, values, self.seconds).save(self.folder)
        self.trainer.result().save(self.folder)

    def close(self) -> None:
        """End the workers, if there are any."""
        self.trainer.close()

    def _log(self, log: Any, writer: Any) -> None:
        trainer = self.trainer
        record = {
            "updates": trainer.updates,
            "sentences": trainer.visits,
            "replay_reward": trainer.replay.mean_reward(),
            "best_replay_reward": trainer.best_reward,
            **trainer.rates,
            "seconds": round(self.seconds, 1),
            **self._window.means(),
        }
        log.write(json.dumps(record) + "\n")
        log.flush()
        for name, value in record.items():
            if value is not None and name != "updates":
                writer.add_scalar(f"training/{name}", value, trainer.updates)
        self._window = _Window(latest=self._window.latest)


@contextmanager
def _told_once() -> Iterator[None]:
    """A full disk ends TensorBoard's thread too; the error comes back to us, and its traceback helps nobody."""
    before = threading.excepthook

    def tell(what: threading.ExceptHookArgs) -> None:
        if not issubclass(what.exc_type, OSError):
            before(what)

    threading.excepthook = tell
    try:
        yield
    finally:
        threading.excepthook = before


class _Window:
    """Averages since the last line of the log; `latest` is shown while the next ones gather."""

    def __init__(self, latest: dict[str, float] | None = None) -> None:
        self.latest = latest or {}
        self._walks: list[Collected] = []
        self._losses: list[float] = []

    def add_walks(self, walks: Sequence[Collected]) -> None:
        self._walks += walks
        self.latest = self.means()

    def add_loss(self, loss: float) -> None:
        self._losses.append(loss)

    def means(self) -> dict[str, float]:
        """Means over walks (rates at their last step) and updates."""
        columns = {"reward": [reward for walk in self._walks for reward in walk.rewards], "loss": self._losses}
        for walk in self._walks:
            for name, value in walk.measures.items():
                columns.setdefault(name, []).append(value)
        return {name: sum(values) / len(values) for name, values in columns.items() if values}


class _Bar:
    """Progress on stderr: reward, both rates, exploration, sentences a second and the time left."""

    def __init__(self, budget: Budget, run: TrainingRun, show: bool) -> None:
        self._run = run
        self._by_time = budget.updates is None
        self._visits_before = run.trainer.visits
        self._seconds_before = run.seconds
        total = 60 * budget.minutes if self._by_time and budget.minutes else budget.updates
        self._bar = tqdm(
            total=total,
            initial=self._position(),
            unit=" s" if self._by_time else " updates",
            disable=not show,
            file=sys.stderr,
            mininterval=0.5 if sys.stderr.isatty() else 30.0,
            dynamic_ncols=True,
        )

    def _position(self) -> int:
        return int(self._run.seconds) if self._by_time else self._run.trainer.updates

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, window: _Window) -> None:
        """Move to where the run is."""
        if self._bar.disable:
            return
        trainer = self._run.trainer
        walked = trainer.visits - self._visits_before
        means = window.latest
        self._bar.set_postfix_str(
            f"reward {means.get('reward', 0):.2f}, gone {means.get('compression_rate', 0):.2f}, "
            f"{_recovered(means)}explore {trainer.rates['action_exploration']:.2f}, "
            f"{walked / max(self._run.seconds - self._seconds_before, 1e-9):.1f} sentences/s",
            refresh=False,
        )
        self._bar.update(self._position() - self._bar.n)


def _recovered(means: Mapping[str, float]) -> str:
    rate = means.get("reconstruction_rate")
    return "" if rate is None else f"recovered {rate:.2f}, "


def _restore(trainer: Learns, checkpoint: Checkpoint, folder: Path) -> None:
    try:
        trainer.restore(checkpoint.tensors, checkpoint.values)
    except (LookupError, ValueError, TypeError, RuntimeError, AttributeError, ArithmeticError) as error:
        raise RunError(
            f"{folder}: the checkpoint is damaged ({error!r}). Start a new run in another folder."
        ) from error


def _drop_log_after(path: Path, updates: int) -> None:
    """Forget what was logged after the checkpoint: a resumed run writes it again."""
    if not path.exists():
        return
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            if json.loads(line)["updates"] <= updates:
                kept.append(line + "\n")
        except (ValueError, KeyError, TypeError):
            continue  # a line that a kill cut off
    write_text(path, "".join(kept))
