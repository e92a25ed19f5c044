"""A training run on disk: its checkpoint, its log and its agent."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor

from ealm.common.checkpoint import damage_reported
from ealm.common.config import Settings
from ealm.common.extras import needs_extra
from ealm.common.run_loop import LOG_EVERY_UPDATES, LOG_FILE, JsonLog, Means, Stopwatch, run_until
from ealm.common.stopping import Budget, StopRequest
from ealm.common.storage import remove_drafts
from ealm.summarize.saved_agent import SavedAgent
from ealm.training.checkpoint import CHECKPOINT_FILE, Checkpoint, RunIdentity
from ealm.training.return_gate import Returns
from ealm.training.trainer import Collected

with needs_extra("train", "Training"):
    from torch.utils.tensorboard import SummaryWriter

TENSORBOARD_FOLDER = "tensorboard"
CHART_SECONDS, FLUSH_SECONDS = 15.0, 10
"""Whoever watches sees a new point every half minute: it is made after so many seconds, and on disk so many later."""


class Trainer(Protocol):
    """What a run drives: the paper's trainer or that of the goal agent."""

    visits: int
    pending_updates: int

    @property
    def updates(self) -> int: ...
    @property
    def best_reward(self) -> float | None: ...
    @property
    def returns(self) -> Returns | None: ...
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
        trainer: Trainer,
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
        folder.mkdir(parents=True, exist_ok=True)
        if resumed_from is not None:
            with damage_reported(folder / CHECKPOINT_FILE):
                trainer.restore(resumed_from.tensors, resumed_from.values)
        remove_drafts(folder)
        self._log = JsonLog(folder / LOG_FILE)
        self._log.keep(lambda record: record["updates"] <= trainer.updates)
        self._means = Means()
        """Since the last line of the log: over walks (rates at their last step) and updates."""
        self._shown: Mapping[str, float] = {}
        """The means after the last collection."""
        self._stopwatch = Stopwatch(resumed_from.seconds if resumed_from else 0.0)
        self._visits_before, self._seconds_before = trainer.visits, self.seconds

    @property
    def settings(self) -> Settings:
        """What the run does."""
        return self._identity.settings

    @property
    def updates(self) -> int:
        """Updates done, earlier parts included."""
        return self.trainer.updates

    @property
    def seconds(self) -> float:
        """Time trained, earlier parts included."""
        return self._stopwatch.seconds

    def go(self, budget: Budget, *, stop: StopRequest | None = None, progress: bool = True) -> bool:
        """Train until the budget is spent (True) or a stop is requested (False); the folder is complete either way."""
        self._visits_before, self._seconds_before = self.trainer.visits, self.seconds
        (self.folder / LOG_FILE).touch()  # also of a run that is too short for a line
        self._writer = SummaryWriter(
            str(self.folder / TENSORBOARD_FOLDER), purge_step=self.updates + 1, flush_secs=FLUSH_SECONDS
        )
        self._charted = self.seconds
        with _reported_once():
            done = run_until(self, budget, stop=stop, checkpoint_seconds=self._checkpoint_seconds, progress=progress)
            self._writer.close()
        return done

    def step(self) -> None:
        """Collect walks, or update with what the last collection paid for."""
        if self.trainer.pending_updates == 0:
            for walk in self.trainer.collect():
                for reward in walk.rewards:
                    self._means.add({"reward": reward})
                self._means.add(walk.measures)
            self._shown = self._means.values()
        else:
            self._means.add({"loss": self.trainer.update()})
            if self.updates % LOG_EVERY_UPDATES == 0:
                self._write_log()
        if self.seconds - self._charted >= CHART_SECONDS:
            self._chart(self._record())

    def status(self) -> str:
        """Reward, both rates, exploration, and sentences a second."""
        means = self._shown
        walked = self.trainer.visits - self._visits_before
        recovered = means.get("reconstruction_rate")
        return (
            f"reward {means.get('reward', 0):.2f}, gone {means.get('compression_rate', 0):.2f}, "
            f"{'' if recovered is None else f'recovered {recovered:.2f}, '}"
            f"explore {self.trainer.rates['action_exploration']:.2f}, "
            f"{walked / max(self.seconds - self._seconds_before, 1e-9):.1f} sentences/s"
        )

    def save(self) -> None:
        """Write the checkpoint, and the agent as it would be used now."""
        tensors, values = self.trainer.state()
        Checkpoint(self._identity, tensors, values, self.seconds).save(self.folder)
        self.trainer.result().save(self.folder)

    def close(self) -> None:
        """End the workers, if there are any."""
        self.trainer.close()

    def _write_log(self) -> None:
        record = self._record()
        self._means.clear()
        self._log.write(record)
        self._chart(record)

    def _record(self) -> dict[str, Any]:
        """Where the run is."""
        trainer = self.trainer
        return {
            "updates": trainer.updates,
            "sentences": trainer.visits,
            "replay_reward": trainer.replay.mean_reward(),
            "best_replay_reward": trainer.best_reward,
            **trainer.rates,
            "seconds": round(self.seconds, 1),
            **self._means.values(),
        }

    def _chart(self, record: Mapping[str, Any]) -> None:
        """Give TensorBoard a point; the log has fewer, which do not depend on the clock."""
        self._charted = self.seconds
        for name, value in record.items():
            if value is not None and name != "updates":
                self._writer.add_scalar(f"training/{name}", value, self.updates)


@contextmanager
def _reported_once() -> Iterator[None]:
    """A full disk ends TensorBoard's thread too; the error comes back to us, and its traceback helps nobody."""
    before = threading.excepthook

    def report(failure: threading.ExceptHookArgs) -> None:
        if not issubclass(failure.exc_type, OSError):
            before(failure)

    threading.excepthook = report
    try:
        yield
    finally:
        threading.excepthook = before
