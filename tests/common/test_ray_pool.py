"""Actors that do jobs, on a stand-in for Ray; tests/training and tests/batch start real clusters."""

import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from pool_fakes import DoublingRecipe, doubled

from ealm.common.errors import WorkersError
from ealm.common.extras import MissingExtraError
from ealm.common.ray_pool import ActorPool, require_ray


class RayError(Exception):
    pass


class RayActorError(RayError):
    pass


class Call:
    """A call of an actor; it is done when its result is asked for."""

    def __init__(self, cluster: "Cluster", actor: int, run: Callable[[], Any]) -> None:
        self._cluster = cluster
        self._actor = actor
        self._run = run

    def result(self) -> Any:
        if self._actor in self._cluster.dead:
            raise RayActorError(f"actor {self._actor} died")
        return self._run()


class Cluster:
    """What the pool uses of the module `ray`."""

    exceptions = SimpleNamespace(
        RayError=RayError,
        RayActorError=RayActorError,
        **{
            name: type(name, (RayError,), {})
            for name in ("WorkerCrashedError", "OutOfMemoryError", "NodeDiedError", "ObjectLostError")
        },
    )

    def __init__(self) -> None:
        self.started = 0
        self.killed: list[int] = []
        self.dead: set[int] = set()
        self.calls: list[tuple[int, str]] = []
        self.connected = False
        self.cores = 3.0

    def init(self, **_: Any) -> None:
        self.connected = True

    def is_initialized(self) -> bool:
        return self.connected

    def shutdown(self) -> None:
        self.connected = False

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": self.cores}

    def remote(self, kind: type) -> Any:
        def start(*arguments: Any, **options: Any) -> SimpleNamespace:
            actor = kind(*arguments, **options)
            number = self.started
            self.started += 1
            methods = {name: self._method(number, name, getattr(actor, name)) for name in ("load", "work")}
            return SimpleNamespace(number=number, **methods)

        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=start))

    def _method(self, number: int, name: str, method: Callable[..., Any]) -> SimpleNamespace:
        def call(*arguments: Any) -> Call:
            self.calls.append((number, name))
            return Call(self, number, lambda: method(*arguments))

        return SimpleNamespace(remote=call)

    def wait(self, calls: Sequence[Call], *, num_returns: int, timeout: float | None) -> tuple[Sequence[Call], None]:
        del timeout
        return calls[:num_returns], None

    def get(self, call: Call) -> Any:
        return call.result()

    def kill(self, actor: Any) -> None:
        self.killed.append(actor.number)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    cluster = Cluster()
    monkeypatch.setitem(sys.modules, "ray", cluster)
    return cluster


def pool(recipe: DoublingRecipe | None = None, *, actors: int | None = None, address: str | None = None) -> ActorPool:
    return ActorPool(recipe or DoublingRecipe(), address=address, actors=actors, gpu=False)


def test_there_is_an_actor_for_each_core_and_nothing_is_left(cluster: Cluster) -> None:
    workers = pool()
    assert (workers.size, cluster.started, cluster.connected) == (3, 3, True)
    assert doubled(workers) == [0, 2, 4, 6, 8, 10]
    assert cluster.killed == [0, 1, 2]
    assert not cluster.connected
    cluster.connected = True  # a session of the program that uses the pool
    assert doubled(pool(actors=1)) == [0, 2, 4, 6, 8, 10]
    assert cluster.connected


def test_a_machine_lost_with_idle_actors_costs_a_job_one_try_at_most(cluster: Cluster) -> None:
    workers = pool(actors=5)
    workers.tend()
    cluster.dead |= {0, 1, 2, 3}
    for number in range(3, 6):
        workers.submit(number)
    assert [workers.result() for _ in range(3)] == [6, 8, 10]
    tried_in_vain = [actor for actor, name in cluster.calls if name == "work" and actor in cluster.dead]
    assert len(tried_in_vain) <= 3
    assert cluster.dead <= set(cluster.killed)


def test_actors_that_die_while_they_load_are_not_started_for_ever(cluster: Cluster) -> None:
    cluster.dead |= set(range(100))
    with pytest.raises(WorkersError, match=r"(?s)die before they are ready.*workers=.*actor \d+ died"):
        doubled(pool(actors=2))
    assert cluster.started <= 6
    assert not cluster.connected


def test_a_machine_lost_while_many_actors_load_does_not_end_the_job(cluster: Cluster) -> None:
    cluster.dead |= set(range(8))
    assert doubled(pool(actors=8)) == [0, 2, 4, 6, 8, 10]


def test_what_ray_cannot_recover_from_is_reported(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: Any, **__: Any) -> None:
        raise RayError("the head is gone")

    workers = pool()
    monkeypatch.setattr(cluster, "wait", lost)
    with pytest.raises(WorkersError, match=r"the head is gone\n.*resume="):
        doubled(workers)


def test_a_cluster_without_cores_is_refused(cluster: Cluster) -> None:
    cluster.cores = 0
    with pytest.raises(WorkersError, match="no CPU"):
        pool()
    assert not cluster.connected


def test_an_address_of_ray_client_is_refused(cluster: Cluster) -> None:
    del cluster
    with pytest.raises(WorkersError, match="Run this on a machine of the cluster"):
        pool(address="ray://head:10001")


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ealm\[ray\]'"):
        require_ray()
