"""Prefetching: workers collect ahead of the learner, and the result does not depend on their timing.

The job of a collection is submitted a fixed number of collections ahead, with the weights of the agent at that moment,
and results are used in the order of submission. So a run is the same however fast the workers are, whichever of them
does a job, and whether they die of it or not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ealm.common.worker_pool import Pool
from ealm.paper.target_network import group

JOBS_PER_WORKER = 2
"""One in progress and one waiting, so that no worker waits for the learner."""

Weights = Mapping[str, npt.NDArray[Any]]
"""Weights of an agent for another process; tensors would be sent as shared memory."""


@dataclass(frozen=True, slots=True)
class Version:
    """An agent as it was after so many updates."""

    updates: int
    weights: Weights

    @classmethod
    def of(cls, agent: nn.Module, updates: int) -> "Version":
        """A copy, which later updates of the agent do not change."""
        state = agent.state_dict().items()
        return cls(updates, {name: np.array(tensor.numpy(force=True)) for name, tensor in state})


def load_version(agent: nn.Module, weights: Weights) -> None:
    """Give an agent these weights."""
    agent.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()})


class Prefetcher:
    """Jobs in flight."""

    def __init__(self, pool: Pool, ahead: int) -> None:
        """`ahead`: collections in flight while the learner learns."""
        self._pool = pool
        self._ahead = ahead
        self._versions: list[Version] = []
        """Of each job in flight, the next one first."""
        self._submitted = 0
        """How many of these the workers have; fewer than all only when a run has just been resumed."""

    def next(self, newest: Version, job: Callable[[int, Version], Any]) -> Any:
        """The result of the next job. `job` makes the one that is so many after it, for an agent of that version."""
        self._versions += [newest] * (self._ahead + 1 - len(self._versions))
        for offset in range(self._submitted, len(self._versions)):
            self._pool.submit(job(offset, self._versions[offset]))
            self._submitted += 1
        found = self._pool.result()
        self._versions.pop(0)
        self._submitted -= 1
        return found

    def tend(self) -> None:
        """Give waiting jobs to free workers; to be called regularly while the learner learns."""
        self._pool.tend()

    def close(self) -> None:
        """End the workers."""
        self._pool.close()

    def tensors(self) -> dict[str, Tensor]:
        """The weights of all jobs in flight, for a checkpoint; jobs of the same version share them."""
        return {
            f"ahead.{version.updates}.{name}": torch.from_numpy(np.array(array))
            for version in self._versions
            for name, array in version.weights.items()
        }

    def values(self) -> list[int]:
        """The version of each job in flight, in order."""
        return [version.updates for version in self._versions]

    def restore(self, tensors: Mapping[str, Tensor], values: Sequence[int], agent: nn.Module) -> None:
        """The reverse of `tensors()` and `values()`; the weights must fit the agent."""
        if len(values) > self._ahead + 1:
            raise ValueError("more jobs are in flight than there can be")
        versions = {updates: group(tensors, f"ahead.{updates}") for updates in set(values)}
        shapes = {name: tensor.shape for name, tensor in agent.state_dict().items()}
        for weights in versions.values():
            if {name: tensor.shape for name, tensor in weights.items()} != shapes:
                raise ValueError("the agent of a job does not fit")
        known = {
            updates: Version(updates, {name: tensor.numpy(force=True) for name, tensor in weights.items()})
            for updates, weights in versions.items()
        }
        self._versions = [known[updates] for updates in values]
