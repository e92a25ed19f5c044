"""Actors of a Ray cluster that shorten chunks of rows, through Ray Data. Results come in order; what dies is replaced.

Ray Data reads what lies somewhere and cannot be handed rows as they come. So the chunks and their answers lie on a
shelf, an actor beside this process, and the dataset is the row of their numbers: one read task makes it as chunks come,
the actors work through it. What is lost with a machine are numbers, which are small enough that Ray keeps them here.
"""

import json
import logging
import os
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ealm.batch.chunks import Answer, Chunk
from ealm.batch.model_recipe import Recipe
from ealm.batch.ray_chunk_store import Shelf
from ealm.batch.workers import CHUNKS_PER_WORKER, LOST
from ealm.common.errors import BatchError, EalmError
from ealm.common.process_pool import FAILED_STARTS, NEVER_READY, RETRIES
from ealm.common.ray_cluster import beside_this_process, connected, plain_ray_errors, require_ray, resources, room


@dataclass(frozen=True, slots=True, kw_only=True)
class RayCluster:
    """Where the actors are, and how many."""

    address: str | None = None
    """None for the cluster that runs here or that RAY_ADDRESS names; else one is started, for the time of the job."""
    actors: int | None = None
    """None for one for each core, or each GPU."""
    gpu: bool = False
    """Whether each actor has a GPU of its own."""

    def answered(self, chunks: Iterator[Chunk], recipe: Recipe) -> Generator[tuple[Chunk, list[Answer]], None, None]:
        """Chunks in order, with an answer for each row."""
        require_ray()
        with plain_ray_errors(), connected(self.address):
            actors = self.actors or room(gpu=self.gpu)
            with (
                beside_this_process(Shelf, actors) as shelf,
                closing(_results(shelf, recipe, actors=actors, gpu=self.gpu)) as results,
            ):
                yield from _in_step(chunks, shelf, results, window=CHUNKS_PER_WORKER * actors)


def _in_step(
    chunks: Iterator[Chunk], shelf: Any, results: Iterator[list[Answer]], *, window: int
) -> Iterator[tuple[Chunk, list[Answer]]]:
    """Never more chunks on their way than the window has, however large the object store of the cluster is."""
    import ray

    waiting: deque[Chunk] = deque()
    exhausted = False
    while True:
        while not exhausted and len(waiting) < window:
            chunk = next(chunks, None)
            if chunk is None:
                exhausted = True
                ray.get(shelf.close.remote())
            else:
                ray.get(shelf.put.remote(json.dumps(chunk.texts())))
                waiting.append(chunk)
        if not waiting:
            return
        answers = next(results)
        chunk = waiting.popleft()
        yield chunk, chunk.answers(answers)


def _results(shelf: Any, recipe: Recipe, *, actors: int, gpu: bool) -> Generator[list[Answer], None, None]:
    """Answers to the chunks from the shelf, in their order; starts to work when the first is asked for."""
    import ray
    from ray.data import ActorPoolStrategy, DataContext, read_datasource

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = DataContext.get_current().copy()
    context.execution_options.preserve_order = True
    context.target_max_block_size = 1  # every number is a block, so that none waits for another
    context.enable_progress_bars = False
    with DataContext.current(context):  # a dataset keeps the one that it was made in
        # Actors and their tasks are restarted without end, as is Ray Data's way; the worker knows when to give up.
        dataset = read_datasource(_source(shelf), override_num_blocks=1, num_cpus=0).map_batches(
            ChunkWorker,
            fn_constructor_kwargs={"recipe": recipe, "shelf": shelf, "folder": str(Path.cwd()), "gpu": gpu},
            batch_size=1,
            batch_format="pyarrow",
            compute=ActorPoolStrategy(size=actors),
            **resources(gpu=gpu),
        )
    for batch in dataset.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
        for _ in range(len(batch)):
            answers = json.loads(ray.get(shelf.take.remote()))
            if isinstance(answers, str):
                raise BatchError(answers)
            yield [Answer(summary, error) for summary, error in answers]


def _source(shelf: Any) -> Any:
    """The numbers of the chunks as Ray Data reads them: one task that goes on until there are no more."""
    import pyarrow as pa
    import ray
    from ray.data import Datasource, ReadTask
    from ray.data.block import BlockMetadata

    class ShelfDatasource(Datasource):  # type: ignore[misc]
        supports_distributed_reads = False  # it stays beside the shelf, whatever happens to other machines

        def estimate_inmemory_data_size(self) -> int | None:
            return None

        def get_read_tasks(self, *_: Any, **__: Any) -> list[Any]:
            return [ReadTask(read, BlockMetadata(num_rows=None, size_bytes=None, exec_stats=None, input_files=None))]

    def read() -> Iterator[Any]:
        done = 0
        while (there := ray.get(shelf.count.remote(done))) > done:
            for number in range(done, there):
                yield pa.table({"number": [number]})
            done = there

    return ShelfDatasource()


class ChunkWorker:
    """What every actor has: something that shortens texts, loaded once."""

    def __init__(self, *, recipe: Recipe, shelf: Any, folder: str, gpu: bool) -> None:
        """`folder`: where the job was started; relative names of models are meant from there."""
        import ray

        with suppress(OSError):
            os.chdir(folder)
        self._shelf = shelf
        self._fault: str | None = None
        if ray.get(shelf.starting.remote()) > FAILED_STARTS:
            self._fault = NEVER_READY
            return
        try:
            self._answering = recipe.load(None if gpu else 1)
        except (EalmError, OSError) as error:  # told as an answer: an exception here would be tried again and again
            self._fault = str(error)
        shelf.ready.remote()

    def __call__(self, batch: Any) -> Any:
        """Numbers of chunks in, the same out as soon as their answers are on the shelf."""
        import ray

        for number in batch["number"].to_pylist():
            texts, attempt = ray.get(self._shelf.begin.remote(number))
            answers = self._fault or self._answers(json.loads(texts), attempt)
            ray.get(self._shelf.finish.remote(number, json.dumps(answers)))
        return batch

    def _answers(self, texts: list[str], attempt: int) -> list[tuple[str, str | None]]:
        answers = self._answering(texts) if attempt <= RETRIES + 1 else [LOST] * len(texts)
        return [(answer.summary, answer.error) for answer in answers]
