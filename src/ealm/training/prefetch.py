"""Collections that workers do ahead of the learner.

The job of a collection goes out when the collection so many places before it is taken up, with the agent as it is then,
and what comes of it is taken up in its turn. So a run is the same however fast the workers are, whichever of them does
a job, and whether they die of it or not.
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
"""One that it is at, and one that waits, so that no worker waits for the learner."""

Weights = Mapping[str, npt.NDArray[Any]]
"""Of an agent, on their way to another process; tensors would be sent there as memory that both of them hold."""


@dataclass(frozen=True, slots=True)
class Version:
    """An agent as it was after so many updates."""

    updates: int
    weights: Weights

    @classmethod
    def of(cls, agent: nn.Module, updates: int) -> "Version":
        """A copy, which stays as it is while the agent goes on learning."""
        state = agent.state_dict().items()
        return cls(updates, {name: np.array(tensor.numpy(force=True)) for name, tensor in state})


def load_version(agent: nn.Module, weights: Weights) -> None:
    """Give an agent these weights."""
    agent.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()})


class Pipeline:
    """Jobs on their way."""

    def __init__(self, pool: Pool, ahead: int) -> None:
        """`ahead`: collections that are on their way while the learner learns."""
        self._pool = pool
        self._ahead = ahead
        self._versions: list[Version] = []
        """Of each job on its way, the next one to take up first."""
        self._submitted = 0
        """Jobs of these that the workers have; fewer than all of them only where a run was taken up again."""

    def next(self, newest: Version, job: Callable[[int, Version], Any]) -> Any:
        """What came of the next job. `job` makes the one that is so many places behind it, for that agent."""
        self._versions += [newest] * (self._ahead + 1 - len(self._versions))
        for place in range(self._submitted, len(self._versions)):
            self._pool.submit(job(place, self._versions[place]))
            self._submitted += 1
        found = self._pool.result()
        self._versions.pop(0)
        self._submitted -= 1
        return found

    def tend(self) -> None:
        """To be called now and then while the learner learns."""
        self._pool.tend()

    def close(self) -> None:
        """End the workers."""
        self._pool.close()

    def tensors(self) -> dict[str, Tensor]:
        """The agents of all jobs on their way, for a checkpoint; jobs of the same agent share it."""
        return {
            f"ahead.{version.updates}.{name}": torch.from_numpy(np.array(array))
            for version in self._versions
            for name, array in version.weights.items()
        }

    def values(self) -> list[int]:
        """How many updates the agent of each job had, in order."""
        return [version.updates for version in self._versions]

    def restore(self, tensors: Mapping[str, Tensor], values: Sequence[int], agent: nn.Module) -> None:
        """Go on from `tensors()` and `values()`; the agents are of the same shape as this one."""
        if len(values) > self._ahead + 1:
            raise ValueError("more jobs are on their way than there can be")
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
