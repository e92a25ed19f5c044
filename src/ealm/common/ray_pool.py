"""Actors of a Ray cluster that do jobs. Results come in the order of the jobs, and an actor that dies is replaced."""

import os
from collections import deque
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from ealm.common.errors import EalmError, WorkersError
from ealm.common.process_pool import FAILED_STARTS, LOST, NEVER_READY, RETRIES, Recipe, attempt
from ealm.common.ray_cluster import (
    Register,
    beside_this_process,
    connected,
    plain_ray_errors,
    require_ray,
    resources,
    room,
)


class ActorPool:
    """Jobs go to the actors in turn. Ray restarts what dies and repeats its jobs; the actors know when to give up."""

    def __init__(self, recipe: Recipe, *, address: str | None, actors: int | None, gpu: bool) -> None:
        """`actors`: None for one for each core of the cluster, or with `gpu` for each GPU."""
        require_ray()
        self._submitted = 0
        self._results: deque[Any] = deque()
        with ExitStack() as stack:
            self._own_session = stack.enter_context(connected(address))
            with plain_ray_errors():
                self.size = actors or room(gpu=gpu)
                self._register = stack.enter_context(beside_this_process(Register, self.size))
                self._actors = [self._start(recipe, gpu=gpu) for _ in range(self.size)]
            self._stack = stack.pop_all()

    def _start(self, recipe: Recipe, *, gpu: bool) -> Any:
        import ray

        actor = ray.remote(Worker).options(max_restarts=-1, max_task_retries=-1, **resources(gpu=gpu))
        return actor.remote(recipe=recipe, register=self._register, folder=str(Path.cwd()), gpu=gpu)

    def submit(self, job: Any) -> None:
        actor = self._actors[self._submitted % self.size]
        with plain_ray_errors():
            self._results.append(actor.work.remote(self._submitted, job))
        self._submitted += 1

    def result(self) -> Any:
        import ray

        with plain_ray_errors():
            found = ray.get(self._results[0])
        self._results.popleft()
        if isinstance(found, Exception):
            raise found
        return found

    def tend(self) -> None:
        """Nothing to do: jobs wait at their actors."""

    def close(self) -> None:
        import ray

        if not self._own_session:  # else they end with it, and nobody is told of jobs that are left undone
            for actor in self._actors:
                with suppress(ray.exceptions.RayError):
                    ray.kill(actor)
        self._actors = []
        self._stack.close()


class Worker:
    """What every actor has: something that does jobs, loaded once."""

    def __init__(self, *, recipe: Recipe, register: Any, folder: str, gpu: bool) -> None:
        """`folder`: where the work was started; relative names of models are meant from there."""
        import ray

        with suppress(OSError):
            os.chdir(folder)
        self._register = register
        self._fault: Exception | None = None
        if ray.get(register.starting.remote()) > FAILED_STARTS:
            self._fault = WorkersError(NEVER_READY)
            return
        try:
            self._work = recipe.load(None if gpu else 1)
        except (EalmError, OSError) as error:  # told as a result: an exception here would be tried again and again
            self._fault = error
        register.ready.remote()

    def work(self, number: int, job: Any) -> Any:
        """What comes of a job, or the error to raise."""
        import ray

        if ray.get(self._register.attempts.remote(number)) > RETRIES + 1:
            return WorkersError(LOST)
        found = self._fault or attempt(self._work, job)
        ray.get(self._register.forget.remote(number))
        return found
