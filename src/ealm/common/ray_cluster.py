"""A Ray cluster: joining it, how much room it has, and how the actors there fare."""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ealm.common.errors import WorkersError

CORES_OF_AN_ACTOR = 0.5
"""Asked for, though it keeps one busy: if half of the machines are lost, the others have room for their actors."""


def require_ray() -> None:
    """Say what to install where Ray is missing."""
    try:
        import ray.data  # noqa: F401
    except ImportError as error:
        raise WorkersError("--engine ray needs Ray. Install it with: pip install 'ealm[ray]'") from error


@contextmanager
def plain_ray_errors() -> Iterator[None]:
    """What Ray could not mend itself, such as the loss of its head."""
    import ray

    try:
        yield
    except ray.exceptions.RayError as error:
        raise WorkersError(f"The Ray cluster gave up: {error}\nWhat is done is kept; go on with --resume.") from error


@contextmanager
def connected(address: str | None) -> Iterator[bool]:
    """A session that is there already stays; another one, of which this tells, ends with the work."""
    import ray

    if ray.is_initialized():
        yield False
        return
    if address is not None and "://" in address:
        raise WorkersError(
            f"Cannot work through {address}. Run this on a machine of the cluster, with the address HOST:PORT that "
            "`ray start --head` told."
        )
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is reported to anybody
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
        signal.signal(signal.SIGTERM, handler)  # Ray has its own, which would end a job without a word
    try:
        yield True
    finally:
        ray.shutdown()


def room(*, gpu: bool) -> int:
    """For how many actors that each take a core, or a GPU, there is room."""
    import ray

    resource = "GPU" if gpu else "CPU"
    found = int(ray.cluster_resources().get(resource, 0))
    if not found:
        raise WorkersError(f"The Ray cluster has no {resource}. Add a machine that has one, or say how many: --workers")
    return found


def resources(*, gpu: bool) -> dict[str, float]:
    """What an actor asks for."""
    return {"num_cpus": 0, "num_gpus": 1} if gpu else {"num_cpus": CORES_OF_AN_ACTOR}


@contextmanager
def beside_this_process(kind: type, *arguments: Any) -> Iterator[Any]:
    """An actor on this machine, so that it lives as long as this process does."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor = ray.remote(kind).options(num_cpus=0, scheduling_strategy=here).remote(*arguments)
    try:
        yield actor
    finally:
        ray.kill(actor)


class Register:
    """An actor that outlives the others and knows what became of them."""

    def __init__(self, workers: int) -> None:
        """`workers`: that may be starting at the same time."""
        self._workers = workers
        self._starting = 0
        self._attempts: dict[int, int] = {}

    async def starting(self) -> int:
        """A worker starts to load; how many have died so since one was ready last."""
        self._starting += 1
        return max(0, self._starting - self._workers)

    async def ready(self) -> None:
        """A worker has loaded."""
        self._starting = 0

    async def attempts(self, number: int) -> int:
        """How often a job was begun, this time included."""
        self._attempts[number] = self._attempts.get(number, 0) + 1
        return self._attempts[number]

    async def forget(self, number: int) -> None:
        """A job is done."""
        self._attempts.pop(number, None)
