"""A pool of actors on a Ray cluster."""

import logging
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ealm.common.errors import WorkersError
from ealm.common.extras import require_extra
from ealm.common.worker_pool import Pool, Recipe, Work, Worker, WorkerDiedError, try_job, try_load

CORES_PER_ACTOR = 0.5
"""Requested, though an actor keeps a core busy: if half of the machines are lost, the others have room for all."""


def require_ray() -> None:
    """Say what to install where Ray is missing."""
    require_extra("ray", "The Ray backend", "ray")


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Report what Ray cannot recover from, such as the loss of its head."""
    import ray

    try:
        yield
    except ray.exceptions.RayError as error:
        raise WorkersError(f"The Ray cluster failed: {error}\nFinished work is kept; continue with resume=.") from error


class ActorPool(Pool):
    """Actors on any machine of a cluster."""

    def __init__(self, recipe: Recipe, *, address: str | None, actors: int | None, gpu: bool) -> None:
        """`address`: None for the cluster that runs here or that RAY_ADDRESS names; else one is started for the pool.

        `actors`: None for one for each core of the cluster, or with `gpu` for each GPU.
        """
        require_ray()
        self._recipe = recipe
        self._gpu = gpu
        self._own_session = _connect(address)
        try:
            super().__init__(actors or _capacity(gpu=gpu))
        except BaseException:
            self._disconnect()
            raise

    @_plain_errors()
    def _start(self) -> "_Actor":
        return _Actor(self._recipe, gpu=self._gpu)

    @_plain_errors()
    def _wait(self, channels: Sequence[Any], seconds: float | None) -> Sequence[Any]:
        import ray

        ready, _ = ray.wait(channels, num_returns=len(channels) if seconds == 0 else 1, timeout=seconds)
        found: Sequence[Any] = ready
        return found

    def _replace(self, worker: Worker, *, reason: str) -> None:
        super()._replace(worker, reason=reason)
        for other in self._workers:  # idle ones may be lost with the same machine: ask before they get a job
            if isinstance(other, _Actor) and other.channel is None:
                other.load()

    def close(self) -> None:
        super().close()
        self._disconnect()

    def _disconnect(self) -> None:
        import ray

        if self._own_session:
            ray.shutdown()


class _Actor(Worker):
    """A handle of an actor; the channel is the reference to the result of its last call."""

    def __init__(self, recipe: Recipe, *, gpu: bool) -> None:
        import ray

        resources = {"num_cpus": 0, "num_gpus": 1} if gpu else {"num_cpus": CORES_PER_ACTOR}
        remote = ray.remote(_Remote).options(**resources)
        self._actor = remote.remote(recipe, folder=str(Path.cwd()), threads=None if gpu else 1)
        self.load()

    def load(self) -> None:
        """Ask whether it is ready; it loads only once."""
        self.ready = False
        self.channel = self._actor.load.remote()

    @_plain_errors()
    def send(self, job: Any) -> None:
        self.channel = self._actor.work.remote(job)

    @_plain_errors()
    def receive(self) -> Any:
        from ray import exceptions, get

        deaths = (
            *(exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.OutOfMemoryError),
            *(exceptions.NodeDiedError, exceptions.ObjectLostError),
        )
        reference, self.channel = self.channel, None
        try:
            return get(reference)
        except deaths as error:
            raise WorkerDiedError(str(error)) from error

    def terminate(self) -> None:
        import ray

        with suppress(ray.exceptions.RayError):
            ray.kill(self._actor)


class _Remote:
    """What runs in an actor."""

    def __init__(self, recipe: Recipe, *, folder: str, threads: int | None) -> None:
        """`folder`: where the command was started; relative names of models are meant from there."""
        with suppress(OSError):
            os.chdir(folder)
        self._recipe = recipe
        self._threads = threads
        self._work: Work | None = None

    def load(self) -> Exception | None:
        """The error to raise in the main process, if any."""
        error = None
        if self._work is None:
            self._work, error = try_load(self._recipe, self._threads)
        return error

    def work(self, job: Any) -> Any:
        """The result of a job, or the error to raise."""
        assert self._work is not None
        return try_job(self._work, job)


def _connect(address: str | None) -> bool:
    """Join a cluster; False if this process has a session already, which then outlives the pool."""
    import ray

    if ray.is_initialized():
        return False
    if address is not None and "://" in address:
        raise WorkersError(
            f"Cannot connect to {address}. Run this on a machine of the cluster, with the address HOST:PORT that "
            "`ray start --head` printed."
        )
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # no usage statistics are sent
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # its errors come as exceptions too
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # many kinds, Exception itself among them if a node does not start in time
        raise WorkersError(
            f"Cannot join the Ray cluster at {address or os.environ.get('RAY_ADDRESS') or 'this machine'}: {error}\n"
            "Is it running, with the same versions of Ray and Python? Start one with: ray start --head"
        ) from error
    finally:
        signal.signal(signal.SIGTERM, handler)  # Ray sets its own, which would end a job without a message
    return True


@_plain_errors()
def _capacity(*, gpu: bool) -> int:
    """How many actors fit if each takes a core, or a GPU."""
    import ray

    resource = "GPU" if gpu else "CPU"
    found = int(ray.cluster_resources().get(resource, 0))
    if not found:
        raise WorkersError(f"The Ray cluster has no {resource}. Add a machine that has one, or set workers=.")
    return found
